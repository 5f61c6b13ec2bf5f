//! What is said when bytes differ from their golden: the first differing byte, where in the document that is, and the
//! differing place on both sides.

use rea::json::{Value, parse, push_token, resolve, write_pretty};
use similar::TextDiff;
use std::fmt::Write;

/// Differing places that are listed.
const LISTED_PLACES: usize = 20;
/// Differing places that are shown on both sides.
const SHOWN_PLACES: usize = 3;
/// Lines of one shown place.
const SHOWN_LINES: usize = 40;
/// Characters of one shown line.
const SHOWN_CHARACTERS: usize = 180;

/// Describes the difference between a golden and what was made, or nothing when the bytes are equal.
pub fn difference(golden: &[u8], made: &[u8]) -> Option<String> {
    if golden == made {
        return None;
    }
    let at = golden.iter().zip(made).position(|(a, b)| a != b).unwrap_or(golden.len().min(made.len()));
    let line = golden[..at].iter().filter(|byte| **byte == b'\n').count();
    let start = golden[..at].iter().rposition(|byte| *byte == b'\n').map_or(0, |position| position + 1);
    let mut text = format!("first differing byte: {at} (line {}, byte {} of it)\n", line + 1, at - start);
    let documents = match (parse(golden), parse(made)) {
        (Ok(a), Ok(b)) => Some((a, b, pointer_at(golden, at))),
        // One document a line: the first line that differs.
        _ => {
            let (a, b) = (line_from(golden, start), line_from(made, start));
            parse(a).ok().zip(parse(b).ok()).map(|(parsed, other)| (parsed, other, pointer_at(a, at - start)))
        }
    };
    match documents {
        Some((a, b, pointer)) => {
            let _ = writeln!(text, "JSON pointer: {pointer:?}");
            describe_documents(&mut text, &a, &b);
        }
        None => show(&mut text, &String::from_utf8_lossy(golden), &String::from_utf8_lossy(made)),
    }
    Some(text)
}

fn line_from(bytes: &[u8], start: usize) -> &[u8] {
    let rest = bytes.get(start..).unwrap_or_default();
    rest.split(|byte| *byte == b'\n').next().unwrap_or_default()
}

fn describe_documents(text: &mut String, golden: &Value, made: &Value) {
    let mut places = Vec::new();
    collect(golden, made, &mut String::new(), &mut places);
    let _ = writeln!(text, "differing places: {}", places.len());
    for place in places.iter().take(LISTED_PLACES) {
        let _ = writeln!(text, "  {place:?}");
    }
    if places.len() > LISTED_PLACES {
        let _ = writeln!(text, "  … {} more", places.len() - LISTED_PLACES);
    }
    let mut shown: Vec<&str> = Vec::new();
    for place in &places {
        // A list or object whose members came or went is shown itself, anything else with what is around it.
        let holds_members =
            resolve(golden, place).is_some_and(|value| value.as_array().is_some() || value.as_object().is_some());
        let parent = if holds_members { place } else { place.rsplit_once('/').map_or("", |(parent, _)| parent) };
        if shown.contains(&parent) {
            continue;
        }
        if shown.len() == SHOWN_PLACES {
            break;
        }
        shown.push(parent);
        let _ = writeln!(text, "at {parent:?}:");
        let side = |document: &Value| resolve(document, parent).map(pretty).unwrap_or_default();
        show(text, &side(golden), &side(made));
    }
}

