//! Proposing scopes of a list: which entities it may list before any query parameter is read, the simplest first.

use super::derive::{Derivation, trimmed};
use super::entity::listed_at;
use super::identity::identity_text;
use super::line::Line;
use super::observe::Seen;
use super::path::{MemberPath, scalar_paths};
use super::scope::Scope;
use super::term::Referents;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The calls that a list's view is proposed from.
pub(super) struct ListReads<'c> {
    /// The tool.
    pub tool: usize,
    /// What it lists.
    pub entity_type: usize,
    /// The calls.
    pub calls: &'c [Seen],
    /// Where their answers hold the list.
    pub place: &'c [Box<str>],
    /// Whether it is an object keyed by identity.
    pub keyed: bool,
}

impl Derivation<'_> {
    /// Scopes to try, the simplest first.
    pub(super) fn scopes(&self, of: &ListReads<'_>) -> Vec<Scope> {
        let ListReads { tool, entity_type, calls, place, keyed } = *of;
        let kind = &self.derived.types[entity_type];
        let mut scopes = Vec::new();
        let parameters = self.manifest.tools[tool].parameters.len();
        if trimmed(&self.manifest.tools[tool]) == kind.template.segments.as_slice() && parameters > 0 {
            scopes.push(Scope::Home);
        }
        if parameters == 0 {
            scopes.extend(self.constant_scope(of));
            scopes.push(Scope::All);
        } else {
            let values: Vec<Arc<Value>> = self
                .derived
                .world
                .collections(entity_type)
                .flat_map(|(_, collection)| collection.iter().map(|entity| self.derived.filter_fields(entity)))
                .collect();
            let paths = scalar_paths(values.iter().map(AsRef::as_ref));
            let mut checks: Vec<(usize, MemberPath)> = Vec::new();
            for index in 0..parameters {
                let found = paths.iter().filter(|path| path.0.len() <= 2).find(|path| {
                    let mut any = false;
                    calls.iter().all(|seen| {
                        let Some(body) = seen.body.as_deref() else { return false };
                        listed_at(body, place, keyed).iter().all(|(key, value)| {
                            let Some(id) = identity_text(kind, *key, value) else { return false };
                            // Where several collections hold the identity, what is shown says which of them is meant.
                            self.find_entity(tool, entity_type, seen, value, &id).is_some_and(|entity| {
                                any = true;
                                let mut holds = false;
                                path.visit(&entity.fields, &mut |scalar| {
                                    holds = super::line::scalar_text(scalar).as_ref() == seen.parameters.get(index);
                                    !holds
                                });
                                holds
                            })
                        })
                    }) && any
                });
                if let Some(path) = found {
                    checks.push((index, path.clone()));
                }
            }
            if checks.len() == parameters {
                scopes.push(Scope::Member(checks));
            } else if let Some(last) = checks.last().filter(|(index, _)| index + 1 == parameters) {
                scopes.push(Scope::Member(vec![last.clone()]));
            }
            scopes.extend(self.owned_scope(of));
            if let Some(scope) = self.listed_scope(of) {
                scopes.push(scope);
            }
        }
        let mut recorded: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
        for seen in calls.iter().filter(|seen| seen.line.as_ref().is_some_and(Line::is_bare)) {
            let Some(body) = seen.body.as_deref() else { continue };
            let listed: Option<Vec<(String, String)>> = listed_at(body, place, keyed)
                .iter()
                .map(|(key, value)| {
                    let id = identity_text(kind, *key, value)?;
                    self.find_entity(tool, entity_type, seen, value, &id)
                        .map(|e| (e.collection.to_string(), e.id.to_string()))
                })
                .collect();
            if let Some(listed) = listed {
                recorded.entry(seen.path.clone()).or_insert(listed);
            }
        }
        if !recorded.is_empty() {
            scopes.push(Scope::Recorded(recorded));
        }
        scopes
    }

    /// A scope by a constant: what all listed entities hold at a member and none of those that are only shown elsewhere.
    /// Two of each at the least, and some line without a parameter.
    fn constant_scope(&self, of: &ListReads<'_>) -> Option<Scope> {
        let ListReads { tool, entity_type, calls, place, keyed } = *of;
        let kind = &self.derived.types[entity_type];
        if !calls.iter().any(|seen| seen.line.as_ref().is_some_and(Line::is_bare)) {
            return None;
        }
        let mut listed: BTreeSet<(String, String)> = BTreeSet::new();
        for seen in calls {
            for (key, value) in seen.body.as_deref().map(|body| listed_at(body, place, keyed)).unwrap_or_default() {
                let id = identity_text(kind, key, value)?;
                let entity = self.find_entity(tool, entity_type, seen, value, &id)?;
                listed.insert((entity.collection.to_string(), entity.id.to_string()));
            }
        }
        let entities =
            self.derived.world.collections(entity_type).flat_map(|(_, held)| held.iter()).map(|entity| {
                (listed.contains(&(entity.collection.to_string(), entity.id.to_string())), &entity.fields)
            });
        let (inside, outside): (Vec<_>, Vec<_>) = entities.partition(|(inside, _)| *inside);
        if inside.len() < 2 || outside.len() < 2 {
            return None;
        }
        let text = |fields: &Value, path: &MemberPath| path.direct(fields).and_then(super::line::scalar_text);
        scalar_paths(inside.iter().map(|(_, fields)| fields.as_ref()))
            .into_iter()
            .filter(|path| path.0.len() <= 2 && !path.through_array())
            .find_map(|path| {
                let constant = text(inside.first()?.1, &path)?;
                let all = inside.iter().all(|(_, fields)| text(fields, &path).as_ref() == Some(&constant));
                let none = outside.iter().all(|(_, fields)| text(fields, &path).is_some_and(|held| held != constant));
                (all && none).then_some(Scope::Constant(path, constant))
            })
    }

    /// A scope that another entity lists: the entity a path parameter names holds exactly the listed identities.
    fn listed_scope(&self, of: &ListReads<'_>) -> Option<Scope> {
        let ListReads { tool, entity_type, calls, place, keyed } = *of;
        let kind = &self.derived.types[entity_type];
        let referents = (&self.derived, &self.derived.world);
        for parameter in 0..self.manifest.tools[tool].parameters.len() {
            for lister in (0..self.derived.types.len()).filter(|other| *other != entity_type) {
                let values: Vec<&Value> = calls
                    .iter()
                    .filter_map(|seen| referents.referent(lister, seen.parameters.get(parameter)?))
                    .collect();
                if values.len() != calls.len() {
                    continue;
                }
                let paths = scalar_paths(values.iter().copied());
                for path in paths.iter().filter(|path| path.through_array()) {
                    let mut any = false;
                    let holds = calls.iter().zip(&values).all(|(seen, value)| {
                        let mut ids = Vec::new();
                        path.visit(value, &mut |id| {
                            ids.extend(super::line::scalar_text(id));
                            true
                        });
                        let Some(body) = seen.body.as_deref() else { return false };
                        let listed: Option<Vec<String>> = listed_at(body, place, keyed)
                            .iter()
                            .map(|(key, value)| identity_text(kind, *key, value))
                            .collect();
                        any |= !ids.is_empty();
                        listed.as_ref() == Some(&ids)
                    });
                    if holds && any {
                        return Some(Scope::Listed { parameter, entity_type: lister, path: path.clone() });
                    }
                }
            }
        }
        None
    }
}
