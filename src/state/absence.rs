//! Recorded answers for something absent: what a read of an identity that is not there is answered with.

use super::derive::Derivation;
use super::observe::is_read;
use crate::json::Value;
use std::sync::Arc;

/// A recorded answer for something absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Absence {
    /// The record.
    pub record: usize,
    /// The identity that was asked for.
    pub asked: Option<String>,
    /// The body.
    pub body: Arc<Value>,
    /// Pointers of members that differ in every recording.
    pub per_response: Vec<String>,
}

impl Derivation<'_> {
    /// Collects the refused reads of each tool with parameters: 404 and 410 first, then other refusals of a name.
    pub(super) fn absences(&mut self) {
        let mut all = Vec::new();
        for (tool, definition) in self.manifest.tools.iter().enumerate() {
            let mut found: Vec<Absence> = Vec::new();
            for seen in self.observed.of_tool(tool) {
                let absent = matches!(seen.status, 404 | 410) || matches!(seen.status, 400 | 403 | 422);
                if !absent || definition.parameters.is_empty() || !is_read(definition) {
                    continue;
                }
                let Some(body) = seen.body.clone() else { continue };
                if found.iter().any(|held| held.asked.as_ref() == seen.parameters.last()) {
                    continue;
                }
                found.push(Absence {
                    record: seen.record,
                    asked: seen.parameters.last().cloned(),
                    body,
                    per_response: Vec::new(),
                });
            }
            found.sort_by_key(|absence| {
                let status =
                    self.observed.of_tool(tool).find(|seen| seen.record == absence.record).map(|seen| seen.status);
                (!matches!(status, Some(404 | 410)), absence.record)
            });
            all.push(found);
        }
        for absence in all.iter().flatten() {
            self.derived.bodies.insert(absence.record, absence.body.clone());
        }
        self.derived.absences = all;
    }
}
