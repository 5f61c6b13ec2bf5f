//! The derived state as an artifact that the framework loads, and the verifier that reads it back. Both sides spell a state
//! the same way before they compare, so that only what JSON means counts, not how it is written.

use crate::json::{Number, Text, Value};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// `artifact.toml` of the state's artifact.
pub(super) fn artifact_toml(name: &str) -> String {
    format!("type = \"environment\"\nenvironment_name = \"{name}\"\n")
}

/// The verifier that compares what the environment holds with `document`, a state document.
pub(super) fn verify_py(name: &str, document: &Value) -> String {
    let state = document.get("rea_state");
    let part = |member: &str| state.and_then(|state| state.get(member)).cloned().unwrap_or_default();
    let (entities, documents) = (part("entities"), part("documents"));
    let count = |part: &Value| part.as_array().map_or(0, <[Value]>::len);
    let mut text = String::new();
    spell(&vec![entities.clone(), documents.clone()].into(), &mut text);
    let mut digest = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing into a `String` does not fail.
        let _ = write!(digest, "{byte:02x}");
    }
    format!(
        "{HEAD}NAME = \"{name}\"\nENTITIES = {}\nDOCUMENTS = {}\nDIGEST = \"{digest}\"\n\n{BODY}",
        count(&entities),
        count(&documents)
    )
}

/// Spells a value so that Python can spell it too: members by name, numbers as the bits of their double, texts in ASCII.
fn spell(value: &Value, out: &mut String) {
    match value.plain() {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => spell_number(number, out),
        Value::String(text) => spell_text(text, out),
        Value::Array(items) => {
            out.push('[');
            for item in items {
                spell(item, out);
                out.push(',');
            }
            out.push(']');
        }
        Value::Object(object) => {
            // A name that is repeated counts once, with its last value; names are ordered by their code points.
            let members: BTreeMap<&[u8], (&Text, &Value)> =
                object.iter().map(|(name, value)| (name.as_bytes(), (name, value))).collect();
            out.push('{');
            for (name, value) in members.values() {
                spell_text(name, out);
                out.push(':');
                spell(value, out);
                out.push(',');
            }
            out.push('}');
        }
        // `plain` gives none of the shared forms.
        _ => {}
    }
}

fn spell_number(number: &Number, out: &mut String) {
    // Zero has one spelling.
    let value = number.to_f64() + 0.0;
    let _ = write!(out, "n{:016x}", value.to_bits());
}

fn spell_text(text: &Text, out: &mut String) {
    out.push('"');
    for unit in text.utf16_units() {
        match char::from_u32(u32::from(unit)) {
            Some(character @ (' ' | '!' | '#'..='[' | ']'..='~')) => out.push(character),
            _ => {
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
    }
    out.push('"');
}

const HEAD: &str = r#""""Checks that the environment holds the state that was loaded into it."""

import hashlib
import struct

from agentenv_protocol import client

"#;

const BODY: &str = r##"
def text(value):
    units = value.encode("utf-16-be", "surrogatepass")
    out = []
    for high, low in zip(units[::2], units[1::2]):
        unit = high << 8 | low
        out.append(chr(unit) if 0x20 <= unit <= 0x7E and unit not in (0x22, 0x5C) else f"\\u{unit:04x}")
    return '"' + "".join(out) + '"'


def number(value):
    try:
        double = float(value)
    except OverflowError:
        double = float("inf") if value > 0 else float("-inf")
    return "n" + struct.pack(">d", double + 0.0).hex()


def spelled(value):
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list):
        return "[" + "".join(spelled(item) + "," for item in value) + "]"
    return "{" + "".join(f"{text(name)}:{spelled(value[name])}," for name in sorted(value)) + "}"


async def data_plane(mcp_url):
    """The environment's own address: behind a gateway it is the one that the gateway's card gives its child."""
    base = mcp_url.rstrip("/").removesuffix("/mcp")
    card = await client.get_card(base)
    child = client.find_child(card, NAME) if card.get("name") != NAME else None
    return base + child["url"].removesuffix("/agentenv") if child else base


async def verify(mcp_url):
    answer = await client.get_data(await data_plane(mcp_url))
    data = getattr(answer.parts[0], "data", None) if answer.parts else None
    state = (data or {}).get("rea_state") or {}
    entities, documents = state.get("entities") or [], state.get("documents") or []
    digest = hashlib.sha256(spelled([entities, documents]).encode("ascii")).hexdigest()
    said = f"{len(entities)} entities and {len(documents)} documents held, {ENTITIES} and {DOCUMENTS} loaded; "
    said += "all of them equal" if digest == DIGEST else "they differ"
    return [{"id": "state", "result": digest == DIGEST, "description": said}]
"##;

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(r#"{"b":1,"a":[null,true]}"#, r#"{"a":[null,true,],"b":n3ff0000000000000,}"#)]
    #[case("[1.0,1,1e0,-0.0]", "[n3ff0000000000000,n3ff0000000000000,n3ff0000000000000,n0000000000000000,]")]
    #[case(r#""é\"\\\n~ \ud800""#, r#""\u00e9\u0022\u005c\u000a~ \ud800""#)]
    #[case(r#""😀""#, r#""\ud83d\ude00""#)]
    #[case(r#"{"a":1,"a":null}"#, r#"{"a":null,}"#)]
    fn values_have_one_spelling(#[case] json: &str, #[case] spelling: &str) {
        let mut out = String::new();
        spell(&crate::json::parse(json.as_bytes()).unwrap(), &mut out);
        assert_eq!(out, spelling);
    }
}
