//! The reader and the writers beside serde_json. The fuzz target runs [`check`] too.

use super::json;
use json::{Text, Value, parse};

/// Levels: serde_json refuses deeper nesting.
const SERDE_DEPTH: usize = 127;

/// Panics when the two readers disagree about `text`, or when what was read is not written back.
pub fn check(text: &[u8]) {
    let ours = parse(text);
    let theirs = serde_json::from_slice::<serde_json::Value>(text);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => assert!(agree(ours, theirs), "read differently: {ours:?} {theirs:?}"),
        (Ok(ours), Err(error)) => assert!(is_beyond_serde(ours, 0), "serde_json refuses: {error}"),
        (Err(error), Ok(_)) => panic!("serde_json accepts, we do not: {error}"),
        (Err(error), Err(_)) => assert!(error.position <= text.len(), "{error}"),
    }
    let Ok(value) = ours else { return };
    for written in [value.to_compact(), value.to_pretty()] {
        assert_eq!(parse(written.as_bytes()).as_ref(), Ok(&value), "{written}");
    }
    let canonical = json::canonical_bytes(&value);
    match parse(&canonical) {
        Ok(again) => assert_eq!(json::canonical_bytes(&again), canonical),
        Err(error) => panic!("the canonical form is not JSON: {error}"),
    }
}

/// Whether both readers read the same value.
fn agree(ours: &Value, theirs: &serde_json::Value) -> bool {
    use serde_json::Value as Theirs;
    match (ours.plain(), theirs) {
        (Value::Null, Theirs::Null) => true,
        (Value::Bool(ours), Theirs::Bool(theirs)) => ours == theirs,
        (Value::Number(ours), Theirs::Number(theirs)) => {
            let same_integer = ours.as_i64().is_some() && ours.as_i64() == theirs.as_i64()
                || ours.as_u64().is_some() && ours.as_u64() == theirs.as_u64();
            // serde_json's quick reading of fractions may be one unit in the last place off.
            same_integer || theirs.as_f64().is_some_and(|theirs| is_near(ours.to_f64(), theirs))
        }
        (Value::String(ours), Theirs::String(theirs)) => ours == theirs.as_str(),
        (Value::Array(ours), Theirs::Array(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| agree(ours, theirs))
        }
        (Value::Object(ours), Theirs::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().all(|(name, value)| {
                    name.as_str().and_then(|name| theirs.get(name)).is_some_and(|theirs| agree(value, theirs))
                })
        }
        _ => false,
    }
}

fn is_near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= a.abs().max(b.abs()) * 4.0 * f64::EPSILON || (a - b).abs() <= 1e-322
}

/// Whether the document holds something that serde_json refuses by design.
fn is_beyond_serde(value: &Value, depth: usize) -> bool {
    let lone = |text: &Text| matches!(text, Text::Wtf8(_));
    match value.plain() {
        Value::Number(number) => {
            !number.to_f64().is_finite() || number.to_f64() > 1.7e308 || number.to_f64() < -1.7e308
        }
        Value::String(text) => lone(text),
        Value::Array(items) => depth >= SERDE_DEPTH || items.iter().any(|item| is_beyond_serde(item, depth + 1)),
        Value::Object(object) => {
            depth >= SERDE_DEPTH || object.iter().any(|(name, value)| lone(name) || is_beyond_serde(value, depth + 1))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::check;
    use crate::json::tests::any_value;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        #[test]
        fn any_bytes(text in prop::collection::vec(any::<u8>(), 0..40)) {
            check(&text);
        }

        #[test]
        fn bytes_of_the_grammar(text in "([\\[\\]{}:,\"\\\\0-9.eE+\\-ua-f \n]|true|false|null|\"a\"|\"\\\\u[0-9a-f]{4}\"|é){0,24}") {
            check(text.as_bytes());
        }

        #[test]
        fn number_like(text in "-?[0-9]{0,22}(\\.[0-9]{0,22})?([eE][-+]?[0-9]{0,4})?") {
            check(text.as_bytes());
        }

        #[test]
        fn documents(value in any_value()) {
            check(value.to_compact().as_bytes());
            check(value.to_pretty().as_bytes());
        }

        #[test]
        fn documents_with_one_byte_changed(value in any_value(), place in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut text = value.to_pretty().into_bytes();
            let place = place.index(text.len());
            text[place] = byte;
            check(&text);
            text.remove(place);
            check(&text);
        }
    }
}
