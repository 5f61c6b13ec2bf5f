//! The table of identifiers: which live identifier is which of the environment's.
//!
//! There are two parts. A **collection** holds the identities of the entities that one concrete path lists, since two
//! collections may use the same number for different things. The **global** part holds every other pair, and the
//! identities that differ, so that a reference from elsewhere is understood.
//!
//! The table refuses more than it takes. A pair that contradicts what is known is a *conflict*, counted once:
//!
//! * in a collection the first pair stays, in both directions: an entity has one identity on each side;
//! * globally, where one of the contradicting pairs is an equal one (`1` is `1`, and `1` is `2`), neither may excuse a
//!   difference any more: it cannot be told which of the two a value means;
//! * globally, a text that can be told from words and counts is unique by itself, so the first pair stays;
//! * globally, two numbers learned from the identity of paired objects both stay (numbers repeat across collections),
//!   and one that is only a reference inside an answer never contradicts what is known.

use std::collections::{BTreeSet, HashMap};

use super::scalar::{is_distinctive, is_distinctive_identity};

/// How sure a pair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Standing {
    /// A reference inside paired objects: the environment may have named the wrong entity.
    Reference,
    /// The identity of objects that were paired by a natural key, or of an answer's own entity.
    Identity,
}

/// One pair as it is learned. Identifiers are compared by their text, since one application spells an identifier as a
/// number in a body and as text in a path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair<'a> {
    /// The application's identifier.
    pub(crate) live: &'a str,
    /// The environment's.
    pub(crate) environment: &'a str,
    /// How sure.
    pub(crate) standing: Standing,
    /// Whether the environment's identifier is one that its state holds.
    pub(crate) state_held: bool,
}

#[derive(Clone, Debug)]
struct Held {
    environment: Box<str>,
    standing: Standing,
    state_held: bool,
    /// Takes part in a conflict with an equal pair: excuses nothing.
    barred: bool,
}

#[derive(Clone, Debug, Default)]
struct CollectionIds {
    by_live: HashMap<Box<str>, Box<str>>,
    by_environment: HashMap<Box<str>, Box<str>>,
}

/// The pairs learned while one probe runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct IdTable {
    collections: HashMap<Box<str>, CollectionIds>,
    /// Collections by the last literal segment of their path.
    named: HashMap<Box<str>, Vec<Box<str>>>,
    global: HashMap<Box<str>, Vec<Held>>,
    /// The live identifiers that a distinctive environment identifier stands for.
    reverse: HashMap<Box<str>, Box<str>>,
    conflicts: BTreeSet<(Box<str>, Box<str>, Box<str>)>,
    /// The environment's clock for a live one, by the member's name; `None` where it cannot be told which.
    clocks: HashMap<Named, Option<Box<str>>>,
}

/// A member's name, and a live text in it.
type Named = (Box<str>, Box<str>);

impl IdTable {
    /// Learns what clock of the environment stands for a live one in members of a name: a call may send it back.
    pub(crate) fn learn_clock(&mut self, name: &str, live: &str, environment: &str) {
        let held = self.clocks.entry((name.into(), live.into())).or_insert_with(|| Some(environment.into()));
        if held.as_deref().is_some_and(|held| held != environment) {
            *held = None;
        }
    }

    /// The environment's clock for a live one, in a member of a name.
    pub(crate) fn clock(&self, name: &str, live: &str) -> Option<&str> {
        self.clocks.get(&(Box::from(name), Box::from(live)))?.as_deref()
    }

    /// How many contradicting pairs were met.
    pub(crate) fn conflicts(&self) -> usize {
        self.conflicts.len()
    }

