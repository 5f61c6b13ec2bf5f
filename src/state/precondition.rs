//! Preconditions of writes: what the state must not hold for a write to be taken. A name that another entity has, a value
//! that is no longer held, a target that something refers to, a target in a condition that forbids it, a reference that names
//! nothing, a query that was only refused: the write is then answered as the recorded refusal was, and changes nothing. Found in `precondition_propose.rs`.

use super::absence::respell_absence;
use super::clock_format::instant;
use super::derived::Derived;
use super::effect_relation::{Relation, address_of, names_entity};
use super::evaluate::{StateTarget, replace_in_text, replace_token};
use super::line::scalar_text;
use super::observe::trim_slash;
use super::per_response::MadeAnew;
use super::slot::merged;
use super::store::{Entity, World};
use super::write_apply::{Write, Written, type_name};
use super::write_entity::home_of_new;
use super::write_plan::WritePlan;
use crate::json::Value;
use std::sync::Arc;

/// Bytes of a text that a message is searched for: shorter ones stand in messages by chance.
const MIN_NAMED: usize = 3;
/// What messages put around what they name.
const MARKS: [char; 3] = ['\'', '"', '`'];

/// What refuses a write, with the recorded answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Precondition {
    /// What refuses it.
    pub ground: Ground,
    /// Index of the record that was refused so.
    pub record: usize,
    /// All records that it explains.
    pub explains: Vec<usize>,
    /// Its body; `None` where it is no JSON.
    pub body: Option<Arc<Value>>,
    /// Texts of the recorded scene that its body names.
    pub named: Vec<(Named, String)>,
    /// The number that identifies the other entity of the recorded scene.
    pub other: Option<i64>,
    /// Members that each such answer makes anew.
    pub per_response: Vec<MadeAnew>,
}

/// What of the state refuses a write.
#[derive(Clone, Debug, PartialEq)]
pub enum Ground {
    /// Another entity of the collection has what is sent at a member.
    Taken(Box<str>),
    /// What is sent at a member is no longer what the target holds there.
    Stale(Box<str>),
    /// What is sent at a member names no entity of a type.
    Unnamed(Box<str>, usize),
    /// The target's member has a value.
    Holds(Box<str>, Value),
    /// The call has this query, sorted: another one is needed, or may not be there.
    Query(Vec<(String, String)>),
    /// Something refers to the target.
    Referred(Vec<(usize, Relation)>),
}

/// Where a text that a refusal's body names comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A sent member.
    Sent(Box<str>),
    /// A member of the target.
    Target(Box<str>),
    /// A member of the other entity: the one that has the name, the one that refers to the target.
    Other(Box<str>),
    /// What the target is called, between these marks where it is short.
    Identity(Option<char>),
}

/// What a precondition is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scene<'a> {
    /// The state.
    pub derived: &'a Derived,
    /// The world before the write.
    pub world: &'a World,
    /// The target's type.
    pub kind: usize,
    /// The collection that the target is or would be in; all of the type's where it is not known.
    pub collection: Option<&'a str>,
    /// The target, where it is held.
    pub held: Option<&'a Entity>,
    /// The sent members.
    pub sent: &'a Value,
    /// The query, sorted, without what addresses the target.
    pub query: &'a [(String, String)],
}

/// What refuses: the other entity, where there is one.
pub(super) type Met = Option<Arc<Entity>>;

/// A write as a precondition sees it: recorded and served ones alike.
pub(super) struct Called<'a> {
    /// The world before it.
    pub world: &'a World,
    /// The target's type.
    pub kind: usize,
    /// The collection that the target is or would be in; all of the type's where it is not known.
    pub collection: Option<String>,
    /// The target, where it is held.
    pub held: Option<Arc<Entity>>,
    /// The sent members.
    pub sent: Value,
    /// The query, sorted, without what addresses the target.
    pub query: Vec<(String, String)>,
}

impl<'a> Called<'a> {
    /// The write and its target in a world.
    pub(super) fn new(
        derived: &Derived,
        plan: &WritePlan,
        write: &Write<'_>,
        held: Option<Arc<Entity>>,
        world: &'a World,
    ) -> Self {
        let kind = plan.target.entity_type;
        let sent = write.body.and_then(|body| plan.envelope.open(body)).cloned().unwrap_or(Value::Null);
        let collection = match &held {
            Some(held) => Some(held.collection.to_string()),
            None => home_of_new(derived, plan, write, &sent),
        };
        Self { world, kind, collection, held, sent, query: plan.target.other_query(write.query) }
    }

    /// What its preconditions are asked of.
    pub(super) fn scene<'s>(&'s self, derived: &'s Derived) -> Scene<'s> {
        Scene {
            derived,
            world: self.world,
            kind: self.kind,
            collection: self.collection.as_deref(),
            held: self.held.as_deref(),
            sent: &self.sent,
            query: &self.query,
        }
    }
}

