//! Known answers and laws of the whole room; what concerns one file is tested at its bottom.

mod canonical;
mod differential;
mod numbers;
mod reading;

use crate::json;
use json::{Number, Object, Text, Value};
use proptest::prelude::*;

/// Texts with everything that escapes, orders or encodes specially.
fn any_text() -> impl Strategy<Value = Text> {
    let plain = prop_oneof![
        "[a-z]{0,5}".prop_map(Text::from),
        "\\PC{0,12}".prop_map(Text::from),
        "[\u{0}-\u{7f}\"\\\\é€～😀\u{2028}]{0,12}".prop_map(Text::from),
    ];
    let lone = (any::<String>(), 0xd800u32..0xe000).prop_map(|(before, surrogate)| {
        // `\u` escapes are the only way to make such a text.
        let quoted = serde_json::to_string(&before).unwrap();
        let text = format!("{}\\u{surrogate:04x}\"", &quoted[..quoted.len() - 1]);
        json::parse(text.as_bytes()).unwrap().as_text().unwrap().clone()
    });
    prop_oneof![8 => plain, 1 => lone]
}

/// Literals of the grammar, not only those a printer would write.
fn any_literal() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,18})",
        "-?(0|[1-9][0-9]{0,4})\\.[0-9]{1,20}",
        "-?(0|[1-9][0-9]{0,4})(\\.0{0,3}[1-9][0-9]{0,3})?[eE][-+]?[0-9]{1,3}",
        any::<f64>().prop_filter_map("finite", json::js_number),
    ]
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any_literal().prop_map(|literal| Value::Number(Number::from_literal(&literal).unwrap())),
        any_text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((any_text(), inner.clone()), 0..6).prop_map(|members| {
                let mut object = Object::new();
                for (name, value) in members {
                    if object.iter().all(|(held, _)| *held != name) {
                        object.push(name, value);
                    }
                }
                Value::from(object)
            }),
            inner.prop_map(Value::into_shared),
        ]
    })
}
