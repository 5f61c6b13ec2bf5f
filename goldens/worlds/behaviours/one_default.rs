//! One book is the default: making another one so takes it from the one that was.

use super::*;

/// One book is the default: making another one so takes it from the one that was.
pub struct OneDefault;

impl Behaviour for OneDefault {
    fn name(&self) -> &'static str {
        "one_default"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["default", "update_method", "forms", "routes", "plain_paths"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "is_default", kind: FieldKind::Flag, default: false.into() });
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("is_default", at == 2);
        }
    }

    fn draft(&self, _world: &World, _of: usize, at: usize, body: &mut Json) {
        body.take("is_default");
        if at == 62 || at == 102 {
            body.set("is_default", true);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK && write.sent.get("is_default") == Some(&Json::Bool(true)) {
            for book in world.entities[BOOK].iter_mut().filter(|book| book.key != write.key) {
                book.fields.set("is_default", false);
            }
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        for at in acting::of_phase(phase, &[1, 3, 0], &[4, 2]) {
            for book in acting::books(recorder, &[*at]) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "is_default" => true });
            }
        }
    }
}
