//! The rules of a tree as data: how a line shows an item, what a write leaves in one, how a folder names what is made in
//! it. Found in `tree_fit.rs`.

use super::clock_format::ClockFormat;
use crate::json::Value;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::collections::{BTreeMap, BTreeSet};

/// How a member is shown.
#[derive(Clone, Debug, PartialEq)]
pub enum How {
    /// As a read by the path alone shows it.
    Held,
    /// One value, whatever is held.
    Fixed(Value),
    /// The held text in base 64, as mail wraps it.
    Encoded,
    /// Not at all.
    Left,
}

/// A way in which items are shown: how each member is that is not as held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Showing {
    /// Members that are shown otherwise than held.
    pub others: BTreeMap<Box<str>, How>,
    /// What the items were that it was seen of.
    pub words: BTreeSet<String>,
    /// Index of a record that has it.
    pub record: usize,
}

impl Showing {
    /// How a member is shown.
    pub fn how(&self, member: &str) -> &How {
        self.others.get(member).unwrap_or(&How::Held)
    }
}

/// Bytes of a line of wrapped base 64.
const WRAPPED: usize = 76;

/// A text in base 64, in lines that each end with a line feed.
pub fn encoded(text: &str) -> String {
    let whole = BASE64_STANDARD.encode(text);
    let mut lines = String::with_capacity(whole.len() + whole.len() / WRAPPED + 1);
    for (at, character) in whole.chars().enumerate() {
        if at > 0 && at % WRAPPED == 0 {
            lines.push('\n');
        }
        lines.push(character);
    }
    if !lines.is_empty() {
        lines.push('\n');
    }
    lines
}

/// What a write does to a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Puts an item at the path, in place of the one that is there.
    Save,
    /// Makes an item in the folder at the path, under a name of the application's choice.
    Make,
    /// Moves the item and what is below it to the path that a member of the body names.
    Move(Box<str>),
    /// Removes the item and what is below it.
    Remove,
}

/// What tells calls of one method apart.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    /// Names of the sent members, sorted.
    pub names: Vec<Box<str>>,
    /// What is sent for what the item is.
    pub word: Option<String>,
    /// Whether the path was taken before.
    pub held: bool,
}

/// What a write leaves in a member.
#[derive(Clone, Debug, PartialEq)]
pub enum TreeRule {
    /// The path.
    Path,
    /// The last segment of the path.
    Name,
    /// What the item held.
    Held,
    /// What the copied item holds.
    Source,
    /// What is sent.
    Sent(Box<str>),
    /// The time of the write.
    Clock(ClockFormat),
    /// How many bytes a member's text has.
    Bytes(Box<str>),
    /// What names of this ending have.
    Ending,
    /// One value.
    Fixed(Value),
}

/// How a folder names what is made in it: a stem and a tail, and a number between them when the name is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Naming {
    /// The text before the number; of a copied item its own.
    pub stem: Option<Box<str>>,
    /// The sent member that ends the name.
    pub tail_sent: Option<Box<str>>,
    /// The text that ends the name, where none is sent and nothing is copied.
    pub tail: Box<str>,
    /// What stands before the number; `None` where no taken name was seen.
    pub before_number: Option<Box<str>>,
    /// The first number.
    pub first: u32,
    /// The sent member that names the item to copy.
    pub source: Option<Box<str>>,
}

/// One thing that a method does.
#[derive(Clone, Debug, PartialEq)]
pub struct TreePart {
    /// What.
    pub act: Act,
    /// The calls that it is about.
    pub form: Form,
    /// What the members are after it; others are not known.
    pub rules: Vec<(Box<str>, TreeRule)>,
    /// Sent members that only ever had one value.
    pub only: Vec<(Box<str>, Value)>,
    /// How the item is named, where the application does it.
    pub naming: Option<Naming>,
    /// How the answer shows the item; `None` where the recorded answer is repeated.
    pub answer: Option<Showing>,
    /// Index of the record whose answer it has.
    pub record: usize,
    /// Its ordinal.
    pub ordinal: usize,
}

/// What a file's ending says of its media type, everywhere.
const MEDIA_TYPES: [(&str, &str); 20] = [
    ("css", "text/css"),
    ("csv", "text/csv"),
    ("gif", "image/gif"),
    ("gz", "application/gzip"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("jpeg", "image/jpeg"),
    ("jpg", "image/jpeg"),
    ("json", "application/json"),
    ("md", "text/markdown"),
    ("mp4", "video/mp4"),
    ("pdf", "application/pdf"),
    ("png", "image/png"),
    ("py", "text/x-python"),
    ("svg", "image/svg+xml"),
    ("tsv", "text/tab-separated-values"),
    ("txt", "text/plain"),
    ("xml", "text/xml"),
    ("zip", "application/zip"),
    ("mp3", "audio/mpeg"),
];

/// The ending of a name: what follows its last dot.
pub fn ending(name: &str) -> &str {
    name.rsplit_once('.').filter(|(stem, _)| !stem.is_empty()).map_or("", |(_, ending)| ending)
}

/// What names of an ending have: as seen, or the common media type where all that was seen has that.
pub fn by_ending(seen: &BTreeMap<String, Value>, name: &str) -> Option<Value> {
    let ending = ending(name);
    if let Some(value) = seen.get(ending) {
        return Some(value.clone());
    }
    let common = |ending: &str| MEDIA_TYPES.iter().find(|(held, _)| *held == ending).map(|(_, media)| *media);
    let mut known = 0;
    for (ending, value) in seen {
        let (Some(media), Some(value)) = (common(ending), value.as_str()) else { continue };
        if media != value {
            return None;
        }
        known += 1;
    }
    if known > 1 { common(ending).map(Value::from) } else { None }
}
