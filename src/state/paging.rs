//! Paging: which part of the matched entities a line asks for.

/// What a paging parameter says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagingRole {
    /// How many entities a page has.
    Size,
    /// The page number; the first page is `first`.
    Page {
        /// 0 or 1.
        first: u64,
    },
    /// How many entities come before the page.
    Offset,
    /// Where the page ends: the number of entities before its end, or before its last entity.
    End {
        /// Whether the entity at that number is on the page.
        inclusive: bool,
    },
}

/// The window a line asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Entities before the window.
    pub offset: u64,
    /// Entities in a full window; `None` is all.
    pub size: Option<u64>,
    /// The size that the line itself asks for.
    pub asked: Option<u64>,
    /// The page number as the line spells it, or the first one.
    pub page: u64,
    /// The number of the first page.
    pub first: u64,
}

impl Window {
    /// The window of a line: its paging values, and the size that holds without one.
    pub fn new(values: impl Iterator<Item = (PagingRole, u64)>, default_size: Option<u64>) -> Option<Self> {
        let mut window = Window { offset: 0, size: default_size, asked: None, page: 1, first: 1 };
        let mut page = None;
        let mut offset = None;
        let mut end = None;
        for (role, value) in values {
            match role {
                PagingRole::Size => {
                    window.size = Some(value);
                    window.asked = Some(value);
                }
                PagingRole::Page { first } => {
                    window.first = first;
                    page = Some(value);
                }
                PagingRole::Offset => offset = Some(value),
                PagingRole::End { inclusive } => end = Some(value.checked_add(u64::from(inclusive))?),
            }
        }
        if let Some(end) = end {
            let size = end.saturating_sub(offset.unwrap_or(0));
            window.size = Some(window.asked.map_or(size, |asked| asked.min(size)));
            window.asked = window.size;
        }
        if let Some(page) = page {
            window.page = page;
            let before = page.checked_sub(window.first)?;
            window.offset = match window.size {
                Some(size) => before.checked_mul(size)?,
                // Without a size everything is on the first page.
                None if before == 0 => 0,
                None => u64::MAX,
            };
        } else if let Some(offset) = offset {
            window.offset = offset;
            if let Some(size) = window.size.filter(|size| *size > 0) {
                window.page = (offset / size).saturating_add(window.first);
            }
        } else {
            window.page = window.first;
        }
        Some(window)
    }

    /// The part of `matched` entities inside the window, as a range.
    pub fn range(&self, matched: usize) -> std::ops::Range<usize> {
        let start = usize::try_from(self.offset).unwrap_or(usize::MAX).min(matched);
        let length = self.size.map_or(usize::MAX, |size| usize::try_from(size).unwrap_or(usize::MAX));
        start..start.saturating_add(length).min(matched)
    }

    /// Whether the window begins after the last entity (and is not the first window).
    pub fn past_end(&self, matched: usize) -> bool {
        self.offset > 0 && usize::try_from(self.offset).unwrap_or(usize::MAX) >= matched
    }

