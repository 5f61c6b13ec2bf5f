//! Whether a document is an Evidence record whose content matches its id, and what is wrong when it is not.
//!
//! Any provider and any wording authenticate: only the shape of `evidence.md` 1.1 and the id are checked. The top level is
//! strict. The small objects of fixed shape are not: their unknown members are dropped, and take no part in the id.

use super::fields::{
    self, Members, authority, confidence, environment, evidence_id, links, locations, provider, subject, text_list,
};
use super::{Evidence, MAX_EVIDENCE_DEPTH};
use crate::json::{Object, ParseOptions, Pointer, SyntaxError, Value, parse_document, push_index, push_token};

/// Why a document is not authentic Evidence. Every variant names the member by JSON pointer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticationError {
    /// The bytes are not a JSON document.
    #[error("not JSON: {0}")]
    NotJson(#[from] SyntaxError),
    /// An object holds a member name twice, so readers may disagree about what it says.
    #[error("member {pointer} occurs twice (again at byte {position})")]
    DuplicateMember {
        /// Where the member is.
        pointer: Pointer,
        /// Byte offset of the repeated name.
        position: usize,
    },
    /// A required member is absent.
    #[error("member {pointer} is missing")]
    MissingMember {
        /// Where it should be.
        pointer: Pointer,
    },
    /// The top level holds a member that no record has.
    #[error("unknown member {pointer}: an Evidence record has none of that name")]
    UnknownMember {
        /// Where it is.
        pointer: Pointer,
    },
    /// A member has another JSON type. The root is named `the document`.
    #[error("{} must be {expected}, found {found}", place(.pointer))]
    InvalidType {
        /// Where it is.
        pointer: Pointer,
        /// What is allowed.
        expected: &'static str,
        /// JSON type word of what is there.
        found: &'static str,
    },
    /// A member has the right type and a value that is not allowed.
    #[error("{pointer} must be {expected}")]
    InvalidValue {
        /// Where it is.
        pointer: Pointer,
        /// What is allowed.
        expected: &'static str,
    },
    /// A record as a generation before 6.2 wrote it.
    #[error("{pointer}: this record was written by {written_by}; make it again with this version")]
    OlderGeneration {
        /// The member that shows it.
        pointer: Pointer,
        /// Who wrote such records.
        written_by: &'static str,
    },
    /// A JSON value inside the record is nested too deep.
    #[error("{pointer} is nested deeper than {limit} levels")]
    TooDeep {
        /// The member of the record that holds the value.
        pointer: Pointer,
        /// The limit in levels.
        limit: usize,
    },
    /// A number that no finite double holds, such as `1e400`.
    #[error("{pointer} is a number beyond the range of a double")]
    NumberOutOfRange {
        /// Where it is.
        pointer: Pointer,
    },
    /// The content was changed after the record was sealed.
    #[error("the content does not match its id: evidence_id is {recorded}, the content has {computed}")]
    IdMismatch {
        /// The id that the record states.
        recorded: String,
        /// The id that its content has.
        computed: String,
    },
}

/// A pointer for people.
fn place(pointer: &str) -> &str {
    if pointer.is_empty() { "the document" } else { pointer }
}

/// Parses and authenticates the bytes of an Evidence file. One leading byte-order mark is skipped.
///
/// # Errors
/// Not JSON (with the position), not an Evidence record (with the pointer), an older generation, or an id that does not
/// match the content.
pub fn authenticate(bytes: &[u8]) -> Result<Evidence, AuthenticationError> {
    // The envelope is one level, and the deepest container a value may hold is one more than its levels.
    let options = ParseOptions { max_depth: MAX_EVIDENCE_DEPTH + 2, skip_bom: true };
    let parsed = parse_document(bytes, options)?;
    if let Some(duplicate) = parsed.duplicates.into_iter().next() {
        let (pointer, position) = (duplicate.pointer, duplicate.position);
        return Err(AuthenticationError::DuplicateMember { pointer, position });
    }
    authenticate_value(parsed.value)
}

/// Authenticates a record that is already a document, such as the inline source of a view.
///
/// # Errors
/// As [`authenticate`].
pub fn authenticate_value(value: Value) -> Result<Evidence, AuthenticationError> {
    let mut evidence = read_record(value)?;
    let computed = evidence.computed_id();
    if computed == evidence.evidence_id {
        evidence.share();
        return Ok(evidence);
    }
    if evidence.analysis_profile.is_none() && evidence.id_without_profile() == evidence.evidence_id {
        return Err(AuthenticationError::OlderGeneration {
            pointer: "/evidence_id".to_owned(),
            written_by: "a generation before 6.2, whose ids leave analysis_profile out",
        });
    }
    Err(AuthenticationError::IdMismatch { recorded: evidence.evidence_id, computed })
}

/// The members of a record in printed order.
const MEMBERS: [&str; 15] = [
    "evidence_id",
    "subject",
    "provider",
    "analysis_profile",
    "predicate_type",
    "operation",
    "parameters",
    "raw_result",
    "normalized_result",
    "confidence",
    "authority",
    "environment",
    "limitations",
    "locations",
    "evidence_links",
];

