//! Orders that only later states tell: a list whose first recordings fit the state's own order, and whose later ones do
//! not. The order that sorts all of them is taken; the first in rank wins. Where none does, what is new may come first.

use super::derive::Derivation;
use super::entity::listed_at;
use super::identity::identity_text;
use super::line::Line;
use super::observe::Seen;
use super::order::{OrderKey, OrderStyle, Tie, compare_keys, styles};
use super::order_search::Neighbours;
use super::path::{MemberPath, scalar_paths};
use super::query::Role;
use super::types::{ListView, Shape, View};
use super::write_truth::Truth;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A list as a late read shows it.
#[derive(Clone, Debug)]
pub(super) struct LateList {
    /// The tool.
    pub tool: usize,
    /// The listed entities' values, in the recorded order.
    pub listed: Vec<Arc<Value>>,
    /// Whether the view lists them in another order.
    pub differs: bool,
}

/// Keys of an order (`derivation.md`: refined up to three).
const MAX_KEYS: usize = 3;

/// How many recordings of a list are looked at.
const MAX_SEQUENCES: usize = 40;

/// Whether a line leaves the order to the application.
pub(super) fn leaves_order(view: &ListView, line: &Line) -> bool {
    !line.params.iter().any(|param| {
        matches!(view.query.roles.get(&param.key), None | Some(Role::Sort(_) | Role::Direction(_) | Role::Cursor(_)))
    })
}

/// Whether no parameter of a line ever changed an answer.
pub(super) fn leaves_all(view: &ListView, line: &Line) -> bool {
    line.params.iter().all(|param| matches!(view.query.roles.get(&param.key), Some(Role::Unchanging(_))))
}

impl Derivation<'_> {
    /// Where late lists still differ, says of their types that what is new comes first, if more of them come out as they
    /// were recorded then, and nothing else comes out otherwise.
    pub(super) fn late_places<'t>(&mut self, truth: Truth<'t>, look: impl Fn(&Self) -> Truth<'t>) -> Truth<'t> {
        if !truth.lists.iter().any(|list| list.differs) {
            return truth;
        }
        let mut best = look(self);
        let mut kept = false;
        let kinds: BTreeSet<usize> = differing(&best.lists).keys().filter_map(|tool| self.listed_type(*tool)).collect();
        for kind in kinds {
            self.derived.world.place_new(kind, true);
            let with = look(self);
            if with.changes.len() <= best.changes.len() && is_better(&best.lists, &with.lists) {
                (best, kept) = (with, true);
            } else {
                self.derived.world.place_new(kind, false);
            }
        }
        if kept { best } else { truth }
    }

    fn listed_type(&self, tool: usize) -> Option<usize> {
        match &self.derived.views[tool] {
            View::List(view) => Some(view.entity_type),
            _ => None,
        }
    }

    /// Gives lists whose order later reads contradict the order that sorts all recordings.
    pub(super) fn late_orders(&mut self, late: &[LateList]) {
        let mut by_tool: BTreeMap<usize, Vec<&LateList>> = BTreeMap::new();
        for list in late {
            by_tool.entry(list.tool).or_default().push(list);
        }
        for (tool, lists) in by_tool {
            if !lists.iter().any(|list| list.differs) {
                continue;
            }
            let mut sequences: Vec<Vec<Arc<Value>>> = self.early_sequences(tool);
            sequences.truncate(MAX_SEQUENCES);
            sequences.extend(lists.iter().take(MAX_SEQUENCES).map(|list| list.listed.clone()));
            sequences.retain(|listed| listed.len() > 1);
            let Some((keys, style)) = find_order(&sequences) else { continue };
            let View::List(held) = self.derived.views[tool].clone() else { continue };
            let calls: Vec<Seen> = self.clean_calls(tool, held.entity_type).into_iter().cloned().collect();
            let reproduced = |work: &Self| -> Vec<bool> {
                calls.iter().map(|seen| work.reproduces(seen, &work.derived.world)).collect()
            };
            let before = reproduced(self);
            // What orders that a line asks for do with equal values, null and capitals only shows in the first recordings.
            let asked = held.query.style;
            let strict = |style| {
                let mut pairs = sequences.iter().flat_map(|listed| listed.windows(2));
                pairs.all(|pair| compare_keys(&pair[0], &pair[1], &keys, style).is_lt())
            };
            let ties =
                |style| [Tie::Before, Tie::Reverse, Tie::ReverseDescending].map(|tie| OrderStyle { tie, ..style });
            let mut styles: Vec<OrderStyle> = if strict(asked) { ties(asked).to_vec() } else { Vec::new() };
            styles.extend(ties(style));
            // An order that a first recording contradicts is none.
            let found = styles.into_iter().any(|style| {
                if let Some(View::List(view)) = self.derived.views.get_mut(tool) {
                    view.query.order.clone_from(&keys);
                    view.query.style = style;
                }
                !before.iter().zip(reproduced(self)).any(|(before, after)| *before && !after)
            });
            if !found {
                self.derived.views[tool] = View::List(held);
            }
        }
    }

    /// What the first recordings of a list show, where the line leaves the order to the application.
    fn early_sequences(&self, tool: usize) -> Vec<Vec<Arc<Value>>> {
        let (View::List(view), Shape::List { place, keyed }) = (&self.derived.views[tool], &self.shapes[tool]) else {
            return Vec::new();
        };
        let kind = &self.derived.types[view.entity_type];
        let calls = self.clean_calls(tool, view.entity_type);
        let calls = calls.into_iter().filter(|seen| seen.line.as_ref().is_some_and(|line| leaves_order(view, line)));
        calls
            .filter_map(|seen| {
                let items = listed_at(seen.body.as_deref()?, place, *keyed);
                items
                    .into_iter()
                    .map(|(key, value)| {
                        let id = identity_text(kind, key, value)?;
                        let entity = self.find_entity(tool, view.entity_type, seen, value, &id)?;
                        Some(self.derived.filter_fields(&entity))
                    })
                    .collect()
            })
            .collect()
    }
}

