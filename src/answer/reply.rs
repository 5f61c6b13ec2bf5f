//! A call and its reply, as data.

use super::replay::Recording;
use crate::json::{Object, Value};
use std::sync::Arc;

/// A call whose arguments were checked against the tool's schema.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// Index of the tool in the manifest.
    pub tool: usize,
    /// One raw (still percent-encoded) segment for each path parameter, in template order. An argument of an MCP client
    /// is taken as it is; the environment decodes it once where it compares values.
    pub path: Vec<String>,
    /// Query occurrences as decoded pairs `(captured name, value)`. From MCP arguments: in schema order, an array's
    /// values in its order. From a probe: in request order.
    pub query: Vec<(String, String)>,
    /// The raw query of a comparison probe, whose spelling and cross-name order count; `None` for MCP calls.
    pub raw_query: Option<String>,
    /// The body, when one was sent.
    pub body: Option<Value>,
}

/// What a call is answered with. [`Reply::write`] and [`Reply::to_value`] print it.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// The status; `None` when the record has none.
    pub status: Option<u16>,
    /// The full media type; the 1 KiB display bound is applied when the reply is written.
    pub content_type: Option<Arc<str>>,
    /// The body.
    pub body: ReplyBody,
    /// Which recording the answer rests on.
    pub replay: ReplayProvenance,
    /// Where the answer came from when a state is served.
    pub state: Option<StateProvenance>,
    /// Rule facts about generated members for the comparison (pointer, generation kind); empty for reads.
    pub generated: Vec<(String, &'static str)>,
    /// The recording's own printed form, when status, content type, body and recorded line are the recording's.
    pub printed: Printed,
}

/// A recording printed once and copied into every reply that repeats it. A reply whose body is not the recording's has
/// [`Printed::none`]. Not part of a reply's equality.
#[derive(Clone, Debug, Default)]
pub struct Printed(pub(super) Option<Arc<Recording>>);

impl Printed {
    /// Nothing was printed before: the reply is written member by member.
    pub fn none() -> Self {
        Self(None)
    }
}

impl PartialEq for Printed {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

/// The body of a reply.
#[derive(Clone, Debug, PartialEq)]
pub enum ReplyBody {
    /// The capture kept no body: `null` with `body_recorded: false`.
    Unrecorded,
    /// Parsed JSON.
    Json(Arc<Value>),
    /// Recorded text that is not JSON, or JSON that JavaScript numbers would alter; cut at a UTF-8 boundary when long.
    Text(Arc<str>),
    /// Base64 of bytes that are not UTF-8; cut at whole groups when long.
    Base64(Arc<str>),
}

/// `replay` of the reply (reference, "What replay means").
#[derive(Clone, Debug, PartialEq)]
pub struct ReplayProvenance {
    /// The record.
    pub record_ordinal: usize,
    /// The capture Evidence that holds it.
    pub evidence_id: Arc<str>,
    /// Whether every supplied path parameter and query occurrence equals the recorded one.
    pub exact_match: bool,
    /// Whether the recorded request body equals the call's; `None` when no body took part.
    pub body_match: Option<bool>,
    /// The full recorded path (cut to 1 KiB when written).
    pub recorded_path: Arc<str>,
    /// The full recorded query with its `?` (cut to 1 KiB when written); `None` when there was none.
    pub recorded_query: Option<Arc<str>>,
    /// Whether the body was cut.
    pub truncated: bool,
}

/// `state` of the reply, present when the environment serves from a state.
#[derive(Clone, Debug, PartialEq)]
pub enum StateProvenance {
    /// `{source:"state", view, …}`: members that name the entity, collection or document follow.
    State {
        /// `item`, `list`, `document`, `create`, `update`, `delete`, `document-write`.
        view: &'static str,
        /// Members that name the target, in printed order.
        target: Object,
    },
    /// `{source:"recording", reason, view, …}`: a write that changed the state as in [`StateProvenance::State`], or a
    /// document of the state, whose answer has members that only the recording gives.
    Applied {
        /// `create`, `update`, `delete`, `document-write`, `document`.
        view: &'static str,
        /// Members that name the target, in printed order.
        target: Object,
        /// Why the answer is not from the state alone.
        reason: &'static str,
        /// Places of the members that only the recording gives, as `/author/name` and `/tags/0`. Not printed.
        recorded: Vec<String>,
    },
    /// `{source:"recording", reason}`
    Recording {
        /// Why a recording answers.
        reason: &'static str,
    },
}

/// A call that is refused: a tool error; the state is unchanged.
#[derive(Clone, Debug, PartialEq)]
pub struct Refusal {
    /// Machine-readable code, such as `invalid_arguments`, `resource_constraint`.
    pub code: &'static str,
    /// What is wrong, naming what would be accepted.
    pub message: String,
    /// Whether the same call may succeed later.
    pub retryable: bool,
    /// What to do.
    pub hint: Option<String>,
}
