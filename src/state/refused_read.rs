//! Reads that are refused: lines that the application answers with an error whatever the state is (a page size that it does
//! not take), and whatever lies under an entity that is not there. Knows nothing of writes.

use super::derive::{Derivation, trimmed};
use super::derived::Derived;
use super::evaluate::{Read, ReadAnswer, absence_answer};
use super::line::{Line, find_line};
use super::observe::{is_read, trim_slash};
use super::recorded_refusal::tells_of_the_state;
use super::store::World;
use super::types::{ListView, Shape, Slot, View};
use crate::manifest::{Segment, decode_once};
use std::collections::BTreeSet;

/// A recorded line that was only ever refused: path, line, whether the status says what the state is, and the record.
pub type RefusedLine = (String, Line, bool, usize);

/// The entity that a read lies under: its type, and where its collection is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parent {
    /// The type.
    pub entity_type: usize,
    /// Segments of its collection's path, where the read's path begins with it.
    pub segments: usize,
    /// The collection, where it lies elsewhere: `/queues/{shop}` lists what `/shops/{shop}` has.
    pub home: Option<String>,
}

impl Derivation<'_> {
    /// Collects the lines of each read that were refused every time they were asked.
    pub(super) fn refused_reads(&mut self) {
        let mut all: Vec<Vec<RefusedLine>> = vec![Vec::new(); self.manifest.tools.len()];
        for (tool, found) in all.iter_mut().enumerate().filter(|(tool, _)| is_read(&self.manifest.tools[*tool])) {
            for seen in self.observed.of_tool(tool).filter(|seen| (400..500).contains(&seen.status)) {
                let Some(line) = seen.line.as_ref().filter(|line| !line.repeated) else { continue };
                // Another caller's refusal says nothing of what this one is answered.
                let answered = self.observed.of_tool(tool).any(|other| {
                    other.path == seen.path
                        && other.line.as_ref().is_some_and(|other| other.params == line.params)
                        && ((200..400).contains(&other.status) || seen.status == 401)
                });
                if !answered {
                    found.push((seen.path.clone(), line.unordered(), tells_of_the_state(seen.status), seen.record));
                }
            }
            found.sort();
            found.dedup_by(|a, b| (&a.0, &a.1) == (&b.0, &b.1));
        }
        self.derived.refused_reads = all;
    }

    /// Finds the entity that each list and document lies under, where a call under one that the state knows to be absent
    /// was refused, and none was answered.
    pub(super) fn parents(&mut self) {
        for tool in 0..self.manifest.tools.len() {
            let shown = matches!(self.derived.views[tool], View::List(_) | View::Document(_) | View::Part(_));
            if shown && let Some(parent) = self.parent_of(tool) {
                self.derived.parents.insert(tool, parent);
            }
        }
    }

    fn parent_of(&self, tool: usize) -> Option<Parent> {
        let parameters = self.manifest.tools[tool].parameters.as_slice();
        let segments = self.manifest.tools[tool].template.segments.get(..parameters.last()?.segment)?;
        let Some(entity_type) = self.derived.types.iter().position(|kind| kind.template.segments == segments) else {
            return self.parent_elsewhere(tool);
        };
        let parent = Parent { entity_type, segments: segments.len(), home: None };
        // The parent's own item route has an absence of its own.
        if trimmed(&self.manifest.tools[tool]).len() == segments.len() + 1
            && matches!(self.shapes[tool], Shape::Item { .. })
        {
            return None;
        }
        let mut refused = false;
        for seen in self.observed.of_tool(tool).filter(|seen| seen.time < self.touched[entity_type]) {
            let read = Read { tool, parameters: &seen.parameters, path: &seen.path, line: seen.line.as_ref() };
            if !parent.is_absent(&self.derived, &self.derived.world, &read) {
                continue;
            }
            match seen.status {
                400 | 403 | 404 | 410 | 422 => refused = true,
                401 => {}
                _ => return None,
            }
        }
        refused.then_some(parent)
    }

    /// The one collection, known in full, that held what every answered call named and did not hold what a refused one did.
    /// Only answers of two tell that they are names of its entities.
    fn parent_elsewhere(&self, tool: usize) -> Option<Parent> {
        let last = self.manifest.tools[tool].parameters.last()?.segment;
        if last + 1 != trimmed(&self.manifest.tools[tool]).len() {
            return None;
        }
        let mut found = None;
        for (entity_type, kind) in self.derived.types.iter().enumerate() {
            let literal = kind.template.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)));
            let home = kind.template.spelling();
            if !literal || !self.derived.is_complete(entity_type, Some(&home)) {
                continue;
            }
            let Some(held) = self.derived.world.collection(entity_type, &home) else { continue };
            let (mut answered, mut refused) = (BTreeSet::new(), false);
            let fits = self.observed.of_tool(tool).filter(|seen| seen.time < self.touched[entity_type]).all(|seen| {
                let Some(id) = seen.parameters.last() else { return false };
                match seen.status {
                    200..400 => {
                        answered.insert(id);
                        held.get(id).is_some()
                    }
                    404 | 410 => {
                        refused = true;
                        held.get(id).is_none()
                    }
                    _ => true,
                }
            });
            if fits && refused && answered.len() > 1 {
                let parent = Parent { entity_type, segments: 0, home: Some(home) };
                if found.replace(parent).is_some() {
                    return None;
                }
            }
        }
        found
    }
}

