//! Companions: an entity of another type that a create makes with the one it is about (a default queue, an owner's
//! permission). Found from entities that reads show after a create and that name what was created, or that it names by an
//! identity that it was not given (the process of a session).

use super::clock_format::ClockFormat;
use super::derive::Derivation;
use super::derived::Derived;
use super::effect::{Done, EffectRule, texts_of};
use super::generate::Generator;
use super::line::scalar_text;
use super::member_rule::{Given, MemberExpr};
use super::path::{MemberPath, Step, scalar_paths};
use super::slot::{Left, Slot, entity_with, merged, slots_of};
use super::store::{Entity, World};
use super::text_rule::find_text_rule;
use super::types::View;
use super::write_apply::Maker;
use super::write_history::History;
use super::write_sample::{Fate, Sample, entity_of, shown_of};
use super::write_truth::{Change, Changed, Truth};
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::{Segment, decode_once, split_path};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An entity that a create makes beside its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Companion {
    /// The created type.
    pub parent: usize,
    /// The companion's type.
    pub child: usize,
    /// The segments of the companion's collection.
    pub home: Vec<Home>,
    /// Its identity, from the created entity's values.
    pub identity: MemberExpr,
    /// Its slots, likewise.
    pub slots: Vec<(Slot, MemberExpr)>,
}

/// A segment of a companion's collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Home {
    /// As it is.
    Fixed(Box<str>),
    /// What the created entity is called.
    Identity,
    /// The segment at this place of the created entity's collection.
    Parent(usize),
}

/// Characters: shorter texts are equal by chance.
const MIN_COPY: usize = 3;

/// Makes the companion of a created entity.
pub(super) fn accompany(
    derived: &Derived,
    world: &mut World,
    rule: &Companion,
    parent: &Entity,
    maker: &mut dyn Maker,
) -> Option<Entity> {
    let above = split_path(&parent.collection);
    let segment = |home: &Home| -> Option<String> {
        Some(match home {
            Home::Fixed(text) => text.to_string(),
            Home::Identity => super::identity::encoded_segment(&parent.id),
            Home::Parent(index) => (*above.get(*index)?).to_owned(),
        })
    };
    let collection: String =
        rule.home.iter().map(|home| segment(home).map(|text| format!("/{text}"))).collect::<Option<_>>()?;
    maker.begin(rule.child, &collection);
    let all = merged(parent);
    let given = Given { sent: &Value::Null, params: &[], before: None, after: &all, item: None, beside: None };
    let [Step::Member(name)] = derived.types.get(rule.child)?.identity.0.as_slice() else { return None };
    let mut make = |rule: &MemberExpr, name: &str| {
        // A place of its own, so that it is not given what was made for the created entity's member of that name.
        let sequence = matches!(rule, MemberExpr::Made(Generator::Sequence { .. }, _));
        let at = if sequence { format!("/{name}") } else { format!("/{name}\u{0}beside") };
        rule.value(&given, maker, &at)
    };
    let identity = make(&rule.identity, name).ok()??;
    let id = scalar_text(&identity)?;
    if world.collection(rule.child, &collection).is_some_and(|held| held.get(&id).is_some()) {
        return None;
    }
    let slots = rule.slots.iter().map(|(slot, rule)| {
        let itself = slot.source.is_none() && slot.name == *name;
        let left = match if itself { Ok(Some(identity.clone())) } else { make(rule, &slot.key()) } {
            Ok(Some(value)) => Left::Value(value),
            Ok(None) => Left::Absent,
            Err(_) => Left::Unknown,
        };
        (slot.clone(), left)
    });
    let slots = slots.collect();
    let key = (Arc::from(collection.as_str()), Arc::from(id.as_str()));
    let entity = entity_with(derived, rule.child, key, None, slots);
    world.set_entity(rule.child, entity.clone());
    Some(entity)
}

/// A companion as it was recorded.
struct Seen<'t, 'a> {
    sample: &'t Sample<'a>,
    parent: Arc<Value>,
    child: Arc<Entity>,
}

