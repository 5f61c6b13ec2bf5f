//! The indexes of a type: its entities in the orders that lines ask for, all of them or by what they hold at a member.
//! An index is made when a line first needs it and shared by every version of the world; where a version differs from the
//! one it was made for, the difference is found from what the two do not share, and the index follows.

use super::listing::{Arrangement, Listing};
use super::order::{compare_keys, ties_reverse};
use super::path::MemberPath;
use super::population::{Collection, Kept, Population};
use super::store::Entity;
use crate::json::Value;
use imbl::OrdMap;
use imbl::ordmap::DiffItem;
use std::cmp::Ordering;
use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// Indexes of one type that are kept: orders and members that lines asked for lately.
const MAX_INDEXES: usize = 32;

/// What an index is by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct By {
    /// The collection it is of; `None` is all of the type.
    pub(super) home: Option<Arc<str>>,
    /// The member whose values part it into groups; `None` is one group, called "".
    pub(super) member: Option<MemberPath>,
    /// The order inside a group.
    pub(super) order: Arrangement,
}

/// The indexes of one type, those used last at the end.
#[derive(Default)]
pub(super) struct Indexes(Mutex<Vec<(By, Arc<Index>)>>);

impl fmt::Debug for Indexes {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("_")
    }
}

/// An index as it is for one version of a type.
#[derive(Clone)]
pub(super) struct Index {
    /// The version.
    of: OrdMap<Arc<str>, Collection>,
    groups: HashMap<Box<str>, Group>,
}

/// Entities in order, with their ranks.
#[derive(Clone, Default)]
struct Group {
    ranks: Vec<i64>,
    entities: Listing,
}

/// An entity and its rank.
type Placed = (i64, Arc<Entity>);

impl Index {
    /// A group, when there is one.
    pub(super) fn group(&self, name: &str) -> Option<Listing> {
        self.groups.get(name).map(|group| group.entities.clone())
    }
}

impl Population {
    /// The index by something, as it is for this version.
    pub(super) fn index(&self, by: &By) -> Arc<Index> {
        let held = self.indexes.take(by);
        let index = match held {
            Some(index) if same_version(by, &index.of, &self.collections) => index,
            Some(index) => Arc::new(follow(by, &index, &self.collections)),
            None => Arc::new(build(by, &self.collections)),
        };
        self.indexes.keep(by, &index);
        index
    }
}

impl Indexes {
    fn take(&self, by: &By) -> Option<Arc<Index>> {
        let held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter().rev().find(|(other, _)| other == by).map(|(_, index)| Arc::clone(index))
    }

    fn keep(&self, by: &By, index: &Arc<Index>) {
        let mut held = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((last, newest)) = held.last()
            && last == by
            && Arc::ptr_eq(newest, index)
        {
            return;
        }
        held.retain(|(other, _)| other != by);
        if held.len() >= MAX_INDEXES {
            held.remove(0);
        }
        held.push((by.clone(), Arc::clone(index)));
    }
}

/// Whether two versions hold the same where the index looks.
fn same_version(by: &By, a: &OrdMap<Arc<str>, Collection>, b: &OrdMap<Arc<str>, Collection>) -> bool {
    match &by.home {
        _ if a.ptr_eq(b) => true,
        Some(path) => a.get(path) == b.get(path),
        None => false,
    }
}

fn build(by: &By, collections: &OrdMap<Arc<str>, Collection>) -> Index {
    let mut placed: Vec<Placed> = Vec::new();
    let mut take =
        |collection: &Collection| placed.extend(collection.by_rank.iter().map(|(rank, kept)| (*rank, kept.0.clone())));
    match &by.home {
        Some(path) => collections.get(path).into_iter().for_each(&mut take),
        None => collections.values().for_each(&mut take),
    }
    if by.home.is_none() && collections.len() > 1 {
        placed.sort_unstable_by_key(|(rank, _)| *rank);
    }
    let ranks: HashMap<usize, i64> = placed.iter().map(|(rank, entity)| (address(entity), *rank)).collect();
    let mut entities: Vec<Arc<Entity>> = placed.into_iter().map(|(_, entity)| entity).collect();
    by.order.sort(&mut entities);
    let mut parts: HashMap<Box<str>, Vec<Arc<Entity>>> = HashMap::new();
    match &by.member {
        None => {
            parts.insert("".into(), entities);
        }
        Some(member) => {
            for entity in entities {
                for name in groups_of(&entity, member) {
                    parts.entry(name).or_default().push(entity.clone());
                }
            }
        }
    }
    let group = |entities: Vec<Arc<Entity>>| Group {
        ranks: entities.iter().map(|entity| ranks.get(&address(entity)).copied().unwrap_or_default()).collect(),
        entities: entities.into(),
    };
    let groups = parts.into_iter().map(|(name, entities)| (name, group(entities))).collect();
    Index { of: collections.clone(), groups }
}

fn address(entity: &Arc<Entity>) -> usize {
    Arc::as_ptr(entity).addr()
}

