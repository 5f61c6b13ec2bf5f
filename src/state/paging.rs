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
            }
        }
        if let Some(page) = page {
            window.page = page;
            window.offset = page.checked_sub(window.first)?.checked_mul(window.size?)?;
        } else if let Some(offset) = offset {
            window.offset = offset;
            if let Some(size) = window.size.filter(|size| *size > 0) {
                window.page = offset / size + window.first;
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
