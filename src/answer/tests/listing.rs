//! What is listed: descriptions, samples, annotations, and the reservation that admits a catalog.

use super::fixture::*;
use crate::answer::{
    Annotations, AnswerError, CATALOG_WARNING, Catalog, CatalogTool, DISCOVERY_RESERVATION_BYTES, Engine,
    EngineOptions, input_schema, is_query_post,
};
use crate::capture::{Body, Record};
use crate::evidence::{Code, ErrorDocument};
use crate::json::{Object, Value};
use crate::manifest::{BodyShape, Tool};
use proptest::prelude::*;
use rstest::rstest;

fn description(answers: &[(u16, &str)]) -> String {
    let records: Vec<Record> =
        answers.iter().map(|(status, text)| record("GET", "/s").answered(*status, "application/json", text)).collect();
    let mut tool = tool("GET", "/s", &[], None, records.len());
    tool.statuses = answers.iter().map(|(status, _)| *status).collect();
    tool.statuses.sort_unstable();
    tool.statuses.dedup();
    let engine = engine(tool, records);
    let description = engine.catalog.tools[0].description.clone();
    let evidence = format!("; evidence {}", engine.capture.evidence.evidence_id);
    description.strip_suffix(&evidence).unwrap().to_owned()
}

#[rstest]
#[case::object(
    &[(200, r#"{"id":2,"login":"x"}"#)],
    r#"GET /s; returns a JSON object with fields "id", "login"; recorded statuses 200; replays retained records [0]"#
)]
#[case::array(
    &[(200, r#"[{"id":2},{"id":3,"x":1}]"#)],
    r#"GET /s; returns a JSON array of objects with fields "id", "x"; recorded statuses 200; replays retained records [0]"#
)]
#[case::envelope(
    &[(200, r#"{"total":1,"items":[{"id":2}],"tags":["a"]}"#)],
    r#"GET /s; returns a JSON object whose "items" lists objects with fields "id"; recorded statuses 200; replays retained records [0]"#
)]
#[case::two_lists_are_no_list(
    &[(200, r#"{"a":[{"x":1}],"b":[{"y":1}]}"#)],
    r#"GET /s; returns a JSON object with fields "a", "b"; recorded statuses 200; replays retained records [0]"#
)]
#[case::first_success_wins(
    &[(401, r#"{"error":"x"}"#), (204, ""), (200, r#"{"id":1}"#), (200, r#"{"other":1}"#)],
    r#"GET /s; returns a JSON object with fields "id"; recorded statuses 200, 204, 401; replays retained records [0, 1, 2, 3]"#
)]
#[case::another_status_is_labelled(
    &[(200, "plain words"), (401, r#"{"error":"x"}"#)],
    r#"GET /s; status 401 returns a JSON object with fields "error"; recorded statuses 200, 401; replays retained records [0, 1]"#
)]
#[case::unsafe_numbers_are_text(
    &[(200, r#"{"id":9007199254740993}"#)],
    "GET /s; recorded statuses 200; replays retained records [0]"
)]
#[case::names_are_quoted(
    &[(200, r#"{"a\"; returns nothing":1}"#)],
    r#"GET /s; returns a JSON object with fields "a\"; returns nothing"; recorded statuses 200; replays retained records [0]"#
)]
#[case::scalars(&[(200, "null")], "GET /s; returns JSON null; recorded statuses 200; replays retained records [0]")]
#[case::empty_list(
    &[(200, "[]")],
    "GET /s; returns an empty JSON array; recorded statuses 200; replays retained records [0]"
)]
fn descriptions_summarise_one_level(#[case] answers: &[(u16, &str)], #[case] expected: &str) {
    assert_eq!(description(answers), expected);
}

