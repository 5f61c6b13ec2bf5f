//! The truth: what the reads of a capture show of the world, whatever changed it. A walk of the timeline with a world that
//! follows them gathers the samples of all writes (`write_sample_find.rs`) and what changed without being addressed, which is
//! what effects are proposed from. Nothing here knows of plans or rules.

use super::absence::says_absent;
use super::absent_named::AskedOf;
use super::addressed::find_addressed;
use super::derive::Derivation;
use super::evaluate::{Read, select_list};
use super::late_order::{LateList, leaves_all, leaves_order};
use super::late_scope::{LateHidden, LateWord, keep_telling};
use super::observe::Seen;
use super::precondition_propose::Refused;
use super::recorded_refusal::may_tell_why;
use super::scope::Scope;
use super::slot::{Left, Slot, entity_with, slots_of};
use super::sorted_array::shows;
use super::store::{Entity, World};
use super::types::{ItemView, View};
use super::write_bulk_find::Singles;
use super::write_history::{EntityKey, History, Shown, add_showing};
use super::write_lag::catch_up;
use super::write_plan::{BodyEnvelope, Target, TargetPlace};
use super::write_sample::{Sample, entity_of, shown_of};
use crate::capture::is_success;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Something that a read shows changed, though no write addressed it.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// The entity.
    pub key: EntityKey,
    /// What changed.
    pub what: Changed,
    /// The writes since the entity was last shown as it was, as indices into the observed calls.
    pub writes: Vec<usize>,
    /// The read, as an index into the observed calls.
    pub read: usize,
    /// The world as the read leaves it.
    pub world: World,
}

/// What changed of an entity.
#[derive(Clone, Debug)]
pub(super) enum Changed {
    /// A slot.
    Slot(Slot, Option<Value>, Option<Value>),
    /// It is there.
    Appeared,
    /// It is gone.
    Vanished(Arc<Entity>),
}

/// What the walk finds.
#[derive(Debug, Default)]
pub(super) struct Truth<'a> {
    /// Samples by tool, in timeline order.
    pub samples: BTreeMap<usize, Vec<Sample<'a>>>,
    /// Changes that no write addressed.
    pub changes: Vec<Change>,
    /// The worlds in which documents were read, by call.
    pub readings: HashMap<usize, World>,
    /// Lists that leave out what is still there.
    pub hidden: Vec<LateHidden>,
    /// Lists that were asked for with a word that nothing explains.
    pub words: Vec<LateWord>,
    /// Lists that late reads show.
    pub lists: Vec<LateList>,
    /// Writes that were refused.
    pub refused: Vec<Refused<'a>>,
    /// What lists that refuse some lines were asked for by their filters.
    pub asked: Vec<AskedOf>,
}

/// The walk under way.
pub(super) struct Walk<'w, 'a> {
    pub(super) work: &'w Derivation<'a>,
    pub(super) history: &'w History<'a>,
    pub(super) targets: &'w BTreeMap<usize, (Target, BodyEnvelope)>,
    singles: &'a Singles,
    pub(super) world: World,
    /// When an entity was last shown, or written.
    pub(super) known: HashMap<EntityKey, usize>,
    /// When one view's own values of it were last shown, or written.
    pub(super) known_views: HashMap<(EntityKey, Option<usize>), usize>,
    /// All 2xx writes so far.
    writes: Vec<usize>,
}

/// Walks the timeline from the first write on.
pub(super) fn truth<'a>(
    work: &Derivation<'a>,
    history: &History<'a>,
    targets: &BTreeMap<usize, (Target, BodyEnvelope)>,
    singles: &'a Singles,
    from: usize,
) -> Truth<'a> {
    let world = work.derived.world.clone();
    let (known, known_views, writes) = (HashMap::new(), HashMap::new(), Vec::new());
    let mut walk = Walk { work, history, targets, singles, world, known, known_views, writes };
    let mut found = Truth::default();
    let refusing = work.refusing_lists();
    for (index, call) in work.observed.seen.iter().enumerate().take(from) {
        found.refused.extend(walk.refused(call));
        if refusing.contains(&call.tool) {
            found.asked.extend(work.asked_of(index, &walk.world));
        }
    }
    for (index, call) in work.observed.seen.iter().enumerate().skip(from) {
        if call.wrote(work.manifest) {
            walk.writes.push(index);
        }
        if refusing.contains(&call.tool) {
            found.asked.extend(work.asked_of(index, &walk.world));
        }
        if let Some(singles) = walk.singles.get(&index) {
            let samples = singles.iter().filter_map(|single| walk.sample(index, single)).collect::<Vec<_>>();
            found.samples.entry(call.tool).or_default().extend(samples);
        } else if let Some(sample) = walk.sample(index, call) {
            found.samples.entry(call.tool).or_default().push(sample);
        } else if let Some(refused) = walk.refused(call) {
            found.refused.push(refused);
        } else if !walk.may_show_a_write(index, call) {
            found.hidden.extend(walk.hidden(index, call));
            let first = found.changes.len();
            walk.follow(index, call, &mut found.changes);
            for change in &mut found.changes[first..] {
                change.world = walk.world.clone();
            }
            if matches!(work.derived.views[call.tool], View::Document(_)) {
                found.readings.insert(index, walk.world.clone());
            }
            found.lists.extend(walk.late_list(index, call));
            found.words.extend(walk.late_word(index, call));
        }
    }
    catch_up(&mut found.samples);
    keep_telling(&mut found.hidden);
    let ambiguous = history.ambiguous();
    found.changes.retain(|change| !ambiguous.contains(&change.key.0));
    found
}

