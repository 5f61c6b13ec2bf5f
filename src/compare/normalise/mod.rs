//! What two answers may differ in without the environment being wrong: clocks by their format, generated texts where the
//! served write says so, identifiers inside longer texts. Everything else is compared literally.

mod clock;
mod embedded;
mod generated;

pub(crate) use clock::{ClockFormat, EpochFormat, is_clock_field};
pub(crate) use embedded::{Embedding, same_with_ids};
pub(crate) use generated::{Admission, Generated, GeneratedKind, PathStep};
