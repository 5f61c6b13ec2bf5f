//! Captured text in messages and files that people read: cut, and spelled so that it cannot steer what shows it.

/// Characters of a captured text that are shown.
const SHOWN_CHARS: usize = 120;

/// The text, cut and with every character that could steer a terminal or a page spelled as an escape.
pub(super) fn shown(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(SHOWN_CHARS));
    for (index, character) in text.chars().enumerate() {
        if index == SHOWN_CHARS {
            out.push('…');
            break;
        }
        match character {
            '`'
            | '\u{7f}'..='\u{9f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}' => {
                out.extend(character.escape_unicode());
            }
            character if character.is_control() => out.extend(character.escape_unicode()),
            character => out.push(character),
        }
    }
    out
}
