//! Proposing gathered members: what a changed slot shows of the entities that name its holder, as far as all recordings
//! agree with it.

use super::clock_format::ClockFormat;
use super::effect::EffectRule;
use super::effect_gather::{Gather, GatherOrder, Gathered, Items, Picked};
use super::effect_propose::{Finder, conditions, differences};
use super::effect_relation::{Relation, address, may_name, named_ids, relations};
use super::line::scalar_text;
use super::member_cast::Cast;
use super::path::{MemberPath, Step, scalar_paths};
use super::slot::{Slot, merged};
use super::store::{Entity, World};
use super::text_rule::find_text_rule;
use super::write_sample::{entity_of, slot_shown};
use super::write_truth::{Change, Changed};
use crate::json::Value;
use crate::manifest::{Segment, decode_once, split_path};
use std::collections::HashMap;
use std::sync::Arc;

/// Holders and changes that are looked at as evidence.
const MAX_EVIDENCE: usize = 120;
/// Holders with and holders without that prove a value that lasts as long as something names its holder.
const MIN_HOLDERS: usize = 2;
/// What may stand between joined texts.
const BETWEEN: [&str; 5] = [",", ", ", ";", "|", " "];

/// What a holder showed, and the entities that named it then.
struct Evidence {
    /// `None` where it was left out.
    value: Option<Value>,
    /// All its values then.
    holder: Arc<Value>,
    found: Vec<(Arc<str>, Value)>,
    /// Whether it is as the first reads show it: then the rule must say it.
    first: bool,
}

type Found = Vec<(Arc<str>, Value)>;

