//! An array of texts that reads show sorted, whatever order it was sent in.

use super::*;

/// An array of texts that reads show sorted, whatever order it was sent in.
pub struct SortedTags;

impl Behaviour for SortedTags {
    fn name(&self) -> &'static str {
        "sorted_tags"
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(field("tags", FieldKind::Texts));
    }

    fn show(&self, _world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if entity.of == BOOK
            && matches!(view, View::List | View::Item)
            && let Some(Json::Arr(tags)) = shown.get_mut("tags")
        {
            tags.sort_by_key(Json::text);
        }
    }

    /// In which order a seeded book holds its tags: only the answer of an update tells it, of its own book. The capture
    /// updates the second one.
    fn unknowable(&self, world: &World, request: &Request) -> Option<Unknowable> {
        let Route::Item(BOOK, parent, key) = world.route(&request.path) else { return None };
        // It may have the name since that the request gave it.
        let named = request.json().and_then(|body| body.get("name")).map(Json::text);
        let found = world.find(BOOK, parent.as_deref(), &key);
        let book = &world.entities[BOOK][found.or_else(|| world.find(BOOK, parent.as_deref(), &named?))?];
        let before: usize = world.spec.types[..BOOK].iter().map(|held| held.seeded).sum();
        let at = usize::try_from(book.serial).ok()?.checked_sub(before + 1)?;
        let seeded = at < world.spec.types[BOOK].seeded && at != 1;
        let sent = request.method != world.spec.types[BOOK].writes.update_method
            || request.json().is_none_or(|body| body.get("tags").is_some());
        let untouched = book.fields.get("tags") == world.draft(BOOK, 0, at, None).get("tags");
        (seeded && untouched && !sent).then_some(Unknowable::Members(&["/tags/0", "/tags/1"]))
    }
}
