//! Members that are null are left out of every answer.

use super::*;

/// Members that are null are left out of every answer.
pub struct NullLeftOut;

impl Behaviour for NullLeftOut {
    fn name(&self) -> &'static str {
        "null_left_out"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["nulls"]
    }

    fn trim(&self, _world: &World, _pairs: &[(String, String)], _view: View, shown: &mut Json) {
        if let Json::Obj(members) = shown {
            members.retain(|(_, value)| *value != Json::Null);
        }
    }
}
