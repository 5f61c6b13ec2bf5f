//! A live request as the environment must be asked: live identifiers in its path, query and body replaced by the
//! environment's.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::collection::Place;
use super::fields::{is_id_list_field, is_identifier_field, is_own_id_field, is_paging_parameter};
use super::scalar::{Id, is_distinctive};
use super::table::IdTable;
use crate::compare::encoded::decode;
use crate::compare::limits::MAX_WALK_DEPTH;
use crate::json::{Object, Value};

/// What is written as it is in a path segment or a query value.
const KEPT: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
/// A query value keeps the commas of a list too.
const KEPT_IN_QUERY: AsciiSet = KEPT.remove(b',');

/// The request for the environment.
#[derive(Clone, Debug)]
pub(crate) struct Translated {
    /// Raw path arguments in template order; those that held no known identifier are as the live request wrote them.
    pub(crate) path: Vec<String>,
    /// The same, decoded.
    pub(crate) parameters: Vec<String>,
    /// Decoded query pairs in request order.
    pub(crate) query: Vec<(String, String)>,
    /// The raw query in the live spelling, apart from translated values.
    pub(crate) raw_query: Option<String>,
    /// The body.
    pub(crate) body: Option<Value>,
    /// Live identifiers of the request and what they were translated to, without repeats.
    pub(crate) replaced: Vec<(String, String)>,
}

/// Translates a request. `segments` are its raw path arguments, `raw_query` its query as recorded, `body` its parsed body.
pub(crate) fn translate(
    ids: &IdTable,
    place: &Place,
    segments: &[&str],
    raw_query: Option<&str>,
    body: Option<&Value>,
) -> Translated {
    let mut replaced = BTreeMap::new();
    let mut path = Vec::with_capacity(segments.len());
    let mut parameters = Vec::with_capacity(segments.len());
    for (raw, (collection, live)) in segments.iter().zip(&place.parameters) {
        match ids.translate_in(collection, live).filter(|found| found != live) {
            Some(found) => {
                replaced.insert(live.clone(), found.to_owned());
                path.push(utf8_percent_encode(found, &KEPT).to_string());
                parameters.push(found.to_owned());
            }
            None => {
                path.push((*raw).to_owned());
                parameters.push(live.clone());
            }
        }
    }
    let (query, raw_query) = translate_query(ids, raw_query, &mut replaced);
    let body = body.map(|body| {
        let mut translator = BodyTranslator { ids, replaced: &mut replaced };
        translator.value(body, None, 0).unwrap_or_else(|| body.clone())
    });
    Translated { path, parameters, query, raw_query, body, replaced: replaced.into_iter().collect() }
}

fn translate_query(
    ids: &IdTable,
    raw: Option<&str>,
    replaced: &mut BTreeMap<String, String>,
) -> (Vec<(String, String)>, Option<String>) {
    let Some(raw) = raw else { return (Vec::new(), None) };
    let mut pairs = Vec::new();
    let mut spelled = Vec::new();
    for part in raw.split('&') {
        let Some((name, value)) = form_urlencoded::parse(part.as_bytes()).next() else {
            spelled.push(part.to_owned());
            continue;
        };
        let (name, value) = (name.into_owned(), value.into_owned());
        match translate_query_value(ids, &name, &value, replaced) {
            Some(found) => {
                let raw_name = part.split('=').next().unwrap_or_default();
                spelled.push(format!("{raw_name}={}", utf8_percent_encode(&found, &KEPT_IN_QUERY)));
                pairs.push((name, found));
            }
            None => {
                spelled.push(part.to_owned());
                pairs.push((name, value));
            }
        }
    }
    (pairs, Some(spelled.join("&")))
}

/// The translated value of a query parameter: a whole identifier, or each identifier of a list joined by commas. A value
/// that pages a list is a count, whatever it equals. An identifier field's collection is asked before everything else.
fn translate_query_value(
    ids: &IdTable,
    name: &str,
    value: &str,
    replaced: &mut BTreeMap<String, String>,
) -> Option<String> {
    if is_paging_parameter(name) {
        return None;
    }
    let mut changed = false;
    let translated: Vec<&str> = value
        .split(',')
        .map(|live| match find(ids, name, live).filter(|found| *found != live) {
            Some(found) => {
                replaced.insert(live.to_owned(), found.to_owned());
                changed = true;
                found
            }
            None => live,
        })
        .collect();
    if changed {
        return Some(translated.join(","));
    }
    translate_encoded(ids, name, value, replaced).or_else(|| translate_tokens(ids, name, value, replaced))
}

