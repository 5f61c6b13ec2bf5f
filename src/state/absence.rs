//! Recorded answers for something absent: what a read or a write of an identity that is not there is answered with.

use super::derive::Derivation;
use super::evaluate::replace_token;
use super::line::Line;
use super::observe::{Seen, is_read};
use super::path::MemberPath;
use super::per_response::{MadeAnew, made_anew_beside, made_anew_by_refusals};
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
    /// What the address's other slots said, in their order.
    pub beside: Vec<String>,
    /// Whether it names texts of one character, too: another recorded answer comes out by writing its own in their place.
    pub short: bool,
    /// The body; `None` where the answer is no JSON: a text, a page, nothing at all.
    pub body: Option<Arc<Value>>,
    /// Members that differ in every recording.
    pub per_response: Vec<MadeAnew>,
}

impl Absence {
    /// What a call was answered with; what it has in common with others is not known yet.
    pub(super) fn new(seen: &Seen, asked: Option<String>, beside: Vec<String>) -> Self {
        let body = seen.body.clone();
        Self { record: seen.record, asked, beside, short: false, body, per_response: Vec::new() }
    }
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

/// What the slots of an address before the last say, in their order; nothing where one of them says nothing.
pub fn asked_beside(address: &[(Slot, MemberPath)], parameters: &[String], line: Option<&Line>) -> Vec<String> {
    let before = address.split_last().map(|(_, before)| before).unwrap_or_default();
    let said = before.iter().map(|(slot, _)| match slot {
        Slot::Key(key) => line?.get(key).map(|param| param.text.clone()),
        Slot::Path(index) => parameters.get(*index).cloned(),
    });
    said.collect::<Option<_>>().unwrap_or_default()
}

/// An error that names what was asked for, with what another call asks for in its place: all texts at once, so that what
/// one is replaced by is not taken for another. Texts of one character only where `short` says that they are named.
pub fn respell_absence(body: &mut Value, pairs: &[(&str, &str)], short: bool) {
    let told: Vec<(&str, &str, String)> = pairs
        .iter()
        .zip(0xE000u32..)
        .filter(|((from, to), _)| from != to && !to.is_empty() && (short && !from.is_empty() || from.len() > 1))
        .filter_map(|((from, to), mark)| Some((*from, *to, char::from_u32(mark)?.to_string())))
        .collect();
    for (from, _, mark) in &told {
        replace_token(body, from, mark);
    }
    for (_, to, mark) in &told {
        replace_token(body, mark, to);
    }
}

/// The texts of a recorded call beside those of another.
pub fn asked_pairs<'t>(
    (recorded, recorded_beside): (&'t str, &'t [String]),
    (asked, beside): (&'t str, &'t [String]),
) -> Vec<(&'t str, &'t str)> {
    let others = recorded_beside.iter().zip(beside).map(|(from, to)| (from.as_str(), to.as_str()));
    std::iter::once((recorded, asked)).chain(others).collect()
}

/// Whether an error comes out as another of the same tool, for another tuple, only with the texts of one character.
fn names_short(one: &Absence, other: &Absence) -> bool {
    let (Some(body), Some(expected), Some(from), Some(to)) = (&one.body, &other.body, &one.asked, &other.asked) else {
        return false;
    };
    let pairs = asked_pairs((from, &one.beside), (to, &other.beside));
    let comes_out = |short: bool| {
        let mut body = body.as_ref().clone();
        respell_absence(&mut body, &pairs, short);
        body.same_as(expected)
    };
    comes_out(true) && !comes_out(false)
}

/// Whether a read of an item that is answered with a status says that it is not there: some applications answer with nothing.
pub(super) fn says_absent(status: u16) -> bool {
    matches!(status, 204 | 404 | 410)
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
                let beside = match &self.shapes[tool] {
                    Shape::Item { address, .. } => asked_beside(address, &seen.parameters, seen.line.as_ref()),
                    _ => Vec::new(),
                };
                let Some(asked) = asked.filter(|_| absent && is_read(definition)) else { continue };
                if found.iter().any(|held| held.asked.as_deref() == Some(asked) && held.beside == beside) {
                    continue;
                }
                found.push(Absence::new(seen, Some(asked.to_owned()), beside));
            }
            let status = |absence: &Absence| self.observed.of_record(absence.record).map(|seen| seen.status);
            found.sort_by_key(|absence| (!matches!(status(absence), Some(404 | 410)), absence.record));
            self.made_anew_in(tool, &mut found);
            let short: Vec<bool> = found
                .iter()
                .map(|one| found.iter().any(|other| names_short(one, other) || names_short(other, one)))
                .collect();
            for (absence, short) in found.iter_mut().zip(short) {
                absence.short = short;
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

    /// Notes which members the absence answers of a tool make anew.
    pub(super) fn made_anew_in(&self, tool: usize, found: &mut [Absence]) {
        let asked: Vec<String> = found.iter().filter_map(|held| held.asked.clone()).collect();
        let mut made: BTreeMap<u16, Vec<MadeAnew>> = BTreeMap::new();
        for absence in found {
            // Only answers of one status are of one kind; an identity may have been asked for more than once.
            let Some(status) = self.observed.of_record(absence.record).map(|seen| seen.status) else { continue };
            let made = made.entry(status).or_insert_with(|| self.made_anew_by(tool, status, &asked));
            absence.per_response = made.clone();
        }
    }

    /// The members that a tool's answers of one status make anew; `asked` are the identities that they may name.
    pub(super) fn made_anew_by(&self, tool: usize, status: u16, asked: &[String]) -> Vec<MadeAnew> {
        let alike = self.observed.of_tool(tool).filter(|seen| seen.status == status);
        let bodies: Vec<&Value> = alike.filter_map(|seen| seen.body.as_deref()).collect();
        match bodies.as_slice() {
            [only] => made_anew_beside(only, &self.observed.seen),
            _ => made_anew_by_refusals(&bodies, asked),
        }
    }
}
