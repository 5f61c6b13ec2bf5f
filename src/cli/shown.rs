//! How facts are shown to people: tables, sizes, and captured text that must not steer a terminal.

use anstyle::Style;
use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use std::borrow::Cow;

/// The style of headings.
pub const HEADING: Style = Style::new().bold();
/// The style of what matters less.
pub const FAINT: Style = Style::new().dimmed();

/// Captured text as it may be shown: control characters and the ones that reorder text are spelled as escapes.
pub fn printable(text: &str) -> Cow<'_, str> {
    let harmful = |character: char| {
        (character.is_control() && character != '\n')
            || matches!(character, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
    };
    if !text.chars().any(harmful) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        if harmful(character) {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
    }
    Cow::Owned(shown)
}

/// Text shortened to `limit` characters, with an ellipsis where something is left out.
pub fn shortened(text: &str, limit: usize) -> Cow<'_, str> {
    match text.char_indices().nth(limit) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// A number of bytes: `812 B`, `1.7 MB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [(&str, u64); 3] = [("GB", 1_000_000_000), ("MB", 1_000_000), ("KB", 1_000)];
    for (unit, size) in UNITS {
        if count >= size {
            return format!("{}.{} {unit}", count / size, count % size * 10 / size);
        }
    }
    format!("{count} B")
}

/// A count and its noun: `1 record`, `2 records`.
pub fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// An aligned table without rules; `numbers` names the columns that are aligned right.
pub fn table(headings: &[&str], rows: impl IntoIterator<Item = Vec<String>>, numbers: &[usize]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().copied());
    for row in rows {
        table.add_row(row.iter().map(|cell| printable(cell).into_owned()));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if numbers.contains(&index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let drawn = table.to_string();
    let mut lines = drawn.lines();
    let mut shown = String::with_capacity(drawn.len() + 16);
    if let Some(heading) = lines.next() {
        shown.push_str(&format!("{HEADING}{}{HEADING:#}\n", heading.trim_end()));
    }
    for line in lines {
        shown.push_str(line.trim_end());
        shown.push('\n');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::{bytes, printable, shortened, table};
    use rstest::rstest;

    #[rstest]
    #[case("plain é 名", "plain é 名")]
    #[case("a\u{1b}[31mb", "a\\u{1b}[31mb")]
    #[case("a\u{202e}b", "a\\u{202e}b")]
    fn captured_text_cannot_steer_a_terminal(#[case] text: &str, #[case] shown: &str) {
        assert_eq!(printable(text), shown);
    }

    #[rstest]
    #[case(0, "0 B")]
    #[case(999, "999 B")]
    #[case(1_769_553, "1.7 MB")]
    #[case(3_000_000_000, "3.0 GB")]
    fn sizes_have_units(#[case] count: u64, #[case] shown: &str) {
        assert_eq!(bytes(count), shown);
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        assert_eq!(shortened("ééé", 2), "éé…");
        assert_eq!(shortened("éé", 2), "éé");
    }

    #[test]
    fn tables_are_aligned() {
        let drawn =
            table(&["Tool", "Records"], vec![vec!["a".into(), "10".into()], vec!["long".into(), "2".into()]], &[1]);
        let plain = anstream::adapter::strip_str(&drawn).to_string();
        assert_eq!(plain, "Tool  Records\na          10\nlong        2\n");
    }
}
