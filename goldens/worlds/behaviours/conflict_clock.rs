//! An update sends the clock it read; a stale one is refused with 409.

use super::*;

/// An update sends the clock it read; a stale one is refused with 409.
pub struct ConflictClock;

impl Behaviour for ConflictClock {
    fn name(&self) -> &'static str {
        "conflict_clock"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["clock", "update_method", "conflict_clock", "plain_routes", "routes", "forms", "id_name_moves"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.clocks = created_and_updated(ClockFormat::ZeroMillis);
        }
    }

    fn check(&self, world: &mut World, write: &Write) -> Option<Response> {
        let before = write.before.as_ref().filter(|_| write.of == BOOK && write.kind == WriteKind::Update)?;
        let held = ClockFormat::ZeroMillis.spell(before.updated);
        match write.sent.get("updated_at") {
            None => Some(world.error(422, "updated_at is needed", "")),
            Some(sent) if *sent != held => Some(world.error(409, "somebody else has edited it", "")),
            Some(_) => None,
        }
    }

    fn complete_update(&self, entity: &Entity, body: &mut Json) {
        if entity.of == BOOK && body.get("updated_at").is_none() {
            body.set("updated_at", ClockFormat::ZeroMillis.spell(entity.updated));
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
            let clock = ClockFormat::ZeroMillis.spell(recorder.world.entities[BOOK][at].updated);
            recorder.item(BOOK, parent.as_deref(), key);
            for stale in [false, true] {
                let mut body = obj! { "note" => format!("Seen {}.", recorder.seconds() % 1000) };
                body.set("updated_at", clock.clone());
                let answer = recorder.update(BOOK, parent.as_deref(), key, body);
                if stale && answer.succeeded() {
                    return;
                }
            }
        }
    }
}
