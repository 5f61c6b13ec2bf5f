//! The caller names a book; PUT makes it (201) or changes it (204).

use super::*;

/// The caller names a book; PUT makes it (201) or changes it (204).
pub struct Upsert;

impl Behaviour for Upsert {
    fn name(&self) -> &'static str {
        "upsert"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id", "update_method", "plain_routes", "keyed_put", "forms", "item"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].id = IdKind::Name;
        spec.types[BOOK].id_member = "name";
        spec.types[BOOK].writes.update_method = "PUT";
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        if request.method != "PUT" {
            return None;
        }
        let Route::Item(BOOK, parent, key) = world.route(&request.path) else { return None };
        let mut sent = request.json()?.clone();
        sent.set("name", key.as_str());
        Some(match world.visible(BOOK, parent.as_deref(), &key) {
            Some(index) => match world.update(BOOK, index, sent) {
                Ok(()) => Response::empty(204),
                Err(refusal) => refusal,
            },
            None => match world.create(BOOK, parent, sent) {
                Ok(_) => Response::empty(201),
                Err(refusal) => refusal,
            },
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if !matches!(phase, Phase::Writes | Phase::ProbeCrud) {
            return;
        }
        let shelves = recorder.world.keys(SHELF);
        for (_, shelf) in shelves.into_iter().take(2) {
            for round in 0..2 {
                let mut body = recorder.draft(BOOK, Some(&shelf));
                let key = format!("upserted-{}-{shelf}", if phase == Phase::Writes { "one" } else { "two" });
                body.take("name");
                let path = recorder.world.item_path(BOOK, Some(&shelf), &key);
                recorder.wait(1_500 * round);
                recorder.send(Request::new("PUT", &path).with_json(body));
                recorder.look(BOOK, Some(&shelf), &key);
            }
        }
    }
}