fn pretty(value: &Value) -> String {
    let mut bytes = Vec::new();
    write_pretty(value, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pointers at which two documents differ, deepest first found.
fn collect(golden: &Value, made: &Value, pointer: &mut String, places: &mut Vec<String>) {
    if golden == made {
        return;
    }
    let length = pointer.len();
    match (golden.plain(), made.plain()) {
        (Value::Object(a), Value::Object(b)) if a.iter().map(|(name, _)| name).eq(b.iter().map(|(name, _)| name)) => {
            for ((name, a), (_, b)) in a.iter().zip(b) {
                push_token(pointer, &name.to_display());
                collect(a, b, pointer, places);
                pointer.truncate(length);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (index, (a, b)) in a.iter().zip(b).enumerate() {
                push_token(pointer, &index.to_string());
                collect(a, b, pointer, places);
                pointer.truncate(length);
            }
        }
        _ => places.push(pointer.clone()),
    }
}

/// Both sides as a unified diff, shortened to what can be read.
fn show(text: &mut String, golden: &str, made: &str) {
    let diff = TextDiff::from_lines(golden, made);
    let unified = diff.unified_diff().context_radius(3).header("golden", "made").to_string();
    let lines: Vec<&str> = unified.lines().collect();
    for (index, line) in lines.iter().enumerate().take(SHOWN_LINES) {
        let _ = writeln!(text, "  {}", shortened(line, common_start(&lines, index)));
    }
    if lines.len() > SHOWN_LINES {
        let _ = writeln!(text, "  … {} more lines", lines.len() - SHOWN_LINES);
    }
}

/// How many characters of a removed or added line its counterpart begins with too.
fn common_start(lines: &[&str], index: usize) -> usize {
    let counterpart = match lines[index].chars().next() {
        Some('-') => lines.get(index + 1).filter(|line| line.starts_with('+')),
        Some('+') => index.checked_sub(1).and_then(|before| lines.get(before)).filter(|line| line.starts_with('-')),
        _ => None,
    };
    counterpart
        .map_or(0, |other| lines[index].chars().skip(1).zip(other.chars().skip(1)).take_while(|(a, b)| a == b).count())
}

/// A long line from a little before the place where it differs.
fn shortened(line: &str, common: usize) -> String {
    let length = line.chars().count();
    if length <= SHOWN_CHARACTERS {
        return line.to_owned();
    }
    let from = common.saturating_sub(SHOWN_CHARACTERS / 3);
    let mark = line.chars().next().unwrap_or(' ');
    let shown: String = line.chars().skip(1 + from).take(SHOWN_CHARACTERS).collect();
    let (before, after) =
        (if from > 0 { "…" } else { "" }, if 1 + from + SHOWN_CHARACTERS < length { "…" } else { "" });
    format!("{mark}{before}{shown}{after}")
}

/// The pointer of the value that holds byte `at` of a JSON text.
pub fn pointer_at(text: &[u8], at: usize) -> String {
    /// An open container: the member name or item index that is being read.
    enum Open {
        Object(String),
        Array(usize),
    }
    let mut open: Vec<Open> = Vec::new();
    let mut position = 0;
    while position < at.min(text.len()) {
        match text[position] {
            b'{' => open.push(Open::Object(String::new())),
            b'[' => open.push(Open::Array(0)),
            b'}' | b']' => {
                open.pop();
            }
            b',' => {
                if let Some(Open::Array(index)) = open.last_mut() {
                    *index += 1;
                }
            }
            b'"' => {
                let end = string_end(text, position);
                let names_member =
                    text[end.min(text.len())..].iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b':');
                if let (true, Some(Open::Object(name))) = (names_member, open.last_mut()) {
                    let parsed = parse(&text[position..end]).ok();
                    *name = parsed
                        .and_then(|value| value.as_text().map(|text| text.to_display().into_owned()))
                        .unwrap_or_default();
                }
                position = end;
                continue;
            }
            _ => {}
        }
        position += 1;
    }
    let mut pointer = String::new();
    for container in &open {
        match container {
            Open::Object(name) => push_token(&mut pointer, name),
            Open::Array(index) => push_token(&mut pointer, &index.to_string()),
        }
    }
    pointer
}

/// The byte after the closing quote of the string that opens at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut position = start + 1;
    while position < text.len() {
        match text[position] {
            b'\\' => position += 2,
            b'"' => return position + 1,
            _ => position += 1,
        }
    }
    text.len()
}