    /// How many windows the matched entities fill, at least one; `None` without a size.
    pub fn pages(&self, matched: usize) -> Option<u64> {
        let size = self.size.filter(|size| *size > 0)?;
        Some((matched as u64).div_ceil(size).max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use PagingRole::{End, Offset, Page, Size};
    use proptest::prelude::*;
    use rstest::rstest;

    #[rstest]
    #[case::everything(&[], None, 0..5)]
    #[case::size(&[(Size, 2)], None, 0..2)]
    #[case::default_size(&[], Some(3), 0..3)]
    #[case::asked_size_wins(&[(Size, 4)], Some(3), 0..4)]
    #[case::second_page(&[(Size, 2), (Page { first: 1 }, 2)], None, 2..4)]
    #[case::page_before_size(&[(Page { first: 1 }, 2), (Size, 2)], None, 2..4)]
    #[case::page_from_zero(&[(Size, 2), (Page { first: 0 }, 2)], None, 4..5)]
    #[case::page_of_default_size(&[(Page { first: 1 }, 2)], Some(3), 3..5)]
    #[case::offset(&[(Offset, 3)], None, 3..5)]
    #[case::offset_and_size(&[(Offset, 1), (Size, 2)], None, 1..3)]
    #[case::size_over_the_end(&[(Size, 50)], None, 0..5)]
    #[case::past_the_end(&[(Offset, 9), (Size, 2)], None, 5..5)]
    #[case::nothing(&[(Size, 0)], None, 0..0)]
    #[case::first_page_without_a_size(&[(Page { first: 1 }, 1)], None, 0..5)]
    #[case::second_page_without_a_size(&[(Page { first: 1 }, 2)], None, 5..5)]
    #[case::start_and_end(&[(Offset, 1), (End { inclusive: false }, 3)], None, 1..3)]
    #[case::start_and_last(&[(Offset, 1), (End { inclusive: true }, 3)], None, 1..4)]
    #[case::end_alone(&[(End { inclusive: false }, 3)], None, 0..3)]
    #[case::largest(&[(Offset, u64::MAX), (Size, u64::MAX)], None, 5..5)]
    fn windows(#[case] values: &[(PagingRole, u64)], #[case] size: Option<u64>, #[case] range: std::ops::Range<usize>) {
        assert_eq!(Window::new(values.iter().copied(), size).unwrap().range(5), range);
    }

    #[rstest]
    #[case::page_zero_of_one(&[(Size, 2), (Page { first: 1 }, 0)])]
    #[case::too_far(&[(Size, u64::MAX), (Page { first: 1 }, 3)])]
    fn no_window(#[case] values: &[(PagingRole, u64)]) {
        assert_eq!(Window::new(values.iter().copied(), None), None);
    }

    #[rstest]
    #[case(0, 0, false)]
    #[case(0, 5, false)]
    #[case(4, 5, false)]
    #[case(5, 5, true)]
    #[case(6, 5, true)]
    #[case(1, 0, true)]
    fn past_the_end(#[case] offset: u64, #[case] matched: usize, #[case] past: bool) {
        let window = Window::new([(Offset, offset), (Size, 2)].into_iter(), None).unwrap();
        assert_eq!(window.past_end(matched), past);
    }

    #[rstest]
    #[case(Some(2), 0, Some(1))]
    #[case(Some(2), 4, Some(2))]
    #[case(Some(2), 5, Some(3))]
    #[case(Some(0), 5, None)]
    #[case(None, 5, None)]
    fn page_counts(#[case] size: Option<u64>, #[case] matched: usize, #[case] pages: Option<u64>) {
        assert_eq!(Window::new(std::iter::empty(), size).unwrap().pages(matched), pages);
    }

    #[rstest]
    #[case(&[], 1, None)]
    #[case(&[(Size, 2)], 1, Some(2))]
    #[case(&[(Size, 2), (Offset, 4)], 3, Some(2))]
    #[case(&[(Offset, 4)], 1, None)]
    #[case(&[(Size, 2), (Page { first: 0 }, 3)], 3, Some(2))]
    #[case(&[(Size, 2), (Page { first: 1 }, 3)], 3, Some(2))]
    fn what_a_window_says(#[case] values: &[(PagingRole, u64)], #[case] page: u64, #[case] asked: Option<u64>) {
        let window = Window::new(values.iter().copied(), None).unwrap();
        assert_eq!((window.page, window.asked), (page, asked));
    }

    proptest! {
        #[test]
        fn pages_hold_everything_once(matched in 0usize..40, size in 1u64..10, first in 0u64..2) {
            let mut held = Vec::new();
            let pages = Window::new([(Size, size)].into_iter(), None).unwrap().pages(matched).unwrap();
            for page in first..first + pages {
                let window = Window::new([(Size, size), (Page { first }, page)].into_iter(), None).unwrap();
                prop_assert!(!window.past_end(matched));
                held.extend(window.range(matched));
            }
            prop_assert_eq!(held, (0..matched).collect::<Vec<_>>());
            let next = Window::new([(Size, size), (Page { first }, first + pages)].into_iter(), None).unwrap();
            prop_assert!(next.past_end(matched) && next.range(matched).is_empty());
        }

        #[test]
        fn ranges_lie_inside(offset in any::<u64>(), size in any::<u64>(), matched in 0usize..100) {
            let range = Window::new([(Offset, offset), (Size, size)].into_iter(), None).unwrap().range(matched);
            prop_assert!(range.start <= range.end && range.end <= matched);
        }
    }
}
