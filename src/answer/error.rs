//! Why an environment could not be prepared.

use crate::capture::CaptureError;
use crate::evidence::{AuthenticationError, Code, ErrorDocument, FileError, Issue, IssueReason};
use crate::json::{Object, Value};
use crate::manifest::ManifestError;

/// The stage that errors of this module name.
const OPERATION: &str = "environment-serve";

/// The failures of preparing an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The capture was refused.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// The manifest was refused.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// The manifest's file could not be read.
    #[error(transparent)]
    ManifestFile(#[from] FileError),
    /// The manifest's file is not authentic Evidence.
    #[error("{path} is not a manifest: {source}")]
    ManifestEvidence {
        /// The path as given.
        path: String,
        /// What is wrong.
        source: AuthenticationError,
    },
    /// The manifest's file is Evidence of something else, such as the capture.
    #[error("{path} is not a manifest: it is Evidence of {operation}")]
    NotAManifest {
        /// The path as given.
        path: String,
        /// The operation of the Evidence.
        operation: String,
    },
    /// The manifest was projected from another capture.
    #[error("the manifest was projected from capture {parent}, not from the supplied capture {capture}")]
    OtherCapture {
        /// The capture that the manifest names.
        parent: String,
        /// The capture that was supplied.
        capture: String,
    },
    /// A tool cites a record that the capture does not hold, or holds without a request line.
    #[error("tool {tool} of the manifest cites record {ordinal}, which the capture does not hold with a request line")]
    CitedRecord {
        /// The tool.
        tool: String,
        /// The ordinal.
        ordinal: usize,
    },
    /// A tool cites no record.
    #[error("tool {tool} of the manifest cites no record")]
    NoRecords {
        /// The tool.
        tool: String,
    },
    /// The served name is blank.
    #[error("the environment's name is blank")]
    BlankName,
    /// The catalog is over the discovery reservation.
    #[error(
        "the catalog of {tools} tools reserves {reserved} bytes for discovery; the limit is {limit} bytes, and no tool or \
         field is left out silently"
    )]
    Discovery {
        /// How many tools.
        tools: usize,
        /// Bytes the catalog may take.
        reserved: usize,
        /// Bytes it may take at most.
        limit: usize,
    },
    /// A folder that is not a bundle with one environment.
    #[error("{path} is not a bundle: {reason}")]
    NotABundle {
        /// The folder as given.
        path: String,
        /// What was found.
        reason: String,
    },
}

impl From<&AnswerError> for ErrorDocument {
    fn from(error: &AnswerError) -> Self {
        let invalid = |argument: &str, action: &str| {
            let issue = Issue::new(&[argument], IssueReason::InvalidValue, error.to_string());
            ErrorDocument::invalid_request(OPERATION, vec![issue], action)
        };
        match error {
            AnswerError::Capture(error) => error.into(),
            AnswerError::Manifest(error) => error.into(),
            AnswerError::ManifestFile(error) => error.to_document(OPERATION, "manifest"),
            AnswerError::ManifestEvidence { path, source } => source.to_document(OPERATION, "manifest", Some(path)),
            AnswerError::NotAManifest { .. } => {
                invalid("manifest", "Give the manifest first and its capture with --evidence, or the capture alone.")
            }
            AnswerError::OtherCapture { parent, capture } => invalid(
                "evidence",
                "Supply the capture Evidence that the manifest was projected from, or project it again.",
            )
            .detail("manifest_parent_evidence_id", parent.as_str())
            .detail("capture_evidence_id", capture.as_str()),
            AnswerError::CitedRecord { .. } | AnswerError::NoRecords { .. } => {
                invalid("manifest", "Project the manifest again from the capture.")
            }
            AnswerError::BlankName => ErrorDocument::new(
                Code::ConfigurationInvalid,
                error.to_string(),
                "Set the name to at least one visible character, or leave it unset to use the manifest's.",
            )
            .detail(
                "settings",
                Value::Array(vec![
                    Object::new().with("setting", "ENVIRONMENT_NAME").with("constraint", "not blank").into(),
                ]),
            ),
            AnswerError::Discovery { reserved, limit, .. } => ErrorDocument::new(
                Code::ResourceConstraint,
                error.to_string(),
                "Record a smaller capture, or select fewer records, and project the manifest again.",
            )
            .detail("operation", OPERATION)
            .detail("resource", "transport")
            .detail("reason", "discovery-reservation")
            .detail("reported_limits", Object::new().with("reserved_bytes", *reserved).with("max_bytes", *limit)),
            AnswerError::NotABundle { .. } => invalid(
                "manifest",
                "Give a bundle folder with one envs/<name>/ that holds manifest.json and evidence.json.",
            ),
        }
    }
}
