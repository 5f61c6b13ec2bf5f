//! Keeping a tree: every recorded call below its root is made again against what was found, and only what makes the
//! recorded answers is kept. The way children are ordered is the first that most reads agree with.

use super::observe::Observed;
use super::store::World;
use super::tree::{ChildOrder, Known, Tree, folder_of};
use super::tree_copies::CopyAct;
use super::tree_find::{Ground, Step, find, own_path};
use super::tree_rule::TreePart;
use super::tree_write::TreeCall;
use crate::json::Value;
use crate::manifest::Manifest;
use std::collections::BTreeMap;

/// Reads that must come out as recorded for each one that does not, of the whole tree and after each method. Not all must:
/// an application's own jobs save files, too, and no recorded call tells of that. Where fewer do, the rules are wrong.
const RIGHT_PER_WRONG: usize = 5;

/// A tree that was kept, with what it holds at the start.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    /// The tree.
    pub tree: Tree,
    /// What it holds.
    pub world: World,
    /// Ordinals of the reads that confirmed each method.
    pub confirmed: BTreeMap<String, Vec<usize>>,
}

/// What one replay of all steps says.
#[derive(Default)]
struct Verdict {
    /// Reads that were made as recorded, and others.
    right: usize,
    wrong: usize,
    /// The same, by the method of the write that came before.
    after: BTreeMap<String, (Vec<usize>, usize)>,
    /// The same, of lists of kept copies and reads of items that one was given back to.
    copies: (usize, usize),
}

/// The tree of a recording, where replaying keeps one.
pub(super) fn kept_tree(manifest: &Manifest, observed: &Observed) -> Option<Kept> {
    let mut ground = find(manifest, observed)?;
    ground.showings();
    ground.endings();
    ground.tree.copies = ground.copies(manifest).map(std::sync::Arc::new);
    if !ground.tree.lines.contains_key(&Vec::new()) {
        return None;
    }
    let mut best: Option<(usize, Kept, Verdict)> = None;
    for order in [ChildOrder::Name, ChildOrder::FoldersFirst, ChildOrder::Oldest, ChildOrder::Newest] {
        ground.tree.order = order;
        let (mut world, unlisted) = ground.initial();
        ground.tree.unlisted = unlisted;
        if let Some(copies) = &ground.tree.copies {
            ground.without_copies(copies, &mut world);
        }
        ground.fit(&world);
        let verdict = replay(&ground, &world);
        if best.as_ref().is_none_or(|(wrong, _, _)| verdict.wrong < *wrong) {
            let kept = Kept { tree: ground.tree.clone(), world, confirmed: BTreeMap::new() };
            best = Some((verdict.wrong, kept, verdict));
        }
    }
    let (_, mut kept, verdict) = best?;
    if verdict.wrong * RIGHT_PER_WRONG > verdict.right {
        return None;
    }
    let serves = |method: &String| {
        verdict.after.get(method).is_some_and(|(right, wrong)| *wrong * RIGHT_PER_WRONG < right.len())
    };
    if verdict.copies.0 == 0 || verdict.copies.1 > 0 {
        kept.tree.copies = None;
    }
    kept.tree.parts.retain(|method, _: &mut Vec<TreePart>| serves(method));
    kept.confirmed = verdict.after.into_iter().map(|(method, (right, _))| (method, right)).collect();
    Some(kept)
}

