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
}
