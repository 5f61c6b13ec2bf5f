//! Which arguments are accepted: by table, and by proof that what is checked is what the emitted schema says.

use super::fixture::*;
use crate::answer::{CatalogTool, check_arguments, input_schema};
use crate::json::{Value, parse};
use crate::manifest::{BodyShape, Tool};
use proptest::prelude::*;
use rstest::rstest;

fn shape(members: &[(&str, &[&'static str])]) -> BodyShape {
    let members = members.iter().map(|(name, types)| ((*name).to_owned(), types.to_vec()));
    BodyShape { members: members.collect(), ..BodyShape::default() }
}

fn the_tool() -> Tool {
    tool("POST", "/o/{a}/u/{numeric}", &["q", "_page"], Some(shape(&[("name", &["string"])])), 1)
}

fn served(tool: &Tool) -> CatalogTool {
    let engine = engine(tool.clone(), vec![record(&tool.method, "/o/1/u/2")]);
    engine.catalog.tools[0].clone()
}

#[rstest]
#[case::unknown(
    r#"{"p1":"1","p3":"2","Q":"x"}"#,
    r#"unknown argument "Q"; the_tool accepts "p1", "p3", "q", "_page", "body""#
)]
#[case::missing(
    r#"{"p1":"1"}"#,
    r#"missing argument "p3" (a string); the_tool accepts "p1", "p3", "q", "_page", "body""#
)]
#[case::number_for_a_segment(
    r#"{"p1":"1","p3":2}"#,
    r#"argument "p3" must be a string, not a number; the_tool accepts "p1", "p3", "q", "_page", "body""#
)]
#[case::null(r#"{"p1":"1","p3":"2","q":null}"#, r#"argument "q" must be a string or an array of strings, not null; leave it out to omit it; the_tool accepts "p1", "p3", "q", "_page", "body""#)]
#[case::array_of_numbers(r#"{"p1":"1","p3":"2","q":[1]}"#, r#"argument "q" must be a string or an array of strings, not an array; the_tool accepts "p1", "p3", "q", "_page", "body""#)]
#[case::body_of_another_kind(
    r#"{"p1":"1","p3":"2","body":[]}"#,
    r#"argument "body" must be an object, not an array; the_tool accepts "p1", "p3", "q", "_page", "body""#
)]
#[case::several(
    r#"{"p1":"1","x\n":1}"#,
    r#"missing argument "p3" (a string), unknown argument "x\n"; the_tool accepts "p1", "p3", "q", "_page", "body""#
)]
#[case::not_an_object("[]", "arguments of the_tool must be an object, not an array")]
fn refusals_name_the_argument_and_what_is_accepted(#[case] arguments: &str, #[case] message: &str) {
    let (tool, arguments) = (the_tool(), parse(arguments.as_bytes()).unwrap());
    let error = check_arguments(&served(&tool), &tool, Some(&arguments)).unwrap_err();
    assert_eq!(error.message, message);
}

