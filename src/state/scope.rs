//! Scopes: which entities a list is about before its query, found from its path (`derivation.md`: every other list of
//! the type is a predicate over the home collection).

use super::line::{Param, scalar_text};
use super::listing::{Arrangement, Indexed, Listed, Listing, Plain};
use super::path::MemberPath;
use super::store::{Entity, World};
use super::term::{Referents, Term};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Which entities a list is about.
#[derive(Clone, Debug, PartialEq)]
pub enum Scope {
    /// The entities of the collection at the list's own path.
    Home,
    /// Every entity of the type.
    All,
    /// The entities that hold a constant: a list of its own for one kind of them.
    Constant(MemberPath, String),
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
    /// The entities that hold, at a member, the identity of the entity that a path parameter names by its identity or by
    /// another member.
    Of {
        /// The path parameter that names the owner.
        parameter: usize,
        /// The owner's type.
        entity_type: usize,
        /// The member that names it.
        by: MemberPath,
        /// Where the listed ones hold its identity.
        via: MemberPath,
    },
    /// The entities that the capture listed at each path, in its order: (collection, id).
    Recorded(BTreeMap<String, Vec<(String, String)>>),
}

/// The entities of a scope.
pub enum Scoped<'a> {
    /// Those of one collection or of the whole type.
    Indexed(Indexed<'a>),
    /// Some of them.
    Some(Plain),
}

impl Scoped<'_> {
    /// No entity.
    pub(super) fn nothing() -> Self {
        Self::Some(Plain::new(Listing::default()))
    }
}

impl Listed for Scoped<'_> {
    fn count(&self) -> usize {
        match self {
            Self::Indexed(all) => all.count(),
            Self::Some(some) => some.count(),
        }
    }

    fn arranged(&self, order: &Arrangement) -> Listing {
        match self {
            Self::Indexed(all) => all.arranged(order),
            Self::Some(some) => some.arranged(order),
        }
    }

    fn holding(&self, term: &Term, param: &Param, order: &Arrangement) -> Option<Listing> {
        match self {
            Self::Indexed(all) => all.holding(term, param, order),
            Self::Some(some) => some.holding(term, param, order),
        }
    }
}

/// The entities of a scope in a world that had another `start`; `None` when the state does not know that collection.
pub fn entities_of<'a>(
    scope: &Scope,
    (world, start): (&'a World, &World),
    entity_type: usize,
    path: &'a str,
    parameters: &[String],
    referents: &dyn Referents,
) -> Option<Scoped<'a>> {
    let some = |entities: Listing| Some(Scoped::Some(Plain::new(entities)));
    let all = Indexed { world, entity_type, home: None };
    match scope {
        Scope::Home => {
            world.collection(entity_type, path)?;
            Some(Scoped::Indexed(Indexed { home: Some(path), ..all }))
        }
        Scope::All => Some(Scoped::Indexed(all)),
        Scope::Constant(member, text) => {
            let order = Arrangement::default();
            let among = all.holding_text(member, text, &order).unwrap_or_else(|| all.arranged(&order));
            let holds = |entity: &&Arc<Entity>| {
                member.direct(&entity.fields).and_then(scalar_text).as_deref() == Some(text.as_str())
            };
            some(among.iter().filter(holds).cloned().collect())
        }
        Scope::Member(checks) => {
            let order = Arrangement::default();
            let wanted = |(parameter, _): &(usize, MemberPath)| parameters.get(*parameter).map(String::as_str);
            let among = checks.iter().filter_map(|check| all.holding_text(&check.1, wanted(check)?, &order));
            let among = among.min_by_key(|listing| listing.len()).unwrap_or_else(|| all.arranged(&order));
            let holds = |entity: &&Arc<Entity>| {
                checks.iter().all(|check| {
                    let mut held = false;
                    check.1.visit(&entity.fields, &mut |value| {
                        held = scalar_text(value).as_deref() == wanted(check);
                        !held
                    });
                    held
                })
            };
            some(among.iter().filter(holds).cloned().collect())
        }
        Scope::Listed { parameter, entity_type: lister, path } => {
            let value = referents.referent(*lister, parameters.get(*parameter)?)?;
            let mut ids = Vec::new();
            path.visit(value, &mut |id| {
                ids.extend(scalar_text(id));
                true
            });
            some(ids.iter().map(|id| world.named(entity_type, id).next_back().cloned()).collect::<Option<_>>()?)
        }
        Scope::Of { parameter, entity_type: owners, by, via } => {
            let id = owner(world, *owners, by, parameters.get(*parameter)?)?.id.as_ref();
            let order = Arrangement::default();
            let among = all.holding_text(via, id, &order).unwrap_or_else(|| all.arranged(&order));
            let holds = |entity: &&Arc<Entity>| via.direct(&entity.fields).and_then(scalar_text).as_deref() == Some(id);
            some(among.iter().filter(holds).cloned().collect())
        }
        Scope::Recorded(paths) => {
            let listed = paths.get(path)?.iter();
            // Whether what a write made belongs to it, no recording says, nor which of them has another name since.
            let mut held = world.collections(entity_type).flat_map(|(_, held)| held.iter());
            let at_start =
                |entity: &Entity| start.collection(entity_type, &entity.collection)?.get(&entity.id).map(|_| ());
            if held.any(|entity| entity.made || at_start(entity).is_none()) {
                return None;
            }
            some(
                listed
                    .filter_map(|(collection, id)| world.collection(entity_type, collection)?.get(id).cloned())
                    .collect(),
            )
        }
    }
}

