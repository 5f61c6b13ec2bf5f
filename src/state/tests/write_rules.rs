//! Rules of members after a write, each over a small recording that shows it.

use super::recording::{Made, made, value};
use crate::json::Value;
use crate::state::member_rule::MemberExpr;
use crate::state::{World, WriteRefusal, Written};

fn call(made: &Made, world: &World, line: &str, body: Option<&Value>) -> Result<Written, WriteRefusal> {
    made.write(world, line, &body.map(Value::to_compact).unwrap_or_default())
}

fn answered(made: &Made, line: &str, body: &str) -> Value {
    let written = call(made, &made.derived.world, line, Some(&value(body))).unwrap();
    written.body.unwrap()
}

#[test]
fn what_a_call_sends_tells_its_rule_before_pairs_that_only_one_call_shows() {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","tag":"a","rev":"0d81ca46-45ca-4342-9b73-6fb7ba70e543"},
               {"id":2,"name":"bell","tag":"b","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","tag":"a","rev":"0d81ca46-45ca-4342-9b73-6fb7ba70e543"}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","tag":"b","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"}"#),
        (
            r#"PATCH{"name":"axe","rev":"0d81ca46-45ca-4342-9b73-6fb7ba70e543"} /api/things/1"#,
            200,
            r#"{"id":1,"name":"axe","tag":"a","rev":"fdc41b19-ef52-49ab-88b9-6f3e1774130a"}"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"axe","tag":"a","rev":"fdc41b19-ef52-49ab-88b9-6f3e1774130a"}"#),
        (
            r#"PATCH{"tag":"c","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"} /api/things/2"#,
            200,
            r#"{"id":2,"name":"bell","tag":"c","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"}"#,
        ),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","tag":"c","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"}"#),
        (
            r#"PATCH{"name":"gong","rev":"5c4122b8-7c2c-4abf-82c7-0c79667b05f2"} /api/things/2"#,
            200,
            r#"{"id":2,"name":"gong","tag":"c","rev":"dcc4391d-54b9-4b08-8044-eea2472639e1"}"#,
        ),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"gong","tag":"c","rev":"dcc4391d-54b9-4b08-8044-eea2472639e1"}"#),
        (
            r#"PATCH{"tag":"d","rev":"dcc4391d-54b9-4b08-8044-eea2472639e1"} /api/things/2"#,
            200,
            r#"{"id":2,"name":"gong","tag":"d","rev":"dcc4391d-54b9-4b08-8044-eea2472639e1"}"#,
        ),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"gong","tag":"d","rev":"dcc4391d-54b9-4b08-8044-eea2472639e1"}"#),
    ]);
    let other = "c03f1b7e-3c57-4d1e-9a51-4a6f5c0a7c11";
    let renamed = answered(&made, "PATCH /api/things/1", &format!(r#"{{"name":"saw","rev":"{other}"}}"#));
    assert_ne!(renamed.get("rev").and_then(Value::as_str), Some(other), "a name makes a new revision");
    let tagged = answered(&made, "PATCH /api/things/1", &format!(r#"{{"tag":"z","rev":"{other}"}}"#));
    // In all calls that kept it, what was sent was what was held: it is not stored, it is kept.
    let held = "0d81ca46-45ca-4342-9b73-6fb7ba70e543";
    assert_eq!(tagged.get("rev").and_then(Value::as_str), Some(held), "a tag makes none");
}

#[test]
fn a_list_is_stored_by_the_names_of_what_it_names() {
    let made = made(&[
        (
            "GET /api/tags",
            200,
            r#"[{"id":7,"name":"zinc"},{"id":8,"name":"oak"},{"id":9,"name":"elm"},{"id":10,"name":"ash"}]"#,
        ),
        ("GET /api/things", 200, r#"[{"id":1,"name":"anvil","tags":[]}]"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","tags":[]}"#),
        (r#"POST{"name":"bell","tags":[7,8]} /api/things"#, 201, r#"{"id":2,"name":"bell","tags":[8,7]}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","tags":[8,7]}"#),
        (r#"POST{"name":"crate","tags":[8]} /api/things"#, 201, r#"{"id":3,"name":"crate","tags":[8]}"#),
        ("GET /api/things/3", 200, r#"{"id":3,"name":"crate","tags":[8]}"#),
    ]);
    let made_of = answered(&made, "POST /api/things", r#"{"name":"drum","tags":[7,9,8,10]}"#);
    assert!(made_of.get("tags").unwrap().same_as(&value("[10,9,8,7]")), "{}", made_of.to_compact());
}

/// Two members were sent with each other: the one of the changed value's type is taken for the cause.
#[test]
fn of_members_sent_together_one_of_the_value_s_type_is_the_cause() {
    let made = made(&[
        (
            "GET /pools",
            200,
            r#"[{"id":1,"text":"a","limit":null,"slots":null,"open":true},{"id":2,"text":"b","limit":null,"slots":null,"open":true}]"#,
        ),
        (r#"PATCH{"text":"c","limit":4} /pools/1"#, 200, r#"{"id":1,"text":"c","limit":4,"slots":0,"open":true}"#),
        (
            "GET /pools",
            200,
            r#"[{"id":1,"text":"c","limit":4,"slots":0,"open":true},{"id":2,"text":"b","limit":null,"slots":null,"open":true}]"#,
        ),
        (r#"PATCH{"open":false} /pools/2"#, 200, r#"{"id":2,"text":"b","limit":null,"slots":null,"open":false}"#),
        (
            "GET /pools",
            200,
            r#"[{"id":1,"text":"c","limit":4,"slots":0,"open":true},{"id":2,"text":"b","limit":null,"slots":null,"open":false}]"#,
        ),
    ]);
    let plan = made.derived.plan(made.tool("PATCH", "/pools/1")).unwrap();
    let rule = plan.parts[0].slots.iter().find(|(slot, _)| &*slot.name == "slots").map(|(_, rule)| rule);
    let Some(MemberExpr::IfSent(path, _, _)) = rule else { panic!("{rule:?}") };
    assert_eq!(path.spelling(), "limit");
}

const TAGS: [(&str, u16, &str); 9] = [
    (
        "GET /api/tags",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","slug":"core_63fc","note":"a"},
           {"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge","slug":"edge_b7d7","note":"b"},
           {"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","slug":"spare_d84e","note":"c"}]"#,
    ),
    (
        "GET /api/tags/63fcf589-838d-4f6a-ac2d-607c9a46e728",
        200,
        r#"{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","slug":"core_63fc","note":"a"}"#,
    ),
    (
        r#"PATCH{"note":"x"} /api/tags/63fcf589-838d-4f6a-ac2d-607c9a46e728"#,
        200,
        r#"{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","slug":"core_63fc","note":"x"}"#,
    ),
    (
        "GET /api/tags/63fcf589-838d-4f6a-ac2d-607c9a46e728",
        200,
        r#"{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","slug":"core_63fc","note":"x"}"#,
    ),
    (
        r#"PATCH{"name":"on loan"} /api/tags/b7d74142-1c45-4577-8690-6918888123a3"#,
        200,
        r#"{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"on loan","slug":"on-loan_b7d7","note":"b"}"#,
    ),
    (
        "GET /api/tags/b7d74142-1c45-4577-8690-6918888123a3",
        200,
        r#"{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"on loan","slug":"on-loan_b7d7","note":"b"}"#,
    ),
    (
        r#"PATCH{"note":"z"} /api/tags/d84ef776-07c8-46bd-b2cf-1704b9d9a73c"#,
        200,
        r#"{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","slug":"spare_d84e","note":"z"}"#,
    ),
    (
        "GET /api/tags/d84ef776-07c8-46bd-b2cf-1704b9d9a73c",
        200,
        r#"{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","slug":"spare_d84e","note":"z"}"#,
    ),
    (
        "GET /api/tags",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","slug":"core_63fc","note":"x"},
           {"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"on loan","slug":"on-loan_b7d7","note":"b"},
           {"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","slug":"spare_d84e","note":"z"}]"#,
    ),
];

#[test]
fn a_name_that_only_finds_the_target_itself_looks_nothing_up() {
    let made = made(&TAGS);
    let renamed = answered(&made, "PATCH /api/tags/63fcf589-838d-4f6a-ac2d-607c9a46e728", r#"{"name":"far out"}"#);
    assert_eq!(renamed.get("slug").and_then(Value::as_str), Some("far-out_63fc"));
}

#[test]
fn a_text_that_a_write_makes_is_made_alike_of_another_identity() {
    let made = made(&TAGS);
    let here = value(r#"{"id":"9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"on loan","slug":"on-loan_9ef3"}"#);
    let live = value(r#"{"id":"beb3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"on loan","slug":"on-loan_beb3"}"#);
    assert_eq!(made.derived.made_value(0, "slug", &live, &here), Some("on-loan_beb3".into()));
    let other = value(r#"{"id":"9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"on loan","slug":"loan"}"#);
    assert_eq!(made.derived.made_value(0, "slug", &live, &other), None, "no rule made this one");
}

const ROUTES: [(&str, u16, &str); 11] = [
    (
        "GET /api/tags",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core"},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge"}]"#,
    ),
    (
        "GET /api/tags?counted=false",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core"},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge"}]"#,
    ),
    (
        "GET /api/tags?counted=true",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","uses":2},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge","uses":1}]"#,
    ),
    (r#"POST{"name":"spare"} /api/tags"#, 201, r#"{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare"}"#),
    (
        "GET /api/tags?counted=true",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","uses":2},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge","uses":1},{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","uses":0}]"#,
    ),
    (r#"POST{"name":"loan"} /api/tags"#, 201, r#"{"id":"9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"loan"}"#),
    (
        "GET /api/tags?counted=true",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core","uses":2},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge","uses":1},{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare","uses":0},{"id":"9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"loan","uses":0}]"#,
    ),
    (
        "GET /api/tags",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core"},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge"},{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare"},{"id":"9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471","name":"loan"}]"#,
    ),
    ("DELETE /api/tags/9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471", 204, ""),
    (
        "GET /api/tags",
        200,
        r#"[{"id":"63fcf589-838d-4f6a-ac2d-607c9a46e728","name":"core"},{"id":"b7d74142-1c45-4577-8690-6918888123a3","name":"edge"},{"id":"d84ef776-07c8-46bd-b2cf-1704b9d9a73c","name":"spare"}]"#,
    ),
    ("GET /api/tags/9ef3bfeb-fb7e-4f26-b5e3-7ec08974e471", 404, r#"{"error":"none"}"#),
];

#[test]
fn a_switch_that_is_off_shows_nothing_and_one_that_is_on_shows_more() {
    let made = made(&ROUTES);
    let counted = made.answer("GET /api/tags?counted=true");
    assert!(counted.contains(r#""name":"edge","uses":1"#), "{counted}");
    let plain = made.answer("GET /api/tags?counted=false");
    assert!(plain.starts_with('[') && !plain.contains("uses"), "{plain}");
    let written = call(&made, &made.derived.world, "POST /api/tags", Some(&value(r#"{"name":"far"}"#))).unwrap();
    let counted = made.answer_in(&written.world.unwrap(), "GET /api/tags?counted=true");
    assert!(counted.contains(r#""name":"far","uses":0"#), "{counted}");
}
