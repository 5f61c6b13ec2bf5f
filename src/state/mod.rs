//! The state a capture observed: what its reads show as types, entities and documents, and how each read is rendered
//! from them. Propose, replay, keep: a view is served only where it reproduces every recording it covers.
//!
//! The way through the folder is the way of the derivation: [`observe`](self) the answers, find [`identity`](self),
//! gather [`representation`](self)s, propose [`scope`](self), [`query`](self) and envelope rules, and keep what replays.
//!
//! This module knows nothing of HTTP, MCP or transports.

mod absence;
mod completeness;
mod derive;
mod derived;
mod document;
mod entity;
mod envelope;
mod evaluate;
mod identity;
mod infer;
mod infer_filter;
mod infer_order;
mod infer_paging;
mod item_view;
mod limits;
mod line;
mod list_check;
mod list_scope;
mod list_view;
mod naming;
mod observe;
mod order;
mod paging;
mod path;
mod populate;
mod projection;
mod query;
mod reading;
mod representation;
mod scope;
mod store;
mod term;
mod text_rule;
mod types;

pub use derive::derive_state;
pub use derived::Derived;
pub use evaluate::{Read, ReadAnswer, StateTarget, evaluate_read};
pub use limits::*;
pub use line::{Line, Param};
pub use observe::{is_query_post, is_read, query_pairs};
pub use scope::Scope;
pub use store::{Collection, Document, Entity, World};
pub use text_rule::{Piece, make_text};
pub use types::{DocumentView, EntityType, ItemView, ListView, Member, MemberRule, Representation, Shape, Slot, View};
