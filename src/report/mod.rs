//! A comparison for programs (`json`), for a terminal (`text`) and as a page (`html`). The three print one
//! [`crate::compare::Comparison`]; none computes anything that another could contradict.

mod facts;
mod html;
mod json;
mod limits;
mod style;
mod text;

pub use html::to_html;
pub use json::to_json;
pub use limits::*;
pub use text::to_text;

#[cfg(test)]
mod tests;