/// The index of another version: what the versions do not share is taken out and put in.
fn follow(by: &By, index: &Index, collections: &OrdMap<Arc<str>, Collection>) -> Index {
    let mut changes = Changes::default();
    match &by.home {
        Some(path) => {
            let nothing = OrdMap::new();
            let ranks = |of: &OrdMap<Arc<str>, Collection>| of.get(path).map(|collection| collection.by_rank.clone());
            let (before, after) = (ranks(&index.of), ranks(collections));
            changes.between(before.as_ref().unwrap_or(&nothing), after.as_ref().unwrap_or(&nothing));
        }
        None => {
            let nothing = OrdMap::new();
            for difference in index.of.diff(collections) {
                match difference {
                    DiffItem::Add(_, new) => changes.between(&nothing, &new.by_rank),
                    DiffItem::Remove(_, old) => changes.between(&old.by_rank, &nothing),
                    DiffItem::Update { old, new } => changes.between(&old.1.by_rank, &new.1.by_rank),
                }
            }
        }
    }
    let held: usize = index.groups.values().map(|group| group.entities.len()).sum();
    if (changes.gone.len() + changes.come.len()) * 8 > held {
        return build(by, collections);
    }
    let mut groups = index.groups.clone();
    let mut touched: HashMap<Box<str>, Vec<Placed>> = HashMap::new();
    let names = |entity: &Arc<Entity>| match &by.member {
        Some(member) => groups_of(entity, member),
        None => BTreeSet::from(["".into()]),
    };
    let open = |groups: &HashMap<Box<str>, Group>, name: &str| -> Vec<Placed> {
        let group = groups.get(name).cloned().unwrap_or_default();
        group.ranks.iter().copied().zip(group.entities.iter().cloned()).collect()
    };
    for one in &changes.gone {
        for name in names(&one.1) {
            let placed = touched.entry(name).or_insert_with_key(|name| open(&groups, name));
            if let Ok(at) = placed.binary_search_by(|held| compare(&by.order, held, one)) {
                placed.remove(at);
            }
        }
    }
    for one in &changes.come {
        for name in names(&one.1) {
            let placed = touched.entry(name).or_insert_with_key(|name| open(&groups, name));
            if let Err(at) = placed.binary_search_by(|held| compare(&by.order, held, one)) {
                placed.insert(at, one.clone());
            }
        }
    }
    for (name, placed) in touched {
        let ranks = placed.iter().map(|(rank, _)| *rank).collect();
        groups.insert(name, Group { ranks, entities: placed.into_iter().map(|(_, entity)| entity).collect() });
    }
    Index { of: collections.clone(), groups }
}

/// What two versions do not share.
#[derive(Default)]
struct Changes {
    gone: Vec<Placed>,
    come: Vec<Placed>,
}

impl Changes {
    fn between(&mut self, before: &OrdMap<i64, Kept>, after: &OrdMap<i64, Kept>) {
        for difference in before.diff(after) {
            match difference {
                DiffItem::Add(rank, kept) => self.come.push((*rank, kept.0.clone())),
                DiffItem::Remove(rank, kept) => self.gone.push((*rank, kept.0.clone())),
                DiffItem::Update { old, new } => {
                    self.gone.push((*old.0, old.1.0.clone()));
                    self.come.push((*new.0, new.1.0.clone()));
                }
            }
        }
    }
}

/// The place of two entities in an order. Total: no two entities of a type have one place in state order.
fn compare(order: &Arrangement, (rank, one): &Placed, (other_rank, other): &Placed) -> Ordering {
    let places = rank.cmp(other_rank);
    if order.keys.is_empty() {
        return if order.reversed { places.reverse() } else { places };
    }
    let places = if ties_reverse(&order.keys, order.style) { places.reverse() } else { places };
    compare_keys(one.whole(), other.whole(), &order.keys, order.style).then(places)
}

/// The groups of an entity: one for each value at the member, numbers by their double.
fn groups_of(entity: &Arc<Entity>, member: &MemberPath) -> BTreeSet<Box<str>> {
    let mut groups = BTreeSet::new();
    member.visit(entity.whole(), &mut |value| {
        match value.plain() {
            Value::Null => groups.insert("null".into()),
            Value::Bool(value) => groups.insert(if *value { "true".into() } else { "false".into() }),
            Value::Number(number) => groups.insert(number_group(number.to_f64())),
            Value::String(text) => text.as_str().is_some_and(|text| groups.insert(text_group(text))),
            _ => false,
        };
        true
    });
    groups
}

/// The groups of all values that are equal to a demanded text, under any of the rules by which they may be.
pub(super) fn group_names(wanted: &str) -> BTreeSet<Box<str>> {
    let mut groups = BTreeSet::from([text_group(wanted)]);
    if wanted == "null" {
        groups.insert("null".into());
    }
    for (word, digit) in [("true", "1"), ("false", "0")] {
        if wanted == digit || wanted.eq_ignore_ascii_case(word) {
            groups.insert(word.into());
        }
    }
    if let Ok(number) = wanted.parse::<f64>() {
        groups.insert(number_group(number));
    }
    groups
}

fn text_group(text: &str) -> Box<str> {
    format!("\"{text}").into()
}

fn number_group(number: f64) -> Box<str> {
    // Zero has two signs in a double.
    format!("#{}", if number == 0.0 { 0.0 } else { number }).into()
}
