//! Why a served write is refused. A refused write leaves the state as it was; the message names what would be accepted.

use super::write_plan::{Part, WritePlan};
use crate::json::Value;

/// A refused write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WriteRefusal {
    /// Machine-readable code.
    pub code: &'static str,
    /// What is wrong, with the accepted members.
    pub message: String,
    /// What to do.
    pub hint: &'static str,
}

/// The code of a call that the recorded calls do not cover.
const INVALID: &str = "invalid_arguments";
/// Bytes of a value that a message shows.
const SHOWN_BYTES: usize = 120;

fn refusal(message: String, hint: &'static str) -> WriteRefusal {
    WriteRefusal { code: INVALID, message, hint }
}

/// A name or text as a JSON string, cut when long.
fn quoted(text: &str) -> String {
    let mut end = text.len().min(SHOWN_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let mut shown = Value::from(&text[..end]).to_compact();
    if end < text.len() {
        shown.push('…');
    }
    shown
}

/// `accepted members: "name" (string, required), "weight" (number)`
pub fn accepted_words(part: &Part) -> String {
    if part.accepted.is_empty() {
        return "no body members are accepted".to_owned();
    }
    let members = part.accepted.iter().map(|member| {
        let mut words = member.types.join(" or ");
        if member.required {
            words.push_str(", required");
        }
        if let [only] = member.only.as_slice() {
            words.push_str(", only ");
            words.push_str(&quoted_value(only));
        }
        format!("{} ({words})", quoted(&member.name))
    });
    format!("accepted members: {}", members.collect::<Vec<_>>().join(", "))
}

fn quoted_value(value: &Value) -> String {
    let text = value.to_compact();
    let mut end = text.len().min(SHOWN_BYTES);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

impl WriteRefusal {
    /// The body is no object of members.
    pub(super) fn body(part: &Part) -> Self {
        let message = format!("the body must be an object of members; {}", accepted_words(part));
        refusal(message, "Send an object with the accepted members.")
    }

    /// The body is not wrapped as the recorded ones were.
    pub(super) fn envelope(plan: &WritePlan, part: &Part) -> Self {
        let member = plan.envelope.member.as_deref().unwrap_or_default();
        let inner = if plan.envelope.one_element { "a list of one object" } else { "an object" };
        let message = format!(
            "the body must be an object whose only member {} is {inner}; {}",
            quoted(member),
            accepted_words(part)
        );
        refusal(message, "Wrap the members as the recorded calls did.")
    }

    /// A member that was never stored.
    pub(super) fn member(part: &Part, name: &str) -> Self {
        let message =
            format!("member {} is not one that the capture showed stored; {}", quoted(name), accepted_words(part));
        refusal(message, "Leave the member out.")
    }

    /// A member of another JSON type.
    pub(super) fn kind(part: &Part, name: &str, given: &str) -> Self {
        let message = format!("member {} was never recorded as {given}; {}", quoted(name), accepted_words(part));
        refusal(message, "Send the member as one of its recorded types.")
    }

    /// A member whose recorded value is the only one known to do what was seen.
    pub(super) fn fixed(part: &Part, name: &str, only: &Value) -> Self {
        let message = format!(
            "member {} was only recorded as {}, and what another value does is not known; {}",
            quoted(name),
            quoted_value(only),
            accepted_words(part)
        );
        refusal(message, "Send the recorded value.")
    }

    /// A required member is missing.
    pub(super) fn missing(part: &Part, name: &str) -> Self {
        let message = format!("member {} is required; {}", quoted(name), accepted_words(part));
        refusal(message, "Send every required member.")
    }

    /// Query parameters other than the recorded call's.
    pub(super) fn query(part: &Part) -> Self {
        let shown: Vec<String> = part.query.iter().map(|(name, value)| quoted(&format!("{name}={value}"))).collect();
        let expected = if shown.is_empty() { "no query parameters".to_owned() } else { shown.join(", ") };
        let message = format!(
            "the recorded calls had {expected}, and others may change what the body does; {}",
            accepted_words(part)
        );
        refusal(message, "Send the query parameters of the recorded calls.")
    }

    /// A query parameter is given twice.
    pub(super) fn repeated_query(part: &Part) -> Self {
        let message = format!("a query parameter is given more than once; {}", accepted_words(part));
        refusal(message, "Send each query parameter once.")
    }

    /// A value that cannot be stored as recorded ones were.
    pub(super) fn value(part: &Part, name: &str) -> Self {
        let message = format!(
            "the value of member {} cannot be stored as the recorded ones were; {}",
            quoted(name),
            accepted_words(part)
        );
        refusal(message, "Send a value like the recorded ones.")
    }

    /// A value that names an entity which the state does not hold.
    pub(super) fn reference(part: &Part, text: &str) -> Self {
        let message =
            format!("{} names an entity that the state does not hold; {}", quoted(text), accepted_words(part));
        refusal(message, "Name an entity that a read shows.")
    }

    /// A call on which the ways that fit the recorded calls disagree.
    pub(super) fn unlike(part: &Part) -> Self {
        let message = format!(
            "the recorded calls do not tell whether what is sent replaces what is held or joins it; {}",
            accepted_words(part)
        );
        refusal(message, "Send the members as the recorded calls did, whole or in part.")
    }

    /// The answer cannot be made.
    pub(super) fn answer(part: &Part) -> Self {
        let message = format!(
            "the recorded answer has a member that nothing in this call or in the state gives; {}",
            accepted_words(part)
        );
        refusal(message, "Send the members that the recorded calls sent.")
    }

    /// A member of the answer, by its pointer, cannot be made.
    pub(super) fn answer_member(part: &Part, place: &str) -> Self {
        let message = format!(
            "the recorded answer has a member, {}, that nothing in this call or in the state gives; {}",
            quoted(place),
            accepted_words(part)
        );
        refusal(message, "Send the members that the recorded calls sent.")
    }

    /// The entity is not one that the recorded calls cover.
    pub(super) fn target(plan: &WritePlan) -> Self {
        let words = plan.parts.first().map(accepted_words).unwrap_or_default();
        refusal(
            format!("the state does not hold what the call addresses, and no recorded call shows the answer; {words}"),
            "Address an entity that a read shows.",
        )
    }

    /// Several entities have what the call addresses one by.
    pub(super) fn ambiguous(plan: &WritePlan) -> Self {
        let words = plan.parts.first().map(accepted_words).unwrap_or_default();
        let message = "the state holds more than one entity that has what the call says, and no recorded call shows \
                       which of them is written";
        refusal(format!("{message}; {words}"), "Address an entity by what no other has.")
    }

    /// The entity exists, and the tool only creates.
    pub(super) fn held(part: &Part, id: &str) -> Self {
        let message = format!(
            "the state already holds {}, and no recorded call shows what this does to it; {}",
            quoted(id),
            accepted_words(part)
        );
        refusal(message, "Choose another identity, or update what is held.")
    }

    /// The clock has left its format.
    pub(super) fn clock(part: &Part) -> Self {
        let message = format!("the next clock lies outside the years 0000 to 9999; {}", accepted_words(part));
        WriteRefusal { code: "resource_constraint", message, hint: "Reset the environment." }
    }

    /// The history of new collections is full.
    pub(super) fn history(limit: usize) -> Self {
        WriteRefusal {
            code: "resource_constraint",
            message: format!(
                "creates in new collections may retain {limit} bytes of names since the last reset, and this one would take more"
            ),
            hint: "Reset the environment, or use fewer distinct collections.",
        }
    }

    /// A path has more segments than are kept.
    pub(super) fn depth(limit: usize) -> Self {
        let message = format!("paths may have {limit} segments, and this call names or would make a longer one");
        refusal(message, "Use a path of fewer segments.")
    }
}
