//! Known answers and laws of the canonical form.

use super::any_value;
use crate::json::{Object, Value, canonical_bytes, canonical_sha256, parse};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

#[test]
fn the_published_vector_has_its_digest() {
    let text = r#"{"b":1.0,"a":[1e21,1e-7,-0.0,123456789012345680000,0.1],"€":"\u2028\u007f\u0001\"\\/\ud800","😀":1,"～":2,"10":0,"2":0,"__proto__":{"x":null}}"#;
    let value = parse(text.as_bytes()).unwrap();
    let canonical = concat!(
        r#"{"10":0,"2":0,"__proto__":{"x":null},"a":[1e+21,1e-7,0,123456789012345680000,0.1],"b":1,"#,
        "\"€\":\"\u{2028}\u{7f}",
        r#"\u0001\"\\/\ud800","😀":1,"～":2}"#
    );
    assert_eq!(String::from_utf8(canonical_bytes(&value)).unwrap(), canonical);
    assert_eq!(canonical_sha256(&value), "9368cf704bc806012673181155649a9191f764c835baeb07119c112daa96e390");
}

/// The example of RFC 8785, section 3.2.2 to 3.2.4.
#[test]
fn the_rfc_example() {
    let text = r#"{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}"#;
    let canonical = r#"{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}"#;
    let value = parse(text.as_bytes()).unwrap();
    assert_eq!(String::from_utf8(canonical_bytes(&value)).unwrap(), canonical);
}

#[test]
fn a_number_beyond_doubles_is_hashed_as_it_is_spelled() {
    assert_eq!(canonical_bytes(&parse(b"[1e400,-1E+400]").unwrap()), b"[1e400,-1E+400]");
}

/// The same value with the members of every object the other way round.
fn reversed(value: &Value) -> Value {
    match value.plain() {
        Value::Array(items) => items.iter().map(reversed).collect(),
        Value::Object(object) => {
            let mut members: Vec<_> = object.iter().map(|(name, value)| (name.clone(), reversed(value))).collect();
            members.reverse();
            members.into_iter().collect::<Object>().into()
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #[test]
    fn the_canonical_form_is_its_own(value in any_value()) {
        let canonical = canonical_bytes(&value);
        let again = parse(&canonical).unwrap();
        prop_assert_eq!(canonical_bytes(&again), canonical);
    }

    #[test]
    fn member_order_takes_no_part(value in any_value()) {
        let other = reversed(&value);
        prop_assert!(other.same_as(&value));
        prop_assert_eq!(canonical_bytes(&other), canonical_bytes(&value));
    }

    #[test]
    fn the_digest_is_the_digest_of_the_bytes(value in any_value(), repeats in 1usize..400) {
        // Enough to pass the gathering buffer.
        let value: Value = std::iter::repeat_n(value, repeats).collect();
        let bytes = canonical_bytes(&value);
        let expected: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        prop_assert_eq!(canonical_sha256(&value), expected);
    }

    #[test]
    fn same_values_have_the_same_canonical_form(a in any_value(), b in any_value()) {
        if a.same_as(&b) {
            prop_assert_eq!(canonical_bytes(&a), canonical_bytes(&b));
        }
    }
}
