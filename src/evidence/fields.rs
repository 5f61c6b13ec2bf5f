//! The members of an Evidence record, each read into its type with the pointer of what is wrong.

use super::{AuthenticationError, Authority, Confidence, Environment, Location, Provider, Subject};
use crate::json::{Object, Pointer, Value, push_index, push_token, resolve};

type Read<T> = Result<T, AuthenticationError>;

/// An object that is being taken apart, and where it is.
pub(super) struct Members {
    object: Object,
    pointer: Pointer,
}

impl Members {
    pub(super) fn of(value: Value, pointer: &str) -> Read<Self> {
        match value.into_plain() {
            Value::Object(object) => Ok(Self { object, pointer: pointer.to_owned() }),
            other => Err(invalid_type(pointer, "an object", &other)),
        }
    }

    pub(super) fn object(&self) -> &Object {
        &self.object
    }

    pub(super) fn into_object(self) -> Object {
        self.object
    }

    fn at(&self, name: &str) -> Pointer {
        let mut pointer = self.pointer.clone();
        push_token(&mut pointer, name);
        pointer
    }

    pub(super) fn required(&self, name: &str) -> Read<&Value> {
        self.object.get(name).ok_or_else(|| AuthenticationError::MissingMember { pointer: self.at(name) })
    }

    pub(super) fn take(&mut self, name: &str) -> Read<Value> {
        let pointer = self.at(name);
        let held = self.object.get_mut(name).ok_or(AuthenticationError::MissingMember { pointer })?;
        Ok(std::mem::take(held))
    }

    pub(super) fn text(&mut self, name: &str) -> Read<String> {
        let pointer = self.at(name);
        text(self.take(name)?, &pointer)
    }

    pub(super) fn filled_text(&mut self, name: &str) -> Read<String> {
        let pointer = self.at(name);
        filled(self.text(name)?, &pointer)
    }

    fn optional_text(&mut self, name: &str) -> Read<Option<String>> {
        let pointer = self.at(name);
        match self.take(name)? {
            Value::Null => Ok(None),
            other => text(other, &pointer).map(Some),
        }
    }

    fn word(&mut self, name: &str, words: &[&str], expected: &'static str) -> Read<String> {
        let pointer = self.at(name);
        let word = self.text(name)?;
        if words.contains(&word.as_str()) { Ok(word) } else { Err(invalid_value(&pointer, expected)) }
    }

    fn offset(&mut self, name: &str) -> Read<u64> {
        let pointer = self.at(name);
        let value = self.take(name)?;
        let number = value.as_number().ok_or_else(|| invalid_type(&pointer, "an integer", &value))?;
        // `1.0` is the integer 1 to a JavaScript reader.
        let double = number.to_f64();
        let in_range = double.fract() == 0.0 && (0.0..=9_007_199_254_740_991.0).contains(&double);
        if in_range { Ok(double as u64) } else { Err(invalid_value(&pointer, "an integer from 0 to 2^53-1")) }
    }
}

fn invalid_type(pointer: &str, expected: &'static str, found: &Value) -> AuthenticationError {
    AuthenticationError::InvalidType { pointer: pointer.to_owned(), expected, found: found.type_name() }
}

fn invalid_value(pointer: &str, expected: &'static str) -> AuthenticationError {
    AuthenticationError::InvalidValue { pointer: pointer.to_owned(), expected }
}

fn text(value: Value, pointer: &str) -> Read<String> {
    match value.as_text() {
        None => Err(invalid_type(pointer, "a text", &value)),
        Some(text) => match text.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(invalid_value(pointer, "a text without unpaired surrogates")),
        },
    }
}

fn filled(text: String, pointer: &str) -> Read<String> {
    if text.is_empty() { Err(invalid_value(pointer, "a text that is not empty")) } else { Ok(text) }
}

