//! Reading a HAR document: every tolerance of `decisions.md` 2 and the count of each.
