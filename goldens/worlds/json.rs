//! The worlds' own JSON: members keep the order they were set in, numbers keep their text. It is kept apart from the
//! product's, so that a fault in one does not hide in the other.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::cmp::Ordering;
use std::fmt;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number as its text.
    Num(String),
    /// A string.
    Str(String),
    /// An array.
    Arr(Vec<Json>),
    /// An object; names do not repeat.
    Obj(Vec<(String, Json)>),
}

/// An object from `name => value` pairs.
macro_rules! obj {
    ($($name:expr => $value:expr),* $(,)?) => {
        $crate::worlds::json::Json::Obj(vec![$(($name.to_string(), $crate::worlds::json::Json::from($value))),*])
    };
}
pub(crate) use obj;

impl Json {
    /// The member, when this is an object that has it.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Obj(members) => members.iter().find(|(held, _)| held == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// The member to change, when this is an object that has it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Json> {
        match self {
            Json::Obj(members) => members.iter_mut().find(|(held, _)| held == name).map(|(_, value)| value),
            _ => None,
        }
    }

    /// Sets a member in place, or adds it at the end.
    pub fn set(&mut self, name: &str, value: impl Into<Json>) {
        if let Json::Obj(members) = self {
            match members.iter_mut().find(|(held, _)| held == name) {
                Some((_, held)) => *held = value.into(),
                None => members.push((name.to_string(), value.into())),
            }
        }
    }

    /// Removes a member.
    pub fn take(&mut self, name: &str) -> Option<Json> {
        match self {
            Json::Obj(members) => {
                let at = members.iter().position(|(held, _)| held == name)?;
                Some(members.remove(at).1)
            }
            _ => None,
        }
    }

    /// The members of an object; none for anything else.
    pub fn members(&self) -> &[(String, Json)] {
        match self {
            Json::Obj(members) => members,
            _ => &[],
        }
    }

    /// The elements of an array; none for anything else.
    pub fn elements(&self) -> &[Json] {
        match self {
            Json::Arr(elements) => elements,
            _ => &[],
        }
    }

    /// The text of a scalar as a path or a query would spell it; empty for anything else.
    pub fn text(&self) -> String {
        match self {
            Json::Null => "null".into(),
            Json::Bool(value) => value.to_string(),
            Json::Num(text) | Json::Str(text) => text.clone(),
            _ => String::new(),
        }
    }

    /// The number, when it is one.
    pub fn number(&self) -> Option<f64> {
        match self {
            Json::Num(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// The order of values in lists: numbers by value, texts by code point, null apart (the caller decides its place).
    pub fn order(&self, other: &Json) -> Ordering {
        match (self.number(), other.number()) {
            (Some(left), Some(right)) => left.partial_cmp(&right).unwrap_or(Ordering::Equal),
            _ => self.text().cmp(&other.text()),
        }
    }

    /// Compact text.
    pub fn write(&self) -> String {
        let mut out = String::new();
        self.write_into(&mut out);
        out
    }

    fn write_into(&self, out: &mut String) {
        match self {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Num(text) => out.push_str(text),
            Json::Str(text) => write_string(text, out),
            Json::Arr(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    element.write_into(out);
                }
                out.push(']');
            }
            Json::Obj(members) => {
                out.push('{');
                for (at, (name, value)) in members.iter().enumerate() {
                    if at > 0 {
                        out.push(',');
                    }
                    write_string(name, out);
                    out.push(':');
                    value.write_into(out);
                }
                out.push('}');
            }
        }
    }

    /// Reads JSON text.
    pub fn parse(text: &str) -> Option<Json> {
        serde_json::from_str(text).ok()
    }
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            low if (low as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", low as u32)),
            other => out.push(other),
        }
    }
    out.push('"');
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Json::Str(value.to_string())
    }
}
impl From<String> for Json {
    fn from(value: String) -> Self {
        Json::Str(value)
    }
}
impl From<i64> for Json {
    fn from(value: i64) -> Self {
        Json::Num(value.to_string())
    }
}
impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Json::Num(value.to_string())
    }
}
impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Json::Bool(value)
    }
}
impl From<Vec<Json>> for Json {
    fn from(value: Vec<Json>) -> Self {
        Json::Arr(value)
    }
}
impl From<Option<Json>> for Json {
    fn from(value: Option<Json>) -> Self {
        value.unwrap_or(Json::Null)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(JsonVisitor)
    }
}

struct JsonVisitor;

impl<'de> Visitor<'de> for JsonVisitor {
    type Value = Json;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("JSON")
    }
    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }
    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Bool(value))
    }
    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Num(value.to_string()))
    }
    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Num(value.to_string()))
    }
    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Num(format!("{value:?}")))
    }
    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Str(value.to_string()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut elements = Vec::new();
        while let Some(element) = seq.next_element()? {
            elements.push(element);
        }
        Ok(Json::Arr(elements))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Json>()? {
            members.push((name, value));
        }
        Ok(Json::Obj(members))
    }
}

#[cfg(test)]
mod tests {
    use super::Json;

    #[test]
    fn what_was_written_is_read_back() {
        let value = obj! {
            "text" => "a \"b\"\n\u{1}é", "n" => Json::Num("10.0".into()), "list" => Json::Arr(vec![Json::Null, true.into()]),
        };
        assert_eq!(Json::parse(&value.write()), Some(value));
    }
}