/// Checks the shape and takes the document apart. The id is not compared here.
fn read_record(value: Value) -> Result<Evidence, AuthenticationError> {
    let mut members = Members::of(value, "")?;
    refuse_strangers(members.object())?;
    for name in ["analysis_profile", "parameters", "raw_result", "normalized_result"] {
        check_value(members.required(name)?, name)?;
    }
    let provider = provider(members.take("provider")?)?;
    let analysis_profile = Some(members.take("analysis_profile")?).filter(|profile| !profile.is_null());
    if let Some(profile) = &analysis_profile {
        fields::check_profile(profile, &provider)?;
    }
    Ok(Evidence {
        evidence_id: evidence_id(members.take("evidence_id")?, "/evidence_id")?,
        subject: subject(members.take("subject")?)?,
        provider,
        analysis_profile,
        predicate_type: members.filled_text("predicate_type")?,
        operation: members.filled_text("operation")?,
        parameters: Members::of(members.take("parameters")?, "/parameters")?.into_object(),
        raw_result: members.take("raw_result")?,
        normalized_result: members.take("normalized_result")?,
        confidence: confidence(&members.text("confidence")?)?,
        authority: authority(&members.text("authority")?)?,
        environment: environment(members.take("environment")?)?,
        limitations: text_list(members.take("limitations")?, "/limitations")?,
        locations: locations(members.take("locations")?)?,
        evidence_links: links(members.take("evidence_links")?)?,
    })
}

/// Refuses a top level that is not a record's, saying so when it is an older generation's.
fn refuse_strangers(record: &Object) -> Result<(), AuthenticationError> {
    let pointer = |name: &str| {
        let mut pointer = Pointer::new();
        push_token(&mut pointer, name);
        pointer
    };
    if !record.contains("evidence_id") {
        return Err(AuthenticationError::MissingMember { pointer: pointer("evidence_id") });
    }
    if record.contains("schema_version") {
        let written_by = "a generation up to 3.x, which has a schema_version";
        return Err(AuthenticationError::OlderGeneration { pointer: pointer("schema_version"), written_by });
    }
    for (name, _) in record {
        if !name.as_str().is_some_and(|name| MEMBERS.contains(&name)) {
            return Err(AuthenticationError::UnknownMember { pointer: pointer(&name.to_display()) });
        }
    }
    let missing = MEMBERS.into_iter().find(|&name| name != "analysis_profile" && !record.contains(name));
    if let Some(name) = missing {
        return Err(AuthenticationError::MissingMember { pointer: pointer(name) });
    }
    if !record.contains("analysis_profile") {
        let written_by = "a generation up to 6.1, which leaves analysis_profile out";
        return Err(AuthenticationError::OlderGeneration { pointer: pointer("analysis_profile"), written_by });
    }
    Ok(())
}

/// What is wrong with a value, found from the inside; the pointer grows on the way out.
enum Flaw {
    TooDeep,
    OutOfRange(Vec<Step>),
}

enum Step {
    Member(String),
    Item(usize),
}

/// Refuses a value that is nested too deep or holds a number that is not finite.
fn check_value(value: &Value, member: &str) -> Result<(), AuthenticationError> {
    let mut pointer = Pointer::new();
    push_token(&mut pointer, member);
    match find_flaw(value, 0) {
        None => Ok(()),
        Some(Flaw::TooDeep) => Err(AuthenticationError::TooDeep { pointer, limit: MAX_EVIDENCE_DEPTH }),
        Some(Flaw::OutOfRange(steps)) => {
            for step in steps.iter().rev() {
                match step {
                    Step::Member(name) => push_token(&mut pointer, name),
                    Step::Item(index) => push_index(&mut pointer, *index),
                }
            }
            Err(AuthenticationError::NumberOutOfRange { pointer })
        }
    }
}

fn find_flaw(value: &Value, depth: usize) -> Option<Flaw> {
    if depth > MAX_EVIDENCE_DEPTH {
        return Some(Flaw::TooDeep);
    }
    let inside = |flaw: Flaw, step: Step| match flaw {
        Flaw::OutOfRange(mut steps) => {
            steps.push(step);
            Flaw::OutOfRange(steps)
        }
        too_deep => too_deep,
    };
    match value.plain() {
        Value::Number(number) => {
            // Only an exponent or more than 308 digits can leave the range.
            let literal = number.as_str();
            let suspect = literal.len() > 308 || literal.bytes().any(|byte| matches!(byte, b'e' | b'E'));
            (suspect && !number.to_f64().is_finite()).then(|| Flaw::OutOfRange(Vec::new()))
        }
        Value::Array(items) => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| find_flaw(item, depth + 1).map(|flaw| inside(flaw, Step::Item(index)))),
        Value::Object(object) => object.iter().find_map(|(name, value)| {
            find_flaw(value, depth + 1).map(|flaw| inside(flaw, Step::Member(name.to_display().into_owned())))
        }),
        _ => None,
    }
}
