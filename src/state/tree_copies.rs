//! Kept copies of an item: a word below its path lists them, a POST there keeps one of the item as it is, a POST to a copy
//! gives it back, a DELETE forgets it (checkpoints, backups). One copy an item, under one name. It is held below the item's
//! path, so that it moves and goes with it.

use super::clock_format::ClockFormat;
use super::store::{Entity, World};
use super::tree::{Known, Tree, folder_of, name_of, path_below};
use super::tree_find::{Ground, Step};
use super::tree_write::{TreeMiss, TreeWritten};
use crate::json::{Object, Value};
use crate::manifest::{Manifest, Segment};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What a tool does with copies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CopyAct {
    /// Lists them.
    List,
    /// Keeps one.
    Keep,
    /// Gives one back.
    Restore,
    /// Forgets one.
    Forget,
}

/// What a copy's entry says.
#[derive(Clone, Debug, PartialEq)]
pub enum CopyMember {
    /// One value.
    Fixed(Value),
    /// A member of the item as it was kept.
    Item(Box<str>),
}

/// How copies of items are kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Copies {
    /// The word below an item's path.
    pub word: Box<str>,
    /// The name of a copy.
    pub name: Box<str>,
    /// What its entry says.
    pub entry: Vec<(Box<str>, CopyMember)>,
    /// Clocks of the item that giving a copy back sets to the time of the call.
    pub restamped: Vec<(Box<str>, ClockFormat)>,
    /// What each tool does.
    pub tools: BTreeMap<usize, CopyAct>,
    /// Indices of records whose status and type answers have.
    pub records: BTreeMap<CopyAct, usize>,
}

impl Copies {
    /// The item that a path of one of the tools is about.
    fn item(&self, tree: &Tree, act: CopyAct, requested: &str) -> Option<String> {
        let path = path_below(&tree.root, requested)?;
        let list = match act {
            CopyAct::List | CopyAct::Keep => path.as_str(),
            CopyAct::Restore | CopyAct::Forget if name_of(&path) == &*self.name => folder_of(&path),
            _ => return None,
        };
        (name_of(list) == &*self.word).then(|| folder_of(list).to_owned()).filter(|item| !item.is_empty())
    }

    /// Where the copies of an item are.
    pub(super) fn collection(&self, tree: &Tree, item: &str) -> String {
        tree.collection_path(&format!("{item}/{}", self.word))
    }

    fn shown(&self, kept: &Value) -> Option<Value> {
        let members = self.entry.iter().map(|(name, member)| {
            let value = match member {
                CopyMember::Fixed(value) => value.clone(),
                CopyMember::Item(of) => kept.get(of)?.clone(),
            };
            Some((name.as_ref().into(), value))
        });
        members.collect::<Option<Object>>().map(Value::Object)
    }

    /// The copies of the item that a read asks for; `None` where they are not known.
    pub(super) fn list(&self, tree: &Tree, world: &World, requested: &str) -> Option<(String, Value)> {
        let item = self.item(tree, CopyAct::List, requested)?;
        if !matches!(tree.known(world, &item), Known::Held(_)) {
            return None;
        }
        let held = world.collection(tree.kind, &self.collection(tree, &item))?;
        let entries: Option<Value> = held.iter().map(|copy| self.shown(&copy.fields)).collect();
        Some((item, entries?))
    }

