//! Orders of a list: by members, with directions, nulls, case and ties as the recordings showed them.

use super::naming::normal;
use super::path::MemberPath;
use crate::json::Value;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

/// One key of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct OrderKey {
    /// The member.
    pub path: MemberPath,
    /// Whether it descends.
    pub descending: bool,
}

/// How values compare where the recordings can tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct OrderStyle {
    /// Letters of any case compare equal.
    pub fold: bool,
    /// Texts of digits compare as numbers.
    pub digits: bool,
    /// Where null and missing members go.
    pub nulls: Nulls,
    /// What decides between equals.
    pub tie: Tie,
}

/// Where null and missing members go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Nulls {
    /// Smaller than every value: first ascending, last descending.
    #[default]
    Small,
    /// Greater than every value.
    Great,
    /// Always first.
    First,
    /// Always last.
    Last,
}

/// What decides between equals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Tie {
    /// The order they had before.
    #[default]
    Before,
    /// The reverse of the order they had before.
    Reverse,
    /// The reverse when the last key descends.
    ReverseDescending,
}

/// Every style, in the order in which they are tried.
pub fn styles() -> impl Iterator<Item = OrderStyle> {
    [Tie::Before, Tie::ReverseDescending, Tie::Reverse].into_iter().flat_map(|tie| {
        [Nulls::Small, Nulls::Great, Nulls::Last, Nulls::First].into_iter().flat_map(move |nulls| {
            [(false, false), (true, false), (false, true), (true, true)]
                .into_iter()
                .map(move |(fold, digits)| OrderStyle { fold, digits, nulls, tie })
        })
    })
}

/// Orders entities by keys; `fields` gives the value that an item is ordered by.
pub fn sort_by_keys<T>(items: &mut [T], keys: &[OrderKey], style: OrderStyle, fields: impl Fn(&T) -> &Value) {
    // Members are looked up once for each item, not for each comparison.
    let mut order: Vec<usize> = {
        let found: Vec<KeyValues<'_>> = items.iter().map(|item| key_values(fields(item), keys)).collect();
        let mut order: Vec<usize> = (0..items.len()).collect();
        if ties_reverse(keys, style) {
            order.reverse();
        }
        order.sort_by(|a, b| compare_values(&found[*a], &found[*b], keys, style));
        order
    };
    permute(items, &mut order);
}

/// Puts `items[order[at]]` to every place `at`; `order` is used up.
fn permute<T>(items: &mut [T], order: &mut [usize]) {
    for start in 0..order.len() {
        let mut at = start;
        while order[at] != start {
            let from = std::mem::replace(&mut order[at], at);
            items.swap(at, from);
            at = from;
        }
        order[at] = at;
    }
}

/// What an entity is ordered by: the first scalar at each key's member.
pub type KeyValues<'a> = Vec<Option<&'a Value>>;

/// The values of an entity's keys.
pub fn key_values<'a>(entity: &'a Value, keys: &[OrderKey]) -> KeyValues<'a> {
    keys.iter().map(|key| key.path.first(entity)).collect()
}

/// Whether equals come in the reverse of the order they had before.
pub fn ties_reverse(keys: &[OrderKey], style: OrderStyle) -> bool {
    let descending = keys.last().is_some_and(|key| key.descending);
    style.tie == Tie::Reverse || style.tie == Tie::ReverseDescending && descending
}

/// Compares two entities by keys.
pub fn compare_keys(a: &Value, b: &Value, keys: &[OrderKey], style: OrderStyle) -> Ordering {
    compare_each(keys, style, |_, key| (key.path.first(a), key.path.first(b)))
}

/// Compares two entities by the values of their keys.
pub fn compare_values(a: &[Option<&Value>], b: &[Option<&Value>], keys: &[OrderKey], style: OrderStyle) -> Ordering {
    compare_each(keys, style, |at, _| (a.get(at).copied().flatten(), b.get(at).copied().flatten()))
}

