//! RFC 6901 pointers.

use super::Value;
use std::borrow::Cow;

/// An RFC 6901 JSON pointer, as text (`""` is the whole document, `/a~1b/0` the first item of member `a/b`).
pub type Pointer = String;

/// Appends one reference token, escaping `~` and `/`.
pub fn push_token(pointer: &mut Pointer, token: &str) {
    pointer.push('/');
    let mut rest = token;
    while let Some(at) = rest.find(['~', '/']) {
        pointer.push_str(&rest[..at]);
        pointer.push_str(if rest[at..].starts_with('~') { "~0" } else { "~1" });
        rest = &rest[at + 1..];
    }
    pointer.push_str(rest);
}

/// Appends the reference token of an array item.
pub fn push_index(pointer: &mut Pointer, index: usize) {
    use std::fmt::Write;
    // Writing into a `String` does not fail.
    let _ = write!(pointer, "/{index}");
}

/// The value at `pointer`, or `None` when there is none. Array indexes are decimal without leading zeros; `-` names no
/// value.
pub fn resolve<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    if pointer.is_empty() {
        return Some(value);
    }
    pointer.strip_prefix('/')?.split('/').try_fold(value, |value, token| match value.plain() {
        Value::Object(object) => object.get(&unescape(token)?),
        Value::Array(items) => items.get(index(token)?),
        _ => None,
    })
}

fn index(token: &str) -> Option<usize> {
    let plain = token.bytes().all(|byte| byte.is_ascii_digit()) && (token == "0" || !token.starts_with('0'));
    if plain { token.parse().ok() } else { None }
}

/// The name that a token stands for; `None` when a `~` escapes nothing.
fn unescape(token: &str) -> Option<Cow<'_, str>> {
    let Some(first) = token.find('~') else { return Some(Cow::Borrowed(token)) };
    let mut name = String::from(&token[..first]);
    for piece in token[first..].split('~').skip(1) {
        name.push(match piece.as_bytes().first()? {
            b'0' => '~',
            b'1' => '/',
            _ => return None,
        });
        name.push_str(&piece[1..]);
    }
    Some(Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use rstest::rstest;

    const DOCUMENT: &str =
        r#"{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8,"0":9,"~1":10}"#;

    #[rstest]
    #[case("/foo/0", Some("\"bar\""))]
    #[case("/foo/1", Some("\"baz\""))]
    #[case("/foo/2", None)]
    #[case("/foo/00", None)]
    #[case("/foo/01", None)]
    #[case("/foo/-", None)]
    #[case("/foo/+1", None)]
    #[case("/foo/99999999999999999999999", None)]
    #[case("/foo/", None)]
    #[case("/", Some("0"))]
    #[case("/a~1b", Some("1"))]
    #[case("/c%d", Some("2"))]
    #[case("/i\\j", Some("5"))]
    #[case("/k\"l", Some("6"))]
    #[case("/ ", Some("7"))]
    #[case("/m~0n", Some("8"))]
    #[case("/0", Some("9"))]
    #[case("/~01", Some("10"))]
    #[case("/m~n", None)]
    #[case("/m~", None)]
    #[case("foo", None)]
    fn resolves(#[case] pointer: &str, #[case] expected: Option<&str>) {
        let document = parse(DOCUMENT.as_bytes()).unwrap();
        assert_eq!(resolve(&document, pointer).map(Value::to_compact).as_deref(), expected);
    }

    #[test]
    fn the_empty_pointer_is_the_document() {
        assert_eq!(resolve(&Value::Bool(true), ""), Some(&Value::Bool(true)));
    }

    #[test]
    fn every_name_resolves_through_its_token() {
        let document = parse(DOCUMENT.as_bytes()).unwrap();
        for (name, value) in document.as_object().unwrap() {
            let mut pointer = Pointer::new();
            push_token(&mut pointer, name.as_str().unwrap());
            assert_eq!(resolve(&document, &pointer), Some(value), "{pointer}");
        }
    }
}
