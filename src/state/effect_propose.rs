//! Proposing effects: from each change that no write addressed, the rule about types that explains it and that nothing in
//! the recordings contradicts; where there is none, the slot is forgotten after such a write.

use super::derive::Derivation;
use super::effect::{EffectRule, texts_of};
use super::effect_known::KnownEntities;
use super::effect_listed::Then;
use super::effect_relation::{Relation, address, names_entity, relations};
use super::effect_rivals::without_plainer;
use super::generate::counted;
use super::line::scalar_text;
use super::path::{MemberPath, Step, scalar_paths};
use super::slot::Slot;
use super::store::{Entity, World};
use super::write_history::History;
use super::write_sample::{Fate, Sample};
use super::write_truth::{Change, Changed, Truth};
use crate::json::Value;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Changes of one slot after one tool's writes that a rule is looked for with.
const MAX_REPEATS: usize = 4;
/// Entities that are looked at as evidence for a count.
const MAX_NAMING: usize = 60;

/// The rules that explain changes of a capture.
pub(super) fn propose_effects(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let finder = Finder::new(work, history, truth);
    let mut rules: Vec<EffectRule> = Vec::new();
    for change in finder.repeated_at_most(MAX_REPEATS) {
        let found = match &change.what {
            Changed::Vanished(entity) => finder
                .cascade(change, entity)
                .or_else(|| finder.taken_along(change))
                .or_else(|| finder.hidden_by(change, entity)),
            Changed::Slot(slot, before, after) => finder.slot(change, slot, before.as_ref(), after.as_ref()),
            Changed::Appeared => finder.moved(change),
        };
        let Some(rule) = found.filter(|rule| !rules.contains(rule)) else { continue };
        let joined = rules.iter_mut().find_map(|held| match (&*held, &rule) {
            (EffectRule::Move(one), EffectRule::Move(other)) => one.joined(other).map(|joined| (held, joined)),
            _ => None,
        });
        match joined {
            Some((held, joined)) => *held = EffectRule::Move(Box::new(joined)),
            None => rules.push(rule),
        }
    }
    // A list that is made of what names its holder says already what leaves it.
    let made: Vec<(usize, Box<str>)> =
        rules.iter().filter(|rule| matches!(rule, EffectRule::Gather(_))).filter_map(explains).collect();
    let left = |rule: &EffectRule| matches!(rule, EffectRule::Listed(held) if matches!(held.then, Then::Leave(_)));
    rules.retain(|rule| !left(rule) || explains(rule).is_none_or(|place| !made.contains(&place)));
    without_plainer(rules)
}

/// What is not known after writes that changed it in a way no rule explains: from the changes that are left when all
/// rules are followed. A rule that explains most of what a tool changed stands alone: what a world that follows reads
/// has not seen yet is no change.
pub(super) fn propose_forgetting(
    work: &Derivation<'_>,
    history: &History<'_>,
    without: &Truth<'_>,
    with: &Truth<'_>,
) -> Vec<EffectRule> {
    let explained: Vec<(usize, Box<str>)> = work.derived.effects.iter().filter_map(explains).collect();
    let (all, left) = (Finder::new(work, history, without), Finder::new(work, history, with));
    let caused = |finder: &Finder<'_, '_>, kind: usize, slot: &Slot, tool: usize| {
        let changes = finder
            .changes
            .iter()
            .filter(|change| change.key.0 == kind && matches!(&change.what, Changed::Slot(held, _, _) if held == slot));
        changes.filter(|change| finder.cause(change).map(|cause| work.observed.seen[cause].tool) == Some(tool)).count()
    };
    let mut rules: Vec<EffectRule> = Vec::new();
    for change in left.repeated_at_most(MAX_REPEATS) {
        let Changed::Slot(slot, before, after) = &change.what else { continue };
        let Some(rule) = left.forgotten(change, slot, before.as_ref(), after.as_ref()) else { continue };
        let EffectRule::Forget { tool, kind, .. } = rule else { continue };
        let of = left.samples.values().find(|sample| sample.call.tool == tool).map(|sample| sample.key.0);
        let touched = |rule: &EffectRule| match rule {
            EffectRule::Touch(held) => held.holder == kind && held.slot == *slot && Some(held.of) == of,
            EffectRule::Move(held) => {
                held.holder == kind && Some(held.of) == of && held.clocks.iter().any(|(clock, _)| clock == slot)
            }
            EffectRule::Shift(held) => held.of == kind && Some(kind) == of && held.sets(slot),
            EffectRule::Only(held) => held.of == kind && Some(kind) == of && held.slot == *slot,
            _ => false,
        };
        if work.derived.effects.iter().any(touched) {
            continue;
        }
        let ruled = explained.iter().any(|(held, key)| *held == kind && **key == *slot.key());
        let mostly = || caused(&left, kind, slot, tool) * 2 <= caused(&all, kind, slot, tool);
        if !(rules.contains(&rule) || ruled && mostly()) {
            rules.push(rule);
        }
    }
    rules
}

