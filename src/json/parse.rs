//! Strict RFC 8259 reading into [`Value`]: byte position in every syntax error, duplicate names found with their
//! pointer, nesting bounded, unpaired surrogate escapes kept.
//!
//! The reader keeps its own stack, so nesting costs heap and never the thread's stack. Finished items wait on one shared
//! stack and move into an exactly sized container when it closes.

use super::names::TextCache;
use super::number::{ends_number, number_length};
use super::pointer::{push_index, push_token};
use super::repeats::repeats;
use super::scan::find_special;
use super::text::encode;
use super::{
    Duplicate, MAX_DEPTH, MAX_DUPLICATE_BYTES, Number, Object, Pointer, SyntaxError, SyntaxProblem, Text, Value,
};

/// What a read allows.
#[derive(Clone, Copy, Debug)]
pub struct ParseOptions {
    /// Deepest nesting of arrays and objects (the root container is level 1).
    pub max_depth: usize,
    /// Whether one leading UTF-8 byte-order mark is skipped.
    pub skip_bom: bool,
}

impl Default for ParseOptions {
    fn default() -> Self {
        Self { max_depth: MAX_DEPTH, skip_bom: false }
    }
}

/// A document that was read.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The document.
    pub value: Value,
    /// Names that occurred twice, in document order; as many as [`MAX_DUPLICATE_BYTES`] holds.
    pub duplicates: Vec<Duplicate>,
    /// How many further ones were found and not listed.
    pub unlisted_duplicates: usize,
    /// Whether a byte-order mark was skipped.
    pub had_bom: bool,
}

/// Reads a document and lists the member names that occur twice.
///
/// # Errors
/// The first syntax problem, with its position.
pub fn parse_document(text: &[u8], options: ParseOptions) -> Result<Parsed, SyntaxError> {
    let had_bom = options.skip_bom && text.starts_with(b"\xef\xbb\xbf");
    let start = if had_bom { 3 } else { 0 };
    let fail = |(position, problem)| SyntaxError::at(text, position, problem);
    let (valid, invalid_at) = match std::str::from_utf8(text) {
        Ok(valid) => (valid, None),
        Err(error) => {
            let end = error.valid_up_to();
            (std::str::from_utf8(&text[..end]).unwrap_or_default(), Some(end))
        }
    };
    let mut reader = Reader::new(valid, start, options.max_depth);
    let read = reader.document();
    match (read, invalid_at) {
        // What lies before the first invalid byte can be wrong on its own; running out of it is that byte's fault.
        (Err((position, problem)), Some(end)) if position < end => Err(fail((position, problem))),
        (_, Some(end)) => Err(fail((end, SyntaxProblem::InvalidUtf8))),
        (Err(problem), None) => Err(fail(problem)),
        (Ok(value), None) => {
            let mut duplicates = reader.duplicates;
            duplicates.sort_by_key(|duplicate| duplicate.position);
            Ok(Parsed { value, duplicates, unlisted_duplicates: reader.unlisted, had_bom })
        }
    }
}

/// Reads a document, keeping the last of repeated members (as JavaScript does), 1000 levels deep at most.
///
/// # Errors
/// The first syntax problem, with its position.
pub fn parse(text: &[u8]) -> Result<Value, SyntaxError> {
    parse_document(text, ParseOptions::default()).map(|parsed| parsed.value)
}

type Problem = (usize, SyntaxProblem);

