//! Reads that overlap a write: one saw the world before it, one after it.

use super::*;

/// Reads that overlap a write: one saw the world before it, one after it.
pub struct SlowOverlap;

impl Behaviour for SlowOverlap {
    fn name(&self) -> &'static str {
        "slow_overlap"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["plain_paths"]
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if phase != Phase::Writes {
            return;
        }
        let keys = recorder.world.keys(BOOK);
        for (at, (parent, key)) in keys.iter().take(2).enumerate() {
            recorder.wait(1_500);
            let read = Request::get(&recorder.main_list(BOOK));
            let body = recorder.draft(BOOK, parent.as_deref());
            let mut named = Json::Obj(Vec::new());
            for (name, value) in body.members() {
                if name != recorder.world.spec.types[BOOK].id_member {
                    named.set(name, value.clone());
                }
            }
            let write = recorder.update_request(BOOK, parent.as_deref(), key, named);
            recorder.send_around(read, write, at == 0);
            recorder.look(BOOK, parent.as_deref(), key);
        }
    }
}
