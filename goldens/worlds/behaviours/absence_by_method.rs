//! A missing entity is 404 for reads, 403 for updates and 400 for deletes.

use super::*;

/// A missing entity is 404 for reads, 403 for updates and 400 for deletes.
pub struct AbsenceByMethod;

impl Behaviour for AbsenceByMethod {
    fn name(&self) -> &'static str {
        "absence_by_method"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["absence"]
    }

    fn absent(&self, world: &mut World, method: &str, _of: usize, key: &str) -> Option<Response> {
        match method {
            "GET" => None,
            "DELETE" => Some(world.error(400, "cannot delete", key)),
            _ => Some(world.error(403, "no access", key)),
        }
    }
}
