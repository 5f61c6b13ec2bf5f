//! Where answers hold entities: the list rule, item envelopes, and the sightings of entities in recordings.

use super::line::scalar_text;
use super::observe::{Observed, Seen};
use super::path::{MemberPath, Step};
use super::types::{Place, Shape, Slot};
use crate::capture::is_success;
use crate::json::{Object, Value, push_token};
use crate::manifest::Tool;

/// Names in the order in which an identity is preferred when nothing else decides (`derivation.md`, Observe 2).
pub const IDENTITY_NAMES: [&str; 8] = ["id", "uid", "uuid", "guid", "_id", "slug", "key", "name"];

/// What the answers of a read tool are, from all its 2xx JSON answers.
pub fn shape_of(tool: &Tool, tool_index: usize, observed: &Observed) -> Shape {
    let answers: Vec<(&Seen, &Value)> = observed
        .of_tool(tool_index)
        .filter(|seen| is_success(seen.status))
        .filter_map(|seen| seen.body.as_deref().map(|body| (seen, body)))
        .collect();
    if answers.is_empty() {
        return Shape::None;
    }
    // A read whose other answers are bare words ("OK") is also used to act: what it shows is in the rest.
    let telling: Vec<(&Seen, &Value)> = answers
        .iter()
        .filter(|(_, value)| value.as_object().is_some() || value.as_array().is_some())
        .copied()
        .collect();
    let answers = if telling.is_empty() { answers } else { telling };
    // What each response makes anew is no part of what it shows.
    let made = observed.per_response.get(tool_index).map(Vec::as_slice).unwrap_or_default();
    let without = |value: &Value| -> Option<Value> {
        let object = value.as_object().filter(|_| !made.is_empty())?;
        let kept = object.iter().filter(|(name, _)| !made.iter().any(|(at, _)| is_root_pointer(at, name.as_str())));
        Some(kept.cloned().collect::<Object>().into())
    };
    let bare: Vec<Option<Value>> = answers.iter().map(|(_, value)| without(value)).collect();
    let answers: Vec<(&Seen, &Value)> =
        answers.iter().zip(&bare).map(|((seen, value), bare)| (*seen, bare.as_ref().unwrap_or(value))).collect();
    if let Some(item) = item_shape(tool, &answers) {
        return item;
    }
    if let Some((place, keyed)) = list_place(&answers.iter().map(|(_, value)| *value).collect::<Vec<_>>()) {
        return Shape::List { place, keyed };
    }
    if bare_and_paged(&answers.iter().map(|(_, value)| *value).collect::<Vec<_>>()) {
        return Shape::List { place: Vec::new(), keyed: false };
    }
    Shape::Document
}

/// Whether a pointer is that of a member of the root.
fn is_root_pointer(pointer: &str, name: Option<&str>) -> bool {
    let mut own = String::new();
    name.is_some_and(|name| {
        push_token(&mut own, name);
        own == pointer
    })
}

/// The place of the list in all answers: the root array, or the one array of objects that an object envelope carries,
/// one or two levels down; an object keyed by identity. Answers where it is empty or missing agree with any place.
pub fn list_place(values: &[&Value]) -> Option<(Place, bool)> {
    let mut found: Option<Place> = None;
    let mut any_root_array = false;
    for value in values {
        if value.as_array().is_some() {
            any_root_array = true;
        }
        match place_in(value) {
            Ok(Some(place)) => match &found {
                None => found = Some(place),
                Some(held) if *held == place => {}
                Some(_) => return None,
            },
            Ok(None) => {}
            Err(()) => return None,
        }
    }
    if let Some(place) = found {
        let agrees = values.iter().all(|value| match at_place(value, &place) {
            Some(inner) => inner.as_array().is_some() || inner.is_null(),
            None => value.as_object().is_some(),
        });
        return agrees.then_some((place, false));
    }
    if any_root_array {
        return None;
    }
    keyed_object(values).then(|| (Vec::new(), true))
}

/// Whether some answers are a bare array of objects and all others an object around one list: an application that puts a
/// list into an envelope once a page is asked for.
fn bare_and_paged(values: &[&Value]) -> bool {
    let (bare, around): (Vec<&Value>, Vec<&Value>) = values.iter().partition(|value| value.as_array().is_some());
    !around.is_empty()
        && bare.iter().any(|value| value.as_array().is_some_and(holds_objects))
        && list_place(&bare).is_some_and(|(place, _)| place.is_empty())
        && list_place(&around).is_some_and(|(place, keyed)| !place.is_empty() && !keyed)
}