    /// Learns the identity of an entity of `collection`. An equal pair stays there; one that differs is known globally
    /// too.
    pub(crate) fn learn_identity(&mut self, collection: &str, pair: Pair<'_>) {
        let ids = self.collections.entry(collection.into()).or_default();
        let known = ids.by_live.get(pair.live).map(|held| **held == *pair.environment);
        let taken = ids.by_environment.get(pair.environment).map(|held| **held == *pair.live);
        if known == Some(false) || taken == Some(false) {
            self.conflict(collection, pair);
            return;
        }
        if known.is_none() {
            if ids.by_live.is_empty() {
                self.named.entry(collection_name(collection).into()).or_default().push(collection.into());
            }
            ids.by_live.insert(pair.live.into(), pair.environment.into());
            ids.by_environment.insert(pair.environment.into(), pair.live.into());
        }
        if pair.live != pair.environment {
            self.learn_global(pair);
        }
    }

    /// Learns a pair that belongs to no collection the call names.
    pub(crate) fn learn_global(&mut self, pair: Pair<'_>) {
        // Identities that differ can be told from other texts earlier: words are the same in both installations.
        let distinctive = if pair.standing == Standing::Identity && pair.live != pair.environment {
            is_distinctive_identity(pair.environment) && is_distinctive_identity(pair.live)
        } else {
            is_distinctive(pair.environment) && is_distinctive(pair.live)
        };
        if let Some(held) = self
            .global
            .get_mut(pair.live)
            .and_then(|held| held.iter_mut().find(|held| *held.environment == *pair.environment))
        {
            held.standing = held.standing.max(pair.standing);
            held.state_held |= pair.state_held;
            return;
        }
        let equal = pair.live == pair.environment;
        let others = self.global.get(pair.live).map_or(&[][..], Vec::as_slice);
        let with_equal = !others.is_empty() && (equal || others.iter().any(|held| *held.environment == *pair.live));
        if with_equal {
            self.conflict("", pair);
            let held = self.global.entry(pair.live.into()).or_default();
            for other in held.iter_mut() {
                other.barred = true;
            }
            held.push(Held {
                environment: pair.environment.into(),
                standing: pair.standing,
                state_held: pair.state_held,
                barred: true,
            });
            return;
        }
        let contradicted = !others.is_empty()
            || (distinctive && self.reverse.get(pair.environment).is_some_and(|live| **live != *pair.live));
        if contradicted {
            self.conflict("", pair);
            if distinctive || pair.standing == Standing::Reference {
                return;
            }
        }
        if pair.standing == Standing::Reference && !equal && self.names_another(pair) {
            self.conflict("", pair);
            return;
        }
        if distinctive {
            self.reverse.entry(pair.environment.into()).or_insert_with(|| pair.live.into());
        }
        self.global.entry(pair.live.into()).or_default().push(Held {
            environment: pair.environment.into(),
            standing: pair.standing,
            state_held: pair.state_held,
            barred: false,
        });
    }

    /// Whether some collection knows both identifiers, each as another entity's: then a reference that differs is the
    /// environment naming the wrong entity, not a new identity.
    fn names_another(&self, pair: Pair<'_>) -> bool {
        self.collections.values().any(|ids| {
            ids.by_live.get(pair.live).is_some_and(|held| **held != *pair.environment)
                && ids.by_environment.contains_key(pair.environment)
        })
    }

    fn conflict(&mut self, scope: &str, pair: Pair<'_>) {
        self.conflicts.insert((scope.into(), pair.live.into(), pair.environment.into()));
    }

    /// Whether the two identifiers are one, as a reference from anywhere.
    pub(crate) fn maps(&self, live: &str, environment: &str) -> bool {
        self.usable(live).any(|held| *held.environment == *environment)
    }

    /// Whether the two identifiers are one entity of `collection`; what the collection knows comes before what is
    /// known globally.
    pub(crate) fn maps_in(&self, collection: &str, live: &str, environment: &str) -> bool {
        if let Some(ids) = self.collections.get(collection) {
            if let Some(held) = ids.by_live.get(live) {
                return **held == *environment;
            }
            if ids.by_environment.contains_key(environment) {
                return false;
            }
        }
        self.maps(live, environment)
    }

