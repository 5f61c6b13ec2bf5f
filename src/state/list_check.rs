//! Replaying a list's recordings against its proposed view: lines that come out the same are written into the view,
//! lines that do not take the parameters only they use out of it.

use super::derive::Derivation;
use super::entity::listed_at;
use super::evaluate::{Read, ReadAnswer, evaluate_read, select_list};
use super::line::Line;
use super::observe::Seen;
use super::query::Role;
use super::types::{ListView, View};
use crate::capture::is_success;
use std::collections::{BTreeMap, HashMap};

impl Derivation<'_> {
    /// How pages past the end answer.
    pub(super) fn page_ends(&mut self, tool: usize, view: &mut ListView) {
        let mut past = None;
        for seen in self.observed.of_tool(tool).filter(|seen| seen.time < self.touched[view.entity_type]) {
            let Some(line) = &seen.line else { continue };
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            let Ok(selection) = select_list(&self.derived, &self.derived.world, view, read, line) else { continue };
            if !selection.paged || !selection.window.past_end(selection.matched) {
                continue;
            }
            if is_success(seen.status) {
                view.pages_empty = true;
            } else if (400..500).contains(&seen.status) && seen.status != 401 {
                past = Some(seen.record);
            }
        }
        if let Some(record) = past {
            self.remember(record);
            view.past_end = Some(record);
        }
    }

    /// Replays the clean calls of a list; returns how many the view reproduced, with the lines written into it.
    pub(super) fn check_list(&mut self, tool: usize, view: &mut ListView, calls: &[Seen]) -> usize {
        let mut held = 0;
        let mut checked = Vec::new();
        let mut contradicted = Vec::new();
        let mut telling = Vec::new();
        for seen in calls {
            if let Some(line) = &seen.line {
                let mut line = line.clone();
                line.in_order.clear();
                view.checked_bodies.push((seen.path.clone(), line, seen.record));
                if view.envelope.needs_recordings() {
                    self.remember(seen.record);
                }
            }
        }
        view.checked_bodies.sort();
        self.derived.views[tool] = View::List(Box::new(view.clone()));
        for seen in calls {
            let (Some(line), Some(body)) = (&seen.line, seen.body.as_deref()) else { continue };
            let mut key = line.clone();
            key.in_order.clear();
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: Some(line) };
            match evaluate_read(&self.derived, &self.derived.world, read) {
                ReadAnswer::State { body: rendered, .. } if rendered.same_as(body) => {
                    held += 1;
                    if !listed_at(body, &view.place, view.keyed).is_empty() {
                        telling.push(key.clone());
                    }
                    checked.push((seen.path.clone(), key, seen.record));
                }
                ReadAnswer::State { .. } => contradicted.push((seen.path.clone(), key)),
                ReadAnswer::Absent { .. } | ReadAnswer::Refused { .. } | ReadAnswer::Recording { .. } => {}
            }
        }
        checked.sort();
        checked.dedup_by(|a, b| a.0 == b.0 && a.1 == b.1);
        contradicted.sort();
        contradicted.dedup();
        view.checked_bodies = checked;
        demote(view, &contradicted, &telling);
        view.contradicted = contradicted;
        if !view.contradicted.is_empty() {
            // A line that needed what was taken out is no longer answered from the state.
            self.derived.views[tool] = View::List(Box::new(view.clone()));
            let by_record: HashMap<usize, &Seen> = calls.iter().rev().map(|seen| (seen.record, seen)).collect();
            let answers = |record: &usize| by_record.get(record).is_some_and(|seen| self.answers(tool, seen));
            let still: Vec<bool> = view.checked_bodies.iter().map(|(_, _, record)| answers(record)).collect();
            let mut still = still.into_iter();
            view.checked_bodies.retain(|_| still.next().unwrap_or(false));
        }
        held
    }

    /// Whether the view in place answers a recorded call from the state.
    fn answers(&self, tool: usize, seen: &Seen) -> bool {
        let path = self.raw_path(seen);
        let read = Read { tool, parameters: &seen.parameters, path: &path, line: seen.line.as_ref() };
        matches!(evaluate_read(&self.derived, &self.derived.world, read), ReadAnswer::State { .. })
    }
}

/// Parameters, or values of unchanging ones, that stand in contradicted lines at least as often as in reproduced ones that
/// listed something lose their role; then recordings answer them.
fn demote(view: &mut ListView, contradicted: &[(String, Line)], telling: &[Line]) {
    let tokens = |line: &Line| -> Vec<(String, Option<String>)> {
        let Some(line) = super::reading::expand(line, &view.query.readings) else { return Vec::new() };
        line.params
            .iter()
            .map(|param| match view.query.roles.get(&param.key) {
                Some(Role::Unchanging(_)) => (param.key.clone(), Some(param.text.clone())),
                _ => (param.key.clone(), None),
            })
            .collect()
    };
    let count = |lines: &mut dyn Iterator<Item = &Line>| -> BTreeMap<(String, Option<String>), usize> {
        let mut counts = BTreeMap::new();
        for token in lines.flat_map(tokens) {
            *counts.entry(token).or_default() += 1;
        }
        counts
    };
    let bad = count(&mut contradicted.iter().map(|(_, line)| line));
    let good = count(&mut telling.iter());
    let blamed: Vec<(String, Option<String>)> = bad
        .into_iter()
        .filter(|(token, bad)| *bad >= good.get(token).copied().unwrap_or(0))
        .map(|(token, _)| token)
        .collect();
    for (key, value) in blamed {
        match (view.query.roles.get_mut(&key), value) {
            (Some(Role::Unchanging(values)), Some(value)) => {
                values.remove(&value);
            }
            _ => {
                view.query.roles.remove(&key);
                view.query.defaults.retain(|(held, _)| *held != key);
            }
        }
    }
}
