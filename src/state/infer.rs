//! Finding the roles of a list's parameters: each is proposed in a fixed order of simplicity and kept only when it
//! reproduces every recorded line it takes part in and at least one would have come out different without it. Filters,
//! orders and pages are found in files of their own; this one leads them and finds the rest.

use super::infer_naming::NamingType;
use super::key_effect::{KeyEffect, ToolEffects};
use super::limits::{MAX_INFERRED_ENTITIES, MIN_INFERRED_CALLS};
use super::line::{Line, Param};
use super::listing::{Listing, Plain};
use super::paging::PagingRole;
use super::path::{MemberPath, picked_paths, scalar_paths};
use super::projection::selected_names;
use super::query::{QueryModel, Role, Selection};
use super::reading::{expand, find_readings};
use super::store::Entity;
use super::term::{Referents, Several, Term};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// One recorded list answer as the inference sees it.
#[derive(Clone, Debug)]
pub struct ListCall {
    /// The line.
    pub line: Line,
    /// The entities of the scope at the call's path, in state order.
    pub scope: Listing,
    /// What was listed.
    pub listed: Listing,
    /// Names shown by the first listed entity, for projections.
    pub shown: BTreeSet<String>,
    /// Numbers around the list, by the place that says them.
    pub said: BTreeMap<String, u64>,
}

/// What the inference may look at beside the calls.
pub struct Surroundings<'a> {
    /// What parameters do to representations.
    pub effects: &'a ToolEffects,
    /// The value of an entity that filters and orders see.
    pub fields: &'a dyn Fn(&Entity) -> Arc<Value>,
    /// Entities of other types.
    pub referents: &'a dyn Referents,
    /// Types and the scalar paths of their entities, for lookups.
    pub others: &'a [(usize, Vec<MemberPath>)],
    /// What names entities, and how; of those that are listed here.
    pub namings: &'a [NamingType],
    /// Where the listed type holds its identity.
    pub identity: &'a MemberPath,
    /// What keys do on other lists of the capture, where a recording proved it.
    pub proved: &'a BTreeMap<String, PagingRole>,
}

/// An inference under way.
pub(super) struct Inference<'a> {
    /// What is known beside the calls.
    pub(super) around: &'a Surroundings<'a>,
    /// The calls, their lines expanded by the readings, short lines first.
    pub(super) calls: Vec<(Line, &'a ListCall)>,
    /// Scalar paths of the listed entities.
    pub(super) paths: Vec<MemberPath>,
    /// The roles found so far.
    pub(super) model: QueryModel,
    /// How many lists had no order when it was last looked for in vain.
    pub(super) unordered: Option<usize>,
    /// The key that envelopes show to be the size of a page.
    pub(super) size_key: Option<String>,
    /// Whether only lines that no page cuts are evidence.
    pub(super) uncut: bool,
    /// The scopes of the calls, by address.
    scopes: HashMap<usize, Plain>,
}

/// Finds the query model of a list from its calls.
pub fn infer(calls: &[ListCall], around: &Surroundings<'_>) -> QueryModel {
    let readings = find_readings(calls.iter().map(|call| &call.line));
    let mut expanded: Vec<(Line, &ListCall)> = calls
        .iter()
        .filter_map(|call| Some((expand(&call.line, &readings)?, call)))
        .filter(|(line, _)| !line.repeated)
        .collect();
    expanded.sort_by(|a, b| (a.0.params.len(), &a.0).cmp(&(b.0.params.len(), &b.0)));
    let widest = expanded.iter().map(|(_, call)| call.scope.len()).max().unwrap_or(0);
    let expanded = spread(expanded, (MAX_INFERRED_ENTITIES / widest.max(1)).max(MIN_INFERRED_CALLS));
    // One template may list several collections, whose entities differ.
    let mut seen: BTreeSet<usize> = BTreeSet::new();
    let values: Vec<Arc<Value>> = calls
        .iter()
        .filter(|call| seen.insert(call.scope.as_ptr().addr()))
        .flat_map(|call| call.scope.iter().map(|entity| (around.fields)(entity)))
        .collect();
    let mut paths = scalar_paths(values.iter().map(AsRef::as_ref));
    paths.extend(picked_paths(values.iter().map(AsRef::as_ref)));
    let scopes = expanded
        .iter()
        .map(|(_, call)| (call.scope.as_ptr().addr(), &call.scope))
        .collect::<HashMap<_, _>>()
        .into_iter()
        .map(|(address, scope)| (address, Plain::new(scope.clone())))
        .collect();
    let mut work = Inference {
        around,
        scopes,
        calls: expanded,
        paths,
        model: QueryModel { readings, ..QueryModel::default() },
        unordered: None,
        size_key: None,
        uncut: false,
    };
    work.representation_roles();
    work.default_filters();
    work.default_size();
    for _ in 0..3 {
        let before = work.model.clone();
        work.default_order();
        work.constants();
        work.paging();
        work.sorts();
        work.hinted_paging();
        work.cursors();
        work.filters();
        work.default_order();
        work.unchanging();
        if work.model == before {
            break;
        }
    }
    work.modes();
    work.families();
    work.partitions();
    work.fixed_sets();
    work.model
}

