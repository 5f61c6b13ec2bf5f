//! A member is sent under one name and read under another.

use super::*;

/// A member is sent under one name and read under another.
pub struct SentRenamed;

impl Behaviour for SentRenamed {
    fn name(&self) -> &'static str {
        "sent_renamed"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["renamed", "forms"]
    }

    fn draft(&self, _world: &World, of: usize, _at: usize, body: &mut Json) {
        if of == BOOK
            && let Some(author) = body.take("author")
        {
            body.set("written_by", author);
        }
    }

    fn prepare(&self, _world: &mut World, write: &mut Write) {
        if let Some(author) = write.sent.take("written_by") {
            write.sent.set("author", author);
        }
    }
}
