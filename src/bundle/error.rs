//! Why a bundle was not made, and the error document of each failure.

use super::control::Stage;
use super::limits::MAX_BUNDLE_NAME_CHARS;
use super::write_error::WriteError;
use crate::answer::StateStatus;
use crate::evidence::{Code, ErrorDocument, FileError, Issue, IssueReason};
use crate::json::Object;

/// What a stopped write left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// The absolute path of the folder.
    pub directory: String,
    /// Whether every file is in it.
    pub is_complete: bool,
}

/// The failures of a build or an export.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BundleError {
    /// A refusal of an earlier stage.
    #[error("{}", .0.message)]
    Refused(Box<ErrorDocument>),
    /// Somebody asked to stop.
    #[error("{} was cancelled", .stage.operation())]
    Cancelled {
        /// The stage that ended.
        stage: Stage,
        /// What it left, when files were being written.
        left: Option<Left>,
    },
    /// A name that is no bundle's.
    #[error("{name:?} cannot name a bundle: {reason}")]
    Name {
        /// The stage that needed it.
        stage: Stage,
        /// The name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No name can be made.
    #[error("the capture's origin {origin} is no name of an application, and its file {file:?} yields no name either")]
    FileName {
        /// The file.
        file: String,
        /// The origin.
        origin: String,
    },
    /// A build without a folder to write.
    #[error("no folder for the bundle was given")]
    NoDirectory,
    /// The running program cannot be the bundle's.
    #[error("the running program cannot be the bundle's: {reason}")]
    Program {
        /// Why.
        reason: String,
    },
    /// The packed release cannot be read.
    #[error(transparent)]
    TarballFile(FileError),
    /// The packed release is none.
    #[error("{path} is no packed release: {reason}")]
    Tarball {
        /// The path as given.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A state that was asked for and is not served.
    #[error("there is no state to add to the bundle: {}", why(.state))]
    NoState {
        /// What is served instead.
        state: StateStatus,
    },
    /// Evidence that does not fit the memory that is free.
    #[error("the {what} has {bytes} bytes; reading it needs about {needed} bytes of memory and {available} are free")]
    Headroom {
        /// The stage that checked it.
        stage: Stage,
        /// Which Evidence.
        what: &'static str,
        /// Its size in bytes.
        bytes: u64,
        /// What it would need, in bytes.
        needed: u64,
        /// What is free, in bytes.
        available: u64,
    },
    /// A capture that values were removed from.
    #[error("{count} sensitive values were removed from the capture, so its request lines and answers are not whole")]
    SensitiveValues {
        /// How many.
        count: String,
    },
    /// The folder.
    #[error(transparent)]
    Write(#[from] WriteError),
}

fn why(state: &StateStatus) -> &str {
    match state {
        StateStatus::Unavailable { message, .. } => message,
        _ => "the bundle serves replay",
    }
}

impl BundleError {
    /// A refusal of another stage's making, under the name of the stage of the build that asked for it.
    pub(super) fn in_stage(stage: Stage, document: ErrorDocument) -> Self {
        if document.code == Code::Cancelled {
            return Self::Cancelled { stage, left: None };
        }
        let document = match document.details.contains("operation") {
            true => document.detail("operation", stage.operation()),
            false => document,
        };
        Self::Refused(Box::new(document))
    }
}

impl From<&BundleError> for ErrorDocument {
    fn from(error: &BundleError) -> Self {
        let message = error.to_string();
        let invalid = |stage: Stage, argument: &str, action: &str| {
            let issue = Issue::new(&[argument], IssueReason::InvalidValue, &message);
            ErrorDocument::invalid_request(stage.operation(), vec![issue], action)
        };
        let label = format!(
            "Give --name with lower-case letters and digits in words joined by hyphens, at most {MAX_BUNDLE_NAME_CHARS} \
             characters."
        );
        match error {
            BundleError::Refused(document) => (**document).clone(),
            BundleError::Cancelled { stage, left } => cancelled(*stage, left.as_ref(), message),
            BundleError::Name { stage, .. } => invalid(*stage, "name", &label),
            BundleError::FileName { .. } => invalid(Stage::Build, "name", &label),
            BundleError::NoDirectory => {
                let issue = Issue::new(&["directory"], IssueReason::MissingArgument, &message);
                ErrorDocument::invalid_request(
                    Stage::Build.operation(),
                    vec![issue],
                    "Name a folder that does not exist yet, or add --dry-run.",
                )
            }
            BundleError::Program { reason } => ErrorDocument::new(
                Code::CapabilityUnavailable,
                &message,
                "Give a packed static release with --package-tarball (ci/pack makes one), or install from the registry \
                 with --package-registry.",
            )
            .detail("operation", Stage::Export.operation())
            .detail("reason", reason),
            BundleError::TarballFile(error) => error.to_document(Stage::Export.operation(), "package_tarball"),
            BundleError::Tarball { path, .. } => {
                invalid(Stage::Export, "package_tarball", "Give a release archive as ci/pack makes it.")
                    .detail("path", path)
            }
            BundleError::NoState { .. } => invalid(
                Stage::Export,
                "with_state",
                "Leave --with-state out, or record what the coverage view asks for so that there is a state.",
            ),
            BundleError::Headroom { stage, bytes, needed, available, .. } => {
                ErrorDocument::new(Code::ResourceConstraint, &message, "Free memory, raise its limit, or record less.")
                    .detail("operation", stage.operation())
                    .detail("resource", "memory")
                    .detail("reason", "the Evidence needs more memory than is free")
                    .detail(
                        "reported_limits",
                        Object::new()
                            .with("evidence_bytes", *bytes)
                            .with("needed_bytes", *needed)
                            .with("available_bytes", *available),
                    )
            }
            BundleError::SensitiveValues { .. } => ErrorDocument::new(
                Code::UnsupportedTarget,
                &message,
                "Scrub the recording before it is inspected, and inspect it without --sensitive-value.",
            )
            .detail("operation", Stage::Export.operation())
            .detail("reason", "sensitive-values"),
            BundleError::Write(error) => error.into(),
        }
    }
}

fn cancelled(stage: Stage, left: Option<&Left>, message: String) -> ErrorDocument {
    let document = |message: String, action: String| {
        ErrorDocument::new(Code::Cancelled, message, action).detail("operation", stage.operation())
    };
    match left {
        None => document(message, "Run the command again.".to_owned()).detail("cleanup", "complete"),
        Some(Left { directory, is_complete: true }) => document(
            format!("{message}; the bundle {directory} was written"),
            format!("Use {directory}, or remove it."),
        )
        .detail("cleanup", "complete")
        .detail("directory", directory)
        .detail("bundle", "complete"),
        Some(Left { directory, is_complete: false }) => document(
            format!("{message}; a part of the bundle was written to {directory}"),
            format!("Remove {directory} and run the command again."),
        )
        .detail("cleanup", "incomplete")
        .detail("directory", directory)
        .detail("bundle", "partial"),
    }
}
