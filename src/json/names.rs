//! Member names and short texts recur thousands of times in a document: this small cache makes each one allocation.

use super::Text;
use std::sync::Arc;

/// Slots of the cache; a text that maps to a taken slot replaces its holder, so the cache never grows.
const SLOTS: usize = 2048;
/// Bytes: longer texts are not worth caching.
const LONGEST: usize = 64;

/// Recently seen member names and short texts.
pub(super) struct TextCache {
    slots: Vec<Slot>,
}

#[derive(Clone, Default)]
struct Slot {
    /// The mixed bytes of the last text that came by and was not taken in.
    seen: u64,
    held: Option<Arc<str>>,
}

impl TextCache {
    pub(super) fn new() -> Self {
        Self { slots: vec![Slot::default(); SLOTS] }
    }

    /// A member name, sharing its bytes with earlier texts that are the same.
    pub(super) fn name(&mut self, name: &str) -> Text {
        self.text(name, true)
    }

    /// A value. Most differ, so a text is taken in when it comes by the second time.
    pub(super) fn value(&mut self, value: &str) -> Text {
        self.text(value, false)
    }

    fn text(&mut self, text: &str, at_once: bool) -> Text {
        if text.len() > LONGEST {
            return Text::from(text);
        }
        let mixed = mix(text.as_bytes());
        let Some(slot) = self.slots.get_mut((mixed >> 53) as usize) else { return Text::from(text) };
        match &slot.held {
            Some(held) if **held == *text => return Text::Shared(Arc::clone(held)),
            _ => {}
        }
        if at_once || slot.seen == mixed {
            let held: Arc<str> = Arc::from(text);
            slot.held = Some(Arc::clone(&held));
            return Text::Shared(held);
        }
        slot.seen = mixed;
        Text::from(text)
    }
}

/// The length, the first and the last eight bytes of a text, multiplied apart; the top eleven bits choose the slot.
fn mix(text: &[u8]) -> u64 {
    let (head, tail) = match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
        (Some(head), Some(tail)) => (u64::from_le_bytes(*head), u64::from_le_bytes(*tail)),
        _ => (text.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
    };
    let folded = head.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ tail.rotate_left(29) ^ text.len() as u64;
    folded.wrapping_mul(0xff51_afd7_ed55_8ccd)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_text_is_one_allocation() {
        let mut cache = TextCache::new();
        let (Text::Shared(a), Text::Shared(b)) = (cache.name("startedDateTime"), cache.name("startedDateTime")) else {
            panic!("short names are shared");
        };
        assert!(Arc::ptr_eq(&a, &b));
        assert!(matches!(cache.value("gzip"), Text::Utf8(_)), "a value seen once is its own");
        let (Text::Shared(a), Text::Shared(b)) = (cache.value("gzip"), cache.value("gzip")) else {
            panic!("values seen again are shared");
        };
        assert!(Arc::ptr_eq(&a, &b));
    }

    #[test]
    fn texts_that_share_a_slot_keep_their_own_characters() {
        let mut cache = TextCache::new();
        for index in 0..9000 {
            let text = format!("text{}", index % 6000);
            assert_eq!(cache.name(&text), *text);
            assert_eq!(cache.value(&text), *text);
        }
        let long = "n".repeat(65);
        assert_eq!(cache.name(&long), *long);
        assert_eq!(cache.name(""), "");
    }
}