/// Rules whose following leaves fewer changes than there are without it; none is kept that a recording does not need.
pub(super) fn needed(rules: &[EffectRule], without: &Truth<'_>, with: &Truth<'_>) -> Vec<EffectRule> {
    rules.iter().filter(|rule| left(rule, with) < left(rule, without)).cloned().collect()
}

/// How many changes of what a rule is about are unexplained.
pub(super) fn left(rule: &EffectRule, truth: &Truth<'_>) -> usize {
    let explained = explains(rule);
    let of = |change: &&Change| match (&change.what, rule) {
        (Changed::Vanished(_), EffectRule::Cascade { child, .. } | EffectRule::Hide { child, .. }) => {
            change.key.0 == *child
        }
        (Changed::Vanished(_), EffectRule::Along(held)) => change.key.0 == held.child,
        (Changed::Appeared, EffectRule::Move(held)) => change.key.0 == held.holder,
        (Changed::Slot(slot, _, _), _) => {
            explained.as_ref().is_some_and(|(kind, key)| *kind == change.key.0 && **key == *slot.key())
        }
        _ => false,
    };
    truth.changes.iter().filter(of).count()
}

/// The type and slot key that a rule explains.
pub(super) fn explains(rule: &EffectRule) -> Option<(usize, Box<str>)> {
    let first = |path: &MemberPath| match path.0.first() {
        Some(Step::Member(name)) => Some(name.clone()),
        _ => None,
    };
    match rule {
        EffectRule::Count { holder, path, .. }
        | EffectRule::Copy { holder, path, .. }
        | EffectRule::Reference { holder, path, .. }
        | EffectRule::Renamed { holder, path, .. } => Some((*holder, first(path)?)),
        EffectRule::Gather(rule) => Some((rule.holder, first(&rule.path)?)),
        EffectRule::Follow(rule) => first(&rule.path).map(|key| (rule.holder, key)),
        EffectRule::Match(rule) => Some((rule.holder, rule.slot.key().into())),
        EffectRule::Listed(rule) => match &rule.then {
            Then::Leave(_) => Some((rule.holder, rule.list.key().into())),
            Then::Show(slot, _) => Some((rule.of, slot.key().into())),
        },
        EffectRule::Touch(rule) => Some((rule.holder, rule.slot.key().into())),
        EffectRule::First { holder, slot, .. } => Some((*holder, slot.key().into())),
        EffectRule::Cascade { .. }
        | EffectRule::Along(_)
        | EffectRule::Hide { .. }
        | EffectRule::Companion(_)
        | EffectRule::Move(_)
        | EffectRule::Named(_)
        | EffectRule::Shift(_)
        | EffectRule::Only(_)
        | EffectRule::DocumentCount(_)
        | EffectRule::ForgetDocument { .. }
        | EffectRule::Emptied(_)
        | EffectRule::Forget { .. } => None,
    }
}

/// Texts by type and member.
type HeldTexts = HashMap<(usize, MemberPath), Arc<BTreeSet<String>>>;

pub(super) struct Finder<'w, 'a> {
    pub(super) work: &'w Derivation<'a>,
    pub(super) history: &'w History<'a>,
    pub(super) samples: BTreeMap<usize, &'w Sample<'a>>,
    pub(super) changes: &'w [Change],
    /// What is known of each entity.
    pub(super) known: KnownEntities,
    /// The texts that the first entities of a type hold at a member.
    named: RefCell<HeldTexts>,
}

impl<'w, 'a> Finder<'w, 'a> {
    fn new(work: &'w Derivation<'a>, history: &'w History<'a>, truth: &'w Truth<'a>) -> Self {
        let samples = truth.samples.values().flatten().map(|sample| (sample.index, sample)).collect();
        Finder {
            work,
            history,
            samples,
            changes: &truth.changes,
            known: KnownEntities::default(),
            named: RefCell::default(),
        }
    }

