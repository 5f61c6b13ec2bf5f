//! The warnings of a build: what is true of the bundle and easily overlooked. None of them refuses it.

use super::credential_scan::scan;
use super::report::Warning;
use super::shown::shown;
use crate::capture::{Capture, tolerated};

/// The capture's file named the environment.
pub(super) fn name_from_file(name: &str, origin: &str) -> Warning {
    Warning {
        code: "name-from-file",
        message: format!(
            "The capture's origin {} is no name of an application, so the capture's file names the environment {name}; \
             --name gives it another.",
            shown(origin)
        ),
    }
}

/// What is to be said of the capture that the bundle ships.
pub(super) fn of_capture(capture: &Capture) -> Vec<Warning> {
    let mut warnings = Vec::new();
    let scan = scan(&capture.evidence);
    if scan.named.count > 0 {
        let (count, places) = (scan.named.count, scan.named.said());
        warnings.push(Warning {
            code: "credential-named-members",
            message: format!(
                "{count} recorded {} like credentials and {} a value, which the bundle ships: {places}. Whether they are \
                 secret is not known.",
                if count == 1 { "name looks" } else { "names look" },
                if count == 1 { "holds" } else { "hold" },
            ),
        });
    }
    if scan.unscanned.count > 0 {
        let (count, places) = (scan.unscanned.count, scan.unscanned.said());
        warnings.push(Warning {
            code: "credential-scan-incomplete",
            message: format!(
                "{count} {} larger than 4 MiB, so the names in {} were not looked at: {places}.",
                if count == 1 { "body is" } else { "bodies are" },
                if count == 1 { "it" } else { "them" },
            ),
        });
    }
    let tolerated = tolerated(&capture.evidence.limitations);
    if !tolerated.is_empty() {
        let kinds: Vec<String> = tolerated.iter().map(|(id, count)| format!("{id} ({count})")).collect();
        warnings.push(Warning {
            code: "har-tolerances",
            message: format!(
                "The HAR was read leniently: {}. The limitations of the capture Evidence say what each means.",
                kinds.join(", ")
            ),
        });
    }
    warnings
}
