//! `rea inspect-analysis-view <view>`: a projection of Evidence, as Evidence.

use super::ending::{Document, Ending};
use super::output::Output;
use super::running::one_shot;
use super::shown::{FAINT, HEADING, counted, printable, shortened, table};
use crate::evidence::ErrorDocument;
use crate::manifest::{Manifest, inspect_view, manifest_from_evidence};
use clap::Args;
use std::path::Path;
use std::sync::Arc;

/// Characters of a path template that a table shows.
const SHOWN_TEMPLATE: usize = 72;

/// Project a view, such as the environment manifest, from capture Evidence
#[derive(Args, Debug)]
pub struct Arguments {
    /// The view request: a file, or the JSON itself
    view: String,
}

impl Arguments {
    /// Projects the view.
    pub fn run(self, output: &Output) -> Ending {
        let project =
            move || inspect_view(&self.view, Path::new("")).map(Arc::new).map_err(|error| ErrorDocument::from(&error));
        one_shot("inspect_analysis_view", output, project, |evidence| {
            // A view that has no text for people yet is printed as the document.
            let manifest = output.for_people().then(|| manifest_from_evidence(Arc::clone(&evidence)).ok()).flatten();
            let people = manifest.map(|manifest| described(&manifest));
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
