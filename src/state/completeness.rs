//! Which types and collections are known in full: those that a list without a filter showed and reproduced. Elsewhere an
//! entity that is not held may still exist, and its absence is not answered from the state.

use super::derive::Derivation;
use super::infer_paging::begins_later;
use super::line::Line;
use super::observe::Seen;
use super::query::Role;
use super::scope::Scope;
use super::types::{ListView, View};
use std::collections::BTreeSet;

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
            let bare = |line: &Line| {
                line.params.iter().all(|param| match view.query.roles.get(&param.key) {
                    Some(Role::Filter(_)) | None => false,
                    // A position that no recording proved: what comes before it was not seen.
                    Some(Role::Unchanging(_)) => !begins_later(&param.key, &param.text),
                    Some(_) => true,
                })
            };
            for (path, line, _) in &view.checked_bodies {
                if bare(line) {
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
    }
}
