//! Finding the roles of a list's parameters: each is proposed in a fixed order of simplicity and kept only when it
//! reproduces every recorded line it takes part in and at least one would have come out different without it.

use super::line::{Line, Param};
use super::order::{OrderKey, compare_keys, read_sort, styles};
use super::paging::PagingRole;
use super::path::{MemberPath, scalar_paths};
use super::projection::selected_names;
use super::query::{CursorRole, QueryModel, Role, Selection, decode64, normal, turns};
use super::reading::{expand, find_readings};
use super::representation::{KeyEffect, ToolEffects};
use super::store::Entity;
use super::term::{Lookup, OPS, Op, Referents, Several, Term};
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// One recorded list answer as the inference sees it.
#[derive(Clone, Debug)]
pub struct ListCall {
    /// The line.
    pub line: Line,
    /// The entities of the scope at the call's path, in state order.
    pub scope: Vec<Arc<Entity>>,
    /// What was listed.
    pub listed: Vec<Arc<Entity>>,
    /// Names shown by the first listed entity, for projections.
    pub shown: BTreeSet<String>,
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
}

/// One line of a filter's evidence.
struct Test {
    param: Param,
    entities: Vec<(Arc<Value>, bool)>,
}

struct Work<'a> {
    around: &'a Surroundings<'a>,
    calls: Vec<(Line, &'a ListCall)>,
    paths: Vec<MemberPath>,
    model: QueryModel,
    /// How many lists had no order when it was last looked for in vain.
    unordered: Option<usize>,
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
    let values: Vec<Arc<Value>> = calls
        .iter()
        .max_by_key(|call| call.scope.len())
        .map(|call| call.scope.iter().map(|entity| (around.fields)(entity)).collect())
        .unwrap_or_default();
    let paths = scalar_paths(values.iter().map(AsRef::as_ref));
    let mut work = Work {
        around,
        calls: expanded,
        paths,
        model: QueryModel { readings, ..QueryModel::default() },
        unordered: None,
    };
    work.representation_roles();
    work.default_filters();
    work.default_size();
    for _ in 0..3 {
        let before = work.model.clone();
        work.filters();
        work.default_order();
        work.paging();
        work.sorts();
        work.cursors();
        work.unchanging();
        if work.model == before {
            break;
        }
    }
    work.partitions();
    work.fixed_sets();
    work.model
}

