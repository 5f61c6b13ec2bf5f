//! Fitting what writes do to a tree: from each recorded write, what was there before, what was sent and what later reads
//! show, the simplest rules that give what is there after it.

use super::clock_format::ClockFormat;
use super::store::World;
use super::tree::{Known, folder_of};
use super::tree_find::{Ground, Sample, own_path, showing_of};
use super::tree_fit_rule::{naming, only_values, rule_of};
use super::tree_hinder::Refused;
use super::tree_rule::{Act, Form, How, Showing, TreePart, TreeRule};
use super::tree_write::{form_of, put, remove, shift};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet};

/// One recorded write with what it did.
pub(super) struct Done<'a> {
    pub(super) step: usize,
    pub(super) form: Form,
    /// The path of the item after it.
    pub(super) path: String,
    pub(super) sent: Option<&'a Value>,
    pub(super) before: Option<Value>,
    pub(super) source: Option<(String, Value)>,
    pub(super) after: Object,
    /// Names that were taken in the folder before it.
    pub(super) taken: BTreeSet<String>,
}

impl<'a> Ground<'a> {
    /// What each method does, where its recorded calls agree.
    pub(super) fn acts(&self) -> BTreeMap<String, Act> {
        let mut acts: BTreeMap<String, Option<Act>> = BTreeMap::new();
        for step in self.writes.iter().map(|write| &self.steps[*write]).filter(|step| step.own) {
            let own = step.body().and_then(|item| own_path(&self.tree, item));
            let sent = step.seen.sent.as_deref().and_then(Value::as_object);
            let act = match (step.method, &own) {
                ("DELETE", _) => Some(Act::Remove),
                ("PUT", None) => Some(Act::Save),
                (_, Some(own)) if *own == step.path => Some(Act::Save),
                (_, Some(own)) => {
                    let names = |value: &Value| value.as_str().is_some_and(|text| text.trim_matches('/') == own);
                    let member = sent.into_iter().flat_map(Object::iter).find(|(_, value)| names(value));
                    match member.and_then(|(name, _)| name.as_str()) {
                        Some(name) => Some(Act::Move(name.into())),
                        None if folder_of(own) == step.path => Some(Act::Make),
                        None => None,
                    }
                }
                (_, None) => None,
            };
            let held = acts.entry(step.method.to_owned()).or_insert_with(|| act.clone());
            if *held != act {
                *held = None;
            }
        }
        acts.into_iter().filter_map(|(method, act)| Some((method, act?))).collect()
    }

    /// The first write that may have changed what is at a path.
    fn first_touch(&self, path: &str) -> usize {
        self.writes.iter().copied().find(|write| self.touches(*write, path)).unwrap_or(usize::MAX)
    }

