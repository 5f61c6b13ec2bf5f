//! A reference is sent as an id, as an object with the id, or as one with the name; reads show the id.

use super::*;

/// A reference is sent as an id, as an object with the id, or as one with the name; reads show the id.
pub struct ReferenceForms;

impl Behaviour for ReferenceForms {
    fn name(&self) -> &'static str {
        "reference_forms"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["parent_sent", "forms", "routes", "parent_member", "names_unique"]
    }

    fn draft(&self, world: &World, of: usize, at: usize, body: &mut Json) {
        if of != BOOK || world.entities[BOOK].len() < world.spec.types[BOOK].seeded {
            return;
        }
        let member = world.spec.types[BOOK].parent_member;
        let Some(id) = body.get(member).cloned() else { return };
        let Some(shelf) = world.find(SHELF, None, &id.text()) else { return };
        match at % 3 {
            0 => {}
            1 => body.set(member, obj! { "id" => id }),
            _ => body.set(member, obj! { "name" => world.entities[SHELF][shelf].member("name") }),
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        // Each form again, with another shelf.
        for _ in (0..6).filter(|_| phase == Phase::Writes) {
            let shelves = recorder.world.keys(SHELF);
            let shelf = shelves.get(recorder.made.len() % shelves.len().max(1)).map(|(_, key)| key.clone());
            let body = recorder.draft(BOOK, shelf.as_deref());
            recorder.create(BOOK, shelf.as_deref(), body);
        }
    }

    fn prepare(&self, world: &mut World, write: &mut Write) {
        let member = world.spec.types[BOOK].parent_member;
        let id = match write.sent.get(member).filter(|_| write.of == BOOK) {
            Some(sent @ Json::Obj(_)) => match (sent.get("id"), sent.get("name")) {
                (Some(id), _) => id.clone(),
                (None, Some(name)) => {
                    let shelf = world.entities[SHELF].iter().find(|shelf| shelf.member("name") == *name);
                    shelf.map_or("nothing".into(), |shelf| shelf.id.clone())
                }
                _ => return,
            },
            _ => return,
        };
        write.sent.set(member, id);
    }
}
