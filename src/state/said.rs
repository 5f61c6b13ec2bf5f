//! What envelopes say in numbers: members around a list, and numbers in the queries of links there. A parameter whose value
//! an envelope repeats is known by that, and so is the value that holds without it.

use super::infer::{Inference, ListCall};
use super::line::Line;
use super::naming::normal;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Numbers around a list, by the place that says them (`/meta/limit`, `/next?limit`). `list` is where the list is.
pub fn said_around(body: &Value, list: &[Box<str>]) -> BTreeMap<String, u64> {
    let mut said = BTreeMap::new();
    collect(body, String::new(), &mut Vec::new(), list, &mut said);
    said
}

fn collect(value: &Value, at: String, place: &mut Vec<Box<str>>, list: &[Box<str>], said: &mut BTreeMap<String, u64>) {
    if place.as_slice() == list {
        return;
    }
    match value.plain() {
        Value::Object(object) => {
            for (name, inner) in object {
                let Some(name) = name.as_str() else { continue };
                place.push(name.into());
                collect(inner, format!("{at}/{name}"), place, list, said);
                place.pop();
            }
        }
        Value::Number(number) => {
            if let Ok(number) = number.as_str().parse() {
                said.insert(at, number);
            }
        }
        Value::String(text) => {
            let text = text.as_str().unwrap_or_default();
            if let Ok(number) = text.parse() {
                said.insert(at, number);
            } else if let Some((_, query)) = text.split_once('?') {
                for (name, value) in form_urlencoded::parse(query.as_bytes()) {
                    if let Ok(number) = value.parse() {
                        said.insert(format!("{at}?{name}"), number);
                    }
                }
            }
        }
        _ => {}
    }
}

/// The last name of a place.
fn last(place: &str) -> &str {
    place.rsplit(['/', '?']).next().unwrap_or(place)
}

impl Inference<'_> {
    /// The parameter whose value envelopes repeat as the size of a page, and the size that they say without it.
    pub(super) fn size_said(&self) -> Option<(String, u64)> {
        let calls: Vec<&(Line, &ListCall)> = self.calls.iter().collect();
        let places: BTreeSet<&String> = calls.iter().flat_map(|(_, call)| call.said.keys()).collect();
        let keys: BTreeSet<&str> =
            calls.iter().flat_map(|(line, _)| line.params.iter()).map(|param| param.key.as_str()).collect();
        let named = |text: &str| {
            let name = normal(text);
            ["limit", "size", "perpage", "take", "max", "top", "rows"].iter().any(|word| name.contains(word))
        };
        for key in keys.iter().filter(|key| named(key)) {
            // A link repeats a parameter under its own name.
            let about = |place: &str| if place.contains('?') { last(place) == *key } else { named(last(place)) };
            for place in places.iter().filter(|place| about(place)) {
                let mut echoed = 0;
                let mut without: Option<u64> = None;
                let holds = calls.iter().all(|(line, call)| match (line.get(key), call.said.get(*place)) {
                    (_, None) => true,
                    (Some(param), Some(said)) => {
                        echoed += 1;
                        param.text.parse() == Ok(*said) && call.listed.len() as u64 <= *said
                    }
                    (None, Some(said)) => {
                        call.listed.len() as u64 <= *said && *without.get_or_insert(*said) == *said && *said > 0
                    }
                });
                if let Some(size) = without.filter(|_| holds && echoed > 0) {
                    return Some(((*key).to_owned(), size));
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"meta":{"limit":5,"t":"7"},"items":[{"n":1}]}"#, &["/meta/limit 5", "/meta/t 7"])]
    #[case(r#"{"next":"http://h/x?limit=3&q=a&offset=6","items":[]}"#, &["/next?limit 3", "/next?offset 6"])]
    #[case(r#"{"count":-1,"f":1.5,"items":[]}"#, &[])]
    fn numbers_around(#[case] text: &str, #[case] expected: &[&str]) {
        let said = said_around(&crate::json::parse(text.as_bytes()).unwrap(), &["items".into()]);
        assert_eq!(said.iter().map(|(at, n)| format!("{at} {n}")).collect::<Vec<_>>(), expected);
    }
}