    /// The changes, those of one slot after one tool's writes only so many times: what one write changes in many entities
    /// is explained once.
    fn repeated_at_most(&self, times: usize) -> impl Iterator<Item = &'w Change> {
        let mut seen: HashMap<(usize, String, usize), usize> = HashMap::new();
        self.changes.iter().filter(move |change| {
            let Changed::Slot(slot, _, _) = &change.what else { return true };
            let cause = change.writes.last().map_or(usize::MAX, |write| self.work.observed.seen[*write].tool);
            let count = seen.entry((change.key.0, slot.key(), cause)).or_default();
            *count += 1;
            *count <= times
        })
    }
}

impl Finder<'_, '_> {
    /// The removals among the writes that may have caused a change.
    pub(super) fn removals(&self, change: &Change) -> Vec<&Sample<'_>> {
        change
            .writes
            .iter()
            .rev()
            .filter_map(|write| self.samples.get(write).copied())
            .filter(|sample| sample.fate == Fate::Removed)
            .collect()
    }

    /// The rule by which a removal took an entity with it.
    fn cascade(&self, change: &Change, entity: &Entity) -> Option<EffectRule> {
        // What went with the removed one may have taken others along.
        let along = self.changes.iter().filter(|other| {
            matches!(other.what, Changed::Vanished(_))
                && other.key != change.key
                && other.writes.last().is_some_and(|write| change.writes.contains(write))
        });
        let removed = self.removals(change).into_iter().map(|removal| &removal.key);
        let child = change.key.0;
        for removed in removed.chain(along.map(|other| &other.key)) {
            for by in relations(&self.work.derived, (child, entity), address(removed)) {
                if self.cascades(removed.0, child, &by) {
                    return Some(EffectRule::Cascade { parent: removed.0, child, by });
                }
            }
        }
        None
    }

    /// Whether no removal left a child that names what was removed.
    fn cascades(&self, parent: usize, child: usize, by: &Relation) -> bool {
        self.samples.values().filter(|sample| sample.fate == Fate::Removed && sample.key.0 == parent).all(|sample| {
            let children = sample.world.collections(child).flat_map(|(_, collection)| collection.iter());
            let named = address(&sample.key);
            let derived = &self.work.derived;
            let mut children = children.filter(|entity| names_entity(derived, by, (child, entity), named));
            children.all(|entity| self.gone_since(child, entity, sample))
        })
    }

    /// Whether no read shows an entity after a removal, but where another write addressed it in between.
    pub(super) fn gone_since(&self, kind: usize, entity: &Entity, sample: &Sample<'_>) -> bool {
        let key = (kind, entity.collection.to_string(), entity.id.to_string());
        !self.history.of(&key).iter().any(|showing| {
            showing.seen > sample.index
                && !self
                    .samples
                    .values()
                    .any(|other| other.key == key && other.index > sample.index && other.index < showing.seen)
        })
    }

    /// The rule that explains a changed slot.
    fn slot(&self, change: &Change, slot: &Slot, before: Option<&Value>, after: Option<&Value>) -> Option<EffectRule> {
        if let (Some(before), Some(after)) = (before, after) {
            for (path, was, is) in differences(slot, before, after) {
                if let (Some((was, _)), Some((is, _))) = (counted(&was), counted(&is))
                    && was != is
                    && let Some(rule) = self.count(change, &path).or_else(|| self.count_by_steps(change, slot, &path))
                {
                    return Some(rule);
                }
            }
        }
        if let Some(rule) = self.matched(change, slot, before, after) {
            return Some(rule);
        }
        if let Some(rule) = self.first_of(change, slot).or_else(|| self.gather(change, slot, before, after)) {
            return Some(rule);
        }
        if let Some(rule) =
            self.left_list(change, slot, before, after).or_else(|| self.named_in_list(change, slot, after))
        {
            return Some(rule);
        }
        let (before, after) = (before?, after?);
        let named = || self.renamed(change, slot, before, after);
        let follows = || self.followed(change, slot, before, after);
        self.copied(change, slot, before, after)
            .or_else(follows)
            .or_else(named)
            .or_else(|| self.reference(change, slot, before, after))
    }

    /// What is not known after the write that caused a change.
    fn forgotten(
        &self,
        change: &Change,
        slot: &Slot,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Option<EffectRule> {
        let kind = change.key.0;
        let cause = self.cause(change)?;
        let tool = self.work.observed.seen[cause].tool;
        let related = self.samples.get(&cause).is_some_and(|sample| {
            let mut texts = BTreeSet::new();
            texts_of(&sample.sent, &mut texts);
            texts_of(&Sample::object(&sample.before), &mut texts);
            texts_of(&Sample::object(&sample.after), &mut texts);
            let mut own = BTreeSet::new();
            before.iter().chain(&after).for_each(|value| texts_of(value, &mut own));
            texts.contains(&change.key.2) || own.contains(&sample.key.2)
        });
        Some(EffectRule::Forget { tool, kind, slot: slot.clone(), related })
    }

    /// The write that most likely caused a change: one that names the entity, else the last.
    fn cause(&self, change: &Change) -> Option<usize> {
        let names = |write: &usize| {
            let call = &self.work.observed.seen[*write];
            let mut texts = BTreeSet::new();
            texts.extend(call.parameters.iter().cloned());
            call.sent.iter().for_each(|sent| texts_of(sent, &mut texts));
            if let Some(sample) = self.samples.get(write) {
                texts_of(&Sample::object(&sample.after), &mut texts);
                texts_of(&Sample::object(&sample.before), &mut texts);
            }
            texts.contains(&change.key.2)
        };
        change.writes.iter().rev().find(|write| names(write)).or(change.writes.last()).copied()
    }

    /// The number of entities of another type that name the holder.
    fn count(&self, change: &Change, path: &MemberPath) -> Option<EffectRule> {
        let holder = change.key.0;
        let id = change.key.2.as_str();
        for of in 0..self.work.derived.types.len() {
            // Members by which an entity names the holder, now or at the start.
            let mut members: Vec<MemberPath> = Vec::new();
            let mut naming: Vec<Arc<Value>> = Vec::new();
            let worlds = [&change.world, &self.work.derived.world];
            for entity in worlds.iter().flat_map(|world| world.collections(of)).flat_map(|(_, held)| held.iter()) {
                if !self.known.may_hold(entity, id) {
                    continue;
                }
                let values = self.merged(entity);
                let mut any = false;
                for member in scalar_paths(std::iter::once(values.as_ref())) {
                    if member.0.len() > 3 || holder == of && member == self.work.derived.types[of].identity {
                        continue;
                    }
                    let mut names = false;
                    member.visit(&values, &mut |scalar| {
                        names = scalar_text(scalar).as_deref() == Some(id);
                        !names
                    });
                    any |= names;
                    if names && !members.contains(&member) {
                        members.push(member);
                    }
                }
                if any {
                    naming.push(values);
                }
                if naming.len() >= MAX_NAMING {
                    break;
                }
            }
            members.sort_by_key(|member| (member.0.len(), member.spelling()));
            for member in members.into_iter().filter(|member| self.refers(of, member, holder, &change.world)) {
                if self.counts(change, path, of, &member, None) {
                    return Some(EffectRule::Count { holder, path: path.clone(), of, member, only: None });
                }
                let told = conditions(&naming);
                // What tells the counted ones apart may be the same in all that name this holder.
                let shared = conditions(&self.some(of, &worlds)).into_iter().filter(|only| !told.contains(only));
                for only in told.iter().cloned().chain(shared) {
                    if self.counts(change, path, of, &member, Some(&only)) {
                        return Some(EffectRule::Count { holder, path: path.clone(), of, member, only: Some(only) });
                    }
                }
            }
        }
        None
    }

    /// All values of the first entities of a type in some worlds.
    fn some(&self, of: usize, worlds: &[&World]) -> Vec<Arc<Value>> {
        let entities = worlds.iter().flat_map(|world| world.collections(of)).flat_map(|(_, held)| held.iter());
        entities.take(MAX_NAMING).map(|entity| self.merged(entity)).collect()
    }

    /// Whether a member's values are identities of the holder's type, two different ones at the least.
    pub(super) fn refers(&self, of: usize, member: &MemberPath, holder: usize, world: &World) -> bool {
        let initial = &self.work.derived.world;
        let add = |entity: &Arc<Entity>, texts: &mut BTreeSet<String>| {
            member.visit(&self.merged(entity), &mut |scalar| {
                texts.extend(scalar_text(scalar).filter(|_| !scalar.is_null()));
                true
            });
        };
        let entities = |world: &'_ World| -> Vec<Arc<Entity>> {
            world.collections(of).flat_map(|(_, collection)| collection.iter().cloned()).collect()
        };
        let named = self.named.borrow().get(&(of, member.clone())).cloned();
        let first = named.unwrap_or_else(|| {
            let mut texts = BTreeSet::new();
            entities(initial).iter().for_each(|entity| add(entity, &mut texts));
            let texts = Arc::new(texts);
            self.named.borrow_mut().insert((of, member.clone()), Arc::clone(&texts));
            texts
        });
        // Most entities are the very ones that were there at the start.
        let mut texts: BTreeSet<String> = BTreeSet::new();
        for entity in entities(world) {
            let held = initial.collection(of, &entity.collection).and_then(|held| held.get(&entity.id));
            if !held.is_some_and(|held| Arc::ptr_eq(held, &entity)) {
                add(&entity, &mut texts);
            }
        }
        let held = |text: &&String| [world, initial].iter().any(|world| world.named(holder, text).next().is_some());
        let all = || first.iter().chain(texts.iter().filter(|text| !first.contains(*text)));
        let known = all().filter(held).count();
        // What a member names may have been removed since.
        known >= 2 && known * 10 >= all().count() * 8
    }

    /// All values of an entity; made once for each.
    pub(super) fn merged(&self, entity: &Arc<Entity>) -> Arc<Value> {
        self.known.values(entity)
    }

    /// Whether the number is that count in the changed entity, in every other one that the recordings show changed, and
    /// in all at the start.
    fn counts(
        &self,
        change: &Change,
        path: &MemberPath,
        of: usize,
        member: &MemberPath,
        only: Option<&(MemberPath, Value)>,
    ) -> bool {
        let named = |world: &World, id: &str| {
            let entities = world.collections(of).flat_map(|(_, collection)| collection.iter());
            let mut number = 0;
            for entity in entities.filter(|entity| self.known.may_hold(entity, id)) {
                let values = self.merged(entity);
                if only.is_some_and(|(path, value)| !path.direct(&values).is_some_and(|held| held.same_as(value))) {
                    continue;
                }
                member.visit(&values, &mut |scalar| {
                    number += i64::from(scalar_text(scalar).as_deref() == Some(id));
                    true
                });
            }
            number
        };
        let holds = |world: &World, entity: &Arc<Entity>| {
            let values = self.merged(entity);
            path.direct(&values).and_then(counted).is_none_or(|(number, _)| named(world, &entity.id) == number)
        };
        let of_change = |change: &Change| {
            super::write_sample::entity_of(&change.world, &change.key)
                .is_none_or(|entity| holds(&change.world, &entity))
        };
        if !of_change(change) {
            return false;
        }
        let key = match path.0.first() {
            Some(Step::Member(key)) => key.as_ref(),
            _ => return false,
        };
        let same_slot = |other: &&Change| {
            other.key.0 == change.key.0 && matches!(&other.what, Changed::Slot(slot, _, _) if slot.key() == key)
        };
        let initial = &self.work.derived.world;
        let mut started = initial.collections(change.key.0).flat_map(|(_, collection)| collection.iter());
        if !started.all(|entity| holds(initial, entity)) {
            return false;
        }
        // Entities that no read showed since a write are not counted right: a few numbers may differ.
        let others: Vec<bool> = self.changes.iter().filter(same_slot).take(MAX_NAMING).map(of_change).collect();
        let held = others.iter().filter(|held| **held).count();
        held * 10 >= others.len() * 6
    }
}