/// `Err` when an answer holds two candidate arrays.
fn place_in(value: &Value) -> Result<Option<Place>, ()> {
    if let Some(items) = value.as_array() {
        return Ok(holds_objects(items).then(Vec::new));
    }
    let Some(object) = value.as_object() else { return Ok(None) };
    let direct = arrays_of_objects(object);
    match direct.len() {
        1 => return Ok(Some(vec![direct[0].into()])),
        0 => {}
        _ => return Err(()),
    }
    let mut nested = Vec::new();
    for (name, inner) in object {
        if let (Some(name), Some(inner)) = (name.as_str(), inner.as_object()) {
            nested.extend(arrays_of_objects(inner).into_iter().map(|array| vec![name.into(), array.into()]));
        }
    }
    match nested.len() {
        0 => Ok(None),
        1 => Ok(nested.pop()),
        _ => Err(()),
    }
}

fn arrays_of_objects(object: &Object) -> Vec<&str> {
    object
        .iter()
        .filter(|(_, value)| value.as_array().is_some_and(holds_objects))
        .filter_map(|(name, _)| name.as_str())
        .collect()
}

fn holds_objects(items: &[Value]) -> bool {
    !items.is_empty() && items.iter().all(|item| item.as_object().is_some())
}

/// An object whose members are entities under their identity: all members are objects of one shape, and the names look
/// like identifiers or are what each entity holds in one and the same member.
fn keyed_object(values: &[&Value]) -> bool {
    let objects: Vec<&Object> = values.iter().filter_map(|value| value.as_object()).collect();
    if objects.len() != values.len() || objects.iter().all(|object| object.is_empty()) {
        return false;
    }
    let entities: Vec<(&str, &Object)> = objects
        .iter()
        .flat_map(|object| object.iter())
        .filter_map(|(name, value)| Some((name.as_str()?, value.as_object()?)))
        .collect();
    let total: usize = objects.iter().map(|object| object.len()).sum();
    if entities.len() != total || entities.len() < 2 {
        return false;
    }
    let first: Vec<&str> = entities[0].1.iter().filter_map(|(name, _)| name.as_str()).collect();
    let alike = entities.iter().all(|(_, entity)| {
        let shared = first.iter().filter(|name| entity.contains(name)).count();
        shared * 4 >= first.len().max(entity.len()) * 3
    });
    let identifiers = |(name, _): &(&str, &Object)| {
        crate::manifest::SegmentFormat::of(name).is_some()
            || name.len() >= 8 && name.bytes().any(|byte| byte.is_ascii_digit())
    };
    let holds = |member: &str, (name, entity): &(&str, &Object)| {
        entity.get(member).and_then(Value::as_str).is_some_and(|text| text == *name)
    };
    let held = || first.iter().any(|member| entities.iter().all(|entity| holds(member, entity)));
    alike && (entities.iter().all(identifiers) || held())
}

/// The value at a place.
pub fn at_place<'a>(value: &'a Value, place: &[Box<str>]) -> Option<&'a Value> {
    place.iter().try_fold(value, |at, name| at.get(name))
}

