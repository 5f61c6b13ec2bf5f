//! Emptied documents: a write at the very path of a document that leaves the same in each (a history that is deleted is
//! empty). Found from what the next read of the path shows after such writes; nothing here knows of plans.

use super::derive::{Derivation, trimmed};
use super::derived::Derived;
use super::effect::{Done, EffectRule};
use super::identity::encoded_segment;
use super::observe::{Seen, is_read, trim_slash};
use super::store::{Document, World};
use super::types::View;
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::{Segment, split_path};
use std::sync::Arc;

/// What a write leaves in the document at its path.
#[derive(Clone, Debug, PartialEq)]
pub struct Emptied {
    /// The tool that writes.
    pub cause: usize,
    /// The tool that reads the documents.
    pub tool: usize,
    /// Their path before what is written, and after it.
    pub around: (Box<str>, Box<str>),
    /// What is left.
    pub left: Value,
}

/// Paths that have to show it.
const MIN_SHOWN: usize = 2;

impl Derived {
    /// Whether a recording shows a document of a tool at a path alone.
    pub(super) fn has_line(&self, tool: usize, path: &str) -> bool {
        let Some(View::Document(view)) = self.views.get(tool) else { return false };
        view.lines.iter().chain(&view.later).any(|(held, line, _)| *held == path && line.is_bare())
    }
}

/// Empties the document of what a write was about, where some recording shows one at its path.
pub(super) fn empty(derived: &Derived, world: &mut World, rule: &Emptied, done: &Done<'_>) {
    let Some(about) = done.before.or(done.after).filter(|_| done.tool == rule.cause && done.is_target) else { return };
    let path = format!("{}{}{}", rule.around.0, encoded_segment(&about.id), rule.around.1);
    if derived.has_line(rule.tool, &path) {
        let value = Arc::new(rule.left.clone());
        world.set_document(rule.tool, &path, Document { value, record_ordinal: None });
    }
}

/// The documents that writes at their paths empty.
pub(super) fn propose_emptied(work: &Derivation<'_>) -> Vec<EffectRule> {
    let tools = || work.manifest.tools.iter().enumerate();
    let mut rules = Vec::new();
    for (tool, reads) in tools().filter(|(tool, _)| matches!(work.derived.views[*tool], View::Document(_))) {
        for (cause, _) in tools().filter(|(_, other)| !is_read(other) && trimmed(other) == trimmed(reads)) {
            rules.extend(emptied(work, cause, tool).map(|rule| EffectRule::Emptied(Box::new(rule))));
        }
    }
    rules
}

/// What every recorded write of a tool left in the documents that another reads at its paths.
fn emptied(work: &Derivation<'_>, cause: usize, tool: usize) -> Option<Emptied> {
    let segments = trimmed(&work.manifest.tools[tool]);
    let mut open = (0..segments.len()).filter(|at| !matches!(segments[*at], Segment::Literal(_)));
    let at = open.next().filter(|_| open.next().is_none())?;
    let succeeded = |seen: &&Seen| is_success(seen.status);
    let mut shown: Vec<(&str, &Value)> = Vec::new();
    let mut changed = false;
    for write in work.observed.of_tool(cause).filter(succeeded) {
        if write.sent.is_some() || !write.query.is_empty() {
            return None;
        }
        let path = trim_slash(&write.path);
        let beside =
            |seen: &&Seen| trim_slash(&seen.path) == path && seen.line.as_ref().is_some_and(super::line::Line::is_bare);
        let reads: Vec<&Seen> = work.observed.of_tool(tool).filter(succeeded).filter(beside).collect();
        let later = reads.iter().find(|read| read.time > write.time);
        let Some(left) = later.and_then(|read| read.body.as_deref()) else { continue };
        changed |= reads
            .iter()
            .any(|read| read.time < write.time && read.body.as_deref().is_some_and(|was| !was.same_as(left)));
        shown.push((path, left));
    }
    let (path, left) = *shown.first()?;
    let several = shown.iter().filter(|(other, _)| *other != path).count() + 1 >= MIN_SHOWN;
    if !several || !changed || !shown.iter().all(|(_, other)| other.same_as(left)) {
        return None;
    }
    let raw = split_path(path);
    let (before, after) = (raw.get(..at)?, raw.get(at + 1..)?);
    let before = format!("/{}", before.iter().map(|segment| format!("{segment}/")).collect::<String>());
    let after: String = after.iter().map(|segment| format!("/{segment}")).collect();
    Some(Emptied { cause, tool, around: (before.into(), after.into()), left: left.clone() })
}
