//! Every edit counts a version up.

use super::*;

/// Every edit counts a version up.
pub struct VersionNumber;

impl Behaviour for VersionNumber {
    fn name(&self) -> &'static str {
        "version_number"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["version"]
    }

    fn seed(&self, world: &mut World) {
        for book in &mut world.entities[BOOK] {
            book.fields.set("version", 1_i64);
        }
    }

    fn after(&self, world: &mut World, write: &Write) {
        if write.of == BOOK
            && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
        {
            let fields = &mut world.entities[BOOK][at].fields;
            let held = fields.get("version").and_then(Json::number).unwrap_or(0.0) as i64;
            fields.set("version", held + 1);
        }
    }
}
