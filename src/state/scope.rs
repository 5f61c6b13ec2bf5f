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

#[cfg(test)]
mod tests {
    use super::super::path::Step;
    use super::super::term::NoReferents;
    use super::*;
    use crate::json::Value;
    use rstest::rstest;

    const TYPE: usize = 2;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn world() -> World {
        let mut world = World::default();
        for (collection, id, text) in [
            ("/teams/a/users", "1", r#"{"id":1,"team":"a","groups":[{"id":7},{"id":8}]}"#),
            ("/teams/a/users", "2", r#"{"id":2,"team":"a","groups":[]}"#),
            ("/teams/b/users", "3", r#"{"id":3,"team":"b","groups":[{"id":7}]}"#),
        ] {
            world.set_entity(
                TYPE,
                Entity {
                    collection: collection.into(),
                    id: id.into(),
                    fields: Arc::new(value(text)),
                    view_fields: Vec::new(),
                    shown_in: Arc::new([]),
                    record_ordinals: Arc::new([]),
                },
            );
        }
        world.ensure_collection(TYPE, "/teams/c/users");
        world
    }

    struct Lister(Value);

    impl Referents for Lister {
        fn referent(&self, entity_type: usize, id: &str) -> Option<&Value> {
            (entity_type == 5 && id == "g").then_some(&self.0)
        }
    }

    fn ids(scope: &Scope, path: &str, parameters: &[&str], referents: &dyn Referents) -> Option<String> {
        let parameters: Vec<String> = parameters.iter().map(|text| (*text).to_owned()).collect();
        let found = entities_of(scope, &world(), TYPE, path, &parameters, referents)?;
        Some(found.iter().map(|entity| entity.id.as_ref()).collect())
    }

    #[rstest]
    #[case("/teams/a/users", Some("12"))]
    #[case::empty_but_known("/teams/c/users", Some(""))]
    #[case::unknown("/teams/d/users", None)]
    fn home(#[case] path: &str, #[case] expected: Option<&str>) {
        assert_eq!(ids(&Scope::Home, path, &[], &NoReferents).as_deref(), expected);
    }

    #[test]
    fn all_collections() {
        assert_eq!(ids(&Scope::All, "/users", &[], &NoReferents).as_deref(), Some("123"));
    }

    #[rstest]
    #[case("a", "12")]
    #[case("b", "3")]
    #[case("d", "")]
    fn by_a_member(#[case] team: &str, #[case] expected: &str) {
        let scope = Scope::Member(vec![(0, MemberPath::member("team"))]);
        assert_eq!(ids(&scope, "/x", &[team], &NoReferents).as_deref(), Some(expected));
    }

    #[test]
    fn by_a_member_of_items() {
        let path = MemberPath(vec![Step::Member("groups".into()), Step::Each, Step::Member("id".into())]);
        let scope = Scope::Member(vec![(1, path), (0, MemberPath::member("team"))]);
        assert_eq!(ids(&scope, "/x", &["a", "7"], &NoReferents).as_deref(), Some("1"));
    }

    #[rstest]
    #[case::in_its_order(r#"{"members":[3,1]}"#, "g", Some("31"))]
    #[case::empty(r#"{"members":[]}"#, "g", Some(""))]
    #[case::one_is_not_held(r#"{"members":[3,9]}"#, "g", None)]
    #[case::another_lister(r#"{"members":[3]}"#, "h", None)]
    fn listed_by_another(#[case] lister: &str, #[case] asked: &str, #[case] expected: Option<&str>) {
        let path = MemberPath(vec![Step::Member("members".into()), Step::Each]);
        let scope = Scope::Listed { parameter: 0, entity_type: 5, path };
        assert_eq!(ids(&scope, "/x", &[asked], &Lister(value(lister))).as_deref(), expected);
    }

    #[rstest]
    #[case("/picked", Some("32"))]
    #[case("/other", None)]
    fn recorded(#[case] path: &str, #[case] expected: Option<&str>) {
        let listed = [("/teams/b/users", "3"), ("/teams/a/users", "2"), ("/teams/a/users", "9")]
            .map(|(collection, id)| (collection.to_owned(), id.to_owned()));
        let scope = Scope::Recorded(BTreeMap::from([("/picked".to_owned(), listed.to_vec())]));
        assert_eq!(ids(&scope, path, &[], &NoReferents).as_deref(), expected);
    }
}
