//! Listings: the entities of a scope that a line's filters leave, in the order it asks for. What a filter and an order
//! mean is in `term.rs` and `order.rs`; here is how the entities are gone through: one by one for any of them, or by the
//! indexes of a world. Both give the same.

use super::indexes::{By, group_names};
use super::line::Param;
use super::order::{OrderKey, OrderStyle, sort_by_keys};
use super::path::MemberPath;
use super::store::{Entity, World};
use super::term::{Op, Referents, Several, Term};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

/// Entities in order, held by many calls.
pub type Listing = Arc<[Arc<Entity>]>;

/// An order of entities.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrangement {
    /// Its keys; without one it is state order.
    pub keys: Vec<OrderKey>,
    /// How values compare.
    pub style: OrderStyle,
    /// Whether state order is turned around (for orders without keys).
    pub reversed: bool,
}

impl Arrangement {
    /// An order by keys; without one, state order or its reverse.
    pub fn new(keys: Vec<OrderKey>, style: OrderStyle, reversed: bool) -> Self {
        match keys.is_empty() {
            true => Self { keys, style: OrderStyle::default(), reversed },
            false => Self { keys, style, reversed: false },
        }
    }

    /// Whether it is state order.
    pub fn is_state_order(&self) -> bool {
        self.keys.is_empty() && !self.reversed
    }

    /// Puts entities that are in state order into this one.
    pub(super) fn sort(&self, entities: &mut [Arc<Entity>]) {
        if self.reversed {
            entities.reverse();
        }
        if !self.keys.is_empty() {
            sort_by_keys(entities, &self.keys, self.style, |entity| entity.whole());
        }
    }
}

/// What one parameter demands of an entity.
pub type Demand<'a> = (Cow<'a, Term>, Param);

/// The entities that a list is about.
pub trait Listed {
    /// How many there are.
    fn count(&self) -> usize;

    /// All of them, in an order.
    fn arranged(&self, order: &Arrangement) -> Listing;

    /// Some of them, in an order: at least all that hold a text at a member. `None` when that is no quicker than all.
    fn holding(&self, _term: &Term, _param: &Param, _order: &Arrangement) -> Option<Listing> {
        None
    }

    /// Those that every demand holds of, in an order.
    fn select(&self, demands: &[Demand<'_>], order: &Arrangement, referents: &dyn Referents) -> Listing {
        if demands.is_empty() {
            return self.arranged(order);
        }
        let some = demands.iter().filter_map(|(term, param)| self.holding(term, param, order)).min_by_key(|l| l.len());
        let among = some.unwrap_or_else(|| self.arranged(order));
        let holds =
            |entity: &&Arc<Entity>| demands.iter().all(|(term, param)| term.holds(entity.whole(), param, referents));
        among.iter().filter(holds).cloned().collect()
    }
}

/// Orders that are kept of entities that are gone through one by one.
const KEPT_ORDERS: usize = 8;

/// Entities in state order that are gone through one by one. Their last orders are kept: candidates for a role are tried
/// against many calls of one scope.
pub struct Plain {
    all: Listing,
    kept: RefCell<VecDeque<(Arrangement, Listing)>>,
}

impl Plain {
    /// Entities in state order.
    pub fn new(all: Listing) -> Self {
        Self { all, kept: RefCell::default() }
    }
}

impl Listed for Plain {
    fn count(&self) -> usize {
        self.all.len()
    }

    fn arranged(&self, order: &Arrangement) -> Listing {
        if order.is_state_order() {
            return self.all.clone();
        }
        let mut kept = self.kept.borrow_mut();
        if let Some((_, listing)) = kept.iter().find(|(held, _)| held == order) {
            return listing.clone();
        }
        let mut entities = self.all.to_vec();
        order.sort(&mut entities);
        let listing = Listing::from(entities);
        if kept.len() == KEPT_ORDERS {
            kept.pop_front();
        }
        kept.push_back((order.clone(), listing.clone()));
        listing
    }
}

/// The entities of a type in a world, of one collection or of all, found by indexes.
pub struct Indexed<'a> {
    /// The world.
    pub world: &'a World,
    /// The type.
    pub entity_type: usize,
    /// The path of the collection; `None` is all.
    pub home: Option<&'a str>,
}

/// Entities: fewer are gone through one by one as fast as they are looked up.
const WORTH_AN_INDEX: usize = 64;

impl Indexed<'_> {
    fn by(&self, member: Option<&MemberPath>, order: &Arrangement) -> By {
        By { home: self.home.map(Arc::from), member: member.cloned(), order: order.clone() }
    }

    /// In state order, at least all entities that hold a text at a member.
    pub fn holding_text(&self, member: &MemberPath, text: &str, order: &Arrangement) -> Option<Listing> {
        let population = self.world.population(self.entity_type)?;
        if self.count() < WORTH_AN_INDEX {
            return None;
        }
        let index = population.index(&self.by(Some(member), order));
        let mut found = group_names(text).into_iter().filter_map(|name| index.group(&name)).peekable();
        let first = found.next().unwrap_or_default();
        // Two spellings of one value are in two groups; putting them together would be sorting again.
        found.peek().is_none().then_some(first)
    }
}

