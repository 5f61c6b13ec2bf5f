//! A list two levels down, its count beside it.

use super::*;

/// A list two levels down, its count beside it.
pub struct ListTwoLevels;

impl Behaviour for ListTwoLevels {
    fn name(&self) -> &'static str {
        "list_two_levels"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["list"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        for held in &mut spec.types {
            held.list = ListEnvelope::TwoLevels;
        }
    }
}
