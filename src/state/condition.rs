//! Conditions in JSON: how the members of a filter object, inner objects and lists of `{field, operator, value}` become
//! parameters of a line. Knows spellings only; what a parameter does is found elsewhere.

use super::line::{Param, scalar_text};
use super::order::direction_word;
use crate::json::{Object, Value};

/// Names that hold the member a condition is about.
const FIELDS: [&str; 11] =
    ["field", "column", "col", "member", "property", "attribute", "name", "key", "filter", "path", "fieldName"];
/// Names that hold its comparison.
const OPERATORS: [&str; 8] = ["operator", "op", "opr", "comparison", "condition", "matcher", "type", "predicate"];
/// Names that hold the demanded value.
const VALUES: [&str; 4] = ["value", "val", "values", "operand"];

/// Puts what a JSON filter member demands into parameters; `None` when it cannot be told.
pub fn json_params(key: &str, value: &Value, params: &mut Vec<Param>) -> Option<()> {
    if let Some(text) = sort_text(key, value) {
        params.push(Param { key: key.to_owned(), text, list: None });
        return Some(());
    }
    match value.plain() {
        Value::Object(object) if object.is_empty() => Some(()),
        Value::Object(object) => {
            if let Some(param) = condition(key, object) {
                params.push(param);
                return Some(());
            }
            object
                .iter()
                .try_for_each(|(name, inner)| json_params(&format!("{key}{{{}}}", name.as_str()?), inner, params))
        }
        Value::Array(items) => {
            if !items.is_empty() && items.iter().all(|item| item.as_object().is_some()) {
                for item in items {
                    let object = item.as_object()?;
                    match condition(key, object) {
                        Some(param) => params.push(param),
                        None if items.len() == 1 => {
                            object.iter().try_for_each(|(name, inner)| {
                                json_params(&format!("{key}{{{}}}", name.as_str()?), inner, params)
                            })?;
                        }
                        None => return None,
                    }
                }
                return Some(());
            }
            let list: Vec<String> = items.iter().map(scalar_text).collect::<Option<_>>()?;
            params.push(Param { key: key.to_owned(), text: list.join(","), list: Some(list) });
            Some(())
        }
        scalar => {
            params.push(Param { key: key.to_owned(), text: scalar_text(scalar)?, list: None });
            Some(())
        }
    }
}

/// One `{field, operator, value}` object as a parameter.
pub fn condition(key: &str, object: &Object) -> Option<Param> {
    let (field_name, field) = FIELDS.iter().find_map(|name| Some((*name, object.get(name)?)))?;
    let (value_name, value) = VALUES.iter().find_map(|name| Some((*name, object.get(name)?)))?;
    let operator = OPERATORS.iter().filter(|name| **name != field_name).find_map(|name| object.get(name)?.as_str());
    let known = |name: &str| {
        name == field_name || name == value_name || OPERATORS.contains(&name) || name == "id" || name == "conjunction"
    };
    if object.iter().any(|(name, _)| !name.as_str().is_some_and(known)) {
        return None;
    }
    let field = field.as_str()?;
    let key = match operator {
        Some(operator) => format!("{key}{{{field}}}[{operator}]"),
        None => format!("{key}{{{field}}}"),
    };
    match value.as_array() {
        Some(items) => {
            let list: Vec<String> = items.iter().map(scalar_text).collect::<Option<_>>()?;
            Some(Param { key, text: list.join(","), list: Some(list) })
        }
        None => Some(Param { key, text: scalar_text(value)?, list: None }),
    }
}

/// Names that hold the direction of one order.
const DIRECTIONS: [&str; 6] = ["direction", "order", "dir", "sort", "orderDirection", "sortOrder"];

/// Orders spelled in JSON as one text, `member:desc,other:asc`: lists of `{member: direction}`, of `{field, direction}`, an
/// object of directions, `["member", "DESC"]`. `None` for anything else, and where the key does not say that it orders.
pub fn sort_text(key: &str, value: &Value) -> Option<String> {
    let last = key.rsplit(['/', '{']).next().unwrap_or(key).to_ascii_lowercase();
    if !last.contains("sort") && !last.contains("order") {
        return None;
    }
    let parts: Vec<String> = match value.plain() {
        Value::Array(items) => match items.as_slice() {
            [] => return None,
            [member, direction]
                if member.as_str().is_some() && direction.as_str().and_then(direction_word).is_some() =>
            {
                vec![format!("{}:{}", member.as_str()?, spelled(direction)?)]
            }
            items if items.iter().all(|item| item.as_object().is_some()) => {
                items.iter().map(|item| sort_item(item.as_object()?)).collect::<Option<Vec<_>>>()?.concat()
            }
            _ => return None,
        },
        Value::Object(object) => sort_item(object)?,
        _ => return None,
    };
    (!parts.is_empty()).then(|| parts.join(","))
}

