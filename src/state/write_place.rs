//! What a write is about when its place is no place of the reads: told by the identities that the calls name or that
//! their answers give, and by what the path calls them. Knows nothing of what the write does.

use super::derive::Derivation;
use super::line::scalar_text;
use super::naming::is_plural_of;
use super::observe::Seen;
use super::path::MemberPath;
use super::types::{ItemView, Slot as AddressSlot};
use super::write_history::History;
use super::write_plan::{EntityAddress, Target, TargetPlace};
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::Segment;
use std::collections::BTreeSet;

/// Characters: identities as long as this are no coincidence.
pub(super) const TELLING: usize = 8;
/// Levels of an answer in which a new identity is looked for.
const MAX_LEVELS: usize = 2;

impl Derivation<'_> {
    /// The target of a write tool at a place of its own: the entity that a path parameter names, or the collection that
    /// holds what its answers name.
    pub(super) fn target_elsewhere(&self, tool: usize, segments: &[Segment], history: &History<'_>) -> Option<Target> {
        let calls: Vec<(usize, &Seen)> = self
            .observed
            .by_tool
            .get(tool)?
            .iter()
            .map(|at| (*at, &self.observed.seen[*at]))
            .filter(|(_, seen)| is_success(seen.status))
            .collect();
        if calls.is_empty() {
            return None;
        }
        self.entity_elsewhere(tool, segments, &calls, history)
            .or_else(|| self.entity_by_member(tool, segments, &calls))
            .or_else(|| self.collection_elsewhere(tool, segments, &calls, history))
    }

    /// The entity that the last path parameter names in all calls, with at most two words of an action behind it.
    fn entity_elsewhere(
        &self,
        tool: usize,
        segments: &[Segment],
        calls: &[(usize, &Seen)],
        history: &History<'_>,
    ) -> Option<Target> {
        let at = segments.iter().rposition(|segment| !matches!(segment, Segment::Literal(_)))?;
        if segments.len() - at > 3 {
            return None;
        }
        let parameters = segments[..=at].iter().filter(|segment| !matches!(segment, Segment::Literal(_))).count();
        let named = |kind: usize, seen: &Seen| {
            let text = seen.parameters.get(parameters - 1)?;
            history.homes.contains_key(&(kind, text.clone())).then_some(text.len())
        };
        let fits = |kind: &usize| {
            let lengths: Option<Vec<usize>> = calls.iter().map(|(_, seen)| named(*kind, seen)).collect();
            lengths.is_some_and(|lengths| {
                self.is_called(*kind, &segments[..at]) || lengths.iter().all(|length| *length >= TELLING)
            })
        };
        let entity_type = self.only_type(fits, &segments[..at])?;
        let view = ItemView::addressing(
            entity_type,
            vec![(AddressSlot::Path(parameters - 1), self.derived.types[entity_type].identity.clone())],
        );
        let address = EntityAddress { item_tool: tool, segments: at + 1, parameters, view };
        Some(Target { entity_type, place: TargetPlace::Entity(Box::new(address)) })
    }

    /// The entity that has what the last segment says at the member that the segment before it is called, under its home
    /// (`/books/name/{name}`): where no two that are held have the same there, and one has what a call says.
    fn entity_by_member(&self, tool: usize, segments: &[Segment], calls: &[(usize, &Seen)]) -> Option<Target> {
        let [home @ .., Segment::Literal(name), last] = segments else { return None };
        let entity_type = self.collection_at(home).filter(|_| last.literal().is_none())?;
        let member = MemberPath::member(name);
        let entities = self.derived.world.collections(entity_type).flat_map(|(_, held)| held.iter());
        let texts: Vec<String> =
            entities.map(|entity| member.direct(&entity.fields).and_then(scalar_text)).collect::<Option<_>>()?;
        let distinct: BTreeSet<&String> = texts.iter().collect();
        let parameters = segments.iter().filter(|segment| segment.literal().is_none()).count();
        let at = parameters.checked_sub(1)?;
        let says = |(_, seen): &(usize, &Seen)| seen.parameters.get(at).is_some_and(|text| distinct.contains(text));
        if distinct.len() < texts.len() || !calls.iter().any(says) {
            return None;
        }
        let view = ItemView::addressing(entity_type, vec![(AddressSlot::Path(at), member)]);
        let address = EntityAddress { item_tool: tool, segments: segments.len(), parameters, view };
        Some(Target { entity_type, place: TargetPlace::Entity(Box::new(address)) })
    }

    /// The collection that holds what the answers of all calls name, where no read showed it before.
    fn collection_elsewhere(
        &self,
        tool: usize,
        segments: &[Segment],
        calls: &[(usize, &Seen)],
        history: &History<'_>,
    ) -> Option<Target> {
        if self.manifest.tools[tool].method != "POST" {
            return None;
        }
        let fits = |kind: &usize| {
            let made: Option<Vec<String>> =
                calls.iter().map(|(at, seen)| history.made_by(self, *kind, *at, seen)).collect();
            made.is_some_and(|made| self.is_called(*kind, segments) || made.iter().all(|id| id.len() >= TELLING))
        };
        let entity_type = self.only_type(fits, segments)?;
        Some(Target { entity_type, place: TargetPlace::Collection })
    }

    /// The only type that fits, or the only one of them that the path names.
    pub(super) fn only_type(&self, fits: impl Fn(&usize) -> bool, segments: &[Segment]) -> Option<usize> {
        let found: Vec<usize> = (0..self.derived.types.len()).filter(fits).collect();
        if let [only] = found.as_slice() {
            return Some(*only);
        }
        let mut called = found.into_iter().filter(|kind| self.is_called(*kind, segments));
        called.next().filter(|_| called.next().is_none())
    }

    /// Whether a path has the word that a type's home collection ends with, or its singular.
    pub(super) fn is_called(&self, kind: usize, segments: &[Segment]) -> bool {
        let home = self.derived.types[kind].template.segments.iter().rev();
        let word = home.filter_map(Segment::literal).next();
        word.is_some_and(|word| segments.iter().filter_map(Segment::literal).any(|held| is_plural_of(word, held)))
    }
}

impl History<'_> {
    /// The identity that a call's answer gives to an entity of a type that was not there before: a scalar of the answer
    /// that reads after the call show as an identity, and the state did not hold.
    pub(super) fn made_by(&self, work: &Derivation<'_>, kind: usize, at: usize, call: &Seen) -> Option<String> {
        let mut found = None;
        let mut level = vec![call.body.as_deref()?];
        for _ in 0..=MAX_LEVELS {
            let mut next = Vec::new();
            for value in level {
                match value.plain() {
                    Value::Object(object) => next.extend(object.iter().map(|(_, inner)| inner)),
                    Value::String(_) | Value::Number(_) if found.is_none() => {
                        found = scalar_text(value).filter(|text| self.is_new(work, kind, at, text));
                    }
                    _ => {}
                }
            }
            level = next;
        }
        found
    }

    /// Whether an identity is shown after a call, and was not held or shown before it.
    fn is_new(&self, work: &Derivation<'_>, kind: usize, at: usize, id: &str) -> bool {
        let Some(homes) = self.homes.get(&(kind, id.to_owned())) else { return false };
        homes.iter().any(|home| {
            let held = work.derived.world.collection(kind, home).is_some_and(|held| held.get(id).is_some());
            let showings = self.of(&(kind, home.clone(), id.to_owned()));
            !held && showings.first().is_some_and(|first| first.seen > at)
        })
    }
}
