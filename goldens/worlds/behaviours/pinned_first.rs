//! Pinned books are listed first, the others newest first.

use super::*;

/// Pinned books are listed first, the others newest first.
pub struct PinnedFirst;

impl Behaviour for PinnedFirst {
    fn name(&self) -> &'static str {
        "pinned_first"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["order", "update_method", "forms"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "pinned", kind: FieldKind::Flag, default: false.into() });
        spec.types[BOOK].order = vec![OrderKey::down("pinned"), OrderKey::down("@serial")];
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("pinned", at == 3);
        }
    }

    fn draft(&self, _world: &World, _of: usize, _at: usize, body: &mut Json) {
        body.take("pinned");
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        let changes = acting::of_phase(phase, &[(1, true), (4, true), (1, false)], &[(0, true), (3, true), (0, false)]);
        for (at, pinned) in changes {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "pinned" => *pinned });
            }
        }
    }
}