/// The companions that creates of a capture made.
pub(super) fn propose_companions(work: &Derivation<'_>, history: &History<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let created: Vec<&Sample<'_>> =
        truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Created).collect();
    // By the created type and the companion's, and by its name where that is the same for several.
    let mut seen: BTreeMap<(usize, usize, String), Vec<Seen<'_, '_>>> = BTreeMap::new();
    for change in &truth.changes {
        if !matches!(change.what, Changed::Appeared) {
            continue;
        }
        let Some(child) = entity_of(&change.world, &change.key) else { continue };
        let named = names(&child);
        // The last create that it names, not one of its own type.
        let parent = created.iter().rev().find(|sample| {
            change.writes.contains(&sample.index) && sample.key.0 != change.key.0 && named.contains(&sample.key.2)
        });
        let beside = || {
            let after = created.iter().rev().filter(|sample| change.writes.contains(&sample.index));
            after.into_iter().find(|sample| sample.key.0 != change.key.0 && made_for(sample).contains(&change.key.2))
        };
        if let Some(sample) = parent.or_else(beside) {
            let mut parent = Sample::object(&sample.after);
            for path in gathered(&work.derived, sample.key.0, change.key.0) {
                take_out(&mut parent, &path.0);
            }
            let parent = Arc::new(parent);
            let name = if is_name(&child.id, &sample.key.2) { child.id.to_string() } else { String::new() };
            seen.entry((sample.key.0, change.key.0, name)).or_default().push(Seen { sample, parent, child });
        }
    }
    let mut rules = Vec::new();
    for ((parent, child, _), seen) in seen {
        let mut of: Vec<usize> = seen.iter().map(|one| one.sample.index).collect();
        of.sort_unstable();
        let several = of.windows(2).any(|pair| pair[0] == pair[1]);
        let Some(rule) = companion(work, parent, child, &seen).filter(|_| !several) else { continue };
        let without =
            created.iter().filter(|sample| sample.key.0 == parent && !of.contains(&sample.index)).any(|sample| {
                told_by(&rule, &seen, sample).is_none_or(|text| shown_without(work, history, sample, child, &text))
            });
        if !without {
            rules.push(EffectRule::Companion(Box::new(rule)));
        }
    }
    rules
}

/// The members of a created entity that are made of its companions: those say nothing before these are there.
fn gathered(derived: &Derived, parent: usize, child: usize) -> impl Iterator<Item = &MemberPath> {
    derived.effects.iter().filter_map(move |rule| match rule {
        EffectRule::Gather(held) if held.holder == parent && held.of == child => Some(&held.path),
        _ => None,
    })
}

/// Takes a member out of an object.
fn take_out(object: &mut Value, path: &[Step]) {
    let (Some((Step::Member(name), rest)), Some(object)) = (path.split_first(), object.as_object_mut()) else { return };
    if rest.is_empty() {
        object.remove(name);
    } else if let Some(inner) = object.get_mut(name) {
        take_out(inner, rest);
    }
}

/// The random identities that a create shows and that nothing sent: what they name was made with it.
pub(super) fn made_for(sample: &Sample<'_>) -> BTreeSet<String> {
    let (mut shown, mut sent) = (BTreeSet::new(), BTreeSet::new());
    texts_of(&Sample::object(&sample.after), &mut shown);
    texts_of(&sample.sent, &mut sent);
    sent.extend(sample.call.parameters.iter().cloned());
    shown.retain(|text| *text != sample.key.2 && !sent.contains(text) && Generator::of_text(text).is_some());
    shown
}

/// What a list that shows the companion of a create says: what the create's answer calls it, or the created one's name.
fn told_by(rule: &Companion, seen: &[Seen<'_, '_>], sample: &Sample<'_>) -> Option<String> {
    if seen.iter().any(|one| names(&one.child).contains(&one.sample.key.2)) {
        return Some(sample.key.2.clone());
    }
    let MemberExpr::After(path) = &rule.identity else { return None };
    path.direct(&Sample::object(&sample.after)).and_then(scalar_text)
}

