//! Tests of the state stage as a whole: hand-made captures in, answers out; and what must hold for every scenario.

mod document_writes;
mod effects;
mod entities;
mod envelopes;
mod id_names;
mod late_orders;
mod laws;
mod loading;
mod made_texts;
mod preconditions;
mod recording;
mod references;
mod representations;
mod responses;
mod scenarios;
mod sentences;
mod trees;
mod tuples;
mod views;
mod write_members;
mod write_reasons;
mod write_rules;
mod write_targets;
mod writes;
mod written_references;