    /// Whether `collection` itself knows the two identifiers as one entity's.
    pub(crate) fn is_identity(&self, collection: &str, live: &str, environment: &str) -> bool {
        let held = self.collections.get(collection).and_then(|ids| ids.by_live.get(live));
        held.is_some_and(|held| **held == *environment)
    }

    /// Whether `collection` knows one of the two identifiers as another entity's.
    pub(crate) fn contradicts(&self, collection: &str, live: &str, environment: &str) -> bool {
        self.collections.get(collection).is_some_and(|ids| {
            ids.by_live.get(live).is_some_and(|held| **held != *environment)
                || ids.by_environment.get(environment).is_some_and(|held| **held != *live)
        })
    }

    /// Whether the pair was learned with an environment identifier that the state holds.
    pub(crate) fn maps_held(&self, live: &str, environment: &str) -> bool {
        self.usable(live).any(|held| held.state_held && *held.environment == *environment)
    }

    /// The live identifier that a distinctive environment identifier stands for.
    pub(crate) fn live_of(&self, environment: &str) -> Option<&str> {
        let live = self.reverse.get(environment)?;
        self.maps(live, environment).then_some(live)
    }

    /// The environment's identifier for a live one of `collection` (path parameters). A collection of another path with
    /// the same name is asked next; then what is known globally, unless the identifier is a mere number and the
    /// collection is known, since its number 5 is then another thing's.
    pub(crate) fn translate_in(&self, collection: &str, live: &str) -> Option<&str> {
        let own = self.collections.get(collection);
        if let Some(held) = own.and_then(|ids| ids.by_live.get(live)) {
            return Some(held);
        }
        if own.is_some() && !is_distinctive(live) {
            return None;
        }
        self.translate_named(collection_name(collection), live).or_else(|| self.translate(live))
    }

    /// The environment's identifier in the collections whose path ends with `name`, when those that know it agree.
    pub(crate) fn translate_named(&self, name: &str, live: &str) -> Option<&str> {
        let mut found: Option<&str> = None;
        for collection in self.named.get(name)? {
            if let Some(held) = self.collections.get(collection).and_then(|ids| ids.by_live.get(live)) {
                if found.is_some_and(|other| other != &**held) {
                    return None;
                }
                found = Some(held);
            }
        }
        found
    }

    /// The environment's identifier for a live one met anywhere: the surest pair, and none where several are equally sure.
    pub(crate) fn translate(&self, live: &str) -> Option<&str> {
        let best = self.usable(live).map(|held| held.standing).max()?;
        let mut found = self.usable(live).filter(|held| held.standing == best);
        match (found.next(), found.next()) {
            (Some(held), None) => Some(&held.environment),
            _ => None,
        }
    }

    /// Whether any answer taught this live identifier.
    pub(crate) fn knows(&self, collection: &str, live: &str) -> bool {
        self.global.contains_key(live)
            || self.collections.get(collection).is_some_and(|ids| ids.by_live.contains_key(live))
            || self.translate_named(collection_name(collection), live).is_some()
    }

    fn usable(&self, live: &str) -> impl Iterator<Item = &Held> {
        self.global.get(live).into_iter().flatten().filter(|held| !held.barred)
    }
}