impl Derived {
    /// Whether a collection lies under an entity that the state knows to be absent.
    pub(super) fn lies_under_absent(&self, world: &World, kind: usize, collection: &str) -> bool {
        let Some(template) = self.types.get(kind).map(|kind| &kind.template) else { return false };
        let parameters = template.matches(collection).unwrap_or_default();
        let parameters: Vec<String> = parameters.into_iter().map(|raw| decode_once(raw).into_owned()).collect();
        self.parents.iter().any(|(tool, parent)| {
            let at_home =
                |view: &ListView| view.checked_bodies.iter().any(|(path, _, _)| template.matches(path).is_some());
            let lists = match self.views.get(*tool) {
                Some(View::List(view)) => view.entity_type == kind && at_home(view),
                _ => false,
            };
            let read = Read { tool: *tool, parameters: &parameters, path: collection, line: None };
            lists && parent.is_absent(self, world, &read)
        })
    }
}

impl Parent {
    /// The collection of the entity that a read lies under.
    fn collection<'p>(&'p self, path: &'p str) -> Option<&'p str> {
        if let Some(home) = &self.home {
            return Some(home);
        }
        let mut slashes = path.match_indices('/').map(|(at, _)| at);
        path.get(..slashes.nth(self.segments)?)
    }

    /// Whether the state knows that there is no such entity.
    fn is_absent(&self, derived: &Derived, world: &World, read: &Read<'_>) -> bool {
        let Some(home) = self.collection(trim_slash(read.path)) else { return false };
        let Some(id) = read.parameters.last() else { return false };
        derived.knows_absent(world, self.entity_type, Some(home), id)
            && world.collection(self.entity_type, home).is_none_or(|collection| collection.get(id).is_none())
    }
}

/// The record of a read's line that was only ever refused, whatever the state was.
pub(super) fn refused(derived: &Derived, read: &Read<'_>) -> Option<ReadAnswer> {
    // An item that the line names is not named by a bare one.
    let item = match derived.views.get(read.tool) {
        Some(View::Item(view)) => !view.address.iter().any(|(slot, _)| matches!(slot, Slot::Key(_))),
        _ => false,
    };
    let (_, line, of_the_state, record) = refused_line(derived, read)?;
    // An item without a query is refused for what it is, or is not.
    let of_the_item = item && line.is_bare();
    (!of_the_state && !of_the_item).then_some(ReadAnswer::Refused { record: *record })
}

/// The record of a read's line that was only ever refused for what the state was.
pub(super) fn was_absent(derived: &Derived, read: &Read<'_>) -> Option<ReadAnswer> {
    let (_, _, of_the_state, record) = refused_line(derived, read)?;
    of_the_state.then_some(ReadAnswer::Refused { record: *record })
}

fn refused_line<'d>(derived: &'d Derived, read: &Read<'_>) -> Option<&'d RefusedLine> {
    let lines = derived.refused_reads.get(read.tool)?;
    find_line(lines, |(path, line, _, _)| (path, line), trim_slash(read.path), read.line?)
}

/// The answer to a read under an entity that is not there; `None` where the state does not know that, or no such answer.
pub(super) fn under_absent(derived: &Derived, world: &World, read: &Read<'_>) -> Option<ReadAnswer> {
    let parent = derived.parents.get(&read.tool).filter(|parent| parent.is_absent(derived, world, read))?;
    let collection = parent.collection(trim_slash(read.path))?.to_owned();
    absence_answer(derived, read.tool, parent.entity_type, collection, (read.parameters.last()?, &[])).ok()
}