fn item_shape(tool: &Tool, answers: &[(&Seen, &Value)]) -> Option<Shape> {
    let mut places: Vec<(Place, bool)> = Vec::new();
    if answers.iter().all(|(_, value)| value.as_object().is_some()) {
        places.push((Vec::new(), false));
        let mut place: Place = Vec::new();
        while place.len() < 2 {
            let names: Vec<Option<&str>> = answers
                .iter()
                .map(|(_, value)| {
                    let object = at_place(value, &place)?.as_object()?;
                    (object.len() == 1).then(|| object.iter().next()).flatten().and_then(|(name, _)| name.as_str())
                })
                .collect();
            let Some(Some(first)) = names.first() else { break };
            if names.iter().any(|name| name != &Some(*first)) {
                break;
            }
            place.push((*first).into());
            let all =
                |test: fn(&Value) -> bool| answers.iter().all(|(_, value)| at_place(value, &place).is_some_and(test));
            if all(|inner| inner.as_object().is_some()) {
                places.push((place.clone(), false));
            } else {
                if all(|inner| inner.as_array().is_some_and(|items| items.len() == 1 && holds_objects(items))) {
                    places.push((place.clone(), true));
                }
                break;
            }
        }
    }
    places.extend(
        enveloped(answers)
            .into_iter()
            .filter(|place| same_around(answers, place))
            .filter(|place| !places.iter().any(|(held, _)| held == place))
            .map(|place| (place, false))
            .collect::<Vec<_>>(),
    );
    let parameters = tool.parameters.len();
    let last_is_parameter = tool.parameters.last().is_some_and(|parameter| {
        let segments = &tool.template.segments;
        let trailing = segments
            .last()
            .is_some_and(|segment| matches!(segment, crate::manifest::Segment::Literal(text) if text.is_empty()));
        parameter.segment + 1 + usize::from(trailing) == segments.len()
    });
    let lists = list_place(&answers.iter().map(|(_, value)| *value).collect::<Vec<_>>()).is_some();
    // An entity holds its identity itself; only when none does, one level further down.
    for (depth, (place, one_element)) in (1..=2).flat_map(|depth| places.iter().map(move |place| (depth, place))) {
        let one_element = *one_element;
        let entity = |value: &Value| -> Option<Value> { entity_at(value, place, one_element).cloned() };
        let entities: Vec<(&Seen, Value)> =
            answers.iter().filter_map(|(seen, value)| Some((*seen, entity(value)?))).collect();
        if entities.len() != answers.len() {
            continue;
        }
        let mut address = Vec::new();
        let mut also = Vec::new();
        for index in 0..parameters {
            let name = tool.parameters[index].name.as_str();
            let equal = addressed_by(&entities, name, |seen| seen.parameters.get(index).cloned());
            if let Some(path) = equal {
                address.push((Slot::Path(index), path));
            } else if index + 1 == parameters && depth == 1 {
                also = addressed_by_either(&entities, |seen| seen.parameters.get(index).cloned());
                if let Some(first) = also.first() {
                    address.push((Slot::Path(index), first.clone()));
                }
            }
        }
        let near = address.last().is_some_and(|(_, path)| path.0.len() <= depth);
        let last_addressed =
            near && address.last().is_some_and(|(slot, _)| *slot == Slot::Path(parameters.wrapping_sub(1)));
        if parameters > 0 && last_is_parameter && last_addressed {
            return Some(Shape::Item { place: place.clone(), one_element, address, also });
        }
        let is_list = lists && place.is_empty();
        if !(last_is_parameter || one_element || is_list) {
            // Every parameter names a member: an item behind a word (`/artifacts/{key}/latest`).
            if parameters > 0 && address.len() == parameters && near {
                return Some(Shape::Item { place: place.clone(), one_element, address, also: Vec::new() });
            }
            if let Some(address) = key_address(&entities, address)
                && address.iter().all(|(_, path)| path.0.len() <= depth)
            {
                return Some(Shape::Item { place: place.clone(), one_element, address, also: Vec::new() });
            }
        }
    }
    None
}

/// Members of the root that hold an object in every answer beside members that hold no scalar (`{data: {…}, meta: {}}`).
fn enveloped(answers: &[(&Seen, &Value)]) -> Vec<Place> {
    let Some(first) = answers.first().and_then(|(_, value)| value.as_object()) else { return Vec::new() };
    first
        .iter()
        .filter_map(|(name, _)| name.as_str())
        .filter(|name| {
            answers.iter().all(|(_, value)| {
                value.as_object().is_some_and(|object| {
                    object.get(name).is_some_and(|inner| inner.as_object().is_some_and(|inner| inner.len() > 1))
                        && object.iter().all(|(_, other)| {
                            other.is_null() || other.as_object().is_some() || other.as_array().is_some()
                        })
                })
            })
        })
        .map(|name| vec![name.into()])
        .collect()
}

/// Whether what surrounds a place is the same in every answer. What varies with the entity is part of it.
fn same_around(answers: &[(&Seen, &Value)], place: &[Box<str>]) -> bool {
    let [name] = place else { return true };
    let around = |value: &Value| -> Vec<(String, Value)> {
        let members = value.as_object().into_iter().flatten();
        members
            .filter_map(|(member, inner)| Some((member.as_str()?.to_owned(), inner.clone())))
            .filter(|(member, _)| **member != **name)
            .collect()
    };
    let mut all = answers.iter().map(|(_, value)| around(value));
    let Some(first) = all.next() else { return true };
    all.all(|other| {
        other.len() == first.len() && other.iter().zip(&first).all(|((a, one), (b, held))| a == b && one.same_as(held))
    })
}

/// An identity that is only in the line: keys that every call names and that equal members of the answer.
fn key_address(entities: &[(&Seen, Value)], mut address: Vec<(Slot, MemberPath)>) -> Option<Vec<(Slot, MemberPath)>> {
    let first = entities.first()?.0.line.as_ref()?;
    let mut any = false;
    // As the callers spell it: what an entity is in comes before what it is called there.
    let place = |key: &str| first.in_order.iter().position(|(name, _)| name == key).unwrap_or(usize::MAX);
    let mut keys: Vec<&String> = first.params.iter().map(|param| &param.key).collect();
    keys.sort_by_key(|key| place(key));
    for key in keys.into_iter().cloned() {
        let everywhere =
            entities.iter().all(|(seen, _)| seen.line.as_ref().is_some_and(|line| line.get(&key).is_some()));
        if !everywhere {
            continue;
        }
        let distinct: std::collections::BTreeSet<_> =
            entities.iter().filter_map(|(seen, _)| Some(seen.line.as_ref()?.get(&key)?.text.clone())).collect();
        if distinct.len() < 2 {
            continue;
        }
        let name = key.rsplit('/').next().unwrap_or(&key).to_owned();
        let path = addressed_by(entities, &name, |seen| Some(seen.line.as_ref()?.get(&key)?.text.clone()));
        if let Some(path) = path {
            address.push((Slot::Key(key), path));
            any = true;
        }
    }
    any.then_some(address)
}

