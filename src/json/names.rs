//! Member names recur thousands of times in a document: this small cache makes them one allocation each.

use super::Text;
use std::sync::Arc;

/// Slots of the cache; a name that maps to a taken slot replaces its holder, so the cache never grows.
const SLOTS: usize = 1024;
/// Bytes: longer names are not worth caching.
const LONGEST: usize = 64;

/// Recently seen member names.
pub(super) struct NameCache {
    slots: Vec<Option<Arc<str>>>,
}

impl NameCache {
    pub(super) fn new() -> Self {
        Self { slots: vec![None; SLOTS] }
    }

    /// The name as a text that shares its bytes with earlier texts of the same name where it can.
    pub(super) fn text(&mut self, name: &str) -> Text {
        if name.len() > LONGEST {
            return Text::from(name);
        }
        let Some(slot) = self.slots.get_mut(slot_of(name.as_bytes())) else { return Text::from(name) };
        match slot {
            Some(held) if **held == *name => Text::Shared(Arc::clone(held)),
            _ => {
                let held: Arc<str> = Arc::from(name);
                *slot = Some(Arc::clone(&held));
                Text::Shared(held)
            }
        }
    }
}

/// The slot of a name: its length, its first and its last eight bytes, multiplied apart.
fn slot_of(name: &[u8]) -> usize {
    let word = |bytes: &[u8]| bytes.iter().fold(0u64, |word, &byte| word << 8 | u64::from(byte));
    let length = name.len();
    let head = word(&name[..length.min(8)]);
    let tail = word(&name[length.saturating_sub(8)..]);
    let mixed = (head ^ tail.rotate_left(29) ^ length as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_name_is_one_allocation() {
        let mut names = NameCache::new();
        let (Text::Shared(a), Text::Shared(b)) = (names.text("startedDateTime"), names.text("startedDateTime")) else {
            panic!("short names are shared");
        };
        assert!(Arc::ptr_eq(&a, &b));
    }

    #[test]
    fn names_that_share_a_slot_keep_their_own_text() {
        let mut names = NameCache::new();
        for index in 0..5000 {
            let name = format!("name{index}");
            assert_eq!(names.text(&name), *name);
        }
        let long = "n".repeat(65);
        assert_eq!(names.text(&long), *long);
        assert_eq!(names.text(""), "");
    }
}
