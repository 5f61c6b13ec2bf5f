//! RFC 6901 pointers.

use super::Value;

/// An RFC 6901 JSON pointer, as text (`""` is the whole document, `/a~1b/0` the first item of member `a/b`).
pub type Pointer = String;

/// Appends one reference token, escaping `~` and `/`.
pub fn push_token(pointer: &mut Pointer, token: &str) {
    pointer.push('/');
    for character in token.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

/// The value at `pointer`, or `None` when there is none.
pub fn resolve<'a>(value: &'a Value, pointer: &str) -> Option<&'a Value> {
    todo!("{value:?} {pointer}")
}
