//! Finding the sample of a recorded write: which entity it was about, what became of it, and what it holds after, as far as
//! the answer and the reads until the next write show.

use super::absence::says_absent;
use super::addressed::find_addressed;
use super::effect::texts_of;
use super::evaluate::Read;
use super::identity::{fill_home, home_of, identity_text};
use super::line::scalar_text;
use super::observe::Seen;
use super::slot::slots_of;
use super::sorted_array::shows;
use super::types::View;
use super::write_bulk_find::lists_identity;
use super::write_history::{EntityKey, Shown, add_showing};
use super::write_joint::Joint;
use super::write_lag::lag;
use super::write_plan::{Target, TargetPlace};
use super::write_sample::{Fate, Sample, answered_entity, entity_of, followed, shown_of};
use super::write_truth::Walk;
use crate::capture::is_success;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Writes that may follow one before the read that shows what they did.
const MAX_JOINT: usize = 4;

impl<'a> Walk<'_, 'a> {
    pub(super) fn sample(&mut self, index: usize, call: &'a Seen) -> Option<Sample<'a>> {
        let (target, envelope) = self.targets.get(&call.tool)?;
        if !is_success(call.status) {
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
            (false, TargetPlace::Entity(_) | TargetPlace::Document(_) | TargetPlace::Tree) => Fate::Missed,
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
            lags: BTreeMap::new(),
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
        seen.iter().filter(|call| says_absent(call.status)).any(|call| {
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
            TargetPlace::Document(_) | TargetPlace::Tree => None,
            TargetPlace::Collection => self.created_key(index, call, target.entity_type, sent),
            TargetPlace::Entity(address) => {
                let line = call.as_write().line();
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
            .or_else(|| self.only_new(index, kind, sent))
            .or_else(|| self.only_like(index, call, kind, sent))?;
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
        let writes = |call: &Seen| call.wrote(self.work.manifest);
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

    /// The identity of the only entity that reads show for the first time after a call and a few writes that follow it, and
    /// that has all that was sent and all that the path says.
    fn only_like(&self, index: usize, call: &Seen, kind: usize, sent: &Value) -> Option<String> {
        let seen = &self.work.observed.seen;
        let writes = |call: &Seen| call.wrote(self.work.manifest);
        let mut later = (index + 1..seen.len()).filter(|at| writes(&seen[*at]));
        let last = later.nth(MAX_JOINT).unwrap_or(seen.len());
        let says = sent.as_object()?.iter().filter_map(|(name, value)| Some((name.as_str()?, scalar_text(value)?)));
        let says: Vec<(&str, String)> = says.filter(|(_, text)| !text.is_empty()).collect();
        let like = |value: &Value| {
            let mut texts = BTreeSet::new();
            texts_of(value, &mut texts);
            // What is called as it was sent has to be it.
            let said = |(name, text): &(&str, String)| match value.get(name).and_then(scalar_text) {
                Some(held) => held == *text,
                None => texts.contains(text),
            };
            says.iter().all(said) && call.parameters.iter().all(|text| texts.contains(text))
        };
        let shown = (index + 1..last).filter_map(|at| self.history.by_call.get(&at)).flatten();
        let new = shown.filter(|(key, _)| key.0 == kind && entity_of(&self.world, key).is_none());
        let mut new = new.filter(|(_, showing)| like(showing.value)).map(|(key, _)| key);
        let key = new.next().filter(|_| !says.is_empty() && !call.parameters.is_empty())?;
        new.all(|other| other == key).then(|| key.2.clone())
    }

    /// The next 2xx write whose path or body names the entity, or whose answer is the entity.
    pub(super) fn next_write(&self, key: &EntityKey, index: usize) -> usize {
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
                is_success(call.status)
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

    /// What the target holds after a write that others follow before any read: of what reads show in the end, what is this
    /// call's.
    fn after_joint(&self, sample: &mut Sample<'a>, key: &EntityKey, mut next: usize) {
        let seen = &self.work.observed.seen;
        let mut others: Vec<&Value> = Vec::new();
        let mut shown = Shown::new();
        while let Some(call) = seen.get(next).filter(|_| others.len() < MAX_JOINT) {
            let Some(sent) = call.sent.as_deref() else { return };
            others.push(sent);
            let end = self.next_write(key, next);
            for showing in self.history.of(key) {
                let apart = |earlier: &Seen| {
                    let (end, start) =
                        (earlier.span.map(|(_, end)| end), seen[showing.seen].span.map(|(start, _)| start));
                    end.zip(start).is_none_or(|(end, start)| start >= end)
                };
                if showing.seen > next && showing.seen < end && apart(call) && apart(sample.call) {
                    add_showing(self.work, showing, &mut shown);
                }
            }
            if !shown.is_empty() {
                break;
            }
            next = end;
        }
        let Some(own) = sample.call.sent.as_deref() else { return };
        let joint = Joint::new(own, &others, &key.2);
        for (slot, value) in shown {
            let Some(before) = sample.before.get(&slot) else { continue };
            // What looks the same may have been changed and changed back: it says nothing.
            let changed = |after: &Option<Value>| match (before, after) {
                (Some(before), Some(after)) => !before.same_as(after),
                (before, after) => before.is_some() != after.is_some(),
            };
            if let Some(after) = joint.after_own(before.as_ref(), value.as_ref()).filter(changed) {
                sample.after.insert(slot, after);
            }
        }
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
        if sample.after.is_empty() && sample.fate == Fate::Changed && sample.renamed.is_none() {
            self.after_joint(sample, key, next);
        }
        // Where reads sort, what was sent tells the order that is held; of what was not, what was held before.
        for (slot, read) in &mut sample.after {
            let before = || sample.before.get(slot).and_then(Option::as_ref);
            let told = sample.sent.get(&slot.name).or_else(before);
            if let (Some(told), Some(read)) = (told, read)
                && shows(&self.work.derived, sample.key.0, &slot.name, told, read)
            {
                *read = told.clone();
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
                    let more = lag(value, sample.after.get(&slot).and_then(Option::as_ref)).filter(|_| !agrees);
                    sample.lags.extend(more.map(|more| (slot.clone(), more)));
                    sample.answer_agrees.insert(slot, agrees);
                }
                None => {
                    sample.only_answered.insert(slot.clone());
                    sample.after.insert(slot, Some(value.clone()));
                }
            }
        }
    }
}