/// Whether an identity may be the same for every companion: no number, nothing made at random, not its parent's.
fn is_name(id: &str, parent: &str) -> bool {
    id != parent && id.parse::<i64>().is_err() && Generator::of_text(id).is_none()
}

/// All texts of an entity, and of its collection's path.
fn names(entity: &Entity) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    texts_of(&merged(entity), &mut texts);
    texts.extend(split_path(&entity.collection).iter().map(|segment| decode_once(segment).into_owned()));
    texts
}

/// Whether the first list of a type that names a created entity, or that is of all, shows no companion of it: nothing that
/// has the text by which it is told.
fn shown_without(work: &Derivation<'_>, history: &History<'_>, sample: &Sample<'_>, child: usize, told: &str) -> bool {
    let calls = work.observed.seen.iter().enumerate().skip(sample.index + 1);
    let first = calls.into_iter().find(|(_, call)| {
        let View::List(view) = &work.derived.views[call.tool] else { return false };
        view.entity_type == child
            && is_success(call.status)
            && (call.parameters.is_empty() || call.parameters.iter().any(|text| text == told))
    });
    first.is_some_and(|(index, _)| {
        let shown = history.by_call.get(&index).into_iter().flatten();
        !shown.into_iter().any(|(_, showing)| {
            let mut texts = BTreeSet::new();
            texts_of(showing.value, &mut texts);
            texts.contains(told)
        })
    })
}

fn companion(work: &Derivation<'_>, parent: usize, child: usize, seen: &[Seen<'_, '_>]) -> Option<Companion> {
    let derived = &work.derived;
    let identity = &derived.types[child].identity;
    let [Step::Member(_)] = identity.0.as_slice() else { return None };
    let first = seen.first()?;
    let home = home(first)?;
    if seen.iter().any(|one| self::home(one).as_ref() != Some(&home)) {
        return None;
    }
    let ids: Vec<Value> = seen
        .iter()
        .map(|one| {
            let all = merged(&one.child);
            identity.direct(&all).cloned().unwrap_or_else(|| Value::from(one.child.id.as_ref()))
        })
        .collect();
    let rule = fit(seen, &ids.iter().map(Some).collect::<Vec<_>>(), true)?;
    // One name in one collection can be there only once: the next create would have nowhere to put its own.
    let shared = derived.types[child].template.segments.iter().all(|segment| matches!(segment, Segment::Literal(_)));
    if shared && matches!(rule, MemberExpr::Fixed(_)) {
        return None;
    }
    let shown: Vec<_> = seen.iter().map(|one| shown_of(derived, child, &one.child)).collect();
    let slots = slots_of(derived, child).into_iter().map(|slot| {
        let values: Option<Vec<Option<&Value>>> = shown.iter().map(|shown| Some(shown.get(&slot)?.as_ref())).collect();
        let rule = values.and_then(|values| fit(seen, &values, false)).unwrap_or(MemberExpr::Unknown);
        (slot, rule)
    });
    Some(Companion { parent, child, home, identity: rule, slots: slots.collect() })
}

fn home(one: &Seen<'_, '_>) -> Option<Vec<Home>> {
    let (_, collection, id) = &one.sample.key;
    let above = split_path(collection);
    let segments = split_path(&one.child.collection);
    Some(
        segments
            .iter()
            .enumerate()
            .map(|(index, segment)| match above.get(index) {
                _ if decode_once(segment) == *id => Home::Identity,
                Some(held) if held == segment => Home::Parent(index),
                _ => Home::Fixed((*segment).into()),
            })
            .collect(),
    )
}

