//! Writes to a tree: what one call does to the items below the root, and what it answers. A pure function from a world and
//! a call to the next world, as every write plan is; the replay of recordings and served calls both come here.

use super::clock_format::ClockFormat;
use super::line::scalar_text;
use super::per_response::MadeAnew;
use super::store::{Entity, World};
use super::tree::{Known, Tree, folder_of, is_too_deep, is_within, name_of, path_below, path_in};
use super::tree_hinder::Hindrance;
use super::tree_rule::{Act, Form, Naming, TreePart, TreeRule, by_ending, ending};
use crate::json::{Object, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A call on a tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct TreeCall<'a> {
    /// The method.
    pub method: &'a str,
    /// The path as it was requested.
    pub path: &'a str,
    /// Query pairs.
    pub query: &'a [(String, String)],
    /// The body.
    pub body: Option<&'a Value>,
}

/// What a call did.
#[derive(Clone, Debug)]
pub(super) struct TreeWritten {
    /// The next world; `None` where nothing changed.
    pub world: Option<World>,
    /// Index of the record whose status and type the answer has.
    pub record: usize,
    /// The answer's body; `None` repeats the recorded one.
    pub body: Option<Value>,
    /// The path it is about.
    pub path: String,
    /// Which of the method's parts was applied; `None` for a hindered call.
    pub part: Option<usize>,
    /// Members of the body that differ in every recording.
    pub generated: Vec<MadeAnew>,
}

/// Why a call is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TreeMiss {
    /// The recorded calls have no such body.
    Form,
    /// What it is about, or what it would leave, is not known.
    Unknown,
    /// A path has too many segments.
    Deep,
}

/// What was sent, as what tells calls apart.
pub(super) fn form_of(tree: &Tree, body: Option<&Value>, held: bool) -> Form {
    let members = body.and_then(Value::as_object);
    let mut names: Vec<Box<str>> =
        members.into_iter().flat_map(Object::iter).filter_map(|(name, _)| name.as_str().map(Box::from)).collect();
    names.sort();
    let word = body.and_then(|body| body.get(&tree.word)).and_then(scalar_text);
    Form { names, word, held }
}

/// The path that a sent member names.
pub(super) fn sent_path(body: Option<&Value>, member: &str) -> Option<String> {
    Some(body?.get(member)?.as_str()?.trim_matches('/').to_owned())
}

/// Refuses a path that is too deep, as the call names it or as something would have it after the call.
fn in_reach(path: &str) -> Result<(), TreeMiss> {
    if is_too_deep(path) { Err(TreeMiss::Deep) } else { Ok(()) }
}

/// Puts an item at a path, at the end of its folder where it is new there.
pub(super) fn put(tree: &Tree, world: &mut World, path: &str, fields: Value) {
    let (collection, id) = tree.place(path);
    let folder = tree.is_folder(&fields);
    let new = world.collection(tree.kind, &collection).is_none_or(|held| held.get(&id).is_none());
    world.set_entity(tree.kind, Entity::new(&collection, &id, fields));
    if folder && new {
        know(tree, world, &tree.collection_path(path));
    }
    // Of what is new no copy was kept yet.
    if let Some(copies) = tree.copies.as_ref().filter(|_| !folder && new) {
        world.ensure_collection(tree.kind, &copies.collection(tree, path));
    }
}

/// Says of a folder's collection that all that is in it is known.
fn know(tree: &Tree, world: &mut World, collection: &str) {
    match tree.is_listed(world, collection) {
        true => world.ensure_collection(tree.kind, collection),
        false => world.note_anew(tree.kind, collection),
    }
}

/// Says of a loaded world what `put` said of items that the recording did not show: what is in such a folder is known, and
/// so are the copies of such an item. But where an item is gone of which the recording did not show that, each may be that
/// item at another place.
pub(super) fn know_new(tree: &Tree, world: &mut World, recorded: &World) {
    for place in new_places(tree, world, recorded) {
        world.ensure_collection(tree.kind, &place);
    }
}

