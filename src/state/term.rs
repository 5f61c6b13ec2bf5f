//! Filter terms: what one parameter demands of an entity, and how a demand is tested.

use super::effect_relation::Relation;
use super::line::{Param, scalar_text};
use super::lookup::{Lookup, Naming};
use super::path::MemberPath;
use crate::json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How a member's text is compared with the demanded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Op {
    /// Equal as text, number or boolean.
    Equal,
    /// Equal, letters of any case.
    EqualFold,
    /// Contains the text.
    Contains,
    /// Contains it, letters of any case.
    ContainsFold,
    /// Starts with it.
    Prefix,
    /// Starts with it, letters of any case.
    PrefixFold,
    /// Ends with it.
    Suffix,
    /// SQL pattern with `%` and `_`.
    Like,
    /// The same, letters of any case.
    LikeFold,
    /// Pattern with `*` and `?`.
    Glob,
    /// The same, letters of any case.
    GlobFold,
    /// Contains it, letters of any case; `*` at either end of what is asked for is left out.
    ContainsLoose,
    /// A regular expression that is plain text but for `^` before it and `$` after it.
    Anchored,
    /// The same, letters of any case.
    AnchoredFold,
    /// Less than.
    Less,
    /// Less than or equal.
    LessEqual,
    /// Greater than.
    Greater,
    /// Greater than or equal.
    GreaterEqual,
    /// `true` demands null or nothing, `false` demands a value.
    IsNull,
    /// `true` or `1` demands at least one value, `false` or `0` none.
    Exists,
}

/// All operators in the order in which they are proposed. Where recordings cannot tell, a part of a text is looked for in
/// any case: that is what applications do.
pub const OPS: [Op; 20] = [
    Op::Equal,
    Op::EqualFold,
    Op::ContainsFold,
    Op::Contains,
    Op::PrefixFold,
    Op::Prefix,
    Op::Suffix,
    Op::Like,
    Op::LikeFold,
    Op::Glob,
    Op::GlobFold,
    Op::ContainsLoose,
    Op::AnchoredFold,
    Op::Anchored,
    Op::Less,
    Op::LessEqual,
    Op::Greater,
    Op::GreaterEqual,
    Op::IsNull,
    Op::Exists,
];

/// How several demanded values count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Several {
    /// The value is one text, commas and all.
    No,
    /// Any of the values.
    Any,
    /// Every one of them.
    All,
}

/// One filter term.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// Members that may satisfy it (several for a search).
    pub targets: Vec<MemberPath>,
    /// The comparison.
    pub op: Op,
    /// Whether entities that satisfy the comparison are left out instead.
    pub negate: bool,
    /// How several values count.
    pub several: Several,
    /// Where the targets are looked up, when not in the entity.
    pub lookup: Option<Lookup>,
}

/// Finds entities of other types by identity: what a lookup needs.
pub trait Referents {
    /// The stored fields of the entity of a type with an identity, in any collection.
    fn referent(&self, entity_type: usize, id: &str) -> Option<&Value>;

    /// The identities that entities of a type name.
    fn named_by(&self, _entity_type: usize, _by: &Relation) -> BTreeSet<String> {
        BTreeSet::new()
    }
}

/// A world without other types.
#[cfg(test)]
pub struct NoReferents;

#[cfg(test)]
impl Referents for NoReferents {
    fn referent(&self, _: usize, _: &str) -> Option<&Value> {
        None
    }
}

impl Term {
    /// Whether an entity satisfies the demand of a parameter.
    pub fn holds(&self, entity: &Value, param: &Param, referents: &dyn Referents) -> bool {
        let one = |wanted: &str| self.any_target(entity, wanted, referents);
        let held = match (self.several, &param.list) {
            (Several::No, _) => one(&param.text),
            (Several::Any, Some(list)) => list.iter().any(|wanted| one(wanted)),
            (Several::All, Some(list)) => list.iter().all(|wanted| one(wanted)),
            (Several::Any, None) => param.text.split(',').any(|wanted| one(wanted.trim())),
            (Several::All, None) => param.text.split(',').all(|wanted| one(wanted.trim())),
        };
        held != self.negate
    }