impl<'a> Walk<'_, 'a> {
    /// A write that was refused, with its target where that is held.
    fn refused(&self, call: &'a Seen) -> Option<Refused<'a>> {
        let (target, _) = self.targets.get(&call.tool).filter(|_| may_tell_why(call.status))?;
        let (held, asked) = match &target.place {
            TargetPlace::Entity(address) => {
                let line = call.as_write().line();
                let held = address.find(&self.work.derived, &self.world, &call.parameters, &call.path, &line);
                (held, address.asked(&call.parameters, &line))
            }
            TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => (None, None),
        };
        Some(Refused { call, held, asked, world: self.world.clone() })
    }
}

impl Walk<'_, '_> {
    /// Whether a write began before a read was answered: what the read shows may be of before it or of after it.
    fn may_show_a_write(&self, index: usize, call: &Seen) -> bool {
        let Some((_, end)) = call.span else { return false };
        let later = self.work.observed.seen.get(index + 1..).unwrap_or_default().iter();
        let mut meanwhile = later.take_while(|other| other.span.is_none_or(|(start, _)| start < end));
        meanwhile.any(|other| other.span.is_some() && other.wrote(self.work.manifest))
    }

    /// Takes over what a read shows, and notes what changed without being addressed.
    fn follow(&mut self, index: usize, call: &Seen, changes: &mut Vec<Change>) {
        let derived = &self.work.derived;
        for (key, showing) in self.history.by_call.get(&index).into_iter().flatten() {
            let mut shown = Shown::new();
            add_showing(self.work, showing, &mut shown);
            let sources: BTreeSet<Option<usize>> = shown.keys().map(|slot| slot.source).collect();
            let writes = |walk: &Self| {
                let since = walk.known.get(key).copied();
                walk.writes.iter().copied().filter(|write| since.is_none_or(|since| *write > since)).collect::<Vec<_>>()
            };
            match entity_of(&self.world, key) {
                None => {
                    let (what, writes, world) = (Changed::Appeared, writes(self), World::default());
                    changes.push(Change { key: key.clone(), what, writes, read: index, world });
                    let slots = slots_of(derived, key.0)
                        .into_iter()
                        .map(|slot| {
                            let left = match shown.get(&slot) {
                                Some(Some(value)) => Left::Value(value.clone()),
                                Some(None) => Left::Absent,
                                None => Left::Unknown,
                            };
                            (slot, left)
                        })
                        .collect();
                    let place = (Arc::from(key.1.as_str()), Arc::from(key.2.as_str()));
                    self.world.set_entity(key.0, entity_with(derived, key.0, place, None, slots));
                }
                Some(held) => {
                    let known = shown_of(derived, key.0, &held);
                    let mut slots = Vec::new();
                    for (slot, value) in shown {
                        let before = known.get(&slot);
                        let same = match (before, &value) {
                            (Some(Some(before)), Some(value)) => shows(derived, key.0, &slot.name, before, value),
                            (Some(None), None) => true,
                            _ => false,
                        };
                        if same {
                            continue;
                        }
                        if let Some(before) = before {
                            let what = Changed::Slot(slot.clone(), before.clone(), value.clone());
                            let since = self.known_views.get(&(key.clone(), slot.source)).copied();
                            let later = |write: &usize| since.is_none_or(|since| *write > since);
                            let writes = self.writes.iter().copied().filter(later).collect();
                            let world = World::default();
                            changes.push(Change { key: key.clone(), what, writes, read: index, world });
                        }
                        slots.push((slot, value.map_or(Left::Absent, Left::Value)));
                    }
                    if !slots.is_empty() {
                        let place = (Arc::clone(&held.collection), Arc::clone(&held.id));
                        self.world.set_entity(key.0, entity_with(derived, key.0, place, Some(&held), slots));
                    }
                }
            }
            self.known_views.extend(sources.into_iter().map(|source| ((key.clone(), source), index)));
            self.known.insert(key.clone(), index);
        }
        self.vanished(index, call, changes);
    }

