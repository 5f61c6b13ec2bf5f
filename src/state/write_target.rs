//! What a write tool addresses, by its place: the collection of a type, an entity as some read addresses it, or an entity
//! with the name of an action behind it.

use super::addressed::{find_addressed, is_ambiguous};
use super::derive::{Derivation, trimmed};
use super::derived::Derived;
use super::evaluate::Read;
use super::line::Line;
use super::observe::{Seen, trim_slash};
use super::store::{Entity, World};
use super::types::{ItemView, Slot as AddressSlot, View};
use super::write_history::History;
use super::write_plan::{EntityAddress, Target, TargetPlace};
use crate::capture::is_success;
use crate::manifest::Segment;
use std::sync::Arc;

impl Derivation<'_> {
    /// The target of a write tool; `None` where no type of the reads is at its place.
    pub(super) fn write_target(&mut self, tool: usize, history: &History<'_>) -> Option<Target> {
        let method = self.manifest.tools[tool].method.clone();
        let segments = trimmed(&self.manifest.tools[tool]).to_vec();
        if method == "POST"
            && let Some(entity_type) = self.collection_at(&segments)
        {
            return Some(Target { entity_type, place: TargetPlace::Collection });
        }
        // The longest prefix that addresses an entity: the whole path first, then what an action's name follows.
        for count in (1..=segments.len()).rev() {
            let tail = &segments[count..];
            if tail.len() > 2 || tail.iter().any(|segment| !matches!(segment, Segment::Literal(_))) {
                break;
            }
            if !tail.is_empty() && matches!(method.as_str(), "DELETE") {
                break;
            }
            if let Some(found) = self.entity_at(tool, &segments[..count]) {
                return Some(found);
            }
            if self.collection_at(&segments[..count]).is_some() && !self.puts_member(tool, &segments) {
                break;
            }
        }
        self.keyed_target(tool, &segments).or_else(|| self.target_elsewhere(tool, &segments, history))
    }

    /// Whether all that a tool was sent is a list that stands for a member of the entity above.
    fn puts_member(&self, tool: usize, segments: &[Segment]) -> bool {
        let Some(Segment::Literal(name)) = segments.last().filter(|_| self.manifest.tools[tool].method == "PUT") else {
            return false;
        };
        let mut calls = self.observed.of_tool(tool).filter(|seen| is_success(seen.status)).peekable();
        let list = |seen: &Seen| {
            let members = seen.sent.as_deref().and_then(crate::json::Value::as_object);
            members.is_some_and(|object| {
                object.len() == 1 && object.get(name).is_some_and(|list| list.as_array().is_some())
            })
        };
        calls.peek().is_some() && calls.all(list)
    }

    /// The target of a tool whose body or query holds the identity: beside a read that takes it in its line, under names
    /// that the calls use, too.
    fn keyed_target(&self, tool: usize, segments: &[Segment]) -> Option<Target> {
        let beside = segments.split_last()?.1;
        let calls: Vec<&Seen> = self.observed.of_tool(tool).filter(|seen| is_success(seen.status)).collect();
        let views = (0..self.manifest.tools.len()).filter_map(|read| match &self.derived.views[read] {
            View::Item(view) => {
                let place = trimmed(&self.manifest.tools[read]).split_last()?.1;
                (same_place(place, beside) && self.names_one(view)).then_some(view)
            }
            _ => None,
        });
        let by_key = |slot: &AddressSlot| matches!(slot, AddressSlot::Key(_));
        let mut keyed: Vec<&ItemView> =
            views.map(AsRef::as_ref).filter(|view| view.address.iter().all(|(slot, _)| by_key(slot))).collect();
        // The identity itself before another member that addresses.
        let identifies = |view: &ItemView| {
            let identity = &self.derived.types[view.entity_type].identity;
            view.address.last().is_some_and(|(_, member)| member == identity)
        };
        keyed.sort_by_key(|view| !identifies(view));
        let named = |slot: &AddressSlot| -> Option<AddressSlot> {
            let AddressSlot::Key(key) = slot else { return None };
            let name = key.rsplit('/').next().unwrap_or(key);
            let in_body = calls.iter().all(|seen| seen.sent.as_deref().is_some_and(|sent| sent.get(name).is_some()));
            let in_query = calls.iter().all(|seen| seen.query.iter().any(|(held, _)| held == name));
            match (in_body, in_query) {
                (true, _) => Some(AddressSlot::Key(format!("body/{name}"))),
                (_, true) => Some(AddressSlot::Key(name.to_owned())),
                _ => None,
            }
        };
        for view in &keyed {
            let slots = view.address.iter().map(|(slot, member)| Some((named(slot)?, member.clone())));
            let Some(address) = slots.collect::<Option<Vec<_>>>() else { continue };
            let parameters = self.manifest.tools[tool].parameters.len();
            let view = ItemView { address, ..(*view).clone() };
            let address = EntityAddress { item_tool: tool, segments: segments.len(), parameters, view };
            let entity_type = address.view.entity_type;
            return Some(Target { entity_type, place: TargetPlace::Entity(Box::new(address)) });
        }
        let entity_type = keyed.first()?.entity_type;
        let kind = &self.derived.types[entity_type];
        let identity = |value: &crate::json::Value| super::identity::identity_text(kind, None, value).is_some();
        let answered = calls.iter().all(|seen| {
            seen.body.as_deref().is_some_and(|body| super::write_sample::answered_entity(body, &identity).is_some())
        });
        let creates = self.manifest.tools[tool].method == "POST" && answered && !calls.is_empty();
        creates.then_some(Target { entity_type, place: TargetPlace::Collection })
    }

    /// Whether an item view's address tells entities apart as the state does: by the identity or another member alone, or
    /// by the members that name the home collection and the identity.
    fn names_one(&self, view: &ItemView) -> bool {
        let kind = &self.derived.types[view.entity_type];
        let Some(((_, last), parents)) = view.address.split_last() else { return false };
        parents.is_empty()
            || *last == kind.identity
                && parents.iter().all(|(_, path)| kind.parents.iter().flatten().any(|held| held == path))
    }

    /// The type whose home, or whose list of everything, is at a place.
    pub(super) fn collection_at(&self, segments: &[Segment]) -> Option<usize> {
        let home = self.derived.types.iter().position(|kind| kind.template.segments == segments);
        home.or_else(|| {
            (0..self.manifest.tools.len()).find_map(|tool| match &self.derived.views[tool] {
                View::List(view) if trimmed(&self.manifest.tools[tool]) == segments => Some(view.entity_type),
                _ => None,
            })
        })
    }

    /// The entity that a place addresses: as an item read does, or under a home collection.
    fn entity_at(&mut self, tool: usize, segments: &[Segment]) -> Option<Target> {
        let parameters = segments.iter().filter(|segment| !matches!(segment, Segment::Literal(_))).count();
        let read = (0..self.manifest.tools.len()).find_map(|read| match &self.derived.views[read] {
            View::Item(view) if same_place(trimmed(&self.manifest.tools[read]), segments) => Some((read, view.clone())),
            _ => None,
        });
        let (item_tool, view) = match read {
            Some((read, view)) => (read, *view),
            None => {
                let (last, home) = segments.split_last()?;
                if matches!(last, Segment::Literal(_)) {
                    return None;
                }
                let at_home = self.derived.types.iter().position(|kind| same_place(&kind.template.segments, home));
                // Under another list of the type, the identity alone addresses.
                let entity_type = at_home.or_else(|| self.collection_at(home))?;
                let identity = self.derived.types[entity_type].identity.clone();
                if at_home.is_some() {
                    self.derived.home_items.insert((tool, entity_type));
                }
                let view =
                    ItemView::addressing(entity_type, vec![(AddressSlot::Path(parameters.checked_sub(1)?), identity)]);
                (tool, view)
            }
        };
        let address = EntityAddress { item_tool, segments: segments.len(), parameters, view };
        Some(Target { entity_type: address.view.entity_type, place: TargetPlace::Entity(Box::new(address)) })
    }
}

