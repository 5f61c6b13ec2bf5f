//! The state a capture observed: what its reads show as types, entities and documents, and how each read is rendered
//! from them. Propose, replay, keep: a view is served only where it reproduces every recording it covers.
//!
//! The way through the folder is the way of the derivation: [`observe`](self) the answers, find [`identity`](self),
//! gather [`representation`](self)s, propose [`scope`](self), [`query`](self) and envelope rules, and keep what replays.
//!
//! This module knows nothing of HTTP, MCP or transports.

mod absence;
mod clock_format;
mod completeness;
mod condition;
mod count;
mod coverage;
mod cursor;
mod derive;
mod derived;
mod document;
mod document_apply;
mod document_change;
mod document_meeting;
mod document_write;
mod effect;
mod effect_companion;
mod effect_copy_propose;
mod effect_count;
mod effect_document;
mod effect_gather;
mod effect_gather_propose;
mod effect_initial;
mod effect_known;
mod effect_propose;
mod effect_rivals;
mod entity;
mod envelope;
mod envelope_rules;
mod error;
mod evaluate;
mod family;
mod generate;
mod id_names;
mod identity;
mod identity_key;
mod indexes;
mod infer;
mod infer_filter;
mod infer_order;
mod infer_paging;
mod item_view;
mod key_effect;
mod known_absent;
mod late_order;
mod late_scope;
mod limits;
mod line;
mod link;
mod list_check;
mod list_scope;
mod list_scope_of;
mod list_view;
mod listing;
mod load;
mod load_check;
mod member_fit;
mod member_fit_framed;
mod member_fit_held;
mod member_fit_made;
mod member_fit_named;
mod member_fit_noted;
mod member_fit_sent;
mod member_fit_sorted;
mod member_fit_switch;
mod member_fit_text;
mod member_rule;
mod memo;
mod mode;
mod naming;
mod observe;
mod order;
mod order_search;
mod paging;
mod parallel;
mod part_view;
mod path;
mod per_response;
mod plan_document;
mod populate;
mod precondition;
mod precondition_propose;
mod prepare;
mod projection;
mod proved;
mod query;
mod reading;
mod reading_post;
mod recorded_refusal;
mod reference_fill;
mod refused_read;
mod render_entity;
mod representation;
mod said;
mod scope;
mod sequence_start;
mod shared_member;
mod showing_rule;
mod slot;
mod sorted_array;
mod state_document;
mod state_view;
mod store;
mod term;
mod text_rule;
mod tree;
mod tree_find;
mod tree_fit;
mod tree_plan;
mod tree_replay;
mod tree_rule;
mod tree_write;
mod types;
mod write_accepted;
mod write_answer;
mod write_apply;
mod write_bulk;
mod write_bulk_find;
mod write_clock;
mod write_document;
mod write_doubt;
mod write_history;
mod write_maker;
mod write_place;
mod write_plan;
mod write_propose;
mod write_reason;
mod write_referred;
mod write_refuse;
mod write_replay;
mod write_sample;
mod write_sample_find;
mod write_target;
mod write_truth;

pub use coverage::{Coverage, Effect, Withheld, coverage_of};
pub use derive::derive_state;
pub use derived::Derived;
pub use effect::{EffectRule, Gone, Relation};
pub use effect_companion::{Companion, Home};
pub use effect_document::DocumentCount;
pub use effect_gather::{Gather, Gathered, Items};
pub use error::StateError;
pub use evaluate::{Read, ReadAnswer, StateTarget, evaluate_read, replace_in_text};
pub use limits::*;
pub use line::{Line, Param};
pub use load::{LoadProblem, Loaded, format_pointer, load_state};
pub use memo::Memo;
pub use observe::{form_fields, is_query_post, is_read, names_query, query_pairs};
pub use parallel::{each_in_order, threads};
pub use per_response::MadeAnew;
pub use prepare::prepare_state;
pub use scope::Scope;
pub use state_document::{
    STATE_DOCUMENT_VERSION, check_state_document, compact_length, document_document, documents_document,
    entities_document, entity_document, representation_name, state_document_length, types_document,
    write_state_document,
};
pub use state_view::{coverage_evidence, inspect_environment_view, state_evidence, state_payload};
pub use store::{Collection, Document, Entity, World};
pub use text_rule::{Piece, make_text};
pub use types::{
    DocumentView, EntityType, ItemView, ListView, Member, MemberRule, PartView, Representation, Shape, Slot, View,
};
pub use write_apply::{Write, Written};
pub use write_clock::write_clock;
pub use write_plan::{WritePlan, WriteState};
pub use write_reason::WriteReason;
pub use write_refuse::{WriteRefusal, accepted_words};

#[cfg(test)]
mod tests;
