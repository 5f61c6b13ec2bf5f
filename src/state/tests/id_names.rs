//! Members that hold made identifiers beside the identity.

use super::recording::made;
use crate::state::id_names::made_id_names;
use rstest::rstest;

#[rstest]
#[case::tokens("uid", ["bt7mw6xxvpkrj1", "b463zo53hqcjzm"], true)]
#[case::a_token_of_letters_among_others("itemUID", ["bt7mw6xxvpkrj1", "b463zo53hqcjzm", "bcwulqxqvhnhyw"], true)]
#[case::uuids("trace_id", ["0b2f41de-1111-4aaa-8bbb-000000000001", "9c3e52cf-2222-4ccc-9ddd-000000000002"], true)]
#[case::words("uid", ["checkout", "payments"], false)]
#[case::one_for_all("org_id", ["bt7mw6xxvpkrj1", "bt7mw6xxvpkrj1"], false)]
#[case::another_name("colour", ["bt7mw6xxvpkrj1", "b463zo53hqcjzm"], false)]
#[case::an_ending_within_a_word("paid", ["bt7mw6xxvpkrj1", "b463zo53hqcjzm"], false)]
fn names<const N: usize>(#[case] name: &str, #[case] texts: [&str; N], #[case] expected: bool) {
    let items: Vec<String> =
        texts.iter().enumerate().map(|(at, text)| format!(r#"{{"id":{at},"n":"x{at}","{name}":"{text}"}}"#)).collect();
    let list: &'static str = format!("[{}]", items.join(",")).leak();
    let item: &'static str = items[0].clone().leak();
    let made = made(&[("GET /tasks", 200, list), ("GET /tasks/0", 200, item)]);
    assert_eq!(made_id_names(&made.derived).contains(name), expected);
}
