//! A missing entity reads as 204; deleting it is 200 `true`, a PATCH 204 that does nothing.

use super::*;

/// A missing entity reads as 204; deleting it is 200 `true`, a PATCH 204 that does nothing.
pub struct AbsenceNoContent;

impl Behaviour for AbsenceNoContent {
    fn name(&self) -> &'static str {
        "absence_no_content"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["absence"]
    }

    fn absent(&self, _world: &mut World, method: &str, _of: usize, _key: &str) -> Option<Response> {
        match method {
            "GET" => Some(Response::empty(204)),
            "DELETE" => Some(Response::json(200, &true.into())),
            "PATCH" => Some(Response::empty(204)),
            _ => None,
        }
    }
}