impl Listed for Indexed<'_> {
    fn count(&self) -> usize {
        let Some(population) = self.world.population(self.entity_type) else { return 0 };
        match self.home {
            Some(path) => population.collections.get(path).map_or(0, super::population::Collection::len),
            None if population.collections.len() == 1 => {
                population.collections.values().map(super::population::Collection::len).sum()
            }
            None => self.arranged(&Arrangement::default()).len(),
        }
    }

    fn arranged(&self, order: &Arrangement) -> Listing {
        let Some(population) = self.world.population(self.entity_type) else { return Listing::default() };
        population.index(&self.by(None, order)).group("").unwrap_or_default()
    }

    fn holding(&self, term: &Term, param: &Param, order: &Arrangement) -> Option<Listing> {
        let [member] = term.targets.as_slice() else { return None };
        if term.op != Op::Equal || term.negate || term.lookup.is_some() {
            return None;
        }
        let text = match (term.several, &param.list) {
            (Several::No, _) => param.text.as_str(),
            (_, Some(list)) if list.len() == 1 => &list[0],
            (_, None) if !param.text.contains(',') => param.text.trim(),
            _ => return None,
        };
        self.holding_text(member, text, order)
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::{Nulls, Tie};
    use super::super::term::NoReferents;
    use super::*;
    use crate::json::{Object, Value};
    use proptest::prelude::*;

    /// One change of a world: an entity set or removed.
    #[derive(Clone, Debug)]
    struct Change {
        path: u8,
        id: u8,
        fields: Option<(u8, Option<u8>)>,
    }

    fn change() -> impl Strategy<Value = Change> {
        (0u8..3, 0u8..40, proptest::option::weighted(0.8, (0u8..6, proptest::option::of(0u8..4))))
            .prop_map(|(path, id, fields)| Change { path, id, fields })
    }

    /// A value of every kind that may equal a demanded text.
    fn value(kind: u8) -> Value {
        let text = ["1", "true", "null", "\"1\"", "\"true\"", "1.0"][usize::from(kind) % 6];
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn apply(world: &mut World, change: &Change) {
        let (path, id) = (format!("/{}", change.path), change.id.to_string());
        match change.fields {
            Some((kind, name)) => {
                let name = name.map(|name| format!("n{name}"));
                let fields =
                    Object::new().with("kind", value(kind)).with("name", name).with("id", u64::from(change.id));
                world.set_entity(0, Entity::new(&path, &id, fields.into()));
            }
            None => {
                world.remove_entity(0, &path, &id);
            }
        }
    }

    fn shown(listing: &Listing) -> Vec<(String, String)> {
        listing.iter().map(|entity| (entity.collection.to_string(), entity.id.to_string())).collect()
    }

    fn order() -> impl Strategy<Value = Arrangement> {
        let key = (any::<bool>(), any::<bool>()).prop_map(|(name, descending)| OrderKey {
            path: MemberPath::member(if name { "name" } else { "kind" }),
            descending,
        });
        let style = (any::<bool>(), 0usize..4, 0usize..3).prop_map(|(fold, nulls, tie)| OrderStyle {
            fold,
            digits: false,
            nulls: [Nulls::Small, Nulls::Great, Nulls::First, Nulls::Last][nulls],
            tie: [Tie::Before, Tie::Reverse, Tie::ReverseDescending][tie],
        });
        (proptest::collection::vec(key, 0..3), style, any::<bool>())
            .prop_map(|(keys, style, reversed)| Arrangement::new(keys, style, reversed))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// What indexes give is what going through all entities gives, in every version of a world and whichever version
        /// an index was made for.
        #[test]
        fn indexes_give_what_going_through_all_gives(
            seeded in proptest::collection::vec(change(), 0..200),
            changes in proptest::collection::vec(change(), 0..12),
            order in order(),
            home in proptest::option::of(0u8..3),
            wanted in prop_oneof![Just("1"), Just("true"), Just("null"), Just("1.0"), Just("0"), Just("TRUE")],
        ) {
            let mut world = World::default();
            seeded.iter().for_each(|change| apply(&mut world, change));
            let mut versions = vec![world.clone()];
            for change in &changes {
                apply(&mut world, change);
                versions.push(world.clone());
            }
            versions.push(versions[0].clone());
            let path = home.map(|home| format!("/{home}"));
            let term = Term {
                targets: vec![MemberPath::member("kind")],
                op: Op::Equal,
                negate: false,
                several: Several::No,
                lookup: None,
            };
            let param = Param { key: "kind".to_owned(), text: wanted.to_owned(), list: None };
            for version in &versions {
                let all = version.in_order(0).into_iter().cloned();
                let all: Listing =
                    all.filter(|entity| path.as_ref().is_none_or(|path| **path == *entity.collection)).collect();
                let plain = Plain::new(all);
                let indexed = Indexed { world: version, entity_type: 0, home: path.as_deref() };
                prop_assert_eq!(indexed.count(), plain.count());
                prop_assert_eq!(shown(&indexed.arranged(&order)), shown(&plain.arranged(&order)));
                let demand = [(Cow::Borrowed(&term), param.clone())];
                prop_assert_eq!(
                    shown(&indexed.select(&demand, &order, &NoReferents)),
                    shown(&plain.select(&demand, &order, &NoReferents))
                );
            }
        }
    }
}