#[test]
fn a_long_member_name_is_a_marked_prefix() {
    let text = format!(r#"{{"{}":1,"b":2}}"#, "n".repeat(2000));
    let description = description(&[(200, &text)]);
    let expected = format!(r#"returns a JSON object with fields "{}" (truncated) and 1 more;"#, "n".repeat(1024));
    assert!(description.contains(&expected), "{description}");
}

#[test]
fn lists_are_sampled_whole_with_a_count() {
    let lines: Vec<String> = (0..1000).map(|index| format!("/u/{index:05}")).collect();
    let records: Vec<Record> = lines.iter().map(|line| record("GET", line)).collect();
    let mut tool = tool("GET", "/u/{numeric}", &[], None, records.len());
    tool.parameters[0].observed = lines.iter().map(|line| line[3..].to_owned()).collect();
    let engine = engine(tool, records);
    let served = &engine.catalog.tools[0];
    assert!(served.description.contains("records [0, 1, 2, "), "{}", served.description);
    assert!(served.description.contains(" more]; evidence ev_"), "{}", served.description);
    let schema = served.input_schema.to_compact();
    assert!(
        schema.contains(r#""description":"Path segment 1 (numeric), captured"#)
            || schema.contains("Path segment 1 (numeric); observed: 00000, 00001")
    );
    assert!(schema.contains("00145 and 854 more"), "{schema}");
    assert!(schema.len() < 1400);
}

#[test]
fn long_lines_are_marked_prefixes() {
    let segment = "s".repeat(3000);
    let line = format!("/{segment}");
    let mut tool = tool("GET", &line, &[], None, 1);
    tool.method = "M".repeat(3000);
    let engine = engine(tool, vec![record("GET", &line)]);
    let description = &engine.catalog.tools[0].description;
    let expected = format!("{}… (truncated) /{}… (truncated); returns", "M".repeat(1024), "s".repeat(1023));
    assert!(description.starts_with(&expected), "{description}");
}

#[rstest]
#[case("GET", "/a", (true, None, true))]
#[case("HEAD", "/a", (true, None, true))]
#[case("OPTIONS", "/a", (true, None, true))]
#[case("TRACE", "/a", (true, None, true))]
#[case("POST", "/a", (false, None, false))]
#[case("POST", "/a/search", (true, None, false))]
#[case("POST", "/a/_search", (true, None, false))]
#[case("POST", "/api/ds-query/x", (true, None, false))]
#[case("POST", "/a/research", (false, None, false))]
#[case("PUT", "/a/search", (false, None, true))]
#[case("PATCH", "/a", (false, None, false))]
#[case("DELETE", "/a", (false, Some(true), true))]
fn annotations_follow_the_method(
    #[case] method: &str,
    #[case] spelling: &str,
    #[case] expected: (bool, Option<bool>, bool),
) {
    let tool = tool(method, spelling, &[], None, 1);
    let Annotations { read_only, destructive, idempotent } = Annotations::of(&tool);
    assert_eq!((read_only, destructive, idempotent), expected);
    assert_eq!(is_query_post(&tool), method == "POST" && expected.0);
}

#[test]
fn schemas_say_what_was_captured() {
    let mut tool = tool("POST", "/o/{numeric}/u/{x}", &["q", "r"], None, 1);
    tool.parameters[0].observed = vec!["2".into(), "3".into()];
    tool.parameters[1].argument = "path_3".into();
    tool.query[0].observed = vec!["a, b".into(), "c".into()];
    tool.query[0].repeated = true;
    tool.query[1].argument = "query_r".into();
    tool.body_argument = "request_body".into();
    tool.body = Some(BodyShape {
        members: vec![("name".into(), vec!["string"]), ("tags".into(), vec!["array", "null"])],
        arrays: true,
        ..BodyShape::default()
    });
    let expected = r#"{
  "type": "object",
  "properties": {
    "p1": {
      "type": "string",
      "description": "Path segment 1 (numeric); observed: 2, 3"
    },
    "path_3": {
      "type": "string",
      "description": "Path segment 3 (sibling-variance), captured as \"p3\""
    },
    "q": {
      "anyOf": [
        {
          "type": "string"
        },
        {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      ],
      "description": "Query parameter \"q\"; observed: \"a, b\", c; an array gives repeated values in order"
    },
    "query_r": {
      "anyOf": [
        {
          "type": "string"
        },
        {
          "type": "array",
          "items": {
            "type": "string"
          }
        }
      ],
      "description": "Query parameter \"r\""
    },
    "request_body": {
      "anyOf": [
        {
          "type": "object",
          "properties": {
            "name": {
              "description": "recorded as string"
            },
            "tags": {
              "description": "recorded as array or null"
            }
          }
        },
        {
          "type": "array",
          "items": {}
        }
      ],
      "description": "Request body; recorded members: \"name\" (string), \"tags\" (array, null)"
    }
  },
  "required": [
    "p1",
    "path_3"
  ],
  "additionalProperties": false
}"#;
    let mut pretty = Vec::new();
    crate::json::write_pretty(&input_schema(&tool), &mut pretty);
    assert_eq!(String::from_utf8(pretty).unwrap(), expected);
}

/// A tool list and a card as a server writes them, members and warning included.
fn listed(catalog: &Catalog, name: &str) -> usize {
    let tools = catalog.tools.iter().map(|tool| {
        let hints = Object::new()
            .with("title", tool.name.as_str())
            .with("readOnlyHint", false)
            .with("destructiveHint", true)
            .with("idempotentHint", false)
            .with("openWorldHint", false);
        Object::new()
            .with("name", tool.name.as_str())
            .with("description", format!("{CATALOG_WARNING}{}", tool.description))
            .with("inputSchema", tool.input_schema.clone())
            .with("annotations", hints)
            .into()
    });
    Object::new().with("name", name).with("tools", tools.collect::<Value>()).into_value().to_compact().len()
}

trait IntoValue {
    fn into_value(self) -> Value;
}

impl IntoValue for Object {
    fn into_value(self) -> Value {
        self.into()
    }
}

proptest! {
    #[test]
    fn the_reservation_covers_the_catalog_as_written(
        name in ".{1,20}", query in prop::collection::btree_set(".{1,20}", 0..6), members in
            prop::collection::btree_set(".{1,20}", 0..6), field in ".{0,20}"
    ) {
        let names: Vec<&str> = query.iter().map(String::as_str).collect();
        let members = members.into_iter().map(|name| (name, vec!["string", "null"])).collect();
        let tool = tool("POST", "/o/{a}", &names, Some(BodyShape { members, ..BodyShape::default() }), 1);
        let answer = Object::new().with(field, 1).into_value().to_compact();
        let engine = engine(tool, vec![record("POST", "/o/1").answered(200, "application/json", &answer)]);
        prop_assert!(engine.catalog.reservation(&name) >= listed(&engine.catalog, &name));
    }
}

fn wide_tool(fields: usize) -> Tool {
    let names: Vec<String> = (0..fields).map(|index| format!("field_{index}")).collect();
    tool("GET", "/s", &names.iter().map(String::as_str).collect::<Vec<_>>(), None, 1)
}

#[test]
fn fifteen_hundred_query_fields_are_admitted() {
    let engine = engine(wide_tool(1500), vec![record("GET", "/s")]);
    assert_eq!(engine.catalog.tools.len(), 1);
}

#[test]
fn a_catalog_over_the_reservation_is_refused_whole() {
    let capture = capture(vec![record("GET", "/s")]);
    let manifest = manifest(&capture, vec![wide_tool(6000)]);
    let error = Engine::new(capture, manifest, &EngineOptions::default()).unwrap_err();
    let AnswerError::Discovery { tools, reserved, limit } = error else { panic!("{error}") };
    assert!(tools == 1 && reserved > limit && limit == DISCOVERY_RESERVATION_BYTES);
    let document = ErrorDocument::from(&AnswerError::Discovery { tools, reserved, limit });
    assert_eq!(document.code, Code::ResourceConstraint);
    assert!(document.message.contains("1048576"), "{}", document.message);
}

#[test]
fn the_name_is_the_options_then_the_manifests_and_not_blank() {
    let named = |name: Option<&str>| {
        let capture = capture(vec![record("GET", "/s")]);
        let manifest = manifest(&capture, vec![tool("GET", "/s", &[], None, 1)]);
        let options = EngineOptions { replay_only: true, name: name.map(str::to_owned) };
        Engine::new(capture, manifest, &options).map(|engine| engine.name)
    };
    assert_eq!(named(None).unwrap(), "app");
    assert_eq!(named(Some("other")).unwrap(), "other");
    let error = named(Some(" \t")).unwrap_err();
    assert_eq!(ErrorDocument::from(&error).code, Code::ConfigurationInvalid);
}

#[test]
fn a_manifest_of_another_capture_is_refused_with_both_ids() {
    let capture = capture(vec![record("GET", "/s")]);
    let mut manifest = manifest(&capture, vec![tool("GET", "/s", &[], None, 1)]);
    let parent = Object::new().with("parent_evidence_id", "ev_other");
    manifest.evidence = evidence("inspect_analysis_view", parent.into());
    let id = capture.evidence.evidence_id.clone();
    let error = Engine::new(capture, manifest, &EngineOptions::default()).unwrap_err();
    let document = ErrorDocument::from(&error);
    assert_eq!(document.code, Code::InvalidRequest);
    assert!(document.message.contains(&id) && document.message.contains("ev_other"), "{}", document.message);
}

#[rstest]
#[case::of_a_record_that_is_not_there(vec![3])]
#[case::of_no_record(vec![])]
fn a_citation_is_checked(#[case] cited: Vec<usize>) {
    let capture = capture(vec![record("GET", "/s").answered_with(Body::Unrecorded)]);
    let tool = Tool { records: cited, ..tool("GET", "/s", &[], None, 1) };
    let manifest = manifest(&capture, vec![tool]);
    let error = Engine::new(capture, manifest, &EngineOptions::default()).unwrap_err();
    assert!(error.to_string().contains("the_tool"), "{error}");
    assert_eq!(ErrorDocument::from(&error).code, Code::InvalidRequest);
}

#[test]
fn tools_are_found_by_name() {
    let served = |index: usize, name: &str| CatalogTool {
        tool: index,
        name: name.into(),
        description: String::new(),
        input_schema: Value::Null,
        annotations: Annotations { read_only: true, destructive: None, idempotent: true },
    };
    let catalog = Catalog::new(vec![served(0, "a"), served(1, "b")]);
    assert_eq!(catalog.by_name("b").map(|tool| tool.tool), Some(1));
    assert!(catalog.by_name("c").is_none());
}
