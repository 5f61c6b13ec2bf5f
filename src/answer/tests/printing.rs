//! What a reply prints: bodies, cuts, bounds, members.

use super::fixture::*;
use crate::answer::{MAX_DISPLAY_BYTES, MAX_REPLY_BODY_BYTES, Printed, ReplyBody, StateProvenance};
use crate::capture::Body;
use crate::json::{Object, Value, parse};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use rstest::rstest;
use std::sync::Arc;

fn replayed_body(content_type: &str, body: Body) -> crate::answer::Reply {
    let mut record = record("GET", "/api/users/2").answered_with(body);
    if let Some(answer) = &mut record.answer {
        answer.content_type = Some(content_type.into());
    }
    reply(&engine(tool("GET", "/api/users/{numeric}", &[], None, 1), vec![record]), r#"{"p2":"2"}"#)
}

#[test]
fn members_come_in_the_order_of_the_reference() {
    let reply = replayed_body("application/json", Body::Text(r#"{ "id": 2, "login": "probe" }"#.into()));
    let mut out = Vec::new();
    reply.write(&mut out);
    let evidence_id = &reply.replay.evidence_id;
    let expected = format!(
        r#"{{"status":200,"content_type":"application/json","body":{{"id":2,"login":"probe"}},"replay":{{"record_ordinal":0,"evidence_id":"{evidence_id}","exact_match":true,"body_match":null,"recorded_path":"/api/users/2","recorded_query":null,"recorded_line_truncated":false,"body_recorded":true,"body_encoding":"utf-8","truncated":false}}}}"#
    );
    assert_eq!(String::from_utf8(out).unwrap(), expected);
}

#[rstest]
#[case::json("application/json", r#"{"a":1}"#, true)]
#[case::json_suffix("application/problem+json; charset=utf-8", r#"{"a":1}"#, true)]
#[case::plain_text("text/plain", "[1]", true)]
#[case::markdown("text/markdown", "\"x\"", true)]
#[case::html("text/html", r#"{"a":1}"#, false)]
#[case::not_json("application/json", "Unauthorized", false)]
#[case::nothing("application/json", "", false)]
#[case::unsafe_integer("application/json", r#"{"id":9007199254740993}"#, false)]
#[case::the_largest_safe_integer("application/json", r#"{"id":9007199254740991}"#, true)]
#[case::byte_order_mark("application/json", "\u{feff}{}", false)]
fn bodies_are_json_when_that_loses_nothing(#[case] content_type: &str, #[case] text: &str, #[case] json: bool) {
    let reply = replayed_body(content_type, Body::Text(text.into()));
    let body = printed(&reply).get("body").cloned().unwrap();
    let expected = if json { parse(text.as_bytes()).unwrap() } else { Value::from(text) };
    assert_eq!(body, expected);
}

#[test]
fn an_absent_body_is_not_a_recorded_null() {
    let absent = printed(&replayed_body("application/json", Body::Unrecorded));
    let null = printed(&replayed_body("application/json", Body::Text("null".into())));
    let recorded = |reply: &Value| reply.get("replay").unwrap().get("body_recorded").unwrap().as_bool();
    assert!(absent.get("body").unwrap().is_null() && null.get("body").unwrap().is_null());
    assert_eq!((recorded(&absent), recorded(&null)), (Some(false), Some(true)));
}

#[test]
fn a_record_without_an_answer_has_no_status() {
    let record = record("GET", "/s").unanswered();
    let reply = printed(&reply(&engine(tool("GET", "/s", &[], None, 1), vec![record]), "{}"));
    for member in ["status", "content_type", "body"] {
        assert!(reply.get(member).unwrap().is_null(), "{member}");
    }
}

#[rstest]
#[case::at_the_limit("x".repeat(MAX_REPLY_BODY_BYTES), MAX_REPLY_BODY_BYTES, false)]
#[case::over_it("x".repeat(MAX_REPLY_BODY_BYTES + 1), MAX_REPLY_BODY_BYTES, true)]
#[case::inside_a_character(format!("x{}", "é".repeat(MAX_REPLY_BODY_BYTES / 2)), MAX_REPLY_BODY_BYTES - 1, true)]
#[case::json_too(format!("[{}1]", "1,".repeat(MAX_REPLY_BODY_BYTES / 2)), MAX_REPLY_BODY_BYTES, true)]
fn long_texts_are_cut_at_a_character(#[case] text: String, #[case] kept: usize, #[case] truncated: bool) {
    let reply = replayed_body("application/json", Body::Text(text.as_str().into()));
    let ReplyBody::Text(body) = &reply.body else { panic!("{:?}", reply.body) };
    assert_eq!((body.len(), reply.replay.truncated), (kept, truncated));
    assert!(text.starts_with(body.as_ref()));
    printed(&reply);
}

#[rstest]
#[case::short(vec![0xff, 0xfe], 2, false)]
#[case::at_the_limit(vec![0xff; MAX_REPLY_BODY_BYTES], MAX_REPLY_BODY_BYTES, false)]
#[case::over_it(vec![0xff; MAX_REPLY_BODY_BYTES + 1], MAX_REPLY_BODY_BYTES / 3 * 3, true)]
fn bytes_are_base64_of_whole_groups(#[case] bytes: Vec<u8>, #[case] kept: usize, #[case] truncated: bool) {
    let reply = replayed_body("application/octet-stream", Body::Bytes(bytes.as_slice().into()));
    let ReplyBody::Base64(body) = &reply.body else { panic!("{:?}", reply.body) };
    assert_eq!(STANDARD.decode(body.as_ref()).unwrap(), bytes[..kept]);
    assert_eq!(reply.replay.truncated, truncated);
    let printed = printed(&reply);
    let encoding = printed.get("replay").unwrap().get("body_encoding").unwrap();
    assert_eq!(encoding.as_str(), Some("base64"));
}

#[test]
fn long_lines_and_media_types_are_bounded_and_say_so() {
    let segment = "9".repeat(MAX_DISPLAY_BYTES);
    let mut record = record("GET", &format!("/api/users/{segment}?q={segment}"));
    if let Some(answer) = &mut record.answer {
        answer.content_type = Some(format!("application/json; p={segment}"));
        answer.body = Body::Text("[1]".into());
    }
    let engine = engine(tool("GET", "/api/users/{numeric}", &["q"], None, 1), vec![record]);
    let reply = reply(&engine, &format!(r#"{{"p2":"{segment}","q":"{segment}"}}"#));
    assert!(reply.replay.exact_match, "selection uses the full line");
    let printed = printed(&reply);
    let length = |value: &Value, member: &str| value.get(member).unwrap().as_str().unwrap().len();
    assert_eq!(length(&printed, "content_type"), MAX_DISPLAY_BYTES);
    assert_eq!(printed.get("content_type_truncated").unwrap().as_bool(), Some(true));
    assert!(printed.get("body").unwrap().as_array().is_some(), "the full media type decides");
    let replay = printed.get("replay").unwrap();
    assert_eq!(length(replay, "recorded_path"), MAX_DISPLAY_BYTES);
    assert_eq!(length(replay, "recorded_query"), MAX_DISPLAY_BYTES);
    assert_eq!(replay.get("recorded_line_truncated").unwrap().as_bool(), Some(true));
}

#[rstest]
#[case::none("/s", Value::Null)]
#[case::empty("/s?", Value::from("?"))]
#[case::some("/s?a=%31", Value::from("?a=%31"))]
fn the_recorded_query_keeps_its_question_mark(#[case] line: &str, #[case] expected: Value) {
    let engine = engine(tool("GET", "/s", &[], None, 1), vec![record("GET", line)]);
    let printed = printed(&reply(&engine, "{}"));
    assert_eq!(printed.get("replay").unwrap().get("recorded_query"), Some(&expected));
}

#[test]
fn the_state_member_follows_the_replay() {
    let mut reply = replayed_body("application/json", Body::Text("[]".into()));
    reply.state = Some(StateProvenance::Recording { reason: "no-view" });
    let value = printed(&reply);
    let expected = parse(br#"{"source":"recording","reason":"no-view"}"#).unwrap();
    assert_eq!(value.get("state"), Some(&expected));

    let target = Object::new().with("type", "/api/users").with("id", "2");
    reply.state = Some(StateProvenance::State { view: "item", target });
    reply.body = ReplyBody::Json(Arc::new(parse(br#"{"id":2}"#).unwrap()));
    reply.printed = Printed::none();
    let value = printed(&reply);
    let expected = parse(br#"{"source":"state","view":"item","type":"/api/users","id":"2"}"#).unwrap();
    assert_eq!(value.get("state"), Some(&expected));
    assert_eq!(value.get("body"), Some(&parse(br#"{"id":2}"#).unwrap()));

    let target = Object::new().with("type", "/api/users").with("id", "2");
    reply.state =
        Some(StateProvenance::Applied { view: "delete", target, reason: "incomplete-entity", recorded: Vec::new() });
    let value = printed(&reply);
    let expected =
        br#"{"source":"recording","reason":"incomplete-entity","view":"delete","type":"/api/users","id":"2"}"#;
    assert_eq!(value.get("state"), Some(&parse(expected).unwrap()));
}

proptest! {
    #[test]
    fn what_is_written_is_what_the_value_says(
        path in "/[a-z%\"\\\\\u{80}-\u{10ffff}]{0,20}", query in prop::option::of("\\PC{0,20}"),
        text in ".{0,60}", content_type in ".{0,20}", spliced in any::<bool>()
    ) {
        let mut record = record("GET", &path).answered(200, &content_type, &text);
        if let Some(request) = &mut record.request {
            request.query = query;
        }
        let engine = engine(tool("GET", "/s", &[], None, 1), vec![record]);
        let mut reply = reply(&engine, "{}");
        if !spliced {
            reply.printed = Printed::none();
        }
        printed(&reply);
    }

    #[test]
    fn cuts_keep_whole_characters(text in prop::collection::vec(any::<char>(), 1..40), repeats in 1usize..4) {
        let unit: String = text.into_iter().collect();
        let text = unit.repeat(repeats * MAX_REPLY_BODY_BYTES / unit.len());
        let reply = replayed_body("text/html", Body::Text(text.as_str().into()));
        let ReplyBody::Text(body) = &reply.body else { panic!() };
        prop_assert!(text.starts_with(body.as_ref()));
        prop_assert!(body.len() <= MAX_REPLY_BODY_BYTES);
        prop_assert!(body.len() == text.len() || body.len() + 4 > MAX_REPLY_BODY_BYTES);
        prop_assert_eq!(reply.replay.truncated, body.len() < text.len());
    }
}
