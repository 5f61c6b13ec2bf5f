//! A call's line as parameters: query occurrences and, for reads by POST, the leaves of the body, under one key each.
//! What a key means is not decided here: see `query.rs`.

use crate::json::Value;
use std::collections::BTreeMap;

/// One parameter of a line.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Param {
    /// The query name as captured (`filters[title][$eq]`), or the body member's path (`body/flows/name/any_`).
    pub key: String,
    /// The value's text; an array of scalars keeps its items in `list` and their joined text here.
    pub text: String,
    /// The items of an array value.
    pub list: Option<Vec<String>>,
}

/// A read's line: what its answer may depend on beside the path.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Line {
    /// Parameters sorted by key, so that two spellings of one line are equal.
    pub params: Vec<Param>,
    /// Whether a query name occurs twice: such a line is answered from recordings only.
    pub repeated: bool,
    /// Query pairs in the call's order, for links that repeat the line.
    pub in_order: Vec<(String, String)>,
}

impl Line {
    /// The line of a query and a body. `None` when the body is not an object (then recordings answer).
    pub fn new(query: &[(String, String)], body: Option<&Value>) -> Option<Self> {
        let mut by_key: BTreeMap<String, Param> = BTreeMap::new();
        let mut repeated = false;
        for (name, value) in query {
            let param = Param { key: name.clone(), text: value.clone(), list: None };
            repeated |= by_key.insert(name.clone(), param).is_some();
        }
        if let Some(body) = body {
            let object = body.as_object()?;
            for (name, value) in object {
                flatten(&format!("body/{}", name.to_display()), value, &mut by_key);
            }
        }
        Some(Self { params: by_key.into_values().collect(), repeated, in_order: query.to_vec() })
    }

    /// The parameter called `key`.
    pub fn get(&self, key: &str) -> Option<&Param> {
        self.params.binary_search_by(|param| param.key.as_str().cmp(key)).ok().map(|index| &self.params[index])
    }

    /// The same line without `key`.
    #[must_use]
    pub fn without(&self, key: &str) -> Self {
        let mut line = self.clone();
        line.params.retain(|param| param.key != key);
        line.in_order.retain(|(name, _)| name != key);
        line
    }

    /// Whether the line has no parameter.
    pub fn is_bare(&self) -> bool {
        self.params.is_empty()
    }
}

fn flatten(key: &str, value: &Value, into: &mut BTreeMap<String, Param>) {
    match value.plain() {
        Value::Object(object) if !object.is_empty() => {
            for (name, value) in object {
                flatten(&format!("{key}/{}", name.to_display()), value, into);
            }
        }
        Value::Array(items) if items.iter().all(|item| scalar_text(item).is_some()) => {
            let list: Vec<String> = items.iter().filter_map(scalar_text).collect();
            into.insert(key.to_owned(), Param { key: key.to_owned(), text: list.join(","), list: Some(list) });
        }
        other => {
            let text = scalar_text(other).unwrap_or_else(|| other.to_compact());
            into.insert(key.to_owned(), Param { key: key.to_owned(), text, list: None });
        }
    }
}

/// The text of a scalar as a query or a path spells it: strings as they are, numbers by their literal, booleans and
/// null by their word. `None` for arrays and objects.
pub fn scalar_text(value: &Value) -> Option<String> {
    match value.plain() {
        Value::Null => Some("null".to_owned()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(number) => Some(number.as_str().to_owned()),
        Value::String(text) => text.as_str().map(str::to_owned),
        _ => None,
    }
}
