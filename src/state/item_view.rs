//! Proposing the view of an item route and replaying its recordings against it.

use super::addressed::is_ambiguous;
use super::derive::Derivation;
use super::evaluate::{Read, ReadAnswer, evaluate_read};
use super::identity::under;
use super::key_effect::KeyEffect;
use super::observe::{Seen, is_read};
use super::query::{QueryModel, Role};
use super::types::{ItemView, Shape, Slot, View};
use crate::capture::is_success;
use crate::json::Value;
use std::collections::BTreeSet;

impl Derivation<'_> {
    /// The view of an item route, when it reproduces its clean recordings (four of five at the least); those that it does
    /// not reproduce answer their own lines.
    pub(super) fn item_view(&mut self, tool: usize, entity_type: usize) -> Option<ItemView> {
        let Shape::Item { place, one_element, address, also } = self.shapes[tool].clone() else { return None };
        let calls: Vec<Seen> = self
            .observed
            .of_tool(tool)
            .filter(|seen| is_success(seen.status) && seen.body.is_some())
            .cloned()
            .collect();
        let clean: Vec<&Seen> = calls.iter().filter(|seen| seen.time < self.touched[entity_type]).collect();
        let base = clean.first().copied().or(calls.first())?.clone();
        self.remember(base.record);
        let effects = self.effects_of(tool);
        let mut query = QueryModel::default();
        let slots: BTreeSet<&str> = address
            .iter()
            .filter_map(|(slot, _)| match slot {
                Slot::Key(key) => Some(key.as_str()),
                Slot::Path(_) => None,
            })
            .collect();
        let considered: Vec<&Seen> = if clean.is_empty() { calls.iter().collect() } else { clean };
        for seen in &considered {
            let Some(line) = &seen.line else { continue };
            let mut fixed = Vec::new();
            for param in line.params.iter().filter(|param| !slots.contains(param.key.as_str())) {
                match effects.effects.get(&param.key) {
                    Some(KeyEffect::Projection) => {
                        query.roles.entry(param.key.clone()).or_insert_with(|| Role::Projection(Vec::new()));
                    }
                    Some(KeyEffect::Variant) => {
                        let role =
                            query.roles.entry(param.key.clone()).or_insert_with(|| Role::Variant(BTreeSet::new()));
                        if let Role::Variant(values) = role {
                            values.insert(param.text.clone());
                        }
                    }
                    _ => {
                        let role =
                            query.roles.entry(param.key.clone()).or_insert_with(|| Role::Unchanging(BTreeSet::new()));
                        if let Role::Unchanging(values) = role {
                            values.insert(param.text.clone());
                        }
                        fixed.push(param.key.clone());
                    }
                }
            }
            query.fixed_sets.insert(fixed);
        }
        let representations: Vec<usize> = self.derived.types[entity_type]
            .representations
            .iter()
            .copied()
            .filter(|index| self.derived.representations[*index].tool == tool)
            .collect();
        let mut view = ItemView {
            entity_type,
            frame: self.frame(base.record, &place),
            place,
            one_element,
            address,
            also,
            representations,
            query,
            base_record: base.record,
            contradicted: Vec::new(),
            absence: None,
            shows_first: true,
            shows_only: None,
        };
        self.derived.views[tool] = View::Item(Box::new(view.clone()));
        let clean: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        let (mut held, mut firsts) = (0, Vec::new());
        for seen in &clean {
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: seen.line.as_ref() };
            let answer = evaluate_read(&self.derived, &self.derived.world, read);
            if let (ReadAnswer::State { body, .. }, Some(line)) = (&answer, read.line)
                && is_ambiguous(&self.derived, &self.derived.world, &view, read, line)
            {
                firsts.push(seen.body.as_deref().is_some_and(|shown| shown.same_as(body)));
                continue;
            }
            match answer {
                ReadAnswer::State { body, .. } if seen.body.as_deref().is_some_and(|b| b.same_as(&body)) => held += 1,
                ReadAnswer::State { .. } => {
                    view.contradicted.extend(seen.line.as_ref().map(|line| (seen.path.clone(), line.unordered())));
                }
                ReadAnswer::Absent { .. } | ReadAnswer::Refused { .. } | ReadAnswer::Recording { .. } => {}
            }
        }
        view.shows_first = !firsts.is_empty() && firsts.iter().all(|first| *first);
        held += if view.shows_first { firsts.len() } else { 0 };
        let wrong = view.contradicted.len();
        view.contradicted.sort();
        view.contradicted.dedup();
        (held > wrong * 4 || held > 0 && wrong == 0).then_some(view)
    }

    /// An item route that no clean answer shows, right under a list that is a bare array: it shows entities as the list
    /// does, where every other item route of the capture that lies under such a list was seen to do so.
    pub(super) fn analogous_item(&mut self, tool: usize) -> bool {
        let pair = (0..self.shapes.len()).find_map(|list| match &self.derived.views[list] {
            View::List(view) if view.place.is_empty() && !view.keyed && under(self.manifest, list, tool) => {
                Some((list, view.entity_type, view.base_record, view.representations.clone()))
            }
            _ => None,
        });
        let Some((list, entity_type, base_record, representations)) = pair else { return false };
        let Some(&plain) = representations.first() else { return false };
        if !is_read(&self.manifest.tools[tool])
            || !self.items_show_what_lists_show()
            || !self.late_names_agree(tool, plain)
        {
            return false;
        }
        let parameters = self.manifest.tools[tool].parameters.len();
        let Some(last) = parameters.checked_sub(1) else { return false };
        let identity = self.derived.types[entity_type].identity.clone();
        let view = ItemView {
            entity_type,
            frame: Value::Null,
            place: Vec::new(),
            one_element: false,
            address: vec![(Slot::Path(last), identity)],
            also: Vec::new(),
            representations,
            query: QueryModel { fixed_sets: BTreeSet::from([Vec::new()]), ..QueryModel::default() },
            base_record,
            contradicted: Vec::new(),
            absence: None,
            shows_first: false,
            shows_only: None,
        };
        let home = &self.derived.types[entity_type].template.segments;
        if super::derive::trimmed(&self.manifest.tools[list]) == home.as_slice() {
            self.derived.home_items.insert((tool, entity_type));
        }
        self.derived.views[tool] = View::Item(Box::new(view));
        true
    }

    /// Whether most item views under a bare list show exactly what the list shows; at least one has to.
    fn items_show_what_lists_show(&self) -> bool {
        let (mut alike, mut other) = (0, 0);
        for tool in 0..self.shapes.len() {
            let View::Item(item) = &self.derived.views[tool] else { continue };
            let list = (0..self.shapes.len()).find_map(|list| match &self.derived.views[list] {
                View::List(view) if view.place.is_empty() && under(self.manifest, list, tool) => Some(view),
                _ => None,
            });
            let Some(list) = list else { continue };
            let ways = |indices: &[usize]| indices.first().and_then(|index| self.derived.representations.get(*index));
            let (Some(of_item), Some(of_list)) = (ways(&item.representations), ways(&list.representations)) else {
                continue;
            };
            let same = of_item.members.len() == of_list.members.len()
                && of_item.members.iter().all(|member| {
                    of_list.members.iter().any(|other| other.name == member.name && other.source == member.source)
                });
            if same && item.place.is_empty() {
                alike += 1;
            } else {
                other += 1;
            }
        }
        alike > other
    }

    /// Whether later answers of the route, if there are any, have the members of the list's representation.
    fn late_names_agree(&self, tool: usize, plain: usize) -> bool {
        let Some(way) = self.derived.representations.get(plain) else { return false };
        self.observed.of_tool(tool).filter(|seen| is_success(seen.status)).all(|seen| {
            seen.body.as_deref().and_then(|body| body.as_object()).is_some_and(|object| {
                object.len() == way.members.len() && way.members.iter().all(|member| object.contains(&member.name))
            })
        })
    }
}
