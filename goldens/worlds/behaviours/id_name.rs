//! The name is the address; renaming moves the entity.

use super::*;

/// The name is the address; renaming moves the entity.
pub struct IdName;

impl Behaviour for IdName {
    fn name(&self) -> &'static str {
        "id_name"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["id"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.id = IdKind::Name;
            held.id_member = "name";
        }
    }
}