impl Inference<'_> {
    /// What a model selects for a call; `None` when it cannot read the line.
    pub(super) fn select(&self, model: &QueryModel, line: &Line, call: &ListCall) -> Option<Selection> {
        match self.scopes.get(&call.scope.as_ptr().addr()) {
            Some(scope) => model.select_read(line, scope, self.around.referents).ok(),
            None => model.select_read(line, &Plain::new(call.scope.clone()), self.around.referents).ok(),
        }
    }

    /// Keys of a line without a role.
    pub(super) fn unknown<'l>(&self, line: &'l Line) -> Vec<&'l Param> {
        line.params.iter().filter(|param| !self.model.roles.contains_key(&param.key)).collect()
    }

    /// Lines whose only unknown key is `key`.
    pub(super) fn evidence(&self, key: &str) -> Vec<(Line, ListCall)> {
        self.calls
            .iter()
            .filter(|(line, call)| {
                let unknown = self.unknown(line);
                unknown.len() == 1 && unknown[0].key == key && !(self.uncut && self.is_cut(line, call))
            })
            .map(|(line, call)| (line.clone(), (*call).clone()))
            .collect()
    }

    /// Whether a page may have cut what a line lists.
    fn is_cut(&self, line: &Line, call: &ListCall) -> bool {
        line.params.iter().any(|param| match self.model.roles.get(&param.key) {
            Some(Role::Paging(PagingRole::Size)) => {
                param.text.parse().is_ok_and(|size: usize| call.listed.len() >= size)
            }
            Some(Role::Paging(_) | Role::Cursor(_)) => true,
            _ => false,
        })
    }

    /// Keys without a role, in alphabetical order.
    pub(super) fn open_keys(&self) -> Vec<String> {
        let keys: BTreeSet<String> =
            self.calls.iter().flat_map(|(line, _)| self.unknown(line).into_iter().map(|p| p.key.clone())).collect();
        keys.into_iter().collect()
    }

    /// Whether a model lists what was listed, in order; and whether it differs from the line without the key.
    pub(super) fn judge(
        &self,
        model: &QueryModel,
        evidence: &[(Line, ListCall)],
        key: &str,
        ordered: bool,
    ) -> Option<usize> {
        let mut told = 0;
        for (line, call) in evidence {
            let selection = self.select(model, line, call)?;
            if !same(selection.listed(), &call.listed, ordered) {
                return None;
            }
            let without = self.select(model, &line.without(key), call);
            if without.is_none_or(|without| !same(without.listed(), &call.listed, ordered)) {
                told += 1;
            }
        }
        Some(told)
    }

    /// Roles of parameters that change what is shown of an entity, not which entities are listed.
    fn representation_roles(&mut self) {
        for (key, effect) in &self.around.effects.effects {
            match effect {
                KeyEffect::Projection => {
                    let mut always: Option<BTreeSet<String>> = None;
                    for (line, call) in &self.calls {
                        if line.get(key).is_none() || call.shown.is_empty() {
                            continue;
                        }
                        let selected: BTreeSet<String> = line
                            .params
                            .iter()
                            .filter(|p| self.around.effects.effects.get(&p.key) == Some(&KeyEffect::Projection))
                            .flat_map(selected_names)
                            .collect();
                        let extra: BTreeSet<String> = call.shown.difference(&selected).cloned().collect();
                        always = Some(match always {
                            Some(held) => held.intersection(&extra).cloned().collect(),
                            None => extra,
                        });
                    }
                    let always = always.unwrap_or_default().into_iter().map(Into::into).collect();
                    self.model.roles.insert(key.clone(), Role::Projection(always));
                }
                KeyEffect::Variant => {
                    let values = self
                        .calls
                        .iter()
                        .filter_map(|(line, _)| line.get(key).map(|param| param.text.clone()))
                        .collect::<BTreeSet<_>>();
                    if !values.is_empty() {
                        self.model.roles.insert(key.clone(), Role::Variant(values));
                    }
                }
                KeyEffect::Same => {}
            }
        }
    }

    /// Parameters that every line gives one value: they say how the application was asked, not what for.
    fn constants(&mut self) {
        let mut values: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (line, _) in &self.calls {
            for param in self.unknown(line) {
                values.entry(param.key.clone()).or_default().insert(param.text.clone());
            }
        }
        values.retain(|key, values| {
            values.len() == 1
                && !super::infer_paging::paging_hint(key)
                && self.around.effects.effects.get(key) == Some(&KeyEffect::Same)
        });
        if values.is_empty() {
            return;
        }
        let mut model = self.model.clone();
        for (key, values) in &values {
            model.roles.insert(key.clone(), Role::Unchanging(values.clone()));
        }
        model.fixed_sets = fixed_sets(&model, &self.calls);
        let mut held: BTreeSet<String> = BTreeSet::new();
        for (line, call) in &self.calls {
            let unknown = self.unknown(line);
            if unknown.is_empty() || !unknown.iter().all(|param| values.contains_key(&param.key)) {
                continue;
            }
            match self.select(&model, line, call) {
                Some(selection) if same(selection.listed(), &call.listed, true) => {
                    held.extend(unknown.iter().map(|param| param.key.clone()));
                }
                _ => return,
            }
        }
        // Together or not at all: what one of them does alone was not seen.
        for key in held {
            if let Some(values) = values.get(&key) {
                self.model.roles.insert(key, Role::Unchanging(values.clone()));
            }
        }
        self.fixed_sets();
    }

    /// What never changed an answer keeps its recorded values.
    pub(super) fn unchanging(&mut self) {
        for key in self.open_keys() {
            let evidence: Vec<(Line, ListCall)> = self
                .calls
                .iter()
                .filter(|(line, _)| self.unknown(line).iter().any(|p| p.key == key))
                .map(|(line, call)| (line.clone(), (*call).clone()))
                .collect();
            let values: BTreeSet<String> =
                evidence.iter().filter_map(|(line, _)| Some(line.get(&key)?.text.clone())).collect();
            let mut model = self.model.clone();
            for (line, _) in &evidence {
                for param in self.unknown(line) {
                    if self.around.effects.effects.get(&param.key) == Some(&KeyEffect::Same) || param.key == key {
                        let held =
                            model.roles.entry(param.key.clone()).or_insert_with(|| Role::Unchanging(BTreeSet::new()));
                        if let Role::Unchanging(values) = held {
                            values.insert(param.text.clone());
                        }
                    }
                }
            }
            model.fixed_sets = fixed_sets(&model, &self.calls);
            let holding: BTreeSet<String> = evidence
                .iter()
                .filter(|(line, call)| {
                    self.select(&model, line, call).is_some_and(|s| same(s.listed(), &call.listed, true))
                })
                .filter_map(|(line, _)| Some(line.get(&key)?.text.clone()))
                .collect();
            let failing = evidence.iter().any(|(line, call)| {
                line.get(&key).is_some_and(|p| holding.contains(&p.text))
                    && self.select(&model, line, call).is_some_and(|s| !same(s.listed(), &call.listed, true))
            });
            // Where hardly anything is listed, a parameter may do anything and not be seen.
            let seen = evidence.iter().any(|(_, call)| call.listed.len() >= call.scope.len().min(2));
            if !holding.is_empty() && seen && !failing && holding.len() == values.len() {
                self.model.roles.insert(key, Role::Unchanging(holding));
            }
        }
        self.fixed_sets();
    }

    /// Keeps which unchanging parameters occurred together.
    fn fixed_sets(&mut self) {
        self.model.fixed_sets = fixed_sets(&self.model, &self.calls);
    }

    /// When no line without a filter was read, only the filter values that were read in full are known.
    fn partitions(&mut self) {
        let mut whole = false;
        let mut inside: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (line, call) in &self.calls {
            let holds = self.select(&self.model, line, call).is_some_and(|selection| {
                same(selection.listed(), &call.listed, true) && selection.listed().len() == selection.matched
            });
            if !holds {
                continue;
            }
            let filters: Vec<(&Param, &Term)> = line
                .params
                .iter()
                .filter_map(|param| match self.model.roles.get(&param.key)? {
                    Role::Filter(term) => Some((param, term)),
                    _ => None,
                })
                .collect();
            match filters.as_slice() {
                [] => whole = true,
                [(one, term)] => inside.entry(one.key.clone()).or_default().extend(told_by(one, term)),
                _ => {}
            }
        }
        let paged_whole = self.calls.iter().any(|(line, call)| {
            line.params.iter().all(|param| !matches!(self.model.roles.get(&param.key), Some(Role::Filter(_)) | None))
                && self
                    .select(&self.model, line, call)
                    .is_some_and(|selection| selection.paged && same(selection.listed(), &call.listed, true))
        });
        if !whole && !paged_whole && !inside.is_empty() {
            self.model.partitions = Some(inside);
        }
    }
}

