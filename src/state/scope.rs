//! Scopes: which entities a list is about before its query, found from its path (`derivation.md`: every other list of
//! the type is a predicate over the home collection).

use super::line::scalar_text;
use super::path::MemberPath;
use super::store::{Entity, World};
use super::term::Referents;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which entities a list is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// The entities of the collection at the list's own path.
    Home,
    /// Every entity of the type.
    All,
    /// The entities whose members equal the path parameters.
    Member(Vec<(usize, MemberPath)>),
    /// The entities that the entity named by a path parameter lists, in its order: parameter, its type, where it lists
    /// their identities.
    Listed {
        /// The path parameter that names the lister.
        parameter: usize,
        /// The lister's type.
        entity_type: usize,
        /// Where it holds identities.
        path: MemberPath,
    },
    /// The entities that the capture listed at each path, in its order: (collection, id).
    Recorded(BTreeMap<String, Vec<(String, String)>>),
}

/// The entities of a scope in state order; `None` when the state does not know that collection.
pub fn entities_of(
    scope: &Scope,
    world: &World,
    entity_type: usize,
    path: &str,
    parameters: &[String],
    referents: &dyn Referents,
) -> Option<Vec<Arc<Entity>>> {
    match scope {
        Scope::Home => world.collection(entity_type, path).map(|collection| collection.iter().cloned().collect()),
        Scope::All => Some(all(world, entity_type).collect()),
        Scope::Member(checks) => Some(
            all(world, entity_type)
                .filter(|entity| {
                    checks.iter().all(|(parameter, path)| {
                        let wanted = parameters.get(*parameter);
                        let mut held = false;
                        path.visit(&entity.fields, &mut |value| {
                            held = scalar_text(value).as_ref() == wanted;
                            !held
                        });
                        held
                    })
                })
                .collect(),
        ),
        Scope::Listed { parameter, entity_type: lister, path } => {
            let value = referents.referent(*lister, parameters.get(*parameter)?)?;
            let mut ids = Vec::new();
            path.visit(value, &mut |id| {
                ids.extend(scalar_text(id));
                true
            });
            let held: BTreeMap<String, Arc<Entity>> =
                all(world, entity_type).map(|entity| (entity.id.to_string(), entity)).collect();
            ids.iter().map(|id| held.get(id).cloned()).collect()
        }
        Scope::Recorded(paths) => paths.get(path).map(|listed| {
            listed
                .iter()
                .filter_map(|(collection, id)| world.collection(entity_type, collection)?.get(id).cloned())
                .collect()
        }),
    }
}

fn all(world: &World, entity_type: usize) -> impl Iterator<Item = Arc<Entity>> + '_ {
    world.collections(entity_type).flat_map(|(_, collection)| collection.iter().cloned())
}
