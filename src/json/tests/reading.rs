//! Reading: what is refused and where, what is kept, and what it costs.

use super::any_value;
use crate::json::{ParseOptions, SyntaxProblem, Text, Value, canonical_bytes, parse, parse_document, resolve};
use proptest::prelude::*;
use rstest::rstest;

#[rstest]
#[case("", 0, "empty document")]
#[case(" \n\t\r ", 5, "empty document")]
#[case("{", 1, "unexpected end of the document")]
#[case("[1,", 3, "unexpected end of the document")]
#[case("[1", 2, "unexpected end of the document")]
#[case("{\"a\"", 4, "unexpected end of the document")]
#[case("{\"a\":", 5, "unexpected end of the document")]
#[case("\"abc", 4, "unexpected end of the document")]
#[case("\"abc\\", 5, "unexpected end of the document")]
#[case("\"\\u12", 5, "unexpected end of the document")]
#[case("tru", 3, "unexpected end of the document")]
#[case("-", 1, "unexpected end of the document")]
#[case("1.", 2, "unexpected end of the document")]
#[case("1e+", 3, "unexpected end of the document")]
#[case("[1,]", 3, "expected a value")]
#[case("[,1]", 1, "expected a value")]
#[case("[1 2]", 3, "expected `,` or `]`")]
#[case("[1}", 2, "expected `,` or `]`")]
#[case("{\"a\":1]", 6, "expected `,` or `}`")]
#[case("{\"a\" 1}", 5, "expected `:`")]
#[case("{\"a\":1,}", 7, "expected a member name")]
#[case("{a:1}", 1, "expected a member name or `}`")]
#[case("{'a':1}", 1, "expected a member name or `}`")]
#[case("[1] // c", 4, "unexpected text after the document")]
#[case("1 2", 2, "unexpected text after the document")]
#[case("{}}", 2, "unexpected text after the document")]
#[case("/* c */1", 0, "expected a value")]
#[case("True", 0, "expected a value")]
#[case("trux", 3, "expected true")]
#[case("nil", 1, "expected null")]
#[case("NaN", 0, "expected a value")]
#[case("+1", 0, "expected a value")]
#[case(".5", 0, "expected a value")]
#[case("01", 1, "invalid number")]
#[case("-01", 2, "invalid number")]
#[case("[1.]", 3, "invalid number")]
#[case("[1.e5]", 3, "invalid number")]
#[case("[-]", 2, "invalid number")]
#[case("[1e]", 3, "invalid number")]
#[case("1.2.3", 3, "invalid number")]
#[case("\"a\tb\"", 2, "unescaped control character in a text")]
#[case("\"a\nb\"", 2, "unescaped control character in a text")]
#[case("\"\u{0}\"", 1, "unescaped control character in a text")]
#[case("\"a\\qb\"", 2, "invalid escape")]
#[case("\"\\u12g4\"", 1, "invalid escape")]
#[case("\"\\ud800\\u12g4\"", 7, "invalid escape")]
#[case("\"\\U0041\"", 1, "invalid escape")]
#[case("\u{feff}1", 0, "expected a value")]
fn refused(#[case] text: &str, #[case] position: usize, #[case] problem: &str) {
    let error = parse(text.as_bytes()).unwrap_err();
    assert_eq!((error.position, error.problem.to_string().as_str()), (position, problem), "{error}");
}

#[rstest]
#[case(b"\"a\xff\"", 2, SyntaxProblem::InvalidUtf8)]
#[case(b"\xff", 0, SyntaxProblem::InvalidUtf8)]
#[case(b"[1]\xff", 3, SyntaxProblem::InvalidUtf8)]
#[case(b"\"\xed\xa0\x80\"", 1, SyntaxProblem::InvalidUtf8)]
#[case(b"\"\xc0\xaf\"", 1, SyntaxProblem::InvalidUtf8)]
#[case(b"\"\xe2\x82", 1, SyntaxProblem::InvalidUtf8)]
#[case(b"[1,]\xff", 3, SyntaxProblem::Expected { expected: "a value" })]
fn bytes_that_are_not_utf8(#[case] text: &[u8], #[case] position: usize, #[case] problem: SyntaxProblem) {
    let error = parse(text).unwrap_err();
    assert_eq!((error.position, error.problem), (position, problem));
}

#[test]
fn a_place_has_line_and_column_in_characters() {
    let error = parse("{\n  \"é😀\": 1,\n  \"ü\": x\n}".as_bytes()).unwrap_err();
    assert_eq!((error.position, error.line, error.column), (25, 3, 8));
    assert_eq!(error.to_string(), "expected a value at byte 25 (line 3, column 8)");
}

#[test]
fn a_byte_order_mark_is_skipped_only_when_asked() {
    let options = ParseOptions { skip_bom: true, ..ParseOptions::default() };
    assert!(parse_document("\u{feff}1".as_bytes(), options).unwrap().had_bom);
    assert!(!parse_document(b"1", options).unwrap().had_bom);
    let error = parse_document("\u{feff}".as_bytes(), options).unwrap_err();
    assert_eq!((error.position, error.problem), (3, SyntaxProblem::Empty));
    assert!(parse_document("\u{feff}\u{feff}1".as_bytes(), options).is_err());
}

