//! Which entities a call addresses: by the slots of its path and line, as an item view reads them. Knows nothing of what is
//! answered, nor of what a view leaves out.

use super::derived::Derived;
use super::evaluate::Read;
use super::line::{Line, scalar_text};
use super::listing::{Arrangement, Indexed, Listed, Listing};
use super::observe::trim_slash;
use super::path::MemberPath;
use super::store::{Entity, World};
use super::types::{ItemView, Slot};
use std::sync::Arc;

/// The entity that a call addresses; of several that have what it says the first.
pub(super) fn find_addressed(
    derived: &Derived,
    world: &World,
    view: &ItemView,
    read: Read<'_>,
    line: &Line,
) -> Option<Arc<Entity>> {
    addressed(derived, world, view, read, line)?.into_iter().next()
}

/// Whether several entities have what a call says: which one it is about is not known.
pub(super) fn is_ambiguous(derived: &Derived, world: &World, view: &ItemView, read: Read<'_>, line: &Line) -> bool {
    addressed(derived, world, view, read, line).is_some_and(|found| found.len() > 1)
}

/// The entities that have what a call says, in state order.
pub(super) fn addressed(
    derived: &Derived,
    world: &World,
    view: &ItemView,
    read: Read<'_>,
    line: &Line,
) -> Option<Vec<Arc<Entity>>> {
    let wanted: Vec<String> = view
        .address
        .iter()
        .map(|(slot, _)| match slot {
            Slot::Path(index) => read.parameters.get(*index).cloned(),
            Slot::Key(key) => line.get(key).map(|param| param.text.clone()),
        })
        .collect::<Option<_>>()?;
    let entity_type = derived.types.get(view.entity_type)?;
    let last = wanted.last()?;
    // Entities that may hold a text at a member, in state order.
    let holding = |home: Option<&str>, member: &MemberPath| -> Listing {
        let all = Indexed { world, entity_type: view.entity_type, home };
        let order = Arrangement::default();
        all.holding_text(member, last, &order).unwrap_or_else(|| all.arranged(&order))
    };
    if derived.is_home_item(read.tool, view.entity_type) {
        let path = trim_slash(read.path);
        let home = &path[..path.rfind('/')?];
        if let Some(entity) = world.collection(view.entity_type, home)?.get(last) {
            return Some(vec![entity.clone()]);
        }
        let names = |entity: &Arc<Entity>, member: &MemberPath| {
            member.direct(&entity.fields).and_then(scalar_text).as_ref() == Some(last)
        };
        let named = |member: &MemberPath| {
            let listing = holding(Some(home), member);
            let found: Vec<_> = listing.iter().filter(|entity| names(entity, member)).cloned().collect();
            (!found.is_empty()).then_some(found)
        };
        return view.also.iter().find_map(named);
    }
    let identifies =
        |path: &MemberPath| *path == entity_type.identity || Some(path) == entity_type.inner_identity.as_ref();
    let fits = |entity: &&Arc<Entity>| {
        view.address.iter().zip(&wanted).all(|((_, path), text)| {
            path.direct(&entity.fields).and_then(scalar_text).as_ref() == Some(text)
                || (path.0.is_empty() || identifies(path)) && entity.id.as_ref() == text
        })
    };
    let (_, member) = view.address.last()?;
    if identifies(member) {
        return Some(world.named(view.entity_type, last).filter(fits).cloned().collect());
    }
    let listing = holding(None, member);
    Some(listing.iter().filter(fits).cloned().collect())
}
