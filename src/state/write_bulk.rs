//! Bulk calls: one call that is about several entities, as so many single calls of the same tool. What a single call does
//! is the plan's; this says how a body falls apart and how the answers come together.

use super::derived::Derived;
use super::entity::at_place;
use super::envelope::set_at;
use super::line::scalar_text;
use super::slot::merged;
use super::store::World;
use super::types::Place;
use super::write_apply::{Maker, Write, Written, apply_one};
use super::write_plan::WritePlan;
use super::write_refuse::WriteRefusal;
use crate::json::{Object, Value};

/// How a body falls apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Split {
    /// A list of identities under this member: each goes with the other members.
    Ids(Box<str>),
    /// A list of objects: the whole body, or the only member, of this name.
    Items(Option<Box<str>>),
    /// A list of identities is the whole body: each under this name (Directus).
    Bare(Box<str>),
}

/// How the answers come together.
#[derive(Clone, Debug, PartialEq)]
pub enum Joined {
    /// The recorded answer, whatever was sent.
    Recorded,
    /// A list of the single answers at a place of the recorded answer; `true` where a single call's answer holds its own
    /// at that place, too (Directus: `{"data": {…}}` and `{"data": [{…}, {…}]}`).
    Each(Place, Value, bool),
    /// The recorded answer with how many there were at these places.
    Counted(Vec<Place>, Value),
    /// The recorded answer, with a list at a place whose items are told apart by this member and show what is held.
    Among(Place, Box<str>, Value),
}

/// What a tool does with a body that falls apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Bulk {
    /// How it falls apart.
    pub split: Split,
    /// Its answer.
    pub joined: Joined,
    /// Index of the record whose status and content type it answers with.
    pub record: usize,
}

impl Split {
    /// The bodies of the single calls; `None` for a body that does not fall apart.
    pub(super) fn parts(&self, body: &Value) -> Option<Vec<Value>> {
        let objects = |items: &[Value]| {
            let all = !items.is_empty() && items.iter().all(|item| item.as_object().is_some());
            all.then(|| items.to_vec())
        };
        match self {
            Self::Items(None) => objects(body.as_array()?),
            Self::Items(Some(name)) => {
                objects(body.as_object().filter(|object| object.len() == 1)?.get(name)?.as_array()?)
            }
            Self::Bare(name) => {
                let ids = body.as_array().filter(|ids| !ids.is_empty())?;
                let single =
                    |id: &Value| scalar_text(id).map(|_| Value::Object(Object::new().with(name.as_ref(), id.clone())));
                ids.iter().map(single).collect()
            }
            Self::Ids(name) => {
                let object = body.as_object()?;
                let single = |id: &Value| {
                    let mut single: Object = object.clone();
                    single.set(name.as_ref(), id.clone());
                    Value::Object(single)
                };
                let ids = object.get(name)?.as_array().filter(|ids| !ids.is_empty())?;
                Some(ids.iter().map(single).collect())
            }
        }
    }
}