fn compare_each<'a>(
    keys: &[OrderKey],
    style: OrderStyle,
    values: impl Fn(usize, &OrderKey) -> (Option<&'a Value>, Option<&'a Value>),
) -> Ordering {
    for (at, key) in keys.iter().enumerate() {
        let (a, b) = values(at, key);
        let ordering = compare(a, b, key.descending, style);
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

/// Compares what two entities hold at one key.
pub fn compare(a: Option<&Value>, b: Option<&Value>, descending: bool, style: OrderStyle) -> Ordering {
    let present = |value: Option<&Value>| value.is_some_and(|value| !value.is_null());
    let nulls_first = match style.nulls {
        Nulls::Small => !descending,
        Nulls::Great => descending,
        Nulls::First => true,
        Nulls::Last => false,
    };
    match (present(a), present(b)) {
        (false, false) => Ordering::Equal,
        (false, true) => {
            if nulls_first {
                Ordering::Less
            } else {
                Ordering::Greater
            }
        }
        (true, false) => {
            if nulls_first {
                Ordering::Greater
            } else {
                Ordering::Less
            }
        }
        (true, true) => {
            let (Some(a), Some(b)) = (a, b) else { return Ordering::Equal };
            let ordering = compare_scalars(a, b, style);
            if descending { ordering.reverse() } else { ordering }
        }
    }
}

/// Numbers by value, booleans false first, texts by their characters (folded when asked).
pub fn compare_scalars(a: &Value, b: &Value, style: OrderStyle) -> Ordering {
    match (a.plain(), b.plain()) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (number_key(a), number_key(b));
            a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal).then(a.1.cmp(&b.1))
        }
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => compare_texts(&a.to_display(), &b.to_display(), style),
        (a, b) => a.type_name().cmp(b.type_name()),
    }
}

/// Texts by their characters; digits by their value and before other texts, where they count as numbers.
fn compare_texts(a: &str, b: &str, style: OrderStyle) -> Ordering {
    if style.digits && (is_digits(a) || is_digits(b)) {
        let key = |text: &str| (!is_digits(text), text.trim_start_matches('0').len());
        return key(a).cmp(&key(b)).then(a.trim_start_matches('0').cmp(b.trim_start_matches('0')));
    }
    if style.fold { a.to_lowercase().cmp(&b.to_lowercase()) } else { a.as_bytes().cmp(b.as_bytes()) }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// What numbers are ordered by: the double, and between equal ones the exact integer. Total over every pair of literals,
/// which sorting relies on.
fn number_key(number: &crate::json::Number) -> (f64, i128) {
    let double = number.to_f64();
    // A cast saturates, so that no literal is out of range.
    (double, number.as_str().parse().unwrap_or(double as i128))
}

/// One demanded order: member word and direction, as a sort value spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The word that names the member.
    pub word: String,
    /// The direction, when the value says it.
    pub descending: Option<bool>,
}

/// Reads a sort value: `name`, `-name`, `name:desc`, `name desc`, `name.desc`, `NAME_DESC`, `name,desc`, several separated by
/// commas.
pub fn read_sort(text: &str) -> Option<Vec<Wanted>> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        // `name,desc`: a direction of its own is that of the word before it.
        if let (Some(descending), Some(Wanted { descending: direction @ None, .. })) =
            (direction_word(part), wanted.last_mut())
        {
            *direction = Some(descending);
            continue;
        }
        let (word, descending) = if let Some(rest) = part.strip_prefix('-') {
            (rest, Some(true))
        } else if let Some(rest) = part.strip_prefix('+') {
            (rest, Some(false))
        } else {
            match part.rfind([':', ' ', '_', '.']) {
                Some(at) => match direction_word(&part[at + 1..]) {
                    Some(descending) => (&part[..at], Some(descending)),
                    None => (part, None),
                },
                None => (part, None),
            }
        };
        let plain = word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'`'));
        let telling = word.bytes().any(|byte| byte.is_ascii_alphabetic()) && !matches!(word, "true" | "false");
        if word.is_empty() || !plain || !telling {
            return None;
        }
        wanted.push(Wanted { word: word.trim_matches('`').to_owned(), descending });
    }
    Some(wanted)
}