/// The collections that [`know_new`] makes known.
pub(super) fn new_places(tree: &Tree, world: &World, recorded: &World) -> BTreeSet<String> {
    let shown = |item: &Entity| recorded.collection(tree.kind, &item.collection).and_then(|held| held.get(&item.id));
    let items = world.collections(tree.kind).filter(|(held, _)| tree.holds(held)).flat_map(|(_, held)| held.iter());
    let told = |item: &Entity| Some((tree.is_folder(&item.fields), sent_path(Some(&item.fields), &tree.path)?));
    // What is held of an item beside it: what is in a folder, what copies there are of another.
    let beside = |folder: bool, path: &str| match &tree.copies {
        _ if folder => Some(tree.collection_path(path)),
        Some(copies) => Some(copies.collection(tree, path)),
        None => None,
    };
    let new: Vec<(bool, String)> = items.filter(|item| shown(item).is_none()).filter_map(|item| told(item)).collect();
    let held = |item: &Entity| world.collection(tree.kind, &item.collection).and_then(|held| held.get(&item.id));
    let recorded_items =
        recorded.collections(tree.kind).filter(|(held, _)| tree.holds(held)).flat_map(|(_, held)| held.iter());
    let unknown: BTreeSet<bool> = recorded_items
        .filter(|item| held(item).is_none())
        .filter_map(|item| told(item))
        .filter(|(folder, path)| {
            beside(*folder, path).is_some_and(|place| {
                recorded.collection(tree.kind, &place).is_none() || !tree.is_listed(recorded, &place)
            })
        })
        .map(|(folder, _)| folder)
        .collect();
    let known = new.into_iter().filter(|(folder, _)| !unknown.contains(folder));
    known.filter_map(|(folder, path)| beside(folder, &path)).collect()
}

/// Removes an item and all below it.
pub(super) fn remove(tree: &Tree, world: &mut World, path: &str) {
    let (collection, id) = tree.place(path);
    let below = tree.collection_path(path);
    let inside: Vec<String> =
        world.collections(tree.kind).map(|(held, _)| held.to_owned()).filter(|held| is_within(held, &below)).collect();
    for held in inside {
        let ids: Vec<Arc<str>> = world
            .collection(tree.kind, &held)
            .into_iter()
            .flat_map(|collection| collection.iter().map(|item| item.id.clone()))
            .collect();
        for id in ids {
            world.remove_entity(tree.kind, &held, &id);
        }
    }
    world.forget_anew(tree.kind, |held| is_within(held, &below));
    world.remove_entity(tree.kind, &collection, &id);
}

/// Moves an item and all below it to another path. What is in a folder that was never read stays unknown.
pub(super) fn shift(tree: &Tree, world: &mut World, (from, to): (&str, &str), fields: Value) {
    let (collection, id) = tree.place(from);
    world.remove_entity(tree.kind, &collection, &id);
    move_below(tree, world, from, to);
    let (collection, id) = tree.place(to);
    world.set_entity(tree.kind, Entity::new(&collection, &id, fields));
}

fn move_below(tree: &Tree, world: &mut World, from: &str, to: &str) {
    let (old, new) = (tree.collection_path(from), tree.collection_path(to));
    let inside: Vec<String> =
        world.collections(tree.kind).map(|(held, _)| held.to_owned()).filter(|held| is_within(held, &old)).collect();
    world.forget_anew(tree.kind, |held| is_within(held, &new));
    for held in inside {
        let target = format!("{new}{}", &held[old.len()..]);
        let listed = tree.is_listed(world, &held);
        let items: Vec<Arc<Entity>> =
            world.collection(tree.kind, &held).into_iter().flat_map(|collection| collection.iter().cloned()).collect();
        // Of what was read alone nobody knows what it was beside.
        if listed {
            know(tree, world, &target);
        }
        for item in items {
            world.remove_entity(tree.kind, &held, &item.id);
            if !listed {
                continue;
            }
            let mut fields = item.fields.as_ref().clone();
            if let Some(object) = fields.as_object_mut()
                && let Some(path) =
                    path_below(&tree.root, &format!("{target}/{}", super::identity::encoded_segment(&item.id)))
            {
                object.set(tree.path.as_ref(), tree.spelled(&path));
            }
            world.set_entity(tree.kind, Entity::new(&target, &item.id, fields));
        }
    }
    world.forget_anew(tree.kind, |held| is_within(held, &old));
}