/// The one entity of a type that has a name: its identity, or else what it holds at a member.
pub(super) fn owner<'a>(world: &'a World, entity_type: usize, by: &MemberPath, name: &str) -> Option<&'a Arc<Entity>> {
    if let Some(entity) = world.named(entity_type, name).next_back() {
        return Some(entity);
    }
    let holds = |entity: &&Arc<Entity>| by.direct(&entity.fields).and_then(scalar_text).as_deref() == Some(name);
    let mut found = world.collections(entity_type).flat_map(|(_, held)| held.iter()).filter(holds);
    found.next().filter(|_| found.next().is_none())
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
            world.set_entity(TYPE, Entity::new(collection, id, value(text)));
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
        let world = world();
        let found = entities_of(scope, (&world, &world), TYPE, path, &parameters, referents)?;
        let listing = found.arranged(&Arrangement::default());
        assert_eq!(found.count(), listing.len());
        Some(listing.iter().map(|entity| entity.id.as_ref()).collect())
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

    #[rstest]
    #[case("a", "12")]
    #[case("b", "3")]
    #[case("c", "")]
    fn by_a_constant(#[case] team: &str, #[case] expected: &str) {
        let scope = Scope::Constant(MemberPath::member("team"), team.to_owned());
        assert_eq!(ids(&scope, "/x", &[], &NoReferents).as_deref(), Some(expected));
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
    #[case("/picked", "", Some("32"))]
    #[case("/other", "", None)]
    #[case::one_was_made("/picked", "made", None)]
    #[case::one_has_another_name("/picked", "renamed", None)]
    #[case::one_is_gone("/picked", "removed", Some("3"))]
    fn recorded(#[case] path: &str, #[case] since: &str, #[case] expected: Option<&str>) {
        let listed = [("/teams/b/users", "3"), ("/teams/a/users", "2"), ("/teams/a/users", "9")]
            .map(|(collection, id)| (collection.to_owned(), id.to_owned()));
        let scope = Scope::Recorded(BTreeMap::from([("/picked".to_owned(), listed.to_vec())]));
        let mut world = world();
        let recorded: Vec<Entity> =
            world.collections(TYPE).flat_map(|(_, held)| held.iter()).map(|entity| entity.as_ref().clone()).collect();
        for entity in recorded {
            world.set_entity(TYPE, Entity { made: false, ..entity });
        }
        let start = world.clone();
        let second = world.collection(TYPE, "/teams/a/users").unwrap().get("2").unwrap().as_ref().clone();
        match since {
            "made" => world.set_entity(TYPE, Entity::new("/teams/b/users", "4", value("{}"))),
            "renamed" => world.rename_entity(TYPE, "2", Entity { id: "4".into(), ..second }),
            "removed" => drop(world.remove_entity(TYPE, "/teams/a/users", "2")),
            _ => {}
        }
        let found = entities_of(&scope, (&world, &start), TYPE, path, &[], &NoReferents);
        let listing = found.map(|found| found.arranged(&Arrangement::default()));
        let ids = listing.map(|listing| listing.iter().map(|entity| entity.id.as_ref()).collect::<String>());
        assert_eq!(ids.as_deref(), expected);
    }
}
