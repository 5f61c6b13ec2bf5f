//! What one list proves for another: applications page all their lists by the same parameters, so a size that was only
//! recorded where everything fitted on a page is known by the list where it did not.

use super::derive::Derivation;
use super::query::Role;
use super::types::View;
use std::collections::{BTreeSet, HashMap};

impl Derivation<'_> {
    /// Derives lists anew whose parameters page elsewhere and have no proof of their own.
    pub(super) fn paged_elsewhere(&mut self, lists: &[usize], type_of: &HashMap<usize, usize>) {
        for view in &self.derived.views {
            let View::List(view) = view else { continue };
            for (key, role) in &view.query.roles {
                if let Role::Paging(role) = role {
                    self.proved.entry(key.clone()).or_insert(*role);
                }
            }
        }
        // A key that pages in two ways proves neither.
        let roles: Vec<(String, Role)> = self
            .derived
            .views
            .iter()
            .filter_map(|view| match view {
                View::List(view) => Some(view.query.roles.iter().map(|(key, role)| (key.clone(), role.clone()))),
                _ => None,
            })
            .flatten()
            .collect();
        self.proved.retain(|key, proved| {
            roles.iter().filter(|(held, _)| held == key).all(|(_, role)| match role {
                Role::Paging(role) => role == proved,
                Role::Unchanging(_) => true,
                _ => false,
            })
        });
        if self.proved.is_empty() {
            return;
        }
        for &tool in lists {
            let Some(&entity_type) = type_of.get(&tool) else { continue };
            let recorded: BTreeSet<&str> = self
                .observed
                .of_tool(tool)
                .filter_map(|seen| seen.line.as_ref())
                .flat_map(|line| line.params.iter().map(|param| param.key.as_str()))
                .filter(|key| self.proved.contains_key(*key))
                .collect();
            let View::List(held) = &self.derived.views[tool] else { continue };
            let held = held.as_ref().clone();
            let open =
                recorded.iter().any(|key| matches!(held.query.roles.get(*key), None | Some(Role::Unchanging(_))));
            if !open {
                continue;
            }
            let view = self.list_view(tool, entity_type).filter(|view| {
                view.checked_bodies.len() >= held.checked_bodies.len()
                    && view.contradicted.len() <= held.contradicted.len()
            });
            self.derived.views[tool] = View::List(Box::new(view.unwrap_or(held)));
        }
    }
}
