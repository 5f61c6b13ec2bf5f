//! Proposing the view of an item route and replaying its recordings against it.

use super::derive::Derivation;
use super::evaluate::{Read, ReadAnswer, evaluate_read};
use super::observe::Seen;
use super::query::{QueryModel, Role};
use super::representation::KeyEffect;
use super::types::{ItemView, Shape, Slot, View};
use std::collections::BTreeSet;

impl Derivation<'_> {
    /// The view of an item route, when it reproduces its clean recordings (four of five at the least).
    pub(super) fn item_view(&mut self, tool: usize, entity_type: usize) -> Option<ItemView> {
        let Shape::Item { place, one_element, address, also } = self.shapes[tool].clone() else { return None };
        let calls: Vec<Seen> = self
            .observed
            .of_tool(tool)
            .filter(|seen| (200..300).contains(&seen.status) && seen.body.is_some())
            .cloned()
            .collect();
        let clean: Vec<&Seen> = calls.iter().filter(|seen| seen.time < self.touched[entity_type]).collect();
        let base = clean.first().copied().or(calls.first())?.clone();
        self.remember(base.record);
        let effects = self.effects_of(tool, entity_type);
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
        let view = ItemView {
            entity_type,
            place,
            one_element,
            address,
            also,
            representations,
            query,
            base_record: base.record,
            absence: None,
        };
        self.derived.views[tool] = View::Item(Box::new(view.clone()));
        let clean: Vec<Seen> = self.clean_calls(tool, entity_type).into_iter().cloned().collect();
        let (mut held, mut wrong) = (0, 0);
        for seen in &clean {
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: seen.line.as_ref() };
            match evaluate_read(&self.derived, &self.derived.world, read) {
                ReadAnswer::State { body, .. } if seen.body.as_deref().is_some_and(|b| b.same_as(&body)) => held += 1,
                ReadAnswer::State { .. } => wrong += 1,
                ReadAnswer::Recording { .. } => {}
            }
        }
        (held > wrong * 4 || held > 0 && wrong == 0).then_some(view)
    }
}
