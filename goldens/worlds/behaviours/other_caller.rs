//! The same lines answered to somebody who is not signed in: 401, which says nothing about the entity.

use super::*;

/// The same lines answered to somebody who is not signed in: 401, which says nothing about the entity.
pub struct OtherCaller;

impl Behaviour for OtherCaller {
    fn name(&self) -> &'static str {
        "other_caller"
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        if !matches!(phase, Phase::Reads | Phase::Writes) {
            return;
        }
        let keys = recorder.world.keys(BOOK);
        for (parent, key) in keys.iter().take(2) {
            let request = recorder.item_request(BOOK, parent.as_deref(), key);
            recorder.send_as_stranger(request);
            recorder.item(BOOK, parent.as_deref(), key);
        }
        let list = recorder.main_list(BOOK);
        recorder.send_as_stranger(Request::get(&list));
        recorder.get(&list);
    }
}