/// The last literal segment of a collection's path: what it is called.
fn collection_name(collection: &str) -> &str {
    collection.rsplit('/').next().unwrap_or(collection)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn pair<'a>(live: &'a str, environment: &'a str, standing: Standing) -> Pair<'a> {
        Pair { live, environment, standing, state_held: false }
    }

    #[test]
    fn an_equal_identity_stays_in_its_collection() {
        let mut table = IdTable::default();
        table.learn_identity("/users", pair("1", "1", Standing::Identity));
        assert!(table.maps_in("/users", "1", "1"));
        assert!(!table.maps("1", "1"), "not known outside");
        table.learn_identity("/posts", pair("1", "2", Standing::Identity));
        assert_eq!(table.conflicts(), 0);
        assert!(table.maps("1", "2"));
        assert!(!table.maps_in("/users", "1", "2"), "the collection knows better");
    }

    #[test]
    fn a_global_conflict_with_an_equal_pair_bars_both() {
        let mut table = IdTable::default();
        table.learn_global(pair("1", "1", Standing::Identity));
        table.learn_global(pair("1", "2", Standing::Identity));
        assert_eq!(table.conflicts(), 1);
        assert!(!table.maps("1", "2"));
        assert!(!table.maps("1", "1"));
        assert_eq!(table.translate("1"), None);
        table.learn_global(pair("1", "2", Standing::Identity));
        assert_eq!(table.conflicts(), 1, "one conflict is counted once");
    }

    #[test]
    fn two_numbers_of_paired_objects_both_stay() {
        let mut table = IdTable::default();
        table.learn_global(pair("5", "7", Standing::Identity));
        table.learn_global(pair("5", "9", Standing::Identity));
        assert!(table.maps("5", "7") && table.maps("5", "9"));
        assert_eq!(table.conflicts(), 1);
    }

    #[rstest]
    #[case::reference_number("5", "7", "5", "9", Standing::Reference)]
    #[case::unique_text("live-aaa-1", "env-aaa-1", "live-aaa-1", "env-bbb-2", Standing::Identity)]
    #[case::unique_text_taken("live-aaa-1", "env-aaa-1", "live-bbb-2", "env-aaa-1", Standing::Identity)]
    fn the_first_pair_stays(
        #[case] live: &str,
        #[case] environment: &str,
        #[case] other_live: &str,
        #[case] other: &str,
        #[case] standing: Standing,
    ) {
        let mut table = IdTable::default();
        table.learn_global(pair(live, environment, Standing::Identity));
        table.learn_global(pair(other_live, other, standing));
        assert!(table.maps(live, environment));
        assert!(!table.maps(other_live, other));
        assert_eq!(table.conflicts(), 1);
    }

    #[test]
    fn a_reference_to_another_known_entity_is_not_learned() {
        let mut table = IdTable::default();
        table.learn_identity("/users", pair("5", "5", Standing::Identity));
        table.learn_identity("/users", pair("6", "6", Standing::Identity));
        table.learn_global(pair("5", "6", Standing::Reference));
        assert!(!table.maps("5", "6"));
        assert_eq!(table.conflicts(), 1);
    }

    #[test]
    fn a_collection_holds_each_identity_once() {
        let mut table = IdTable::default();
        table.learn_identity("/users", pair("5", "7", Standing::Identity));
        table.learn_identity("/users", pair("6", "7", Standing::Identity));
        table.learn_identity("/users", pair("5", "8", Standing::Identity));
        assert_eq!(table.conflicts(), 2);
        assert!(table.maps_in("/users", "5", "7"));
        assert!(!table.maps_in("/users", "6", "7"));
        assert!(!table.maps_in("/users", "5", "8"));
    }

    #[test]
    fn ids_may_trade_places() {
        let mut table = IdTable::default();
        table.learn_identity("/users", pair("3", "7", Standing::Identity));
        table.learn_identity("/users", pair("7", "3", Standing::Identity));
        assert_eq!(table.translate_in("/users", "3"), Some("7"));
        assert_eq!(table.translate_in("/users", "7"), Some("3"));
        assert_eq!(table.conflicts(), 0);
    }

    #[test]
    fn a_number_of_a_known_collection_is_not_anothers() {
        let mut table = IdTable::default();
        table.learn_identity("/users", pair("5", "7", Standing::Identity));
        table.learn_identity("/posts", pair("1", "1", Standing::Identity));
        assert_eq!(table.translate_in("/posts", "5"), None);
        assert_eq!(table.translate_in("/other", "5"), Some("7"), "nothing is known of that collection");
        assert_eq!(table.translate_in("/v2/users", "5"), Some("7"), "the same collection elsewhere");
    }
}
