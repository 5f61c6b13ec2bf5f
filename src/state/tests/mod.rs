//! Tests of the state stage as a whole: hand-made captures in, answers out; and what must hold for every scenario.

mod absent_named;
mod absent_parents;
mod alike_writes;
mod conflicts;
mod document_writes;
mod effects;
mod emptied;
mod entities;
mod envelopes;
mod follows;
mod fresh_partitions;
mod habits;
mod held_orders;
mod id_names;
mod joint_writes;
mod lags;
mod late_orders;
mod laws;
mod left_out;
mod left_out_items;
mod listed;
mod loading;
mod made_texts;
mod matches;
mod moved_parents;
mod moving;
mod named_companions;
mod named_ones;
mod namings;
mod partial_answers;
mod parts_of_answers;
mod preconditions;
mod recording;
mod reference_orders;
mod references;
mod representations;
mod responses;
mod scenarios;
mod sentences;
mod sequences_across;
mod sequences_taken;
mod several_kinds;
mod shifts;
mod shown_elsewhere;
mod told_by_others;
mod tree_edges;
mod trees;
mod tuples;
mod turns;
mod views;
mod wrapped_items;
mod write_laws;
mod write_members;
mod write_reasons;
mod write_rules;
mod write_targets;
mod writes;
mod writes_by_read;
mod written_references;

/// One observed call that was refused.
pub(super) fn refused_call(call: &'static str, status: u16, body: &'static str) -> super::observe::Seen {
    recording::made(&[(call, status, body)]).observed.seen.remove(0)
}