    /// Applies a write.
    pub(super) fn write(
        &self,
        tree: &Tree,
        world: &World,
        (act, requested): (CopyAct, &str),
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        let item = self.item(tree, act, requested).ok_or(TreeMiss::Unknown)?;
        let Known::Held(held) = tree.known(world, &item) else { return Err(TreeMiss::Unknown) };
        let record = *self.records.get(&act).ok_or(TreeMiss::Unknown)?;
        let collection = self.collection(tree, &item);
        let kept = || world.collection(tree.kind, &collection)?.get(&self.name).cloned();
        let mut next = world.clone();
        let mut body = None;
        match act {
            CopyAct::List => return Err(TreeMiss::Unknown),
            CopyAct::Keep => {
                let mut fields = held.fields.as_ref().clone();
                body = Some(self.shown(&fields).ok_or(TreeMiss::Unknown)?);
                if let (Some(object), Some(name)) = (fields.as_object_mut(), &tree.name) {
                    object.set(name.as_ref(), self.name.as_ref());
                }
                next.set_entity(tree.kind, Entity::new(&collection, &self.name, fields));
            }
            CopyAct::Restore => {
                // What was not known of the item when the copy was kept is not known of it now.
                let mut fields = kept().ok_or(TreeMiss::Unknown)?.fields.as_ref().clone();
                let object = fields.as_object_mut().ok_or(TreeMiss::Unknown)?;
                for own in [Some(&tree.path), tree.name.as_ref()].into_iter().flatten() {
                    object.set(own.as_ref(), held.fields.get(own).cloned().ok_or(TreeMiss::Unknown)?);
                }
                for (member, format) in &self.restamped {
                    object.set(member.as_ref(), clock(format).ok_or(TreeMiss::Unknown)?);
                }
                let (collection, id) = tree.place(&item);
                next.set_entity(tree.kind, Entity::new(&collection, &id, fields));
            }
            CopyAct::Forget => {
                kept().ok_or(TreeMiss::Unknown)?;
                next.remove_entity(tree.kind, &collection, &self.name);
            }
        }
        Ok(TreeWritten { world: Some(next), record, body, path: item, part: Some(0), generated: Vec::new() })
    }
}