    /// The demand with what it asks of all entities of another type looked up once.
    pub fn looked_up(&self, referents: &dyn Referents) -> Cow<'_, Self> {
        match &self.lookup {
            Some(Lookup::Naming(naming)) if naming.named.is_none() => {
                let named = Some(Arc::new(referents.named_by(naming.entity_type, &naming.by)));
                let lookup = Some(Lookup::Naming(Naming { named, ..naming.clone() }));
                Cow::Owned(Self { lookup, ..self.clone() })
            }
            _ => Cow::Borrowed(self),
        }
    }

    fn any_target(&self, entity: &Value, wanted: &str, referents: &dyn Referents) -> bool {
        match &self.lookup {
            None => self.targets.iter().any(|path| satisfied(self.op, path, entity, wanted)),
            Some(Lookup::Naming(naming)) => {
                let id = naming.identity.direct(entity).and_then(scalar_text);
                let any = id.is_some_and(|id| match &naming.named {
                    Some(named) => named.contains(&id),
                    None => referents.named_by(naming.entity_type, &naming.by).contains(&id),
                });
                switched(wanted) == Some(any)
            }
            Some(Lookup::Named { via, entity_type }) => {
                let mut found = false;
                via.visit(entity, &mut |reference| {
                    if let Some(id) = scalar_text(reference)
                        && let Some(other) = referents.referent(*entity_type, &id)
                    {
                        found |= self.targets.iter().any(|path| satisfied(self.op, path, other, wanted));
                    }
                    !found
                });
                found
            }
        }
    }
}

/// What a switch says.
pub(super) fn switched(text: &str) -> Option<bool> {
    match text {
        "true" | "1" | "True" | "yes" => Some(true),
        "false" | "0" | "False" | "no" => Some(false),
        _ => None,
    }
}

/// Whether some scalar at a path satisfies a comparison.
pub fn satisfied(op: Op, path: &MemberPath, entity: &Value, wanted: &str) -> bool {
    match op {
        Op::IsNull | Op::Exists => {
            let mut any = false;
            path.visit(entity, &mut |value| {
                any |= !value.is_null();
                !any
            });
            switched(wanted) == Some(any != (op == Op::IsNull))
        }
        _ => {
            let mut held = false;
            path.visit(entity, &mut |value| {
                held = compares(op, value, wanted);
                !held
            });
            held
        }
    }
}

/// Whether one scalar satisfies a comparison.
pub fn compares(op: Op, value: &Value, wanted: &str) -> bool {
    match value.plain() {
        Value::Null => op == Op::Equal && wanted == "null",
        Value::Bool(held) => {
            matches!(op, Op::Equal | Op::EqualFold)
                && match wanted {
                    "1" => *held,
                    "0" => !*held,
                    word => word.eq_ignore_ascii_case(if *held { "true" } else { "false" }),
                }
        }
        Value::Number(number) => {
            let ordering = match (number.as_str().parse::<i128>(), wanted.parse::<i128>()) {
                // Identities of 64 bits are no exact doubles.
                (Ok(held), Ok(wanted)) => Some(held.cmp(&wanted)),
                _ => wanted.parse::<f64>().ok().and_then(|wanted| number.to_f64().partial_cmp(&wanted)),
            };
            match op {
                Op::Equal | Op::EqualFold => number.as_str() == wanted || ordering == Some(std::cmp::Ordering::Equal),
                _ => ordered(op, ordering),
            }
        }
        Value::String(text) => text.as_str().is_some_and(|held| compares_text(op, held, wanted)),
        _ => false,
    }
}

fn ordered(op: Op, ordering: Option<std::cmp::Ordering>) -> bool {
    use std::cmp::Ordering::{Equal, Greater, Less};
    match op {
        Op::Less => ordering == Some(Less),
        Op::LessEqual => matches!(ordering, Some(Less | Equal)),
        Op::Greater => ordering == Some(Greater),
        Op::GreaterEqual => matches!(ordering, Some(Greater | Equal)),
        _ => false,
    }
}