fn sort_item(object: &Object) -> Option<Vec<String>> {
    if let Some(field) = FIELDS.iter().find_map(|name| object.get(name)?.as_str()) {
        if let Some(direction) = DIRECTIONS.iter().find_map(|name| object.get(name)) {
            return Some(vec![format!("{field}:{}", spelled(direction)?)]);
        }
        if object.len() == 1 {
            return Some(vec![field.to_owned()]);
        }
        // `{column, desc: true}`, `{field, ascending: false}`.
        let descending = object.iter().find_map(|(name, value)| match value.plain() {
            Value::Bool(flag) => Some(direction_word(name.as_str()?)? == *flag),
            _ => None,
        })?;
        return Some(vec![format!("{field}:{}", if descending { "desc" } else { "asc" })]);
    }
    object
        .iter()
        .map(|(name, value)| {
            let direction = match value.as_object() {
                Some(inner) => DIRECTIONS.iter().find_map(|name| inner.get(name))?,
                None => value,
            };
            Some(format!("{}:{}", name.as_str()?, spelled(direction)?))
        })
        .collect()
}

/// A direction by word or by sign.
fn spelled(value: &Value) -> Option<&'static str> {
    let descending = match value.plain() {
        Value::String(text) => direction_word(text.as_str()?)?,
        Value::Number(number) if number.as_str() == "1" => false,
        Value::Number(number) if number.as_str() == "-1" => true,
        _ => return None,
    };
    Some(if descending { "desc" } else { "asc" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"status":{"$eq":"open"}}"#, &["q{status}{$eq} open"])]
    #[case(r#"{"a":[1,2]}"#, &["q{a} 1,2"])]
    #[case(r#"[{"field":"status","op":"eq","value":"open"}]"#, &["q{status}[eq] open"])]
    #[case(r#"{"items":[{"filter":"tasks:text","operator":"contains","type":"String","value":"x"}]}"#, &["q{items}{tasks:text}[contains] x"])]
    #[case(r#"[{"col":"n","opr":"gt","value":5},{"col":"m","opr":"in","value":["a"]}]"#, &["q{n}[gt] 5", "q{m}[in] a"])]
    #[case::an_object_in_a_list(r#"{"bool":{"must":[{"match":{"name":"x"}}]}}"#, &["q{bool}{must}{match}{name} x"])]
    fn conditions(#[case] text: &str, #[case] expected: &[&str]) {
        let mut params = Vec::new();
        json_params("q", &crate::json::parse(text.as_bytes()).unwrap(), &mut params).unwrap();
        let shown: Vec<String> = params.iter().map(|param| format!("{} {}", param.key, param.text)).collect();
        assert_eq!(shown, expected);
    }

    #[rstest]
    #[case("sort", r#"[{"pages":"desc"},{"name":{"order":"asc"}}]"#, Some("pages:desc,name:asc"))]
    #[case("sort", r#"{"pages":-1}"#, Some("pages:desc"))]
    #[case("body/order_by", r#"[{"field":"pages","direction":"DESC"}]"#, Some("pages:desc"))]
    #[case("body/sort", r#"[{"column":"pages","desc":true}]"#, Some("pages:desc"))]
    #[case("sort", r#"["pages","DESC"]"#, Some("pages:desc"))]
    #[case("sort", r#"["pages","name"]"#, None)]
    #[case("filter", r#"{"pages":-1}"#, None)]
    #[case("sort", r#"{"pages":5}"#, None)]
    fn orders(#[case] key: &str, #[case] text: &str, #[case] expected: Option<&str>) {
        assert_eq!(sort_text(key, &crate::json::parse(text.as_bytes()).unwrap()).as_deref(), expected);
    }

    #[rstest]
    #[case(r#"[{"a":1},{"b":2}]"#)]
    #[case(r#"[[1],[2]]"#)]
    fn what_cannot_be_told(#[case] text: &str) {
        assert!(json_params("q", &crate::json::parse(text.as_bytes()).unwrap(), &mut Vec::new()).is_none());
    }
}
