//! The comparison from end to end: a hand-made application recorded twice, once as the capture and once as the probe, and
//! the expected agreement, difference by difference. The tests read like the rules they check.

mod bodies;
mod fixture;
mod ids;
mod normalised;
mod probes;
mod served;
