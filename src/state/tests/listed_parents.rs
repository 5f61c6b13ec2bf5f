//! Entities that several lists show, none of them an item: where they are is said by the member that the path of their
//! list says.

use super::recording::made;
use crate::state::path::MemberPath;

#[test]
fn what_another_list_shows_is_where_its_member_says() {
    let made = made(&[
        ("GET /links/1", 200, r#"[{"zone":1,"end":11,"word":"one"},{"zone":1,"end":12,"word":"two"}]"#),
        ("GET /links/2", 200, r#"[{"zone":2,"end":11,"word":"three"}]"#),
        ("GET /links/3", 200, "[]"),
        ("GET /ends/11/links", 200, r#"[{"zone":1,"end":11,"word":"one"},{"zone":2,"end":11,"word":"three"}]"#),
        ("GET /ends/12/links", 200, r#"[{"zone":1,"end":12,"word":"two"}]"#),
        (r#"POST{"word":"four"} /links/1/ends/11"#, 201, ""),
        (r#"POST{"word":"five"} /links/1/ends/12"#, 201, ""),
        (
            "GET /ends/11/links",
            200,
            r#"[{"zone":1,"end":11,"word":"one"},{"zone":2,"end":11,"word":"three"},{"zone":1,"end":11,"word":"four"}]"#,
        ),
        ("GET /ends/12/links", 200, r#"[{"zone":1,"end":12,"word":"two"},{"zone":1,"end":12,"word":"five"}]"#),
    ]);
    let kinds = &made.derived.types;
    let told = |member: &str| kinds.iter().any(|kind| kind.parents == [Some(MemberPath::member(member))]);
    assert!(told("end") || told("zone"));
}
