//! Identifiers that differ because the application was seeded again: learned from pairs of answers, used to translate
//! later requests and to excuse identifiers in later answers.
//!
//! The rules, and where each lives:
//!
//! | rule | file |
//! |---|---|
//! | which members hold identifiers, which parameters page | `fields` |
//! | which objects of two answers are one entity | `pairing` |
//! | what is learned from them, and into which part of the table | `learn` |
//! | which collection a path names | `collection` |
//! | which pair is kept when two contradict | `table` |
//! | where a request holds a live identifier | `translate` |
//!
//! What may be learned *from*, an answer the environment gave that very call, is decided by `run`.

mod collection;
mod fields;
mod learn;
mod pairing;
mod scalar;
mod table;
mod translate;

pub(crate) use collection::{Place, place};
pub(crate) use fields::{is_id_list_field, is_identifier_field, is_own_id_field};
pub(crate) use learn::{Lesson, Own, learn, own_entities};
pub(crate) use scalar::{Id, is_distinctive};
pub(crate) use table::IdTable;
#[cfg(test)]
pub(crate) use table::{Pair, Standing};
pub(crate) use translate::{Translated, translate};
