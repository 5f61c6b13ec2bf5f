//! Which types and collections are known in full: those that a list without a filter showed and reproduced. Elsewhere an
//! entity that is not held may still exist, and its absence is not answered from the state.

use super::derive::Derivation;
use super::infer_paging::begins_later;
use super::line::{Line, Param, scalar_text};
use super::naming::{last_name, normal};
use super::observe::Seen;
use super::query::Role;
use super::scope::Scope;
use super::store::Entity;
use super::term::Op;
use super::types::{ListView, View};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Derivation<'_> {
    /// Paths whose list was read in full: only they are known, unless the scope does not depend on the path.
    pub(super) fn complete_paths_of(&self, view: &ListView) -> Option<BTreeSet<String>> {
        match view.scope {
            Scope::All | Scope::Constant(..) | Scope::Recorded(_) | Scope::Listed { .. } | Scope::Of { .. } => None,
            Scope::Home | Scope::Member(_) => {
                Some(view.checked_bodies.iter().map(|(path, _, _)| path.clone()).collect())
            }
        }
    }

    /// Which types and collections are known in full: some list without a filter reproduced its recording.
    pub(super) fn completeness(&mut self) {
        let mut types = BTreeSet::new();
        let mut paths = BTreeSet::new();
        for view in &self.derived.views {
            let View::List(view) = view else { continue };
            if view.query.partitions.is_some() {
                continue;
            }
            let bare = |path: &str, line: &Line| {
                line.params.iter().all(|param| match view.query.roles.get(&param.key) {
                    Some(Role::Filter(_)) | None => false,
                    // A position that no recording proved: what comes before it was not seen. A value that all that is
                    // listed has may be what it was listed by.
                    Some(Role::Unchanging(_)) => {
                        !begins_later(&param.key, &param.text) && !self.may_filter(view, path, param)
                    }
                    Some(_) => true,
                })
            };
            for (path, line, _) in &view.checked_bodies {
                if bare(path, line) {
                    match view.scope {
                        Scope::All => {
                            types.insert(view.entity_type);
                        }
                        Scope::Home => {
                            paths.insert((view.entity_type, path.clone()));
                        }
                        _ => {}
                    }
                }
            }
        }
        self.derived.complete_types = types.clone();
        self.derived.complete_paths = paths;
        // What became known is replayed again: a line that was out of reach before may contradict its recording.
        let mut widened = Vec::new();
        for (tool, view) in self.derived.views.iter_mut().enumerate() {
            let View::List(view) = view else { continue };
            if !types.contains(&view.entity_type) {
                continue;
            }
            match view.scope {
                Scope::Home | Scope::Member(_) if view.complete.is_some() => view.complete = None,
                // What another list read in full is known here too, whatever filter this one was read with.
                Scope::All if view.query.partitions.is_some() => view.query.partitions = None,
                _ => continue,
            }
            widened.push((tool, view.as_ref().clone()));
        }
        for (tool, mut view) in widened {
            let calls: Vec<Seen> = self.clean_calls(tool, view.entity_type).into_iter().cloned().collect();
            view.checked_bodies.clear();
            self.check_list(tool, &mut view, &calls);
            self.derived.views[tool] = View::List(Box::new(view));
        }
        let parted: Vec<usize> =
            (0..self.derived.views.len()).filter_map(|tool| self.complete_in_parts(tool)).collect();
        self.derived.complete_types.extend(parted);
    }

    /// Whether all entities that a list is read from hold the value of a parameter in a member of the parameter's name.
    fn may_filter(&self, view: &ListView, path: &str, param: &Param) -> bool {
        let wanted = subject(last_name(&param.key));
        let holds = |entity: &Arc<Entity>| {
            let members = entity.fields.as_object().into_iter().flatten();
            let mut named = members.filter(|(name, _)| name.as_str().is_some_and(|name| subject(name) == wanted));
            named.any(|(_, value)| scalar_text(value).as_deref() == Some(param.text.as_str()))
        };
        let of_view = self.derived.world.collections(view.entity_type);
        let mut held =
            of_view.filter(|(at, _)| view.scope != Scope::Home || **at == *path).flat_map(|(_, held)| held.iter());
        held.next().is_some_and(holds) && held.all(holds)
    }

    /// The type of a list that is read by parts, where the parts that were read in full are all there are: the list is
    /// refused without a part, so nothing lies outside of them, and the parts are the entities of a type that is known in
    /// full.
    fn complete_in_parts(&self, tool: usize) -> Option<usize> {
        let View::List(view) = &self.derived.views[tool] else { return None };
        let [(key, values)] = view.query.partitions.as_ref()?.iter().collect::<Vec<_>>()[..] else { return None };
        let Role::Filter(term) = view.query.roles.get(key)? else { return None };
        if view.scope != Scope::All || term.op != Op::Equal || term.negate || term.lookup.is_some() {
            return None;
        }
        let bare = self.observed.of_tool(tool).filter(|seen| seen.line.as_ref().is_some_and(Line::is_bare));
        // Another caller was told who it is, not what the list needs.
        let answers: Vec<u16> = bare.map(|seen| seen.status).filter(|status| *status != 401).collect();
        if answers.is_empty() || !answers.iter().all(|status| matches!(status, 400 | 422)) {
            return None;
        }
        let whole = |kind: &usize| {
            let complete = *kind != view.entity_type && self.derived.complete_types.contains(kind);
            complete && self.called_by(*kind, key)
        };
        let kinds = (0..self.derived.types.len()).filter(whole);
        let mut ids = kinds.map(|kind| {
            let held = self.derived.world.collections(kind).flat_map(|(_, held)| held.iter());
            held.map(|entity| entity.id.to_string()).collect::<BTreeSet<_>>()
        });
        ids.any(|ids| ids.len() > 1 && ids == *values).then_some(view.entity_type)
    }
}

/// A name without its ending `id`: `projectId`, `project_id` and `project` are about one thing.
fn subject(name: &str) -> String {
    let name = normal(name);
    name.strip_suffix("id").filter(|rest| !rest.is_empty()).map_or_else(|| name.clone(), str::to_owned)
}
