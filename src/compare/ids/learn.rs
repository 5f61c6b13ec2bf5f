//! What two answers to one call teach about identifiers.

use super::collection::Place;
use super::fields::{is_identifier_field, is_own_id_field};
use super::pairing::{is_same_entity, pair_objects};
use super::scalar::{Id, is_distinctive, is_distinctive_identity};
use super::table::{IdTable, Pair, Standing};
use crate::compare::limits::MAX_WALK_DEPTH;
use crate::compare::normalise::{ClockFormat, is_clock_field};
use crate::compare::rules::ServedRules;
use crate::json::{Object, Value};
use crate::manifest::SegmentFormat;

/// Two answers to one call, and what is known of the call.
pub(crate) struct Lesson<'a> {
    /// The application's body.
    pub(crate) live: &'a Value,
    /// The environment's body.
    pub(crate) environment: &'a Value,
    /// The collections of the live path.
    pub(crate) place: &'a Place,
    /// The decoded path parameters that the environment was called with, in template order.
    pub(crate) environment_parameters: &'a [String],
    /// Whether the call answers with one entity: a call of an item, or a write.
    pub(crate) single: bool,
    /// Whether a bare scalar answer is the identity of what the call created.
    pub(crate) bare_identity: bool,
    /// Whether the environment's answer came from its state.
    pub(crate) from_state: bool,
    /// The served state's facts.
    pub(crate) rules: &'a dyn ServedRules,
}

/// Where an answer's own entities are: those whose identity belongs to the collection that the call names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Own<'a> {
    /// The whole body.
    Root,
    /// The value of one member: an envelope's entity or list.
    Member(&'a str),
    /// Nowhere that can be told.
    Nowhere,
}

/// Finds an answer's own entities: a list or an object with an identity; else the one member of an envelope that is a list
/// of objects; else the one member that is an object with an identity; else the object itself, where it is keyed by
/// identifiers.
pub(crate) fn own_entities(body: &Value) -> Own<'_> {
    let Value::Object(object) = body.plain() else { return Own::Root };
    if has_identity(object) {
        return Own::Root;
    }
    let is_list =
        |value: &Value| value.as_array().is_some_and(|items| items.iter().any(|item| item.as_object().is_some()));
    let is_entity = |value: &Value| value.as_object().is_some_and(has_identity);
    for wanted in [&is_list as &dyn Fn(&Value) -> bool, &is_entity] {
        let mut found = object.iter().filter(|(_, value)| wanted(value));
        if let (Some((name, _)), None) = (found.next(), found.next()) {
            return name.as_str().map_or(Own::Nowhere, Own::Member);
        }
    }
    if is_keyed(object) { Own::Root } else { Own::Nowhere }
}

fn has_identity(object: &Object) -> bool {
    object.iter().any(|(name, value)| name.as_str().is_some_and(is_own_id_field) && Id::of(value).is_some())
}

/// Whether both objects are keyed by identifiers: every value is an object and every name can be an identifier.
pub(crate) fn keyed_by_id(live: &Object, environment: &Object) -> bool {
    is_keyed(live) && is_keyed(environment)
}

fn is_keyed(object: &Object) -> bool {
    !object.is_empty()
        && object.iter().all(|(name, value)| {
            value.as_object().is_some()
                && name.as_str().is_some_and(|name| SegmentFormat::of(name).is_some() || is_distinctive(name))
        })
}

/// Learns from two answers: objects that pair by a natural key, and single answers, map their identifier fields.
pub(crate) fn learn(table: &mut IdTable, lesson: &Lesson<'_>) {
    let mut walk = Walk { table, lesson };
    match (lesson.live.plain(), lesson.environment.plain()) {
        (Value::Object(live), Value::Object(environment)) => {
            let own = match (own_entities(lesson.live), own_entities(lesson.environment)) {
                (Own::Member(ours), Own::Member(theirs)) if ours == theirs => Own::Member(ours),
                (Own::Member(_), _) => Own::Nowhere,
                (ours, _) => ours,
            };
            if own == Own::Root && keyed_by_id(live, environment) {
                walk.keyed(live, environment, true, 0);
                return;
            }
            walk.object(live, environment, Role { own: own == Own::Root, by_key: false }, own, 0);
        }
        (Value::Array(live), Value::Array(environment)) => walk.array(live, environment, true, 0),
        _ if lesson.bare_identity => walk.identity(lesson.live, lesson.environment),
        _ => {}
    }
}

