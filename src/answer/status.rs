//! Whether an environment answers from a state, and why not.

use crate::evidence::ErrorDocument;
use crate::json::Object;

/// Whether answers come from a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateStatus {
    /// From the state of this Evidence id.
    Served {
        /// The id that the state view of the same capture has.
        evidence_id: String,
    },
    /// Replay, because that was asked for.
    ReplayOnly,
    /// Replay, because no state can be served.
    Unavailable {
        /// The refusal's code.
        code: &'static str,
        /// The refusal's message.
        message: String,
    },
}

impl StateStatus {
    /// The status of a state that a refusal keeps from being served.
    pub fn unavailable(refusal: &ErrorDocument) -> Self {
        Self::Unavailable { code: refusal.code.as_str(), message: refusal.message.clone() }
    }

    /// `state` of the stopped document, of a comparison and of a build: `{served: true, evidence_id}` or
    /// `{served: false, reason, code?, message?}`.
    pub fn to_object(&self) -> Object {
        match self {
            Self::Served { evidence_id } => Object::new().with("served", true).with("evidence_id", evidence_id),
            Self::ReplayOnly => Object::new().with("served", false).with("reason", "replay-only"),
            Self::Unavailable { code, message } => Object::new()
                .with("served", false)
                .with("reason", "unavailable")
                .with("code", *code)
                .with("message", message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Value;

    #[test]
    fn each_status_says_what_is_served() {
        let printed = |status: StateStatus| Value::from(status.to_object()).to_compact();
        assert_eq!(printed(StateStatus::ReplayOnly), r#"{"served":false,"reason":"replay-only"}"#);
        assert_eq!(
            printed(StateStatus::Served { evidence_id: "ev_1".to_owned() }),
            r#"{"served":true,"evidence_id":"ev_1"}"#
        );
        let unavailable = StateStatus::Unavailable { code: "unsupported_target", message: "no reads".to_owned() };
        assert_eq!(
            printed(unavailable),
            r#"{"served":false,"reason":"unavailable","code":"unsupported_target","message":"no reads"}"#
        );
    }
}