/// Sets the clocks of a folder whose children changed.
fn bump(tree: &Tree, world: &mut World, folder: &str, clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>) {
    let Known::Held(held) = tree.known(world, folder) else { return };
    let mut fields = held.fields.as_ref().clone();
    let Some(object) = fields.as_object_mut() else { return };
    for (member, format) in &tree.bumped {
        if let Some(now) = clock(format) {
            object.set(member.as_ref(), now);
        }
    }
    world.set_entity(
        tree.kind,
        Entity { fields: Arc::new(fields), ..Entity::new(&held.collection, &held.id, Value::Null) },
    );
}

impl Tree {
    /// Applies a call.
    pub(super) fn write(
        &self,
        world: &World,
        call: TreeCall<'_>,
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        let path = path_below(&self.root, call.path).ok_or(TreeMiss::Unknown)?;
        in_reach(&path)?;
        let parts = self.parts.get(call.method).ok_or(TreeMiss::Unknown)?;
        let act = &parts.first().ok_or(TreeMiss::Unknown)?.act;
        if !call.query.is_empty() {
            return Err(TreeMiss::Form);
        }
        match act {
            Act::Save => self.save(world, call, parts, &path, clock),
            Act::Make => self.make(world, call, parts, &path, clock),
            Act::Move(member) => self.relocate(world, call, parts, (&path, member), clock),
            Act::Remove => self.take_away(world, call, parts, &path, clock),
        }
    }