#[test]
fn arguments_become_a_call_under_their_captured_names() {
    let mut tool = the_tool();
    tool.query[1].argument = "query_1".into();
    let arguments = parse(br#"{"query_1":["2","3"],"p3":"7","body":{"any":[1]},"p1":"x y","q":"z"}"#).unwrap();
    let call = check_arguments(&served(&tool), &tool, Some(&arguments)).unwrap();
    assert_eq!(call.path, ["x y", "7"]);
    let pairs: Vec<(&str, &str)> = call.query.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(pairs, [("q", "z"), ("_page", "2"), ("_page", "3")]);
    assert_eq!((call.raw_query, call.body), (None, Some(parse(br#"{"any":[1]}"#).unwrap())));
}

#[test]
fn a_tool_without_arguments_takes_none() {
    let tool = tool("GET", "/s", &[], None, 1);
    let served = served(&tool);
    assert!(check_arguments(&served, &tool, None).is_ok());
    let arguments = parse(br#"{"x":"1"}"#).unwrap();
    let error = check_arguments(&served, &tool, Some(&arguments)).unwrap_err();
    assert_eq!(error.message, r#"unknown argument "x"; the_tool accepts no arguments"#);
}

/// Shapes of every combination of what bodies were recorded.
fn shapes() -> impl Strategy<Value = Option<BodyShape>> {
    let member = ("[a-z_]{1,4}", prop::sample::select(vec!["string", "number", "null"]));
    let members = prop::collection::btree_map(member.0, member.1.prop_map(|word| vec![word]), 0..3);
    let shape = (members, any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(members, arrays, texts, forms)| {
        BodyShape { members: members.into_iter().collect(), arrays, texts, forms }
    });
    prop::option::of(shape)
}

fn values() -> impl Strategy<Value = serde_json::Value> {
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "3",
        "\"x\"",
        "\"\"",
        "[]",
        "[\"a\",\"b\"]",
        "[\"a\",1]",
        "{}",
        "{\"a\":null}",
    ]);
    scalar.prop_map(|text| serde_json::from_str(text).unwrap())
}

proptest! {
    #[test]
    fn what_is_accepted_is_what_the_schema_says(
        parameters in 0usize..3, query in prop::collection::btree_set("[a-z]{1,3}", 0..3), shape in shapes(),
        arguments in prop::collection::btree_map("(p1|p3|body|[a-z]{1,3})", values(), 0..5),
        own_names in prop::collection::vec(any::<prop::sample::Index>(), 0..5)
    ) {
        let spelling = ["/o/u", "/o/{a}", "/o/{a}/u/{b}"][parameters];
        let names: Vec<&str> = query.iter().map(String::as_str).collect();
        let tool = tool("POST", spelling, &names, shape, 1);
        let schema: serde_json::Value = serde_json::from_str(&input_schema(&tool).to_compact()).unwrap();
        // Half of the arguments get names that the tool has, or next to nothing would ever be accepted.
        let known: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        let mut arguments: serde_json::Map<String, serde_json::Value> = arguments.into_iter().collect();
        for index in own_names {
            if !known.is_empty() {
                let value = arguments.values().next().cloned().unwrap_or(serde_json::Value::String("v".into()));
                arguments.insert(index.get(&known).clone(), value);
            }
        }
        let arguments = serde_json::Value::Object(arguments);
        let ours: Value = parse(arguments.to_string().as_bytes()).unwrap();
        let checked = check_arguments(&served(&tool), &tool, Some(&ours));
        let validator = jsonschema::validator_for(&schema).unwrap();
        prop_assert_eq!(checked.is_ok(), validator.is_valid(&arguments), "{} {} {:?}", schema, arguments, checked);
    }

    #[test]
    fn every_schema_passes_the_gate_of_the_framework(
        parameters in 0usize..3, query in prop::collection::btree_set("[a-z]{1,3}", 0..3), shape in shapes()
    ) {
        let spelling = ["/o/u", "/o/{a}", "/o/{a}/u/{b}"][parameters];
        let names: Vec<&str> = query.iter().map(String::as_str).collect();
        let schema = input_schema(&tool("POST", spelling, &names, shape, 1));
        let schema: serde_json::Value = serde_json::from_str(&schema.to_compact()).unwrap();
        prop_assert!(jsonschema::meta::is_valid(&schema));
        prop_assert_eq!(&schema["type"], "object");
        prop_assert_eq!(&schema["additionalProperties"], false);
        prop_assert!(schema.get("required").is_none_or(|names| !names.as_array().unwrap().is_empty()));
        for (name, property) in schema["properties"].as_object().unwrap() {
            prop_assert!(property["description"].as_str().is_some_and(|text| !text.is_empty()), "{}", name);
            let alone = std::slice::from_ref(property);
            let variants = property.get("anyOf").map_or(alone, |variants| variants.as_array().unwrap());
            for variant in variants {
                let kind = variant["type"].as_str().unwrap();
                prop_assert_eq!(variant.get("items").is_some(), kind == "array");
                prop_assert_eq!(variant.get("properties").is_some(), kind == "object");
            }
        }
    }
}
