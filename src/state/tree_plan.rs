//! The tree in the state: its items as a type, its reads as views, its methods as write plans; and a served write.

use super::coverage::Effect;
use super::derive::Derivation;
use super::derived::Derived;
use super::limits::{COLLECTION_ALLOWANCE_BYTES, MAX_HISTORY_BYTES, MAX_TREE_SEGMENTS};
use super::path::MemberPath;
use super::store::World;
use super::tree::Tree;
use super::tree_copies::CopyAct;
use super::tree_replay::Kept;
use super::tree_rule::{Act, TreePart};
use super::tree_write::{TreeCall, TreeMiss};
use super::types::{EntityType, View};
use super::write_apply::{Maker, Write, Written, checked};
use super::write_plan::{AcceptedMember, Part, Target, TargetPlace, WritePlan, WriteState};
use super::write_reason::WriteReason;
use super::write_refuse::WriteRefusal;
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::{Segment, Template, split_path};
use std::collections::BTreeMap;
use std::sync::Arc;

impl Derivation<'_> {
    /// Puts a tree that was kept into the state.
    pub(super) fn plant(&mut self, kept: &Kept) {
        let kind = self.derived.types.len();
        let tree = Tree { kind, ..kept.tree.clone() };
        let segments = split_path(&tree.root).into_iter().map(|text| Segment::Literal(text.into())).collect();
        let template = Template { segments };
        self.derived.types.push(EntityType {
            collection_template: tree.root.to_string(),
            template,
            identity: tree.name.as_deref().map(MemberPath::member).unwrap_or_default(),
            inner_identity: None,
            parents: Vec::new(),
            representations: Vec::new(),
            made: Vec::new(),
        });
        for (path, _) in kept.world.collections(kept.tree.kind) {
            self.derived.world.ensure_collection(kind, path);
        }
        for entity in kept.world.in_order(kept.tree.kind) {
            self.derived.world.set_shared(kind, Arc::clone(entity));
        }
        for (tool, method) in &tree.methods {
            if method == "GET" {
                self.derived.views[*tool] = View::Tree;
                continue;
            }
            let confirmed = kept.confirmed.get(method).map(Vec::as_slice).unwrap_or_default();
            self.derived.writes[*tool] = Some(match tree.parts.get(method).filter(|parts| !parts.is_empty()) {
                Some(parts) => WriteState::Served(Arc::new(self.tree_plan((*tool, kind), &tree, parts, confirmed))),
                None => {
                    let calls = self.observed.of_tool(*tool);
                    WriteState::Withheld {
                        effect: if method == "DELETE" { Effect::Delete } else { Effect::Update },
                        reason: WriteReason::UnexplainedChange,
                        pointer: None,
                        exemplar_ordinal: calls.filter(|seen| is_success(seen.status)).map(|seen| seen.ordinal).next(),
                        contradicted_by: None,
                    }
                }
            });
        }
        self.plant_copies(kind, &tree);
        self.derived.tree = Some(Arc::new(tree));
    }

    /// The tools that keep, list and give back copies of items.
    fn plant_copies(&mut self, kind: usize, tree: &Tree) {
        let Some(copies) = &tree.copies else { return };
        for (tool, act) in &copies.tools {
            if *act == CopyAct::List {
                self.derived.views[*tool] = View::Tree;
                continue;
            }
            let effect = match act {
                CopyAct::Keep => Effect::Create,
                CopyAct::Forget => Effect::Delete,
                CopyAct::List | CopyAct::Restore => Effect::Update,
            };
            let Some(seen) = copies.records.get(act).and_then(|record| self.observed.of_record(*record)) else {
                continue;
            };
            let part = Part::new(effect, seen.record, seen.ordinal);
            self.derived.writes[*tool] = Some(WriteState::Served(Arc::new(bare_plan(*tool, kind, vec![part]))));
        }
    }

    fn tree_plan(
        &self,
        (tool, kind): (usize, usize),
        tree: &Tree,
        parts: &[TreePart],
        confirmed: &[usize],
    ) -> WritePlan {
        let method = tree.methods.get(&tool);
        let mut types: BTreeMap<&str, Vec<&'static str>> = BTreeMap::new();
        for other in tree.methods.iter().filter(|(_, held)| Some(*held) == method).map(|(other, _)| *other) {
            let sent = self.observed.of_tool(other).filter_map(|seen| seen.sent.as_deref()?.as_object());
            for (name, value) in sent.flatten() {
                let Some(name) = name.as_str() else { continue };
                let held = types.entry(name).or_default();
                if !held.contains(&value.type_name()) {
                    held.push(value.type_name());
                }
            }
        }
        let part = |part: &TreePart| {
            let accepted = part.form.names.iter().map(|name| AcceptedMember {
                name: name.clone(),
                types: types.get(name.as_ref()).cloned().unwrap_or_default(),
                required: true,
                only: match (&part.form.word, part.only.iter().find(|(only, _)| only == name)) {
                    (_, Some((_, value))) => vec![value.clone()],
                    (Some(word), None) if *name == tree.word => vec![Value::from(word.as_str())],
                    _ => Vec::new(),
                },
            });
            let effect = match part.act {
                Act::Save if part.form.held => Effect::Update,
                Act::Save | Act::Make => Effect::Create,
                Act::Move(_) => Effect::Update,
                Act::Remove => Effect::Delete,
            };
            let bare = Part::new(effect, part.record, part.ordinal);
            Part { accepted: accepted.collect(), confirmed_by: confirmed.to_vec(), ..bare }
        };
        bare_plan(tool, kind, parts.iter().map(part).collect())
    }
}

