//! Work that is the same on one thread and on many: each item by itself, the results in the order of the items.
//!
//! This file knows nothing of what the items are.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, available_parallelism, scope};

/// More threads than this gain nothing.
const MAX_THREADS: usize = 8;
/// Bytes: as much as a program's first thread has.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// How many threads may work at once here.
pub fn threads() -> usize {
    available_parallelism().map_or(1, |count| count.get().min(MAX_THREADS))
}

/// What `make` makes of each item. Where no further thread can be had, fewer do the work.
pub fn each_in_order<T: Sync, R: Send>(items: &[T], threads: usize, make: impl Fn(&T) -> R + Sync) -> Vec<R> {
    let helpers = threads.min(items.len()).saturating_sub(1);
    if helpers == 0 {
        return items.iter().map(make).collect();
    }
    let next = AtomicUsize::new(0);
    let made: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let work = || {
        let mut own = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { break };
            own.push((at, make(item)));
        }
        made.lock().unwrap_or_else(PoisonError::into_inner).extend(own);
    };
    scope(|scope| {
        for _ in 0..helpers {
            if Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work).is_err() {
                break;
            }
        }
        work();
    });
    let mut made = made.into_inner().unwrap_or_else(PoisonError::into_inner);
    made.sort_by_key(|(at, _)| *at);
    made.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
mod tests {
    use super::each_in_order;
    use rstest::rstest;

    #[rstest]
    fn results_are_in_the_order_of_the_items(#[values(0, 1, 2, 5)] threads: usize, #[values(0, 1, 3, 100)] count: u64) {
        let items: Vec<u64> = (0..count).collect();
        let slow = |item: &u64| {
            std::thread::sleep(std::time::Duration::from_micros((count - item) * 3));
            item * 2
        };
        assert_eq!(each_in_order(&items, threads, slow), items.iter().map(|item| item * 2).collect::<Vec<_>>());
    }
}
