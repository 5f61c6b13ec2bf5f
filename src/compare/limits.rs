//! Limits of a comparison, with their units.

/// Differences: the most that one step lists.
pub const MAX_DIFFERENCES_PER_STEP: usize = 20;
/// Bytes: the longest compact JSON that a difference shows whole; a longer value is cut and marked.
pub const MAX_SHOWN_VALUE_BYTES: usize = 160;
/// Array pairs: the most item comparisons one step spends on finding whether it differs only in item order.
pub const MAX_ORDER_TRIALS: usize = 400_000;
/// Levels: how deep learning and comparing follow nested containers. Captured JSON is never deeper (`json` reads at most
/// 1000 levels); this keeps the walk far from the end of a thread's stack.
pub const MAX_WALK_DEPTH: usize = 256;
/// Characters: the shortest text that may be an identifier inside another text or outside an identifier field, where it
/// is not made of digits alone.
pub const MIN_EMBEDDED_ID_CHARS: usize = 6;
/// Characters: the shortest generated token or text sequence that is compared by its format.
pub const MIN_TOKEN_CHARS: usize = 8;
