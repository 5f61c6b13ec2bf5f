//! Writes that the state forbids, each over a small recording that shows it refused.

use super::recording::{Made, made, value};
use crate::state::Write;
use rstest::rstest;

const CALLS: [(&str, u16, &str); 16] = [
    (
        "GET /api/things",
        200,
        r#"[{"id":"T1","name":"anvil","closed":false},{"id":"T2","name":"bell","closed":true},{"id":"T3","name":"cup","closed":false}]"#,
    ),
    (
        "GET /api/parts",
        200,
        r#"[{"id":71,"label":"part1","thing":"T1"},{"id":72,"label":"part2","thing":"T2"},{"id":73,"label":"part3","thing":"T1"}]"#,
    ),
    ("GET /api/things/T1", 200, r#"{"id":"T1","name":"anvil","closed":false}"#),
    (r#"POST{"name":"anvil"} /api/things"#, 409, r#"{"error":"a thing named anvil is there already"}"#),
    (r#"POST{"name":"saw"} /api/things"#, 201, r#"{"id":"T4","name":"saw","closed":false}"#),
    ("GET /api/things/T4", 200, r#"{"id":"T4","name":"saw","closed":false}"#),
    ("DELETE /api/things/T1", 400, r#"{"error":"thing T1 is used by part1"}"#),
    ("DELETE /api/things/T4", 204, ""),
    ("GET /api/things/T4", 404, r#"{"error":"no thing"}"#),
    (r#"POST{"label":"part4","thing":"T999"} /api/parts"#, 422, r#"{"error":"there is no thing T999"}"#),
    (r#"POST{"label":"part5","thing":"T2"} /api/parts"#, 201, r#"{"id":74,"label":"part5","thing":"T2"}"#),
    (r#"POST{"label":"part6","thing":"T3"} /api/parts"#, 201, r#"{"id":75,"label":"part6","thing":"T3"}"#),
    (
        "GET /api/parts",
        200,
        r#"[{"id":71,"label":"part1","thing":"T1"},{"id":72,"label":"part2","thing":"T2"},{"id":73,"label":"part3","thing":"T1"},{"id":74,"label":"part5","thing":"T2"},{"id":75,"label":"part6","thing":"T3"}]"#,
    ),
    (r#"POST{} /api/things/T2/touch"#, 403, r#"{"error":"the thing is closed"}"#),
    (r#"POST{} /api/things/T3/touch"#, 200, r#"{"id":"T3","name":"cup","closed":true}"#),
    ("GET /api/things/T3", 200, r#"{"id":"T3","name":"cup","closed":true}"#),
];

/// Things have made names: `T1` stands for one.
fn named(text: &str) -> String {
    let numbers = ["999", "888", "1", "2", "3", "4", "5", "9"];
    numbers.iter().fold(text.to_owned(), |text, number| {
        text.replace(&format!("T{number}"), &format!("0d81ca46-45ca-4342-9b73-6fb7ba70e{number:0>3}"))
    })
}

fn recorded(calls: &[(&str, u16, &str)]) -> Made {
    let calls: Vec<(&'static str, u16, &'static str)> =
        calls.iter().map(|(call, status, body)| (&*named(call).leak(), *status, &*named(body).leak())).collect();
    made(&calls)
}

fn done(made: &Made, line: &str, body: &str) -> String {
    let written = made.write(&made.derived.world, &named(line), &named(body));
    match written {
        Ok(written) if written.world.is_some() => "done".to_owned(),
        Ok(written) => written.body.map(|body| body.to_compact()).unwrap_or_default(),
        Err(refusal) => refusal.code.to_owned(),
    }
}

#[rstest]
#[case::another_has_the_name(
    "POST /api/things",
    r#"{"name":"bell"}"#,
    r#"{"error":"a thing named bell is there already"}"#
)]
#[case::a_new_name("POST /api/things", r#"{"name":"drum"}"#, "done")]
#[case::something_refers_to_it("DELETE /api/things/T2", "", r#"{"error":"thing T2 is used by part2"}"#)]
#[case::nothing_does("DELETE /api/things/T3", "", "done")]
#[case::nothing_is_named(
    "POST /api/parts",
    r#"{"label":"part7","thing":"T888"}"#,
    r#"{"error":"there is no thing T888"}"#
)]
#[case::something_is_named("POST /api/parts", r#"{"label":"part7","thing":"T1"}"#, "done")]
#[case::the_target_is_as_it_was_refused("POST /api/things/T2/touch", "{}", r#"{"error":"the thing is closed"}"#)]
#[case::it_is_not("POST /api/things/T1/touch", "{}", "done")]
fn what_the_state_forbids_is_answered_as_it_was_refused(
    #[case] line: &str,
    #[case] body: &str,
    #[case] expected: &str,
) {
    assert_eq!(done(&recorded(&CALLS), line, body), named(expected));
}

#[test]
fn one_success_with_a_name_that_is_held_says_that_names_may_be_the_same() {
    let mut calls = CALLS.to_vec();
    calls.push((r#"POST{"name":"bell"} /api/things"#, 201, r#"{"id":"T5","name":"bell","closed":false}"#));
    calls.push(("GET /api/things/T5", 200, r#"{"id":"T5","name":"bell","closed":false}"#));
    assert_eq!(done(&recorded(&calls), "POST /api/things", r#"{"name":"cup"}"#), "done");
}

#[test]
fn a_target_that_was_refused_though_it_is_held_is_no_example_of_one_that_is_absent() {
    let made = recorded(&CALLS);
    assert_eq!(done(&made, "DELETE /api/things/T9", ""), r#"{"error":"no thing"}"#);
}

#[test]
fn a_query_that_was_only_refused_is_refused_whatever_the_target() {
    let made = made(&[
        ("GET /api/things", 200, r#"[{"id":1,"name":"a"},{"id":2,"name":"b"},{"id":3,"name":"c"}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"a"}"#),
        ("DELETE /api/things/1", 501, r#"{"error":"things have no bin"}"#),
        ("DELETE /api/things/1?force=true", 200, "{}"),
        ("GET /api/things/1", 404, r#"{"error":"no thing"}"#),
        ("GET /api/things", 200, r#"[{"id":2,"name":"b"},{"id":3,"name":"c"}]"#),
    ]);
    let plan = made.derived.plan(made.tool("DELETE", "/api/things/1")).unwrap();
    let parameters = ["3".to_owned()];
    let asked = |query: &[(String, String)]| {
        let write = Write { parameters: &parameters, path: "/api/things/3", query, body: None };
        made.derived.write(&made.derived.world, plan, &write, ("ev", "tool"))
    };
    let refused = asked(&[]).unwrap();
    assert!(refused.world.is_none());
    assert_eq!(refused.body, Some(value(r#"{"error":"things have no bin"}"#)));
    assert!(asked(&[("force".to_owned(), "true".to_owned())]).unwrap().world.is_some());
    assert!(asked(&[("other".to_owned(), "1".to_owned())]).is_err());
}
