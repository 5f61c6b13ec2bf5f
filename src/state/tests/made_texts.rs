//! Texts that a write makes: a token inside of an address, identities that rise from one create to the next.

use super::recording::{Made, made};
use crate::json::Value;
use crate::state::Written;
use crate::state::id_names::made_id_names;

fn created(made: &Made, body: &str) -> Written {
    made.write(&made.derived.world, "POST /readers", body).unwrap()
}

fn text<'v>(written: &'v Written, name: &str) -> &'v str {
    written.body.as_ref().and_then(|body| body.get(name)).and_then(Value::as_str).unwrap()
}

fn readers() -> Made {
    const ANN: &str = r#"{"id":"6b0c88d1b32e0f2dede70cc7","name":"Ann","leave":"http://h/x/?who=6b0c88d1b32e0f2dede70cc7&key=2bff699e6ea0e4cfca535d7fb46f2978"}"#;
    const BEN: &str = r#"{"id":"6b0c88d2b32e0f2dede70cd9","name":"Ben","leave":"http://h/x/?who=6b0c88d2b32e0f2dede70cd9&key=5e0cdea0460f6804af76519bc8f06adc"}"#;
    const CAT: &str = r#"{"id":"6b0c88d7e251ff2fe5bb5131","name":"Cat","leave":"http://h/x/?who=6b0c88d7e251ff2fe5bb5131&key=8eb9e7f27ed290a8862aee4e0f9d65b0"}"#;
    const DAN: &str = r#"{"id":"6b0c88d9e251ff2fe5bb5138","name":"Dan","leave":"http://h/x/?who=6b0c88d9e251ff2fe5bb5138&key=564876b44040cf3da45ac4fc30858ae4"}"#;
    let list = |items: &[&str]| -> &'static str { format!("[{}]", items.join(",")).leak() };
    made(&[
        ("GET /readers", 200, list(&[ANN, BEN])),
        ("GET /readers/6b0c88d1b32e0f2dede70cc7", 200, ANN),
        (r#"POST{"name":"Cat"} /readers"#, 201, CAT),
        ("GET /readers/6b0c88d7e251ff2fe5bb5131", 200, CAT),
        ("GET /readers", 200, list(&[ANN, BEN, CAT])),
        (r#"POST{"name":"Dan"} /readers"#, 201, DAN),
        ("GET /readers/6b0c88d9e251ff2fe5bb5138", 200, DAN),
        ("GET /readers", 200, list(&[ANN, BEN, CAT, DAN])),
    ])
}

#[test]
fn a_token_inside_of_an_address_is_made_anew() {
    let made = readers();
    let written = created(&made, r#"{"name":"Eve"}"#);
    let (id, leave) = (text(&written, "id"), text(&written, "leave"));
    let key = leave.strip_prefix(&format!("http://h/x/?who={id}&key=")).unwrap();
    assert_eq!(key.len(), 32);
    assert!(key.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert!(written.generated.contains(&("/leave".to_owned(), "token")), "{:?}", written.generated);
    assert!(made_id_names(&made.derived).contains("leave"), "a comparison has to know that it is made");
}

#[test]
fn identities_that_rise_go_on_rising() {
    let made = readers();
    let written = created(&made, r#"{"name":"Eve"}"#);
    let world = written.world.as_ref().unwrap();
    let ids: Vec<&str> = world.collections(0).flat_map(|(_, held)| held.iter()).map(|held| held.id.as_ref()).collect();
    assert_eq!(ids.iter().max(), Some(&text(&written, "id")), "{ids:?}");
}

/// Notes beside their rendering: no recorded call takes one away, but one that has none shows what there is then.
#[rstest::rstest]
#[case::null("null", r#"{"id":1,"note":null,"html":null}"#)]
#[case::nothing_known(r#""""#, "")]
fn a_text_that_is_made_of_null_is_what_others_show(#[case] html: &str, #[case] expected: &str) {
    let none: &str = format!(r#"{{"id":3,"note":null,"html":{html}}}"#).leak();
    let list: &str =
        format!(r#"[{{"id":1,"note":"a","html":"<p>a</p>"}},{{"id":2,"note":"b","html":"<p>b</p>"}},{none}]"#).leak();
    let changed = r#"{"id":2,"note":"red fox","html":"<p>red fox</p>"}"#;
    let again = r#"{"id":2,"note":"old owl","html":"<p>old owl</p>"}"#;
    let made = made(&[
        ("GET /notes", 200, list),
        ("GET /notes/1", 200, r#"{"id":1,"note":"a","html":"<p>a</p>"}"#),
        (r#"PATCH{"note":"red fox"} /notes/2"#, 200, changed),
        ("GET /notes/2", 200, changed),
        (r#"PATCH{"note":"old owl"} /notes/2"#, 200, again),
        ("GET /notes/2", 200, again),
    ]);
    let written = made.write(&made.derived.world, "PATCH /notes/1", r#"{"note":null}"#);
    let body = written.ok().and_then(|written| written.body).map(|body| body.to_compact());
    assert_eq!(body.unwrap_or_default(), expected);
}
