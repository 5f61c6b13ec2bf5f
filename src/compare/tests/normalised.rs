//! Clocks in their contexts: what is forgiven, and the neighbour that is not.

use super::fixture::{compared, get, steps};
use rstest::rstest;

#[rstest]
#[case::iso_anywhere(r#"{"x":"2024-01-01T00:00:00Z"}"#, r#"{"x":"2025-01-01T00:00:00Z"}"#, 1)]
#[case::iso_in_a_root_array(r#"["2024-01-01T00:00:00Z"]"#, r#"["2025-01-01T00:00:00Z"]"#, 1)]
#[case::epoch_under_a_clock_name(r#"{"created_at":1700000000}"#, r#"{"created_at":1700000001}"#, 1)]
#[case::an_array_keeps_its_fields_context(r#"{"time":[[1700000000]]}"#, r#"{"time":[[1700000001]]}"#, 1)]
#[case::an_objects_own_field(r#"{"x":{"updated":1700000000}}"#, r#"{"x":{"updated":1700000001}}"#, 1)]
fn forgiven(#[case] recorded: &str, #[case] live: &str, #[case] clocks: usize) {
    let found = compared(&[get("/api/x", recorded)], &[get("/api/x", live)]);
    assert!(steps(&found)[0].verdict.unwrap().agrees);
    assert_eq!(found.summary.normalised.clocks, clocks);
}

#[rstest]
#[case::another_format(r#"{"x":"2024-01-01T00:00:00Z"}"#, r#"{"x":"2024-01-01T00:00:00.000Z"}"#)]
#[case::offset_out_of_range(r#"{"x":"2024-01-01T00:00:00+24:00"}"#, r#"{"x":"2025-01-01T00:00:00+24:00"}"#)]
#[case::a_date_alone(r#"{"date":"2024-01-01"}"#, r#"{"date":"2024-01-02"}"#)]
#[case::a_number_at_the_root("1700000000", "1700000001")]
#[case::a_number_in_a_root_array("[1700000000]", "[1700000001]")]
#[case::a_measurement(r#"{"duration":1700000000}"#, r#"{"duration":1700000001}"#)]
#[case::an_objects_own_field_has_its_own_context(
    r#"{"time":{"value":1700000000}}"#,
    r#"{"time":{"value":1700000001}}"#
)]
#[case::an_object_in_a_clock_array(r#"{"time":[{"value":1700000000}]}"#, r#"{"time":[{"value":1700000001}]}"#)]
#[case::a_small_number(r#"{"time":35}"#, r#"{"time":36}"#)]
#[case::another_unit(r#"{"time":1700000000}"#, r#"{"time":1700000000000}"#)]
#[case::a_number_as_text(r#"{"time":"1700000000"}"#, r#"{"time":"1700000001"}"#)]
#[case::a_clock_against_null(r#"{"at":"2024-01-01T00:00:00Z"}"#, r#"{"at":null}"#)]
#[case::a_token_by_its_name(r#"{"token":"abc12345"}"#, r#"{"token":"xyz98765"}"#)]
#[case::a_uuid_by_its_shape(
    r#"{"session":"0b2f41de-1111-4aaa-8bbb-000000000001"}"#,
    r#"{"session":"9c3e52cf-2222-4ccc-9ddd-000000000002"}"#
)]
fn not_forgiven(#[case] recorded: &str, #[case] live: &str) {
    let found = compared(&[get("/api/x", recorded)], &[get("/api/x", live)]);
    assert!(!steps(&found)[0].verdict.unwrap().agrees);
    assert_eq!(found.summary.normalised.clocks, 0);
}