    /// The items that reads show before any write could have changed them, and the collections of those that were read
    /// where their folder was not.
    pub(super) fn initial(&self) -> (World, BTreeSet<Box<str>>) {
        let mut touched: BTreeMap<String, usize> = BTreeMap::new();
        let mut fresh =
            |path: &str, at: usize| *touched.entry(path.to_owned()).or_insert_with(|| self.first_touch(path)) > at;
        let mut items: BTreeMap<String, Object> = BTreeMap::new();
        let mut folders: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| step.own && step.reads()) {
            let (Some(item), Some(line), true) = (step.body(), step.line(), step.succeeded()) else { continue };
            let Some(showing) = self.tree.lines.get(&line).filter(|_| fresh(&step.path, index)) else { continue };
            self.learn(items.entry(step.path.clone()).or_default(), item, |member| *showing.how(member) == How::Held);
            let Some(inside) = item.get(&self.tree.children).and_then(Value::as_array) else { continue };
            if !self.tree.is_folder(&Value::Object(item.clone())) || *showing.how(&self.tree.children) != How::Held {
                continue;
            }
            let mut names = Vec::new();
            for child in inside.iter().filter_map(Value::as_object) {
                let Some(path) = own_path(&self.tree, child) else { continue };
                self.learn(items.entry(path.clone()).or_default(), child, |member| {
                    *self.tree.listed.how(member) == How::Held
                });
                names.push(path);
            }
            folders.entry(step.path.clone()).or_insert(names);
        }
        let (mut world, mut unlisted) = (World::default(), BTreeSet::new());
        let place = |world: &mut World, path: &str, fields: &Object| {
            let (collection, id) = self.tree.place(path);
            let entity = super::store::Entity::new(&collection, &id, Value::Object(fields.clone()));
            world.set_entity(self.tree.kind, entity);
        };
        for (folder, names) in &folders {
            world.ensure_collection(self.tree.kind, &self.tree.collection_path(folder));
            let newest_first = self.tree.order == super::tree::ChildOrder::Newest;
            let ordered: Vec<&String> =
                if newest_first { names.iter().rev().collect() } else { names.iter().collect() };
            for path in ordered {
                if let Some(fields) = items.remove(path) {
                    place(&mut world, path, &fields);
                }
            }
        }
        for (path, fields) in &items {
            // What was read alone, in a folder that was not, says nothing of what is beside it.
            let alone = !fields.is_empty() && !folders.contains_key(folder_of(path));
            if path.is_empty() || alone {
                place(&mut world, path, fields);
            }
            if !path.is_empty() && alone {
                unlisted.insert(self.tree.place(path).0.into());
            }
        }
        (world, unlisted)
    }

    /// Takes members of an item that are shown as held; an item is known from its richest showing.
    fn learn(&self, known: &mut Object, shown: &Object, held: impl Fn(&str) -> bool) {
        let folder = shown.get(&self.tree.word).is_some_and(|word| word.same_as(&self.tree.folder));
        for member in &self.tree.members {
            if folder && *member == self.tree.children || known.contains(member) || !held(member) {
                continue;
            }
            if let Some(value) = shown.get(member) {
                known.set(member.as_ref(), value.clone());
            }
        }
    }

    /// What later reads show of an item, up to the next write that may change it.
    fn after(&self, write: usize, path: &str, answer: Option<&Showing>) -> Object {
        let mut known = Object::new();
        let next = self.writes.iter().copied().find(|later| *later > write && self.touches(*later, path));
        let end = next.unwrap_or(self.steps.len());
        for step in self.steps[write + 1..end].iter().filter(|step| step.own && step.reads() && step.succeeded()) {
            let (Some(item), Some(line)) = (step.body(), step.line()) else { continue };
            if step.path == path {
                if let Some(showing) = self.tree.lines.get(&line) {
                    self.learn(&mut known, item, |member| *showing.how(member) == How::Held);
                }
            } else if step.path == folder_of(path) && line.is_empty() {
                let inside = item.get(&self.tree.children).and_then(Value::as_array).unwrap_or_default();
                let child = inside.iter().filter_map(Value::as_object);
                let child = child.into_iter().find(|child| own_path(&self.tree, child).as_deref() == Some(path));
                if let Some(child) = child {
                    self.learn(&mut known, child, |member| *self.tree.listed.how(member) == How::Held);
                }
            }
        }
        if let (Some(item), Some(showing)) = (self.steps[write].body(), answer) {
            self.learn(&mut known, item, |member| *showing.how(member) == How::Held);
        }
        known
    }

    /// As [`Ground::after`], once the parts are fitted.
    pub(super) fn known_after(&self, write: usize, path: &str) -> Object {
        let parts = self.tree.parts.get(self.steps[write].method).into_iter().flatten();
        let answer = parts.filter_map(|part| part.answer.as_ref()).next();
        self.after(write, path, answer)
    }

    /// How the answers of a method show an item: as reads soon after it show the same.
    fn answers(&self, method: &str) -> Option<Showing> {
        let reads = self.plain_reads();
        let samples: Vec<Sample<'_>> = self
            .writes
            .iter()
            .filter(|write| self.steps[**write].own && self.steps[**write].method == method)
            .filter_map(|write| {
                let step = &self.steps[*write];
                let item = step.body()?;
                let path = own_path(&self.tree, item)?;
                let later = reads.get(path.as_str()).into_iter().flatten();
                let plain = later
                    .filter(|(read, _)| read > write)
                    .find(|(read, _)| self.untouched(&path, *write, *read))
                    .map(|(_, plain)| *plain);
                Some(Sample { shown: item, plain, record: step.seen.record })
            })
            .collect();
        showing_of(&self.tree, &samples)
    }

    /// Applies what a recorded write did, as the recording shows it.
    pub(super) fn follow(&self, world: &mut World, write: usize, act: &Act, path: &str, after: Object) {
        let step = &self.steps[write];
        // What else is in a folder that was never read is not known: nothing is put there.
        let reached = world.collection(self.tree.kind, &self.tree.place(path).0).is_some();
        match act {
            Act::Save | Act::Make if reached => put(&self.tree, world, path, Value::Object(after)),
            Act::Move(_) if reached => shift(&self.tree, world, (&step.path, path), Value::Object(after)),
            Act::Remove | Act::Move(_) => remove(&self.tree, world, &step.path),
            Act::Save | Act::Make => {}
        }
    }

    /// Finds the parts of all methods, the answers to hindered calls, and the clocks that a folder shares.
    pub(super) fn fit(&mut self, world: &World) {
        let acts = self.acts();
        let answers: BTreeMap<&str, Option<Showing>> =
            acts.keys().map(|method| (method.as_str(), self.answers(method))).collect();
        let mut world = world.clone();
        let mut done: BTreeMap<String, Vec<Done<'_>>> = BTreeMap::new();
        let mut refused: Vec<Refused<'_>> = Vec::new();
        for index in 0..self.steps.len() {
            let step = &self.steps[index];
            if !step.own {
                self.changed_elsewhere(&mut world, index);
                continue;
            }
            let sent = step.seen.sent.as_deref();
            if !step.succeeded() {
                refused.extend(self.hindrances(&world, index, acts.get(step.method)));
                continue;
            }
            if step.reads() {
                self.refresh(&mut world, index);
            }
            let Some(act) = acts.get(step.method).filter(|_| !step.reads()) else { continue };
            let path = step.body().and_then(|item| own_path(&self.tree, item)).unwrap_or_else(|| step.path.clone());
            let held = match (act, self.tree.known(&world, &step.path)) {
                (Act::Make, _) => None,
                (_, Known::Held(entity)) => Some(entity.fields.as_ref().clone()),
                _ => None,
            };
            let showing = answers.get(step.method).and_then(Option::as_ref);
            let mut after = match act {
                Act::Remove => Object::new(),
                _ => self.after(index, &path, showing),
            };
            let source = match act {
                Act::Make => self.source(&world, sent),
                _ => None,
            };
            let taken = self.tree.children(&world, &step.path);
            let taken = taken.into_iter().flat_map(|held| held.iter().map(|item| item.id.to_string())).collect();
            let form = form_of(&self.tree, sent, !matches!(act, Act::Make) && held.is_some());
            // What a move leaves out of its answer is what was held.
            if let (Act::Move(_), Some(held)) = (act, held.as_ref().and_then(Value::as_object)) {
                for (member, value) in held {
                    if member.as_str().is_some_and(|member| !after.contains(member)) {
                        after.push(member.clone(), value.clone());
                    }
                }
            }
            self.follow(&mut world, index, act, &path, after.clone());
            done.entry(step.method.to_owned()).or_default().push(Done {
                step: index,
                form,
                path,
                sent,
                before: held,
                source,
                after,
                taken,
            });
        }
        let mut parts: BTreeMap<String, Vec<TreePart>> = BTreeMap::new();
        for (method, done) in &done {
            let Some(act) = acts.get(method) else { continue };
            let answer = answers.get(method.as_str()).and_then(Option::as_ref);
            let mut forms: BTreeMap<&Form, Vec<&Done<'_>>> = BTreeMap::new();
            for one in done {
                forms.entry(&one.form).or_default().push(one);
            }
            let mut found: Vec<TreePart> = Vec::new();
            for (form, done) in forms {
                match self.part(act, form, &done, answer) {
                    Some(part) => found.push(part),
                    // What no rule explains is known of the very bodies that were recorded.
                    None => found.extend(done.iter().filter_map(|one| {
                        let only = one.sent.and_then(Value::as_object)?.iter();
                        let only =
                            only.filter_map(|(name, value)| Some((name.as_str()?.into(), value.clone()))).collect();
                        Some(TreePart { only, ..self.part(act, form, &[*one], answer)? })
                    })),
                }
            }
            parts.insert(method.clone(), found);
        }
        let (bumped, hindered) = (self.bumped(&acts), Ground::hindered(&refused, &parts));
        (self.tree.parts, self.tree.hindered, self.tree.bumped) = (parts, hindered, bumped);
    }

    /// Takes over what a plain read shows of an item that is held: writes beside it may have set its clocks.
    fn refresh(&self, world: &mut World, index: usize) {
        let step = &self.steps[index];
        let Some(item) = step.plain() else { return };
        let Known::Held(held) = self.tree.known(world, &step.path) else { return };
        let mut fields = Object::new();
        self.learn(&mut fields, item, |_| true);
        let entity = super::store::Entity::new(&held.collection, &held.id, Value::Object(fields));
        world.set_entity(self.tree.kind, entity);
    }

    /// Takes over what later reads show of an item that a write below its path may have changed which is none of the
    /// tree's.
    pub(super) fn changed_elsewhere(&self, world: &mut World, index: usize) {
        let step = &self.steps[index];
        if step.reads() || !step.succeeded() {
            return;
        }
        let mut path = step.path.as_str();
        while !path.is_empty() {
            if let Known::Held(held) = self.tree.known(world, path) {
                let mut fields = self.after(index, path, None);
                for (member, value) in held.fields.as_object().into_iter().flatten() {
                    if member.as_str().is_some_and(|member| !fields.contains(member)) {
                        fields.push(member.clone(), value.clone());
                    }
                }
                put(&self.tree, world, path, Value::Object(fields));
                return;
            }
            path = folder_of(path);
        }
    }

    /// The item that a sent member names.
    fn source(&self, world: &World, sent: Option<&Value>) -> Option<(String, Value)> {
        sent?.as_object()?.iter().find_map(|(name, value)| {
            let path = value.as_str()?.trim_matches('/');
            match self.tree.known(world, path) {
                Known::Held(entity) if !path.is_empty() => {
                    Some((name.as_str()?.to_owned(), entity.fields.as_ref().clone()))
                }
                _ => None,
            }
        })
    }

    fn part(&self, act: &Act, form: &Form, done: &[&Done<'_>], answer: Option<&Showing>) -> Option<TreePart> {
        let first = &self.steps[done.first()?.step];
        let tree = &self.tree;
        let answered = first.body().is_some();
        let copies = done.iter().all(|one| one.source.is_some());
        let naming = match act {
            Act::Make => Some(naming(tree, done, copies)?),
            _ => None,
        };
        let mut rules: Vec<(Box<str>, TreeRule)> = Vec::new();
        if !matches!(act, Act::Remove) {
            for member in &tree.members {
                let folders = done.iter().all(|one| one.after.get(&tree.word).is_some_and(|w| w.same_as(&tree.folder)));
                if folders && *member == tree.children {
                    continue;
                }
                let known: Vec<&Done<'_>> = done.iter().copied().filter(|one| one.after.contains(member)).collect();
                let rule = match rule_of(tree, &self.spans(&known), act, copies, member, &known) {
                    Some(rule) => rule,
                    // What nothing shows after it is what was sent.
                    None if known.is_empty() && form.names.contains(member) => TreeRule::Sent(member.clone()),
                    None => continue,
                };
                rules.push((member.clone(), rule));
            }
        }
        let needed = |member: &str| rules.iter().any(|(held, _)| **held == *member) || member == &*tree.children;
        let shown =
            |showing: &Showing| tree.members.iter().all(|member| *showing.how(member) != How::Held || needed(member));
        let answer = match (act, answered) {
            (Act::Remove, _) | (_, false) => None,
            _ => Some(answer.filter(|showing| shown(showing))?.clone()),
        };
        Some(TreePart {
            act: act.clone(),
            form: form.clone(),
            rules,
            only: only_values(done, act, naming.as_ref()),
            naming,
            answer,
            record: first.seen.record,
            ordinal: first.seen.ordinal,
        })
    }

    fn spans(&self, done: &[&Done<'_>]) -> Vec<Option<(f64, f64)>> {
        done.iter().map(|one| self.steps[one.step].seen.span).collect()
    }

    /// Clocks of a folder that a read shows changed after something was made, moved or removed in it.
    fn bumped(&self, acts: &BTreeMap<String, Act>) -> Vec<(Box<str>, ClockFormat)> {
        let reads = self.plain_reads();
        let mut found = Vec::new();
        for member in &self.tree.clocks {
            let changed = self.writes.iter().copied().find_map(|write| {
                let step = &self.steps[write];
                if !step.own || *acts.get(step.method)? == Act::Save {
                    return None;
                }
                let folder = match acts.get(step.method)? {
                    Act::Make => step.path.as_str(),
                    _ => folder_of(&step.path),
                };
                let reads = reads.get(folder)?;
                let (before, after) = reads.split_at(reads.partition_point(|(read, _)| *read < write));
                let (before, after) = (before.last()?.1.get(member)?, after.first()?.1.get(member)?);
                (!before.same_as(after)).then(|| ClockFormat::stamped(after, step.seen.span))?
            });
            found.extend(changed.map(|format| (member.clone(), format)));
        }
        found
    }
}