/// The member, one or two levels deep, whose text equals the slot in every entity; by name, then by the identity order.
fn addressed_by(entities: &[(&Seen, Value)], name: &str, slot: impl Fn(&Seen) -> Option<String>) -> Option<MemberPath> {
    let (seen, first) = entities.first()?;
    let wanted = slot(seen)?;
    let mut candidates: Vec<MemberPath> = Vec::new();
    for (member, value) in first.as_object()? {
        let Some(member) = member.as_str() else { continue };
        if scalar_text(value).is_some_and(|text| text == wanted) {
            candidates.push(MemberPath::member(member));
        }
        if let Some(inner) = value.as_object() {
            for (deep, value) in inner {
                if let Some(deep) = deep.as_str()
                    && scalar_text(value).is_some_and(|text| text == wanted)
                {
                    candidates.push(MemberPath(vec![Step::Member(member.into()), Step::Member(deep.into())]));
                }
            }
        }
    }
    candidates.retain(|path| {
        entities.iter().all(|(seen, entity)| {
            let wanted = slot(seen);
            wanted.is_some() && path.direct(entity).and_then(scalar_text) == wanted
        })
    });
    let rank = |path: &MemberPath| {
        let last = path.last_name().unwrap_or_default();
        let named = usize::from(last != name);
        let order = IDENTITY_NAMES.iter().position(|known| *known == last).unwrap_or(IDENTITY_NAMES.len());
        (path.0.len(), named, order)
    };
    candidates.into_iter().min_by_key(rank)
}

/// Two members of which one equals the slot in every entity: an entity that is addressed by its identity and by its name.
/// The member earlier in the identity order is first.
fn addressed_by_either(entities: &[(&Seen, Value)], slot: impl Fn(&Seen) -> Option<String>) -> Vec<MemberPath> {
    let equal = |entity: &Value, path: &MemberPath, seen: &Seen| {
        slot(seen).is_some_and(|wanted| path.direct(entity).and_then(scalar_text) == Some(wanted))
    };
    let mut names: Vec<MemberPath> = Vec::new();
    for (seen, entity) in entities {
        for (name, _) in entity.as_object().into_iter().flatten() {
            let Some(path) = name.as_str().map(MemberPath::member) else { continue };
            if !names.contains(&path) && equal(entity, &path, seen) {
                names.push(path);
            }
        }
    }
    names.sort_by_key(|path| {
        IDENTITY_NAMES.iter().position(|known| path.last_name() == Some(known)).unwrap_or(IDENTITY_NAMES.len())
    });
    for (at, one) in names.iter().enumerate() {
        for other in &names[at + 1..] {
            if entities.iter().all(|(seen, entity)| equal(entity, one, seen) || equal(entity, other, seen)) {
                return vec![one.clone(), other.clone()];
            }
        }
    }
    Vec::new()
}

/// The entity of an item answer.
pub fn entity_at<'a>(value: &'a Value, place: &[Box<str>], one_element: bool) -> Option<&'a Value> {
    let inner = at_place(value, place)?;
    let entity = if one_element {
        match inner.as_array()? {
            [only] => only,
            _ => return None,
        }
    } else {
        inner
    };
    entity.as_object().map(|_| entity)
}

/// The listed entities of a list answer with their keys (of a keyed list). A missing list is empty.
pub fn listed_at<'a>(value: &'a Value, place: &[Box<str>], keyed: bool) -> Vec<(Option<&'a str>, &'a Value)> {
    let Some(inner) = at_place(value, place) else { return Vec::new() };
    if keyed {
        return inner
            .as_object()
            .map(|object| object.iter().map(|(name, value)| (name.as_str(), value)).collect())
            .unwrap_or_default();
    }
    // A list that is bare elsewhere, in the envelope of a page.
    if place.is_empty() && inner.as_object().is_some() {
        let place = place_in(inner).ok().flatten().or_else(|| only_array(inner));
        return match place {
            Some(place) if !place.is_empty() => listed_at(inner, &place, false),
            _ => Vec::new(),
        };
    }
    inner.as_array().map(|items| items.iter().map(|item| (None, item)).collect()).unwrap_or_default()
}

/// The one array member of an object: an empty list in an envelope.
pub fn only_array(value: &Value) -> Option<Place> {
    let mut arrays = value.as_object()?.iter().filter(|(_, inner)| inner.as_array().is_some());
    let (name, _) = arrays.next()?;
    if arrays.next().is_some() {
        return None;
    }
    Some(vec![name.as_str()?.into()])
}
