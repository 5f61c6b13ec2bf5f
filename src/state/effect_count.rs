//! Counts that only their steps tell: where not all counted entities are held, a number may still go up with each one that
//! a write creates and down with each that it removes.

use super::effect::EffectRule;
use super::effect_propose::{Finder, conditions};
use super::generate::counted;
use super::line::scalar_text;
use super::path::{MemberPath, scalar_paths};
use super::slot::Slot;
use super::write_sample::Sample;
use super::write_truth::{Change, Changed};
use crate::json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Changes of one number that are looked at.
const MAX_STEPS: usize = 60;
/// Steps that prove a count, at the least.
const MIN_STEPS: usize = 2;

impl Finder<'_, '_> {
    /// The type whose created and removed entities are the steps of a number.
    pub(super) fn count_by_steps(&self, change: &Change, slot: &Slot, path: &MemberPath) -> Option<EffectRule> {
        let holder = change.key.0;
        let steps = self.steps_of(change, slot);
        let written: Vec<&Sample<'_>> =
            change.writes.iter().filter_map(|write| self.samples.get(write).copied()).collect();
        let types: BTreeSet<usize> = written.iter().map(|sample| sample.key.0).collect();
        for of in types {
            let shown: Vec<Arc<Value>> = self
                .samples
                .values()
                .filter(|sample| sample.key.0 == of)
                .flat_map(|sample| [&sample.before, &sample.after])
                .map(|shown| Arc::new(Sample::object(shown)))
                .collect();
            let mut members: Vec<MemberPath> = scalar_paths(shown.iter().map(AsRef::as_ref))
                .into_iter()
                .filter(|member| {
                    member.0.len() <= 3 && (holder != of || *member != self.work.derived.types[of].identity)
                })
                .filter(|member| shown.iter().any(|values| times(values, member, &change.key.2) > 0))
                .collect();
            members.sort_by_key(|member| (member.0.len(), member.spelling()));
            for member in members.into_iter().filter(|member| self.refers(of, member, holder, &change.world)) {
                let all = std::iter::once(None).chain(conditions(&shown).into_iter().map(Some));
                for only in all {
                    if self.steps(&steps, path, of, &member, only.as_ref()) {
                        return Some(EffectRule::Count { holder, path: path.clone(), of, member, only });
                    }
                }
            }
        }
        None
    }

    /// The changes of a slot, with what it was and is.
    fn steps_of<'s>(&'s self, change: &Change, slot: &Slot) -> Vec<(&'s Change, &'s Value, &'s Value)> {
        let all = self.changes.iter().filter_map(|other| match &other.what {
            Changed::Slot(held, Some(before), Some(after)) if other.key.0 == change.key.0 && held == slot => {
                Some((other, before, after))
            }
            _ => None,
        });
        all.take(MAX_STEPS).collect()
    }

    /// Whether most steps are those of the writes between, the first ones all of them.
    fn steps(
        &self,
        steps: &[(&Change, &Value, &Value)],
        path: &MemberPath,
        of: usize,
        member: &MemberPath,
        only: Option<&(MemberPath, Value)>,
    ) -> bool {
        let counts = |values: &Value, id: &str| {
            let fits = only.is_none_or(|(path, value)| path.direct(values).is_some_and(|held| held.same_as(value)));
            if fits { times(values, member, id) } else { 0 }
        };
        let inner = MemberPath(path.0[1..].to_vec());
        let (mut held, mut seen) = (0, 0);
        for (change, before, after) in steps {
            let (Some((was, _)), Some((is, _))) =
                (inner.direct(before).and_then(counted), inner.direct(after).and_then(counted))
            else {
                continue;
            };
            if was == is {
                continue;
            }
            seen += 1;
            let samples = change.writes.iter().filter_map(|write| self.samples.get(write));
            let change: i64 = samples
                .filter(|sample| sample.key.0 == of)
                .map(|sample| {
                    let removed = sample.fate == super::write_sample::Fate::Removed;
                    let after = if removed { 0 } else { counts(&whole(sample), &change.key.2) };
                    after - counts(&Sample::object(&sample.before), &change.key.2)
                })
                .sum();
            held += usize::from(change == is - was);
        }
        held >= MIN_STEPS && held * 10 >= seen * 9
    }
}

/// What the target of a write holds after it: what is shown then, else what was held.
fn whole(sample: &Sample<'_>) -> Value {
    let mut all = sample.after.clone();
    for (slot, value) in &sample.before {
        all.entry(slot.clone()).or_insert_with(|| value.clone());
    }
    Sample::object(&all)
}

/// How often a member of an entity names an identity.
fn times(values: &Value, member: &MemberPath, id: &str) -> i64 {
    let mut number = 0;
    member.visit(values, &mut |scalar| {
        number += i64::from(scalar_text(scalar).as_deref() == Some(id));
        true
    });
    number
}
