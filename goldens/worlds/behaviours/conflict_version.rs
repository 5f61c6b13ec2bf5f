//! An update sends the version it read; a stale one is refused with 409; every edit counts it up.

use super::*;

/// An update sends the version it read; a stale one is refused with 409; every edit counts it up.
pub struct ConflictVersion;

impl Behaviour for ConflictVersion {
    fn name(&self) -> &'static str {
        "conflict_version"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["version", "update_method", "conflict_clock", "plain_routes", "routes", "forms", "id_name_moves"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && write.kind != WriteKind::Delete
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let fields = &mut world.entities[BOOK][at].fields;
            let held = fields.get("version").and_then(Json::number).unwrap_or(0.0) as i64;
            fields.set("version", held + 1);
        }
    }

    fn complete_update(&self, entity: &Entity, body: &mut Json) {
        if entity.of == BOOK && body.get("version").is_none() {
            body.set("version", entity.member("version"));
        }
    }

    fn check(&self, world: &mut World, write: &Write) -> Option<Response> {
        let before = write.before.as_ref().filter(|_| write.of == BOOK && write.kind == WriteKind::Update)?;
        match write.sent.get("version") {
            Some(sent) if *sent == before.member("version") => None,
            Some(_) => Some(world.error(409, "another version is held", "")),
            None => Some(world.error(400, "version is needed", "")),
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let range = match phase {
            Phase::Writes => [1, 2, 4],
            Phase::ProbeCrud => [2, 3, 5],
            _ => return,
        };
        let books = recorder.world.keys(BOOK);
        for (parent, key) in range.into_iter().filter_map(|at| books.get(at)) {
            let Some(at) = recorder.world.find(BOOK, parent.as_deref(), key) else { continue };
            let version = recorder.world.entities[BOOK][at].member("version");
            recorder.item(BOOK, parent.as_deref(), key);
            for round in 0..2 {
                let body = obj! { "note" => format!("Round {round}."), "version" => version.clone() };
                recorder.update(BOOK, parent.as_deref(), key, body);
            }
        }
    }
}