    /// What a read leaves out of what its view lists, though later reads show that it is still there, or earlier ones that no
    /// write came after.
    fn hidden(&self, index: usize, call: &Seen) -> Option<LateHidden> {
        let view = match &self.work.derived.views[call.tool] {
            View::List(view) => view,
            View::Item(view) => return self.hidden_item(index, call, view),
            _ => return None,
        };
        let line = call.line.as_ref().filter(|_| is_success(call.status))?;
        let path = self.work.raw_path(call);
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: Some(line) };
        let selection = select_list(&self.work.derived, &self.world, view, read, line).ok()?;
        if selection.range.len() != selection.matched {
            return None;
        }
        let shown: BTreeSet<&EntityKey> = self.history.by_call.get(&index)?.iter().map(|(key, _)| key).collect();
        let key = |entity: &Entity| (view.entity_type, entity.collection.to_string(), entity.id.to_string());
        let (listed, left_out): (Vec<&Arc<Entity>>, Vec<&Arc<Entity>>) =
            selection.listed().iter().partition(|entity| shown.contains(&key(entity)));
        let stays = |entity: &&Arc<Entity>| {
            let key = key(entity);
            let next = self.next_write(&key, index);
            let last = self.writes.last().copied().unwrap_or_default();
            let shown = |at: usize| at > index && at < next || at < index && at > last;
            self.history.of(&key).iter().any(|showing| shown(showing.seen))
        };
        if left_out.is_empty() || listed.len() != shown.len() || !left_out.iter().all(stays) {
            return None;
        }
        let values = |entities: &[&Arc<Entity>]| {
            entities.iter().map(|entity| self.work.derived.filter_fields(entity)).collect::<Vec<_>>()
        };
        let first = selection.listed().iter().take(listed.len());
        let cut = selection.window.size.is_none() && first.zip(&listed).all(|(one, other)| Arc::ptr_eq(one, other));
        let ids = listed.iter().map(|entity| (Arc::clone(&entity.collection), Arc::clone(&entity.id))).collect();
        Some(LateHidden { tool: call.tool, listed: values(&listed), ids, left_out: values(&left_out), cut })
    }

    /// What a read of one shows, or that it answers as absent what others show.
    fn hidden_item(&self, index: usize, call: &Seen, view: &ItemView) -> Option<LateHidden> {
        let line = call.line.as_ref().filter(|_| is_success(call.status) || says_absent(call.status))?;
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
        let held = find_addressed(&self.work.derived, &self.world, view, read, line)?;
        let key = (view.entity_type, held.collection.to_string(), held.id.to_string());
        let (tool, cut) = (call.tool, false);
        if says_absent(call.status) {
            let left_out = self.stays(&key, index).then(|| vec![held.fields.clone()])?;
            return Some(LateHidden { tool, listed: Vec::new(), ids: Vec::new(), left_out, cut });
        }
        let ids = vec![(Arc::clone(&held.collection), Arc::clone(&held.id))];
        // What the read itself shows is not taken over yet.
        let (_, showing) = self.history.by_call.get(&index)?.iter().find(|(shown, _)| *shown == key)?;
        let mut listed = held.fields.as_ref().clone();
        let members = showing.value.as_object().into_iter().flatten();
        if let Some(object) = listed.as_object_mut() {
            for (name, value) in members.filter_map(|(name, value)| Some((name.as_str()?, value))) {
                if object.contains(name) {
                    object.set(name, value.clone());
                }
            }
        }
        Some(LateHidden { tool, listed: vec![Arc::new(listed)], ids, left_out: Vec::new(), cut })
    }

    /// Whether another view shows an entity that a read answers as absent, and nothing is written between them.
    fn stays(&self, key: &EntityKey, index: usize) -> bool {
        let seen = &self.work.observed.seen;
        let writes = |at: &usize| seen[*at].wrote(self.work.manifest);
        let next = (index + 1..seen.len()).find(writes).unwrap_or(seen.len());
        let last = self.writes.last().copied();
        let end = last.and_then(|last| seen[last].span).map(|(_, end)| end);
        self.history.of(key).iter().map(|showing| showing.seen).any(|at| {
            let early = seen[at].span.zip(end).is_some_and(|((start, _), end)| start < end);
            seen[at].tool != seen[index].tool && at < next && last.is_none_or(|last| at > last) && !early
        })
    }

    /// A list of a view that leaves some out, where the line has one parameter that means nothing yet.
    fn late_word(&self, index: usize, call: &Seen) -> Option<LateWord> {
        let View::List(view) = &self.work.derived.views[call.tool] else { return None };
        let line = call.line.as_ref().filter(|_| is_success(call.status))?;
        let mut strange = line.params.iter().filter(|param| !view.query.roles.contains_key(&param.key));
        let param = strange.next().filter(|_| matches!(view.scope, Scope::Constant(..)))?;
        if strange.next().is_some() || view.query.readings.contains_key(&param.key) {
            return None;
        }
        let shown = self.history.by_call.get(&index).into_iter().flatten();
        let listed =
            shown.map(|(key, _)| entity_of(&self.world, key).map(|entity| self.work.derived.filter_fields(&entity)));
        let word = (param.key.clone(), param.text.clone());
        Some(LateWord { seen: index, word, listed: listed.collect::<Option<_>>()?, world: self.world.clone() })
    }

    /// The order in which a read lists what its view lists, too.
    fn late_list(&self, index: usize, call: &Seen) -> Option<LateList> {
        let View::List(view) = &self.work.derived.views[call.tool] else { return None };
        let line = call.line.as_ref().filter(|line| leaves_order(view, line))?;
        let path = self.work.raw_path(call);
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: Some(line) };
        let selection = select_list(&self.work.derived, &self.world, view, read, line).ok()?;
        let shown = self.history.by_call.get(&index)?;
        let entities: Vec<Arc<Entity>> =
            shown.iter().map(|(key, _)| entity_of(&self.world, key)).collect::<Option<_>>()?;
        let key = |entity: &Arc<Entity>| (Arc::clone(&entity.collection), Arc::clone(&entity.id));
        let listed: Vec<_> = selection.listed().iter().map(key).collect();
        let recorded: Vec<_> = entities.iter().map(key).collect();
        let listed_as = listed == recorded;
        let one: BTreeSet<_> = listed.into_iter().collect();
        let other: BTreeSet<_> = recorded.into_iter().collect();
        let paged = selection.range.len() != selection.matched;
        if one != other && !paged {
            return None;
        }
        let listed = entities.iter().map(|entity| self.work.derived.filter_fields(entity)).collect();
        Some(LateList { tool: call.tool, listed, differs: !listed_as })
    }

    /// Entities that a read says are gone: a list of everything that leaves them out, a read of one that is absent.
    fn vanished(&mut self, index: usize, call: &Seen, changes: &mut Vec<Change>) {
        let mut gone: Vec<EntityKey> = Vec::new();
        match &self.work.derived.views[call.tool] {
            View::List(view) if is_success(call.status) => {
                let Some(line) = call.line.as_ref() else { return };
                let path = self.work.raw_path(call);
                let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: Some(line) };
                let selected = select_list(&self.work.derived, &self.world, view, read, line);
                let Ok(selection) = selected else { return };
                if selection.range.len() != selection.matched || !leaves_all(view, line) {
                    return;
                }
                let shown: BTreeSet<(&str, &str)> = self
                    .history
                    .by_call
                    .get(&index)
                    .into_iter()
                    .flatten()
                    .map(|(key, _)| (key.1.as_str(), key.2.as_str()))
                    .collect();
                gone.extend(
                    selection
                        .listed()
                        .iter()
                        .filter(|entity| !shown.contains(&(entity.collection.as_ref(), entity.id.as_ref())))
                        .map(|entity| (view.entity_type, entity.collection.to_string(), entity.id.to_string())),
                );
            }
            View::Item(view) if says_absent(call.status) => {
                let Some(line) = call.line.as_ref() else { return };
                let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
                let held = find_addressed(&self.work.derived, &self.world, view, read, line);
                let held = held.filter(|held| !view.leaves_out(held));
                let key = held.map(|held| (view.entity_type, held.collection.to_string(), held.id.to_string()));
                // What another view shows beside it is only left out of this one.
                gone.extend(key.filter(|key| !self.stays(key, index)));
            }
            _ => {}
        }
        for key in gone {
            let since = self.known.get(&key).copied();
            let writes = self.writes.iter().copied().filter(|write| since.is_none_or(|since| *write > since)).collect();
            if let Some(held) = self.world.remove_entity(key.0, &key.1, &key.2) {
                changes.push(Change {
                    key,
                    what: Changed::Vanished(held),
                    writes,
                    read: index,
                    world: World::default(),
                });
            }
        }
    }
}
