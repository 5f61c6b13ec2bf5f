//! Samples: each recorded 2xx call of a write tool with what its target held before and after it. Found by walking the
//! timeline with a world that follows what the reads show, whatever changed it (`truth`).

use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, apply_effects};
use super::evaluate::{Read, find_addressed, select_list};
use super::identity::{fill_home, home_of, identity_text};
use super::late_order::{LateList, leaves_order};
use super::late_scope::LateHidden;
use super::line::{Line, scalar_text};
use super::observe::{Seen, is_read};
use super::slot::{Left, Slot, entity_with, slots_of};
use super::sorted_array::shows;
use super::store::{Entity, World};
use super::types::View;
use super::write_bulk_find::{Singles, lists_identity};
use super::write_history::{EntityKey, History, Shown, add_showing};
use super::write_plan::{BodyEnvelope, Target, TargetPlace};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// What became of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It was absent and is held since.
    Created,
    /// It was held and still is.
    Changed,
    /// It was held and is no more.
    Removed,
    /// It was absent and still is.
    Missed,
}

/// One recorded call and its target.
#[derive(Debug)]
pub(super) struct Sample<'a> {
    /// The call, as an index into the observed calls.
    pub index: usize,
    /// The call.
    pub call: &'a Seen,
    /// The target.
    pub key: EntityKey,
    /// What became of it.
    pub fate: Fate,
    /// The sent members, without envelope.
    pub sent: Value,
    /// What the target's slots held.
    pub before: Shown,
    /// What they hold after, as far as reads (or the answer) show.
    pub after: Shown,
    /// Slots that only the answer shows.
    pub only_answered: BTreeSet<Slot>,
    /// Slots that the answer and a read show, and whether both show the same.
    pub answer_agrees: BTreeMap<Slot, bool>,
    /// The world before the call, as the reads show it.
    pub world: World,
    /// The identity that the call gives the target.
    pub renamed: Option<String>,
}

impl Sample<'_> {
    /// Values of slots as one object.
    pub(super) fn object(shown: &Shown) -> Value {
        let members: Object = shown
            .iter()
            .filter_map(|(slot, value)| value.as_ref().map(|value| (slot.key().into(), value.clone())))
            .collect();
        Value::Object(members)
    }
}

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
    /// Lists that late reads show.
    pub lists: Vec<LateList>,
}

/// The walk under way.
struct Walk<'w, 'a> {
    work: &'w Derivation<'a>,
    history: &'w History<'a>,
    targets: &'w BTreeMap<usize, (Target, BodyEnvelope)>,
    singles: &'a Singles,
    world: World,
    /// When an entity was last shown, or written.
    known: HashMap<EntityKey, usize>,
    /// When one view's own values of it were last shown, or written.
    known_views: HashMap<(EntityKey, Option<usize>), usize>,
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
    for (index, call) in work.observed.seen.iter().enumerate().skip(from) {
        if (200..300).contains(&call.status) && !is_read(&work.manifest.tools[call.tool]) {
            walk.writes.push(index);
        }
        if let Some(singles) = walk.singles.get(&index) {
            let samples = singles.iter().filter_map(|single| walk.sample(index, single)).collect::<Vec<_>>();
            found.samples.entry(call.tool).or_default().extend(samples);
        } else if let Some(sample) = walk.sample(index, call) {
            found.samples.entry(call.tool).or_default().push(sample);
        } else {
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
        }
    }
    let ambiguous = history.ambiguous();
    found.changes.retain(|change| !ambiguous.contains(&change.key.0));
    found
}

