//! Reading a HAR document: the text becomes a container and its entries, or is refused with the place. What is odd about
//! one entry is found elsewhere (`oddities.rs`); nothing is removed here.

use super::CaptureError;
use super::tolerance::Tolerance;
use crate::json::{Object, ParseOptions, Value, parse_document};

/// Where the entries are.
pub(super) const ENTRIES: &str = "/log/entries";

/// A HAR document, taken apart.
#[derive(Debug)]
pub(super) struct Har {
    /// The document with `log.entries` replaced by `null`.
    pub(super) container: Value,
    /// The entries.
    pub(super) entries: Vec<Entry>,
    /// What is odd about the document itself.
    pub(super) oddities: Vec<Tolerance>,
}

/// One entry as it was read.
#[derive(Debug)]
pub(super) struct Entry {
    /// The value.
    pub(super) value: Value,
    /// Pointers, relative to the entry, of member names that occur twice in it.
    pub(super) duplicates: Vec<String>,
}

/// Reads a HAR document; `path` is what refusals call the file. The text is dropped as soon as it is read.
///
/// # Errors
/// Not JSON (with the position), nested too deep, a name twice outside the entries (with the pointer), no list at
/// `/log/entries`.
pub(super) fn read(bytes: Vec<u8>, path: &str, max_nesting: usize) -> Result<Har, CaptureError> {
    let options = ParseOptions { max_depth: max_nesting, skip_bom: true };
    let parsed =
        parse_document(&bytes, options).map_err(|error| CaptureError::NotJson { path: path.to_owned(), error })?;
    drop(bytes);
    let mut in_entries: Vec<(usize, String)> = Vec::new();
    for duplicate in &parsed.duplicates {
        match in_entry(&duplicate.pointer) {
            Some((index, rest)) => in_entries.push((index, rest.to_owned())),
            None => {
                return Err(CaptureError::DuplicateMember {
                    path: path.to_owned(),
                    pointer: duplicate.pointer.clone(),
                    position: duplicate.position,
                });
            }
        }
    }
    if parsed.unlisted_duplicates > 0 {
        let pointer = parsed.duplicates.last().map(|last| last.pointer.clone()).unwrap_or_default();
        return Err(CaptureError::TooManyDuplicates { path: path.to_owned(), pointer });
    }
    let mut container = parsed.value;
    let mut oddities = Vec::new();
    if parsed.had_bom {
        oddities.push(Tolerance::ByteOrderMark);
    }
    let entries = take_entries(&mut container, path)?;
    find_oddities(&container, &mut oddities);
    let mut entries: Vec<Entry> = entries.into_iter().map(|value| Entry { value, duplicates: Vec::new() }).collect();
    for (index, rest) in in_entries {
        if let Some(entry) = entries.get_mut(index) {
            entry.duplicates.push(rest);
        }
    }
    Ok(Har { container, entries, oddities })
}

/// The index and the rest of a pointer that leads into an entry.
fn in_entry(pointer: &str) -> Option<(usize, &str)> {
    let rest = pointer.strip_prefix(ENTRIES)?.strip_prefix('/')?;
    let (index, _) = rest.split_once('/')?;
    Some((index.parse().ok()?, rest.get(index.len()..)?))
}

fn take_entries(document: &mut Value, path: &str) -> Result<Vec<Value>, CaptureError> {
    let refuse =
        |pointer: &str, expected| CaptureError::NotHar { path: path.to_owned(), pointer: pointer.to_owned(), expected };
    let root = document.as_object_mut().ok_or_else(|| refuse("", "an object with the member log"))?;
    let log = root.get_mut("log").ok_or_else(|| refuse("/log", "the member log"))?;
    let log: &mut Object = log.as_object_mut().ok_or_else(|| refuse("/log", "an object"))?;
    let entries = log.get_mut("entries").ok_or_else(|| refuse(ENTRIES, "the list of entries"))?;
    match std::mem::take(entries) {
        Value::Array(items) => Ok(items),
        _ => Err(refuse(ENTRIES, "a list")),
    }
}

fn find_oddities(container: &Value, oddities: &mut Vec<Tolerance>) {
    let Some(log) = container.get("log") else { return };
    if log.get("version").and_then(Value::as_str) != Some("1.2") {
        oddities.push(Tolerance::LogVersion);
    }
    let named = |creator: &Value| {
        ["name", "version"].iter().all(|name| creator.get(name).is_some_and(|it| it.as_text().is_some()))
    };
    if !log.get("creator").is_some_and(named) {
        oddities.push(Tolerance::Creator);
    }
    if log.get("pages").and_then(Value::as_array).is_none() {
        oddities.push(Tolerance::MissingPages);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_into_entries() {
        assert_eq!(in_entry("/log/entries/12/request/url"), Some((12, "/request/url")));
        assert_eq!(in_entry("/log/entries"), None);
        assert_eq!(in_entry("/log/entries/3"), None);
        assert_eq!(in_entry("/log/creator/name"), None);
        assert_eq!(in_entry("/log/entriesx/1/a"), None);
    }
}