impl Ground<'_> {
    /// How copies of items are kept, where the capture shows all of it: a copy kept, listed and given back.
    pub(super) fn copies(&self, manifest: &Manifest) -> Option<Copies> {
        let word = self.writes.iter().find_map(|write| {
            let step = &self.steps[*write];
            let last = super::derive::trimmed(manifest.tools.get(step.seen.tool)?).last()?;
            match last {
                Segment::Literal(word) if !step.own && step.method == "POST" && step.body().is_some() => {
                    Some(word.clone())
                }
                _ => None,
            }
        })?;
        let word: &str = &word;
        let acts = |step: &Step<'_>| -> Option<CopyAct> {
            let listed = name_of(&step.path) == word;
            let below = name_of(folder_of(&step.path)) == word;
            match step.method {
                "GET" if listed => Some(CopyAct::List),
                "POST" if listed => Some(CopyAct::Keep),
                "POST" if below => Some(CopyAct::Restore),
                "DELETE" if below => Some(CopyAct::Forget),
                _ => None,
            }
        };
        let mut tools: BTreeMap<usize, CopyAct> = BTreeMap::new();
        let mut records: BTreeMap<CopyAct, usize> = BTreeMap::new();
        let mut name: Option<&str> = None;
        for step in self.steps.iter().filter(|step| !step.own) {
            let Some(act) = acts(step) else { continue };
            if *tools.entry(step.seen.tool).or_insert(act) != act {
                return None;
            }
            if !step.succeeded() {
                continue;
            }
            records.entry(act).or_insert(step.seen.record);
            if matches!(act, CopyAct::Restore | CopyAct::Forget) {
                let given = name_of(&step.path);
                if *name.get_or_insert(given) != given {
                    return None;
                }
            }
            if matches!(act, CopyAct::Restore | CopyAct::Forget) && step.seen.body.is_some() {
                return None;
            }
        }
        let name = name?;
        let shown = [CopyAct::List, CopyAct::Keep, CopyAct::Restore].iter().all(|act| records.contains_key(act));
        shown.then_some(())?;
        let entry = self.entry_of(&acts)?;
        let named = |(_, member): &(Box<str>, CopyMember)| matches!(member, CopyMember::Fixed(value) if value.as_str() == Some(name));
        let mut copies = Copies {
            word: word.into(),
            name: name.into(),
            entry: entry.clone(),
            restamped: Vec::new(),
            tools,
            records,
        };
        if !entry.iter().any(named) {
            return None;
        }
        copies.restamped = self.restamped(&acts);
        Some(copies)
    }

    /// What the entries of kept copies say: one value, or what a read before shows of the item.
    fn entry_of(&self, acts: &dyn Fn(&Step<'_>) -> Option<CopyAct>) -> Option<Vec<(Box<str>, CopyMember)>> {
        let reads = self.plain_reads();
        let kept: Vec<(&Object, &Object)> = self
            .writes
            .iter()
            .filter(|write| acts(&self.steps[**write]) == Some(CopyAct::Keep))
            .filter_map(|write| {
                let step = &self.steps[*write];
                let before = reads.get(folder_of(&step.path))?.iter().rev().find(|(read, _)| read < write)?;
                Some((step.body()?, before.1))
            })
            .collect();
        let first = kept.first()?.0;
        let members = first.iter().map(|(name, value)| {
            let name = name.as_str()?;
            let same = |of: &str| {
                kept.iter().all(|(entry, item)| entry.get(name).zip(item.get(of)).is_some_and(|(a, b)| a.same_as(b)))
            };
            let of = [name].into_iter().chain(self.tree.members.iter().map(AsRef::as_ref)).find(|of| same(of));
            let member = match of {
                Some(of) => CopyMember::Item(of.into()),
                None if kept.iter().all(|(entry, _)| entry.get(name).is_some_and(|held| held.same_as(value))) => {
                    CopyMember::Fixed(value.clone())
                }
                None => return None,
            };
            Some((Box::from(name), member))
        });
        members.collect()
    }

    /// Clocks of an item that a read after a copy was given back shows set by that.
    fn restamped(&self, acts: &dyn Fn(&Step<'_>) -> Option<CopyAct>) -> Vec<(Box<str>, ClockFormat)> {
        let reads = self.plain_reads();
        let mut found: Vec<(Box<str>, ClockFormat)> = Vec::new();
        for write in self.writes.iter().filter(|write| acts(&self.steps[**write]) == Some(CopyAct::Restore)) {
            let step = &self.steps[*write];
            let item = folder_of(folder_of(&step.path));
            let later = reads.get(item).into_iter().flatten().find(|(read, _)| read > write);
            let Some((_, item)) = later else { continue };
            for member in &self.tree.clocks {
                let format = item.get(member).and_then(|value| stamped_now(value, step));
                if let Some(format) = format.filter(|_| !found.iter().any(|(held, _)| held == member)) {
                    found.push((member.clone(), format));
                }
            }
        }
        found
    }

    /// Notes the items whose copies were listed as none before anything could have kept one.
    pub(super) fn without_copies(&self, copies: &Copies, world: &mut World) {
        for (index, step) in self.steps.iter().enumerate() {
            if copies.tools.get(&step.seen.tool) != Some(&CopyAct::List) || !step.succeeded() {
                continue;
            }
            let item = folder_of(&step.path);
            let empty = step.seen.body.as_deref().and_then(Value::as_array).is_some_and(<[Value]>::is_empty);
            let first = self.writes.iter().find(|write| self.touches(**write, item));
            if empty && first.is_none_or(|write| *write > index) {
                world.ensure_collection(self.tree.kind, &copies.collection(&self.tree, item));
            }
        }
    }
}

/// The format of a clock that a call set: not later than a second before it began.
fn stamped_now(value: &Value, step: &Step<'_>) -> Option<ClockFormat> {
    let (start, _) = step.seen.span?;
    let seconds = super::clock_format::clock_seconds(value)?;
    ClockFormat::stamped(value, step.seen.span).filter(|_| seconds >= start / 1000.0 - 0.5)
}

/// Kept copies, shared with the tree that they are of.
pub(super) type SharedCopies = Option<Arc<Copies>>;