impl Ground {
    /// Whether a write is refused; with the other entity that refuses it.
    pub(super) fn met(&self, scene: Scene<'_>) -> Option<Met> {
        match self {
            Self::Taken(member) => {
                let sent = scene.sent.get(member).filter(|sent| sent.as_str().is_some_and(|text| !text.is_empty()))?;
                let is_target = |entity: &Entity| {
                    scene.held.is_some_and(|held| held.id == entity.id && held.collection == entity.collection)
                };
                let places = scene.world.collections(scene.kind);
                let places = places.filter(|(path, _)| scene.collection.is_none_or(|named| named == *path));
                let mut entities = places.flat_map(|(_, held)| held.iter());
                let found = entities.find(|entity| {
                    entity.fields.get(member).is_some_and(|held| held.same_as(sent)) && !is_target(entity)
                });
                found.map(|entity| Some(Arc::clone(entity)))
            }
            Self::Stale(member) => {
                let held = merged(scene.held?);
                is_stale(scene.sent.get(member)?, held.get(member)?).then_some(None)
            }
            Self::Unnamed(member, of) => {
                let text = scene.sent.get(member).filter(|sent| !sent.is_null()).and_then(scalar_text)?;
                let absent = scene.world.named(*of, &text).next().is_none();
                (absent && scene.derived.knows_absent(scene.world, *of, None, &text)).then_some(None)
            }
            Self::Holds(member, value) => {
                let held = merged(scene.held?);
                held.get(member).is_some_and(|held| held.same_as(value)).then_some(None)
            }
            Self::Query(query) => (scene.held.is_some() && scene.query == query.as_slice()).then_some(None),
            Self::Referred(by) => {
                let target = address_of(scene.kind, scene.held?);
                by.iter().find_map(|(kind, relation)| {
                    let mut entities = scene.world.collections(*kind).flat_map(|(_, held)| held.iter());
                    let names = |entity: &Entity| names_entity(scene.derived, relation, (*kind, entity), target);
                    entities.find(|entity| names(entity)).map(|entity| Some(Arc::clone(entity)))
                })
            }
        }
    }
}

impl Named {
    /// The text in a scene.
    fn text(&self, scene: Scene<'_>, other: Option<&Entity>) -> Option<String> {
        let of = |entity: &Entity, name: &str| merged(entity).get(name).and_then(scalar_text);
        match self {
            Self::Sent(name) => scene.sent.get(name).and_then(scalar_text),
            Self::Target(name) => of(scene.held?, name),
            Self::Other(name) => of(other?, name),
            Self::Identity(mark) => scene.held.map(|held| between(*mark, &held.id)),
        }
    }
}

/// The number that identifies an entity.
pub(super) fn number_of(entity: &Entity) -> Option<i64> {
    entity.id.parse().ok()
}

/// Puts one number in the place of another.
fn renumber(value: &mut Value, from: i64, to: i64) {
    if value.same_as(&Value::from(from)) {
        *value = Value::from(to);
        return;
    }
    match value.plain_mut() {
        Value::Array(items) => items.iter_mut().for_each(|item| renumber(item, from, to)),
        Value::Object(object) => object.iter_mut().for_each(|(_, inner)| renumber(inner, from, to)),
        _ => {}
    }
}

/// Whether a sent value is an old one. A clock is old when it is earlier than the held one: a later one was stamped by
/// another run of the application. Any other value is old when it is not the held one.
fn is_stale(sent: &Value, held: &Value) -> bool {
    if sent.same_as(held) {
        return false;
    }
    // Of another length it is another unit, or no clock.
    let alike = scalar_text(sent).map(|text| text.len()) == scalar_text(held).map(|text| text.len());
    if let (Some(sent), Some(held)) = (fine_clock(sent).filter(|_| alike), fine_clock(held)) {
        return sent < held;
    }
    match (instant(sent), instant(held)) {
        (Some(sent), Some(held)) => sent < held,
        _ => scalar_text(sent).is_some() && scalar_text(sent) != scalar_text(held),
    }
}

/// The nanoseconds since the epoch that a whole number says, or a text that is one, where it counts micro- or nanoseconds
/// from 2001 to 2096.
fn fine_clock(value: &Value) -> Option<i64> {
    let number: i64 = scalar_text(value)?.parse().ok()?;
    match number {
        1_000_000_000_000_000..4_000_000_000_000_000 => Some(number * 1000),
        1_000_000_000_000_000_000..4_000_000_000_000_000_000 => Some(number),
        _ => None,
    }
}

/// A text between two marks.
fn between(mark: Option<char>, text: &str) -> String {
    let mark = mark.map(String::from).unwrap_or_default();
    format!("{mark}{text}{mark}")
}

/// How a body names an entity by its identity: a short one, a number most likely, only between marks (`shelf '7' is in use`),
/// as it stands in messages by chance.
fn identity_named(body: &Value, id: &str) -> Option<(Named, String)> {
    let marks = MARKS.into_iter().map(Some).chain((id.len() >= MIN_NAMED).then_some(None));
    marks.map(|mark| (Named::Identity(mark), between(mark, id))).find(|(_, text)| {
        let mut without = body.clone();
        replace_token(&mut without, text, "");
        !without.same_as(body)
    })
}