/// Applies a bulk call: all of its single calls, or none.
///
/// # Errors
/// As its single calls; an entity that is absent.
pub(super) fn apply_bulk(
    derived: &Derived,
    world: &World,
    (plan, bulk): (&WritePlan, &Bulk),
    (write, parts): (&Write<'_>, &[Value]),
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let mut next = world.clone();
    let mut ids = Vec::with_capacity(parts.len());
    let mut bodies = Vec::with_capacity(parts.len());
    let (mut generated, mut recorded) = (Vec::new(), Vec::new());
    let mut first: Option<Written> = None;
    for body in parts {
        let single = Write { body: Some(body), ..*write };
        let written = apply_one(derived, &next, plan, &single, maker)?;
        let Some(changed) = &written.world else { return Err(WriteRefusal::target(plan)) };
        next = changed.clone();
        if let Joined::Each(place, _, wrapped) = &bulk.joined {
            let inside: String = place.iter().map(|name| format!("/{name}")).collect();
            let at = format!("{inside}/{}", bodies.len());
            let outside = if *wrapped { inside.as_str() } else { "" };
            let moved = |pointer: &str| {
                let inner = pointer.strip_prefix(outside)?;
                (inner.is_empty() || inner.starts_with('/')).then(|| format!("{at}{inner}"))
            };
            generated.extend(written.generated.iter().filter_map(|(pointer, kind)| Some((moved(pointer)?, *kind))));
            recorded.extend(written.recorded.iter().filter_map(|pointer| moved(pointer)));
            let own = written.body.as_ref();
            let own = if *wrapped { own.and_then(|body| at_place(body, place)) } else { own };
            bodies.push(own.cloned().unwrap_or_default());
        }
        if let super::evaluate::StateTarget::Item { id, .. } = &written.target {
            ids.push(id.clone());
        }
        first.get_or_insert(written);
    }
    let first = first.ok_or_else(|| WriteRefusal::target(plan))?;
    // One call is one write, however many entities it is about.
    let writes = world.made().writes;
    if next.made().writes > writes + 1 {
        next.made_mut().writes = writes + 1;
    }
    let body = match &bulk.joined {
        Joined::Recorded => None,
        Joined::Each(place, frame, _) => Some(with(frame, std::slice::from_ref(place), &Value::Array(bodies))),
        Joined::Among(place, key, frame) => Some(among_held(&next, plan.target.entity_type, (place, key), frame)),
        Joined::Counted(places, frame) => Some(with(frame, places, &Value::from(parts.len()))),
    };
    Ok(Written { world: Some(next), record: bulk.record, body, ids, generated, recorded, ..first })
}

/// A recorded answer with a value at places.
pub(super) fn with(frame: &Value, places: &[Place], value: &Value) -> Value {
    let mut body = frame.clone();
    for place in places {
        set_at(&mut body, place, Some(value.clone()));
    }
    body
}

/// A recorded answer whose listed items show what is held of them.
fn among_held(world: &World, kind: usize, (place, key): (&Place, &str), frame: &Value) -> Value {
    let items = at_place(frame, place).and_then(Value::as_array).unwrap_or_default();
    let shown = items.iter().map(|item| {
        let id = item.get(key).and_then(scalar_text);
        let held = id.and_then(|id| world.named(kind, &id).next().map(|held| merged(held)));
        let (Some(held), Some(members)) = (held, item.as_object()) else { return item.clone() };
        let now = |(name, value): &(crate::json::Text, Value)| {
            let held = name.as_str().and_then(|name| held.get(name));
            (name.clone(), held.unwrap_or(value).clone())
        };
        Value::Object(members.iter().map(now).collect())
    });
    let list: Value = shown.collect();
    with(frame, std::slice::from_ref(place), &list)
}

/// The way of answers that list more than the call was about: what was sent is among it, and nothing else changes. Each
/// call with its single calls and its body; `key` tells the items apart.
pub(super) fn among(calls: &[(Vec<Value>, Option<&Value>)], key: &str) -> Option<Joined> {
    let first = calls.first()?.1?;
    let mut places: Vec<Place> = vec![Vec::new()];
    let names = first.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str());
    places.extend(names.map(|name| vec![Box::from(name)]));
    let sent: Vec<String> =
        calls.iter().flat_map(|(parts, _)| parts).filter_map(|part| scalar_text(part.get(key)?)).collect();
    let keyed = |list: &[Value]| -> Option<Vec<String>> {
        list.iter().map(|item| item.as_object().and_then(|item| scalar_text(item.get(key)?))).collect()
    };
    places.into_iter().find_map(|place| {
        let list = |body: Option<&Value>| at_place(body?, &place)?.as_array().map(<[Value]>::to_vec);
        let bare = |body: &Value| with(body, std::slice::from_ref(&place), &Value::Null);
        let shown = list(Some(first))?;
        let keys = keyed(&shown)?;
        let holds = calls.iter().all(|(parts, body)| {
            let (Some(items), Some(body)) = (list(*body), body) else { return false };
            let still = items
                .iter()
                .zip(&shown)
                .zip(&keys)
                .all(|((item, first), key)| sent.contains(key) || item.same_as(first));
            let stored = parts.iter().all(|part| {
                let id = part.get(key).and_then(scalar_text);
                let at = keys.iter().position(|held| Some(held) == id.as_ref());
                at.and_then(|at| items.get(at)).zip(part.as_object()).is_some_and(|(item, part)| {
                    part.iter().all(|(name, value)| {
                        name.as_str().and_then(|name| item.get(name)).is_some_and(|held| held.same_as(value))
                    })
                })
            });
            keyed(&items).as_ref() == Some(&keys) && bare(body).same_as(&bare(first)) && still && stored
        });
        (holds && calls.len() > 1).then(|| Joined::Among(place.clone(), key.into(), first.clone()))
    })
}