/// What a pair of objects is.
#[derive(Clone, Copy)]
struct Role {
    /// The answer's own entity: its identity belongs to the collection of the call.
    own: bool,
    /// Paired by a natural key.
    by_key: bool,
}

struct Walk<'t, 'a> {
    table: &'t mut IdTable,
    lesson: &'a Lesson<'a>,
}

impl Walk<'_, '_> {
    fn object(&mut self, live: &Object, environment: &Object, role: Role, own: Own<'_>, depth: usize) {
        if depth > MAX_WALK_DEPTH {
            return;
        }
        for (index, (name, value)) in live.iter().enumerate() {
            let Some(name) = name.as_str() else { continue };
            // Answers of one route mostly have one member order: look at the same place first.
            let theirs = match environment.iter().nth(index) {
                Some((other, theirs)) if other == name => theirs,
                _ => match environment.get(name) {
                    Some(theirs) => theirs,
                    None => continue,
                },
            };
            let is_own_member = own == Own::Member(name);
            match (value.plain(), theirs.plain()) {
                (Value::Object(ours), Value::Object(theirs)) => {
                    if is_own_member || is_same_entity(ours, theirs) {
                        let role = Role { own: is_own_member, by_key: false };
                        self.object(ours, theirs, role, Own::Nowhere, depth + 1);
                    } else if keyed_by_id(ours, theirs) {
                        self.keyed(ours, theirs, false, depth + 1);
                    }
                }
                (Value::Array(ours), Value::Array(theirs)) => {
                    self.listed(name, ours, theirs);
                    self.array(ours, theirs, is_own_member, depth + 1);
                }
                _ => self.member(name, value, theirs, role),
            }
        }
    }

    /// One scalar member of paired objects.
    fn member(&mut self, name: &str, live: &Value, environment: &Value, role: Role) {
        if is_own_id_field(name) && role.own {
            self.identity(live, environment);
            return;
        }
        if let (Some(ours), Some(theirs)) = (live.as_str(), environment.as_str())
            && is_clock_field(name)
            && ClockFormat::of(ours).is_some_and(|format| ClockFormat::of(theirs) == Some(format))
        {
            self.table.learn_clock(name, ours, theirs);
            return;
        }
        let (Some(ours), Some(theirs)) = (Id::of(live), Id::of(environment)) else { return };
        if !ours.same_type(&theirs) {
            return;
        }
        let rules = self.lesson.rules;
        let text = matches!(theirs, Id::Text(_)) && self.lesson.from_state;
        if text && self.joined(name, ours.text(), theirs.text()) {
            return;
        }
        let made = text && rules.names_made_id(name) && alike(ours.text(), theirs.text());
        let held = made || text && rules.is_held_id(theirs.text());
        if !is_identifier_field(name) && !held {
            return;
        }
        let standing = if made || role.by_key && (is_own_id_field(name) || held) {
            Standing::Identity
        } else {
            Standing::Reference
        };
        self.table.learn_global(Pair { live: ours.text(), environment: theirs.text(), standing, state_held: held });
    }

    /// A list of identities in one text: each stands for the one at its place, where the state proved that members of this
    /// name are such lists, or holds all of them.
    fn joined(&mut self, name: &str, live: &str, environment: &str) -> bool {
        let rules = self.lesson.rules;
        let proven = rules.joins_ids(name);
        let between = proven.unwrap_or(",");
        let (ours, theirs): (Vec<&str>, Vec<&str>) =
            (live.split(between).collect(), environment.split(between).collect());
        let pairs = || ours.iter().zip(&theirs);
        if ours.len() != theirs.len() || !pairs().all(|(ours, theirs)| alike(ours, theirs)) {
            return proven.is_some();
        }
        let held = || ours.len() > 1 && theirs.iter().all(|theirs| rules.is_held_id(theirs));
        if proven.is_none() && !held() {
            return false;
        }
        pairs().for_each(|(live, environment)| self.reference(live, environment));
        true
    }

