//! Trees: items addressed by their whole path, whose folders list their children (file servers, drives, wikis). The data
//! of a tree, where the store holds its items, and how a read renders one. A folder's children are the collection at its
//! path; nothing is held twice.
//!
//! Found in `tree_find.rs`, its writes fitted in `tree_fit.rs` (refusals in `tree_hinder.rs`) and applied in `tree_write.rs`, all of it checked in
//! `tree_replay.rs`.

use super::evaluate::{Read, ReadAnswer, StateTarget};
use super::identity::encoded_segment;
use super::limits::MAX_TREE_SEGMENTS;
use super::line::Line;
use super::observe::trim_slash;
use super::population::Collection;
use super::store::{Entity, World};
use super::tree_copies::CopyAct;
use super::tree_hinder::{Hindered, Hindrance};
use super::tree_rule::{How, Showing, TreePart};
use crate::json::{Object, Value};
use crate::manifest::{decode_once, split_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// In which order a folder lists its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildOrder {
    /// By name.
    Name,
    /// Folders first, then by name.
    FoldersFirst,
    /// As they came, the newest last.
    Oldest,
    /// The newest name first.
    Newest,
}

/// A tree of items.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree {
    /// The type of its items.
    pub kind: usize,
    /// The path of the root: the paths of items follow it.
    pub root: Box<str>,
    /// Whether items spell their paths with a slash in front.
    pub slash: bool,
    /// The member that holds an item's path.
    pub path: Box<str>,
    /// The member that holds its last segment.
    pub name: Option<Box<str>>,
    /// The member that says what an item is.
    pub word: Box<str>,
    /// What it says of a folder.
    pub folder: Value,
    /// The member in which a folder lists its children.
    pub children: Box<str>,
    /// Members of an item that is read by its path alone, in order.
    pub members: Vec<Box<str>>,
    /// Members that hold clocks.
    pub clocks: Vec<Box<str>>,
    /// Clocks of a folder that are set when its children change, with their spellings.
    pub bumped: Vec<(Box<str>, super::clock_format::ClockFormat)>,
    /// In which order children are listed.
    pub order: ChildOrder,
    /// Collections that hold items which were read by their paths alone: what else is in them is not known.
    pub unlisted: BTreeSet<Box<str>>,
    /// How a folder shows its children.
    pub listed: Showing,
    /// How the lines of reads show an item, by their parameters; the empty one is the plain line.
    pub lines: BTreeMap<Vec<(String, String)>, Showing>,
    /// What writes do, by method.
    pub parts: BTreeMap<String, Vec<TreePart>>,
    /// The method of each tool that the tree answers.
    pub methods: BTreeMap<usize, String>,
    /// Recorded answers to hindered calls, by method.
    pub hindered: BTreeMap<(String, Hindrance), Hindered>,
    /// How copies of items are kept, where the application keeps some.
    pub copies: super::tree_copies::SharedCopies,
    /// What a member is for names of an ending, where the ending decides it.
    pub endings: BTreeMap<Box<str>, BTreeMap<String, Value>>,
}

/// What is known of a path.
#[derive(Clone, Debug)]
pub enum Known {
    /// An item is there.
    Held(Arc<Entity>),
    /// Nothing is there.
    Absent,
    /// The capture does not tell.
    Unknown,
}