/// The translated value of a cursor: an identifier, or one token among others, in base64.
fn translate_encoded(
    ids: &IdTable,
    name: &str,
    value: &str,
    replaced: &mut BTreeMap<String, String>,
) -> Option<String> {
    let (plain, spelling) = decode(value)?;
    Some(spelling.encode(&translate_tokens(ids, name, &plain, replaced)?))
}

/// The translated tokens of a text, such as an expression (`project='qa1b2c3d4e'`); `None` when nothing in it changes.
fn translate_tokens(ids: &IdTable, name: &str, plain: &str, replaced: &mut BTreeMap<String, String>) -> Option<String> {
    let mut changed = false;
    let mut out = String::with_capacity(plain.len());
    for token in plain.split_inclusive(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_')) {
        let live = token.trim_end_matches(|c: char| !(c.is_alphanumeric() || c == '-' || c == '_'));
        match find(ids, name, live).filter(|found| *found != live && is_distinctive(live)) {
            Some(found) => {
                replaced.insert(live.to_owned(), found.to_owned());
                changed = true;
                out.push_str(found);
                out.push_str(&token[live.len()..]);
            }
            None => out.push_str(token),
        }
    }
    changed.then_some(out)
}

/// The environment's identifier for a live one under a name: by the collection that the name means (`folder_id`,
/// `folder` → `folders`), then by what is known everywhere.
fn find<'t>(ids: &'t IdTable, name: &str, live: &str) -> Option<&'t str> {
    collection_names(name).iter().find_map(|name| ids.translate_named(name, live)).or_else(|| ids.translate(live))
}

/// What the collection of a reference called `name` may be called.
fn collection_names(name: &str) -> Vec<String> {
    let stem = ["_id", "Id", "ID", "_uuid", "Uuid"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    if stem.is_empty() || is_own_id_field(stem) {
        return Vec::new();
    }
    let stem = stem.to_ascii_lowercase();
    let mut names = vec![format!("{stem}s"), stem.clone(), format!("{stem}es")];
    if let Some(short) = stem.strip_suffix('y') {
        names.push(format!("{short}ies"));
    }
    names
}

struct BodyTranslator<'a> {
    ids: &'a IdTable,
    replaced: &'a mut BTreeMap<String, String>,
}

