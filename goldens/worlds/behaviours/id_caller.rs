//! The caller chooses the id of a book and sends it with the create.

use super::*;

/// The caller chooses the id of a book and sends it with the create.
pub struct IdCaller;

impl Behaviour for IdCaller {
    fn name(&self) -> &'static str {
        "id_caller"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].id = IdKind::Caller;
        spec.types[BOOK].id_member = "code";
    }
}