#[test]
fn surrogates() {
    let value =
        parse(br#"["\ud83d\ude00","\ud83d","\ude00\ud83d","\ud83d\ud83d\ude00","\ud83dx","\ud83d\n"]"#).unwrap();
    let items = value.as_array().unwrap();
    assert_eq!(items[0].as_str(), Some("😀"));
    for item in &items[1..] {
        assert!(matches!(item.as_text(), Some(Text::Wtf8(_))));
    }
    assert_eq!(value.to_compact(), r#"["😀","\ud83d","\ude00\ud83d","\ud83d😀","\ud83dx","\ud83d\n"]"#);
}

#[test]
fn the_last_of_repeated_members_wins_at_the_first_place() {
    let text = br#"{"a":1,"b":{"c~/":1,"d":[0,{"x":1,"x":2}],"c~/":{"y":1,"y":2}},"a":3,"\u0061":4}"#;
    let parsed = parse_document(text, ParseOptions::default()).unwrap();
    assert_eq!(parsed.value.to_compact(), r#"{"a":4,"b":{"c~/":{"y":2},"d":[0,{"x":2}]}}"#);
    let found: Vec<_> = parsed.duplicates.iter().map(|found| (found.pointer.as_str(), found.position)).collect();
    assert_eq!(found, [("/b/d/1/x", 34), ("/b/c~0~1", 42), ("/b/c~0~1/y", 55), ("/a", 63), ("/a", 69)]);
    assert_eq!(parsed.unlisted_duplicates, 0);
}

#[test]
fn many_members_are_compared_without_a_square() {
    let members: Vec<String> = (0..200_000).map(|index| format!("\"{}\":{index}", index % 199_999)).collect();
    let text = format!("{{{}}}", members.join(","));
    let parsed = parse_document(text.as_bytes(), ParseOptions::default()).unwrap();
    assert_eq!(parsed.value.as_object().unwrap().len(), 199_999);
    assert_eq!(parsed.value.get("0").unwrap().to_compact(), "199999");
    let pointers: Vec<_> = parsed.duplicates.iter().map(|found| found.pointer.as_str()).collect();
    assert_eq!(pointers, ["/0"]);
    let reversed: Value =
        parsed.value.as_object().unwrap().iter().rev().cloned().collect::<crate::json::Object>().into();
    assert!(reversed.same_as(&parsed.value));
}

#[test]
fn duplicates_beyond_the_listing_are_counted() {
    let name = "n".repeat(1_000_000);
    let text = format!("{{\"{name}\":[{}]}}", [r#"{"x":1,"x":1}"#; 10].join(","));
    let parsed = parse_document(text.as_bytes(), ParseOptions::default()).unwrap();
    assert_eq!((parsed.duplicates.len(), parsed.unlisted_duplicates), (4, 6));
}

/// A thread as small as the runtime's own.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(2 * 1024 * 1024).spawn(work).unwrap().join().unwrap();
}

#[test]
fn a_thousand_levels_fit_a_small_stack() {
    on_a_small_stack(|| {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}{}{}", open.repeat(1000), 0, close.repeat(1000));
            let value = parse(text.as_bytes()).unwrap();
            assert_eq!(value.to_compact(), text);
            assert_eq!(canonical_bytes(&value), text.as_bytes());
            assert_eq!(parse(value.to_pretty().as_bytes()).unwrap(), value);
            assert!(value.clone().same_as(&value));
            assert!(!format!("{value:?}").is_empty());
        }
    });
}

#[test]
fn deeper_is_refused_at_the_bracket() {
    on_a_small_stack(|| {
        for (open, at) in [("[", 1000), ("{\"a\":", 5000)] {
            let error = parse(open.repeat(200_000).as_bytes()).unwrap_err();
            assert_eq!((error.position, error.problem), (at, SyntaxProblem::TooDeep { limit: 1000 }));
        }
    });
    let shallow = ParseOptions { max_depth: 2, ..ParseOptions::default() };
    assert!(parse_document(b"[[1,{}]]", shallow).is_err());
    assert!(parse_document(b"[[1],[2],{\"a\":1}]", shallow).is_ok());
    assert!(parse_document(b"1", ParseOptions { max_depth: 0, ..shallow }).is_ok());
}

#[test]
fn values_stay_small() {
    assert!(size_of::<Value>() <= 32);
    assert!(size_of::<Text>() <= 24);
}

#[test]
fn prototype_names_are_ordinary() {
    let value = parse(br#"{"__proto__":{"x":1},"constructor":2}"#).unwrap();
    assert_eq!(resolve(&value, "/__proto__/x").unwrap().to_compact(), "1");
}

proptest! {
    #[test]
    fn reading_what_was_written_is_the_identity(value in any_value()) {
        prop_assert_eq!(&parse(value.to_compact().as_bytes()).unwrap(), &value);
        prop_assert_eq!(&parse(value.to_pretty().as_bytes()).unwrap(), &value);
    }

    #[test]
    fn a_cut_document_ends_unexpectedly(value in any_value(), cut in any::<prop::sample::Index>()) {
        let text = Value::from(vec![value]).to_compact().into_bytes();
        let cut = cut.index(text.len());
        let error = parse(&text[..cut]).unwrap_err();
        let expected = if cut == 0 { SyntaxProblem::Empty } else { SyntaxProblem::UnexpectedEnd };
        // A cut in the middle of a character is not UTF-8 before it is the end.
        prop_assert!(error.problem == expected || error.problem == SyntaxProblem::InvalidUtf8);
        prop_assert!(error.position <= cut);
    }
}
