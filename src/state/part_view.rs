//! Parts: reads whose answer is one member of an entity, under a path of its own (`/books/3/labels`). Proposed where every
//! clean answer is what the entity that the path addresses holds, and two of them differ.

use super::derive::{Derivation, trimmed};
use super::derived::Derived;
use super::entity::at_place;
use super::envelope::set_at;
use super::evaluate::{Read, ReadAnswer, StateTarget};
use super::observe::{Seen, trim_slash};
use super::store::{Entity, World};
use super::types::{PartView, Place};
use crate::json::Value;
use crate::manifest::Segment;
use std::sync::Arc;

/// Answers a part from the entity that holds it.
///
/// # Errors
/// Why the state does not cover the line.
pub(super) fn answer_part(
    derived: &Derived,
    world: &World,
    view: &PartView,
    read: Read<'_>,
) -> Result<ReadAnswer, &'static str> {
    if read.line.is_none_or(|line| !line.is_bare()) {
        return Err("unrecorded-request");
    }
    let entity = holder(world, view.entity_type, view.below, &read).ok_or("unrecorded-request")?;
    let held = entity.whole().get(&view.member).ok_or("incomplete-entity")?;
    let mut body = view.frame.clone();
    set_at(&mut body, &view.place, Some(held.clone()));
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    Ok(ReadAnswer::State {
        record: view.base_record,
        body,
        target: StateTarget::Item {
            entity_type: entity_type.collection_template.clone(),
            collection: entity.collection.to_string(),
            id: entity.id.to_string(),
        },
        per_response: derived.per_response(read.tool).to_vec(),
    })
}

/// The entity under which a path lies by so many segments.
fn holder<'w>(world: &'w World, entity_type: usize, below: usize, read: &Read<'_>) -> Option<&'w Arc<Entity>> {
    let mut path = trim_slash(read.path);
    for _ in 0..=below {
        path = &path[..path.rfind('/')?];
    }
    world.collection(entity_type, path)?.get(read.parameters.last()?)
}

impl Derivation<'_> {
    /// The view of a read as a member of the entity that its path lies under.
    pub(super) fn part_view(&mut self, tool: usize) -> Option<PartView> {
        let segments = trimmed(&self.manifest.tools[tool]);
        let last = self.manifest.tools[tool].parameters.last()?.segment;
        let below = segments.len().checked_sub(last + 1).filter(|below| *below > 0)?;
        let home = &segments[..last];
        let entity_type = self.derived.types.iter().position(|kind| kind.template.segments == home)?;
        let calls: Vec<&Seen> = self
            .clean_calls(tool, entity_type)
            .into_iter()
            .filter(|seen| seen.line.as_ref().is_some_and(|line| line.is_bare()))
            .collect();
        let cases: Vec<(&Value, Arc<Entity>)> = calls
            .iter()
            .map(|seen| {
                let read = Read { tool, parameters: &seen.parameters, path: &seen.path, line: seen.line.as_ref() };
                Some((seen.body.as_deref()?, holder(&self.derived.world, entity_type, below, &read)?.clone()))
            })
            .collect::<Option<_>>()?;
        let (first, entity) = cases.first()?;
        if cases.iter().all(|(body, _)| body.same_as(first)) {
            return None;
        }
        let word = match segments.last() {
            Some(Segment::Literal(word)) => word.as_str(),
            _ => return None,
        };
        let mut members: Vec<&str> =
            entity.whole().as_object()?.iter().filter_map(|(member, _)| member.as_str()).collect();
        // The member that is called as the path is, before others that fit.
        members.sort_by_key(|member| *member != word);
        let mut places: Vec<Place> = vec![Vec::new()];
        if let Some((name, _)) =
            first.as_object().filter(|object| object.len() == 1).and_then(|object| object.iter().next())
        {
            places.push(vec![name.as_str()?.into()]);
        }
        let fits = |place: &Place, member: &str| {
            cases.iter().all(|(body, entity)| {
                at_place(body, place).zip(entity.whole().get(member)).is_some_and(|(shown, held)| shown.same_as(held))
            })
        };
        let (place, member) = places
            .iter()
            .flat_map(|place| members.iter().map(move |member| (place, *member)))
            .find(|(place, member)| fits(place, member))?;
        let (place, member, base_record) = (place.clone(), member.into(), calls.first()?.record);
        self.remember(base_record);
        let frame = self.frame(base_record, &place);
        Some(PartView { entity_type, member, place, below, base_record, frame })
    }
}
