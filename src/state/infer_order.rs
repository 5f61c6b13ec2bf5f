//! Finding orders: the order of a list that is not asked for one, and the parameters that ask.

use super::infer::{Inference, ListCall, same};
use super::line::Line;
use super::naming::{name_score, normal};
use super::order::{OrderStyle, OrderWord, Tie, read_sort, styles, turning_words, turns_each};
use super::order_search::Neighbours;
use super::path::{MemberPath, Step};
use super::query::{QueryModel, Role, Selection};
use super::store::Entity;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A scope in state order, and what was listed of it.
type Sequence<'a> = (&'a [Arc<Entity>], &'a [Arc<Entity>]);

impl Inference<'_> {
    /// The order of lists without a sort parameter: state order unless a recording contradicts it.
    pub(super) fn default_order(&mut self) {
        let mut unordered = self.model.clone();
        unordered.order.clear();
        let mut paged: Vec<(&Line, &ListCall)> = Vec::new();
        let mut sequences: Vec<Sequence<'_>> = Vec::new();
        for (line, call) in self.calls.iter().filter(|(line, _)| self.unknown(line).is_empty()) {
            let role = |wanted: fn(&Role) -> bool| {
                line.params.iter().any(|param| self.model.roles.get(&param.key).is_some_and(wanted))
            };
            if role(|role| matches!(role, Role::Sort(_) | Role::Direction(_))) {
                continue;
            }
            if !role(|role| matches!(role, Role::Paging(_))) {
                sequences.push((&*call.scope, &*call.listed));
                continue;
            }
            paged.push((line, call));
        }
        // Pages are asked where nothing else is: of one that is full, what comes first is told as well.
        let asked = if sequences.is_empty() { paged } else { Vec::new() };
        let first = asked.into_iter().filter_map(|(line, call)| Some((self.select(&unordered, line, call)?, call)));
        let pages: Vec<(Selection, &ListCall)> = first.filter(|(page, _)| page.window.offset == 0).collect();
        sequences.extend(pages.iter().map(|(page, call)| (page.listed(), &*call.listed)));
        let in_state_order = |(scope, listed): &Sequence<'_>| {
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
            self.paths.iter().filter(|path| !path.through_array() && path.depth() <= 2).collect();
        let lists: Vec<Vec<Arc<Value>>> = sequences
            .iter()
            .map(|(_, listed)| listed.iter().map(|entity| (self.around.fields)(entity)).collect())
            .collect();
        let neighbours = Neighbours::new(&lists, simple.iter().copied());
        let mut styles = styles().filter(|style| style.tie == Tie::Before);
        let found = styles.find_map(|style| {
            let keys = neighbours.by(1, style).or_else(|| neighbours.by(2, style))?;
            Some((keys, style))
        });
        if let Some((keys, style)) = found {
            self.model.order = keys;
            self.model.style = style;
            return;
        }
        self.unordered = Some(sequences.len());
    }

    /// Finds sort parameters, alone and with a direction beside them.
    pub(super) fn sorts(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() || !self.only_reorders(&[&key], &evidence) {
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
                            && unknown.iter().all(|p| {
                                p.key == *key || p.key == *direction && turns_each(&p.text, &BTreeSet::new()).is_some()
                            })
                    })
                    .map(|(line, call)| (line.clone(), (*call).clone()))
                    .collect();
                if evidence.iter().any(|(line, _)| line.get(direction).is_some())
                    && self.only_reorders(&[key, direction], &evidence)
                    && let Some(model) = self.sort_model(key, Some(direction), &evidence)
                {
                    self.model = model;
                }
            }
        }
    }

    /// Whether lines list what they list without the keys, in whatever order; pages of it may hold any part. A parameter
    /// that lists less is a filter, and no order is looked for.
    fn only_reorders(&self, keys: &[&str], evidence: &[(Line, ListCall)]) -> bool {
        let mut told = false;
        let holds = evidence.iter().all(|(line, call)| {
            let without = keys.iter().fold(line.clone(), |line, key| line.without(key));
            let Some(all) = self.select(&self.model, &without, call) else { return true };
            told |= !same(all.listed(), &call.listed, true);
            if all.range.len() == all.matched {
                same(all.listed(), &call.listed, false)
            } else {
                all.listed().len() == call.listed.len()
            }
        });
        holds && told
    }

    /// A direction given without a sort parameter turns the default order around.
    fn direction_alone(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<QueryModel> {
        let values: Vec<&str> = evidence.iter().filter_map(|(line, _)| Some(line.get(key)?.text.as_str())).collect();
        if values.iter().any(|value| turns_each(value, &BTreeSet::new()).is_none()) {
            return None;
        }
        for turning in [true, false] {
            let mut model = self.model.clone();
            let set = turning_words(turning);
            model.roles.insert(key.to_owned(), Role::Direction(set));
            if self.judge(&model, evidence, key, true).is_some_and(|told| told > 0) {
                return Some(model);
            }
        }
        None
    }

    /// The lines that a word orders first, to be asked which members it can be: those by which what is listed goes up or
    /// down under some style. Rules out nearly all members before any list is made.
    fn ordered_by(&self, word: &str, key: &str, evidence: &[(Line, ListCall)]) -> Vec<Vec<Arc<Value>>> {
        let first = |line: &Line| line.get(key).and_then(|param| read_sort(&param.text)?.into_iter().next());
        let ordered = evidence.iter().filter(|(line, _)| first(line).is_some_and(|first| first.word == word));
        ordered.map(|(_, call)| call.listed.iter().map(|entity| (self.around.fields)(entity)).collect()).collect()
    }

    /// A model in which `key` sorts (and `direction` turns it) and every line comes out as recorded.
    fn sort_model(&self, key: &str, direction: Option<&str>, evidence: &[(Line, ListCall)]) -> Option<QueryModel> {
        let mut words: BTreeSet<String> = BTreeSet::new();
        for (line, _) in evidence {
            if let Some(param) = line.get(key) {
                words.extend(read_sort(&param.text)?.into_iter().map(|wanted| wanted.word));
            }
        }
        let simple: Vec<&MemberPath> =
            self.paths.iter().filter(|path| !path.through_array() && path.depth() <= 2).collect();
        let rising = |path: &MemberPath| OrderWord { path: path.clone(), descending: false };
        let mut named: BTreeMap<String, OrderWord> = BTreeMap::new();
        for path in simple.iter().rev() {
            if let Some(last) = path.last_name().filter(|_| path.0.len() == 1) {
                named.insert(format!("={}", normal(last)), rising(path));
            }
            named.insert(format!("={}", normal(&path.spelling())), rising(path));
        }
        let mut options: Vec<(String, Vec<MemberPath>)> = Vec::new();
        let plain: Vec<OrderStyle> = styles().filter(|style| style.tie == Tie::Before).collect();
        for word in &words {
            let mut candidates: Vec<MemberPath> = Vec::new();
            if let Some(named) = named.get(&format!("={}", normal(word))) {
                candidates.push(named.path.clone());
            } else {
                candidates.extend(simple.iter().filter(|path| name_score(word, path) > 0).map(|path| (*path).clone()));
                candidates.extend(simple.iter().filter(|path| name_score(word, path) == 0).map(|path| (*path).clone()));
            }
            let lists = self.ordered_by(word, key, evidence);
            let neighbours: Vec<Neighbours<'_>> =
                lists.chunks(1).map(|list| Neighbours::new(list, candidates.iter())).collect();
            let may = |path: &&MemberPath| neighbours.iter().all(|list| list.may_be_by(path, &plain));
            let candidates: Vec<MemberPath> = candidates.iter().filter(may).cloned().collect();
            options.push((word.clone(), candidates));
        }
        let mut partial: Option<(usize, QueryModel)> = None;
        for style in styles() {
            for turning in if direction.is_some() { vec![true, false] } else { vec![true] } {
                let mut model = self.model.clone();
                model.style = style;
                if let Some(direction) = direction {
                    let set = turning_words(turning);
                    model.roles.insert(direction.to_owned(), Role::Direction(set));
                }
                let mut chosen = named.clone();
                let mut dropped: BTreeSet<&str> = BTreeSet::new();
                let mut inside: BTreeSet<Step> = BTreeSet::new();
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
                    // One model is tried with every member in turn: copying it for each would cost more than judging.
                    let mut trial = model.clone();
                    trial.roles.insert(key.to_owned(), Role::Sort(chosen.clone()));
                    let ways = candidates
                        .iter()
                        .flat_map(|path| [false, true].map(|descending| OrderWord { path: path.clone(), descending }));
                    let found = ways.into_iter().find(|way| {
                        if let Some(Role::Sort(words)) = trial.roles.get_mut(key) {
                            words.insert(word.clone(), way.clone());
                        }
                        self.judge(&trial, &alone, key, true).is_some()
                    });
                    match found {
                        Some(way) => {
                            inside.extend(wrapper(word, &way.path));
                            chosen.insert(word.clone(), way);
                        }
                        None => {
                            chosen.remove(&format!("={}", normal(word)));
                            dropped.insert(word);
                        }
                    }
                }
                if dropped.len() == options.len() && !options.is_empty() {
                    continue;
                }
                for path in simple.iter().filter(|path| path.0.len() == 2 && inside.contains(&path.0[0])) {
                    if let Some(last) = path.last_name() {
                        chosen.entry(format!("={}", normal(last))).or_insert_with(|| rising(path));
                    }
                }
                model.roles.insert(key.to_owned(), Role::Sort(chosen));
                let earlier_hold = self.earlier_hold(&model);
                // An order that no member explains takes only its own word along.
                let covered: Vec<(Line, ListCall)> = evidence
                    .iter()
                    .filter(|(line, _)| {
                        line.get(key)
                            .and_then(|param| read_sort(&param.text))
                            .is_none_or(|wanted| wanted.iter().all(|wanted| !dropped.contains(wanted.word.as_str())))
                    })
                    .cloned()
                    .collect();
                // Where the list is in that order anyway, the direction tells that it is one.
                let told = |by: &str| self.judge(&model, &covered, by, true).is_some_and(|told| told > 0);
                if earlier_hold && (told(key) || direction.is_some_and(told)) {
                    if dropped.is_empty() {
                        return Some(model);
                    }
                    if partial.as_ref().is_none_or(|(held, _)| dropped.len() < *held) {
                        partial = Some((dropped.len(), model));
                    }
                }
            }
        }
        partial.map(|(_, model)| model)
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
}

/// The member that holds what a word names (`attributes` of `attributes.name`), when the word is that inner name: its
/// neighbours are then named alike.
fn wrapper(word: &str, path: &MemberPath) -> Option<Step> {
    match path.0.as_slice() {
        [outer, Step::Member(name)] if normal(name) == normal(word) => Some(outer.clone()),
        _ => None,
    }
}
