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
    /// Whether a name occurs twice, in the query or as two spellings in the body: such a line is answered from
    /// recordings only.
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
                repeated |= !flatten(&format!("body/{}", name.to_display()), value, &mut by_key);
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

    /// The same line, however its names are ordered.
    #[must_use]
    pub fn unordered(&self) -> Self {
        Self { in_order: Vec::new(), ..self.clone() }
    }

    /// Whether the line has no parameter.
    pub fn is_bare(&self) -> bool {
        self.params.is_empty()
    }
}

/// The first of some sorted entries that is about a path and a line, whatever the line's order of names.
pub fn find_line<'a, T>(
    sorted: &'a [T],
    about: impl Fn(&T) -> (&String, &Line),
    path: &str,
    line: &Line,
) -> Option<&'a T> {
    let wanted = (path, &line.params, line.repeated);
    let key = |entry: &T| {
        let (path, line) = about(entry);
        (path.as_str(), &line.params, line.repeated).cmp(&wanted)
    };
    let first = sorted.partition_point(|entry| key(entry).is_lt());
    sorted.get(first).filter(|entry| key(entry).is_eq())
}

/// Puts the leaves of a body member into the parameters; `false` when two of them are spelled alike.
fn flatten(key: &str, value: &Value, into: &mut BTreeMap<String, Param>) -> bool {
    if let Some(text) = super::condition::sort_text(key, value) {
        return into.insert(key.to_owned(), Param { key: key.to_owned(), text, list: None }).is_none();
    }
    let (text, list) = match value.plain() {
        Value::Object(object) if !object.is_empty() => {
            let mut apart = true;
            for (name, value) in object {
                apart &= flatten(&format!("{key}/{}", name.to_display()), value, into);
            }
            return apart;
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(|item| item.as_object().is_some()) => {
            return flatten_conditions(key, value, items, into);
        }
        Value::Array(items) if items.iter().all(|item| scalar_text(item).is_some()) => {
            let list: Vec<String> = items.iter().filter_map(scalar_text).collect();
            (list.join(","), Some(list))
        }
        other => (scalar_text(other).unwrap_or_else(|| other.to_compact()), None),
    };
    into.insert(key.to_owned(), Param { key: key.to_owned(), text, list }).is_none()
}

/// A list of conditions as a parameter for each; other lists of objects stay whole.
fn flatten_conditions(key: &str, value: &Value, items: &[Value], into: &mut BTreeMap<String, Param>) -> bool {
    let conditions: Option<Vec<Param>> =
        items.iter().map(|item| super::condition::condition(key, item.as_object()?)).collect();
    match conditions {
        None if items.len() == 1 => flatten(key, &items[0], into),
        Some(params) => {
            let mut apart = true;
            for param in params {
                apart &= into.insert(param.key.clone(), param).is_none();
            }
            apart
        }
        None => {
            let param = Param { key: key.to_owned(), text: value.to_compact(), list: None };
            into.insert(key.to_owned(), param).is_none()
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    fn shown(line: &Line) -> Vec<(String, String)> {
        line.params.iter().map(|param| (param.key.clone(), param.text.clone())).collect()
    }

    #[rstest]
    #[case::scalars(r#"{"b":1,"a":"x","c":true,"d":null}"#, &[("body/a", "x"), ("body/b", "1"), ("body/c", "true"), ("body/d", "null")])]
    #[case::nested(r#"{"flows":{"name":{"any_":["x","y"]}}}"#, &[("body/flows/name/any_", "x,y")])]
    #[case::numbers_keep_their_literal(r#"{"n":1.50e1}"#, &[("body/n", "1.50e1")])]
    #[case::objects_in_arrays_stay_whole(r#"{"o":[{"a":1},{"a":2}]}"#, &[("body/o", r#"[{"a":1},{"a":2}]"#)])]
    #[case::one_object_is_no_list(r#"{"o":[{"a":1}]}"#, &[("body/o/a", "1")])]
    #[case::conditions(r#"{"o":[{"field":"a","op":"gt","value":1},{"field":"b","op":"eq","value":"x"}]}"#, &[("body/o{a}[gt]", "1"), ("body/o{b}[eq]", "x")])]
    #[case::orders(r#"{"sort":[{"a":"desc"},{"b":"asc"}]}"#, &[("body/sort", "a:desc,b:asc")])]
    #[case::empty(r#"{"o":{},"l":[]}"#, &[("body/l", ""), ("body/o", "{}")])]
    #[case::nothing("{}", &[])]
    fn bodies_become_their_leaves(#[case] body: &str, #[case] expected: &[(&str, &str)]) {
        let line = Line::new(&[], Some(&value(body))).unwrap();
        assert_eq!(shown(&line), pairs(expected));
        assert!(!line.repeated);
    }

    #[rstest]
    #[case("[1]")]
    #[case("1")]
    #[case("null")]
    fn a_body_that_is_no_object_has_no_line(#[case] body: &str) {
        assert_eq!(Line::new(&[], Some(&value(body))), None);
    }

    #[test]
    fn items_of_arrays_are_told_apart() {
        let one = Line::new(&[], Some(&value(r#"{"a":["x,y"]}"#))).unwrap();
        let two = Line::new(&[], Some(&value(r#"{"a":["x","y"]}"#))).unwrap();
        let text = Line::new(&[], Some(&value(r#"{"a":"x,y"}"#))).unwrap();
        assert!(one != two && one != text && two != text);
    }

    #[rstest]
    #[case::a_name_twice(&[("a", "1"), ("a", "2")], "{}")]
    #[case::the_same_value_twice(&[("a", "1"), ("a", "1")], "{}")]
    #[case::two_members_spelled_alike(&[], r#"{"a/b":1,"a":{"b":2}}"#)]
    #[case::a_query_name_that_spells_a_member(&[("body/a", "1")], r#"{"a":2}"#)]
    fn what_is_there_twice_is_repeated(#[case] query: &[(&str, &str)], #[case] body: &str) {
        assert!(Line::new(&pairs(query), Some(&value(body))).unwrap().repeated);
    }

    #[test]
    fn parameters_are_found_and_taken_out() {
        let line = Line::new(&pairs(&[("z", "1"), ("a", "2"), ("m", "3")]), None).unwrap();
        assert_eq!(line.get("m").map(|param| param.text.as_str()), Some("3"));
        assert_eq!(line.get("b"), None);
        let less = line.without("a");
        assert_eq!(shown(&less), pairs(&[("m", "3"), ("z", "1")]));
        assert_eq!(less.in_order, pairs(&[("z", "1"), ("m", "3")]));
        assert!(less.without("m").without("z").is_bare());
        assert!(!less.is_bare());
    }

    proptest! {
        #[test]
        fn two_spellings_of_one_line_are_equal(
            query in proptest::collection::btree_map("[a-z]{1,4}", "[a-z0-9]{0,4}", 0..8)
                .prop_map(|map| map.into_iter().collect::<Vec<_>>())
                .prop_flat_map(|pairs| (Just(pairs.clone()), Just(pairs).prop_shuffle())),
        ) {
            let (sorted, shuffled) = query;
            let one = Line::new(&sorted, None).unwrap();
            let other = Line::new(&shuffled, None).unwrap();
            prop_assert_eq!(&one.params, &other.params);
            prop_assert_eq!(one.repeated, other.repeated);
            prop_assert_eq!(other.in_order, shuffled);
        }
    }
}
