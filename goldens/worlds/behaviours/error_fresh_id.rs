//! Every error carries a fresh id.

use super::*;

/// Every error carries a fresh id.
pub struct ErrorFreshId;

impl Behaviour for ErrorFreshId {
    fn name(&self) -> &'static str {
        "error_fresh_id"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["errors"]
    }

    fn wrap_error(&self, world: &mut World, status: u16, answer: &mut Json) {
        answer.set("id", world.random.uuid());
        answer.set("status_code", i64::from(status));
    }
}
