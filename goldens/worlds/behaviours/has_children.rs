//! Shelves that have books, or none.

use super::*;

/// Shelves that have books, or none.
pub struct HasChildren;

impl Behaviour for HasChildren {
    fn name(&self) -> &'static str {
        "has_children"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["shelf_filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        let Some(wanted) = listing.parameter("has_books").map(str::to_string) else { return };
        if listing.of == SHELF {
            let counts: Vec<(String, usize)> =
                world.entities[SHELF].iter().map(|shelf| (shelf.key.clone(), world.count_books(&shelf.key))).collect();
            listing.retain(world, |shelf| {
                let held = counts.iter().any(|(key, count)| *key == shelf.key && *count > 0);
                held == (wanted == "true")
            });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let asked: &[&str] = match phase {
            Phase::Reads | Phase::ProbeReads => &["true", "false"],
            Phase::Writes | Phase::ProbeCrud => &["true"],
        };
        let ask = |recorder: &mut Recorder| {
            let path = recorder.main_list(SHELF);
            for value in asked {
                recorder.query(&path, &[("has_books", value)]);
            }
        };
        ask(recorder);
        if phase == Phase::Writes {
            asking::between_writes(recorder, ask);
        }
    }
}
