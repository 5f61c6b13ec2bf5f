//! Views derived from hand-made captures: what they answer beyond their recordings, and what they leave to recordings.

use super::recording::{Call, made};
use crate::state::scope::Scope;
use crate::state::types::View;
use rstest::rstest;

const LIST: &str = r#"[{"id":11,"name":"delta","state":"open"},{"id":12,"name":"alpha","state":"done"},{"id":13,"name":"beta","state":"open"},{"id":14,"name":"gamma","state":"open"}]"#;

fn lists(more: &[Call]) -> super::recording::Made {
    let mut calls = vec![("GET /tasks", 200, LIST)];
    calls.extend_from_slice(more);
    made(&calls)
}

/// The identities in an answer, or its reason.
fn ids(made: &super::recording::Made, call: &str) -> String {
    let answer = made.answer(call);
    if answer.starts_with('<') {
        return answer;
    }
    answer.split("\"id\":").skip(1).map(|rest| &rest[..2]).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_filter_answers_other_values() {
    let made = lists(&[
        ("GET /tasks?state=done", 200, r#"[{"id":12,"name":"alpha","state":"done"}]"#),
        ("GET /tasks?name=beta", 200, r#"[{"id":13,"name":"beta","state":"open"}]"#),
    ]);
    assert_eq!(ids(&made, "GET /tasks?state=open"), "11 13 14");
    assert_eq!(ids(&made, "GET /tasks?state=open&name=beta"), "13");
    assert_eq!(made.answer("GET /tasks?state=none"), "[]");
    assert_eq!(made.answer("GET /tasks?other=1"), "<unrecorded-request>");
    assert_eq!(made.answer("GET /tasks?state=open&state=done"), "<unrecorded-request>");
}

#[test]
fn a_size_and_an_offset_page() {
    let made = lists(&[
        ("GET /tasks?limit=1", 200, r#"[{"id":11,"name":"delta","state":"open"}]"#),
        (
            "GET /tasks?limit=2&offset=1",
            200,
            r#"[{"id":12,"name":"alpha","state":"done"},{"id":13,"name":"beta","state":"open"}]"#,
        ),
    ]);
    assert_eq!(ids(&made, "GET /tasks?limit=3"), "11 12 13");
    assert_eq!(ids(&made, "GET /tasks?limit=5&offset=3"), "14");
    // Nobody saw how the application answers there.
    assert_eq!(made.answer("GET /tasks?limit=2&offset=9"), "<page-exceeded>");
    assert_eq!(made.answer("GET /tasks?limit=-1"), "<unrecorded-request>");
    assert_eq!(made.answer("GET /tasks?limit=18446744073709551615&offset=18446744073709551615"), "<page-exceeded>");
}

/// One value lists all there is and another nothing: a state that was asked for, not the first page and one past the end.
#[test]
fn a_number_that_lists_all_or_nothing_is_no_page() {
    let made = made(&[
        ("GET /tasks", 200, r#"{"total":2,"limit":25,"items":[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]}"#),
        ("GET /tasks?limit=1", 200, r#"{"total":2,"limit":1,"items":[{"id":11,"name":"delta"}]}"#),
        (
            "GET /tasks?status=1",
            200,
            r#"{"total":2,"limit":25,"items":[{"id":11,"name":"delta"},{"id":12,"name":"alpha"}]}"#,
        ),
        ("GET /tasks?status=3", 200, r#"{"total":0,"limit":25,"items":[]}"#),
    ]);
    assert_eq!(made.answer("GET /tasks?status=2"), "<unrecorded-request>");
}

/// A list of some of the entities, at a path before that of the list of all: the whole list says what their order is.
#[test]
fn the_longest_list_tells_the_state_order() {
    let made = made(&[
        (
            "GET /tasks",
            200,
            r#"[{"id":12,"name":"delta"},{"id":14,"name":"alpha"},{"id":11,"name":"gamma"},{"id":13,"name":"beta"}]"#,
        ),
        ("GET /boards/2/tasks", 200, r#"[{"id":14,"name":"alpha"},{"id":13,"name":"beta"}]"#),
        ("GET /tasks/13", 200, r#"{"id":13,"name":"beta"}"#),
    ]);
    let View::List(view) = &made.derived.views[made.tool("GET", "/tasks")] else { panic!("no list") };
    assert_eq!(view.scope, Scope::All);
}

#[test]
fn an_empty_page_past_the_end_that_was_seen_is_answered() {
    let made = lists(&[
        ("GET /tasks?limit=1", 200, r#"[{"id":11,"name":"delta","state":"open"}]"#),
        (
            "GET /tasks?limit=2&offset=1",
            200,
            r#"[{"id":12,"name":"alpha","state":"done"},{"id":13,"name":"beta","state":"open"}]"#,
        ),
        ("GET /tasks?limit=2&offset=4", 200, "[]"),
    ]);
    assert_eq!(made.answer("GET /tasks?limit=2&offset=9"), "[]");
}

/// A page past the end is refused alike whatever it was asked by, also where the refusal is no JSON.
#[rstest]
#[case::json(r#"{"error":"no such page"}"#, 404, r#"{"error":"no such page"}"#)]
#[case::page_of_html("<h1>Invalid page.</h1>", 400, "<absent as in record 3>")]
#[case::another_caller("<h1>Who are you?</h1>", 401, "<page-exceeded>")]
fn a_refusal_past_the_end_that_was_seen_is_answered(
    #[case] refusal: &'static str,
    #[case] status: u16,
    #[case] expected: &str,
) {
    let made = lists(&[
        ("GET /tasks?limit=1", 200, r#"[{"id":11,"name":"delta","state":"open"}]"#),
        (
            "GET /tasks?limit=2&offset=1",
            200,
            r#"[{"id":12,"name":"alpha","state":"done"},{"id":13,"name":"beta","state":"open"}]"#,
        ),
        ("GET /tasks?limit=2&offset=4", status, refusal),
    ]);
    assert_eq!(made.answer("GET /tasks?limit=2&offset=9"), expected);
}

/// The list spells a word otherwise than the items, and is asked for by that of the items: what was only listed holds it,
/// too, where each word was shown in both spellings.
#[rstest]
#[case::each_word_was_shown_both_ways("waiting", "12 15")]
#[case::one_was_not("past", "<unrecorded-request>")]
#[case::one_was_not_that_comes_before_in_the_alphabet("gone", "<unrecorded-request>")]
fn a_filter_by_the_word_that_items_show(#[case] last: &str, #[case] expected: &str) {
    let list = r#"[{"id":11,"name":"n11","state":"running"},{"id":12,"name":"n12","state":"waiting"},{"id":13,"name":"n13","state":"running"},{"id":14,"name":"n14","state":"running"},{"id":15,"name":"n15","state":"LAST"}]"#;
    let list: &'static str = Box::leak(list.replace("LAST", last).into_boxed_str());
    let made = made(&[
        ("GET /tasks", 200, list),
        ("GET /tasks/11", 200, r#"{"id":11,"name":"n11","state":"open"}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"name":"n12","state":"draft"}"#),
        ("GET /tasks/13", 200, r#"{"id":13,"name":"n13","state":"open"}"#),
        (
            "GET /tasks?state=open",
            200,
            r#"[{"id":11,"name":"n11","state":"running"},{"id":13,"name":"n13","state":"running"},{"id":14,"name":"n14","state":"running"}]"#,
        ),
    ]);
    assert_eq!(ids(&made, "GET /tasks?state=draft"), expected);
}

#[test]
fn a_sort_orders_by_other_members() {
    let made = lists(&[(
        "GET /tasks?sort=name",
        200,
        r#"[{"id":12,"name":"alpha","state":"done"},{"id":13,"name":"beta","state":"open"},{"id":11,"name":"delta","state":"open"},{"id":14,"name":"gamma","state":"open"}]"#,
    )]);
    assert_eq!(ids(&made, "GET /tasks?sort=-name"), "14 11 13 12");
    assert_eq!(ids(&made, "GET /tasks?sort=-id"), "14 13 12 11");
    assert_eq!(made.answer("GET /tasks?sort=weight"), "<unrecorded-request>");
}

#[test]
fn envelopes_count_what_was_asked_for() {
    let made = made(&[
        (
            "GET /tasks",
            200,
            r#"{"total":3,"items":[{"id":11,"state":"open"},{"id":12,"state":"done"},{"id":13,"state":"open"}]}"#,
        ),
        ("GET /tasks?state=done", 200, r#"{"total":1,"items":[{"id":12,"state":"done"}]}"#),
        ("GET /tasks?limit=1", 200, r#"{"total":3,"items":[{"id":11,"state":"open"}]}"#),
    ]);
    assert_eq!(made.answer("GET /tasks?state=open&limit=1"), r#"{"total":2,"items":[{"id":11,"state":"open"}]}"#);
}

#[test]
fn a_read_by_post_is_a_list() {
    let made = made(&[
        (r#"POST{} /tasks/search"#, 200, LIST),
        (r#"POST{"filter":{"state":"done"}} /tasks/search"#, 200, r#"[{"id":12,"name":"alpha","state":"done"}]"#),
        (r#"POST{"limit":1} /tasks/search"#, 200, r#"[{"id":11,"name":"delta","state":"open"}]"#),
    ]);
    assert_eq!(ids(&made, r#"POST{"limit":2,"filter":{"state":"open"}} /tasks/search"#), "11 13");
}

#[test]
fn items_are_found_through_their_list() {
    let made = lists(&[
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta","state":"open"}"#),
        ("GET /tasks/99", 404, r#"{"error":"task 99 not found"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/13"), r#"{"id":13,"name":"beta","state":"open"}"#);
    assert_eq!(made.answer("GET /tasks/98"), r#"{"error":"task 98 not found"}"#);
}

#[test]
fn an_entity_that_may_exist_is_not_said_to_be_absent() {
    let made = made(&[
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta"}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"name":"alpha"}"#),
        ("GET /tasks/99", 404, r#"{"error":"task 99 not found"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/98"), "<unknown-partition>");
}

#[test]
fn what_is_absent_is_absent_whatever_else_the_line_asks_for() {
    let made = lists(&[
        ("GET /tasks/11?shape=long", 200, r#"{"id":11,"name":"delta","state":"open","note":"call back"}"#),
        ("GET /tasks/12?shape=long", 200, r#"{"id":12,"name":"alpha","state":"done","note":"done on time"}"#),
        ("GET /tasks/99?shape=long", 404, r#"{"error":"no such task"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/98"), r#"{"error":"no such task"}"#);
    assert_eq!(made.answer("GET /tasks/11"), "<unrecorded-request>");
}

#[test]
fn a_member_that_was_never_shown_is_not_made_up() {
    let made = lists(&[
        ("GET /tasks/11", 200, r#"{"id":11,"name":"delta","state":"open","note":"call back"}"#),
        ("GET /tasks/12", 200, r#"{"id":12,"name":"alpha","state":"done","note":"done on time"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/13"), "<incomplete-entity>");
    assert_eq!(made.answer("GET /tasks/12"), r#"{"id":12,"name":"alpha","state":"done","note":"done on time"}"#);
}

#[test]
fn nested_collections_are_apart() {
    let made = made(&[
        ("GET /teams/21/users", 200, r#"[{"id":1,"name":"ada"},{"id":2,"name":"bob"}]"#),
        ("GET /teams/22/users", 200, r#"[{"id":1,"name":"cyd"}]"#),
        ("GET /teams/22/users/1", 200, r#"{"id":1,"name":"cyd"}"#),
    ]);
    assert_eq!(made.answer("GET /teams/21/users/1"), r#"{"id":1,"name":"ada"}"#);
    assert_eq!(made.answer("GET /teams/22/users"), r#"[{"id":1,"name":"cyd"}]"#);
    assert_eq!(made.answer("GET /teams/23/users"), "<unknown-partition>");
}

#[test]
fn a_variant_shows_more() {
    let made = lists(&[
        (
            "GET /tasks?expand=owner&limit=2",
            200,
            r#"[{"id":11,"name":"delta","state":"open","owner":{"name":"ada"}},{"id":12,"name":"alpha","state":"done","owner":{"name":"bob"}}]"#,
        ),
        (
            "GET /tasks?limit=2",
            200,
            r#"[{"id":11,"name":"delta","state":"open"},{"id":12,"name":"alpha","state":"done"}]"#,
        ),
        ("GET /tasks?limit=1", 200, r#"[{"id":11,"name":"delta","state":"open"}]"#),
    ]);
    assert_eq!(
        made.answer("GET /tasks?expand=owner&limit=1"),
        r#"[{"id":11,"name":"delta","state":"open","owner":{"name":"ada"}}]"#
    );
    assert_eq!(made.answer("GET /tasks?expand=owner&limit=3"), "<incomplete-entity>");
    assert_eq!(made.answer("GET /tasks?expand=tags&limit=1"), "<variant>");
}

#[test]
fn a_projection_selects_members() {
    let made = lists(&[(
        "GET /tasks?fields=id,name",
        200,
        r#"[{"id":11,"name":"delta"},{"id":12,"name":"alpha"},{"id":13,"name":"beta"},{"id":14,"name":"gamma"}]"#,
    )]);
    assert_eq!(made.answer("GET /tasks?fields=id,state").get(..24), Some(r#"[{"id":11,"state":"open""#));
}

#[test]
fn a_parameter_that_changes_nothing_keeps_its_values() {
    let made = lists(&[("GET /tasks?lang=en", 200, LIST)]);
    assert_eq!(ids(&made, "GET /tasks?lang=en"), "11 12 13 14");
    assert_eq!(made.answer("GET /tasks?lang=fr"), "<unrecorded-request>");
}

#[test]
fn documents_answer_the_lines_they_were_read_by() {
    let made = made(&[
        ("GET /info", 200, r#"{"version":"1.2","build":[1,2]}"#),
        ("GET /info?full=1", 200, r#"{"version":"1.2","build":[1,2],"host":"x"}"#),
        ("GET /clock", 200, r#"{"now":1}"#),
        ("GET /clock", 200, r#"{"now":2}"#),
    ]);
    assert_eq!(made.answer("GET /info?full=1"), r#"{"version":"1.2","build":[1,2],"host":"x"}"#);
    assert_eq!(made.answer("GET /info?full=2"), "<unrecorded-request>");
    assert_eq!(made.answer("GET /clock"), "<document-varies>");
}

/// Filters that were only read for some values say nothing of the rest.
#[rstest]
#[case("GET /tasks?owner=ada", r#"[{"id":11,"owner":"ada"},{"id":12,"owner":"ada"}]"#)]
#[case("GET /tasks?owner=cyd", "<unknown-partition>")]
#[case("GET /tasks", "<unknown-partition>")]
fn what_was_never_read_in_full_is_unknown(#[case] call: &str, #[case] expected: &str) {
    let made = made(&[
        ("GET /tasks?owner=ada", 200, r#"[{"id":11,"owner":"ada"},{"id":12,"owner":"ada"}]"#),
        ("GET /tasks?owner=bob", 200, r#"[{"id":13,"owner":"bob"}]"#),
    ]);
    assert_eq!(made.answer(call), expected);
}

/// What every recorded line held may be what made the answer.
#[rstest]
#[case("GET /tasks?owner=ada", r#"[{"id":11,"owner":"ada"},{"id":12,"owner":"ada"}]"#)]
#[case("GET /tasks?owner=bob", "<unrecorded-request>")]
#[case("GET /tasks", "<unrecorded-request>")]
fn a_parameter_that_was_never_left_out_is_not_left_out(#[case] call: &str, #[case] expected: &str) {
    let made = made(&[("GET /tasks?owner=ada", 200, r#"[{"id":11,"owner":"ada"},{"id":12,"owner":"ada"}]"#)]);
    assert_eq!(made.answer(call), expected);
}

#[test]
fn an_empty_capture_answers_nothing() {
    let made = made(&[("GET /tasks", 500, r#"{"error":"x"}"#)]);
    assert_eq!(made.answer("GET /tasks"), "<no-view>");
}

/// Where nothing was listed, nobody saw what a parameter does.
#[rstest]
#[case("GET /tasks?limit=1", "<unrecorded-request>")]
#[case("GET /tasks?sort=-name", "<unrecorded-request>")]
fn a_parameter_of_empty_answers_is_unknown(#[case] call: &str, #[case] expected: &str) {
    let made = lists(&[
        ("GET /tasks?state=done", 200, r#"[{"id":12,"name":"alpha","state":"done"}]"#),
        ("GET /tasks?state=none&limit=1", 200, "[]"),
        ("GET /tasks?state=none&sort=-name", 200, "[]"),
    ]);
    assert_eq!(made.answer(call), expected);
}

#[test]
fn what_lies_under_a_name_is_found_by_the_identity_behind_it() {
    let made = made(&[
        ("GET /projects", 200, r#"[{"id":1,"slug":"garden"},{"id":2,"slug":"kitchen"},{"id":3,"slug":"attic"}]"#),
        (
            "GET /versions",
            200,
            r#"[{"id":11,"name":"a","project":{"id":1}},{"id":12,"name":"b","project":{"id":2}},{"id":13,"name":"c","project":{"id":3}}]"#,
        ),
        ("GET /projects/garden/versions", 200, r#"[{"id":11,"name":"a","project":{"id":1}}]"#),
        ("GET /projects/2/versions", 200, r#"[{"id":12,"name":"b","project":{"id":2}}]"#),
        ("GET /versions/11", 200, r#"{"id":11,"name":"a","project":{"id":1}}"#),
    ]);
    assert_eq!(made.answer("GET /projects/attic/versions"), r#"[{"id":13,"name":"c","project":{"id":3}}]"#);
    assert_eq!(made.answer("GET /projects/1/versions"), r#"[{"id":11,"name":"a","project":{"id":1}}]"#);
}

/// Lines that all filter and all say the size of a page: those that no page cuts tell the filter, those that one cuts the
/// order.
#[test]
fn a_size_and_a_filter_that_were_never_recorded_apart() {
    let runs = |ids: &[usize]| -> &'static str {
        let of = |id: &usize| format!(r#"{{"id":"r{id}","board":"{}","start":{}}}"#, 1 + id / 4, 10 * id);
        Box::leak(format!("[{}]", ids.iter().map(of).collect::<Vec<_>>().join(",")).into_boxed_str())
    };
    let made = made(&[
        (r#"POST{"boards":["1"],"limit":50} /runs/search"#, 200, runs(&[3, 2, 1])),
        (r#"POST{"boards":["2"],"limit":50} /runs/search"#, 200, runs(&[5, 4])),
        (r#"POST{"boards":["1","2"],"limit":2} /runs/search"#, 200, runs(&[5, 4])),
        ("GET /runs/r1", 200, r#"{"id":"r1","board":"1","start":10}"#),
    ]);
    let ids = |call: &str| -> String {
        let answer = made.answer(call);
        answer.split(r#""id":"r"#).skip(1).map(|rest| &rest[..1]).collect::<Vec<_>>().concat()
    };
    assert_eq!(ids(r#"POST{"boards":["1"],"limit":2} /runs/search"#), "32");
    assert_eq!(ids(r#"POST{"boards":["2","1"],"limit":4} /runs/search"#), "5432");
    assert_eq!(made.answer(r#"POST{"boards":["1","3"],"limit":4} /runs/search"#), "<unknown-partition>");
}