/// What a word orders by: a member, and whether the word alone means descending (`newest`).
#[derive(Clone, Debug, PartialEq)]
pub struct OrderWord {
    /// The member.
    pub path: MemberPath,
    /// Whether it descends unless turned.
    pub descending: bool,
}

/// Whether a word is a direction: `Some(true)` when it descends.
pub fn direction_word(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "asc" | "ascending" => Some(false),
        "desc" | "descending" => Some(true),
        _ => None,
    }
}

/// The order keys of a sort value: each word is a listed one or the name of a member.
pub fn order_of(text: &str, words: &BTreeMap<String, OrderWord>) -> Option<Vec<OrderKey>> {
    read_sort(text)?
        .into_iter()
        .map(|wanted| {
            let word = match words.get(&wanted.word) {
                Some(word) => word,
                None => words.get(&format!("={}", normal(&wanted.word)))?,
            };
            Some(OrderKey {
                path: word.path.clone(),
                descending: wanted.descending.unwrap_or(false) != word.descending,
            })
        })
        .collect()
}

/// Whether a value turns an order around.
pub fn turns(text: &str) -> Option<bool> {
    direction_word(text).or(match text {
        "true" | "-1" => Some(true),
        "false" | "1" => Some(false),
        _ => None,
    })
}

/// The words that turn an order around, or those that do not.
pub fn turning_words(turning: bool) -> BTreeSet<String> {
    const WORDS: [&str; 10] = ["asc", "ASC", "ascending", "desc", "DESC", "descending", "true", "false", "1", "-1"];
    WORDS.iter().filter(|word| turns(word) == Some(turning)).map(|word| (*word).to_owned()).collect()
}

