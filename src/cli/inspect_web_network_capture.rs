//! `rea inspect-web-network-capture <capture> har`: a HAR into capture Evidence.

use super::arguments::CaptureArguments;
use super::ending::{Document, Ending};
use super::output::Output;
use super::running::one_shot;
use super::shown::{FAINT, HEADING, bytes, counted, printable, table};
use crate::capture::{Capture, InspectOptions, Record, capture_from_evidence, inspect_har};
use crate::evidence::{ErrorDocument, Evidence};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Read a recorded browser or proxy session (HAR) into capture Evidence
#[derive(Args, Debug)]
pub struct Arguments {
    /// The recording
    capture: PathBuf,
    /// Its format
    #[arg(default_value = "har")]
    capture_format: CaptureFormat,
    /// Keep only this record (zero-based, repeatable; the order given is the order kept)
    #[arg(long = "record", value_name = "ORDINAL")]
    records: Vec<usize>,
    /// Remove this literal value wherever it occurs (repeatable)
    #[arg(long = "sensitive-value", value_name = "TEXT")]
    sensitive_values: Vec<String>,
    #[command(flatten)]
    reading: CaptureArguments,
}

/// The recording formats.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum CaptureFormat {
    /// An HTTP archive, as browsers and proxies save it
    Har,
}

impl Arguments {
    /// Inspects the recording.
    pub fn run(self, output: &Output) -> Ending {
        let CaptureFormat::Har = self.capture_format;
        let options = InspectOptions {
            record_ordinals: self.records,
            sensitive_values: self.sensitive_values,
            ..self.reading.options()
        };
        let inspect = move || inspect_har(&self.capture, &options).map(Arc::new).map_err(|error| (&error).into());
        one_shot("inspect_web_network_capture", output, inspect, |evidence| {
            let people = output.for_people().then(|| described(&evidence)).transpose();
            match people {
                Ok(people) => Ending::done(Document::Evidence(evidence), people),
                Err(error) => Ending::refused(&error),
            }
        })
    }
}

/// The capture for people: what it holds, by origin, and what is doubtful about it.
fn described(evidence: &Arc<Evidence>) -> Result<String, ErrorDocument> {
    let capture = capture_from_evidence(Arc::clone(evidence)).map_err(|error| ErrorDocument::from(&error))?;
    let artifact = evidence.normalized_result.get("artifact");
    let size = artifact.and_then(|artifact| artifact.get("bytes")?.as_number()?.as_i64()).unwrap_or(0);
    let path = evidence.subject.as_ref().map_or("", |subject| subject.local_path.as_str());
    let mut text = format!(
        "{HEADING}{}{HEADING:#}  {} in {}\n{FAINT}{}{FAINT:#}\n\n{}",
        printable(path),
        counted(capture.records.len(), "record"),
        bytes(size.unsigned_abs()),
        evidence.evidence_id,
        table(&["Origin", "Requests", "Answered", "JSON", "Methods"], origins(&capture), &[1, 2, 3])
    );
    for limitation in &evidence.limitations {
        text.push_str(&format!("\n{FAINT}·{FAINT:#} {}", printable(limitation)));
    }
    text.push_str(&format!("\n\n{FAINT}The Evidence itself is printed with --json or when redirected.{FAINT:#}\n"));
    Ok(text)
}

/// What was asked of one origin.
#[derive(Default)]
struct Asked {
    requests: usize,
    answered: usize,
    json: usize,
    methods: BTreeMap<String, usize>,
}

/// One row for each origin, the one with the most requests first.
fn origins(capture: &Capture) -> Vec<Vec<String>> {
    let mut origins: BTreeMap<&str, Asked> = BTreeMap::new();
    for record in capture.records.iter() {
        let Record { request: Some(request), answer, .. } = record else { continue };
        let asked = origins.entry(&request.origin).or_default();
        asked.requests += 1;
        asked.answered += usize::from(answer.is_some());
        asked.json += usize::from(answer.as_ref().is_some_and(|answer| answer.is_json_like()));
        *asked.methods.entry(request.method.clone()).or_default() += 1;
    }
    let mut rows: Vec<_> = origins.into_iter().collect();
    rows.sort_by_key(|(_, asked)| std::cmp::Reverse(asked.requests));
    rows.into_iter()
        .map(|(origin, asked)| {
            let methods: Vec<_> = asked.methods.iter().map(|(method, count)| format!("{method} {count}")).collect();
            vec![
                origin.to_owned(),
                asked.requests.to_string(),
                asked.answered.to_string(),
                asked.json.to_string(),
                methods.join(", "),
            ]
        })
        .collect()
}
