//! Recorded answers for something absent: what a read of an identity that is not there is answered with.

use super::derive::Derivation;
use super::line::Line;
use super::observe::is_read;
use super::path::MemberPath;
use super::per_response::{MadeAnew, made_anew_by_refusals};
use super::types::{Shape, Slot};
use crate::json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A recorded answer for something absent.
#[derive(Clone, Debug, PartialEq)]
pub struct Absence {
    /// The record.
    pub record: usize,
    /// The identity that was asked for.
    pub asked: Option<String>,
    /// The body; `None` where the answer is no JSON: a text, a page, nothing at all.
    pub body: Option<Arc<Value>>,
    /// Members that differ in every recording.
    pub per_response: Vec<MadeAnew>,
}

/// The identity that a read of an item asks for: what its last slot says.
pub fn asked_for<'a>(
    address: &[(Slot, MemberPath)],
    parameters: &'a [String],
    line: Option<&'a Line>,
) -> Option<&'a str> {
    match address.last() {
        Some((Slot::Key(key), _)) => line?.get(key).map(|param| param.text.as_str()),
        _ => parameters.last().map(String::as_str),
    }
}

impl Derivation<'_> {
    /// Collects the refused reads of each tool with parameters: 404 and 410 first, then other refusals of a name.
    pub(super) fn absences(&mut self) {
        let mut all = Vec::new();
        for (tool, definition) in self.manifest.tools.iter().enumerate() {
            let mut found: Vec<Absence> = Vec::new();
            let item = matches!(self.shapes[tool], Shape::Item { .. });
            for seen in self.observed.of_tool(tool) {
                // An item route that answers nothing says that there is nothing.
                let absent = matches!(seen.status, 404 | 410 | 400 | 403 | 422) || item && seen.status == 204;
                let asked = match &self.shapes[tool] {
                    Shape::Item { address, .. } => asked_for(address, &seen.parameters, seen.line.as_ref()),
                    _ => seen.parameters.last().map(String::as_str),
                };
                let Some(asked) = asked.filter(|_| absent && is_read(definition)) else { continue };
                if found.iter().any(|held| held.asked.as_deref() == Some(asked)) {
                    continue;
                }
                found.push(Absence {
                    record: seen.record,
                    asked: Some(asked.to_owned()),
                    body: seen.body.clone(),
                    per_response: Vec::new(),
                });
            }
            let status = |absence: &Absence| self.observed.of_record(absence.record).map(|seen| seen.status);
            found.sort_by_key(|absence| (!matches!(status(absence), Some(404 | 410)), absence.record));
            let asked: Vec<String> = found.iter().filter_map(|held| held.asked.clone()).collect();
            let mut made: BTreeMap<u16, Vec<MadeAnew>> = BTreeMap::new();
            for absence in &mut found {
                // Only answers of one status are of one kind; an identity may have been asked for more than once.
                let Some(status) = status(absence) else { continue };
                let made = made.entry(status).or_insert_with(|| {
                    let alike = self.observed.of_tool(tool).filter(|seen| seen.status == status);
                    made_anew_by_refusals(&alike.filter_map(|seen| seen.body.as_deref()).collect::<Vec<_>>(), &asked)
                });
                absence.per_response = made.clone();
            }
            all.push(found);
        }
        for absence in all.iter().flatten() {
            if let Some(body) = &absence.body {
                self.derived.bodies.insert(absence.record, body.clone());
            }
        }
        self.derived.absences = all;
    }
}
