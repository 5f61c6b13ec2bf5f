//! The Evidence record of the third generation (`evidence.md` 1.1), its identity and its printed form.

use crate::json::{Object, Value};

/// What the record is about. Only `digest`, `format` and `architecture` are part of the identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// File name, never empty (`artifact` when the path has none).
    pub name: String,
    /// Lower-case hex SHA-256 of the artifact.
    pub sha256: String,
    /// Artifact format; captures are `file`.
    pub format: String,
    /// Processor architecture; captures have none.
    pub architecture: Option<String>,
    /// The path as it was given; may be empty.
    pub local_path: String,
}

/// Who produced the record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Stable identifier.
    pub id: String,
    /// Name for people.
    pub name: String,
    /// Format version of the producer, not of the program.
    pub version: Option<String>,
}

/// How sure the record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// Read from the artifact.
    Observed,
    /// Computed from observed facts.
    Derived,
    /// Concluded, not computed.
    Inferred,
}

/// Where the record's facts come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authority {
    /// The shipped artifact itself.
    ShippedArtifact,
    /// A replay under our control, such as a browser scenario.
    ControlledReplay,
    /// A recording made earlier, such as a HAR.
    HistoricalReference,
    /// A service elsewhere.
    ExternalService,
    /// A person's conclusion.
    AnalystInference,
}

/// The machine a record was made on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Environment {
    /// Identifier of it.
    pub id: String,
    /// Platform word.
    pub platform: String,
    /// Architecture word.
    pub architecture: String,
    /// `none`, `process`, `container` or `virtual-machine`.
    pub isolation: String,
}

/// A place the record cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// `{kind:"address"}`
    Address {
        /// The address value as recorded.
        address: Value,
    },
    /// `{kind:"address-range"}`
    AddressRange {
        /// First address.
        start: Value,
        /// Last address.
        end: Value,
    },
    /// `{kind:"artifact-path"}`
    ArtifactPath {
        /// Non-empty path.
        path: String,
    },
    /// `{kind:"file-offset"}`
    FileOffset {
        /// Byte offset.
        offset: u64,
    },
    /// `{kind:"file-offset-range"}`
    FileOffsetRange {
        /// First byte.
        start: u64,
        /// Last byte.
        end: u64,
    },
}

/// One Evidence record. Make one with [`Evidence::seal`], read one with [`super::authenticate`]; its id then matches its
/// content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// `ev_` and 64 hex digits; computed, see [`Evidence::seal`].
    pub evidence_id: String,
    /// What the record is about.
    pub subject: Option<Subject>,
    /// Who produced it.
    pub provider: Provider,
    /// Always present in this generation; `None` is `null`.
    pub analysis_profile: Option<Value>,
    /// `rea.analysis`, `rea.analysis-view`, …
    pub predicate_type: String,
    /// Snake-case operation name.
    pub operation: String,
    /// What the operation was asked.
    pub parameters: Object,
    /// A producer's own representation.
    pub raw_result: Value,
    /// The operation's result.
    pub normalized_result: Value,
    /// How sure.
    pub confidence: Confidence,
    /// Whose word.
    pub authority: Authority,
    /// On which machine.
    pub environment: Option<Environment>,
    /// What the record does not establish.
    pub limitations: Vec<String>,
    /// Places it cites.
    pub locations: Vec<Location>,
    /// Other records it rests on.
    pub evidence_links: Vec<String>,
}

impl Evidence {
    /// Computes `evidence_id` from everything else and returns the sealed record (`evidence.md` 1.2).
    #[must_use]
    pub fn seal(mut self) -> Self {
        self.evidence_id = self.computed_id();
        self
    }

    /// The id that the content has.
    pub fn computed_id(&self) -> String {
        todo!()
    }

    /// The record in printed member order. Deep values are shared, not copied, where they are shared already.
    pub fn to_value(&self) -> Value {
        todo!()
    }

    /// The compact text with one trailing newline, as `--format json` writes it when redirected.
    pub fn to_compact_bytes(&self) -> Vec<u8> {
        todo!()
    }
}
