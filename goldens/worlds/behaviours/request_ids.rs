//! Every answer in an envelope carries a fresh request id.

use super::*;

/// Every answer in an envelope carries a fresh request id.
pub struct RequestIds;

impl Behaviour for RequestIds {
    fn name(&self) -> &'static str {
        "request_ids"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list", "item"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::OneKey;
            held.item = ItemEnvelope::OneKey;
        }
    }

    fn wrap_list(&self, world: &mut World, _listing: &Listing, answer: &mut Json) {
        answer.set("request_id", world.random.uuid());
    }

    fn wrap_item(&self, world: &mut World, _view: View, answer: &mut Json) {
        answer.set("request_id", world.random.uuid());
    }
}
