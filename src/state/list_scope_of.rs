//! Proposing the scope of a list that lies under another entity which its path calls by another name than its identity:
//! `/projects/garden/versions`, where a version only holds the project's number. Replay decides whether it stays.

use super::derive::Derivation;
use super::entity::listed_at;
use super::identity::identity_text;
use super::line::scalar_text;
use super::list_scope::ListReads;
use super::naming::name_score;
use super::path::scalar_paths;
use super::scope::{Scope, owner};
use super::store::Entity;
use crate::json::Value;
use crate::manifest::Segment;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Derivation<'_> {
    /// The entities that hold the identity of the entity that the last path parameter names, by its identity or by another
    /// member; the name of the member they hold it at has to be the word before the parameter.
    pub(super) fn owned_scope(&self, of: &ListReads<'_>) -> Option<Scope> {
        let ListReads { tool, entity_type, calls, place, keyed } = *of;
        let template = &self.manifest.tools[tool].template;
        let parameter = self.manifest.tools[tool].parameters.len().checked_sub(1)?;
        let segment = self.manifest.tools[tool].parameters.last()?.segment;
        let Segment::Literal(before) = template.segments.get(segment.checked_sub(1)?)? else { return None };
        let named: BTreeSet<&str> =
            calls.iter().filter_map(|seen| seen.parameters.get(parameter)).map(String::as_str).collect();
        let world = &self.derived.world;
        let mut found = None;
        for lister in (0..self.derived.types.len()).filter(|other| *other != entity_type) {
            let owners: Vec<&Arc<Entity>> = world.collections(lister).flat_map(|(_, held)| held.iter()).collect();
            let names = scalar_paths(owners.iter().map(|entity| entity.fields.as_ref()));
            let by = names.into_iter().filter(|path| path.0.len() == 1).find(|path| {
                let texts: Vec<String> =
                    owners.iter().filter_map(|entity| path.direct(&entity.fields).and_then(scalar_text)).collect();
                let distinct: BTreeSet<&String> = texts.iter().collect();
                distinct.len() == owners.len()
                    && named.iter().any(|name| texts.iter().any(|text| text == name))
                    && named.iter().all(|name| owner(world, lister, path, name).is_some())
            });
            let Some(by) = by else { continue };
            let mut listed: Vec<(&str, Arc<Value>)> = Vec::new();
            for seen in calls {
                let id = owner(world, lister, &by, seen.parameters.get(parameter)?)?.id.as_ref();
                for (key, value) in listed_at(seen.body.as_deref()?, place, keyed) {
                    let own = identity_text(&self.derived.types[entity_type], key, value)?;
                    let entity = self.find_entity(tool, entity_type, seen, value, &own)?;
                    listed.push((id, entity.fields.clone()));
                }
            }
            let via = scalar_paths(listed.iter().map(|(_, fields)| fields.as_ref())).into_iter().find(|path| {
                path.0.len() <= 2
                    && !path.through_array()
                    && name_score(before, path) > 0
                    && listed
                        .iter()
                        .all(|(id, fields)| path.direct(fields).and_then(scalar_text).as_deref() == Some(*id))
            });
            if let Some(via) = via {
                found.get_or_insert(Scope::Of { parameter, entity_type: lister, by, via });
            }
        }
        found
    }
}