/// An open container: where its items and names begin on the shared stacks.
struct Open {
    is_object: bool,
    values: usize,
    names: usize,
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    max_depth: usize,
    open: Vec<Open>,
    values: Vec<Value>,
    /// Names of the open objects' members so far, each with its byte offset.
    names: Vec<(Text, usize)>,
    cache: TextCache,
    /// Where a text with escapes is put together.
    unescaped: Vec<u8>,
    duplicates: Vec<Duplicate>,
    duplicate_bytes: usize,
    unlisted: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str, at: usize, max_depth: usize) -> Self {
        Self {
            text,
            bytes: text.as_bytes(),
            at,
            max_depth,
            open: Vec::new(),
            values: Vec::new(),
            names: Vec::new(),
            cache: TextCache::new(),
            unescaped: Vec::new(),
            duplicates: Vec::new(),
            duplicate_bytes: 0,
            unlisted: 0,
        }
    }

    fn document(&mut self) -> Result<Value, Problem> {
        if self.peek().is_none() {
            return Err((self.at, SyntaxProblem::Empty));
        }
        loop {
            if self.value()? && self.finish()? {
                return match self.peek() {
                    None => Ok(self.values.pop().unwrap_or_default()),
                    Some(_) => Err((self.at, SyntaxProblem::TrailingText)),
                };
            }
        }
    }

    /// The next byte that is not white space, without taking it.
    fn peek(&mut self) -> Option<u8> {
        while let Some(&byte) = self.bytes.get(self.at) {
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.at += 1;
        }
        None
    }

    fn expected<T>(&self, expected: &'static str) -> Result<T, Problem> {
        let ended = self.at >= self.bytes.len();
        Err((self.at, if ended { SyntaxProblem::UnexpectedEnd } else { SyntaxProblem::Expected { expected } }))
    }

    /// Puts a scalar or an empty container on the stack of values and returns true, or opens a container and returns false
    /// at its first item's value.
    fn value(&mut self) -> Result<bool, Problem> {
        match self.peek() {
            Some(b'"') => {
                let text = match self.string()? {
                    Read::Plain(text) => self.cache.value(text),
                    Read::Unescaped(text) => text,
                };
                self.values.push(Value::String(text));
            }
            Some(b'{') => {
                self.enter(true)?;
                if self.peek() != Some(b'}') {
                    self.name("a member name or `}`")?;
                    return Ok(false);
                }
                self.at += 1;
                self.open.pop();
                self.values.push(Value::Object(Object::new()));
            }
            Some(b'[') => {
                self.enter(false)?;
                if self.peek() != Some(b']') {
                    return Ok(false);
                }
                self.at += 1;
                self.open.pop();
                self.values.push(Value::Array(Vec::new()));
            }
            Some(b'-' | b'0'..=b'9') => {
                let number = self.number()?;
                self.values.push(Value::Number(number));
            }
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return self.expected("a value"),
        }
        Ok(true)
    }

    /// After a finished value: goes on to the next value of the container that is open (false), or closes every container
    /// that ends here and returns true when the document is complete.
    fn finish(&mut self) -> Result<bool, Problem> {
        loop {
            let Some(open) = self.open.last() else { return Ok(true) };
            let is_object = open.is_object;
            match self.peek() {
                Some(b',') => {
                    self.at += 1;
                    if is_object {
                        self.peek();
                        self.name("a member name")?;
                    }
                    return Ok(false);
                }
                Some(b'}') if is_object => {
                    self.at += 1;
                    self.close_object();
                }
                Some(b']') if !is_object => {
                    self.at += 1;
                    self.close_array();
                }
                _ => return self.expected(if is_object { "`,` or `}`" } else { "`,` or `]`" }),
            }
        }
    }

    fn enter(&mut self, is_object: bool) -> Result<(), Problem> {
        if self.open.len() >= self.max_depth {
            return Err((self.at, SyntaxProblem::TooDeep { limit: self.max_depth }));
        }
        self.at += 1;
        self.open.push(Open { is_object, values: self.values.len(), names: self.names.len() });
        Ok(())
    }

    fn name(&mut self, expected: &'static str) -> Result<(), Problem> {
        let position = self.at;
        if self.bytes.get(position) != Some(&b'"') {
            return self.expected(expected);
        }
        let name = match self.string()? {
            Read::Plain(name) => self.cache.name(name),
            Read::Unescaped(name) => name,
        };
        self.names.push((name, position));
        if self.peek() != Some(b':') {
            return self.expected("`:`");
        }
        self.at += 1;
        Ok(())
    }

    fn close_array(&mut self) {
        let from = self.open.pop().map_or(0, |open| open.values);
        let items = self.values.drain(from..).collect();
        self.values.push(Value::Array(items));
    }

    fn close_object(&mut self) {
        let (values, names) = self.open.last().map_or((0, 0), |open| (open.values, open.names));
        let repeated = repeats(&self.names[names..]);
        for &(index, _) in &repeated {
            self.report(names + index);
        }
        // The last value wins, at the place of the first name.
        for &(index, first) in &repeated {
            self.values.swap(values + index, values + first);
        }
        self.open.pop();
        let members = self.names.drain(names..).map(|(name, _)| name).zip(self.values.drain(values..));
        let object: Object = if repeated.is_empty() {
            members.collect()
        } else {
            let mut dropped = repeated.iter().map(|&(index, _)| index).peekable();
            let kept = members
                .enumerate()
                .filter_map(|(index, member)| if dropped.next_if_eq(&index).is_some() { None } else { Some(member) });
            kept.collect()
        };
        self.values.push(Value::Object(object));
    }

    /// Lists the repeated name at `index` of the names of the innermost open object.
    fn report(&mut self, index: usize) {
        let Some((name, position)) = self.names.get(index) else { return };
        let mut pointer = Pointer::new();
        for (depth, open) in self.open.iter().enumerate() {
            let Some(inner) = self.open.get(depth + 1) else { break };
            // What an outer container holds so far ends where the next one begins.
            if open.is_object {
                if let Some((name, _)) = inner.names.checked_sub(1).and_then(|last| self.names.get(last)) {
                    push_token(&mut pointer, &name.to_display());
                }
            } else {
                push_index(&mut pointer, inner.values - open.values);
            }
            if pointer.len() > MAX_DUPLICATE_BYTES {
                break;
            }
        }
        push_token(&mut pointer, &name.to_display());
        let bytes = pointer.len() + size_of::<Duplicate>();
        // One is always listed, so that no document with a repeated name looks like one without.
        if self.duplicate_bytes + bytes > MAX_DUPLICATE_BYTES && !self.duplicates.is_empty() {
            self.unlisted += 1;
            return;
        }
        self.duplicate_bytes += bytes;
        self.duplicates.push(Duplicate { pointer, position: *position });
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<(), Problem> {
        let rest = &self.bytes[self.at..];
        if rest.starts_with(word.as_bytes()) {
            self.at += word.len();
            self.values.push(value);
            return Ok(());
        }
        let same = rest.iter().zip(word.bytes()).take_while(|&(&byte, letter)| byte == letter).count();
        self.at += same;
        self.expected(word)
    }

    fn number(&mut self) -> Result<Number, Problem> {
        let start = self.at;
        let length = number_length(&self.bytes[start..]);
        let next = self.bytes.get(start + length).copied();
        if !ends_number(&self.bytes[start..start + length])
            || matches!(next, Some(b'0'..=b'9' | b'.' | b'e' | b'E' | b'+' | b'-'))
        {
            let at = start + length;
            let problem = if next.is_none() { SyntaxProblem::UnexpectedEnd } else { SyntaxProblem::InvalidNumber };
            return Err((at, problem));
        }
        self.at = start + length;
        Ok(Number::from_checked(&self.text[start..start + length]))
    }

    /// Reads a text whose opening quote is at the current place.
    fn string(&mut self) -> Result<Read<'a>, Problem> {
        let start = self.at + 1;
        let end = find_special(self.bytes, start);
        if self.bytes.get(end) == Some(&b'"') {
            self.at = end + 1;
            return Ok(Read::Plain(&self.text[start..end]));
        }
        self.escaped_string(start, end).map(Read::Unescaped)
    }

    /// Reads a text that began at `start` and is plain up to `end`.
    fn escaped_string(&mut self, start: usize, mut end: usize) -> Result<Text, Problem> {
        let mut run = start;
        let mut out = std::mem::take(&mut self.unescaped);
        out.clear();
        let mut has_surrogate = false;
        loop {
            match self.bytes.get(end) {
                Some(b'"') => {
                    out.extend_from_slice(&self.bytes[run..end]);
                    self.at = end + 1;
                    break;
                }
                Some(b'\\') => {
                    out.extend_from_slice(&self.bytes[run..end]);
                    match simple_escape(self.bytes.get(end + 1)) {
                        Some(byte) => {
                            out.push(byte);
                            run = end + 2;
                        }
                        None => {
                            self.at = end + 1;
                            let code = self.unicode_escape()?;
                            has_surrogate |= (0xd800..0xe000).contains(&code);
                            encode(code, &mut out);
                            run = self.at;
                        }
                    }
                    end = find_special(self.bytes, run);
                }
                Some(_) => return Err((end, SyntaxProblem::ControlCharacter)),
                None => return Err((end, SyntaxProblem::UnexpectedEnd)),
            }
        }
        let text = match std::str::from_utf8(&out) {
            Ok(text) if !has_surrogate => Text::from(text),
            _ => Text::Wtf8(out.as_slice().into()),
        };
        self.unescaped = out;
        Ok(text)
    }

    /// Reads a `\u` escape after its backslash: one code point, which is a surrogate when its other half is missing.
    fn unicode_escape(&mut self) -> Result<u32, Problem> {
        let backslash = self.at - 1;
        match self.bytes.get(self.at) {
            Some(b'u') => self.at += 1,
            Some(_) => return Err((backslash, SyntaxProblem::InvalidEscape)),
            None => return Err((self.at, SyntaxProblem::UnexpectedEnd)),
        }
        let unit = self.hex(backslash)?;
        let after = self.at;
        if (0xd800..0xdc00).contains(&unit) && self.bytes[after..].starts_with(b"\\u") {
            self.at += 2;
            let low = self.hex(after)?;
            if (0xdc00..0xe000).contains(&low) {
                return Ok(0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
            }
            // Not its other half: the next escape stands on its own.
            self.at = after;
        }
        Ok(unit)
    }

    fn hex(&mut self, backslash: usize) -> Result<u32, Problem> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(&byte) = self.bytes.get(self.at) else { return Err((self.at, SyntaxProblem::UnexpectedEnd)) };
            let Some(digit) = char::from(byte).to_digit(16) else {
                return Err((backslash, SyntaxProblem::InvalidEscape));
            };
            unit = unit << 4 | digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

/// What a one-letter escape stands for, given the letter.
fn simple_escape(letter: Option<&u8>) -> Option<u8> {
    Some(match letter? {
        byte @ (b'"' | b'\\' | b'/') => *byte,
        b'b' => 0x08,
        b't' => 0x09,
        b'n' => 0x0a,
        b'f' => 0x0c,
        b'r' => 0x0d,
        _ => return None,
    })
}

/// A text as it was read: a piece of the document, or made of escapes.
enum Read<'a> {
    Plain(&'a str),
    Unescaped(Text),
}