    fn part<'p>(&self, parts: &'p [TreePart], form: &Form, body: Option<&Value>) -> Option<(usize, &'p TreePart)> {
        let fits = |part: &TreePart| {
            let one =
                |(name, value): &(Box<str>, Value)| body.and_then(|b| b.get(name)).is_some_and(|b| b.same_as(value));
            part.form == *form && part.only.iter().all(one)
        };
        parts.iter().enumerate().find(|(_, part)| fits(part))
    }

    fn save(
        &self,
        world: &World,
        call: TreeCall<'_>,
        parts: &[TreePart],
        path: &str,
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        let before = match self.known(world, path) {
            Known::Held(entity) => Some(entity),
            Known::Absent => match self.known(world, folder_of(path)) {
                Known::Absent => return self.hinder(call.method, Hindrance::NoFolder, path),
                Known::Held(folder) if self.is_folder(&folder.fields) => None,
                // No recorded call shows what lies below something else than a folder.
                _ => return Err(TreeMiss::Unknown),
            },
            Known::Unknown => return Err(TreeMiss::Unknown),
        };
        let form = form_of(self, call.body, before.is_some());
        let (index, part) = self.part(parts, &form, call.body).ok_or(TreeMiss::Form)?;
        let held = before.as_ref().map(|entity| entity.fields.as_ref());
        let fields = self.fields(part, path, call.body, held, None, clock)?;
        // Nor what a folder in place of something else does, or something else in place of a folder.
        if held.is_some_and(|held| self.is_folder(held) != self.is_folder(&fields)) {
            return Err(TreeMiss::Unknown);
        }
        let mut next = world.clone();
        put(self, &mut next, path, fields);
        if before.is_none() {
            bump(self, &mut next, folder_of(path), clock);
        }
        self.written(next, part, index, path)
    }

    fn make(
        &self,
        world: &World,
        call: TreeCall<'_>,
        parts: &[TreePart],
        folder: &str,
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        match self.known(world, folder) {
            Known::Absent => return self.hinder(call.method, Hindrance::NoFolder, folder),
            Known::Held(held) if self.is_folder(&held.fields) => {}
            _ => return Err(TreeMiss::Unknown),
        }
        let (index, part) = self.part(parts, &form_of(self, call.body, false), call.body).ok_or(TreeMiss::Form)?;
        let naming = part.naming.as_ref().ok_or(TreeMiss::Form)?;
        let source = match &naming.source {
            None => None,
            Some(member) => {
                let named = sent_path(call.body, member).ok_or(TreeMiss::Form)?;
                in_reach(&named)?;
                match self.known(world, &named) {
                    Known::Held(entity) => Some((named, entity)),
                    Known::Absent => return self.hinder(call.method, Hindrance::NoSource, &named),
                    Known::Unknown => return Err(TreeMiss::Unknown),
                }
            }
        };
        if source.as_ref().is_some_and(|(_, entity)| self.is_folder(&entity.fields)) {
            return Err(TreeMiss::Unknown);
        }
        let children = self.children(world, folder).ok_or(TreeMiss::Unknown)?;
        let copied = source.as_ref().map(|(path, _)| name_of(path));
        let name = naming.name(call.body, copied, |name| children.get(name).is_some()).ok_or(TreeMiss::Unknown)?;
        let path = path_in(folder, &name);
        in_reach(&path)?;
        let held = source.as_ref().map(|(_, entity)| entity.fields.as_ref());
        let fields = self.fields(part, &path, call.body, None, held, clock)?;
        let mut next = world.clone();
        put(self, &mut next, &path, fields);
        bump(self, &mut next, folder, clock);
        self.written(next, part, index, &path)
    }

    fn relocate(
        &self,
        world: &World,
        call: TreeCall<'_>,
        parts: &[TreePart],
        (path, member): (&str, &str),
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        let before = match self.known(world, path) {
            Known::Held(entity) => entity,
            Known::Absent => return self.hinder(call.method, Hindrance::Absent, path),
            Known::Unknown => return Err(TreeMiss::Unknown),
        };
        let to = sent_path(call.body, member).filter(|to| !to.is_empty()).ok_or(TreeMiss::Form)?;
        in_reach(&to)?;
        match self.known(world, &to) {
            Known::Held(_) if to != path => return self.hinder(call.method, Hindrance::Taken, &to),
            Known::Absent => {}
            _ => return Err(TreeMiss::Unknown),
        }
        // Into itself, or into a folder that is not there: no recorded call shows what that does.
        let folder = matches!(self.known(world, folder_of(&to)), Known::Held(held) if self.is_folder(&held.fields));
        if is_within(&to, path) || !folder {
            return Err(TreeMiss::Unknown);
        }
        let (index, part) = self.part(parts, &form_of(self, call.body, true), call.body).ok_or(TreeMiss::Form)?;
        let fields = self.fields(part, &to, call.body, Some(&before.fields), None, clock)?;
        let mut next = world.clone();
        shift(self, &mut next, (path, &to), fields);
        bump(self, &mut next, folder_of(path), clock);
        bump(self, &mut next, folder_of(&to), clock);
        self.written(next, part, index, &to)
    }

    fn take_away(
        &self,
        world: &World,
        call: TreeCall<'_>,
        parts: &[TreePart],
        path: &str,
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<TreeWritten, TreeMiss> {
        match self.known(world, path) {
            Known::Held(_) if !path.is_empty() => {}
            Known::Absent => return self.hinder(call.method, Hindrance::Absent, path),
            _ => return Err(TreeMiss::Unknown),
        }
        let (index, part) = self.part(parts, &form_of(self, call.body, true), call.body).ok_or(TreeMiss::Form)?;
        let mut next = world.clone();
        remove(self, &mut next, path);
        bump(self, &mut next, folder_of(path), clock);
        Ok(TreeWritten {
            world: Some(next),
            record: part.record,
            body: None,
            path: path.to_owned(),
            part: Some(index),
            generated: Vec::new(),
        })
    }

    /// The members of an item after a write.
    fn fields(
        &self,
        part: &TreePart,
        path: &str,
        sent: Option<&Value>,
        before: Option<&Value>,
        source: Option<&Value>,
        clock: &mut dyn FnMut(&ClockFormat) -> Option<Value>,
    ) -> Result<Value, TreeMiss> {
        let mut fields = Object::new();
        // A length is of what is there after the write.
        let (lengths, others): (Vec<_>, Vec<_>) =
            part.rules.iter().partition(|(_, rule)| matches!(rule, TreeRule::Bytes(_)));
        for (member, rule) in others.into_iter().chain(lengths) {
            let value = match rule {
                TreeRule::Path => Some(Value::from(self.spelled(path))),
                TreeRule::Name => Some(Value::from(name_of(path))),
                // What was not known stays so.
                TreeRule::Held => match before.and_then(|before| before.get(member)) {
                    Some(value) => Some(value.clone()),
                    None => continue,
                },
                TreeRule::Source => match source.and_then(|source| source.get(member)) {
                    Some(value) => Some(value.clone()),
                    None => continue,
                },
                TreeRule::Sent(name) => sent.and_then(|sent| sent.get(name)).cloned(),
                TreeRule::Clock(format) => clock(format),
                TreeRule::Bytes(of) => {
                    fields.get(of).and_then(Value::as_str).map(|text| Value::from(text.len() as u64))
                }
                TreeRule::Ending => self.endings.get(member).and_then(|seen| by_ending(seen, name_of(path))),
                TreeRule::Fixed(value) => Some(value.clone()),
            };
            fields.set(member.as_ref(), value.ok_or(TreeMiss::Unknown)?);
        }
        Ok(Value::Object(fields))
    }

    fn written(&self, next: World, part: &TreePart, index: usize, path: &str) -> Result<TreeWritten, TreeMiss> {
        let body = match &part.answer {
            None => None,
            Some(showing) => {
                let Known::Held(entity) = self.known(&next, path) else { return Err(TreeMiss::Unknown) };
                Some(self.render(&next, path, &entity.fields, showing).ok_or(TreeMiss::Unknown)?)
            }
        };
        Ok(TreeWritten {
            world: Some(next),
            record: part.record,
            body,
            path: path.to_owned(),
            part: Some(index),
            generated: Vec::new(),
        })
    }
}