/// The rule of one slot, from the created entity's values.
fn fit(seen: &[Seen<'_, '_>], values: &[Option<&Value>], identity: bool) -> Option<MemberExpr> {
    if values.iter().all(Option::is_none) {
        return Some(MemberExpr::Absent);
    }
    let values: Vec<&Value> = values.iter().copied().collect::<Option<_>>()?;
    let first = *values.first()?;
    let same = values.iter().all(|value| value.same_as(first));
    let copy = || {
        let telling = scalar_text(first).is_some_and(|text| text.len() >= MIN_COPY) || !same;
        let paths = scalar_paths(std::iter::once(seen[0].parent.as_ref())).into_iter();
        let paths = paths.filter(|path| !path.through_array() && telling);
        let is = |path: &MemberPath| {
            seen.iter()
                .zip(&values)
                .all(|(one, value)| path.direct(&one.parent).is_some_and(|held| held.same_as(value)))
        };
        paths.into_iter().find(is).map(MemberExpr::After)
    };
    if let Some(path) = copy() {
        return Some(path);
    }
    let formats: Option<Vec<ClockFormat>> =
        seen.iter().zip(&values).map(|(one, value)| ClockFormat::stamped(value, one.sample.call.span)).collect();
    if let Some([format, ..]) = formats.as_deref() {
        return Some(MemberExpr::Clock(format.clone()));
    }
    let texts: Option<Vec<&str>> = values.iter().map(|value| value.as_str()).collect();
    if let Some(texts) = &texts {
        let pairs: Vec<(&Value, &str)> =
            seen.iter().map(|one| one.parent.as_ref()).zip(texts.iter().copied()).collect();
        if !same && let Some(pieces) = find_text_rule("", &pairs) {
            return Some(MemberExpr::Text(pieces));
        }
        let made: Option<Vec<Generator>> = texts.iter().map(|text| Generator::of_text(text)).collect();
        if let Some(made) = made.filter(|_| !same || values.len() == 1) {
            let (first, rest) = made.split_first()?;
            let joined = rest.iter().try_fold(first.clone(), |joined, next| joined.joined(next))?;
            return Some(MemberExpr::Made(joined, false));
        }
    }
    let number = first.as_number().is_some();
    if identity && number && (!same || values.len() == 1) {
        let scope = super::generate::SequenceScope::Type;
        return Some(MemberExpr::Made(Generator::Sequence { scope, start: 1, digits: None }, false));
    }
    object_of(seen, &values).or_else(|| same.then(|| MemberExpr::Fixed(first.clone())))
}

/// The rules of the members of an object that all companions have, each by itself: clocks inside of one differ each time.
fn object_of(seen: &[Seen<'_, '_>], values: &[&Value]) -> Option<MemberExpr> {
    let first = values.first()?.as_object().filter(|object| !object.is_empty())?;
    if values.iter().any(|value| value.as_object().is_none_or(|object| object.len() != first.len())) {
        return None;
    }
    let members = first.iter().map(|(name, _)| {
        let name = name.as_str()?;
        let inner: Vec<Option<&Value>> = values.iter().map(|value| value.get(name)).collect();
        fit(seen, &inner, false).map(|rule| (name.into(), rule))
    });
    members.collect::<Option<_>>().map(MemberExpr::Object)
}

/// Lists that are known in full for an entity that a served write created: those that the capture showed right after a
/// create with nothing in them but what later creates and companions put there. By tool, the parameter that names the
/// created entity and its type.
pub(super) fn fresh_lists(
    work: &Derivation<'_>,
    history: &History<'_>,
    truth: &Truth<'_>,
    rules: &[EffectRule],
) -> BTreeMap<usize, (usize, usize)> {
    let made = |parent: usize, child: usize| {
        rules
            .iter()
            .any(|rule| matches!(rule, EffectRule::Companion(held) if held.parent == parent && held.child == child))
    };
    let appeared: BTreeSet<(usize, &(usize, String, String))> = truth
        .changes
        .iter()
        .filter(|change: &&Change| matches!(change.what, Changed::Appeared))
        .map(|change| (change.read, &change.key))
        .collect();
    let mut found: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    let mut refuted: BTreeSet<usize> = BTreeSet::new();
    for sample in truth.samples.values().flatten().filter(|sample| sample.fate == Fate::Created) {
        for (index, call) in work.observed.seen.iter().enumerate().skip(sample.index + 1) {
            let View::List(view) = &work.derived.views[call.tool] else { continue };
            let Some(parameter) = call.parameters.iter().position(|text| *text == sample.key.2) else { continue };
            if !is_success(call.status) || view.entity_type == sample.key.0 {
                continue;
            }
            let shown = history.by_call.get(&index).into_iter().flatten();
            let strange = shown.into_iter().any(|(key, _)| appeared.contains(&(index, key)));
            if strange && !made(sample.key.0, view.entity_type) {
                refuted.insert(call.tool);
            } else {
                found.entry(call.tool).or_insert((parameter, sample.key.0));
            }
        }
    }
    found.retain(|tool, _| !refuted.contains(tool));
    found
}

