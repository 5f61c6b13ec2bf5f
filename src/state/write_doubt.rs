//! Why a plan that no read confirmed is withheld: what the replay saw that speaks against it, or that kept it from being
//! confirmed. Knows plans and recorded calls; the replay itself is in `write_replay.rs`.

use super::absence::says_absent;
use super::addressed::find_addressed;
use super::clock_format::ClockFormat;
use super::coverage::Effect;
use super::derive::Derivation;
use super::evaluate::Read;
use super::observe::Seen;
use super::slot::Slot;
use super::sorted_array::shows;
use super::store::World;
use super::types::View;
use super::write_history::{EntityKey, Showing, Shown, add_showing};
use super::write_plan::{WritePlan, WriteState};
use super::write_reason::WriteReason;
use super::write_sample::{Sample, entity_of, shown_of};

/// A record that disagrees, and the member of the entity that it disagrees about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Contradiction {
    /// The record's ordinal.
    pub ordinal: usize,
    /// The member, as a pointer; none where the entity as a whole should not be there, or should.
    pub pointer: Option<String>,
}

/// What was seen of one part of a plan that is not confirmed: the first of each kind, in timeline order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Doubt {
    /// A recorded answer of the write itself is another than the plan gives.
    pub answered: Option<usize>,
    /// A later read shows the entity otherwise than the plan leaves it, and no other write came between.
    pub contradicted: Option<Contradiction>,
    /// A read would have confirmed it, but began before the write had ended.
    pub overlapped: Option<usize>,
    /// All that a recorded call could have changed is a clock, and that was stamped in the same tick before.
    pub too_fast: bool,
}

impl Doubt {
    /// Notes that a sample's clocks tell nothing: what it leaves is what was held, and a member of it is a clock in
    /// whole seconds that the write would have stamped alike. A finer clock that stayed was not stamped.
    pub(super) fn clocks(&mut self, sample: &Sample<'_>) {
        let same = |(slot, after): (&Slot, &Option<_>)| sample.before.get(slot) == Some(after);
        let stamped = |value: &Option<_>| {
            let format = value.as_ref().and_then(|value| ClockFormat::stamped(value, sample.call.span));
            format.is_some_and(|format| format.shape.ticks_seconds())
        };
        let known = sample.after.iter().filter(|(slot, _)| sample.before.contains_key(*slot));
        self.too_fast |= known.clone().all(same) && known.clone().any(|(_, after)| stamped(after));
    }
}

/// How a read shows an entity otherwise than a world holds it; `None` where it agrees, or says nothing of it.
pub(super) fn contradiction(
    work: &Derivation<'_>,
    (call, shown): (&Seen, &[(EntityKey, Showing<'_>)]),
    world: &World,
    key: &EntityKey,
) -> Option<Contradiction> {
    let found = |pointer| Some(Contradiction { ordinal: call.ordinal, pointer });
    let held = entity_of(world, key);
    if let Some((_, showing)) = shown.iter().find(|(shown, _)| shown == key) {
        let Some(held) = held else { return found(None) };
        let known = shown_of(&work.derived, key.0, &held);
        let mut seen = Shown::new();
        add_showing(work, showing, &mut seen);
        let differs = seen.iter().find(|(slot, value)| match (known.get(*slot), value) {
            (Some(Some(held)), Some(value)) => !shows(&work.derived, key.0, &slot.name, held, value),
            (Some(held), value) => held.is_some() != value.is_some(),
            (None, _) => false,
        });
        return found(Some(format!("/{}", differs?.0.name)));
    }
    let View::Item(view) = &work.derived.views[call.tool] else { return None };
    let line = call.line.as_ref().filter(|_| says_absent(call.status))?;
    let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
    let addressed = find_addressed(&work.derived, world, view, read, line)?;
    let same = held
        .filter(|held| !view.leaves_out(held))
        .is_some_and(|held| held.id == addressed.id && held.collection == addressed.collection);
    same.then_some(Contradiction { ordinal: call.ordinal, pointer: None })
}

/// Why a plan that nothing confirmed is withheld, with what was seen of its first part.
pub(super) fn withheld(plan: &WritePlan, doubt: &Doubt) -> WriteState {
    let part = plan.parts.first();
    let unknown = part.and_then(|part| {
        let unknown = part.slots.iter().find(|(_, rule)| rule.is_unknown());
        unknown.map(|(slot, _)| format!("/{}", slot.name))
    });
    let effect = part.map(|part| part.effect);
    let answer = part.and_then(|part| part.answer.as_ref()).is_some_and(|answer| answer.is_unknown());
    let (reason, pointer, by) = match (unknown, &doubt.contradicted) {
        (Some(pointer), _) if effect == Some(Effect::Create) => (WriteReason::UnexplainedCreate, Some(pointer), None),
        (Some(pointer), _) => (WriteReason::UnexplainedChange, Some(pointer), None),
        (None, _) if answer => (WriteReason::UnexplainedAnswer, None, None),
        (None, Some(seen)) => (WriteReason::Contradicted, seen.pointer.clone(), Some(seen.ordinal)),
        (None, None) if doubt.answered.is_some() => (WriteReason::UnexplainedAnswer, None, doubt.answered),
        (None, None) if doubt.overlapped.is_some() => (WriteReason::Overlapping, None, None),
        (None, None) if doubt.too_fast && effect == Some(Effect::Update) => (WriteReason::TooFast, None, None),
        (None, None) => (WriteReason::Unconfirmed, None, None),
    };
    WriteState::Withheld {
        effect: plan.effect(),
        reason,
        pointer,
        exemplar_ordinal: part.map(|part| part.ordinal),
        contradicted_by: by,
    }
}