impl Naming {
    /// The name of a new item, where the rule tells; `taken` says which names are.
    pub(super) fn name(
        &self,
        sent: Option<&Value>,
        copied: Option<&str>,
        taken: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let (stem, tail) = self.pieces(sent, copied)?;
        let plain = format!("{stem}{tail}");
        if !taken(&plain) {
            return Some(plain);
        }
        let before = self.before_number.as_deref()?;
        // Whether the number of a copy's copy goes up or joins its name no recorded call shows.
        let counted = stem.trim_end_matches(|character: char| character.is_ascii_digit());
        if copied.is_some() && counted.len() < stem.len() && !before.is_empty() && counted.ends_with(before) {
            return None;
        }
        (self.first..10_000).map(|number| format!("{stem}{before}{number}{tail}")).find(|name| !taken(name))
    }

    /// What stands before the number and after it.
    pub(super) fn pieces(&self, sent: Option<&Value>, copied: Option<&str>) -> Option<(String, String)> {
        if let Some(name) = copied {
            let ending = ending(name);
            let cut = if ending.is_empty() { name.len() } else { name.len() - ending.len() - 1 };
            return Some((name[..cut].to_owned(), name[cut..].to_owned()));
        }
        let tail = match &self.tail_sent {
            Some(member) => sent?.get(member)?.as_str()?.to_owned(),
            None => self.tail.to_string(),
        };
        Some((self.stem.as_deref()?.to_owned(), tail))
    }
}
