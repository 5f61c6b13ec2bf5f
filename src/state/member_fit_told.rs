//! What other entities of a type say of a member of which the recorded calls show one value only: whether that may be a
//! constant at all, and whether a rule that the value fits holds for them. One call says little; what the reads showed of
//! entities that no recorded call made is evidence as good.

use super::generate::{SequenceScope, counted};
use super::line::scalar_text;
use super::member_fit::{Case, Fitting, MIN_COPY, distinct, is_filled};
use super::member_rule::{MemberExpr, Taken};
use super::path::MemberPath;
use super::text_rule::Piece;
use crate::json::Value;
use std::collections::BTreeSet;

/// Other entities that have to show different values before they say anything.
const MIN_TOLD: usize = 2;
/// Texts, all of them different, before each entity is taken to have one of its own.
const MIN_APART: usize = 3;

impl Fitting<'_> {
    /// Whether rules that read other members come before one that takes the only value which the calls show for fixed:
    /// others of the type hold several values, none of them that one.
    pub(super) fn is_no_constant(&self, cases: &[Case<'_>]) -> bool {
        let Some(value) = cases.first().and_then(|case| case.value) else { return false };
        let tells = match value.as_str() {
            Some(text) => text.len() >= MIN_COPY,
            None => is_filled(value) || counted(value).is_some_and(|(number, _)| number > 1),
        };
        tells && !self.answers && distinct(cases) == 1 && self.others_vary() && {
            let mut held = self.others.iter().filter_map(|other| other.value);
            held.all(|held| !held.same_as(value))
        }
    }

    /// Whether others of the type hold more than one value.
    pub(super) fn others_vary(&self) -> bool {
        let held: BTreeSet<String> =
            self.others.iter().filter_map(|other| other.value).map(Value::to_compact).collect();
        held.len() >= MIN_TOLD
    }

    /// Whether every other entity that shows the member has in it what a rule gives, which are several values; one that
    /// the rule finds nothing for says nothing.
    pub(super) fn holds_of_others(&self, rule: impl Fn(&Value) -> Option<Value>) -> bool {
        let mut told = BTreeSet::new();
        let mut shown = self.others.iter().filter_map(|other| Some((other.entity, other.value?)));
        let all = shown.all(|(entity, value)| match rule(entity) {
            Some(made) if made.same_as(value) => {
                told.insert(value.to_compact());
                true
            }
            Some(_) => false,
            None => true,
        });
        all && told.len() >= MIN_TOLD
    }

    /// Whether no two others that count together have the same number: then one call's number may be the next of them.
    pub(super) fn others_count(&self, cases: &[Case<'_>], scope: &SequenceScope) -> bool {
        let [case] = cases else { return false };
        let group = |entity: &Value| match scope {
            SequenceScope::Member(member) => member.direct(entity).map(Value::to_compact),
            SequenceScope::Type | SequenceScope::Collection | SequenceScope::Shared => None,
        };
        let own = group(case.given.after);
        let mut beside = 0;
        let mut seen = BTreeSet::new();
        let apart = self.others.iter().all(|other| {
            let Some((number, _)) = other.value.and_then(counted) else { return true };
            let group = group(other.entity);
            beside += usize::from(group == own);
            seen.insert((group, number))
        });
        apart && beside >= MIN_TOLD
    }

    /// A name in an address, made of another text, that all entities have for themselves: what becomes of it where another
    /// entity has it already no recorded call shows.
    pub(super) fn unless_taken(&self, cases: &[Case<'_>], at: &MemberPath, rule: MemberExpr) -> MemberExpr {
        match rule {
            MemberExpr::IfSent(path, then, otherwise) => {
                let otherwise = Box::new(self.unless_taken(cases, at, *otherwise));
                MemberExpr::IfSent(path, then, otherwise)
            }
            MemberExpr::SentText(ref pieces) | MemberExpr::Text(ref pieces)
                if self.creates && matches!(pieces.as_slice(), [Piece::Slug(_)]) && self.are_apart(cases, at) =>
            {
                MemberExpr::Unique(Box::new(rule), Taken::Unknown)
            }
            rule => rule,
        }
    }

    /// Whether no two entities show the same, neither others of the type nor those that calls made.
    fn are_apart(&self, cases: &[Case<'_>], at: &MemberPath) -> bool {
        let mut held: BTreeSet<&str> = BTreeSet::new();
        let mut shown = self.others.iter().filter_map(|other| other.value?.as_str());
        let taken = |case: &Case<'_>| {
            let mut before = case.world.collections(self.kind).flat_map(|(_, collection)| collection.iter());
            case.value
                .is_some_and(|value| before.any(|held| at.direct(&held.fields).is_some_and(|held| held.same_as(value))))
        };
        shown.all(|text| held.insert(text)) && held.len() >= MIN_APART && !cases.iter().any(taken)
    }

    /// Whether others of the type show that a member always equals another of the entity.
    pub(super) fn others_copy(&self, path: &MemberPath) -> bool {
        self.holds_of_others(|entity| path.direct(entity).filter(|held| scalar_text(held).is_some()).cloned())
    }

    /// Whether others of the type show what a member of them names has the value.
    pub(super) fn others_look_up(
        &self,
        (via, kind, by): (&MemberExpr, usize, &MemberPath),
        member: &MemberPath,
    ) -> bool {
        let MemberExpr::After(path) = via else { return false };
        self.holds_of_others(|entity| {
            let id = path.direct(entity)?;
            member.direct(&self.find_named(self.world, kind, by, id)?).cloned()
        })
    }
}