/// How recorded answers come together: each with the number of single calls, and its body. `None` where no way fits.
pub(super) fn joined(calls: &[(usize, Option<&Value>)]) -> Option<Joined> {
    let (_, first) = *calls.first()?;
    let bodies: Option<Vec<(usize, &Value)>> = calls.iter().map(|(count, body)| Some((*count, (*body)?))).collect();
    let Some(bodies) = bodies else {
        return calls.iter().all(|(_, body)| body.is_none()).then_some(Joined::Recorded);
    };
    let first = first?;
    let mut places: Vec<Place> = vec![Vec::new()];
    let names = first.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str());
    places.extend(names.map(|name| vec![Box::from(name)]));
    let at = |body: &Value, place: &Place| super::entity::at_place(body, place).cloned();
    let alike = |places: &[Place]| {
        let bare = |body: &Value| with(body, places, &Value::Null);
        bodies.iter().all(|(_, body)| bare(body).same_as(&bare(first)))
    };
    for place in &places {
        let lists = bodies.iter().all(|(count, body)| {
            at(body, place).is_some_and(|list| list.as_array().is_some_and(|items| items.len() == *count))
        });
        if lists && alike(std::slice::from_ref(place)) {
            return Some(Joined::Each(place.clone(), with(first, std::slice::from_ref(place), &Value::Null), false));
        }
    }
    let counts = |place: &Place| {
        let number = |value: Value| value.as_number().map(|number| number.to_f64());
        #[allow(clippy::cast_precision_loss)]
        bodies.iter().all(|(count, body)| at(body, place).and_then(number) == Some(*count as f64))
    };
    let counted: Vec<Place> = places.iter().filter(|place| counts(place)).cloned().collect();
    // One and the same number may be about something else.
    let telling = bodies.iter().any(|(count, _)| *count > 1);
    if !counted.is_empty() && telling && alike(&counted) {
        return Some(Joined::Counted(counted, first.clone()));
    }
    bodies.iter().all(|(_, body)| body.same_as(first)).then_some(Joined::Recorded)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case(Split::Ids("ids".into()), r#"{"ids":[1,"b"],"read":true}"#, &[r#"{"ids":1,"read":true}"#, r#"{"ids":"b","read":true}"#])]
    #[case(Split::Ids("ids".into()), r#"{"ids":[]}"#, &[])]
    #[case(Split::Ids("ids".into()), r#"{"ids":1}"#, &[])]
    #[case(Split::Bare("id".into()), r#"[1,"b"]"#, &[r#"{"id":1}"#, r#"{"id":"b"}"#])]
    #[case(Split::Bare("id".into()), r#"[1,{}]"#, &[])]
    #[case(Split::Bare("id".into()), r#"[]"#, &[])]
    #[case(Split::Items(None), r#"[{"a":1},{"a":2}]"#, &[r#"{"a":1}"#, r#"{"a":2}"#])]
    #[case(Split::Items(None), r#"[1]"#, &[])]
    #[case(Split::Items(None), r#"{"a":1}"#, &[])]
    #[case(Split::Items(Some("rows".into())), r#"{"rows":[{"a":1}]}"#, &[r#"{"a":1}"#])]
    #[case(Split::Items(Some("rows".into())), r#"{"rows":[{"a":1}],"more":1}"#, &[])]
    fn bodies_fall_apart(#[case] split: Split, #[case] body: &str, #[case] expected: &[&str]) {
        let parts = split.parts(&value(body)).unwrap_or_default();
        assert_eq!(parts.iter().map(Value::to_compact).collect::<Vec<_>>(), expected);
    }

    #[rstest]
    #[case::no_body(&[(2, None), (1, None)], Some(Joined::Recorded))]
    #[case::same(&[(2, Some(r#"{"ok":true}"#)), (1, Some(r#"{"ok":true}"#))], Some(Joined::Recorded))]
    #[case::list(&[(2, Some("[1,2]")), (1, Some("[3]"))], Some(Joined::Each(Vec::new(), Value::Null, false)))]
    #[case::inside(
        &[(2, Some(r#"{"rows":[1,2]}"#))],
        Some(Joined::Each(vec!["rows".into()], Value::Object(Object::new().with("rows", Value::Null)), false))
    )]
    #[case::counted(
        &[(2, Some(r#"{"deleted":2}"#)), (1, Some(r#"{"deleted":1}"#))],
        Some(Joined::Counted(vec![vec!["deleted".into()]], Value::Object(Object::new().with("deleted", 2usize))))
    )]
    #[case::once_one(&[(1, Some(r#"{"deleted":1}"#))], Some(Joined::Recorded))]
    #[case::neither(&[(2, Some(r#"{"at":7}"#)), (1, Some(r#"{"at":8}"#))], None)]
    #[case::sometimes(&[(2, Some("{}")), (1, None)], None)]
    fn answers_come_together(#[case] calls: &[(usize, Option<&str>)], #[case] expected: Option<Joined>) {
        let bodies: Vec<(usize, Option<Value>)> = calls.iter().map(|(count, body)| (*count, body.map(value))).collect();
        let calls: Vec<(usize, Option<&Value>)> = bodies.iter().map(|(count, body)| (*count, body.as_ref())).collect();
        assert_eq!(joined(&calls), expected);
    }
}