impl Finder<'_, '_> {
    /// The rule by which a changed slot is made of the entities that name its holder.
    pub(super) fn gather(
        &self,
        change: &Change,
        slot: &Slot,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Option<EffectRule> {
        let mut paths = vec![MemberPath(vec![Step::Member(slot.key().into())])];
        if let (Some(before), Some(after)) = (before, after)
            && after.as_object().is_some()
        {
            paths = differences(slot, before, after).into_iter().map(|(path, _, _)| path).collect();
        }
        let text = after.is_some_and(|after| after.as_str().is_some());
        for of in 0..self.work.derived.types.len() {
            let mut relations = self.relations_to(change, of);
            // A list of references says more than a member that repeats one of them.
            relations.sort_by_key(|by| text && !matches!(by, Relation::Member(path) if path.through_array()));
            for by in relations {
                for path in &paths {
                    let evidence = self.evidence(change, slot, path, of, &by);
                    if let Some(rule) = self.gathers(change, path, of, &by, &evidence, slot) {
                        return Some(EffectRule::Gather(Box::new(rule)));
                    }
                }
            }
        }
        None
    }

    /// How entities of a type name the changed one, now or at the start.
    fn relations_to(&self, change: &Change, of: usize) -> Vec<Relation> {
        let (holder, _, id) = &change.key;
        let named = address(&change.key);
        let template = &self.work.derived.types[of].template.segments;
        let mut found: Vec<Relation> = Vec::new();
        let worlds = [&change.world, &self.work.derived.world];
        let entities = worlds.iter().flat_map(|world| world.collections(of)).flat_map(|(_, held)| held.iter());
        let entities: Vec<&Arc<Entity>> = entities.take(MAX_EVIDENCE * 4).collect();
        let names_itself = |by: &Relation| {
            of == *holder && entities.iter().any(|entity| named_ids(by, entity).iter().any(|id| **id == *entity.id))
        };
        let template_names =
            |entity: &Entity| split_path(&entity.collection).iter().any(|part| decode_once(part) == *id);
        for entity in &entities {
            if !self.known.may_hold(entity, id) && !template_names(entity) {
                continue;
            }
            for by in relations(&self.work.derived, (of, entity), named) {
                if found.contains(&by) || names_itself(&by) {
                    continue;
                }
                let fits = match &by {
                    Relation::Segment(index) => {
                        template.get(*index).is_some_and(|segment| !matches!(segment, Segment::Literal(_)))
                    }
                    Relation::Member(path) => {
                        let itself = of == *holder && *path == self.work.derived.types[of].identity;
                        !itself && path.0.len() <= 3 && self.refers(of, path, *holder, &change.world)
                    }
                };
                if fits {
                    found.push(by);
                }
            }
        }
        found.sort_by_key(|by| match by {
            Relation::Segment(index) => (0, *index, String::new()),
            Relation::Member(path) => (1, path.0.len(), path.spelling()),
        });
        found
    }

    fn evidence(&self, change: &Change, slot: &Slot, path: &MemberPath, of: usize, by: &Relation) -> Vec<Evidence> {
        let kind = change.key.0;
        let derived = &self.work.derived;
        let by_holder = |world: &World, only: Option<&str>| {
            let mut map: HashMap<String, Vec<Arc<Entity>>> = HashMap::new();
            for entity in world.collections(of).flat_map(|(_, collection)| collection.iter()) {
                if only.is_some_and(|id| !self.known.may_name(by, entity, id)) {
                    continue;
                }
                for id in named_ids(by, entity) {
                    map.entry(id).or_default().push(Arc::clone(entity));
                }
            }
            map
        };
        let found = |map: &HashMap<String, Vec<Arc<Entity>>>, holder: &Entity| -> Found {
            let named = map.get(holder.id.as_ref()).into_iter().flatten();
            let above = (kind, holder.collection.as_ref());
            named
                .filter(|entity| may_name(derived, by, (of, &entity.collection), above))
                .map(|entity| (Arc::clone(&entity.id), merged(entity)))
                .collect()
        };
        let shown = |entity: &Entity| -> Option<(Option<Value>, Arc<Value>)> {
            slot_shown(derived, entity, slot)?;
            let all = Arc::new(merged(entity));
            Some((path.direct(&all).cloned(), all))
        };
        let mut all = Vec::new();
        let held = by_holder(&derived.world, None);
        for entity in derived.world.collections(kind).flat_map(|(_, held)| held.iter()).take(MAX_EVIDENCE) {
            if let Some((value, holder)) = shown(entity) {
                let found = found(&held, entity);
                all.push(Evidence { value, holder, found, first: true });
            }
        }
        let same =
            |other: &&Change| other.key.0 == kind && matches!(&other.what, Changed::Slot(held, _, _) if held == slot);
        for other in std::iter::once(change).chain(self.changes.iter().filter(same)).take(MAX_EVIDENCE / 2) {
            let Some(entity) = entity_of(&other.world, &other.key) else { continue };
            let Some((value, holder)) = shown(&entity) else { continue };
            let found = found(&by_holder(&other.world, Some(&entity.id)), &entity);
            all.push(Evidence { value, holder, found, first: false });
        }
        all
    }

    /// The first rule that all evidence agrees with.
    fn gathers(
        &self,
        change: &Change,
        path: &MemberPath,
        of: usize,
        by: &Relation,
        evidence: &[Evidence],
        slot: &Slot,
    ) -> Option<Gather> {
        let shared: Vec<Arc<Value>> =
            evidence.iter().flat_map(|one| &one.found).map(|(_, values)| Arc::new(values.clone())).collect();
        let mut conditioned: Vec<Option<(MemberPath, Value)>> = vec![None];
        let text = evidence.iter().filter_map(|one| one.value.as_ref()).any(|value| value.as_str().is_some());
        if !text {
            conditioned.extend(conditions(&shared).into_iter().map(Some));
        }
        if text && let Some(rule) = self.lasts(change, path, of, by, evidence, &conditions(&shared)) {
            return Some(rule);
        }
        for only in conditioned {
            for order in GatherOrder::ALL {
                let narrowed: Vec<Evidence> = evidence.iter().map(|one| narrowed(one, only.as_ref(), order)).collect();
                // Holders that nothing names and that differ are named by what is not held.
                let Ok(empty) = empty_value(&narrowed) else { continue };
                for made in self.candidates(change, of, &narrowed, slot) {
                    let (path, by, only, empty) = (path.clone(), by.clone(), only.clone(), empty.clone());
                    let rule = Gather { holder: change.key.0, path, of, by, only, made, order, empty };
                    if agrees(&rule, &narrowed) {
                        return Some(rule);
                    }
                }
            }
        }
        None
    }

    /// A text of the holder's own members while something names it, and another one while nothing does.
    fn lasts(
        &self,
        change: &Change,
        path: &MemberPath,
        of: usize,
        by: &Relation,
        evidence: &[Evidence],
        conditions: &[(MemberPath, Value)],
    ) -> Option<Gather> {
        let Some(Step::Member(name)) = path.0.first().filter(|_| path.0.len() == 1) else { return None };
        std::iter::once(None).chain(conditions.iter().cloned().map(Some)).find_map(|only| {
            let narrowed: Vec<Evidence> =
                evidence.iter().map(|one| narrowed(one, only.as_ref(), GatherOrder::Held)).collect();
            let empty = empty_value(&narrowed).ok()??;
            let named = narrowed.iter().filter(|one| !one.found.is_empty());
            let pairs: Option<Vec<(&Value, &str)>> =
                named.map(|one| Some((one.holder.as_ref(), one.value.as_ref()?.as_str()?))).collect();
            let pieces = find_text_rule(name, &pairs.filter(|pairs| pairs.len() > 1)?)?;
            let made = Gathered::While(pieces);
            let (path, by) = (path.clone(), by.clone());
            let rule =
                Gather { holder: change.key.0, path, of, by, only, made, order: GatherOrder::Held, empty: Some(empty) };
            agrees(&rule, &narrowed).then_some(rule)
        })
    }

    /// What may be made of the entities, by the look of the value.
    fn candidates(&self, change: &Change, of: usize, evidence: &[Evidence], slot: &Slot) -> Vec<Gathered> {
        let telling =
            |one: &&Evidence| !one.found.is_empty() && one.value.as_ref().is_some_and(|value| !value.is_null());
        let Some(sample) = evidence.iter().filter(telling).max_by_key(|one| one.found.len()) else { return Vec::new() };
        let Some(value) = &sample.value else { return Vec::new() };
        let identity = &self.work.derived.types[of].identity;
        let mut paths: Vec<MemberPath> = scalar_paths(sample.found.iter().map(|(_, values)| values))
            .into_iter()
            .filter(|path| !path.through_array() && path.0.len() <= 2)
            .collect();
        paths.sort_by_key(|path| (path != identity, path.0.len()));
        let number = |path: &&MemberPath| {
            sample.found.iter().all(|(_, values)| {
                path.direct(values).is_none_or(|value| value.is_null() || value.as_number().is_some())
            })
        };
        match value.plain() {
            Value::Array(items) if items.iter().all(|item| item.as_object().is_some()) => {
                self.items(change, of, evidence, slot).into_iter().map(Gathered::Items).collect()
            }
            Value::Array(_) => {
                let fixed = Gathered::Fixed(value.clone());
                let casts = [Cast::ToNumber, Cast::ToText];
                let spelled = paths.iter().flat_map(|path| casts.map(|cast| Gathered::EachAs(path.clone(), cast)));
                let spelled: Vec<Gathered> = spelled.collect();
                paths.into_iter().map(Gathered::Each).chain(spelled).chain(std::iter::once(fixed)).collect()
            }
            Value::Bool(_) => vec![Gathered::Fixed(value.clone())],
            Value::String(_) => {
                let only = paths.clone().into_iter().map(Gathered::Only);
                let clock = |path: &&MemberPath| {
                    sample
                        .found
                        .iter()
                        .all(|(_, values)| path.direct(values).is_some_and(|value| ClockFormat::of(value).is_some()))
                };
                let newest: Vec<Gathered> = paths.iter().filter(clock).cloned().map(Gathered::Newest).collect();
                let joined = paths
                    .into_iter()
                    .flat_map(|path| BETWEEN.map(|between| Gathered::Joined(path.clone(), between.into())));
                newest.into_iter().chain(joined).chain(only).collect()
            }
            Value::Number(_) => {
                let sums = paths.iter().filter(number).cloned().map(Gathered::Sum);
                let means = paths.iter().filter(number).cloned().map(Gathered::Mean);
                let scalar = |path: &&MemberPath| {
                    sample.found.iter().all(|(_, values)| path.direct(values).is_some_and(|value| !value.is_null()))
                };
                let different = paths.iter().filter(scalar).cloned().map(Gathered::Different);
                std::iter::once(Gathered::Number).chain(sums).chain(means).chain(different).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Lists of objects that show the entities: which members are copies of what.
    fn items(&self, change: &Change, of: usize, evidence: &[Evidence], slot: &Slot) -> Vec<Items> {
        let list = |one: &Evidence| -> Vec<Value> {
            one.value.as_ref().and_then(Value::as_array).map(<[Value]>::to_vec).unwrap_or_default()
        };
        let Some(longest) =
            evidence.iter().flat_map(list).max_by_key(|item| item.as_object().map_or(0, |held| held.len()))
        else {
            return Vec::new();
        };
        let names: Vec<Box<str>> =
            longest.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str()).map(Into::into).collect();
        let mut all = Vec::new();
        for key in &names {
            for picked in [Picked::All, Picked::Last, Picked::Greatest] {
                // The items with the entities that they show.
                let mut pairs: Vec<(Value, &Value)> = Vec::new();
                let matched = evidence.iter().filter(|one| one.first).all(|one| {
                    let items = list(one);
                    let shown = picked.of(&one.found);
                    items.len() == shown.len()
                        && items
                            .iter()
                            .zip(shown)
                            .all(|(item, (id, _))| item.get(key).and_then(scalar_text).as_deref() == Some(id.as_ref()))
                        && {
                            pairs.extend(items.into_iter().zip(shown.iter().map(|(_, values)| values)));
                            true
                        }
                });
                if !matched {
                    continue;
                }
                for one in evidence.iter().filter(|one| !one.first) {
                    for item in list(one) {
                        let id = item.get(key).and_then(scalar_text);
                        let held = one.found.iter().find(|(held, _)| Some(held.as_ref()) == id.as_deref());
                        pairs.extend(held.map(|(_, values)| (item.clone(), values)));
                    }
                }
                let copies: Vec<(Box<str>, MemberPath)> =
                    names.iter().filter_map(|name| Some((name.clone(), copied(name, &pairs)?))).collect();
                if pairs.is_empty() || !copies.iter().any(|(name, _)| name == key) || copies.len() < 2.min(names.len())
                {
                    continue;
                }
                let born = self.born(change, of, slot, key, &names, &copies, &pairs);
                all.push(Items { key: key.clone(), copies, born, names: names.clone(), shown: picked });
            }
        }
        all
    }

    /// What members that are no copies are in new items: what they were in every one that came into a list.
    #[allow(clippy::too_many_arguments)]
    fn born(
        &self,
        change: &Change,
        of: usize,
        slot: &Slot,
        key: &str,
        names: &[Box<str>],
        copies: &[(Box<str>, MemberPath)],
        pairs: &[(Value, &Value)],
    ) -> Vec<(Box<str>, Value)> {
        let mut new: Vec<&Value> = Vec::new();
        for other in self.changes.iter().filter(|other| other.key.0 == change.key.0) {
            let Changed::Slot(held, before, Some(after)) = &other.what else { continue };
            let of_these = |write: &usize| self.samples.get(write).is_some_and(|sample| sample.key.0 == of);
            if held != slot || !other.writes.iter().all(of_these) {
                continue;
            }
            let ids: Vec<Option<String>> = before
                .iter()
                .filter_map(Value::as_array)
                .flatten()
                .map(|item| item.get(key).and_then(scalar_text))
                .collect();
            let items = after.as_array().into_iter().flatten();
            new.extend(items.filter(|item| !ids.contains(&item.get(key).and_then(scalar_text))));
        }
        names
            .iter()
            .filter(|name| !copies.iter().any(|(copied, _)| copied == *name))
            .filter_map(|name| {
                let from: Vec<&Value> = if new.is_empty() {
                    pairs.iter().filter_map(|(item, _)| item.get(name)).collect()
                } else {
                    new.iter().filter_map(|item| item.get(name)).collect()
                };
                let first = from.first().filter(|_| new.is_empty() || from.len() == new.len())?;
                from.iter().all(|value| value.same_as(first)).then(|| (name.clone(), (*first).clone()))
            })
            .collect()
    }
}

/// The slot that a member of items is a copy of, in all of them.
fn copied(name: &str, pairs: &[(Value, &Value)]) -> Option<MemberPath> {
    let keys = pairs.iter().max_by_key(|(_, values)| values.as_object().map_or(0, |held| held.len()))?;
    let mut keys: Vec<&str> = keys.1.as_object()?.iter().filter_map(|(key, _)| key.as_str()).collect();
    keys.sort_by_key(|key| (*key != name, key.split('\u{0}').next() != Some(name)));
    let mut shown = false;
    let same = |key: &str, shown: &mut bool| {
        pairs.iter().all(|(item, values)| match (item.get(name), values.get(key)) {
            (Some(item), Some(value)) => {
                *shown = true;
                item.same_as(value)
            }
            (None, None) => true,
            _ => false,
        })
    };
    let own = |key: &&&str| key.split('\u{0}').next() == Some(name);
    let key = keys.iter().filter(own).find(|key| same(key, &mut shown)).or_else(|| {
        // Under another name only what tells entities apart.
        let mut texts: Vec<String> =
            pairs.iter().filter_map(|(item, _)| item.get(name).and_then(scalar_text)).collect();
        texts.sort_unstable();
        texts.dedup();
        if texts.len() < 2 { None } else { keys.iter().find(|key| same(key, &mut shown)) }
    })?;
    shown.then(|| MemberPath(vec![Step::Member((*key).into())]))
}

fn narrowed(one: &Evidence, only: Option<&(MemberPath, Value)>, order: GatherOrder) -> Evidence {
    let counts =
        |values: &Value| only.is_none_or(|(path, value)| path.direct(values).is_some_and(|held| held.same_as(value)));
    let mut found: Found = one.found.iter().filter(|(_, values)| counts(values)).cloned().collect();
    order.arrange(&mut found);
    Evidence { value: one.value.clone(), holder: Arc::clone(&one.holder), found, first: one.first }
}

/// What holders show that nothing names; an error where they differ.
fn empty_value(evidence: &[Evidence]) -> Result<Option<Option<Value>>, ()> {
    let mut empty = evidence.iter().filter(|one| one.found.is_empty()).map(|one| &one.value);
    let Some(first) = empty.next() else { return Ok(None) };
    if empty.all(|one| same(one, first)) { Ok(Some(first.clone())) } else { Err(()) }
}

/// Whether two showings show the same, or both leave it out.
fn same(one: &Option<Value>, other: &Option<Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.same_as(other),
        (None, None) => true,
        _ => false,
    }
}

/// Whether a rule says what the first reads showed, and most of what changed later; and whether they tell at all.
fn agrees(rule: &Gather, evidence: &[Evidence]) -> bool {
    let says = |one: &Evidence| {
        let ruled = rule.value(&one.found, one.value.as_ref(), &one.holder);
        match (&ruled, &one.value) {
            (Some(Some(ruled)), Some(value)) => ruled.same_as(value),
            (Some(None), None) => true,
            // What it is without any is not known yet.
            (None, _) => one.found.is_empty(),
            _ => false,
        }
    };
    let mut later = evidence.iter().filter(|one| !one.first);
    if !evidence.iter().filter(|one| one.first).all(says) || !later.next().is_some_and(says) {
        return false;
    }
    let rest: Vec<bool> = later.map(says).collect();
    let held = rest.iter().filter(|held| **held).count();
    let mut values: Vec<String> = Vec::new();
    for one in evidence.iter().filter(|one| !one.found.is_empty()) {
        let text = one.value.as_ref().map(Value::to_compact).unwrap_or_default();
        if !values.contains(&text) {
            values.push(text);
        }
    }
    // What is made of one alone is as well a copy of it.
    let several = evidence.iter().filter(|one| one.found.len() > 1).count();
    let varied = |path: &MemberPath| {
        let all = evidence.iter().flat_map(|one| &one.found).filter_map(|(_, values)| path.direct(values));
        let texts: std::collections::BTreeSet<String> = all.map(Value::to_compact).collect();
        texts.len() > 1
    };
    // What is the same with none says nothing of them.
    let differs = || {
        let shown = evidence.iter().filter(|one| !one.found.is_empty()).map(|one| &one.value);
        rule.empty.as_ref().is_none_or(|empty| shown.into_iter().any(|shown| !same(shown, empty)))
    };
    let telling = match &rule.made {
        Gathered::Sum(path) | Gathered::Mean(path) => several >= 2 && varied(path),
        Gathered::Joined(path, _) | Gathered::Each(path) | Gathered::EachAs(path, _) => several >= 1 && varied(path),
        Gathered::Only(path) => varied(path),
        Gathered::Newest(path) => several >= 1 && varied(path),
        Gathered::Different(path) => several >= 2 && varied(path),
        Gathered::Fixed(_) => {
            let empty = evidence.iter().filter(|one| one.found.is_empty()).count();
            empty >= MIN_HOLDERS && evidence.len() - empty >= MIN_HOLDERS && rule.empty.is_some() && differs()
        }
        Gathered::While(_) => differs() && evidence.iter().filter(|one| one.found.is_empty()).count() > 1,
        Gathered::Number | Gathered::Items(_) => true,
    };
    let varies = values.len() >= 2 || matches!(rule.made, Gathered::Fixed(_));
    // A clock that writes of what names its holder set is mostly the newest of theirs, too: not after a removal.
    if matches!(rule.made, Gathered::Newest(_)) && held < rest.len() {
        return false;
    }
    held * 10 >= rest.len() * 6 && varies && telling
}
