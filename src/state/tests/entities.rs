//! Where answers hold entities, and which tools show the same ones.

use super::recording::{Call, made, value};
use crate::state::entity::{entity_at, list_place, listed_at};
use crate::state::types::{Shape, Slot};
use rstest::rstest;

const A: &str = r#"{"id":"3f2c1b7a-1111-4222-8333-444455556666","name":"first"}"#;

#[rstest]
#[case::bare(&[r#"[{"id":1},{"id":2}]"#], Some(""))]
#[case::one_key(&[r#"{"items":[{"id":1}]}"#], Some("items"))]
#[case::beside_scalars(&[r#"{"count":1,"next":null,"results":[{"id":1}]}"#], Some("results"))]
#[case::two_levels(&[r#"{"data":{"items":[{"id":1}]}}"#], Some("data/items"))]
#[case::beside_a_list_of_scalars(&[r#"{"items":[{"id":1}],"tags":["a"]}"#], Some("items"))]
#[case::sometimes_empty(&[r#"{"items":[]}"#, r#"{"items":[{"id":1}]}"#], Some("items"))]
#[case::missing_when_empty(&["{}", r#"{"items":[{"id":1}]}"#], Some("items"))]
#[case::null_when_empty(&[r#"{"items":null}"#, r#"{"items":[{"id":1}]}"#], Some("items"))]
#[case::two_lists(&[r#"{"a":[{"id":1}],"b":[{"id":2}]}"#], None)]
#[case::two_inner_lists(&[r#"{"a":{"x":[{"id":1}]},"b":{"y":[{"id":2}]}}"#], None)]
#[case::two_places(&[r#"{"a":[{"id":1}]}"#, r#"{"b":[{"id":2}]}"#], None)]
#[case::scalars(&["[1,2]"], None)]
#[case::mixed(&[r#"[{"id":1},2]"#], None)]
#[case::never_anything(&["[]"], None)]
#[case::three_levels(&[r#"{"a":{"b":{"c":[{"id":1}]}}}"#], None)]
fn the_list_rule(#[case] answers: &[&str], #[case] expected: Option<&str>) {
    let values: Vec<_> = answers.iter().map(|text| value(text)).collect();
    let found = list_place(&values.iter().collect::<Vec<_>>());
    assert_eq!(
        found,
        expected.map(|place| (place.split('/').filter(|name| !name.is_empty()).map(Into::into).collect(), false))
    );
}

#[rstest]
#[case::under_identifiers(
    r#"{"3f2c1b7a-1111-4222-8333-444455556666":{"a":1,"b":2},"4f2c1b7a-1111-4222-8333-444455556666":{"a":3,"b":4}}"#,
    true
)]
#[case::one_is_not_enough(r#"{"3f2c1b7a-1111-4222-8333-444455556666":{"a":1}}"#, false)]
#[case::under_words(r#"{"first":{"a":1},"second":{"a":2}}"#, false)]
#[case::under_what_they_hold(r#"{"first":{"name":"first","a":1},"second":{"name":"second","a":2}}"#, true)]
#[case::one_holds_another(r#"{"first":{"name":"first","a":1},"second":{"name":"other","a":2}}"#, false)]
#[case::of_other_shapes(
    r#"{"3f2c1b7a-1111-4222-8333-444455556666":{"a":1},"4f2c1b7a-1111-4222-8333-444455556666":{"b":4}}"#,
    false
)]
#[case::beside_a_scalar(
    r#"{"3f2c1b7a-1111-4222-8333-444455556666":{"a":1},"4f2c1b7a-1111-4222-8333-444455556666":{"a":1},"n":2}"#,
    false
)]
fn objects_keyed_by_identity(#[case] answer: &str, #[case] keyed: bool) {
    assert_eq!(list_place(&[&value(answer)]), keyed.then(|| (Vec::new(), true)));
}