impl Work<'_> {
    fn select(&self, model: &QueryModel, line: &Line, call: &ListCall) -> Option<Selection> {
        model.select_read(line, call.scope.clone(), self.around.fields, self.around.referents).ok()
    }

    /// Keys of a line without a role.
    fn unknown<'l>(&self, line: &'l Line) -> Vec<&'l Param> {
        line.params.iter().filter(|param| !self.model.roles.contains_key(&param.key)).collect()
    }

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

    /// A bare list that leaves entities out: a member that a key names has one value in all that are listed, and
    /// another in all that are not.
    fn default_filters(&mut self) {
        let bare: Vec<&ListCall> = self
            .calls
            .iter()
            .filter(|(line, _)| self.unknown(line).is_empty())
            .map(|(_, call)| *call)
            .filter(|call| call.listed.len() < call.scope.len() && !call.listed.is_empty())
            .collect();
        let Some(call) = bare.first() else { return };
        let keys: BTreeSet<String> =
            self.calls.iter().flat_map(|(line, _)| self.unknown(line).into_iter().map(|p| p.key.clone())).collect();
        for key in keys {
            for path in self.paths.iter().filter(|path| path.0.len() == 1) {
                if name_score(&key, path) == 0 {
                    continue;
                }
                let text = |entity: &Arc<Entity>| {
                    path.direct(&(self.around.fields)(entity)).and_then(super::line::scalar_text)
                };
                let Some(value) = text(&call.listed[0]) else { continue };
                let inside = call.listed.iter().all(|entity| text(entity).as_deref() == Some(&value));
                let outside = call
                    .scope
                    .iter()
                    .filter(|entity| !call.listed.iter().any(|listed| listed.id == entity.id))
                    .all(|entity| text(entity).is_some_and(|other| other != value));
                if inside && outside {
                    let term = Term {
                        targets: vec![path.clone()],
                        op: Op::Equal,
                        negate: false,
                        several: Several::Any,
                        lookup: None,
                    };
                    let mut model = self.model.clone();
                    model.roles.insert(key.clone(), Role::Filter(term));
                    model.defaults.push((key.clone(), value));
                    self.model = model;
                    return;
                }
            }
        }
    }

    /// A bare list that ends before its scope does has a page size.
    fn default_size(&mut self) {
        for (line, call) in &self.calls {
            if !self.unknown(line).is_empty() {
                continue;
            }
            if let Some(selection) = self.select(&self.model, line, call)
                && call.listed.len() < selection.matched
                && !call.listed.is_empty()
            {
                self.model.default_size = Some(call.listed.len() as u64);
                return;
            }
        }
    }

    /// Lines whose only unknown key is `key`.
    fn evidence(&self, key: &str) -> Vec<(Line, ListCall)> {
        self.calls
            .iter()
            .filter(|(line, _)| {
                let unknown = self.unknown(line);
                unknown.len() == 1 && unknown[0].key == key
            })
            .map(|(line, call)| (line.clone(), (*call).clone()))
            .collect()
    }

    fn open_keys(&self) -> Vec<String> {
        let keys: BTreeSet<String> =
            self.calls.iter().flat_map(|(line, _)| self.unknown(line).into_iter().map(|p| p.key.clone())).collect();
        keys.into_iter().collect()
    }

    /// Whether a model lists what was listed, in order; and whether it differs from the line without the key.
    fn judge(&self, model: &QueryModel, evidence: &[(Line, ListCall)], key: &str, ordered: bool) -> Option<usize> {
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

    fn filters(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() || evidence.iter().all(|(line, _)| line.get(&key).is_some_and(|p| p.text.is_empty()))
            {
                continue;
            }
            if numeric(&key, &evidence) && paging_hint(&key) {
                continue;
            }
            if let Some(term) = self.filter_term(&key, &evidence) {
                self.model.roles.insert(key, Role::Filter(term));
            }
        }
    }

    fn filter_term(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<Term> {
        // A filter's answer is a part of what is listed without it; whatever is not is no filter.
        let mut distinct: BTreeSet<&str> = BTreeSet::new();
        for (line, call) in evidence {
            let param = line.get(key)?;
            let all = self.select(&self.model, &line.without(key), call)?;
            if !all.listed().is_empty()
                && all.window.size.is_none()
                && !call.listed.iter().all(|e| all.listed().iter().any(|held| held.id == e.id))
            {
                return None;
            }
            if !same(all.listed(), &call.listed, false) {
                distinct.insert(&param.text);
            }
        }
        if distinct.is_empty() {
            return None;
        }
        let answered = evidence.iter().filter(|(_, call)| !call.listed.is_empty()).count();
        if answered == 0 {
            return None;
        }
        let severals: &[Several] = if evidence.iter().any(|(line, _)| line.get(key).is_some_and(|p| p.list.is_some())) {
            &[Several::Any, Several::All]
        } else if evidence.iter().any(|(line, _)| line.get(key).is_some_and(|p| p.text.contains(','))) {
            &[Several::Any, Several::No]
        } else {
            &[Several::No, Several::Any]
        };
        let ops = ops_for(key);
        let tests = self.tests(key, evidence)?;
        let mut best: Option<((bool, usize, usize, usize), Term)> = None;
        let strong = distinct.len() >= 2 && answered >= 2;
        for (rank, op) in ops.iter().enumerate() {
            for path in &self.paths {
                for several in severals {
                    for negate in [false, true] {
                        let term =
                            Term { targets: vec![path.clone()], op: *op, negate, several: *several, lookup: None };
                        let score = name_score(key, path);
                        if score == 0 && !strong || !self.explains(key, &term, &tests, evidence) {
                            continue;
                        }
                        let place = (score == 0, usize::MAX - score, rank * 2 + usize::from(negate), path.0.len());
                        if best.as_ref().is_none_or(|(held, _)| place < *held) {
                            best = Some((place, term));
                        }
                    }
                }
            }
        }
        if best.as_ref().is_some_and(|((unnamed, ..), _)| !unnamed) {
            return best.map(|(_, term)| term);
        }
        self.lookup_term(key, &tests, evidence, &ops, severals)
            .or_else(|| self.search_term(key, &tests, evidence, &ops))
            .or_else(|| best.map(|(_, term)| term))
    }

    /// The evidence of a filter as questions: the parameter, and each entity that is listed without it with whether it
    /// still was. Lines that also page are left to the selection.
    fn tests(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<Vec<Test>> {
        let mut tests = Vec::new();
        for (line, call) in evidence {
            let all = self.select(&self.model, &line.without(key), call)?;
            if all.paged || all.range.len() != all.matched {
                continue;
            }
            let listed: BTreeSet<(&str, &str)> =
                call.listed.iter().map(|e| (e.collection.as_ref(), e.id.as_ref())).collect();
            let entities = all
                .listed()
                .iter()
                .map(|entity| {
                    let held = listed.contains(&(entity.collection.as_ref(), entity.id.as_ref()));
                    ((self.around.fields)(entity), held)
                })
                .collect();
            tests.push(Test { param: line.get(key)?.clone(), entities });
        }
        Some(tests)
    }

    fn explains(&self, key: &str, term: &Term, tests: &[Test], evidence: &[(Line, ListCall)]) -> bool {
        let quick = tests.iter().all(|test| {
            test.entities.iter().all(|(value, held)| term.holds(value, &test.param, self.around.referents) == *held)
        });
        quick && (tests.len() == evidence.len() || self.selects(key, term, evidence))
    }

    /// Whether a term reproduces its evidence, paging and all.
    fn selects(&self, key: &str, term: &Term, evidence: &[(Line, ListCall)]) -> bool {
        let mut model = self.model.clone();
        model.roles.insert(key.to_owned(), Role::Filter(term.clone()));
        evidence.iter().all(|(line, call)| {
            self.select(&model, line, call).is_some_and(|selection| same(selection.listed(), &call.listed, false))
        })
    }

    /// A search: several members may hold the text. Members that would list an entity that was not listed are out;
    /// those left that explain a listed one are in. Addresses and identifiers are searched only when texts do not
    /// explain the answers.
    fn search_term(&self, key: &str, tests: &[Test], evidence: &[(Line, ListCall)], ops: &[Op]) -> Option<Term> {
        const SEARCHES: [Op; 8] = [
            Op::ContainsFold,
            Op::Contains,
            Op::PrefixFold,
            Op::Prefix,
            Op::EqualFold,
            Op::Equal,
            Op::LikeFold,
            Op::Like,
        ];
        for op in SEARCHES.iter().filter(|op| ops.contains(op)) {
            let mut targets = Vec::new();
            for path in &self.paths {
                let mut supports = false;
                let sound = tests.iter().all(|test| {
                    test.entities.iter().all(|(value, held)| {
                        let holds = super::term::satisfied(*op, path, value, &test.param.text);
                        supports |= holds && *held;
                        !holds || *held
                    })
                });
                if sound && supports {
                    targets.push(path.clone());
                }
            }
            let texts: Vec<MemberPath> =
                targets.iter().filter(|path| !self.machine_text(path, tests)).cloned().collect();
            for targets in [texts, targets] {
                if targets.is_empty() {
                    continue;
                }
                let term = Term { targets, op: *op, negate: false, several: Several::No, lookup: None };
                if self.explains(key, &term, tests, evidence) {
                    return Some(term);
                }
            }
        }
        None
    }

    /// Whether a member holds addresses, identifiers or clocks rather than words.
    fn machine_text(&self, path: &MemberPath, tests: &[Test]) -> bool {
        tests.iter().flat_map(|test| &test.entities).any(|(value, _)| {
            let mut machine = false;
            path.visit(value, &mut |scalar| {
                machine = scalar.as_str().is_some_and(|text| {
                    text.contains("://")
                        || text.starts_with('/')
                        || crate::manifest::SegmentFormat::of(text).is_some()
                        || crate::capture::RecordedTime::parse(text).is_some()
                });
                !machine
            });
            machine
        })
    }

    /// A demand on the entity that a reference names, where the key names the reference.
    fn lookup_term(
        &self,
        key: &str,
        tests: &[Test],
        evidence: &[(Line, ListCall)],
        ops: &[Op],
        severals: &[Several],
    ) -> Option<Term> {
        let mut best: Option<((usize, usize), Term)> = None;
        for (entity_type, targets) in self.around.others {
            for via in self.reference_paths(*entity_type, evidence) {
                if name_score(key, &via) == 0 {
                    continue;
                }
                for (rank, op) in ops.iter().enumerate().filter(|(_, op)| matches!(op, Op::Equal | Op::EqualFold)) {
                    for target in targets.iter().filter(|path| path.0.len() <= 2) {
                        for several in severals {
                            let term = Term {
                                targets: vec![target.clone()],
                                op: *op,
                                negate: false,
                                several: *several,
                                lookup: Some(Lookup { via: via.clone(), entity_type: *entity_type }),
                            };
                            if self.explains(key, &term, tests, evidence) {
                                let score = name_score(key, &via) * 2 + name_score("name", target);
                                let place = (usize::MAX - score, rank);
                                if best.as_ref().is_none_or(|(held, _)| place < *held) {
                                    best = Some((place, term));
                                }
                            }
                        }
                    }
                }
            }
        }
        best.map(|(_, term)| term)
    }

    /// Paths whose every value is an identity of the other type.
    fn reference_paths(&self, entity_type: usize, evidence: &[(Line, ListCall)]) -> Vec<MemberPath> {
        let Some((_, call)) = evidence.iter().max_by_key(|(_, call)| call.scope.len()) else { return Vec::new() };
        self.paths
            .iter()
            .filter(|path| {
                let mut any = false;
                let all = call.scope.iter().all(|entity| {
                    let value = (self.around.fields)(entity);
                    path.visit(&value, &mut |scalar| {
                        if scalar.is_null() {
                            return true;
                        }
                        any = true;
                        super::line::scalar_text(scalar)
                            .is_some_and(|id| self.around.referents.referent(entity_type, &id).is_some())
                    })
                });
                any && all
            })
            .cloned()
            .collect()
    }

    /// The order of lists without a sort parameter: state order unless a recording contradicts it.
    fn default_order(&mut self) {
        let sequences: Vec<(&[Arc<Entity>], &[Arc<Entity>])> = self
            .calls
            .iter()
            .filter(|(line, _)| {
                self.unknown(line).is_empty()
                    && !line.params.iter().any(|p| {
                        matches!(
                            self.model.roles.get(&p.key),
                            Some(Role::Sort(_) | Role::Direction(_) | Role::Paging(_))
                        )
                    })
            })
            .map(|(_, call)| (call.scope.as_slice(), call.listed.as_slice()))
            .collect();
        let in_state_order = |(scope, listed): &(&[Arc<Entity>], &[Arc<Entity>])| {
            let mut rest = scope.iter();
            listed.iter().all(|entity| {
                rest.any(|held| {
                    Arc::ptr_eq(held, entity) || held.id == entity.id && held.collection == entity.collection
                })
            })
        };
        if sequences.iter().all(in_state_order) {
            self.model.order.clear();
            return;
        }
        if self.unordered == Some(sequences.len()) {
            return;
        }
        let simple: Vec<&MemberPath> =
            self.paths.iter().filter(|path| !path.through_array() && path.0.len() <= 2).collect();
        let sorted = |keys: &[OrderKey], style| {
            sequences.iter().all(|(_, listed)| {
                listed.windows(2).all(|pair| {
                    compare_keys(&(self.around.fields)(&pair[0]), &(self.around.fields)(&pair[1]), keys, style)
                        != std::cmp::Ordering::Greater
                })
            })
        };
        let strictly = |keys: &[OrderKey], style| {
            sequences.iter().all(|(_, listed)| {
                listed.windows(2).all(|pair| {
                    compare_keys(&(self.around.fields)(&pair[0]), &(self.around.fields)(&pair[1]), keys, style)
                        == std::cmp::Ordering::Less
                })
            })
        };
        for style in styles().filter(|style| style.tie == super::order::Tie::Before) {
            for path in &simple {
                for descending in [false, true] {
                    let keys = vec![OrderKey { path: (*path).clone(), descending }];
                    if strictly(&keys, style) {
                        self.model.order = keys;
                        self.model.style = style;
                        return;
                    }
                }
            }
            for first in &simple {
                for descending in [false, true] {
                    let one = OrderKey { path: (*first).clone(), descending };
                    if !sorted(std::slice::from_ref(&one), style) {
                        continue;
                    }
                    for second in &simple {
                        for descending in [false, true] {
                            let keys = vec![one.clone(), OrderKey { path: (*second).clone(), descending }];
                            if strictly(&keys, style) {
                                self.model.order = keys;
                                self.model.style = style;
                                return;
                            }
                        }
                    }
                }
            }
        }
        self.unordered = Some(sequences.len());
    }

    fn paging(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if !numeric(&key, &evidence) {
                continue;
            }
            for role in paging_roles(&key) {
                let mut model = self.model.clone();
                model.roles.insert(key.clone(), Role::Paging(role));
                if self.judge(&model, &evidence, &key, true).is_some_and(|told| told > 0) {
                    self.model = model;
                    break;
                }
            }
        }
        // Two at once: a page and its size are seldom recorded apart.
        let open = self.open_keys();
        for size in &open {
            for place in &open {
                if size == place || self.model.roles.contains_key(size) || self.model.roles.contains_key(place) {
                    continue;
                }
                let evidence: Vec<(Line, ListCall)> = self
                    .calls
                    .iter()
                    .filter(|(line, _)| {
                        let unknown = self.unknown(line);
                        unknown.iter().any(|p| p.key == *place)
                            && unknown.iter().all(|p| p.key == *size || p.key == *place)
                    })
                    .map(|(line, call)| (line.clone(), (*call).clone()))
                    .collect();
                if !numeric(place, &evidence) || !evidence.iter().any(|(line, _)| line.get(size).is_some()) {
                    continue;
                }
                for role in paging_roles(place).into_iter().filter(|role| *role != PagingRole::Size) {
                    let mut model = self.model.clone();
                    model.roles.insert(size.clone(), Role::Paging(PagingRole::Size));
                    model.roles.insert(place.clone(), Role::Paging(role));
                    let told = self.judge(&model, &evidence, place, true);
                    if told.is_some_and(|told| told > 0) {
                        self.model = model;
                        break;
                    }
                }
            }
        }
    }

    /// Pages that were only recorded together with an unknown order: the names say which parameters page, the orders are
    /// found under that assumption, and all of it stays only when it reproduces every line it covers.
    fn hinted_paging(&mut self) {
        let hinted: Vec<String> = self.open_keys().into_iter().filter(|key| paging_hint(key)).collect();
        if hinted.is_empty() {
            return;
        }
        let before = self.model.clone();
        for key in &hinted {
            if let Some(role) = paging_roles(key).first() {
                self.model.roles.insert(key.clone(), Role::Paging(*role));
            }
        }
        self.sorts();
        let (mut told, mut wrong) = (0, 0);
        for (line, call) in &self.calls {
            if !line.params.iter().any(|param| hinted.contains(&param.key)) || !self.unknown(line).is_empty() {
                continue;
            }
            match self.select(&self.model, line, call) {
                Some(selection) if same(selection.listed(), &call.listed, true) => {
                    told += usize::from(selection.range.len() < selection.matched);
                }
                _ => wrong += 1,
            }
        }
        if told == 0 || wrong > 0 {
            self.model = before;
        }
    }

    fn sorts(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() {
                continue;
            }
            if let Some(model) = self.direction_alone(&key, &evidence) {
                self.model = model;
                continue;
            }
            if let Some(model) = self.sort_model(&key, None, &evidence) {
                self.model = model;
            }
        }
        let open = self.open_keys();
        for key in &open {
            for direction in &open {
                if key == direction || self.model.roles.contains_key(key) || self.model.roles.contains_key(direction) {
                    continue;
                }
                let evidence: Vec<(Line, ListCall)> = self
                    .calls
                    .iter()
                    .filter(|(line, _)| {
                        let unknown = self.unknown(line);
                        unknown.iter().any(|p| p.key == *key)
                            && unknown.iter().all(|p| p.key == *key || p.key == *direction && turns(&p.text).is_some())
                    })
                    .map(|(line, call)| (line.clone(), (*call).clone()))
                    .collect();
                if evidence.iter().any(|(line, _)| line.get(direction).is_some())
                    && let Some(model) = self.sort_model(key, Some(direction), &evidence)
                {
                    self.model = model;
                }
            }
        }
    }

    /// A direction given without a sort parameter turns the default order around.
    fn direction_alone(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<QueryModel> {
        let values: Vec<&str> = evidence.iter().filter_map(|(line, _)| Some(line.get(key)?.text.as_str())).collect();
        if values.iter().any(|value| turns(value).is_none()) {
            return None;
        }
        for turning in [true, false] {
            let mut model = self.model.clone();
            let set = ["asc", "ASC", "ascending", "desc", "DESC", "descending", "true", "false", "1", "-1"]
                .iter()
                .filter(|word| turns(word) == Some(turning))
                .map(|word| (*word).to_owned())
                .collect();
            model.roles.insert(key.to_owned(), Role::Direction(set));
            if self.judge(&model, evidence, key, true).is_some_and(|told| told > 0) {
                return Some(model);
            }
        }
        None
    }

    fn sort_model(&self, key: &str, direction: Option<&str>, evidence: &[(Line, ListCall)]) -> Option<QueryModel> {
        let mut words: BTreeSet<String> = BTreeSet::new();
        for (line, _) in evidence {
            if let Some(param) = line.get(key) {
                words.extend(read_sort(&param.text)?.into_iter().map(|wanted| wanted.word));
            }
        }
        let simple: Vec<&MemberPath> =
            self.paths.iter().filter(|path| !path.through_array() && path.0.len() <= 2).collect();
        let mut named: BTreeMap<String, MemberPath> = BTreeMap::new();
        for path in simple.iter().rev() {
            if let Some(last) = path.last_name().filter(|_| path.0.len() == 1) {
                named.insert(format!("={}", normal(last)), (*path).clone());
            }
            named.insert(format!("={}", normal(&path.spelling())), (*path).clone());
        }
        let mut options: Vec<(String, Vec<MemberPath>)> = Vec::new();
        for word in &words {
            let mut candidates: Vec<MemberPath> = Vec::new();
            if let Some(path) = named.get(&format!("={}", normal(word))) {
                candidates.push(path.clone());
            } else {
                candidates.extend(simple.iter().filter(|path| name_score(word, path) > 0).map(|path| (*path).clone()));
                candidates.extend(simple.iter().filter(|path| name_score(word, path) == 0).map(|path| (*path).clone()));
            }
            options.push((word.clone(), candidates));
        }
        for style in styles() {
            for turning in if direction.is_some() { vec![true, false] } else { vec![true] } {
                let mut model = self.model.clone();
                model.style = style;
                if let Some(direction) = direction {
                    let set = ["asc", "ASC", "ascending", "desc", "DESC", "descending", "true", "false", "1", "-1"]
                        .iter()
                        .filter(|word| turns(word) == Some(turning))
                        .map(|word| (*word).to_owned())
                        .collect();
                    model.roles.insert(direction.to_owned(), Role::Direction(set));
                }
                let mut chosen = named.clone();
                let mut complete = true;
                for (word, candidates) in &options {
                    let alone: Vec<(Line, ListCall)> = evidence
                        .iter()
                        .filter(|(line, _)| {
                            line.get(key).is_some_and(|param| {
                                read_sort(&param.text).is_some_and(|wanted| {
                                    wanted.iter().all(|w| w.word == *word || chosen.contains_key(&w.word))
                                        && wanted.iter().any(|w| w.word == *word)
                                })
                            })
                        })
                        .cloned()
                        .collect();
                    let found = candidates.iter().find(|path| {
                        let mut words = chosen.clone();
                        words.insert(word.clone(), (*path).clone());
                        let mut model = model.clone();
                        model.roles.insert(key.to_owned(), Role::Sort(words));
                        self.judge(&model, &alone, key, true).is_some()
                    });
                    match found {
                        Some(path) => {
                            chosen.insert(word.clone(), path.clone());
                        }
                        None => {
                            complete = false;
                            break;
                        }
                    }
                }
                if !complete {
                    continue;
                }
                model.roles.insert(key.to_owned(), Role::Sort(chosen));
                let earlier_hold = self.earlier_hold(&model);
                if earlier_hold && self.judge(&model, evidence, key, true).is_some_and(|told| told > 0) {
                    return Some(model);
                }
            }
        }
        None
    }

    /// Whether lines that the model already reproduced are still reproduced by a changed one.
    fn earlier_hold(&self, model: &QueryModel) -> bool {
        self.calls.iter().filter(|(line, _)| self.unknown(line).is_empty()).all(|(line, call)| {
            let held = |model: &QueryModel| {
                self.select(model, line, call).is_some_and(|selection| same(selection.listed(), &call.listed, true))
            };
            !held(&self.model) || held(model)
        })
    }

    /// Keys whose value encodes an offset: the same pattern with other numbers reproduces the lines.
    fn cursors(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() {
                continue;
            }
            let texts: Vec<&str> =
                evidence.iter().filter_map(|(line, _)| Some(line.get(&key)?.text.as_str())).collect();
            for base64 in [true, false] {
                let plain: Option<Vec<String>> =
                    texts.iter().map(|text| if base64 { decode64(text) } else { Some((*text).to_owned()) }).collect();
                let Some(plain) = plain else { continue };
                for pattern in cursor_patterns(&plain[0]) {
                    let mut model = self.model.clone();
                    model.roles.insert(key.clone(), Role::Cursor(CursorRole { base64, pattern }));
                    if self.judge(&model, &evidence, &key, true).is_some_and(|told| told > 0) {
                        self.model = model;
                        break;
                    }
                }
            }
        }
    }

    /// What never changed an answer keeps its recorded values.
    fn unchanging(&mut self) {
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
            if !holding.is_empty() && !failing && holding.len() == values.len() {
                self.model.roles.insert(key, Role::Unchanging(holding));
            }
        }
        self.fixed_sets();
    }

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
            let filters: Vec<&Param> = line
                .params
                .iter()
                .filter(|param| matches!(self.model.roles.get(&param.key), Some(Role::Filter(_))))
                .collect();
            match filters.as_slice() {
                [] => whole = true,
                [one] => {
                    inside.entry(one.key.clone()).or_default().insert(one.text.clone());
                }
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

fn numeric(key: &str, evidence: &[(Line, ListCall)]) -> bool {
    !evidence.is_empty()
        && evidence.iter().all(|(line, _)| line.get(key).is_some_and(|param| param.text.parse::<u64>().is_ok()))
}

/// Whether a key's name says that it pages.
fn paging_hint(key: &str) -> bool {
    let name = normal(key.rsplit(['/', '[', '{']).next().unwrap_or(key));
    ["limit", "offset", "page", "pagesize", "perpage", "size", "skip", "take", "maxresults", "pagenumber"]
        .contains(&name.as_str())
}

/// Paging roles in the order in which a key's name suggests them.
fn paging_roles(key: &str) -> Vec<PagingRole> {
    let name = normal(key.rsplit(['/', '[', '{']).next().unwrap_or(key));
    let all = [PagingRole::Size, PagingRole::Offset, PagingRole::Page { first: 1 }, PagingRole::Page { first: 0 }];
    let hinted = |role: &PagingRole| match role {
        PagingRole::Size => {
            ["limit", "size", "perpage", "take", "max", "count", "top"].iter().any(|w| name.contains(w))
        }
        PagingRole::Offset => ["offset", "skip", "start", "from"].iter().any(|w| name.contains(w)),
        PagingRole::Page { .. } => {
            name == "page" || name.ends_with("pagenumber") || name == "p" || name.ends_with("pageindex")
        }
    };
    let mut roles: Vec<PagingRole> = all.iter().copied().filter(hinted).collect();
    let rest: Vec<PagingRole> = all.iter().copied().filter(|role| !roles.contains(role)).collect();
    roles.extend(rest);
    roles
}

/// A cursor's text with its numbers replaced: each number may be the offset, one other the size.
fn cursor_patterns(text: &str) -> Vec<String> {
    let mut numbers: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                numbers.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    let mut patterns = Vec::new();
    for offset in 0..numbers.len() {
        for size in std::iter::once(None).chain((0..numbers.len()).map(Some)) {
            if size == Some(offset) {
                continue;
            }
            let mut pattern = String::new();
            let mut from = 0;
            for (index, range) in numbers.iter().enumerate() {
                pattern.push_str(&text[from..range.start]);
                if index == offset {
                    pattern.push_str("{offset}");
                } else if Some(index) == size {
                    pattern.push_str("{size}");
                } else {
                    pattern.push_str(&text[range.clone()]);
                }
                from = range.end;
            }
            pattern.push_str(&text[from..]);
            patterns.push(pattern);
        }
    }
    patterns
}

/// The operators that a key's own spelling allows: `filter{name}LIKE` is a pattern, `filter{date}:>` a comparison, a
/// last word such as `gte` likewise; other keys may mean any.
fn ops_for(key: &str) -> Vec<Op> {
    let tail = key.rsplit('}').next().filter(|_| key.contains('}')).unwrap_or("");
    match tail {
        "LIKE" | "ILIKE" => return vec![Op::Like, Op::LikeFold],
        "=" | "IN" => return vec![Op::Equal, Op::EqualFold],
        "<" | ":<" => return vec![Op::Less],
        "<=" | ":<=" => return vec![Op::LessEqual],
        ">" | ":>" => return vec![Op::Greater],
        ">=" | ":>=" => return vec![Op::GreaterEqual],
        ":~" => return vec![Op::ContainsFold, Op::Contains, Op::Prefix],
        ":" | ":-" => return vec![Op::Equal, Op::EqualFold, Op::Contains, Op::ContainsFold],
        _ => {}
    }
    match words(key).last().map(String::as_str) {
        Some("gt" | "after") => vec![Op::Greater],
        Some("gte" | "ge" | "since" | "from" | "min") => vec![Op::GreaterEqual, Op::Greater],
        Some("lt" | "before") => vec![Op::Less],
        Some("lte" | "le" | "until" | "to" | "max") => vec![Op::LessEqual, Op::Less],
        _ => OPS.to_vec(),
    }
}

/// How well a key names a path: words of the key that are names along the path, singular and plural alike, the last
/// name counting most.
pub fn name_score(key: &str, path: &MemberPath) -> usize {
    let words: Vec<String> = words(key);
    let names: Vec<&str> = path.names().collect();
    let mut score = 0;
    for (at, name) in names.iter().enumerate() {
        let inner = self::words(name);
        let whole = singular(&normal(name));
        let named = words.iter().any(|word| singular(word) == whole)
            || singular(&normal(key)) == whole
            || !inner.is_empty() && inner.iter().all(|part| words.iter().any(|word| singular(word) == singular(part)));
        if named {
            score += if at + 1 == names.len() { 3 } else { 2 };
        }
    }
    if score > 0 && names.len() == 1 { score + 1 } else { score }
}

fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if !character.is_alphanumeric()
            || character.is_uppercase() && word.chars().last().is_some_and(char::is_lowercase)
        {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !character.is_alphanumeric() {
                continue;
            }
        }
        word.extend(character.to_lowercase());
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    word.strip_suffix('s').filter(|stem| stem.len() > 1).unwrap_or(word).to_owned()
}

fn same(a: &[Arc<Entity>], b: &[Arc<Entity>], ordered: bool) -> bool {
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