/// How many lists of each tool differ.
fn differing(lists: &[LateList]) -> BTreeMap<usize, usize> {
    let mut found = BTreeMap::new();
    for list in lists.iter().filter(|list| list.differs) {
        *found.entry(list.tool).or_default() += 1;
    }
    found
}

/// Whether fewer lists differ than before, and of no tool more.
fn is_better(before: &[LateList], after: &[LateList]) -> bool {
    let (held, now) = (differing(before), differing(after));
    let fewer = now.values().sum::<usize>() < held.values().sum::<usize>();
    fewer
        && after.len() >= before.len()
        && now.iter().all(|(tool, count)| held.get(tool).is_some_and(|held| count <= held))
}

fn find_order(sequences: &[Vec<Arc<Value>>]) -> Option<(Vec<OrderKey>, OrderStyle)> {
    let longest = sequences.iter().max_by_key(|listed| listed.len())?;
    let paths: Vec<MemberPath> = scalar_paths(longest.iter().map(AsRef::as_ref))
        .into_iter()
        .filter(|path| !path.through_array() && path.0.len() <= 2)
        .collect();
    // Counters change by themselves; they order nothing.
    let telling = |path: &&MemberPath| {
        let texts: BTreeSet<String> = longest.iter().filter_map(|v| path.direct(v)).map(Value::to_compact).collect();
        texts.len() > 1
    };
    let neighbours = Neighbours::new(sequences, paths.iter().filter(telling));
    let plain: Vec<OrderStyle> = styles().filter(|style| style.tie == Tie::Before).collect();
    (1..=MAX_KEYS).find_map(|count| plain.iter().find_map(|style| Some((neighbours.by(count, *style)?, *style))))
}