/// The last segment of a path.
pub fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The path of the folder that an item lies in.
pub fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The path of an item in a folder.
pub fn path_in(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a path is another or lies below it.
pub fn is_within(path: &str, above: &str) -> bool {
    above.is_empty() || path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether a path has more segments than a tree's may have.
pub fn is_too_deep(path: &str) -> bool {
    path.split('/').nth(MAX_TREE_SEGMENTS).is_some()
}

/// The decoded path below a root, without slashes around it; `None` when a request's path is not below the root.
pub fn path_below(root: &str, requested: &str) -> Option<String> {
    let rest = trim_slash(requested).strip_prefix(root)?;
    if rest.is_empty() {
        return Some(String::new());
    }
    let segments: Vec<String> =
        split_path(rest.strip_prefix('/')?).into_iter().map(|raw| decode_once(raw).into_owned()).collect();
    Some(segments.join("/").trim_matches('/').to_owned())
}

impl Tree {
    /// Whether the tree answers a tool.
    pub fn answers(&self, tool: usize) -> bool {
        self.methods.contains_key(&tool) || self.copies.as_ref().is_some_and(|copies| copies.tools.contains_key(&tool))
    }

    /// The collection of a folder's children.
    pub fn collection_path(&self, folder: &str) -> String {
        let mut path = self.root.to_string();
        for segment in folder.split('/').filter(|segment| !segment.is_empty()) {
            path.push('/');
            path.push_str(&encoded_segment(segment));
        }
        path
    }

    /// The collection that holds an item, and its identity there.
    pub fn place(&self, path: &str) -> (String, String) {
        if path.is_empty() {
            return (folder_of(&self.root).to_owned(), String::new());
        }
        (self.collection_path(folder_of(path)), name_of(path).to_owned())
    }

    /// A path as items spell it.
    pub fn spelled(&self, path: &str) -> String {
        if self.slash { format!("/{path}") } else { path.to_owned() }
    }

    /// The children of a folder, where they are known.
    pub fn children<'w>(&self, world: &'w World, folder: &str) -> Option<&'w Collection> {
        let path = self.collection_path(folder);
        world.collection(self.kind, &path).filter(|_| self.is_listed(world, &path))
    }

    /// Whether all that is in a collection which is held is known.
    pub fn is_listed(&self, world: &World, collection: &str) -> bool {
        !self.unlisted.contains(collection) || world.is_anew(self.kind, collection)
    }

    /// Whether a collection may hold items of the tree.
    pub fn holds(&self, collection: &str) -> bool {
        collection == folder_of(&self.root) || path_below(&self.root, collection).is_some()
    }

    /// What is known of a path.
    pub fn known(&self, world: &World, path: &str) -> Known {
        if is_too_deep(path) {
            return Known::Unknown;
        }
        let mut at = path;
        loop {
            let (collection, id) = self.place(at);
            let held = world.collection(self.kind, &collection);
            match held.and_then(|held| held.get(&id)) {
                Some(item) if at == path => return Known::Held(Arc::clone(item)),
                Some(item) if self.is_folder(&item.fields) => return Known::Unknown,
                Some(_) => return Known::Absent,
                None if at.is_empty() => return Known::Unknown,
                None if held.is_some() && self.is_listed(world, &collection) => return Known::Absent,
                None if world.was_removed(self.kind, &collection, &id) => return Known::Absent,
                None => at = folder_of(at),
            }
        }
    }

    /// Whether an item is a folder.
    pub fn is_folder(&self, fields: &Value) -> bool {
        fields.get(&self.word).is_some_and(|word| word.same_as(&self.folder))
    }

    /// An item as a showing has it; `None` when a member of it is not known.
    pub fn render(&self, world: &World, path: &str, fields: &Value, showing: &Showing) -> Option<Value> {
        let mut shown = Object::new();
        for member in &self.members {
            let value = match showing.how(member) {
                How::Left => continue,
                How::Fixed(value) => value.clone(),
                How::Held if *member == self.children && self.is_folder(fields) => self.list(world, path)?,
                How::Held => fields.get(member)?.clone(),
                How::Encoded => Value::from(super::tree_rule::encoded(fields.get(member)?.as_str()?)),
            };
            shown.push(member.as_ref(), value);
        }
        Some(Value::Object(shown))
    }

    fn list(&self, world: &World, folder: &str) -> Option<Value> {
        let held = self.children(world, folder).filter(|_| !is_too_deep(folder))?;
        let mut items: Vec<&Arc<Entity>> = held.iter().collect();
        match self.order {
            ChildOrder::Name => items.sort_by(|one, other| one.id.cmp(&other.id)),
            ChildOrder::FoldersFirst => {
                items.sort_by_key(|item| (!self.is_folder(&item.fields), item.id.clone()));
            }
            ChildOrder::Oldest => {}
            ChildOrder::Newest => items.reverse(),
        }
        let shown = |item: &Arc<Entity>| self.render(world, &path_in(folder, &item.id), &item.fields, &self.listed);
        items.into_iter().map(shown).collect()
    }

    /// How a line shows an item: as its parameters were recorded together.
    pub fn showing(&self, line: &Line, fields: &Value) -> Option<&Showing> {
        let params: Vec<(String, String)> =
            line.params.iter().map(|param| (param.key.clone(), param.text.clone())).collect();
        let fits = |showing: &&Showing| {
            fields.get(&self.word).and_then(Value::as_str).is_some_and(|word| showing.words.contains(word))
        };
        self.lines.get(&params).filter(fits)
    }

    /// What an answer names.
    pub fn target(&self, path: &str) -> StateTarget {
        let (collection, id) = self.place(path);
        StateTarget::Item { entity_type: self.root.to_string(), collection, id }
    }

    /// Answers a read; `None` where the tree does not tell.
    pub fn answer(&self, world: &World, read: Read<'_>) -> Option<ReadAnswer> {
        let path = path_below(&self.root, read.path)?;
        let line = read.line.filter(|line| !line.repeated)?;
        if let Some(copies) = self.copies.as_ref().filter(|copies| copies.tools.contains_key(&read.tool)) {
            let (item, body) = copies.list(self, world, read.path).filter(|_| line.is_bare())?;
            let record = *copies.records.get(&CopyAct::List)?;
            return Some(ReadAnswer::State { record, body, target: self.target(&item), per_response: Vec::new() });
        }
        match self.known(world, &path) {
            Known::Held(entity) => {
                let showing = self.showing(line, &entity.fields)?;
                let (record, body) = (showing.record, self.render(world, &path, &entity.fields, showing)?);
                Some(ReadAnswer::State { record, body, target: self.target(&path), per_response: Vec::new() })
            }
            Known::Absent => {
                let method = self.methods.get(&read.tool)?;
                let hindered = self.hindered.get(&(method.clone(), Hindrance::Absent))?;
                Some(match self.hindered_body(hindered, &path) {
                    Some(body) => ReadAnswer::State {
                        record: hindered.record,
                        body,
                        target: self.target(&path),
                        per_response: hindered.per_response.clone(),
                    },
                    None => ReadAnswer::Absent {
                        record: hindered.record,
                        renamed: (hindered.named.to_string(), path.clone()),
                        target: self.target(&path),
                    },
                })
            }
            Known::Unknown => None,
        }
    }
}
