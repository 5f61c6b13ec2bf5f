//! Types: which read tools show the same entities, what identifies one, and where its home collection is
//! (`derivation.md`, Observe 2).

use super::entity::{IDENTITY_NAMES, entity_at, listed_at};
use super::line::scalar_text;
use super::observe::{Observed, Seen};
use super::path::MemberPath;
use super::types::{EntityType, Shape, Slot};
use crate::json::Value;
use crate::manifest::{Manifest, Segment, Template};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::{BTreeMap, HashMap, HashSet};

/// An entity as one recording showed it.
#[derive(Clone, Debug)]
pub struct Sighting<'a> {
    /// The call, as an index into the observed calls.
    pub seen: usize,
    /// Its place in the list.
    pub position: usize,
    /// The member name it stands under, in a keyed list.
    pub key: Option<&'a str>,
    /// What was shown.
    pub value: &'a Value,
}

/// The read tools of one type.
#[derive(Clone, Debug)]
pub struct Kind {
    /// The type.
    pub entity_type: EntityType,
    /// The tools that show it.
    pub tools: Vec<usize>,
}

type Key = Vec<MemberPath>;

/// All sightings of a tool's 2xx answers, in timeline order.
pub fn sightings<'a>(tool: usize, shape: &Shape, observed: &'a Observed) -> Vec<Sighting<'a>> {
    let mut found = Vec::new();
    for &index in observed.by_tool.get(tool).into_iter().flatten() {
        let seen = &observed.seen[index];
        if !(200..300).contains(&seen.status) {
            continue;
        }
        let Some(body) = seen.body.as_deref() else { continue };
        match shape {
            Shape::Item { place, one_element, .. } => {
                if let Some(value) = entity_at(body, place, *one_element) {
                    found.push(Sighting { seen: index, position: 0, key: None, value });
                }
            }
            Shape::List { place, keyed } => {
                for (position, (key, value)) in listed_at(body, place, *keyed).into_iter().enumerate() {
                    found.push(Sighting { seen: index, position, key, value });
                }
            }
            _ => {}
        }
    }
    found
}

/// The text of a key in a sighting; `None` when a part is missing.
fn key_text(sighting: &Sighting<'_>, key: &Key) -> Option<String> {
    let mut text = String::new();
    for path in key {
        let part = if path.0.is_empty() {
            sighting.key?.to_owned()
        } else {
            match path.direct(sighting.value)?.plain() {
                Value::Null | Value::Bool(_) => return None,
                value => scalar_text(value)?,
            }
        };
        if !text.is_empty() {
            text.push('\u{0}');
        }
        text.push_str(&part);
    }
    Some(text)
}