impl Derived {
    /// What a member of a new entity is before its companions are there, where it is made of those; `Some(None)` where no
    /// recording shows that.
    pub(super) fn gathers_companions(&self, parent: usize, path: &MemberPath) -> Option<Option<&Value>> {
        let companion = |of: usize| {
            self.effects
                .iter()
                .any(|rule| matches!(rule, EffectRule::Companion(held) if held.parent == parent && held.child == of))
        };
        self.effects.iter().find_map(|rule| match rule {
            EffectRule::Gather(held) if held.holder == parent && held.path == *path && companion(held.of) => {
                Some(held.empty.as_ref().and_then(Option::as_ref))
            }
            _ => None,
        })
    }
}

/// Applies the companions of a create.
pub(super) fn companions(derived: &Derived, world: &mut World, done: &Done<'_>, maker: &mut dyn Maker) {
    let (None, Some(after)) = (done.before, done.after) else { return };
    for rule in &derived.effects {
        if let EffectRule::Companion(rule) = rule
            && rule.parent == done.kind
        {
            let was = world.clone();
            if let Some(made) = accompany(derived, world, rule, after, maker) {
                let done = Done::by((done.tool, rule.child), None, Some(&made), &was);
                super::effect::apply_effects(derived, world, &done);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::types::EntityType;
    use super::super::write_maker::LiveMaker;
    use super::*;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_create_makes_its_companion() {
        let kind = || EntityType {
            collection_template: String::new(),
            template: crate::manifest::Template { segments: Vec::new() },
            identity: MemberPath::member("id"),
            inner_identity: None,
            parents: Vec::new(),
            representations: Vec::new(),
            made: Vec::new(),
        };
        let slot = |name: &str| Slot { name: name.into(), source: None };
        let after = |name: &str| MemberExpr::After(MemberPath::member(name));
        let rule = Companion {
            parent: 0,
            child: 1,
            home: vec![Home::Fixed("pools".into()), Home::Identity, Home::Fixed("queues".into())],
            identity: MemberExpr::Made(Generator::Uuid { version: '4' }, false),
            slots: vec![
                (slot("id"), MemberExpr::Unknown),
                (slot("name"), MemberExpr::Fixed(Value::from("default"))),
                (slot("pool"), after("id")),
            ],
        };
        let effects = vec![EffectRule::Companion(Box::new(rule))];
        let derived = Derived { types: vec![kind(), kind()], effects, ..Derived::default() };
        let was = World::default();
        let parent = Entity::new("/pools", "a b", value(r#"{"id":"a b"}"#));
        let mut world = was.clone();
        world.set_entity(0, parent.clone());
        let done = Done::by((0, 0), None, Some(&parent), &was);
        companions(&derived, &mut world, &done, &mut LiveMaker::new(&derived, &was, ("state", "tool")));
        let queues: Vec<_> = world.collection(1, "/pools/a%20b/queues").unwrap().iter().cloned().collect();
        assert_eq!(queues.len(), 1);
        assert_eq!(queues[0].fields.get("pool"), Some(&Value::from("a b")));
        assert_eq!(queues[0].fields.get("name"), Some(&Value::from("default")));
        assert_eq!(queues[0].fields.get("id").and_then(Value::as_str), Some(queues[0].id.as_ref()));
    }
}
