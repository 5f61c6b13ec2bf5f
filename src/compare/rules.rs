//! What the comparison may ask the served state. Replay knows none of it, so every question has a default answer that
//! forgives nothing.

use crate::json::{Object, Value};

/// A member whose live and environment values differ, with the live object it is a member of.
#[derive(Clone, Copy, Debug)]
pub struct DerivedMember<'a> {
    /// Index of the tool in the manifest.
    pub tool: usize,
    /// Pointer of the member in the answer's body.
    pub pointer: &'a str,
    /// The member's name.
    pub name: &'a str,
    /// The live object that holds the member.
    pub live: &'a Object,
    /// The environment's object that holds the member.
    pub environment: &'a Object,
}

/// Facts of the state that an environment serves from.
pub trait ServedRules: Sync {
    /// Whether the state holds an entity with this identity, now or since the reset.
    fn is_held_id(&self, text: &str) -> bool {
        let _ = text;
        false
    }

    /// Whether the state proved that members of this name hold identifiers that the application makes.
    fn names_made_id(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// What stands between identities in members of this name, where the state proved that they join those of others.
    fn joins_ids(&self, name: &str) -> Option<&str> {
        let _ = name;
        None
    }

    /// Whether the state proved that members of this name list the identities of other entities.
    fn lists_ids(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// The value that a proven rule of the state computes for a member from the *live* object's other members; `None`
    /// when there is no such rule, or when the environment's value is not that rule's result on its own members.
    fn derived_value(&self, member: DerivedMember<'_>) -> Option<Value> {
        let _ = member;
        None
    }
}

/// The rules of an environment without a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoRules;

impl ServedRules for NoRules {}

/// The facts of an engine that serves from a derived state; of one that replays, nothing.
#[derive(Clone, Copy, Debug)]
pub struct StateRules<'a>(pub &'a crate::answer::Engine);

impl ServedRules for StateRules<'_> {
    fn is_held_id(&self, text: &str) -> bool {
        self.0.derived.as_ref().is_some_and(|derived| derived.holds_id(text))
    }

    fn names_made_id(&self, name: &str) -> bool {
        self.0.derived.as_ref().is_some_and(|derived| derived.names_made_id(name))
    }

    fn joins_ids(&self, name: &str) -> Option<&str> {
        self.0.derived.as_ref()?.joins_ids(name)
    }

    fn lists_ids(&self, name: &str) -> bool {
        self.0.derived.as_ref().is_some_and(|derived| derived.lists_ids(name))
    }

    fn derived_value(&self, member: DerivedMember<'_>) -> Option<Value> {
        let derived = self.0.derived.as_ref()?;
        let kind = derived.type_of_tool(member.tool)?;
        let (live, environment) = (Value::Object(member.live.clone()), Value::Object(member.environment.clone()));
        derived.made_value(kind, member.name, &live, &environment)
    }
}
