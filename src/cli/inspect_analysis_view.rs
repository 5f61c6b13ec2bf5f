//! `rea inspect-analysis-view <view>`: a projection of Evidence, as Evidence.

use super::ending::{Document, Ending};
use super::environment_views;
use super::output::Output;
use super::running::one_shot;
use super::shown::{FAINT, HEADING, counted, printable, shortened, table};
use crate::evidence::ErrorDocument;
use crate::manifest::{Manifest, manifest_from_evidence, read_view};
use crate::state::{StateError, inspect_environment_view};
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// Characters of a path template that a table shows.
const SHOWN_TEMPLATE: usize = 72;

/// Project a view from capture Evidence: environment-manifest, environment-state, environment-coverage
#[derive(Args, Debug)]
pub struct Arguments {
    /// The view request: a file, or the JSON itself
    view: String,
}

impl Arguments {
    /// Projects the view.
    pub fn run(self, output: &Output) -> Ending {
        let project = move || {
            let projected = read_view(&self.view, Path::new(""))
                .map_err(StateError::from)
                .and_then(|request| inspect_environment_view(&request));
            projected.map(Arc::new).map_err(|error| ErrorDocument::from(&error))
        };
        one_shot("inspect_analysis_view", output, project, |evidence| {
            let for_people = || match manifest_from_evidence(Arc::clone(&evidence)) {
                Ok(manifest) => Some(described(&manifest)),
                Err(_) => environment_views::described(&evidence),
            };
            let people = output.for_people().then(for_people).flatten();
            Ending::done(Document::Evidence(evidence), people)
        })
    }
}

/// The manifest for people: its tools, what became none, and what it does not establish.
fn described(manifest: &Manifest) -> String {
    let rows = manifest.tools.iter().map(|tool| {
        let statuses: Vec<_> = tool.statuses.iter().map(u16::to_string).collect();
        vec![
            tool.name.clone(),
            tool.method.clone(),
            shortened(&tool.template.spelling(), SHOWN_TEMPLATE).into_owned(),
            tool.records.len().to_string(),
            statuses.join(" "),
        ]
    });
    let mut text = format!(
        "{HEADING}{}{HEADING:#}  {} on {}\n{FAINT}{}{FAINT:#}\n\n{}",
        printable(&manifest.name),
        counted(manifest.tools.len(), "tool"),
        printable(&manifest.origin),
        manifest.evidence.evidence_id,
        table(&["Tool", "Method", "Path", "Records", "Statuses"], rows, &[3])
    );
    for group in &manifest.excluded_groups {
        let line = format!("{} of {} left out: {}", counted(group.records, "record"), group.origin, group.reason);
        text.push_str(&format!("\n{FAINT}·{FAINT:#} {}", printable(&line)));
    }
    for unknown in &manifest.unknowns {
        text.push_str(&format!("\n{FAINT}·{FAINT:#} {}", printable(unknown)));
    }
    text.push_str(&format!("\n\n{FAINT}The Evidence itself is printed with --json or when redirected.{FAINT:#}\n"));
    text
}