    fn reference(&mut self, live: &str, environment: &str) {
        let pair = Pair { live, environment, standing: Standing::Reference, state_held: true };
        self.table.learn_global(pair);
    }

    /// A list of identities, likewise.
    fn listed(&mut self, name: &str, live: &[Value], environment: &[Value]) {
        let texts = |list| -> Option<Vec<&str>> { <[Value]>::iter(list).map(Value::as_str).collect() };
        let (Some(ours), Some(theirs)) = (texts(live), texts(environment)) else { return };
        let rules = self.lesson.rules;
        let known = || rules.lists_ids(name) || theirs.iter().all(|theirs| rules.is_held_id(theirs));
        let alike = || ours.iter().zip(&theirs).all(|(ours, theirs)| alike(ours, theirs));
        if self.lesson.from_state && ours.len() == theirs.len() && alike() && known() {
            ours.iter().zip(&theirs).for_each(|(live, environment)| self.reference(live, environment));
        }
    }

    /// The identity of the answer's own entity. Where the live identity is what the path asked for, the environment's
    /// must be what it was asked for: anything else is a wrong entity, not a new identity.
    fn identity(&mut self, live: &Value, environment: &Value) {
        let (Some(ours), Some(theirs)) = (Id::of(live), Id::of(environment)) else { return };
        if !ours.same_type(&theirs) {
            return;
        }
        let lesson = self.lesson;
        let pair = Pair {
            live: ours.text(),
            environment: theirs.text(),
            standing: Standing::Identity,
            state_held: lesson.from_state,
        };
        let asked = lesson.place.parameters.iter().zip(lesson.environment_parameters).rev();
        for ((collection, parameter), translated) in asked {
            if parameter == pair.live {
                if translated == pair.environment {
                    self.table.learn_identity(collection, pair);
                }
                return;
            }
        }
        self.table.learn_identity(&lesson.place.collection, pair);
    }

    fn array(&mut self, live: &[Value], environment: &[Value], own: bool, depth: usize) {
        if depth > MAX_WALK_DEPTH {
            return;
        }
        let (ours, theirs) = (objects(live), objects(environment));
        if let ([one], [other]) = (&ours[..], &theirs[..])
            && own
            && self.lesson.single
        {
            // A single answer in a list envelope.
            self.object(one, other, Role { own, by_key: false }, Own::Nowhere, depth + 1);
            return;
        }
        for (index, other) in pair_objects(&ours, &theirs) {
            self.object(ours[index], theirs[other], Role { own, by_key: true }, Own::Nowhere, depth + 1);
        }
    }

    /// Objects keyed by identifiers: the values pair as the items of a list do, and their names are the identities.
    fn keyed(&mut self, live: &Object, environment: &Object, own: bool, depth: usize) {
        let ours: Vec<(&str, &Object)> = entries(live);
        let theirs: Vec<(&str, &Object)> = entries(environment);
        let our_objects: Vec<&Object> = ours.iter().map(|(_, object)| *object).collect();
        let their_objects: Vec<&Object> = theirs.iter().map(|(_, object)| *object).collect();
        for (index, other) in pair_objects(&our_objects, &their_objects) {
            let ((live_key, object), (environment_key, other)) = (ours[index], theirs[other]);
            let pair = Pair {
                live: live_key,
                environment: environment_key,
                standing: Standing::Identity,
                state_held: self.lesson.from_state,
            };
            if own {
                self.table.learn_identity(&self.lesson.place.collection, pair);
            } else {
                self.table.learn_global(pair);
            }
            self.object(object, other, Role { own, by_key: true }, Own::Nowhere, depth + 1);
        }
    }
}

/// Whether two made identifiers can stand for each other: texts of one length that can be told from words.
fn alike(live: &str, environment: &str) -> bool {
    live.len() == environment.len() && is_distinctive_identity(live) && is_distinctive_identity(environment)
}

fn entries(object: &Object) -> Vec<(&str, &Object)> {
    object.iter().filter_map(|(name, value)| Some((name.as_str()?, value.as_object()?))).collect()
}

fn objects(items: &[Value]) -> Vec<&Object> {
    items.iter().filter_map(Value::as_object).collect()
}