/// A plan whose target is in the tree.
fn bare_plan(tool: usize, kind: usize, parts: Vec<Part>) -> WritePlan {
    WritePlan::new(tool, Target { entity_type: kind, place: TargetPlace::Tree }, parts)
}

/// Applies a served write to the tree.
///
/// # Errors
/// Every call that the recorded calls do not cover.
pub(super) fn apply_tree(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let tree = derived.tree.as_deref().ok_or_else(|| WriteRefusal::target(plan))?;
    let mut clock = |format: &super::clock_format::ClockFormat| maker.clock(format, "").ok();
    let copies = tree.copies.as_ref().and_then(|copies| Some((copies, *copies.tools.get(&plan.tool)?)));
    let written = match (copies, tree.methods.get(&plan.tool)) {
        (Some((copies, act)), _) => copies.write(tree, world, (act, write.path), &mut clock),
        (None, Some(method)) => {
            let call = TreeCall { method, path: write.path, query: write.query, body: write.body };
            tree.write(world, call, &mut clock)
        }
        (None, None) => Err(TreeMiss::Unknown),
    };
    let written = written.map_err(|miss| match (miss, plan.parts.first()) {
        (TreeMiss::Deep, _) => WriteRefusal::depth(MAX_TREE_SEGMENTS),
        (TreeMiss::Form, Some(part)) => WriteRefusal::answer(part),
        _ => WriteRefusal::target(plan),
    })?;
    if let Some(part) = written.part.and_then(|part| plan.parts.get(part)) {
        checked(plan, part, write)?;
    }
    let mut next = written.world;
    if let Some(next) = &mut next {
        let opened = next.collections(tree.kind).filter(|(path, _)| world.collection(tree.kind, path).is_none());
        let more: usize = opened.map(|(path, _)| 2 * (path.len() + COLLECTION_ALLOWANCE_BYTES)).sum();
        let history = world.made().history.saturating_add(more);
        if history > MAX_HISTORY_BYTES {
            return Err(WriteRefusal::history(MAX_HISTORY_BYTES));
        }
        next.made_mut().history = history;
        maker.finish(next);
    }
    let effect = written.part.and_then(|part| plan.parts.get(part)).map(|part| part.effect.word());
    Ok(Written {
        world: next,
        part: written.part,
        record: written.record,
        body: written.body,
        view: effect.unwrap_or("item"),
        target: tree.target(&written.path),
        ids: Vec::new(),
        generated: written.generated,
        recorded: Vec::new(),
    })
}