/// Where the entity of `/things/{id}` is, and whether it is the only item of a list there.
#[rstest]
#[case::root("{}", Some(("", false)))]
#[case::one_key(r#"{"thing":{}}"#, Some(("thing", false)))]
#[case::two_levels(r#"{"data":{"thing":{}}}"#, Some(("data/thing", false)))]
#[case::one_element_list(r#"{"things":[{}]}"#, Some(("things", true)))]
#[case::beside_links(r#"{"data":{},"meta":{}}"#, Some(("data", false)))]
#[case::beside_a_scalar(r#"{"ok":true,"data":{}}"#, Some(("", false)))]
#[case::deeper_than_that(r#"{"ok":true,"data":{"thing":{}}}"#, None)]
fn item_envelopes(#[case] envelope: &'static str, #[case] expected: Option<(&str, bool)>) {
    let body: &'static str = String::leak(envelope.replacen("{}", A, 1));
    let made = made(&[("GET /things/3f2c1b7a-1111-4222-8333-444455556666", 200, body)]);
    let found = match made.shape("/things/3f2c1b7a-1111-4222-8333-444455556666") {
        Shape::Item { place, one_element, address, .. } => {
            assert_eq!(address.last().map(|(slot, _)| slot), Some(&Slot::Path(0)));
            Some((place.join("/"), one_element))
        }
        _ => None,
    };
    assert_eq!(found, expected.map(|(place, one_element)| (place.to_owned(), one_element)));
}

