//! Why a write is withheld: every reason of the program, with the hint that says what to record next. Hints never change
//! what is served.

/// Why the plan of a write tool is not served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum WriteReason {
    /// No later read showed the effect.
    Unconfirmed,
    /// A later read disagrees.
    Contradicted,
    /// A member changed that no rule explains.
    UnexplainedChange,
    /// A created entity has a member that no rule explains.
    UnexplainedCreate,
    /// The answer holds a member that no rule explains.
    UnexplainedAnswer,
    /// No 2xx answer was recorded.
    NoSuccess,
    /// The target is no entity or document that reads showed.
    NoType,
    /// The id of what was created is neither answered nor listed.
    NoIdentity,
    /// The request body was not recorded, or is not an object.
    BodyUnread,
    /// The write repeats a query parameter.
    QueryRepeated,
    /// Every read that could confirm it overlaps another write.
    Overlapping,
    /// Create and edit share a tick of the clock.
    TooFast,
}

impl WriteReason {
    /// All reasons.
    pub const ALL: [Self; 12] = [
        Self::Unconfirmed,
        Self::Contradicted,
        Self::UnexplainedChange,
        Self::UnexplainedCreate,
        Self::UnexplainedAnswer,
        Self::NoSuccess,
        Self::NoType,
        Self::NoIdentity,
        Self::BodyUnread,
        Self::QueryRepeated,
        Self::Overlapping,
        Self::TooFast,
    ];

    /// The printed word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unconfirmed => "unconfirmed",
            Self::Contradicted => "contradicted",
            Self::UnexplainedChange => "unexplained-change",
            Self::UnexplainedCreate => "unexplained-create",
            Self::UnexplainedAnswer => "unexplained-answer",
            Self::NoSuccess => "no-success",
            Self::NoType => "no-type",
            Self::NoIdentity => "no-identity",
            Self::BodyUnread => "body-unread",
            Self::QueryRepeated => "query-repeated",
            Self::Overlapping => "overlapping",
            Self::TooFast => "too-fast",
        }
    }

    /// What to record next.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Unconfirmed => {
                "No later read confirmed what this write does. Right after it, read the entity by its address and then \
                 its list."
            }
            Self::Contradicted => {
                "A later read disagrees with what the other calls show. Record this write on its own, with a read \
                 before it and one after it."
            }
            Self::UnexplainedChange => {
                "A member changed in a way that nothing sent explains. Record two more calls that differ only in what \
                 may decide that member."
            }
            Self::UnexplainedCreate => {
                "What was created has a member whose value nothing explains. Create two more that differ only in what \
                 is sent."
            }
            Self::UnexplainedAnswer => {
                "The answer has a member whose value nothing explains. Record two more calls that differ only in what \
                 is sent."
            }
            Self::NoSuccess => "Every recorded call was refused. Record one that the application accepts.",
            Self::NoType => {
                "No read showed what this write is about. Read its collection and the entity itself before the write."
            }
            Self::NoIdentity => "The id of what was created was never seen. Read the list right after the create.",
            Self::BodyUnread => {
                "The capture holds no readable request body of this write. Record request bodies, as JSON objects."
            }
            Self::QueryRepeated => {
                "The recorded calls give a query parameter more than once. Record the write with each parameter once."
            }
            Self::Overlapping => {
                "Every read that could show the effect ran while another write did. Leave a pause after the write."
            }
            Self::TooFast => {
                "The create and the edit fall into one tick of the application's clock. Wait more than a second between \
                 them."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_reason_has_a_word_and_a_hint_of_its_own() {
        let words: BTreeSet<_> = WriteReason::ALL.iter().map(|reason| reason.word()).collect();
        let hints: BTreeSet<_> = WriteReason::ALL.iter().map(|reason| reason.hint()).collect();
        assert_eq!((words.len(), hints.len()), (12, 12));
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')));
    }
}