/// The texts of a scene that a recorded body names: what was sent first, then what the entities hold.
pub(super) fn named_texts(body: &Value, scene: Scene<'_>, other: Option<&Entity>) -> Vec<(Named, String)> {
    let whole = body.to_compact();
    let mut found: Vec<(Named, String)> = Vec::new();
    let mut add = |members: &Value, named: &dyn Fn(Box<str>) -> Named| {
        for (name, value) in members.as_object().into_iter().flatten() {
            let (Some(name), Some(text)) = (name.as_str(), value.as_str()) else { continue };
            let stands = text.len() >= MIN_NAMED && replace_in_text(&whole, text, "") != whole;
            if stands && !found.iter().any(|(_, held)| held == text) {
                found.push((named(name.into()), text.to_owned()));
            }
        }
    };
    add(scene.sent, &Named::Sent);
    if let Some(other) = other {
        add(&merged(other), &Named::Other);
    }
    if let Some(held) = scene.held {
        add(&merged(held), &Named::Target);
        if !found.iter().any(|(_, text)| *text == *held.id) {
            found.extend(identity_named(body, &held.id));
        }
    }
    found
}

/// The answer of a write that a precondition refuses; `None` where none does.
pub(super) fn refused(plan: &WritePlan, write: &Write<'_>, scene: Scene<'_>) -> Option<Written> {
    let (precondition, other) =
        plan.preconditions.iter().find_map(|held| held.ground.met(scene).map(|other| (held, other)))?;
    let body = precondition.body.as_ref().map(|body| {
        let mut body = body.as_ref().clone();
        let texts: Vec<(&str, String)> = precondition
            .named
            .iter()
            .filter_map(|(named, recorded)| Some((recorded.as_str(), named.text(scene, other.as_deref())?)))
            .collect();
        let pairs: Vec<(&str, &str)> = texts.iter().map(|(from, to)| (*from, to.as_str())).collect();
        respell_absence(&mut body, &pairs, false);
        if let (Some(from), Some(to)) = (precondition.other, other.as_deref().and_then(number_of))
            && from != to
        {
            renumber(&mut body, from, to);
        }
        body
    });
    let collection = scene.held.map(|held| held.collection.to_string()).or(scene.collection.map(str::to_owned));
    let target = StateTarget::Item {
        entity_type: type_name(scene.derived, scene.kind),
        collection: collection.unwrap_or_else(|| trim_slash(write.path).to_owned()),
        id: scene.held.map(|held| held.id.to_string()).unwrap_or_default(),
    };
    let unchanged = Written::unchanged(precondition.record, body, plan.effect().word(), target);
    Some(Written { generated: precondition.per_response.clone(), ..unchanged })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::between_marks("'7': in use", "'7': in use", Some("'12': in use"))]
    #[case::between_other_marks(r#"no: \"7\""#, r#"no: \"7\""#, Some(r#"no: \"12\""#))]
    #[case::a_count("it has 7 books", "", None)]
    #[case::part_of_another("'17': in use", "", None)]
    fn a_message_names_the_target_by_its_number(
        #[case] message: &str,
        #[case] named: &str,
        #[case] expected: Option<&str>,
    ) {
        let body = |text: &str| crate::json::parse(format!(r#"{{"detail":"{text}"}}"#).as_bytes()).unwrap();
        let found = identity_named(&body(message), "7");
        let other = found.map(|(how, text)| {
            assert!(body(named).get("detail").and_then(Value::as_str).unwrap().contains(&text));
            let Named::Identity(mark) = how else { panic!("it is named by its identity") };
            let mut body = body(message);
            respell_absence(&mut body, &[(&text, &between(mark, "12"))], false);
            body
        });
        assert_eq!(other, expected.map(body));
    }

    #[test]
    fn a_long_identity_needs_no_marks() {
        let body = crate::json::parse(br#"{"detail":"shelf 1204 is in use"}"#).unwrap();
        assert_eq!(identity_named(&body, "1204"), Some((Named::Identity(None), "1204".to_owned())));
    }

    #[rstest]
    #[case::same("3", "3", false)]
    #[case::another_version("2", "3", true)]
    #[case::another_text(r#""a""#, r#""b""#, true)]
    #[case::earlier_clock(r#""2026-01-01T10:00:00Z""#, r#""2026-01-01T10:00:01Z""#, true)]
    #[case::later_clock(r#""2026-01-01T10:00:02Z""#, r#""2026-01-01T10:00:01Z""#, false)]
    #[case::later_seconds("1700000001", "1700000000", false)]
    #[case::earlier_seconds("1700000000", "1700000001", true)]
    #[case::later_microseconds("1700000000000001", "1700000000000000", false)]
    #[case::earlier_microseconds("1700000000000000", "1700000000000001", true)]
    #[case::later_nanoseconds(r#""1700000000000000001""#, r#""1700000000000000000""#, false)]
    #[case::earlier_nanoseconds("1700000000000000000", "1700000000000000001", true)]
    #[case::no_scalar("{}", "1", false)]
    fn staleness(#[case] sent: &str, #[case] held: &str, #[case] stale: bool) {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        assert_eq!(is_stale(&value(sent), &value(held)), stale);
    }
}
