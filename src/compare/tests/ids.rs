//! Identifiers of a re-seeded application.

use super::fixture::{Entry, agrees, call, compared, differences, get, post, probe, served, steps};
use crate::compare::{Source, compare};

/// Users, as the capture numbers them.
fn recorded() -> Vec<Entry> {
    vec![
        get("/api/users", r#"[{"id":1,"name":"ann"},{"id":2,"name":"bob"}]"#),
        get("/api/users/1", r#"{"id":1,"name":"ann","folder_id":7}"#),
        get("/api/users/2", r#"{"id":2,"name":"bob","folder_id":8}"#),
        get("/api/search?user=1&limit=1", r#"{"owner":"ann","limit":1}"#),
        get("/api/search?user=2&limit=2", r#"{"owner":"bob","limit":2}"#),
    ]
}

#[test]
fn a_natural_key_maps_identifiers_and_paths() {
    let found = compared(
        &recorded(),
        &[
            get("/api/users", r#"[{"id":11,"name":"ann"},{"id":12,"name":"bob"}]"#),
            get("/api/users/12", r#"{"id":12,"name":"bob","folder_id":8}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true), Some(true)]);
    assert_eq!(found.summary.normalised.ids, 3);
    assert_eq!(found.summary.id_conflicts, 0);
}

#[test]
fn without_a_key_that_both_share_nothing_is_learned() {
    let found = compared(&recorded(), &[get("/api/users", r#"[{"id":11,"name":"cid"},{"id":12,"name":"dan"}]"#)]);
    assert_eq!(agrees(&found), [Some(false)]);
    assert_eq!(
        differences(&steps(&found)[0]),
        ["value /0/id 11 1", r#"value /0/name "cid" "ann""#, "value /1/id 12 2", r#"value /1/name "dan" "bob""#]
    );
}

#[test]
fn a_query_value_is_translated_and_a_paging_value_is_not() {
    // Live user 2 is the environment's user 1: the query asks for that one, and `limit` keeps its number.
    let found = compared(
        &recorded(),
        &[
            get("/api/users", r#"[{"id":2,"name":"ann"},{"id":9,"name":"bob"}]"#),
            get("/api/search?user=2&limit=1", r#"{"owner":"ann","limit":1}"#),
            get("/api/search?user=9&limit=2", r#"{"owner":"bob","limit":2}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true); 3]);
}

#[test]
fn another_calls_recording_teaches_nothing() {
    // User 77 was never recorded: the environment replays another user in its place.
    let found = compared(
        &recorded(),
        &[
            get("/api/users/77", r#"{"id":77,"name":"ann","folder_id":70}"#),
            get("/api/users/1", r#"{"id":1,"name":"ann","folder_id":70}"#),
        ],
    );
    assert_eq!(differences(&steps(&found)[0]), ["value /id 77 1", "value /folder_id 70 7"]);
    // The recording of that very call does teach.
    assert_eq!(agrees(&found), [Some(false), Some(true)]);
}

#[test]
fn a_recording_whose_body_the_probe_left_out_teaches_nothing() {
    let recorded =
        [post("/api/users", r#"{"name":"ann"}"#, r#"{"id":1,"owner_id":3}"#), get("/api/users/1", r#"{"id":1}"#)];
    let same = post("/api/users", r#"{"name":"ann"}"#, r#"{"id":5,"owner_id":6}"#);
    let other = post("/api/users", r#"{"name":"bob"}"#, r#"{"id":5,"owner_id":6}"#);
    let without = call("POST", "/api/users", 201, r#"{"id":5,"owner_id":6}"#);
    assert_eq!(agrees(&compared(&recorded, &[same])), [Some(true)]);
    assert_eq!(agrees(&compared(&recorded, &[other])), [Some(false)]);
    assert_eq!(agrees(&compared(&recorded, &[without])), [Some(false)]);
}

#[test]
fn a_create_that_answers_only_the_new_id_teaches_it() {
    let recorded = [
        post("/api/users", r#"{"name":"ann"}"#, "4"),
        get("/api/users/4", r#"{"id":4,"name":"ann"}"#),
        post("/api/count", r#"{"name":"ann"}"#, "4"),
    ];
    let found = compared(
        &recorded,
        &[
            post("/api/users", r#"{"name":"ann"}"#, "9"),
            get("/api/users/9", r#"{"id":9,"name":"ann"}"#),
            post("/api/count", r#"{"name":"ann"}"#, "9"),
        ],
    );
    // A bare number elsewhere is a number.
    assert_eq!(agrees(&found)[..2], [Some(true), Some(true)]);
    assert_eq!(differences(&steps(&found)[2]), ["value  9 4"]);
}

#[test]
fn two_collections_may_reuse_an_id() {
    let recorded = [
        get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/posts", r#"[{"id":2,"name":"hello"}]"#),
        get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
        get("/api/posts/2", r#"{"id":2,"name":"hello"}"#),
    ];
    let found = compared(
        &recorded,
        &[
            get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
            get("/api/posts", r#"[{"id":1,"name":"hello"}]"#),
            get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
            get("/api/posts/1", r#"{"id":1,"name":"hello"}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true); 4]);
    assert_eq!(found.summary.id_conflicts, 0, "an equal pair stays in its collection");
}

#[test]
fn a_live_id_may_be_another_entitys_in_the_environment() {
    let recorded = [
        get("/api/users", r#"[{"id":1,"name":"ann"},{"id":2,"name":"bob"}]"#),
        get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
        get("/api/users/2", r#"{"id":2,"name":"bob"}"#),
    ];
    let found = compared(
        &recorded,
        &[
            get("/api/users", r#"[{"id":2,"name":"ann"},{"id":1,"name":"bob"}]"#),
            get("/api/users/2", r#"{"id":2,"name":"ann"}"#),
            get("/api/users/1", r#"{"id":1,"name":"bob"}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true); 3]);
}

#[test]
fn nested_collections_keep_their_parents() {
    let recorded = [
        get("/api/teams", r#"[{"id":1,"name":"red"},{"id":2,"name":"blue"}]"#),
        get("/api/teams/1/members", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/teams/2/members", r#"[{"id":5,"name":"bob"}]"#),
        get("/api/teams/1/members/1", r#"{"id":1,"name":"ann"}"#),
        get("/api/teams/2/members/5", r#"{"id":5,"name":"bob"}"#),
    ];
    let found = compared(
        &recorded,
        &[
            get("/api/teams", r#"[{"id":8,"name":"red"},{"id":9,"name":"blue"}]"#),
            get("/api/teams/8/members", r#"[{"id":3,"name":"ann"}]"#),
            get("/api/teams/9/members", r#"[{"id":3,"name":"bob"}]"#),
            get("/api/teams/8/members/3", r#"{"id":3,"name":"ann"}"#),
            get("/api/teams/9/members/3", r#"{"id":3,"name":"bob"}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true); 5]);
}

#[test]
fn a_global_conflict_with_an_equal_pair_excuses_neither() {
    let recorded = [
        get("/api/a", r#"{"owner_id":1,"n":1}"#),
        get("/api/b", r#"{"owner_id":2,"n":1}"#),
        get("/api/c", r#"{"owner_id":2,"n":1}"#),
    ];
    let found = compared(
        &recorded,
        &[
            get("/api/a", r#"{"owner_id":1,"n":1}"#),
            get("/api/b", r#"{"owner_id":1,"n":1}"#),
            get("/api/c", r#"{"owner_id":1,"n":1}"#),
        ],
    );
    assert_eq!(agrees(&found), [Some(true), Some(false), Some(false)]);
    assert_eq!(found.summary.id_conflicts, 1);
}

#[test]
fn identifiers_map_where_identifiers_stand_and_nowhere_else() {
    let recorded = [
        get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/facts", r#"{"user_id":1,"ids":[1],"count":1,"user":"1"}"#),
    ];
    let found = compared(
        &recorded,
        &[
            get("/api/users", r#"[{"id":11,"name":"ann"}]"#),
            get("/api/facts", r#"{"user_id":11,"ids":[11],"count":11,"user":"11"}"#),
        ],
    );
    assert_eq!(differences(&steps(&found)[1]), ["value /count 11 1", r#"value /user "11" "1""#]);
}

#[test]
fn an_item_answer_of_another_entity_is_not_a_new_identity() {
    let recorded = [get("/api/users/1", r#"{"id":2,"name":"bob"}"#), get("/api/users/3", r#"{"id":3,"name":"ann"}"#)];
    let found = compared(&recorded, &[get("/api/users/1", r#"{"id":1,"name":"bob"}"#)]);
    assert_eq!(differences(&steps(&found)[0]), ["value /id 1 2"]);
}

#[test]
fn embedded_and_keyed_identifiers_are_counted_apart() {
    const A: &str = "0b2f41de-1111-4aaa-8bbb-000000000001";
    const B: &str = "9c3e52cf-2222-4ccc-9ddd-000000000002";
    let answers = |id: &str| {
        [
            get("/api/flows", &format!(r#"[{{"id":"{id}","name":"f","url":"http://app.test/api/flows/{id}/"}}]"#)),
            get("/api/sizes", &format!(r#"{{"{id}":{{"bytes":5}}}}"#)),
        ]
    };
    let found = compared(&answers(A), &answers(B));
    assert_eq!(agrees(&found), [Some(true); 2]);
    let counts = found.summary.normalised;
    assert_eq!((counts.ids, counts.embedded_ids, counts.keyed_ids), (1, 1, 1));
}

#[test]
fn an_object_keyed_by_id_teaches_by_the_names_inside() {
    const A: [&str; 2] = ["0b2f41de-1111-4aaa-8bbb-000000000001", "0b2f41de-1111-4aaa-8bbb-000000000002"];
    const B: [&str; 2] = ["9c3e52cf-2222-4ccc-9ddd-000000000003", "9c3e52cf-2222-4ccc-9ddd-000000000004"];
    let answers = |ids: [&str; 2], first: &str| {
        [
            get("/api/watch", &format!(r#"{{"{}":{{"title":"{first}"}},"{}":{{"title":"y"}}}}"#, ids[0], ids[1])),
            get(&format!("/api/watch/{}", ids[0]), r#"{"title":"x"}"#),
        ]
    };
    let found = compared(&answers(A, "x"), &answers(B, "x"));
    assert_eq!(agrees(&found), [Some(true); 2]);
    assert_eq!(found.summary.normalised.keyed_ids, 2);
    let found = compared(&answers(A, "x"), &answers(B, "z"));
    assert_eq!(agrees(&found)[0], Some(false), "another title is another entity");
}

#[test]
fn an_id_that_nothing_taught_is_counted_where_the_environment_does_not_know_it() {
    let recorded = [
        get("/api/users", r#"[{"id":1,"name":"ann"}]"#),
        get("/api/users/1", r#"{"id":1,"name":"ann"}"#),
        call("GET", "/api/users/99", 404, r#"{"error":"none"}"#),
    ];
    let found = compared(&recorded, &[get("/api/users/99", r#"{"id":99,"name":"zoe"}"#)]);
    assert_eq!(found.summary.unlearned_ids, 1);
    let taught = compared(
        &recorded,
        &[get("/api/users", r#"[{"id":99,"name":"ann"}]"#), call("GET", "/api/users/98", 404, r#"{"error":"none"}"#)],
    );
    assert_eq!(taught.summary.unlearned_ids, 0, "the application does not know it either");
}

/// A delete tells a batch that no read shows: the environment's is the recorded one, which teaches nothing of the live one.
#[test]
fn a_member_that_only_the_recording_gives_teaches_no_identifier() {
    let note = |id: u32, text: &str| format!(r#"{{"id":{id},"text":"{text}"}}"#);
    let gone = |id: u32, text: &str, batch: u32| {
        let was = format!(r#"{{"was":{},"batch_id":{batch}}}"#, note(id, text));
        call("DELETE", &format!("/notes/{id}"), 200, &was)
    };
    let list = |notes: &[String]| get("/notes", &format!("[{}]", notes.join(",")));
    let (one, two, three) = (note(1, "one"), note(2, "two"), note(3, "three"));
    let capture = [
        list(&[one, two.clone(), three.clone()]),
        get("/notes/3", &three),
        gone(1, "one", 901),
        list(&[two.clone(), three.clone()]),
        gone(2, "two", 417),
        list(std::slice::from_ref(&three)),
    ];
    let live = [gone(3, "three", 655), list(&[note(1, "one"), two])];
    let found = compare(&served(&capture), None, &[probe(&live)], &|_| {}).unwrap();
    assert_eq!(steps(&found)[0].source, Source::Recording);
    assert_eq!(agrees(&found), [Some(false), Some(true)]);
}
