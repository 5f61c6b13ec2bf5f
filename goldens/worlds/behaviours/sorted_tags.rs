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

    /// Only the answer of an update tells in which order a seeded book holds its tags, of its own book, and the capture
    /// updates the second one. Books made with their shelf hold none: what is counted is held, not the numbers of creates.
    fn seed(&self, world: &mut World) {
        let untold = world.entities[BOOK].iter_mut().enumerate().filter(|(at, _)| *at != 1);
        for (_, book) in untold {
            if let Some(tags) = book.fields.get("tags").cloned() {
                book.fields.set(UNTOLD, tags);
            }
        }
    }

    fn show(&self, _world: &World, entity: &Entity, view: View, shown: &mut Json) {
        shown.take(UNTOLD);
        if entity.of == BOOK
            && matches!(view, View::List | View::Item)
            && let Some(Json::Arr(tags)) = shown.get_mut("tags")
        {
            tags.sort_by_key(Json::text);
        }
    }

    fn unknowable(&self, world: &World, request: &Request) -> Option<Unknowable> {
        let Route::Item(BOOK, parent, key) = world.route(&request.path) else { return None };
        // It may have the name since that the request gave it.
        let named = request.json().and_then(|body| body.get("name")).map(Json::text);
        let found = world.find(BOOK, parent.as_deref(), &key);
        let book = &world.entities[BOOK][found.or_else(|| world.find(BOOK, parent.as_deref(), &named?))?];
        let untold = book.fields.get(UNTOLD)?;
        let sent = request.method != world.spec.types[BOOK].writes.update_method
            || request.json().is_none_or(|body| body.get("tags").is_some());
        let untouched = book.fields.get("tags") == Some(untold);
        (untouched && !sent).then_some(Unknowable::Members(&["/tags/0", "/tags/1"]))
    }
}

/// Where a book keeps the tags that it was seeded with.
const UNTOLD: &str = "untold_tags";
