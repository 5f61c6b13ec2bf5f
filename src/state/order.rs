//! Orders of a list: by members, with directions, nulls, case and ties as the recordings showed them.

use super::path::MemberPath;
use crate::json::Value;
use std::cmp::Ordering;

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
    let descending = keys.last().is_some_and(|key| key.descending);
    let reverse = style.tie == Tie::Reverse || style.tie == Tie::ReverseDescending && descending;
    if reverse {
        items.reverse();
    }
    items.sort_by(|a, b| compare_keys(fields(a), fields(b), keys, style));
}

/// Compares two entities by keys.
pub fn compare_keys(a: &Value, b: &Value, keys: &[OrderKey], style: OrderStyle) -> Ordering {
    for key in keys {
        let ordering = compare(key.path.first(a), key.path.first(b), key.descending, style);
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}

fn compare(a: Option<&Value>, b: Option<&Value>, descending: bool, style: OrderStyle) -> Ordering {
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
        (Value::Number(a), Value::Number(b)) => a.to_f64().partial_cmp(&b.to_f64()).unwrap_or(Ordering::Equal),
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::String(a), Value::String(b)) => match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) if style.digits && is_digits(a) && is_digits(b) => {
                let (a, b) = (a.trim_start_matches('0'), b.trim_start_matches('0'));
                (a.len(), a).cmp(&(b.len(), b))
            }
            (Some(a), Some(b)) if style.fold => a.to_lowercase().cmp(&b.to_lowercase()),
            _ => a.as_bytes().cmp(b.as_bytes()),
        },
        (a, b) => a.type_name().cmp(b.type_name()),
    }
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// One demanded order: member word and direction, as a sort value spells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// The word that names the member.
    pub word: String,
    /// The direction, when the value says it.
    pub descending: Option<bool>,
}

/// Reads a sort value: `name`, `-name`, `name:desc`, `name desc`, `NAME_DESC`, several separated by commas.
pub fn read_sort(text: &str) -> Option<Vec<Wanted>> {
    let mut wanted = Vec::new();
    for part in text.split(',') {
        let part = part.trim();
        let (word, descending) = if let Some(rest) = part.strip_prefix('-') {
            (rest, Some(true))
        } else if let Some(rest) = part.strip_prefix('+') {
            (rest, Some(false))
        } else {
            match part.rfind([':', ' ', '_']) {
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

/// Whether a word is a direction: `Some(true)` when it descends.
pub fn direction_word(word: &str) -> Option<bool> {
    match word.to_ascii_lowercase().as_str() {
        "asc" | "ascending" => Some(false),
        "desc" | "descending" => Some(true),
        _ => None,
    }
}
