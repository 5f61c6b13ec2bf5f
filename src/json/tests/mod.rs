//! Known answers and laws of the whole room; what concerns one file is tested at its bottom.

mod canonical;