/// Members with few words, as conditions.
pub(super) fn conditions(sample: &[Arc<Value>]) -> Vec<(MemberPath, Value)> {
    let mut found: Vec<(MemberPath, Value)> = Vec::new();
    for path in scalar_paths(sample.iter().map(AsRef::as_ref)).into_iter().filter(|path| path.0.len() == 1) {
        let mut values: Vec<&Value> = Vec::new();
        for value in sample.iter().filter_map(|entity| path.direct(entity)) {
            if matches!(value.plain(), Value::String(_) | Value::Bool(_))
                && !values.iter().any(|held| held.same_as(value))
            {
                values.push(value);
            }
        }
        if (2..=4).contains(&values.len()) {
            found.extend(values.into_iter().map(|value| (path.clone(), value.clone())));
        }
    }
    found
}

/// Scalars at which two values of a slot differ, down objects.
pub(super) fn differences(slot: &Slot, before: &Value, after: &Value) -> Vec<(MemberPath, Value, Value)> {
    fn walk(at: &MemberPath, before: &Value, after: &Value, into: &mut Vec<(MemberPath, Value, Value)>) {
        match (before.as_object(), after.as_object()) {
            (Some(before), Some(after)) => {
                for (name, value) in before {
                    let Some(name) = name.as_str() else { continue };
                    if let Some(other) = after.get(name).filter(|other| !other.same_as(value)) {
                        let mut steps = at.0.clone();
                        steps.push(Step::Member(name.into()));
                        walk(&MemberPath(steps), value, other, into);
                    }
                }
            }
            _ => into.push((at.clone(), before.clone(), after.clone())),
        }
    }
    let mut found = Vec::new();
    walk(&MemberPath(vec![Step::Member(slot.key().into())]), before, after, &mut found);
    found
}