/// Finds the types of the read tools.
pub fn find_types(manifest: &Manifest, shapes: &[Shape], observed: &Observed) -> Vec<Kind> {
    let sources: Vec<usize> =
        (0..shapes.len()).filter(|tool| matches!(shapes[*tool], Shape::Item { .. } | Shape::List { .. })).collect();
    let shown: HashMap<usize, Vec<Sighting<'_>>> =
        sources.iter().map(|tool| (*tool, sightings(*tool, &shapes[*tool], observed))).collect();
    let mut keys: BTreeMap<usize, Vec<Key>> = BTreeMap::new();
    for &tool in &sources {
        keys.insert(tool, candidate_keys(&shapes[tool], &shown[&tool]));
    }
    let tuples: Vec<Key> = sources
        .iter()
        .filter_map(|tool| match &shapes[*tool] {
            Shape::Item { address, .. } if address.len() > 1 => {
                Some(address.iter().map(|(_, path)| path.clone()).collect())
            }
            _ => None,
        })
        .collect();
    for &tool in &sources {
        if matches!(shapes[tool], Shape::List { .. }) {
            let more: Vec<Key> = tuples.iter().filter(|key| unique_in_lists(&shown[&tool], key)).cloned().collect();
            keys.entry(tool).or_default().extend(more);
        }
    }
    let mut group: HashMap<usize, usize> = sources.iter().map(|tool| (*tool, *tool)).collect();
    for (at, &a) in sources.iter().enumerate() {
        for &b in &sources[at + 1..] {
            let (root_a, root_b) = (root(&group, a), root(&group, b));
            if root_a != root_b && same_entities(manifest, a, b, &shapes[a], &shapes[b], &keys, &shown) {
                let (low, high) = (root_a.min(root_b), root_a.max(root_b));
                group.insert(high, low);
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &tool in &sources {
        members.entry(root(&group, tool)).or_default().push(tool);
    }
    members.into_values().filter_map(|tools| make_type(manifest, shapes, &keys, &shown, tools)).collect()
}

fn root(group: &HashMap<usize, usize>, mut tool: usize) -> usize {
    while let Some(&parent) = group.get(&tool) {
        if parent == tool {
            break;
        }
        tool = parent;
    }
    tool
}

/// Keys that identify the entities of one tool: the addresses of an item route; for a list, every scalar member that is
/// distinct in each recorded list.
fn candidate_keys(shape: &Shape, shown: &[Sighting<'_>]) -> Vec<Key> {
    match shape {
        Shape::Item { address, .. } => {
            let mut keys: Vec<Key> = address.last().map(|(_, path)| vec![path.clone()]).into_iter().collect();
            if address.len() > 1 {
                keys.push(address.iter().map(|(_, path)| path.clone()).collect());
            }
            for name in IDENTITY_NAMES {
                let key = vec![MemberPath::member(name)];
                if !keys.contains(&key) && shown.iter().all(|sighting| key_text(sighting, &key).is_some()) {
                    keys.push(key);
                }
            }
            keys
        }
        Shape::List { keyed: true, .. } => vec![vec![MemberPath::default()]],
        Shape::List { .. } => {
            let mut names: Vec<&str> = Vec::new();
            let mut known = HashSet::new();
            for sighting in shown {
                for (name, value) in sighting.value.as_object().into_iter().flatten() {
                    let scalar = matches!(value.plain(), Value::String(_) | Value::Number(_));
                    if let (true, Some(name)) = (scalar, name.as_str())
                        && known.insert(name)
                    {
                        names.push(name);
                    }
                }
            }
            let direct: Vec<Key> = names
                .into_iter()
                .map(|name| vec![MemberPath::member(name)])
                .filter(names_identity)
                .filter(|key| unique_in_lists(shown, key))
                .collect();
            if direct.is_empty() { inner_keys(shown) } else { direct }
        }
        _ => Vec::new(),
    }
}

/// Keys one level down, for entities that hold no scalar of their own (`{"info": {"id": 1}, "data": {}}`).
fn inner_keys(shown: &[Sighting<'_>]) -> Vec<Key> {
    let scalars = |sighting: &Sighting<'_>| {
        sighting
            .value
            .as_object()
            .into_iter()
            .flatten()
            .any(|(_, value)| value.as_object().is_none() && value.as_array().is_none())
    };
    if shown.iter().any(scalars) {
        return Vec::new();
    }
    super::path::scalar_paths(shown.iter().map(|sighting| sighting.value))
        .into_iter()
        .filter(|path| path.0.len() == 2 && !path.through_array())
        .map(|path| vec![path])
        .filter(names_identity)
        .filter(|key| unique_in_lists(shown, key))
        .collect()
}

/// Whether a member's name says that it identifies: one of the identity order, or a name that ends as they do. Others,
/// such as a date, are distinct by chance and equal by chance.
fn names_identity(key: &Key) -> bool {
    key.iter().filter_map(MemberPath::last_name).all(|name| {
        let lower = name.to_ascii_lowercase();
        ["id", "uuid", "guid", "slug", "key", "name", "email", "username", "login", "code"]
            .iter()
            .any(|ending| lower.ends_with(ending))
    })
}

/// Whether a key is distinct within every recorded list that shows it. Lists that leave it out do not count.
fn unique_in_lists(shown: &[Sighting<'_>], key: &Key) -> bool {
    let mut texts: HashSet<(usize, String)> = HashSet::new();
    let mut any = false;
    let mut missing: HashMap<usize, bool> = HashMap::new();
    for sighting in shown {
        match key_text(sighting, key) {
            Some(text) => {
                any = true;
                if missing.insert(sighting.seen, false) == Some(true) || !texts.insert((sighting.seen, text)) {
                    return false;
                }
            }
            None => {
                if missing.insert(sighting.seen, true) == Some(false) {
                    return false;
                }
            }
        }
    }
    any
}

/// First sighting by key text.
fn index<'a, 'b>(shown: &'b [Sighting<'a>], key: &Key) -> HashMap<String, &'b Sighting<'a>> {
    let mut map = HashMap::new();
    for sighting in shown {
        if let Some(text) = key_text(sighting, key) {
            map.entry(text).or_insert(sighting);
        }
    }
    map
}

/// Whether two tools show the same entities: identity values overlap and at least one more member agrees; or an item
/// route lies right under a list whose items hold its identity.
fn same_entities(
    manifest: &Manifest,
    a: usize,
    b: usize,
    shape_a: &Shape,
    shape_b: &Shape,
    keys: &BTreeMap<usize, Vec<Key>>,
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
) -> bool {
    let keyed = |shape: &Shape| matches!(shape, Shape::List { keyed: true, .. });
    let key_name = vec![MemberPath::default()];
    let pairs: Vec<(Key, Key)> = match (keyed(shape_a), keyed(shape_b)) {
        (true, true) => vec![(key_name.clone(), key_name)],
        (true, false) => keys[&b].iter().map(|key| (key_name.clone(), key.clone())).collect(),
        (false, true) => keys[&a].iter().map(|key| (key.clone(), key_name.clone())).collect(),
        (false, false) => keys[&a]
            .iter()
            .flat_map(|one| {
                keys[&b]
                    .iter()
                    .filter(move |other| one == *other || deeper(one, other))
                    .map(|o| (one.clone(), o.clone()))
            })
            .collect(),
    };
    let routed = under(manifest, a, b) || under(manifest, b, a);
    pairs.iter().any(|(key_a, key_b)| {
        let left = index(&shown[&a], key_a);
        let right = index(&shown[&b], key_b);
        let (mut agree, mut differ, mut overlap) = (0usize, 0usize, 0usize);
        for (text, one) in &left {
            let Some(other) = right.get(text) else { continue };
            overlap += 1;
            let (one, other) = (around(one.value, key_a, key_b), around(other.value, key_b, key_a));
            let (same, different) = agreement(one, other, key_a);
            agree += same;
            differ += different;
        }
        if overlap == 0 {
            return false;
        }
        (agree >= 1 && agree * 2 >= differ) || (routed && agree >= differ)
    })
}

/// Whether one key is the other one level down: the same member, of the only entity that an answer shows beside more.
fn deeper(one: &Key, other: &Key) -> bool {
    let ([one], [other]) = (one.as_slice(), other.as_slice()) else { return false };
    let lengths = (one.0.len(), other.0.len());
    (lengths == (1, 2) || lengths == (2, 1)) && one.last_name().is_some() && one.last_name() == other.last_name()
}

/// What is compared of a value: where its key lies deeper than the other's, the object that holds it.
fn around<'a>(value: &'a Value, key: &Key, other: &Key) -> &'a Value {
    match (key.as_slice(), other.as_slice()) {
        ([path], [outer]) if path.0.len() > outer.0.len() => {
            MemberPath(path.0[..path.0.len() - 1].to_vec()).direct(value).unwrap_or(value)
        }
        _ => value,
    }
}

/// Shared members, beside the key, that hold telling values: how many agree and how many do not.
fn agreement(one: &Value, other: &Value, key: &Key) -> (usize, usize) {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return (0, 0) };
    let (mut same, mut different) = (0, 0);
    for (name, value) in one {
        let Some(name) = name.as_str() else { continue };
        if key.iter().any(|path| path.0.len() <= 2 && path.last_name() == Some(name)) {
            continue;
        }
        let Some(held) = other.get(name) else { continue };
        match (value.plain(), held.plain()) {
            (Value::String(a), Value::String(b)) if !a.as_bytes().is_empty() && !b.as_bytes().is_empty() => {
                if a == b {
                    same += 1
                } else {
                    different += 1
                }
            }
            (Value::Number(a), Value::Number(b)) => {
                let telling = a.as_str().len() > 1 || b.as_str().len() > 1;
                if a.same_as(b) {
                    same += usize::from(telling);
                } else {
                    different += 1;
                }
            }
            // A key inside makes its neighbours telling.
            (Value::Object(_), Value::Object(_)) if key.iter().any(|path| path.0.len() == 2) => {
                let inner: Key = key.iter().map(|path| MemberPath(path.0[path.0.len() - 1..].to_vec())).collect();
                let (alike, unlike) = agreement(value, held, &inner);
                same += alike;
                different += unlike;
            }
            _ => {}
        }
    }
    (same, different)
}

/// Whether tool `item` is the item route right under the list tool `list`.
pub(super) fn under(manifest: &Manifest, list: usize, item: usize) -> bool {
    let list = trimmed(&manifest.tools[list].template);
    let item = trimmed(&manifest.tools[item].template);
    item.len() == list.len() + 1 && item[..list.len()] == list[..] && !matches!(item[list.len()], Segment::Literal(_))
}

fn trimmed(template: &Template) -> &[Segment] {
    match template.segments.split_last() {
        Some((Segment::Literal(text), rest)) if text.is_empty() && !rest.is_empty() => rest,
        _ => &template.segments,
    }
}

fn make_type(
    manifest: &Manifest,
    shapes: &[Shape],
    keys: &BTreeMap<usize, Vec<Key>>,
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
    tools: Vec<usize>,
) -> Option<Kind> {
    if tools.iter().all(|tool| shown[tool].is_empty()) {
        return None;
    }
    let home_item = home_item(manifest, shapes, shown, &tools);
    let identity = with_inner(identity_of(shapes, keys, shown, &tools, home_item)?, keys, &tools);
    let (template, parents) = match home_item {
        Some(tool) => {
            let segments = trimmed(&manifest.tools[tool].template);
            let template = Template { segments: segments[..segments.len() - 1].to_vec() };
            let Shape::Item { address, .. } = &shapes[tool] else { return None };
            let count = manifest.tools[tool].parameters.len().saturating_sub(1);
            let parents = (0..count)
                .map(|index| address.iter().find(|(slot, _)| *slot == Slot::Path(index)).map(|(_, path)| path.clone()))
                .collect();
            (template, parents)
        }
        None => {
            let list = tools
                .iter()
                .copied()
                .filter(|tool| matches!(shapes[*tool], Shape::List { .. }))
                .min_by_key(|tool| (manifest.tools[*tool].parameters.len(), usize::MAX - shown[tool].len(), *tool));
            let Some(list) = list else {
                // Items addressed only by the line: the item's own path is the collection.
                let tool = *tools.first()?;
                let template = Template { segments: trimmed(&manifest.tools[tool].template).to_vec() };
                let parents = vec![None; manifest.tools[tool].parameters.len()];
                return Some(Kind { entity_type: entity_type(template, identity, parents), tools });
            };
            let template = Template { segments: trimmed(&manifest.tools[list].template).to_vec() };
            (template, vec![None; manifest.tools[list].parameters.len()])
        }
    };
    Some(Kind { entity_type: entity_type(template, identity, parents), tools })
}

/// An identity with where other tools of the type hold it one level down.
fn with_inner(
    identity: MemberPath,
    keys: &BTreeMap<usize, Vec<Key>>,
    tools: &[usize],
) -> (MemberPath, Option<MemberPath>) {
    let paths = || tools.iter().flat_map(|tool| &keys[tool]).filter_map(|key| key.first().filter(|_| key.len() == 1));
    let other = |depth: usize| paths().find(|path| path.0.len() == depth && path.last_name() == identity.last_name());
    match identity.0.len() {
        1 => (identity.clone(), other(2).cloned()),
        2 => match other(1) {
            Some(outer) => (outer.clone(), Some(identity)),
            None => (identity, None),
        },
        _ => (identity, None),
    }
}

fn entity_type(
    template: Template,
    (identity, inner_identity): (MemberPath, Option<MemberPath>),
    parents: Vec<Option<MemberPath>>,
) -> EntityType {
    EntityType {
        collection_template: template.spelling(),
        template,
        identity,
        inner_identity,
        parents,
        representations: Vec::new(),
        made: Vec::new(),
    }
}

/// The item route that gives the type its home: addressed by its last path parameter, preferably right under a list of
/// the type, preferably by a member early in the identity order.
fn home_item(
    manifest: &Manifest,
    shapes: &[Shape],
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
    tools: &[usize],
) -> Option<usize> {
    tools
        .iter()
        .copied()
        .filter(|tool| match &shapes[*tool] {
            Shape::Item { address, .. } => {
                let last = manifest.tools[*tool].parameters.len().checked_sub(1);
                last.is_some_and(|last| address.last().is_some_and(|(slot, _)| *slot == Slot::Path(last)))
            }
            _ => false,
        })
        .min_by_key(|tool| {
            let listed =
                tools.iter().any(|list| matches!(shapes[*list], Shape::List { .. }) && under(manifest, *list, *tool));
            let Shape::Item { address, .. } = &shapes[*tool] else { return (true, 0, 0, *tool) };
            let name = address.last().and_then(|(_, path)| path.last_name()).unwrap_or_default();
            (!listed, name_rank(name), usize::MAX - shown[tool].len(), *tool)
        })
}

fn name_rank(name: &str) -> usize {
    IDENTITY_NAMES.iter().position(|known| *known == name).unwrap_or(IDENTITY_NAMES.len())
}

fn identity_of(
    shapes: &[Shape],
    keys: &BTreeMap<usize, Vec<Key>>,
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
    tools: &[usize],
    home_item: Option<usize>,
) -> Option<MemberPath> {
    if let Some(tool) = home_item
        && let Shape::Item { address, .. } = &shapes[tool]
    {
        return address.last().map(|(_, path)| path.clone());
    }
    for tool in tools {
        if let Shape::Item { address, .. } = &shapes[*tool] {
            return address.last().map(|(_, path)| path.clone());
        }
    }
    if tools.iter().all(|tool| matches!(shapes[*tool], Shape::List { keyed: true, .. })) {
        return Some(MemberPath::default());
    }
    let mut best: Option<((usize, usize, usize), MemberPath)> = None;
    for tool in tools {
        for (at, key) in keys[tool].iter().enumerate() {
            let [path] = key.as_slice() else { continue };
            let showing = tools
                .iter()
                .filter(|tool| shown[tool].iter().any(|sighting| key_text(sighting, key).is_some()))
                .count();
            let rank = (usize::MAX - showing, name_rank(path.last_name().unwrap_or_default()), at);
            if best.as_ref().is_none_or(|(held, _)| rank < *held) {
                best = Some((rank, path.clone()));
            }
        }
    }
    best.map(|(_, path)| path)
}

/// What a path segment must escape; everything else is spelled as it is.
const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~')
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b';')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// The identity of a sighting as text.
pub fn identity_text(entity_type: &EntityType, key: Option<&str>, value: &Value) -> Option<String> {
    if entity_type.identity.0.is_empty() {
        return key.map(str::to_owned);
    }
    let inner = || entity_type.inner_identity.as_ref()?.direct(value);
    match entity_type.identity.direct(value).or_else(inner) {
        Some(inner) => scalar_text(inner).filter(|_| !inner.is_null()),
        None => key.map(str::to_owned),
    }
}