fn compares_text(op: Op, held: &str, wanted: &str) -> bool {
    let fold = |text: &str| text.to_lowercase();
    match op {
        Op::Equal => held == wanted,
        Op::EqualFold => held == wanted || fold(held) == fold(wanted),
        Op::Contains => held.contains(wanted),
        Op::ContainsFold => fold(held).contains(&fold(wanted)),
        Op::Prefix => held.starts_with(wanted),
        Op::PrefixFold => fold(held).starts_with(&fold(wanted)),
        Op::Suffix => held.ends_with(wanted),
        Op::Like => like(held, wanted, ('%', '_')),
        Op::LikeFold => like(&fold(held), &fold(wanted), ('%', '_')),
        Op::Glob => like(held, wanted, ('*', '?')),
        Op::GlobFold => like(&fold(held), &fold(wanted), ('*', '?')),
        Op::ContainsLoose => fold(held).contains(&fold(wanted.trim_matches('*'))),
        Op::Anchored => anchored(held, wanted),
        Op::AnchoredFold => anchored(&fold(held), &fold(wanted)),
        // Clocks and dates order as their text does while both are spelled alike.
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => ordered(op, Some(held.cmp(wanted))),
        Op::IsNull | Op::Exists => false,
    }
}

/// Whether a text is one that [`Op::Anchored`] stands for: no sign of regular expressions inside it.
pub fn plain_between_anchors(wanted: &str) -> bool {
    let (_, inner, _) = between_anchors(wanted);
    !inner.contains(['^', '$', '.', '*', '+', '?', '(', ')', '[', ']', '{', '}', '|', '\\'])
}

fn between_anchors(wanted: &str) -> (bool, &str, bool) {
    let (inner, starts) = wanted.strip_prefix('^').map_or((wanted, false), |rest| (rest, true));
    let (inner, ends) = inner.strip_suffix('$').map_or((inner, false), |rest| (rest, true));
    (starts, inner, ends)
}

fn anchored(held: &str, wanted: &str) -> bool {
    match between_anchors(wanted) {
        (true, inner, true) => held == inner,
        (true, inner, false) => held.starts_with(inner),
        (false, inner, true) => held.ends_with(inner),
        (false, inner, false) => held.contains(inner),
    }
}