#[test]
fn an_item_may_be_named_by_the_line() {
    let made = made(&[
        ("GET /thing?key=a", 200, r#"{"key":"a","size":1}"#),
        ("GET /thing?key=b", 200, r#"{"key":"b","size":2}"#),
    ]);
    let Shape::Item { address, .. } = made.shape("/thing") else { panic!("{:?}", made.shape("/thing")) };
    assert_eq!(address[0].0, Slot::Key("key".to_owned()));
    assert_eq!(made.answer("GET /thing?key=b"), r#"{"key":"b","size":2}"#);
}

#[test]
fn refused_reads_are_no_entities() {
    let made = made(&[("GET /things/12", 404, r#"{"id":12,"error":"none"}"#)]);
    assert_eq!(made.shape("/things/12"), Shape::None);
}

#[rstest]
#[case(r#"{"items":[{"id":1}]}"#, "items", 1)]
#[case(r#"{"items":null}"#, "items", 0)]
#[case("{}", "items", 0)]
fn what_is_listed(#[case] body: &str, #[case] place: &str, #[case] count: usize) {
    assert_eq!(listed_at(&value(body), &[place.into()], false).len(), count);
}

#[rstest]
#[case("[{}]", true, true)]
#[case("[{},{}]", true, false)]
#[case("[]", true, false)]
#[case("{}", false, true)]
#[case("1", false, false)]
fn one_entity(#[case] body: &str, #[case] one_element: bool, #[case] there: bool) {
    assert_eq!(entity_at(&value(body), &[], one_element).is_some(), there);
}

#[rstest]
#[case::list_and_item(&[
    ("GET /books", 200, r#"[{"id":1,"title":"Alpha"},{"id":2,"title":"Beta"}]"#),
    ("GET /books/1", 200, r#"{"id":1,"title":"Alpha","pages":100}"#),
], &["/books: id; /books /books/{numeric}"])]
#[case::flat_list_over_nested_ones(&[
    ("GET /shelves/7/books", 200, r#"[{"id":11,"title":"Alpha"},{"id":12,"title":"Beta"}]"#),
    ("GET /books", 200, r#"[{"id":11,"title":"Alpha"},{"id":12,"title":"Beta"},{"id":13,"title":"Gamma"}]"#),
], &["/books: id; /books /shelves/{numeric}/books"])]
#[case::small_numbers_are_no_kinship(&[
    ("GET /authors", 200, r#"[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]"#),
    ("GET /books", 200, r#"[{"id":1,"title":"Alpha"},{"id":2,"title":"Beta"}]"#),
], &["/authors: id; /authors", "/books: id; /books"])]
#[case::small_equal_members_are_none_either(&[
    ("GET /authors", 200, r#"[{"id":1,"name":"Ada","rank":1,"active":true},{"id":2,"name":"Bob","rank":2,"active":true}]"#),
    ("GET /books", 200, r#"[{"id":1,"name":"Alpha","rank":1,"active":true},{"id":2,"name":"Beta","rank":2,"active":true}]"#),
], &["/authors: id; /authors", "/books: id; /books"])]
#[case::two_routes_to_one(&[
    ("GET /users/1001", 200, r#"{"id":1001,"name":"ada","mail":"ada@x.test"}"#),
    ("GET /users/1002", 200, r#"{"id":1002,"name":"bob","mail":"bob@x.test"}"#),
    ("GET /users", 200, r#"[{"id":1001,"name":"ada","mail":"ada@x.test"},{"id":1002,"name":"bob","mail":"bob@x.test"}]"#),
    ("GET /admin/members", 200, r#"[{"id":1002,"name":"bob","mail":"bob@x.test","role":"owner"},{"id":1001,"name":"ada","mail":"ada@x.test","role":"guest"}]"#),
], &["/users: id; /admin/members /users /users/{numeric}"])]
#[case::an_item_under_another_is_its_own(&[
    ("GET /books/11", 200, r#"{"id":11,"title":"Alpha"}"#),
    ("GET /books/12", 200, r#"{"id":12,"title":"Beta"}"#),
    ("GET /books/11/notes", 200, r#"[{"id":11,"text":"x"},{"id":12,"text":"y"}]"#),
], &["/books/{numeric}/notes: id; /books/{numeric}/notes", "/books: id; /books/{numeric}"])]
#[case::an_item_beside_more_of_it(&[
    ("GET /find", 200, r#"[{"uid":1001,"title":"Alpha"},{"uid":1002,"title":"Beta"}]"#),
    ("GET /books/1001", 200, r#"{"about":{"slug":"alpha"},"book":{"uid":1001,"title":"Alpha","pages":9}}"#),
    ("GET /books/1002", 200, r#"{"about":{"slug":"beta"},"book":{"uid":1002,"title":"Beta","pages":8}}"#),
], &["/books: uid; /books/{numeric} /find"])]
#[case::what_is_the_same_in_every_entity_tells_nothing(&[
    ("GET /shelves", 200, r#"[{"id":1,"name":"Oak","made":"2026-03-01"},{"id":2,"name":"Elm","made":"2026-03-01"}]"#),
    ("GET /books", 200, r#"[{"id":1,"name":"Alpha","made":"2026-03-01"},{"id":2,"name":"Beta","made":"2026-03-01"}]"#),
], &["/books: id; /books", "/shelves: id; /shelves"])]
#[case::a_text_of_the_key_tells_nothing(&[
    ("GET /shelves", 200, r#"[{"id":1,"name":"Oak","file":"/srv/1.txt"},{"id":2,"name":"Elm","file":"/srv/2.txt"}]"#),
    ("GET /books", 200, r#"[{"id":1,"name":"Alpha","file":"/srv/1.txt"},{"id":2,"name":"Beta","file":"/srv/2.txt"}]"#),
], &["/books: id; /books", "/shelves: id; /shelves"])]
#[case::a_member_that_mostly_differs_tells_them_apart(&[
    ("GET /shelves", 200, r#"[{"id":1,"state":"open"},{"id":2,"state":"open"},{"id":3,"state":"lent"}]"#),
    ("GET /books", 200, r#"[{"id":1,"state":"open"},{"id":2,"state":"lent"},{"id":3,"state":"open"}]"#),
], &["/books: id; /books", "/shelves: id; /shelves"])]
#[case::one_of_few_values_is_equal_by_chance(&[
    ("GET /shelves", 200, r#"[{"id":1,"name":"Oak","state":"open"},{"id":2,"name":"Elm","state":"lent"},
        {"id":3,"name":"Ash","state":"open"},{"id":4,"name":"Yew","state":"open"}]"#),
    ("GET /books", 200, r#"[{"id":1,"name":"Alpha","state":"open"},{"id":2,"name":"Beta","state":"lent"},
        {"id":3,"name":"Gamma","state":"open"},{"id":4,"name":"Delta","state":"open"}]"#),
], &["/books: id; /books", "/shelves: id; /shelves"])]
fn types(#[case] calls: &[Call], #[case] expected: &[&str]) {
    assert_eq!(made(calls).types(), expected);
}