/// The concrete home collection of an entity: from the path of a call on the home route or list, else from the members
/// that hold the parents. `None` when the call does not tell.
pub fn home_of(entity_type: &EntityType, seen: &Seen, template: &Template, value: &Value) -> Option<String> {
    let segments = trimmed(template);
    let home = &entity_type.template.segments;
    if home.iter().all(|segment| matches!(segment, Segment::Literal(_))) {
        return Some(literal_path(home));
    }
    if segments == home.as_slice() {
        return Some(seen.path.clone());
    }
    if segments.len() == home.len() + 1 && segments[..home.len()] == home[..] {
        let cut = seen.path.rfind('/')?;
        return Some(seen.path[..cut].to_owned());
    }
    fill_home(entity_type, value)
}

/// The home collection from the members that hold the parents.
pub fn fill_home(entity_type: &EntityType, value: &Value) -> Option<String> {
    let mut path = String::new();
    let mut parents = entity_type.parents.iter();
    for segment in &entity_type.template.segments {
        path.push('/');
        match segment {
            Segment::Literal(text) => path.push_str(text),
            _ => {
                let member = parents.next()?.as_ref()?;
                let text = scalar_text(member.direct(value)?)?;
                path.extend(utf8_percent_encode(&text, SEGMENT));
            }
        }
    }
    Some(path)
}

fn literal_path(segments: &[Segment]) -> String {
    let mut path = String::new();
    for segment in segments {
        if let Segment::Literal(text) = segment {
            path.push('/');
            path.push_str(text);
        }
    }
    path
}
