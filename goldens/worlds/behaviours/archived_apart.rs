//! Archived books are left out of the list, which shows them alone when it is asked to.

use super::*;

/// Archived books are left out of the list, which shows them alone when it is asked to.
pub struct ArchivedApart;

impl Behaviour for ArchivedApart {
    fn name(&self) -> &'static str {
        "archived_apart"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["action", "update_method", "filter", "archived", "forms", "plain_routes"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(Field { name: "archived", kind: FieldKind::Flag, default: false.into() });
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            book.fields.set("archived", at % 5 == 3);
        }
    }

    fn draft(&self, _world: &World, _of: usize, _at: usize, body: &mut Json) {
        body.take("archived");
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        let wanted = listing.parameter("archived") == Some("true");
        if listing.of == BOOK {
            listing.retain(world, |book| (book.member("archived") == Json::Bool(true)) == wanted);
        }
    }

    fn look(&self, recorder: &mut Recorder, of: usize, _key: &str) {
        if of == BOOK {
            let path = recorder.main_list(BOOK);
            recorder.query(&path, &[("archived", "true")]);
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if matches!(phase, Phase::Reads | Phase::ProbeReads) {
            let path = recorder.main_list(BOOK);
            recorder.query(&path, &[("archived", "true")]);
            recorder.query(&path, &[("archived", "false")]);
        }
        let changes = acting::of_phase(phase, &[(1, true), (2, true), (1, false)], &[(4, true), (0, true), (4, false)]);
        let books = acting::books(recorder, &[0, 1, 2, 3, 4]);
        for (at, archived) in changes {
            if let Some(book) = books.get(*at) {
                recorder.update(BOOK, book.parent.as_deref(), &book.key, obj! { "archived" => *archived });
            }
        }
    }
}