fn is_lower_hex(text: &str, digits: usize) -> bool {
    text.len() == digits && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

pub(super) fn evidence_id(value: Value, pointer: &str) -> Read<String> {
    let id = text(value, pointer)?;
    if id.strip_prefix("ev_").is_some_and(|digest| is_lower_hex(digest, 64)) {
        return Ok(id);
    }
    Err(invalid_value(pointer, "`ev_` and 64 lower-case hex digits"))
}

/// Formats of artifacts that any producer of the format family may name.
const SUBJECT_FORMATS: [&str; 24] = [
    "hopper",
    "analysis-database",
    "mach-o",
    "elf",
    "pe",
    "dos-mz",
    "dos-com",
    "zip",
    "ipa",
    "apk",
    "msix",
    "appx",
    "asar",
    "dmg",
    "pkg",
    "plist",
    "javascript",
    "source-map",
    "directory",
    "file",
    "unknown",
    "mach-o-universal",
    "javascript-bundle",
    "entitlements",
];

pub(super) fn subject(value: Value) -> Read<Option<Subject>> {
    if value.is_null() {
        return Ok(None);
    }
    let mut members = Members::of(value, "/subject")?;
    let mut digest = Members::of(members.take("digest")?, "/subject/digest")?;
    let sha256 = digest.text("sha256")?;
    if !is_lower_hex(&sha256, 64) {
        return Err(invalid_value("/subject/digest/sha256", "64 lower-case hex digits"));
    }
    Ok(Some(Subject {
        name: members.filled_text("name")?,
        sha256,
        format: members.word("format", &SUBJECT_FORMATS, "a known artifact format, such as `file`")?,
        // The list of architectures is not published: any text is taken.
        architecture: members.optional_text("architecture")?,
        local_path: members.text("local_path")?,
    }))
}

pub(super) fn provider(value: Value) -> Read<Provider> {
    let mut members = Members::of(value, "/provider")?;
    Ok(Provider {
        id: members.filled_text("id")?,
        name: members.filled_text("name")?,
        version: members.optional_text("version")?,
    })
}

/// A profile must be an object whose provider is the record's own.
pub(super) fn check_profile(profile: &Value, provider: &Provider) -> Read<()> {
    if profile.as_object().is_none() {
        return Err(invalid_type("/analysis_profile", "an object or null", profile));
    }
    let expected = provider.to_value();
    for (name, own) in expected.as_object().into_iter().flatten() {
        let name = name.as_str().unwrap_or_default();
        if resolve(profile, "/provider").and_then(|held| held.get(name)) != Some(own) {
            let mut pointer = Pointer::from("/analysis_profile/provider");
            push_token(&mut pointer, name);
            return Err(invalid_value(&pointer, "equal to the record's provider"));
        }
    }
    Ok(())
}

pub(super) fn confidence(word: &str) -> Read<Confidence> {
    [Confidence::Observed, Confidence::Derived, Confidence::Inferred]
        .into_iter()
        .find(|known| known.as_str() == word)
        .ok_or_else(|| invalid_value("/confidence", "`observed`, `derived` or `inferred`"))
}

pub(super) fn authority(word: &str) -> Read<Authority> {
    [
        Authority::ShippedArtifact,
        Authority::ControlledReplay,
        Authority::HistoricalReference,
        Authority::ExternalService,
        Authority::AnalystInference,
    ]
    .into_iter()
    .find(|known| known.as_str() == word)
    .ok_or_else(|| {
        let expected = "`shipped-artifact`, `controlled-replay`, `historical-reference`, `external-service` or \
                        `analyst-inference`";
        invalid_value("/authority", expected)
    })
}

pub(super) fn environment(value: Value) -> Read<Option<Environment>> {
    if value.is_null() {
        return Ok(None);
    }
    let mut members = Members::of(value, "/environment")?;
    let isolations = ["none", "process", "container", "virtual-machine"];
    Ok(Some(Environment {
        id: members.text("id")?,
        platform: members.text("platform")?,
        architecture: members.text("architecture")?,
        isolation: members.word("isolation", &isolations, "`none`, `process`, `container` or `virtual-machine`")?,
    }))
}

fn items(value: Value, pointer: &str) -> Read<Vec<Value>> {
    match value.into_plain() {
        Value::Array(items) => Ok(items),
        other => Err(invalid_type(pointer, "an array", &other)),
    }
}

/// Reads every item of an array with its own pointer.
fn each<T>(value: Value, pointer: &str, read: impl Fn(Value, &str) -> Read<T>) -> Read<Vec<T>> {
    let item = |(index, item)| {
        let mut pointer = Pointer::from(pointer);
        push_index(&mut pointer, index);
        read(item, &pointer)
    };
    items(value, pointer)?.into_iter().enumerate().map(item).collect()
}

pub(super) fn text_list(value: Value, pointer: &str) -> Read<Vec<String>> {
    each(value, pointer, text)
}

pub(super) fn links(value: Value) -> Read<Vec<String>> {
    each(value, "/evidence_links", evidence_id)
}

pub(super) fn locations(value: Value) -> Read<Vec<Location>> {
    each(value, "/locations", location)
}

fn location(value: Value, pointer: &str) -> Read<Location> {
    let mut members = Members::of(value, pointer)?;
    let kind = members.text("kind")?;
    Ok(match kind.as_str() {
        "address" => Location::Address { address: members.take("address")? },
        "address-range" => Location::AddressRange { start: members.take("start")?, end: members.take("end")? },
        "artifact-path" => Location::ArtifactPath { path: members.filled_text("path")? },
        "file-offset" => Location::FileOffset { offset: members.offset("offset")? },
        "file-offset-range" => {
            Location::FileOffsetRange { start: members.offset("start")?, end: members.offset("end")? }
        }
        _ => {
            let expected = "`address`, `address-range`, `artifact-path`, `file-offset` or `file-offset-range`";
            return Err(invalid_value(&members.at("kind"), expected));
        }
    })
}
