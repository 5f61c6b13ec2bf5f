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
            Some(path) => population.collections.get(path).map_or(0, super::store::Collection::len),
            None if population.collections.len() == 1 => {
                population.collections.values().map(super::store::Collection::len).sum()
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