/// Makes every recorded call again. A write that does something else than recorded is blamed, and what the recording
/// shows is followed from there.
fn replay(ground: &Ground<'_>, initial: &World) -> Verdict {
    let tree = &ground.tree;
    let acts = ground.acts();
    let mut world = initial.clone();
    let mut verdict = Verdict::default();
    for (index, step) in ground.steps.iter().enumerate().filter(|(_, step)| step.succeeded()) {
        if !step.own {
            let act = tree.copies.as_ref().and_then(|copies| Some((copies, *copies.tools.get(&step.seen.tool)?)));
            let mut clock = |format: &super::clock_format::ClockFormat| format.spell(seconds_of(step));
            let right = match act {
                Some((copies, CopyAct::List)) => copies
                    .list(tree, &world, &step.seen.path)
                    .zip(step.seen.body.as_deref())
                    .map(|((_, made), recorded)| same_but_clocks(tree, recorded, &made)),
                Some((copies, act)) => {
                    let written = copies.write(tree, &world, (act, &step.seen.path), &mut clock).ok();
                    written.and_then(|written| {
                        world = written.world?;
                        let (made, recorded) = (written.body?, step.seen.body.as_deref()?);
                        Some(same_but_clocks(tree, recorded, &made))
                    })
                }
                None => None,
            };
            match right {
                Some(true) => verdict.copies.0 += 1,
                Some(false) => verdict.copies.1 += 1,
                None => {}
            }
            if act.is_some_and(|(_, act)| act == CopyAct::Restore) && !ground.restored(&world, index) {
                verdict.copies.1 += 1;
            }
            ground.changed_elsewhere(&mut world, index);
            continue;
        }
        if step.reads() {
            let (Some(line), Some(body)) = (step.seen.line.as_ref(), step.seen.body.as_deref()) else { continue };
            let Known::Held(entity) = tree.known(&world, &step.path) else { continue };
            let shown = tree
                .showing(line, &entity.fields)
                .and_then(|showing| tree.render(&world, &step.path, &entity.fields, showing));
            let Some(shown) = shown else { continue };
            let right = same_but_clocks(tree, body, &shown);
            let last = ground.writes.iter().rev().find(|write| **write < index && ground.touches(**write, &step.path));
            let last = last.map(|write| &ground.steps[*write]);
            // Something else than the tree's own writes changed it: neither one nor the other.
            if last.is_some_and(|last| !last.own) {
                continue;
            }
            let counted = last.map(|last| verdict.after.entry(last.method.to_owned()).or_default());
            match (right, counted) {
                (true, Some((right, _))) => right.push(step.seen.ordinal),
                (false, Some((_, wrong))) => *wrong += 1,
                (_, None) => {}
            }
            if right {
                verdict.right += 1;
            } else {
                verdict.wrong += 1;
            }
            continue;
        }
        let Some(act) = acts.get(step.method) else { continue };
        let sent = step.seen.sent.as_deref();
        let call = TreeCall { method: step.method, path: &step.seen.path, query: &step.seen.query, body: sent };
        let mut clock = |format: &super::clock_format::ClockFormat| format.spell(seconds_of(step));
        let written = tree.write(&world, call, &mut clock);
        let known = written.is_ok();
        let path = step.body().and_then(|item| own_path(tree, item)).unwrap_or_else(|| step.path.clone());
        let next = written.ok().and_then(|written| {
            let answered = match (&written.body, step.seen.body.as_deref()) {
                (Some(body), Some(recorded)) => same_but_clocks(tree, recorded, body),
                (None, _) => true,
                (Some(_), None) => false,
            };
            written.world.filter(|_| answered)
        });
        match next {
            Some(next) => world = next,
            None => {
                verdict.after.entry(step.method.to_owned()).or_default().1 += usize::from(known);
                let after = ground.known_after(index, &path);
                ground.follow(&mut world, index, act, &path, after);
            }
        }
    }
    verdict
}

/// When a call began, in seconds since the epoch.
#[allow(clippy::cast_possible_truncation)]
fn seconds_of(step: &Step<'_>) -> i64 {
    step.seen.span.map_or(0, |(start, _)| (start / 1000.0) as i64)
}

impl Ground<'_> {
    /// Whether what later reads show of an item that a copy was given back to is what is held.
    fn restored(&self, world: &World, index: usize) -> bool {
        let item = folder_of(folder_of(&self.steps[index].path));
        let Known::Held(held) = self.tree.known(world, item) else { return true };
        let after = self.known_after(index, item);
        after.iter().all(|(member, value)| {
            let Some(member) = member.as_str() else { return false };
            let clock = self.tree.clocks.iter().any(|clock| **clock == *member);
            clock || held.fields.get(member).is_some_and(|held| held.same_as(value))
        })
    }
}

/// Whether two answers say the same, whatever their clocks.
fn same_but_clocks(tree: &Tree, one: &Value, other: &Value) -> bool {
    match (one.plain(), other.plain()) {
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one.iter().all(|(name, value)| {
                    let Some(name) = name.as_str() else { return false };
                    let Some(held) = other.get(name) else { return false };
                    tree.clocks.iter().any(|clock| **clock == *name) || same_but_clocks(tree, value, held)
                })
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same_but_clocks(tree, one, other))
        }
        _ => one.same_as(other),
    }
}