/// Whether two places are one: parameters found by different rules are parameters alike.
pub(super) fn same_place(one: &[Segment], other: &[Segment]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|pair| match pair {
            (Segment::Literal(one), Segment::Literal(other)) => one == other,
            (Segment::Literal(_), _) | (_, Segment::Literal(_)) => false,
            _ => true,
        })
}

impl EntityAddress {
    /// The part of a call's path that addresses the entity.
    pub(super) fn path<'p>(&self, path: &'p str) -> &'p str {
        let path = trim_slash(path);
        let cut = path.match_indices('/').nth(self.segments).map_or(path.len(), |(at, _)| at);
        &path[..cut]
    }

    /// The read of the entity that a call addresses; `None` where it says too little.
    fn read<'c>(&self, parameters: &'c [String], path: &'c str, line: &'c Line) -> Option<Read<'c>> {
        let parameters = parameters.get(..self.parameters)?;
        Some(Read { tool: self.item_tool, parameters, path: self.path(path), line: Some(line) })
    }

    /// The addressed entity.
    pub(super) fn find(
        &self,
        derived: &Derived,
        world: &World,
        parameters: &[String],
        path: &str,
        line: &Line,
    ) -> Option<Arc<Entity>> {
        find_addressed(derived, world, &self.view, self.read(parameters, path, line)?, line)
    }

    /// Whether several held entities have what a call addresses one by.
    pub(super) fn is_ambiguous(
        &self,
        derived: &Derived,
        world: &World,
        parameters: &[String],
        path: &str,
        line: &Line,
    ) -> bool {
        let read = self.read(parameters, path, line);
        read.is_some_and(|read| is_ambiguous(derived, world, &self.view, read, line))
    }

    /// Whether the query or the body names the entity, not the path.
    pub(super) fn is_keyed(&self) -> bool {
        self.view.address.iter().all(|(slot, _)| matches!(slot, AddressSlot::Key(_)))
    }

    /// What the call gives for the entity's own name.
    pub(super) fn asked(&self, parameters: &[String], line: &Line) -> Option<String> {
        match self.view.address.last()?.0.clone() {
            AddressSlot::Path(index) => parameters.get(index).cloned(),
            AddressSlot::Key(key) => line.get(&key).map(|param| param.text.clone()),
        }
    }
}
