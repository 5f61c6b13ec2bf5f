//! What one inspection may take: time, result bytes, and whether somebody has asked it to stop. Checked between steps and
//! every few thousand notes inside them.

use super::{CaptureError, limits::MAX_RESULT_BYTES};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Notes between two looks at the clock.
const NOTES_PER_LOOK: u32 = 4096;

/// The rest of what an inspection may take.
#[derive(Debug)]
pub(super) struct Budget {
    started: Instant,
    timeout_ms: u64,
    cancel: Option<Arc<AtomicBool>>,
    /// Bytes of the largest result.
    pub(super) max_result_bytes: u64,
    noted_bytes: u64,
    notes: u32,
}

impl Budget {
    /// A budget that starts now.
    pub(super) fn start(timeout_ms: u64, cancel: Option<Arc<AtomicBool>>) -> Self {
        Self {
            started: Instant::now(),
            timeout_ms,
            cancel,
            max_result_bytes: MAX_RESULT_BYTES,
            noted_bytes: 0,
            notes: 0,
        }
    }

    /// Whether the inspection may go on.
    ///
    /// # Errors
    /// Cancelled, or out of time.
    pub(super) fn check(&self) -> Result<(), CaptureError> {
        if self.cancel.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
            return Err(CaptureError::Cancelled);
        }
        if self.started.elapsed() > Duration::from_millis(self.timeout_ms) {
            return Err(CaptureError::TimedOut { timeout_ms: self.timeout_ms });
        }
        Ok(())
    }

    /// Charges the printed bytes of one note (a number, a body, a limitation) that the result has beside the capture.
    ///
    /// # Errors
    /// As [`Budget::check`], and when the notes alone are over the result limit.
    pub(super) fn charge(&mut self, bytes: usize) -> Result<(), CaptureError> {
        self.noted_bytes += bytes as u64;
        if self.noted_bytes > self.max_result_bytes {
            return Err(CaptureError::ResultTooLarge { limit: self.max_result_bytes });
        }
        self.notes += 1;
        if self.notes >= NOTES_PER_LOOK {
            self.notes = 0;
            self.check()?;
        }
        Ok(())
    }

    /// Bytes charged so far.
    pub(super) fn charged(&self) -> u64 {
        self.noted_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_raised_flag_cancels() {
        let flag = Arc::new(AtomicBool::new(false));
        let budget = Budget::start(60_000, Some(Arc::clone(&flag)));
        assert!(budget.check().is_ok());
        flag.store(true, Ordering::Relaxed);
        assert!(matches!(budget.check(), Err(CaptureError::Cancelled)));
    }

    #[test]
    fn notes_are_bounded_by_the_result_limit() {
        let mut budget = Budget::start(60_000, None);
        assert!(budget.charge(usize::try_from(MAX_RESULT_BYTES).unwrap()).is_ok());
        assert!(matches!(budget.charge(1), Err(CaptureError::ResultTooLarge { .. })));
    }
}