/// Whether a direction's value, or each of several joined by commas, is one of those that turn an order around; `None`
/// when one is no direction.
pub fn turns_each(text: &str, turning: &BTreeSet<String>) -> Option<Vec<bool>> {
    text.split(',').map(|word| turns(word).map(|_| turning.contains(word))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::path::Step;
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn keys(keys: &[(&str, bool)]) -> Vec<OrderKey> {
        keys.iter()
            .map(|(name, descending)| OrderKey { path: MemberPath::member(name), descending: *descending })
            .collect()
    }

    /// The members called `n` in sorted order.
    fn sorted(entities: &[&str], order: &[(&str, bool)], style: OrderStyle) -> Vec<String> {
        let mut values: Vec<Value> = entities.iter().map(|text| value(text)).collect();
        sort_by_keys(&mut values, &keys(order), style, |value| value);
        values.iter().map(|value| value.get("n").map(Value::to_compact).unwrap_or_default()).collect()
    }

    const SOME: [&str; 4] = [r#"{"n":1,"m":2}"#, r#"{"n":2,"m":null}"#, r#"{"n":3,"m":1}"#, r#"{"n":4}"#];

    #[rstest]
    #[case(Nulls::Small, false, &["2", "4", "3", "1"])]
    #[case(Nulls::Small, true, &["1", "3", "2", "4"])]
    #[case(Nulls::Great, false, &["3", "1", "2", "4"])]
    #[case(Nulls::Great, true, &["2", "4", "1", "3"])]
    #[case(Nulls::First, false, &["2", "4", "3", "1"])]
    #[case(Nulls::First, true, &["2", "4", "1", "3"])]
    #[case(Nulls::Last, false, &["3", "1", "2", "4"])]
    #[case(Nulls::Last, true, &["1", "3", "2", "4"])]
    fn nulls_and_missing_members(#[case] nulls: Nulls, #[case] descending: bool, #[case] expected: &[&str]) {
        assert_eq!(sorted(&SOME, &[("m", descending)], OrderStyle { nulls, ..OrderStyle::default() }), expected);
    }

    #[rstest]
    #[case(Tie::Before, false, &["1", "2", "3"])]
    #[case(Tie::Before, true, &["1", "2", "3"])]
    #[case(Tie::Reverse, false, &["3", "2", "1"])]
    #[case(Tie::Reverse, true, &["3", "2", "1"])]
    #[case(Tie::ReverseDescending, false, &["1", "2", "3"])]
    #[case(Tie::ReverseDescending, true, &["3", "2", "1"])]
    fn ties(#[case] tie: Tie, #[case] descending: bool, #[case] expected: &[&str]) {
        let equal = [r#"{"n":1,"m":"x"}"#, r#"{"n":2,"m":"x"}"#, r#"{"n":3,"m":"x"}"#];
        assert_eq!(sorted(&equal, &[("m", descending)], OrderStyle { tie, ..OrderStyle::default() }), expected);
    }

    #[test]
    fn later_keys_decide_between_equals() {
        let some = [r#"{"n":1,"a":"x","b":1}"#, r#"{"n":2,"a":"x","b":3}"#, r#"{"n":3,"a":"w","b":2}"#];
        assert_eq!(sorted(&some, &[("a", false), ("b", true)], OrderStyle::default()), ["3", "2", "1"]);
        assert_eq!(sorted(&some, &[("a", true), ("b", false)], OrderStyle::default()), ["1", "2", "3"]);
    }

    #[rstest]
    #[case("1", "2", false, Ordering::Less)]
    #[case("10", "9", false, Ordering::Greater)]
    #[case("1.5", "1.50", false, Ordering::Equal)]
    #[case("9007199254740993", "9007199254740992", false, Ordering::Greater)]
    #[case("false", "true", false, Ordering::Less)]
    #[case(r#""10""#, r#""9""#, false, Ordering::Less)]
    #[case(r#""B""#, r#""a""#, false, Ordering::Less)]
    #[case(r#""B""#, r#""a""#, true, Ordering::Greater)]
    #[case(r#""A""#, r#""a""#, true, Ordering::Equal)]
    fn scalars(#[case] a: &str, #[case] b: &str, #[case] fold: bool, #[case] expected: Ordering) {
        let style = OrderStyle { fold, ..OrderStyle::default() };
        assert_eq!(compare_scalars(&value(a), &value(b), style), expected);
        assert_eq!(compare_scalars(&value(b), &value(a), style), expected.reverse());
    }

    #[rstest]
    #[case("2", "10", Ordering::Less)]
    #[case("010", "9", Ordering::Greater)]
    #[case("10", "1a", Ordering::Less)]
    #[case("1a", "2", Ordering::Greater)]
    #[case("b", "a", Ordering::Greater)]
    fn digits_as_numbers(#[case] a: &str, #[case] b: &str, #[case] expected: Ordering) {
        let style = OrderStyle { digits: true, ..OrderStyle::default() };
        assert_eq!(compare_scalars(&Value::from(a), &Value::from(b), style), expected);
    }

    #[rstest]
    #[case("name", &[("name", None)])]
    #[case("-name", &[("name", Some(true))])]
    #[case("+name", &[("name", Some(false))])]
    #[case("name:desc", &[("name", Some(true))])]
    #[case("name ASC", &[("name", Some(false))])]
    #[case("NAME_DESC", &[("NAME", Some(true))])]
    #[case("created_at", &[("created_at", None)])]
    #[case("created_at_desc", &[("created_at", Some(true))])]
    #[case("-created_at", &[("created_at", Some(true))])]
    #[case("a:asc, -b,c", &[("a", Some(false)), ("b", Some(true)), ("c", None)])]
    #[case("metrics.`loss` descending", &[("metrics.`loss", Some(true))])]
    fn sort_spellings(#[case] text: &str, #[case] expected: &[(&str, Option<bool>)]) {
        let wanted = read_sort(text).unwrap();
        let wanted: Vec<(&str, Option<bool>)> =
            wanted.iter().map(|wanted| (wanted.word.as_str(), wanted.descending)).collect();
        assert_eq!(wanted, expected);
    }

    #[rstest]
    #[case("")]
    #[case("a,")]
    #[case("-")]
    #[case("two words")]
    #[case("a=b")]
    #[case(r#"{"a":1}"#)]
    fn no_sort(#[case] text: &str) {
        assert_eq!(read_sort(text), None);
    }

    #[test]
    fn every_style_is_tried_once_and_the_plain_one_first() {
        let all: Vec<OrderStyle> = styles().collect();
        assert_eq!(all[0], OrderStyle::default());
        assert!(all.iter().enumerate().all(|(at, style)| !all[..at].contains(style)));
    }

    fn entities() -> impl Strategy<Value = Vec<Value>> {
        let member = proptest::option::of(prop_oneof![
            (0i64..4).prop_map(Value::from),
            prop_oneof![
                Just("9007199254740993"),
                Just("9007199254740992"),
                Just("9007199254740992.0"),
                Just("1e400"),
                Just(r#""\ud800A""#),
            ]
            .prop_map(value),
            "[aAb12]{0,2}".prop_map(Value::from),
            Just(Value::Null),
        ]);
        proptest::collection::vec((member.clone(), member), 0..40).prop_map(|pairs| {
            pairs
                .into_iter()
                .enumerate()
                .map(|(at, (a, b))| {
                    let mut object = crate::json::Object::new().with("n", at as u64);
                    a.into_iter().for_each(|a| object.push("a", a));
                    b.into_iter().for_each(|b| object.push("b", b));
                    Value::Object(object)
                })
                .collect()
        })
    }

    #[rstest]
    #[case("desc", Some(true))]
    #[case("ASC", Some(false))]
    #[case("-1", Some(true))]
    #[case("1", Some(false))]
    #[case("true", Some(true))]
    #[case("up", None)]
    fn directions(#[case] text: &str, #[case] expected: Option<bool>) {
        assert_eq!(turns(text), expected);
    }

    #[test]
    fn orders_name_members_or_listed_words() {
        let nested = MemberPath(vec![Step::Member("author".into()), Step::Member("name".into())]);
        let named = OrderWord { path: nested.clone(), descending: false };
        let words = BTreeMap::from([("=authorname".to_owned(), named)]);
        let order = order_of("author.name:desc", &words).unwrap();
        assert_eq!(order, [OrderKey { path: nested, descending: true }]);
        assert_eq!(order_of("author", &words), None);
    }

    proptest! {
        #[test]
        fn sorting_is_an_order(values in entities(), style in 0..styles().count(), a in any::<bool>(), b in any::<bool>()) {
            let style = styles().nth(style).unwrap();
            let keys = keys(&[("a", a), ("b", b)]);
            let mut once = values.clone();
            sort_by_keys(&mut once, &keys, style, |value| value);
            for pair in once.windows(2) {
                prop_assert_ne!(compare_keys(&pair[0], &pair[1], &keys, style), Ordering::Greater);
                prop_assert_ne!(compare_keys(&pair[1], &pair[0], &keys, style), Ordering::Less);
            }
            let mut held: Vec<String> = once.iter().map(Value::to_compact).collect();
            let mut given: Vec<String> = values.iter().map(Value::to_compact).collect();
            held.sort();
            given.sort();
            prop_assert_eq!(held, given);
            if style.tie == Tie::Before {
                let mut twice = once.clone();
                sort_by_keys(&mut twice, &keys, style, |value| value);
                prop_assert_eq!(once, twice);
            }
        }
    }
}
