//! Every write gives the book a new UUID beside its id.

use super::*;

/// Every write gives the book a new UUID beside its id.
pub struct VersionRenewed;

impl Behaviour for VersionRenewed {
    fn name(&self) -> &'static str {
        "version_renewed"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["version_id"]
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let renewed = world.random.uuid();
            world.entities[BOOK][at].fields.set("version_id", renewed);
        }
    }
}
