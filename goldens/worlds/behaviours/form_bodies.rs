//! Bodies are forms; an array is a repeated name.

use super::*;

/// Bodies are forms; an array is a repeated name.
pub struct FormBodies;

impl Behaviour for FormBodies {
    fn name(&self) -> &'static str {
        "form_bodies"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["forms"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(field("tags", FieldKind::Texts));
        for held in &mut spec.types {
            held.writes.forms = true;
        }
    }
}
