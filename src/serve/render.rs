//! Replies as tool results: the reply's JSON once as `structuredContent`, and once escaped into a text, so that clients
//! that read only one of them read the same. A recording's JSON was printed before; here it is only copied and escaped.

use crate::answer::{Printed, Refusal, Reply, ReplyBody};
use crate::json::{Object, Value, write_compact};

/// `_meta` of every tool result: what the answer says is target content, and which session's state it is from when
/// sessions have their own.
const META: &[u8] = br#""_meta":{"provenance":{"untrusted_content":true,"source":"analysis_target""#;

/// Writes the tool result of a reply.
pub fn write_reply(reply: &Reply, session: Option<&str>, out: &mut Vec<u8>) {
    let mut json = Vec::with_capacity(4096);
    reply.write(&mut json);
    let start = out.len();
    if !write_tool_result(&json, false, session, out)
        && let ReplyBody::Json(body) = &reply.body
    {
        // Strict JSON readers (serde_json, pydantic) refuse a whole message for one unpaired surrogate, and with it the
        // session. The body is then its own text, in which the escape is only characters.
        let text = ReplyBody::Text(body.to_compact().into());
        json.clear();
        Reply { body: text, printed: Printed::none(), ..reply.clone() }.write(&mut json);
        out.truncate(start);
        write_tool_result(&json, false, session, out);
    }
}

/// Writes the tool result that refuses a call; nothing was changed.
pub fn write_refusal(refusal: &Refusal, session: Option<&str>, out: &mut Vec<u8>) {
    let mut object = Object::new()
        .with("code", refusal.code)
        .with("message", &refusal.message)
        .with("retryable", refusal.retryable)
        .with("applied", "no");
    if let Some(hint) = &refusal.hint {
        object.push("hint", hint);
    }
    let mut json = Vec::with_capacity(256);
    write_compact(&Value::from(object), &mut json);
    write_tool_result(&json, true, session, out);
}

/// Writes a tool result around compact JSON; `false` when the JSON holds an unpaired surrogate.
fn write_tool_result(json: &[u8], is_error: bool, session: Option<&str>, out: &mut Vec<u8>) -> bool {
    out.reserve(2 * json.len() + json.len() / 4 + 256);
    out.extend_from_slice(br#"{"content":[{"type":"text","text":""#);
    let paired = escape_json(json, out);
    out.extend_from_slice(br#""}],"structuredContent":"#);
    out.extend_from_slice(json);
    out.extend_from_slice(if is_error { br#","isError":true,"# } else { br#","isError":false,"# });
    out.extend_from_slice(META);
    if let Some(session) = session {
        // An id is hexadecimal: nothing in it needs an escape.
        [&b",\"session\":\""[..], session.as_bytes(), b"\""].iter().for_each(|part| out.extend_from_slice(part));
    }
    out.extend_from_slice(b"}}}");
    paired
}

/// Escapes compact JSON into the inside of a JSON text. Only quotes and backslashes need it: a compact document has no
/// raw control character. Returns `false` when the document holds an escaped unpaired surrogate (the writer escapes no
/// paired one).
fn escape_json(json: &[u8], out: &mut Vec<u8>) -> bool {
    let mut paired = true;
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| matches!(byte, b'"' | b'\\')) {
        let (plain, special) = rest.split_at(at);
        out.extend_from_slice(plain);
        match special {
            // An escape is taken whole, so that its second character is not read as the start of something.
            [b'\\', escaped, tail @ ..] => {
                if *escaped == b'u' && matches!(tail, [b'd' | b'D', b'8' | b'9' | b'a'..=b'f' | b'A'..=b'F', ..]) {
                    paired = false;
                }
                match escaped {
                    b'"' => out.extend_from_slice(br#"\\\""#),
                    b'\\' => out.extend_from_slice(br"\\\\"),
                    other => out.extend_from_slice(&[b'\\', b'\\', *other]),
                }
                rest = tail;
            }
            [special, tail @ ..] => {
                out.extend_from_slice(&[b'\\', *special]);
                rest = tail;
            }
            [] => rest = &[],
        }
    }
    out.extend_from_slice(rest);
    paired
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn escaped(json: &str) -> (String, bool) {
        let mut out = Vec::new();
        let paired = escape_json(json.as_bytes(), &mut out);
        (String::from_utf8(out).unwrap(), paired)
    }

    #[rstest]
    #[case(r#"{"a":1}"#, true)]
    #[case(r#"{"a":"say \"hi\" \\ \n \u0001"}"#, true)]
    #[case(r#""\\ud800""#, true)]
    #[case(r#""\\\\ud800""#, true)]
    #[case(r#""\ud800""#, false)]
    #[case(r#""\\\udfff""#, false)]
    #[case(r#""\u0d80""#, true)]
    #[case("", true)]
    fn a_document_is_escaped_so_that_its_text_reads_back(#[case] json: &str, #[case] paired: bool) {
        let (escaped, found) = escaped(json);
        assert_eq!(found, paired);
        let text: String = serde_json::from_str(&format!("\"{escaped}\"")).unwrap();
        assert_eq!(text, json);
    }

    proptest! {
        #[test]
        fn any_text_in_a_document_reads_back(text in "\\PC*|[\\x00-\\x7f\"\\\\]*") {
            let json = Value::from(text.as_str()).to_compact();
            let (escaped, paired) = escaped(&json);
            prop_assert!(paired);
            let back: String = serde_json::from_str(&format!("\"{escaped}\"")).unwrap();
            prop_assert_eq!(back, json);
        }
    }

    #[test]
    fn a_refusal_says_that_nothing_was_applied() {
        let refusal = Refusal { code: "invalid_arguments", message: "no \"x\"".into(), retryable: false, hint: None };
        let mut out = Vec::new();
        write_refusal(&refusal, None, &mut out);
        assert_eq!(
            String::from_utf8(out).unwrap(),
            concat!(
                r#"{"content":[{"type":"text","text":"{\"code\":\"invalid_arguments\",\"message\":\"no \\\"x\\\"\","#,
                r#"\"retryable\":false,\"applied\":\"no\"}"}],"structuredContent":{"code":"invalid_arguments","#,
                r#""message":"no \"x\"","retryable":false,"applied":"no"},"isError":true,"#,
                r#""_meta":{"provenance":{"untrusted_content":true,"source":"analysis_target"}}}"#
            )
        );
    }
}