/// A pattern with a sign for any text and one for one character: `%` and `_` in SQL.
fn like(text: &str, pattern: &str, (any, one): (char, char)) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        if in_pattern < pattern.len()
            && (pattern[in_pattern] == one || pattern[in_pattern] == text[at])
            && pattern[in_pattern] != any
        {
            at += 1;
            in_pattern += 1;
        } else if in_pattern < pattern.len() && pattern[in_pattern] == any {
            star = Some((in_pattern, at));
            in_pattern += 1;
        } else if let Some((star_at, text_at)) = star {
            in_pattern = star_at + 1;
            at = text_at + 1;
            star = Some((star_at, text_at + 1));
        } else {
            return false;
        }
    }
    pattern[in_pattern..].iter().all(|character| *character == any)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn param(text: &str) -> Param {
        Param { key: "k".to_owned(), text: text.to_owned(), list: None }
    }

    fn list(items: &[&str]) -> Param {
        let list: Vec<String> = items.iter().map(|item| (*item).to_owned()).collect();
        Param { key: "k".to_owned(), text: list.join(","), list: Some(list) }
    }

    fn term(op: Op, several: Several) -> Term {
        Term { targets: vec![MemberPath::member("m")], op, negate: false, several, lookup: None }
    }

    #[rstest]
    #[case(Op::Equal, r#""Ab""#, &["Ab"], &["ab", "A", "Abc", ""])]
    #[case(Op::EqualFold, r#""Äb""#, &["Äb", "äB"], &["b"])]
    #[case(Op::Contains, r#""abc""#, &["b", "abc", ""], &["B", "ac"])]
    #[case(Op::ContainsFold, r#""aBc""#, &["b", "BC"], &["ac"])]
    #[case(Op::Prefix, r#""abc""#, &["a", "abc"], &["A", "b"])]
    #[case(Op::PrefixFold, r#""abc""#, &["A", "aB"], &["b"])]
    #[case(Op::Suffix, r#""abc""#, &["c", "abc"], &["b", "C"])]
    #[case(Op::Like, r#""abc""#, &["a%", "%b%", "a_c", "%", "abc"], &["a", "_", "%B%", "a_"])]
    #[case(Op::LikeFold, r#""aBc""#, &["%b%", "ABC"], &["b"])]
    #[case(Op::Glob, r#""abc""#, &["a*", "*b*", "a?c", "abc"], &["a", "*B*", "%b%"])]
    #[case(Op::GlobFold, r#""aBc""#, &["*b*", "A?C"], &["?"])]
    #[case(Op::ContainsLoose, r#""aBc""#, &["*b*", "b", "A*", "*"], &["*d*", "a*c"])]
    #[case(Op::Anchored, r#""abc""#, &["^a", "c$", "^abc$", "b"], &["^b", "b$", "^A", "^ab$"])]
    #[case(Op::AnchoredFold, r#""aBc""#, &["^A", "bC$", "^ABC$"], &["^b"])]
    #[case(Op::Less, "5", &["6", "5.5"], &["5", "4", "x"])]
    #[case(Op::LessEqual, "5", &["5", "5.0", "6"], &["4"])]
    #[case(Op::Greater, "5", &["4"], &["5", "6", ""])]
    #[case(Op::GreaterEqual, r#""2024-05-01""#, &["2024-05-01", "2023-12-31"], &["2024-05-02"])]
    #[case(Op::Less, r#""2024-05-01""#, &["2024-06"], &["2024-05-01"])]
    #[case(Op::Equal, "5", &["5", "5.0", "5e0"], &["6", "x", "", "05x"])]
    #[case(Op::Equal, "1.50", &["1.50", "1.5"], &["1"])]
    #[case(Op::Equal, "true", &["true", "1", "True"], &["false", "0", "yes"])]
    #[case(Op::Equal, "false", &["false", "0", "FALSE"], &["true", "1"])]
    #[case(Op::Equal, "null", &["null"], &["", "0", "false"])]
    #[case(Op::Contains, "15", &[], &["1", "15"])]
    #[case(Op::Contains, "null", &[], &["null"])]
    fn one_scalar(#[case] op: Op, #[case] held: &str, #[case] holds: &[&str], #[case] fails: &[&str]) {
        for wanted in holds {
            assert!(compares(op, &value(held), wanted), "{op:?} {held} {wanted}");
        }
        for wanted in fails {
            assert!(!compares(op, &value(held), wanted), "{op:?} {held} {wanted}");
        }
    }

    #[rstest]
    #[case("^ab", true)]
    #[case("ab$", true)]
    #[case("a-b c", true)]
    #[case("^a.*b", false)]
    #[case("a|b", false)]
    #[case("a\\d", false)]
    fn texts_between_anchors(#[case] wanted: &str, #[case] plain: bool) {
        assert_eq!(plain_between_anchors(wanted), plain);
    }

    #[rstest]
    #[case("9007199254740993", "9007199254740992", false)]
    #[case("9007199254740993", "9007199254740993", true)]
    #[case("18446744073709551615", "18446744073709551614", false)]
    fn large_identities_are_not_rounded(#[case] held: &str, #[case] wanted: &str, #[case] equal: bool) {
        assert_eq!(compares(Op::Equal, &value(held), wanted), equal);
        assert_eq!(compares(Op::Less, &value(wanted), held), !equal);
    }

    #[rstest]
    #[case(Op::IsNull, r#"{"m":null}"#, "true", true)]
    #[case(Op::IsNull, "{}", "true", true)]
    #[case(Op::IsNull, r#"{"m":0}"#, "true", false)]
    #[case(Op::IsNull, r#"{"m":0}"#, "false", true)]
    #[case(Op::IsNull, "{}", "false", false)]
    #[case(Op::IsNull, "{}", "maybe", false)]
    #[case(Op::Exists, r#"{"m":""}"#, "1", true)]
    #[case(Op::Exists, "{}", "1", false)]
    #[case(Op::Exists, "{}", "0", true)]
    #[case(Op::Exists, "{}", "x", false)]
    fn null_and_existence(#[case] op: Op, #[case] entity: &str, #[case] wanted: &str, #[case] holds: bool) {
        assert_eq!(satisfied(op, &MemberPath::member("m"), &value(entity), wanted), holds);
    }

    #[rstest]
    #[case(Several::No, param("a,b"), r#"{"m":"a,b"}"#, true)]
    #[case(Several::No, param("a,b"), r#"{"m":"a"}"#, false)]
    #[case(Several::Any, param("a,b"), r#"{"m":"b"}"#, true)]
    #[case(Several::Any, param("a, b"), r#"{"m":"b"}"#, true)]
    #[case(Several::Any, param("a,b"), r#"{"m":"c"}"#, false)]
    #[case(Several::Any, list(&["a,b", "c"]), r#"{"m":"a,b"}"#, true)]
    #[case(Several::Any, list(&["a,b", "c"]), r#"{"m":"a"}"#, false)]
    #[case(Several::Any, list(&[]), r#"{"m":"a"}"#, false)]
    #[case(Several::All, list(&[]), r#"{"m":"a"}"#, true)]
    fn several_values(#[case] several: Several, #[case] param: Param, #[case] entity: &str, #[case] holds: bool) {
        assert_eq!(term(Op::Equal, several).holds(&value(entity), &param, &NoReferents), holds);
    }

    #[test]
    fn all_values_may_be_in_different_items() {
        let mut term = term(Op::Equal, Several::All);
        term.targets =
            vec![MemberPath(vec![super::super::path::Step::Member("tags".into()), super::super::path::Step::Each])];
        let entity = value(r#"{"tags":["a","b"]}"#);
        assert!(term.holds(&entity, &list(&["a", "b"]), &NoReferents));
        assert!(!term.holds(&entity, &list(&["a", "c"]), &NoReferents));
    }

    #[test]
    fn a_search_looks_into_each_target() {
        let mut term = term(Op::ContainsFold, Several::No);
        term.targets.push(MemberPath::member("n"));
        assert!(term.holds(&value(r#"{"m":"x","n":"Hello"}"#), &param("hell"), &NoReferents));
        assert!(!term.holds(&value(r#"{"m":"x","o":"Hello"}"#), &param("hell"), &NoReferents));
    }

    struct Authors(Value);

    impl Referents for Authors {
        fn referent(&self, entity_type: usize, id: &str) -> Option<&Value> {
            (entity_type == 3 && id == "7").then_some(&self.0)
        }
    }

    #[rstest]
    #[case(r#"{"author":7}"#, "Ada", true)]
    #[case(r#"{"author":7}"#, "Bob", false)]
    #[case(r#"{"author":8}"#, "Ada", false)]
    #[case(r#"{"m":"Ada"}"#, "Ada", false)]
    fn a_lookup_asks_the_entity_that_is_named(#[case] entity: &str, #[case] wanted: &str, #[case] holds: bool) {
        let authors = Authors(value(r#"{"m":"Ada"}"#));
        let mut term = term(Op::Equal, Several::No);
        term.lookup = Some(Lookup::Named { via: MemberPath::member("author"), entity_type: 3 });
        assert_eq!(term.holds(&value(entity), &param(wanted), &authors), holds);
    }

    proptest! {
        #[test]
        fn negation_is_the_opposite(op in 0..OPS.len(), held in "[a-c]{0,3}", wanted in "[a-c,%]{0,3}") {
            let entity = Value::Object(crate::json::Object::new().with("m", held.as_str()));
            let plain = term(OPS[op], Several::Any);
            let negated = Term { negate: true, ..plain.clone() };
            let param = param(&wanted);
            prop_assert_ne!(plain.holds(&entity, &param, &NoReferents), negated.holds(&entity, &param, &NoReferents));
        }

        #[test]
        fn patterns_stand_for_any_text(before in "[a-c_%]{0,4}", inner in "[a-c]{0,4}", after in "[a-c]{0,4}") {
            let text = format!("{before}{inner}{after}");
            let pattern = format!("{before}%{after}");
            prop_assert!(like(&text, &pattern, ('%', '_')));
            prop_assert!(like(&text, &"_".repeat(text.chars().count()), ('%', '_')));
            prop_assert!(!like(&text, &"_".repeat(text.chars().count() + 1), ('%', '_')));
        }

        #[test]
        fn texts_without_signs_are_only_like_themselves(one in "[a-c]{0,3}", other in "[a-c]{0,3}") {
            prop_assert_eq!(like(&one, &other, ('%', '_')), one == other);
        }
    }
}