/// The values of a filter that a list read in full tells of: what has any of several values was read for each of them, what
/// has all or none of them was not.
fn told_by(param: &Param, term: &Term) -> impl Iterator<Item = String> {
    let each = param.list.as_ref().filter(|_| term.several == Several::Any && !term.negate);
    std::iter::once(param.text.clone()).chain(each.into_iter().flatten().cloned())
}

/// The sets of unchanging parameters that lines hold.
fn fixed_sets(model: &QueryModel, calls: &[(Line, &ListCall)]) -> BTreeSet<Vec<String>> {
    calls
        .iter()
        .map(|(line, _)| {
            line.params
                .iter()
                .filter(|param| matches!(model.roles.get(&param.key), Some(Role::Unchanging(_))))
                .map(|param| param.key.clone())
                .collect()
        })
        .collect()
}

/// At most `most` of the items, evenly spread, the first among them.
fn spread<T>(items: Vec<T>, most: usize) -> Vec<T> {
    let count = items.len();
    if count <= most {
        return items;
    }
    items.into_iter().enumerate().filter(|(index, _)| index * most % count < most).map(|(_, item)| item).collect()
}

/// Whether two lists hold the same entities, in the same order when that counts.
pub(super) fn same(a: &[Arc<Entity>], b: &[Arc<Entity>], ordered: bool) -> bool {
    let key = |entity: &Arc<Entity>| (entity.collection.clone(), entity.id.clone());
    if a.len() != b.len() {
        return false;
    }
    if ordered {
        return a.iter().zip(b).all(|(a, b)| key(a) == key(b));
    }
    let set: BTreeSet<_> = a.iter().map(key).collect();
    b.iter().all(|entity| set.contains(&key(entity)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::term::Op;
    use rstest::rstest;

    #[rstest]
    #[case(Several::Any, false, &["a,b", "a", "b"])]
    #[case(Several::Any, true, &["a,b"])]
    #[case(Several::All, false, &["a,b"])]
    #[case(Several::No, false, &["a,b"])]
    fn what_a_list_of_values_tells_of(#[case] several: Several, #[case] negate: bool, #[case] expected: &[&str]) {
        let param =
            Param { key: "tags".to_owned(), text: "a,b".to_owned(), list: Some(vec!["a".to_owned(), "b".to_owned()]) };
        let term = Term { targets: vec![MemberPath::member("tags")], op: Op::Equal, negate, several, lookup: None };
        assert_eq!(told_by(&param, &term).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case(3, 5, &[0, 1, 2])]
    #[case(5, 5, &[0, 1, 2, 3, 4])]
    #[case(6, 3, &[0, 2, 4])]
    #[case(7, 3, &[0, 3, 5])]
    fn an_even_part_is_kept(#[case] count: usize, #[case] most: usize, #[case] kept: &[usize]) {
        assert_eq!(spread((0..count).collect(), most), kept);
    }
}
