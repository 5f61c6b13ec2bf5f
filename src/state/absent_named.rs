//! Lists that are asked by a filter for what belongs to an entity that is not there: `?project=5` after project 5 was
//! removed is refused by some applications (two recorded ones: "Select a valid choice") and empty in others. What the
//! capture shows decides; a key tells of a type only by its name.

use super::absence::Absence;
use super::derive::Derivation;
use super::derived::Derived;
use super::evaluate::{Read, ReadAnswer, recorded_absence};
use super::generate::Generator;
use super::naming::{is_plural_of, last_name, words};
use super::observe::{Seen, trim_slash};
use super::query::Role;
use super::store::World;
use super::types::View;
use crate::capture::is_success;
use crate::manifest::Segment;
use std::collections::{BTreeMap, BTreeSet};

/// A key of a list's line that names an entity, and the refusal where there is none.
#[derive(Clone, Debug)]
pub struct NamedInLine {
    /// The key.
    pub key: String,
    /// The type of what it names.
    pub entity_type: usize,
    /// What a call that names nothing was answered with.
    pub absence: Absence,
}

/// A call of a list whose line names something, and what was there of that name.
#[derive(Clone, Debug)]
pub(super) struct AskedOf {
    tool: usize,
    key: String,
    text: String,
    /// The call, where it was refused.
    refused: Option<usize>,
    /// Types that held an entity of the name.
    held: BTreeSet<usize>,
    /// Types of which the state knew that they held none.
    absent: BTreeSet<usize>,
}

impl Derivation<'_> {
    /// The tools of lists that refused a line.
    pub(super) fn refusing_lists(&self) -> BTreeSet<usize> {
        let calls = self.observed.seen.iter().filter(|seen| refuses(seen.status));
        let tools =
            calls.filter(|seen| seen.line.as_ref().is_some_and(|line| !line.params.is_empty())).map(|seen| seen.tool);
        tools.filter(|tool| matches!(self.derived.views[*tool], View::List(_))).collect()
    }

    /// What a call of a list asked for by its filters, in the world of its time.
    pub(super) fn asked_of(&self, index: usize, world: &World) -> Vec<AskedOf> {
        let call: &Seen = &self.observed.seen[index];
        let (View::List(view), Some(line)) = (&self.derived.views[call.tool], &call.line) else { return Vec::new() };
        let refused = refuses(call.status).then_some(index);
        if line.repeated || refused.is_none() && !is_success(call.status) {
            return Vec::new();
        }
        let filters = line.params.iter().filter(|param| {
            param.list.is_none() && matches!(view.query.roles.get(&param.key), Some(Role::Filter(_)) | None)
        });
        let kinds = 0..self.derived.types.len();
        filters
            .map(|param| {
                let is_held = |kind: &usize| world.named(*kind, &param.text).next().is_some();
                let is_absent =
                    |kind: &usize| !is_held(kind) && self.derived.knows_absent(world, *kind, None, &param.text);
                AskedOf {
                    tool: call.tool,
                    key: param.key.clone(),
                    text: param.text.clone(),
                    refused,
                    held: kinds.clone().filter(is_held).collect(),
                    absent: kinds.clone().filter(is_absent).collect(),
                }
            })
            .collect()
    }

    /// Finds the keys that name entities: every answered call named one that was there, every refused one did not.
    pub(super) fn names_in_lines(&mut self, asked: &[AskedOf]) {
        let mut by_key: BTreeMap<(usize, &str), Vec<&AskedOf>> = BTreeMap::new();
        for ask in asked {
            by_key.entry((ask.tool, &ask.key)).or_default().push(ask);
        }
        let mut found: BTreeMap<usize, Vec<NamedInLine>> = BTreeMap::new();
        for ((tool, key), asked) in by_key {
            let (refused, answered): (Vec<&AskedOf>, Vec<&AskedOf>) =
                asked.into_iter().partition(|ask| ask.refused.is_some());
            let (Some(first), false) = (refused.first(), answered.is_empty()) else { continue };
            let tells = |kind: &usize| {
                // What no entity could be called may be refused for how it is spelled.
                refused.iter().any(|ask| self.is_called_alike(*kind, &ask.text))
                    && answered.iter().all(|ask| ask.held.contains(kind))
                    && refused.iter().all(|ask| ask.absent.contains(kind))
                    && self.called_by(*kind, key)
            };
            let mut kinds = (0..self.derived.types.len()).filter(tells);
            let (Some(entity_type), None, Some(index)) = (kinds.next(), kinds.next(), first.refused) else { continue };
            let call = &self.observed.seen[index];
            let texts: Vec<String> = refused.iter().map(|ask| ask.text.clone()).collect();
            let mut absence = Absence::new(call, Some(first.text.clone()), Vec::new());
            absence.per_response = self.made_anew_by(tool, call.status, &texts);
            found.entry(tool).or_default().push(NamedInLine { key: key.to_owned(), entity_type, absence });
        }
        self.derived.named_in_lines = found;
    }

    /// Whether a text is spelled as the identities of a type are.
    fn is_called_alike(&self, kind: usize, text: &str) -> bool {
        let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let entities = self.derived.world.collections(kind).flat_map(|(_, held)| held.iter());
        let mut ids = entities.map(|entity| entity.id.as_ref()).peekable();
        ids.peek().is_some()
            && ids.all(|id| digits(id) == digits(text) && Generator::of_text(id) == Generator::of_text(text))
    }

    /// Whether a key is the name of a type's entities: `project`, `project_id` or `projectIds` of `/api/projects`.
    pub(super) fn called_by(&self, kind: usize, key: &str) -> bool {
        let mut said = words(last_name(key));
        if said.len() > 1 && said.last().is_some_and(|last| matches!(last.as_str(), "id" | "ids")) {
            said.pop();
        }
        let segments = &self.derived.types[kind].template.segments;
        let called = segments.iter().rev().find_map(|segment| match segment {
            Segment::Literal(text) => words(text).pop(),
            _ => None,
        });
        matches!((called, said.last()), (Some(many), Some(one)) if many == *one || is_plural_of(&many, one))
    }
}

fn refuses(status: u16) -> bool {
    matches!(status, 400 | 404 | 410 | 422)
}

/// The refusal of a list whose line names an entity that the state knows to be absent.
pub(super) fn asked_of_absent(derived: &Derived, world: &World, read: &Read<'_>) -> Option<ReadAnswer> {
    let line = read.line?;
    derived.named_in_lines.get(&read.tool)?.iter().find_map(|named| {
        let param = line.get(&named.key).filter(|param| param.list.is_none())?;
        let absent = world.named(named.entity_type, &param.text).next().is_none()
            && derived.knows_absent(world, named.entity_type, None, &param.text);
        let collection = trim_slash(read.path).to_owned();
        absent.then(|| {
            recorded_absence(derived, &named.absence, named.entity_type, collection, (&param.text, &[])).ok()
        })?
    })
}

/// Whether a list's line names an entity that is there: a recorded refusal of it was for what was not there then.
pub(super) fn names_what_is_there(derived: &Derived, world: &World, read: &Read<'_>) -> bool {
    let named = derived.named_in_lines.get(&read.tool).into_iter().flatten();
    let mut texts = named.filter_map(|named| Some((named.entity_type, &read.line?.get(&named.key)?.text)));
    texts.any(|(kind, text)| world.named(kind, text).next().is_some())
}
