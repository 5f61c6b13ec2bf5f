//! Books carry copies of their tags: a renamed tag shows in every book, a deleted one leaves them.

use super::*;

/// Books carry copies of their tags: a renamed tag shows in every book, a deleted one leaves them.
pub struct TagCopies;

impl Behaviour for TagCopies {
    fn name(&self) -> &'static str {
        "tag_copies"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["tags", "forms", "plain_paths"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        let mut tags = TypeSpec::new("tags", "tag", vec![field("name", FieldKind::Text)], 5);
        tags.id = spec.types[SHELF].id;
        tags.id_member = spec.types[SHELF].id_member;
        spec.types.push(tags);
    }

    fn seed(&self, world: &mut World) {
        let ids: Vec<Json> = world.entities[TAG].iter().map(|tag| tag.id.clone()).collect();
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            let chosen = (0..at % 3).map(|step| ids[(at + step * 2) % 4].clone()).collect();
            book.fields.set("tag_ids", Json::Arr(chosen));
        }
    }

    fn draft(&self, world: &World, of: usize, at: usize, body: &mut Json) {
        let ids: Vec<Json> = world.entities[TAG].iter().filter(|tag| !tag.hidden).map(|tag| tag.id.clone()).collect();
        if of == BOOK && ids.len() > 1 {
            body.set("tag_ids", Json::Arr(vec![ids[at % ids.len()].clone(), ids[(at + 1) % ids.len()].clone()]));
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        // Where the name is the identity, what books hold of a renamed tag goes by its new name.
        if let (TAG, Some(before)) = (write.of, &write.before)
            && before.key != write.key
            && let Some(id) = world.find(TAG, None, &write.key).map(|at| world.entities[TAG][at].id.clone())
        {
            for book in &mut world.entities[BOOK] {
                let ids = book.fields.get("tag_ids").map(Json::elements).unwrap_or_default();
                let renamed = ids.iter().map(|held| if *held == before.id { id.clone() } else { held.clone() });
                let renamed = Json::Arr(renamed.collect());
                book.fields.set("tag_ids", renamed);
            }
        }
        if write.of == BOOK
            && write.kind != WriteKind::Delete
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let sent = write.sent.get("tag_ids").cloned();
            let fields = &mut world.entities[BOOK][at].fields;
            match sent {
                Some(ids) => fields.set("tag_ids", ids),
                None if fields.get("tag_ids").is_none() => fields.set("tag_ids", Json::Arr(Vec::new())),
                None => {}
            }
        }
    }

    fn show(&self, world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of != BOOK {
            return;
        }
        let ids = shown.take("tag_ids").unwrap_or(Json::Arr(Vec::new()));
        let held = ids.elements().iter().filter_map(|id| world.visible(TAG, None, &id.text()));
        let copies = held.map(|at| {
            let tag = &world.entities[TAG][at];
            obj! { "id" => tag.id.clone(), "name" => tag.member("name") }
        });
        shown.set("tags", Json::Arr(copies.collect()));
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == TAG {
            recorder.get(&recorder.main_list(BOOK));
            let books = recorder.world.keys(BOOK);
            for (parent, key) in books.iter().take(3) {
                recorder.item(BOOK, parent.as_deref(), key);
            }
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        // A tag in use is renamed and another deleted.
        let at = match phase {
            Phase::Writes => 1,
            Phase::ProbeCrud => 2,
            _ => return,
        };
        let tags = recorder.world.keys(TAG);
        if let Some((_, key)) = tags.get(at) {
            let draft = recorder.draft(TAG, None);
            recorder.update(TAG, None, key, obj! { "name" => draft.get("name").cloned() });
        }
        if let Some((_, key)) = tags.get(at + 1) {
            recorder.delete(TAG, None, key);
        }
    }
}

/// Index of the type that this behaviour adds.
const TAG: usize = 2;
