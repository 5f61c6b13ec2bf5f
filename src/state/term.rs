//! Filter terms: what one parameter demands of an entity, and how a demand is tested.

use super::line::{Param, scalar_text};
use super::path::MemberPath;
use crate::json::Value;

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
pub const OPS: [Op; 15] = [
    Op::Equal,
    Op::EqualFold,
    Op::ContainsFold,
    Op::Contains,
    Op::PrefixFold,
    Op::Prefix,
    Op::Suffix,
    Op::Like,
    Op::LikeFold,
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

/// A reference into another type: the members at `via` hold identities of it, and the demand is on the entity named.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// Where the entity holds identities.
    pub via: MemberPath,
    /// The type they name.
    pub entity_type: usize,
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

    fn any_target(&self, entity: &Value, wanted: &str, referents: &dyn Referents) -> bool {
        match &self.lookup {
            None => self.targets.iter().any(|path| satisfied(self.op, path, entity, wanted)),
            Some(lookup) => {
                let mut found = false;
                lookup.via.visit(entity, &mut |reference| {
                    if let Some(id) = scalar_text(reference)
                        && let Some(other) = referents.referent(lookup.entity_type, &id)
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

/// Whether some scalar at a path satisfies a comparison.
pub fn satisfied(op: Op, path: &MemberPath, entity: &Value, wanted: &str) -> bool {
    match op {
        Op::IsNull | Op::Exists => {
            let mut any = false;
            path.visit(entity, &mut |value| {
                any |= !value.is_null();
                !any
            });
            let affirmed = matches!(wanted, "true" | "1" | "True" | "yes");
            let denied = matches!(wanted, "false" | "0" | "False" | "no");
            if op == Op::IsNull { affirmed && !any || denied && any } else { affirmed && any || denied && !any }
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
            let held = number.to_f64();
            match op {
                Op::Equal | Op::EqualFold => {
                    number.as_str() == wanted || wanted.parse::<f64>().is_ok_and(|wanted| wanted == held)
                }
                Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => {
                    wanted.parse::<f64>().is_ok_and(|wanted| ordered(op, held.partial_cmp(&wanted)))
                }
                _ => false,
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
        Op::Like => like(held, wanted),
        Op::LikeFold => like(&fold(held), &fold(wanted)),
        // Clocks and dates order as their text does while both are spelled alike.
        Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual => ordered(op, Some(held.cmp(wanted))),
        Op::IsNull | Op::Exists => false,
    }
}

/// SQL LIKE: `%` any text, `_` one character.
fn like(text: &str, pattern: &str) -> bool {
    let (text, pattern): (Vec<char>, Vec<char>) = (text.chars().collect(), pattern.chars().collect());
    let (mut at, mut in_pattern) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < text.len() {
        if in_pattern < pattern.len()
            && (pattern[in_pattern] == '_' || pattern[in_pattern] == text[at])
            && pattern[in_pattern] != '%'
        {
            at += 1;
            in_pattern += 1;
        } else if in_pattern < pattern.len() && pattern[in_pattern] == '%' {
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
    pattern[in_pattern..].iter().all(|character| *character == '%')
}
