//! Why serving could not begin or had to end, and the error document each failure becomes.

use super::signals::Signal;
use crate::evidence::{Code, ErrorDocument};
use crate::json::{Object, Value};
use std::io;

/// The stage's name in error documents.
const OPERATION: &str = "environment-serve";

/// The failures of serving.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// A flag or variable that cannot be used.
    #[error("{setting} is not usable: {constraint}")]
    Setting {
        /// The flag or variable.
        setting: String,
        /// What it must be.
        constraint: String,
    },
    /// The host name has no address.
    #[error("the host {host:?} could not be resolved: {source}")]
    Resolve {
        /// The host as it was given.
        host: String,
        /// What the system said.
        source: io::Error,
    },
    /// Another process listens there.
    #[error("{address} is already in use")]
    AddressInUse {
        /// `host:port` as it was given.
        address: String,
    },
    /// The address cannot be bound.
    #[error("{address} could not be bound: {source}")]
    Bind {
        /// `host:port` as it was given.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// The listener failed after it was bound.
    #[error("the listener on {address} failed: {source}")]
    Listener {
        /// The bound address.
        address: String,
        /// What the system said.
        source: io::Error,
    },
    /// A signal came before the listener was announced.
    #[error("stopped by a signal before the listener was announced")]
    Cancelled {
        /// The signal.
        signal: Signal,
    },
    /// The process cannot watch for signals.
    #[error("signals cannot be watched: {source}")]
    Signals {
        /// What the system said.
        source: io::Error,
    },
}

impl ServeError {
    /// A refused setting.
    pub fn setting(setting: impl Into<String>, constraint: impl Into<String>) -> Self {
        ServeError::Setting { setting: setting.into(), constraint: constraint.into() }
    }

    /// The exit status of a process that ends with this error (`evidence.md` 5.2).
    pub fn exit_status(&self) -> u8 {
        match self {
            ServeError::Cancelled { signal } => signal.exit_status(),
            _ => 1,
        }
    }
}

impl From<&ServeError> for ErrorDocument {
    fn from(error: &ServeError) -> Self {
        let message = error.to_string();
        let transport = |code, reason: &str, action: &str| {
            ErrorDocument::new(code, message.clone(), action)
                .detail("operation", OPERATION)
                .detail("resource", "transport")
                .detail("reason", reason)
        };
        match error {
            ServeError::Setting { setting, constraint } => {
                let settings = Object::new().with("setting", setting).with("constraint", constraint);
                ErrorDocument::new(Code::ConfigurationInvalid, message, "Correct the setting, or leave it out.")
                    .detail("settings", Value::Array(vec![settings.into()]))
            }
            ServeError::Resolve { host, .. } => {
                let settings =
                    Object::new().with("setting", "host").with("constraint", "a resolvable name or an address");
                ErrorDocument::new(
                    Code::ConfigurationInvalid,
                    message.clone(),
                    "Give an address of this machine with --host or MCP_HOST, such as 127.0.0.1.",
                )
                .detail("settings", Value::Array(vec![settings.into()]))
                .detail("host", host)
            }
            ServeError::AddressInUse { address } => transport(
                Code::ResourceConstraint,
                "address-in-use",
                "Stop the process that listens there, or choose another --port (0 takes a free one).",
            )
            .detail("address", address),
            ServeError::Bind { address, source } if source.kind() == io::ErrorKind::PermissionDenied => transport(
                Code::AccessDenied,
                "permission",
                "Choose a --port above 1023, or run with the right to bind this one.",
            )
            .detail("address", address),
            ServeError::Bind { address, .. } => transport(
                Code::ResourceConstraint,
                "bind-failed",
                "Give an address of this machine with --host or MCP_HOST, and a free --port.",
            )
            .detail("address", address),
            ServeError::Listener { address, .. } => transport(
                Code::ResourceConstraint,
                "listener-failed",
                "Start the server again; if it fails again, look at the limits of the process and the network.",
            )
            .detail("address", address),
            ServeError::Cancelled { .. } => ErrorDocument::new(Code::Cancelled, message, "Start the command again.")
                .detail("operation", OPERATION)
                .detail("cleanup", "complete"),
            ServeError::Signals { .. } => {
                ErrorDocument::new(Code::ExecutionFailure, message, "Run the program where signals can be handled.")
                    .detail("operation", OPERATION)
            }
        }
    }
}
