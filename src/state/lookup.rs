//! Demands that other entities decide: the one that an entity names, or those that name it. Data only; how a demand is
//! tested is in `term.rs`.

use super::effect_relation::Relation;
use super::path::MemberPath;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A demand that other entities decide.
#[derive(Clone, Debug, PartialEq)]
pub enum Lookup {
    /// A reference into another type: the demand is on the entity named.
    Named {
        /// Where the entity holds identities.
        via: MemberPath,
        /// The type they name.
        entity_type: usize,
    },
    /// The reverse: whether any entity of a type names it.
    Naming(Naming),
}

/// Entities of a type by which others are named.
#[derive(Clone, Debug, PartialEq)]
pub struct Naming {
    /// Their type.
    pub entity_type: usize,
    /// How they name another.
    pub by: Relation,
    /// Where what is named holds its identity.
    pub identity: MemberPath,
    /// The identities that they name, once they were looked up.
    pub named: Option<Arc<BTreeSet<String>>>,
}
