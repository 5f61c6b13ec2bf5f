//! A create's answer shows a secret and a link set that reads never show; an update's answer leaves members out.

use super::*;

/// A create's answer shows a secret and a link set that reads never show; an update's answer leaves members out.
pub struct SecretOnce;

impl Behaviour for SecretOnce {
    fn name(&self) -> &'static str {
        "secret_once"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn show(&self, world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if entity.of != BOOK {
            return;
        }
        match view {
            View::Created => {
                shown.set("permissions", Json::Arr(vec!["read".into(), "write".into()]));
                shown.set("home", world.spec.base);
            }
            View::Updated => {
                shown.take("note");
            }
            _ => {}
        }
    }
}
