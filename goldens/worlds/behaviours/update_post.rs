//! An update is a POST on the item.

use super::*;

/// An update is a POST on the item.
pub struct UpdatePost;

impl Behaviour for UpdatePost {
    fn name(&self) -> &'static str {
        "update_post"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["update_method"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.writes.update_method = "POST";
        }
    }
}