impl<'a> Walk<'_, 'a> {
    fn sample(&mut self, index: usize, call: &'a Seen) -> Option<Sample<'a>> {
        let (target, envelope) = self.targets.get(&call.tool)?;
        if !(200..300).contains(&call.status) {
            return None;
        }
        let sent = call.sent.as_deref().and_then(|body| envelope.open(body)).cloned().unwrap_or(Value::Null);
        let key = self.key_of(index, call, target, &sent)?;
        let held = entity_of(&self.world, &key);
        let next = self.next_write(&key, index);
        let shown_later = self.history.of(&key).iter().any(|showing| showing.seen > index && showing.seen < next);
        let deletes = self.work.manifest.tools[call.tool].method == "DELETE";
        let removes = deletes || self.read_absent(&key, index, next);
        let fate = match (held.is_some(), &target.place) {
            (true, TargetPlace::Entity(_)) if removes && !shown_later => Fate::Removed,
            (true, _) => Fate::Changed,
            (false, TargetPlace::Collection) => Fate::Created,
            (false, TargetPlace::Entity(_)) if shown_later && !removes => Fate::Created,
            (false, TargetPlace::Entity(_) | TargetPlace::Document(_)) => Fate::Missed,
        };
        let mut sample = Sample {
            index,
            call,
            key: key.clone(),
            fate,
            sent,
            before: Shown::new(),
            after: Shown::new(),
            only_answered: BTreeSet::new(),
            answer_agrees: BTreeMap::new(),
            world: self.world.clone(),
            renamed: None,
        };
        if let Some(held) = &held {
            sample.before = shown_of(&self.work.derived, key.0, held);
        }
        // An old name that is absent after the call is no removal where the call gave it a new one.
        if fate == Fate::Changed || fate == Fate::Removed && !deletes {
            sample.renamed = self.new_name(&sample);
        }
        let fate = if sample.renamed.is_some() { Fate::Changed } else { fate };
        sample.fate = fate;
        if matches!(fate, Fate::Changed | Fate::Created) {
            let shown = match &sample.renamed {
                Some(name) => (key.0, key.1.clone(), name.clone()),
                None => key.clone(),
            };
            let next = if sample.renamed.is_some() { self.next_write(&shown, index) } else { next };
            self.after(&mut sample, &shown, next);
        }
        if fate != Fate::Missed {
            let shown: BTreeSet<Option<usize>> = sample.after.keys().map(|slot| slot.source).chain([None]).collect();
            self.known_views.extend(shown.into_iter().map(|source| ((key.clone(), source), index)));
            self.known.insert(key, index);
            self.world = followed(&self.work.derived, &self.world, &sample);
        }
        Some(sample)
    }

    /// Whether a read says that an entity which is held is absent after a call, before it is written again.
    fn read_absent(&self, key: &EntityKey, index: usize, next: usize) -> bool {
        let seen = self.work.observed.seen.get(index + 1..next).unwrap_or_default();
        seen.iter().filter(|call| matches!(call.status, 404 | 410)).any(|call| {
            let View::Item(view) = &self.work.derived.views[call.tool] else { return false };
            let Some(line) = call.line.as_ref().filter(|_| view.entity_type == key.0) else { return false };
            let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
            let found = find_addressed(&self.work.derived, &self.world, view, read, line);
            found.is_some_and(|held| *held.collection == *key.1 && *held.id == *key.2)
        })
    }

    /// The target of a recorded call.
    fn key_of(&self, index: usize, call: &Seen, target: &Target, sent: &Value) -> Option<EntityKey> {
        match &target.place {
            TargetPlace::Document(_) => None,
            TargetPlace::Collection => self.created_key(index, call, target.entity_type, sent),
            TargetPlace::Entity(address) => {
                let line = Line::new(&call.query, call.sent.as_deref()).or_else(|| Line::new(&call.query, None))?;
                let kind = target.entity_type;
                let found = address.find(&self.work.derived, &self.world, &call.parameters, &call.path, &line);
                if let Some(held) = found {
                    return Some((kind, held.collection.to_string(), held.id.to_string()));
                }
                let asked = address.asked(&call.parameters, &line)?;
                if self.work.derived.is_home_item(address.item_tool, kind) {
                    let path = address.path(&call.path);
                    return Some((kind, path.get(..path.rfind('/')?)?.to_owned(), asked));
                }
                let home = match self.history.homes.get(&(kind, asked.clone())).map(Vec::as_slice) {
                    Some([home]) => home.clone(),
                    _ => String::new(),
                };
                Some((kind, home, asked))
            }
        }
    }

    fn created_key(&self, index: usize, call: &Seen, kind: usize, sent: &Value) -> Option<EntityKey> {
        let entity_type = &self.work.derived.types[kind];
        let identity = |value: &Value| identity_text(entity_type, None, value);
        let answered = call.body.as_deref().and_then(|body| answered_entity(body, &|value| identity(value).is_some()));
        let id = answered
            .and_then(identity)
            .or_else(|| {
                let bare = call.body.as_deref()?;
                let scalar = bare.as_object().is_none() && bare.as_array().is_none();
                let text = scalar.then(|| scalar_text(bare)).flatten()?;
                self.history.homes.contains_key(&(kind, text.clone())).then_some(text)
            })
            .or_else(|| self.history.made_by(self.work, kind, index, call))
            .or_else(|| identity(sent))
            .or_else(|| self.only_new(index, kind, sent))?;
        let template = &self.work.manifest.tools[call.tool].template;
        let collection = home_of(entity_type, call, template, answered.unwrap_or(sent))
            .or_else(|| match self.history.homes.get(&(kind, id.clone())).map(Vec::as_slice) {
                Some([home]) => Some(home.clone()),
                _ => None,
            })
            .or_else(|| fill_home(entity_type, sent))?;
        Some((kind, collection, id))
    }

    /// The identity of the only entity that reads show for the first time after a call, before anything else is written,
    /// and that has what was sent: the call made it, though its answer does not say so.
    fn only_new(&self, index: usize, kind: usize, sent: &Value) -> Option<String> {
        let seen = &self.work.observed.seen;
        let writes = |call: &Seen| (200..300).contains(&call.status) && !is_read(&self.work.manifest.tools[call.tool]);
        let next = (index + 1..seen.len()).find(|at| writes(&seen[*at])).unwrap_or(seen.len());
        let shown = (index + 1..next).filter_map(|at| self.history.by_call.get(&at)).flatten();
        let mut new = shown.filter(|(key, _)| key.0 == kind && entity_of(&self.world, key).is_none());
        let (key, showing) = new.next()?;
        let has = |(name, value): &(crate::json::Text, Value)| {
            let text = name.as_str().and_then(|name| showing.value.get(name)).and_then(scalar_text);
            text.is_some_and(|text| scalar_text(value).as_ref() == Some(&text))
        };
        let made = sent.as_object()?.iter().any(has);
        (made && new.all(|(other, _)| other == key)).then(|| key.2.clone())
    }

    /// The next 2xx write whose path or body names the entity, or whose answer is the entity.
    fn next_write(&self, key: &EntityKey, index: usize) -> usize {
        let seen = &self.work.observed.seen;
        let sends = |call: &Seen| {
            let members = call.sent.as_deref().and_then(Value::as_object).into_iter().flatten();
            members.filter_map(|(_, value)| scalar_text(value)).any(|text| text == key.2)
        };
        let names = |call: &Seen| {
            call.parameters.contains(&key.2)
                || sends(call)
                || call.sent.as_deref().is_some_and(|body| lists_identity(body, &key.2))
                || call.body.as_deref().is_some_and(|body| {
                    let identity = |value: &Value| identity_text(&self.work.derived.types[key.0], None, value);
                    answered_entity(body, &|value| identity(value).as_deref() == Some(&key.2)).is_some()
                })
        };
        (index + 1..seen.len())
            .find(|at| {
                let call = &seen[*at];
                (200..300).contains(&call.status)
                    && self.targets.get(&call.tool).is_some_and(|(target, _)| target.entity_type == key.0)
                    && names(call)
            })
            .unwrap_or(seen.len())
    }

    /// The identity that a call gives its target: one that it sends, that nothing had before, and that the answer or a
    /// later read shows.
    fn new_name(&self, sample: &Sample<'a>) -> Option<String> {
        let (kind, collection, id) = &sample.key;
        let entity_type = &self.work.derived.types[*kind];
        let members = sample.sent.as_object()?.iter();
        let sent: Vec<String> = members.filter_map(|(_, value)| value.as_str().map(str::to_owned)).collect();
        let identity = |value: &Value| identity_text(entity_type, None, value);
        let answered =
            sample.call.body.as_deref().and_then(|body| {
                answered_entity(body, &|value| identity(value).is_some_and(|text| sent.contains(&text)))
            });
        let fresh = |name: &String| {
            name != id && self.world.collection(*kind, collection).is_none_or(|held| held.get(name).is_none())
        };
        let later = |name: &&String| {
            let key = (*kind, collection.clone(), (*name).clone());
            self.history.of(&key).iter().any(|showing| showing.seen > sample.index)
        };
        let stays = self.history.of(&sample.key).iter().any(|showing| showing.seen > sample.index);
        answered
            .and_then(identity)
            .filter(fresh)
            .or_else(|| sent.iter().filter(|name| fresh(name) && !stays).find(later).cloned())
    }

    /// What the target holds after the write: the first showings until it is written again, then what the answer shows.
    fn after(&self, sample: &mut Sample<'a>, key: &EntityKey, next: usize) {
        let end = sample.call.span.map(|(_, end)| end);
        for showing in self.history.of(key) {
            let seen = &self.work.observed.seen[showing.seen];
            let overlaps = seen.span.zip(end).is_some_and(|((start, _), end)| start < end);
            if showing.seen > sample.index && showing.seen < next && !overlaps {
                add_showing(self.work, showing, &mut sample.after);
            }
        }
        // Where reads sort, what was sent tells the order that is held.
        for (slot, read) in &mut sample.after {
            let sent = sample.sent.get(&slot.name);
            if let (Some(sent), Some(read)) = (sent, read)
                && shows(&self.work.derived, sample.key.0, &slot.name, sent, read)
            {
                *read = sent.clone();
            }
        }
        let entity_type = &self.work.derived.types[sample.key.0];
        let Some(body) = sample.call.body.as_deref() else { return };
        let identity = |value: &Value| identity_text(entity_type, None, value);
        let answered = answered_entity(body, &|value| identity(value).as_deref() == Some(&key.2));
        let Some(answered) = answered else { return };
        for slot in slots_of(&self.work.derived, sample.key.0).into_iter().filter(|slot| slot.source.is_none()) {
            let Some(value) = answered.get(&slot.name) else { continue };
            match sample.after.get(&slot) {
                Some(read) => {
                    let kind = sample.key.0;
                    let agrees =
                        read.as_ref().is_some_and(|read| shows(&self.work.derived, kind, &slot.name, value, read));
                    // Where reads sort, the answer tells the order that is held.
                    if agrees {
                        sample.after.insert(slot.clone(), Some(value.clone()));
                    }
                    sample.answer_agrees.insert(slot, agrees);
                }
                None => {
                    sample.only_answered.insert(slot.clone());
                    sample.after.insert(slot, Some(value.clone()));
                }
            }
        }
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

    /// What a read leaves out of what its view lists, though later reads show that it is still there.
    fn hidden(&self, index: usize, call: &Seen) -> Option<LateHidden> {
        let View::List(view) = &self.work.derived.views[call.tool] else { return None };
        let line = call.line.as_ref().filter(|_| (200..300).contains(&call.status))?;
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
            self.history.of(&key).iter().any(|showing| showing.seen > index && showing.seen < next)
        };
        if left_out.is_empty() || listed.len() != shown.len() || !left_out.iter().all(stays) {
            return None;
        }
        let values = |entities: &[&Arc<Entity>]| {
            entities.iter().map(|entity| self.work.derived.filter_fields(entity)).collect::<Vec<_>>()
        };
        Some(LateHidden { tool: call.tool, listed: values(&listed), left_out: values(&left_out) })
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
            View::List(view) if (200..300).contains(&call.status) => {
                let Some(line) = call.line.as_ref() else { return };
                let path = self.work.raw_path(call);
                let read = Read { tool: call.tool, parameters: &call.parameters, path: &path, line: Some(line) };
                let selected = select_list(&self.work.derived, &self.world, view, read, line);
                let Ok(selection) = selected else { return };
                if selection.range.len() != selection.matched || !line.is_bare() {
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
            View::Item(view) if matches!(call.status, 404 | 410) => {
                let Some(line) = call.line.as_ref() else { return };
                let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
                let held = find_addressed(&self.work.derived, &self.world, view, read, line);
                gone.extend(held.map(|held| (view.entity_type, held.collection.to_string(), held.id.to_string())));
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

/// The held entity of a key.
pub(super) fn entity_of(world: &World, (kind, collection, id): &EntityKey) -> Option<Arc<Entity>> {
    world.collection(*kind, collection)?.get(id).cloned()
}

/// What is known of an entity's slots: values, and members that a showing left out.
pub(super) fn shown_of(derived: &Derived, kind: usize, entity: &Entity) -> Shown {
    let shown = |slot: Slot| slot_shown(derived, entity, &slot).map(|value| (slot, value));
    slots_of(derived, kind).into_iter().filter_map(shown).collect()
}

/// What is known of one slot of an entity's type: its value, or that a showing left it out.
pub(super) fn slot_shown(derived: &Derived, entity: &Entity, slot: &Slot) -> Option<Option<Value>> {
    let value = match slot.source {
        None => entity.fields.get(&slot.name),
        Some(way) => entity.view(way).and_then(|fields| fields.get(&slot.name)),
    };
    if let Some(value) = value {
        return Some(Some(value.clone()));
    }
    let left_out = entity.shown_in.iter().any(|way| {
        derived.representations.get(*way).is_some_and(|held| {
            held.members
                .iter()
                .any(|member| member.name == slot.name && (!member.stored).then_some(member.source) == slot.source)
        })
    });
    left_out.then_some(None)
}

/// The world after a write as the reads show it.
pub(super) fn synced(derived: &Derived, world: &World, sample: &Sample<'_>) -> World {
    let mut next = world.clone();
    let (kind, collection, id) = &sample.key;
    match sample.fate {
        Fate::Missed => {}
        Fate::Removed => {
            next.remove_entity(*kind, collection, id);
        }
        Fate::Created | Fate::Changed => {
            let before = entity_of(world, &sample.key);
            let slots: Vec<(Slot, Left)> = slots_of(derived, *kind)
                .into_iter()
                .filter_map(|slot| {
                    let left = match sample.after.get(&slot) {
                        Some(Some(value)) => Left::Value(value.clone()),
                        Some(None) => Left::Absent,
                        None if before.is_some() => return None,
                        None => Left::Unknown,
                    };
                    Some((slot, left))
                })
                .collect();
            let name = sample.renamed.as_deref().unwrap_or(id);
            let key = (Arc::from(collection.as_str()), Arc::from(name));
            next.rename_entity(*kind, id, entity_with(derived, *kind, key, before.as_deref(), slots));
        }
    }
    next
}

/// The world after a write as the reads show it, with what the effects change elsewhere.
pub(super) fn followed(derived: &Derived, world: &World, sample: &Sample<'_>) -> World {
    let mut next = synced(derived, world, sample);
    let (kind, collection, id) = &sample.key;
    let name = sample.renamed.clone().unwrap_or_else(|| id.clone());
    let before = entity_of(world, &sample.key);
    let after = entity_of(&next, &(*kind, collection.clone(), name));
    let (before, after) = (before.as_deref(), after.as_deref());
    let done = Done::by((sample.call.tool, *kind), before, after, world);
    apply_effects(derived, &mut next, &done);
    next
}

/// The first object of an answer that fits: the root, a member, a member's member, or the only item of a list there.
pub(super) fn answered_entity<'v>(body: &'v Value, fits: &dyn Fn(&Value) -> bool) -> Option<&'v Value> {
    let mut level = vec![body];
    for _ in 0..3 {
        if let Some(found) = level.iter().find(|value| value.as_object().is_some() && fits(value)) {
            return Some(found);
        }
        let mut next = Vec::new();
        for value in level {
            match value.plain() {
                Value::Object(object) => next.extend(object.iter().map(|(_, inner)| inner)),
                Value::Array(items) if items.len() == 1 => next.extend(items),
                _ => {}
            }
        }
        level = next;
    }
    None
}
