//! Laws of numbers, against the shortest spelling of ryu-js and exact decimal arithmetic on digits.

use super::any_literal;
use crate::json::{Number, canonical_bytes, js_number, parse};
use proptest::prelude::*;
use rstest::rstest;

fn number(literal: &str) -> Number {
    Number::from_literal(literal).unwrap()
}

#[rstest]
#[case("1e21", true)]
#[case("1.0", true)]
#[case("0.10", true)]
#[case("-0.0", true)]
#[case("0.0", true)]
#[case("-0", true)]
#[case("0e5", true)]
#[case("9007199254740991", true)]
#[case("-9007199254740991", true)]
#[case("9007199254740992", false)]
#[case("-9007199254740992", false)]
#[case("99999999999999999999999999", false)]
#[case("3.8340000000084046", false)]
#[case("0.1234567890123456789", false)]
#[case("1e400", false)]
#[case("1e-400", false)]
#[case("5e-324", true)]
#[case("4.9e-324", false)]
#[case("1.7976931348623157e308", true)]
#[case("0.30000000000000004", true)]
#[case("123456.789", true)]
fn safe(#[case] literal: &str, #[case] expected: bool) {
    assert_eq!(number(literal).is_safe(), expected);
}

#[rstest]
#[case("1", "1.0", true)]
#[case("1", "1e0", true)]
#[case("10", "1e1", true)]
#[case("10", "0.1E+2", true)]
#[case("100", "1e1", false)]
#[case("0", "-0.0e7", true)]
#[case("0", "1", false)]
#[case("1", "-1", false)]
#[case("9007199254740993", "9007199254740992", false)]
#[case("9007199254740993", "9007199254740993.0", true)]
#[case("1e400", "10e399", true)]
#[case("1e400", "1e401", false)]
#[case("1e00000000000000000000000000000000000000001", "10", true)]
#[case("1e99999999999999999999999999999999999999999", "1e99999999999999999999999999999999999999998", false)]
#[case("0.001", "1e-3", true)]
#[case("0.0010", "10e-4", true)]
#[case("123", "12.3", false)]
fn same(#[case] a: &str, #[case] b: &str, #[case] expected: bool) {
    assert_eq!(number(a).same_as(&number(b)), expected);
    assert_eq!(number(b).same_as(&number(a)), expected);
}

#[rstest]
fn not_numbers(
    #[values(
        "", "-", "+1", "01", "-01", "00", "1.", ".5", "1e", "1e+", "1.e5", "1 ", " 1", "0x1", "NaN", "1_0", "--1",
        "1e5.0", "\u{661}"
    )]
    literal: &str,
) {
    assert!(Number::from_literal(literal).is_none());
    assert!(parse(literal.as_bytes()).is_err() || literal.trim() != literal);
}

#[test]
fn javascript_spellings() {
    let spelled =
        [1e21, 1e-7, -0.0, 123456789012345680000.0, 1.5, 1e20, 0.000001, 5e-324].map(|value| js_number(value).unwrap());
    assert_eq!(
        spelled,
        ["1e+21", "1e-7", "0", "123456789012345680000", "1.5", "100000000000000000000", "0.000001", "5e-324"]
    );
    assert_eq!(js_number(f64::NAN), None);
    assert!(Number::from_f64(f64::INFINITY).is_none());
}

#[test]
fn integers_come_out_as_they_are() {
    assert_eq!(number("-17").as_i64(), Some(-17));
    assert_eq!(number("18446744073709551615").as_u64(), Some(u64::MAX));
    assert_eq!(number("1.0").as_i64(), None);
    assert_eq!(number("1e2").as_i64(), None);
}

/// Significant digits as the definition reads them: no sign, no exponent, no outer zeros.
fn significant(literal: &str) -> String {
    let mantissa = literal.trim_start_matches('-').split(['e', 'E']).next().unwrap().to_owned();
    mantissa.replace('.', "").trim_matches('0').to_owned()
}

proptest! {
    #[test]
    fn a_double_survives_its_spelling(value in any::<f64>()) {
        prop_assume!(value.is_finite());
        let number = Number::from_f64(value).unwrap();
        prop_assert_eq!(number.to_f64(), value);
        prop_assert_eq!(number.as_str(), ryu_js::Buffer::new().format_finite(value).to_owned());
        prop_assert!(number.is_integer_literal() || number.is_safe());
    }

    #[test]
    fn safe_follows_its_definition(literal in any_literal()) {
        let number = number(&literal);
        let expected = if number.is_integer_literal() {
            literal.parse::<i128>().unwrap().abs() < 1 << 53
        } else {
            js_number(number.to_f64()).is_some_and(|spelled| significant(&spelled) == significant(&literal))
        };
        prop_assert_eq!(number.is_safe(), expected);
    }

    #[test]
    fn safe_and_equal_as_doubles_is_the_same(a in any_literal(), b in any_literal()) {
        let (a, b) = (number(&a), number(&b));
        if a.is_safe() && b.is_safe() && a.to_f64().is_normal() {
            prop_assert_eq!(a.same_as(&b), a.to_f64() == b.to_f64());
        }
    }

    #[test]
    fn another_spelling_of_the_same_decimal_is_the_same(digits in "[1-9][0-9]{0,25}", shift in 0usize..30, zeros in 0usize..4, change in 0usize..26) {
        let zeros = "0".repeat(zeros);
        let shifted = number(&format!("{digits}{zeros}e-{}", shift + zeros.len()));
        let pointed = if shift < digits.len() {
            let (integer, fraction) = digits.split_at(digits.len() - shift);
            number(&if fraction.is_empty() { integer.to_owned() } else { format!("{integer}.{fraction}{zeros}") })
        } else {
            number(&format!("0.{}{digits}{zeros}", "0".repeat(shift - digits.len())))
        };
        prop_assert!(shifted.same_as(&pointed), "{shifted:?} {pointed:?}");
        let mut changed = digits.clone().into_bytes();
        let place = change % changed.len();
        changed[place] = if changed[place] == b'9' { b'8' } else { changed[place] + 1 };
        let changed = number(&format!("{}e-{shift}", String::from_utf8(changed).unwrap()));
        prop_assert!(!changed.same_as(&pointed), "{changed:?} {pointed:?}");
    }

    #[test]
    fn the_canonical_spelling_is_ryu_js(literal in any_literal()) {
        let number = number(&literal);
        let value = number.to_f64();
        prop_assume!(value.is_finite());
        let expected = ryu_js::Buffer::new().format_finite(value).to_owned();
        prop_assert_eq!(String::from_utf8(canonical_bytes(&number.into())).unwrap(), expected);
    }

    #[test]
    fn every_literal_keeps_its_text(literal in any_literal()) {
        prop_assert_eq!(parse(literal.as_bytes()).unwrap().to_compact(), literal);
    }
}