/// What surrounds an entity is part of it where it varies, and an envelope where it does not.
#[rstest]
#[case::envelope(["{}", "{}"], r#"{"about":{},"book":{"uid":1003,"title":"Gamma"}}"#, r#"{"about":{},"book":{"uid":1001,"title":"Alpha"}}"#)]
#[case::part(
    [r#"{"slug":"alpha"}"#, r#"{"slug":"beta"}"#],
    "<incomplete-entity>",
    r#"{"about":{"slug":"alpha"},"book":{"uid":1001,"title":"Alpha"}}"#
)]
fn what_surrounds_an_entity(#[case] about: [&str; 2], #[case] unread: &str, #[case] read: &str) {
    let item = |uid: u16, title: &str, about: &str| -> &'static str {
        format!(r#"{{"about":{about},"book":{{"uid":{uid},"title":"{title}"}}}}"#).leak()
    };
    let made = made(&[
        (
            "GET /find",
            200,
            r#"[{"uid":1001,"title":"Alpha"},{"uid":1002,"title":"Beta"},{"uid":1003,"title":"Gamma"}]"#,
        ),
        ("GET /books/1001", 200, item(1001, "Alpha", about[0])),
        ("GET /books/1002", 200, item(1002, "Beta", about[1])),
        ("GET /books/1009", 404, r#"{"error":"none"}"#),
    ]);
    assert_eq!(made.answer("GET /books/1001"), read);
    assert_eq!(made.answer("GET /books/1003"), unread);
    assert_eq!(made.answer("GET /books/1008"), r#"{"error":"none"}"#);
}

/// A write that names the collection elsewhere (`/admin/users`) may have made what is first read after it.
#[test]
fn what_another_route_made_is_not_there_at_the_start() {
    let made = made(&[
        ("GET /users", 200, r#"[{"id":1001,"name":"ada"},{"id":1002,"name":"bob"}]"#),
        ("GET /users/1001", 200, r#"{"id":1001,"name":"ada"}"#),
        ("POST{\"name\":\"cem\"} /admin/users", 200, r#"{"id":1003,"message":"created"}"#),
        ("GET /users/1003", 200, r#"{"id":1003,"name":"cem"}"#),
        ("GET /users/1009", 404, r#"{"error":"none"}"#),
    ]);
    assert_eq!(made.answer("GET /users/1001"), r#"{"id":1001,"name":"ada"}"#);
    assert_eq!(made.answer("GET /users/1003"), r#"{"error":"none"}"#);
}

/// Without a filter the list is refused, and each part that there is was read: nothing lies outside of them.
#[rstest]
#[case::all_parts("GET /tasks?owner=2", r#"[{"id":13,"owner":2}]"#, 400, r#"{"error":"no task"}"#)]
#[case::only_another_caller("GET /tasks?owner=2", r#"[{"id":13,"owner":2}]"#, 401, "<unknown-partition>")]
#[case::one_was_not_read("GET /owners/2", r#"{"id":2}"#, 400, "<unknown-partition>")]
#[case::not_refused("GET /tasks?owner=2", r#"[{"id":13,"owner":2}]"#, 500, "<unknown-partition>")]
fn what_lies_in_no_part_is_absent(
    #[case] call: &'static str,
    #[case] part: &'static str,
    #[case] status: u16,
    #[case] expected: &str,
) {
    let made = made(&[
        ("GET /owners", 200, r#"[{"id":1},{"id":2}]"#),
        ("GET /owners/1", 200, r#"{"id":1}"#),
        ("GET /tasks", status, r#"{"error":"owner is needed"}"#),
        ("GET /tasks?owner=1", 200, r#"[{"id":11,"owner":1},{"id":12,"owner":1}]"#),
        (call, 200, part),
        ("GET /tasks/11", 200, r#"{"id":11,"owner":1}"#),
        ("GET /tasks/99", 404, r#"{"error":"no task"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/98"), expected);
}

/// What another caller is told beside it says nothing of what the list needs.
#[test]
fn a_list_in_parts_that_another_caller_asked_for_too() {
    let made = made(&[
        ("GET /owners", 200, r#"[{"id":1},{"id":2}]"#),
        ("GET /owners/1", 200, r#"{"id":1}"#),
        ("GET /tasks", 401, r#"{"error":"who are you"}"#),
        ("GET /tasks", 400, r#"{"error":"owner is needed"}"#),
        ("GET /tasks?owner=1", 200, r#"[{"id":11,"owner":1},{"id":12,"owner":1}]"#),
        ("GET /tasks?owner=2", 200, r#"[{"id":13,"owner":2}]"#),
        ("GET /tasks/11", 200, r#"{"id":11,"owner":1}"#),
        ("GET /tasks/99", 404, r#"{"error":"no task"}"#),
    ]);
    assert_eq!(made.answer("GET /tasks/98"), r#"{"error":"no task"}"#);
}