impl BodyTranslator<'_> {
    /// The translated value, or `None` when nothing in it changes.
    fn value(&mut self, value: &Value, field: Option<&str>, depth: usize) -> Option<Value> {
        if depth > MAX_WALK_DEPTH {
            return None;
        }
        match value.plain() {
            Value::Object(object) => {
                let mut changed: Option<Object> = None;
                for (name, member) in object {
                    let Some(name) = name.as_str() else { continue };
                    if let Some(new) = self.value(member, Some(name), depth + 1) {
                        changed.get_or_insert_with(|| object.clone()).set(name, new);
                    }
                }
                changed.map(Value::Object)
            }
            Value::Array(items) => {
                let mut changed: Option<Vec<Value>> = None;
                for (index, item) in items.iter().enumerate() {
                    if let Some(new) = self.value(item, field, depth + 1) {
                        changed.get_or_insert_with(|| items.clone())[index] = new;
                    }
                }
                changed.map(Value::Array)
            }
            _ => self.scalar(value, field),
        }
    }

    /// Identifier fields and lists translate any identifier; elsewhere only a text that can be told from words does, and
    /// a number never.
    fn scalar(&mut self, value: &Value, field: Option<&str>) -> Option<Value> {
        // A clock that an answer showed is sent back as the environment showed it: it says which state the caller saw.
        if let Some(clock) = field.zip(value.as_str()).and_then(|(field, live)| self.ids.clock(field, live)) {
            return (value.as_str() != Some(clock)).then(|| Value::from(clock));
        }
        let id = Id::of(value)?;
        let named = field.is_some_and(|field| is_identifier_field(field) || is_id_list_field(field));
        let found = match &id {
            Id::Number(live) if named => find(self.ids, field.unwrap_or_default(), live),
            Id::Text(live) if named || is_distinctive(live) => find(self.ids, field.unwrap_or_default(), live),
            _ => None,
        }?;
        if found == id.text() {
            return None;
        }
        self.replaced.insert(id.text().to_owned(), found.to_owned());
        Some(match id {
            Id::Number(_) => Id::Number(found.into()).to_value(),
            Id::Text(_) => Value::from(found),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::{Pair, Standing};
    use super::*;
    use crate::json::parse;
    use rstest::rstest;

    fn table() -> IdTable {
        let mut table = IdTable::default();
        let pair = |live, environment| Pair { live, environment, standing: Standing::Identity, state_held: false };
        table.learn_identity("/api/folders", pair("5", "7"));
        table.learn_identity("/api/users", pair("5", "9"));
        table.learn_identity("/api/flows", pair("live-0001", "env-0002"));
        table
    }

    fn request(query: Option<&str>, body: Option<&str>) -> Translated {
        let body = body.map(|text| parse(text.as_bytes()).unwrap());
        let place = Place { collection: "/api/x".to_owned(), parameters: Vec::new(), is_item: false };
        translate(&table(), &place, &[], query, body.as_ref())
    }

    #[rstest]
    #[case::by_the_name("folder=5", "folder=7")]
    #[case::by_the_id_name("userId=5&a=%20b", "userId=9&a=%20b")]
    #[case::anywhere("q=live-0001", "q=env-0002")]
    #[case::a_list("flow=live-0001,x", "flow=env-0002,x")]
    #[case::in_base64("after=bGl2ZS0wMDAx", "after=ZW52LTAwMDI")]
    #[case::a_token_in_base64("after=eyJpZCI6ImxpdmUtMDAwMSIsIm4iOjV9", "after=eyJpZCI6ImVudi0wMDAyIiwibiI6NX0")]
    #[case::a_token_in_an_expression("q=flow%3D'live-0001'", "q=flow%3D%27env-0002%27")]
    #[case::base64_of_something_else("after=b3JkXzEyMzQ", "after=b3JkXzEyMzQ")]
    #[case::paging("limit=5&page=5&offset=5&page[size]=5", "limit=5&page=5&offset=5&page[size]=5")]
    #[case::spelling_is_kept("a+b=c%2fd&&e", "a+b=c%2fd&&e")]
    fn queries(#[case] live: &str, #[case] expected: &str) {
        assert_eq!(request(Some(live), None).raw_query.as_deref(), Some(expected));
    }

    #[test]
    fn query_pairs_are_decoded_in_order() {
        let request = request(Some("b=1&a=x+y&b=%32"), None);
        let pairs: Vec<_> = request.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(pairs, [("b", "1"), ("a", "x y"), ("b", "2")]);
    }

    #[rstest]
    #[case::identifier_field(r#"{"folder_id":5}"#, r#"{"folder_id":7}"#)]
    #[case::nested(r#"{"a":[{"userId":"5"}]}"#, r#"{"a":[{"userId":"9"}]}"#)]
    #[case::text_anywhere(r#"{"flow":"live-0001"}"#, r#"{"flow":"env-0002"}"#)]
    #[case::a_number_elsewhere_is_a_number(r#"{"count":5,"folder":5}"#, r#"{"count":5,"folder":5}"#)]
    #[case::inside_a_text(r#"{"note":"see live-0001"}"#, r#"{"note":"see live-0001"}"#)]
    fn bodies(#[case] live: &str, #[case] expected: &str) {
        assert_eq!(request(None, Some(live)).body.unwrap().to_compact(), expected);
    }

    #[test]
    fn a_clock_that_an_answer_showed_is_sent_back_as_the_environment_showed_it() {
        let mut table = IdTable::default();
        for (live, environment) in [("A1", "B1"), ("A2", "B2"), ("A3", "B3"), ("A3", "B4")] {
            table.learn_clock("updated_at", live, environment);
        }
        let body = parse(br#"{"x":{"updated_at":"A1"},"updated_at":"A3","seen_at":"A2"}"#).unwrap();
        let place = Place { collection: "/api/x".to_owned(), parameters: Vec::new(), is_item: false };
        let translated = translate(&table, &place, &[], None, Some(&body));
        let expected = r#"{"x":{"updated_at":"B1"},"updated_at":"A3","seen_at":"A2"}"#;
        assert_eq!(translated.body.unwrap().to_compact(), expected);
    }

    #[test]
    fn a_path_parameter_is_translated_by_its_collection() {
        let place = Place {
            collection: "/api/users".to_owned(),
            parameters: vec![("/api/folders".to_owned(), "5".to_owned()), ("/api/users".to_owned(), "5".to_owned())],
            is_item: true,
        };
        let translated = translate(&table(), &place, &["5", "%35"], None, None);
        assert_eq!(translated.path, ["7", "9"]);
    }

    #[test]
    fn an_unknown_segment_keeps_its_spelling() {
        let place = Place {
            collection: "/api/folders".to_owned(),
            parameters: vec![("/api/folders".to_owned(), "/x".to_owned())],
            is_item: true,
        };
        assert_eq!(translate(&table(), &place, &["%2fx"], None, None).path, ["%2fx"]);
    }
}
