//! Redacted entries as the printed members of a result. A capture has many thousand notes that differ in little, so what
//! recurs (names, pointers, whole notes of numbers) is held once. Knows nothing of what is redacted.

use super::redact::{BinaryField, Redacted, Redaction};
use crate::json::{Number, Object, Pointer, Text, Value};
use std::collections::HashMap;

/// Notes and pointers that are remembered to be shared. Those that recur in every record are met in the first ones.
const REMEMBERED: usize = 4096;

macro_rules! words {
    ($($name:ident => $text:literal,)*) => {
        /// The words of all notes, each held once.
        #[derive(Debug)]
        struct Words {
            $($name: Text,)*
        }

        impl Words {
            fn new() -> Self {
                Self { $($name: Text::Shared($text.into()),)* }
            }
        }
    };
}

words! {
    ordinal => "ordinal",
    location => "location",
    kind => "kind",
    json_pointer => "json-pointer",
    reported => "reported",
    binary_fields => "binary_fields",
    numeric_literals => "numeric_literals",
    redactions => "redactions",
    limitations => "limitations",
    pointer => "pointer",
    producer_type => "producer_type",
    json_number => "json-number",
    literal => "literal",
    reason => "reason",
}

/// Writes records, remembering what recurs.
#[derive(Debug)]
pub(super) struct NoteWriter {
    words: Words,
    /// Pointers met so far.
    pointers: HashMap<Box<str>, Text>,
    /// Notes of numbers met so far, by pointer and literal.
    numbers: HashMap<Box<str>, Value>,
    /// Reasons of redactions.
    reasons: HashMap<&'static str, Text>,
}

impl NoteWriter {
    /// A writer that remembers nothing yet.
    pub(super) fn new() -> Self {
        Self { words: Words::new(), pointers: HashMap::new(), numbers: HashMap::new(), reasons: HashMap::new() }
    }

    /// One record; `location` is the pointer of its entry, `None` when it may not be named.
    pub(super) fn record(
        &mut self,
        ordinal: usize,
        location: Option<String>,
        redacted: Redacted,
        limitations: Vec<Value>,
    ) -> Value {
        let location = match location {
            Some(pointer) => Object::new()
                .with(self.words.kind.clone(), self.words.json_pointer.clone())
                .with(self.words.pointer.clone(), pointer),
            None => Object::new().with("kind", "unknown").with("reason", "explicit-sensitive-value"),
        };
        let binary_fields: Vec<Value> = redacted.binary_fields.into_iter().map(binary_field).collect();
        let numbers = self.numbers(redacted.numeric_literals);
        let redactions = self.redactions(redacted.redactions);
        let words = &self.words;
        [
            (&words.ordinal, ordinal.into()),
            (&words.location, location.into()),
            (&words.reported, redacted.reported),
            (&words.binary_fields, binary_fields.into()),
            (&words.numeric_literals, numbers),
            (&words.redactions, redactions),
            (&words.limitations, limitations.into()),
        ]
        .into_iter()
        .map(|(name, value)| (name.clone(), value))
        .collect::<Object>()
        .into()
    }

    /// The document around the records.
    pub(super) fn container(&mut self, redacted: Redacted, records_pointer: Value) -> Value {
        let numbers = self.numbers(redacted.numeric_literals);
        let redactions = self.redactions(redacted.redactions);
        Object::new()
            .with("reported", redacted.reported)
            .with("numeric_literals", numbers)
            .with("redactions", redactions)
            .with("records_pointer", records_pointer)
            .into()
    }

    fn numbers(&mut self, literals: Vec<(Pointer, Number)>) -> Value {
        literals.into_iter().map(|(pointer, literal)| self.number(pointer, &literal)).collect()
    }

    fn number(&mut self, pointer: Pointer, literal: &Number) -> Value {
        let length = pointer.len();
        let mut key = pointer;
        key.push('\0');
        key.push_str(literal.as_str());
        if let Some(note) = self.numbers.get(key.as_str()) {
            return note.clone();
        }
        let pointer = self.pointer(key.get(..length).unwrap_or_default());
        let words = &self.words;
        let note: Value = [
            (&words.pointer, Value::String(pointer)),
            (&words.producer_type, Value::String(words.json_number.clone())),
            (&words.literal, literal.as_str().into()),
        ]
        .into_iter()
        .map(|(name, value)| (name.clone(), value))
        .collect::<Object>()
        .into();
        if self.numbers.len() >= REMEMBERED {
            return note;
        }
        let note = note.into_shared();
        self.numbers.insert(key.into_boxed_str(), note.clone());
        note
    }

    fn pointer(&mut self, pointer: &str) -> Text {
        if let Some(text) = self.pointers.get(pointer) {
            return text.clone();
        }
        let text = Text::Shared(pointer.into());
        if self.pointers.len() < REMEMBERED {
            self.pointers.insert(pointer.into(), text.clone());
        }
        text
    }

    fn redactions(&mut self, redactions: Vec<Redaction>) -> Value {
        let one = |redaction: Redaction| {
            let pointer = self.pointer(&redaction.pointer);
            let reason = self.reasons.entry(redaction.reason).or_insert_with(|| Text::Shared(redaction.reason.into()));
            let mut object =
                Object::new().with(self.words.pointer.clone(), pointer).with(self.words.reason.clone(), reason.clone());
            if redaction.of_a_name {
                object.push("scope", "property-name");
            }
            object.into()
        };
        redactions.into_iter().map(one).collect()
    }
}

fn binary_field(field: BinaryField) -> Value {
    let (state, content, bytes, sha256) = match field.retained {
        Some((content, bytes, sha256)) => ("retained", content, bytes.into(), sha256.into()),
        None => ("redacted", Value::Null, Value::Null, Value::Null),
    };
    Object::new()
        .with("pointer", field.pointer)
        .with("representation", "har-base64-content")
        .with("state", state)
        .with("content_base64", content)
        .with("bytes", bytes)
        .with("sha256", sha256)
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_print_the_same_whether_remembered_or_not() {
        let mut writer = NoteWriter::new();
        let print = |writer: &mut NoteWriter, at: usize| {
            let literal = Number::from_literal("-0.50").unwrap();
            writer.number(format!("/a/{at}"), &literal).to_compact()
        };
        let first = print(&mut writer, 0);
        assert_eq!(first, r#"{"pointer":"/a/0","producer_type":"json-number","literal":"-0.50"}"#);
        for at in 1..REMEMBERED + 10 {
            assert_eq!(print(&mut writer, at), first.replacen("/a/0", &format!("/a/{at}"), 1));
        }
        assert_eq!(print(&mut writer, 0), first);
        assert_eq!(writer.numbers.len(), REMEMBERED);
    }

    #[test]
    fn a_pointer_and_a_literal_never_run_into_each_other() {
        let mut writer = NoteWriter::new();
        let mut print = |pointer: &str, literal: &str| {
            writer.number(pointer.to_owned(), &Number::from_literal(literal).unwrap()).to_compact()
        };
        assert_ne!(print("/a", "12"), print("/a1", "2"));
        assert_ne!(print("/a\0", "1"), print("/a", "1"));
    }
}
