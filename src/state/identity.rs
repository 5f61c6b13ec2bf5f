//! Types: which read tools show the same entities, what identifies one, and where its home collection is
//! (`derivation.md`, Observe 2).

use super::entity::{IDENTITY_NAMES, entity_at, listed_at};
use super::identity_key::{Key, candidate_keys, key_text, same_entities, unique_in_lists};
use super::line::scalar_text;
use super::observe::{Observed, Seen, asks};
use super::path::MemberPath;
use super::types::{EntityType, Shape, Slot};
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::{Manifest, Segment, Template, TemplateRule};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

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

/// All sightings of a tool's 2xx answers, in timeline order.
pub fn sightings<'a>(tool: usize, shape: &Shape, observed: &'a Observed) -> Vec<Sighting<'a>> {
    let mut found = Vec::new();
    for &index in observed.by_tool.get(tool).into_iter().flatten() {
        let seen = &observed.seen[index];
        if !is_success(seen.status) {
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
    let apart = told_by_tuple(shapes, &sources, &shown);
    let mut group: HashMap<usize, usize> = sources.iter().map(|tool| (*tool, *tool)).collect();
    for (at, &a) in sources.iter().enumerate() {
        for &b in &sources[at + 1..] {
            let (root_a, root_b) = (root(&group, a), root(&group, b));
            // What a tuple tells apart is none of what has only a part of it.
            let other = apart.iter().any(|holders| holders.contains(&a) != holders.contains(&b));
            if !other && root_a != root_b && same_entities(manifest, a, b, &shapes[a], &shapes[b], &keys, &shown) {
                let (low, high) = (root_a.min(root_b), root_a.max(root_b));
                group.insert(high, low);
            }
        }
    }
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for &tool in &sources {
        members.entry(root(&group, tool)).or_default().push(tool);
    }
    let kinds = members.into_values().filter_map(|tools| make_type(manifest, shapes, observed, &keys, &shown, tools));
    // One collection holds one type: where what two tools show of it never agrees, the later one's is no type.
    let mut homes: HashSet<String> = HashSet::new();
    kinds.filter(|kind| homes.insert(kind.entity_type.collection_template.clone())).collect()
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
    observed: &Observed,
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
            let segments = trimmed(&manifest.tools[list].template);
            match tuple_of(shapes, shown, &tools) {
                Some(tuple) if manifest.tools[list].parameters.is_empty() => tuple_home(segments, tuple),
                _ => {
                    let template = Template { segments: segments.to_vec() };
                    let parents = 0..manifest.tools[list].parameters.len();
                    (
                        template,
                        parents.map(|index| listed_parent(observed, &shown[&list], index, &identity.0)).collect(),
                    )
                }
            }
        }
    };
    Some(Kind { entity_type: entity_type(template, identity, parents), tools })
}

/// The only member beside the identity that holds the text of a list's parameter: in all that the lists of several texts
/// show.
fn listed_parent(
    observed: &Observed,
    listed: &[Sighting<'_>],
    index: usize,
    identity: &MemberPath,
) -> Option<MemberPath> {
    let text = |sighting: &Sighting<'_>| observed.seen.get(sighting.seen).and_then(|seen| seen.parameters.get(index));
    let texts: BTreeSet<&String> = listed.iter().filter_map(text).collect();
    let first = listed.first().filter(|_| texts.len() > 1)?;
    let members = first.value.as_object()?.iter().filter_map(|(name, _)| name.as_str());
    let mut paths = members.map(MemberPath::member).filter(|path| {
        let holds =
            |sighting: &Sighting<'_>| path.direct(sighting.value).and_then(scalar_text).as_ref() == text(sighting);
        path != identity && listed.iter().all(holds)
    });
    let only = paths.next()?;
    paths.next().is_none().then_some(only)
}

/// For each tuple that lines name entities by and whose last text alone does not tell them apart: the tools all of whose
/// entities have its members.
fn told_by_tuple(
    shapes: &[Shape],
    sources: &[usize],
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
) -> Vec<BTreeSet<usize>> {
    let keyed = |tool: &&usize| match &shapes[**tool] {
        Shape::Item { address, .. } => {
            address.len() > 1 && address.iter().all(|(slot, _)| matches!(slot, Slot::Key(_)))
        }
        _ => false,
    };
    let tuples = sources.iter().filter(keyed).filter(|tool| tuple_of(shapes, shown, &[**tool]).is_some());
    tuples
        .map(|tool| {
            let Shape::Item { address, .. } = &shapes[*tool] else { return BTreeSet::new() };
            let whole: Key = address.iter().map(|(_, path)| path.clone()).collect();
            let has = |tool: &&usize| {
                let held = &shown[*tool];
                !held.is_empty() && held.iter().all(|sighting| key_text(sighting, &whole).is_some())
            };
            sources.iter().filter(has).copied().collect()
        })
        .collect()
}

/// The members before the last that a line names an entity by, where the last alone does not tell entities apart: one
/// text of it stands with several of theirs.
fn tuple_of<'s>(
    shapes: &'s [Shape],
    shown: &HashMap<usize, Vec<Sighting<'_>>>,
    tools: &[usize],
) -> Option<Vec<&'s MemberPath>> {
    let addresses = tools.iter().filter_map(|tool| match &shapes[*tool] {
        Shape::Item { address, .. } if address.iter().all(|(slot, _)| matches!(slot, Slot::Key(_))) => Some(address),
        _ => None,
    });
    let ((_, last), before) = addresses.max_by_key(|address| address.len())?.split_last()?;
    let before: Vec<&MemberPath> = before.iter().map(|(_, path)| path).collect();
    let whole: Key = before.iter().copied().chain([last]).cloned().collect();
    let mut texts: HashMap<String, String> = HashMap::new();
    let shared = tools.iter().flat_map(|tool| &shown[tool]).any(|sighting| {
        let Some((last, whole)) = key_text(sighting, &vec![last.clone()]).zip(key_text(sighting, &whole)) else {
            return false;
        };
        *texts.entry(last).or_insert_with(|| whole.clone()) != whole
    });
    (shared && !before.is_empty()).then_some(before)
}

/// The home of entities that a tuple identifies: beside the word that asks for the list, one collection for each text of
/// the members before the last.
fn tuple_home(list: &[Segment], tuple: Vec<&MemberPath>) -> (Template, Vec<Option<MemberPath>>) {
    let place = match list.split_last() {
        Some((Segment::Literal(word), rest)) if asks(word) && !rest.is_empty() => rest,
        _ => list,
    };
    let texts = std::iter::repeat_n(Segment::Rule(TemplateRule::SiblingVariance), tuple.len());
    let template = Template { segments: place.iter().cloned().chain(texts).collect() };
    (template, tuple.into_iter().map(|path| Some(path.clone())).collect())
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

/// An identity as a segment of a path.
pub(super) fn encoded_segment(id: &str) -> String {
    utf8_percent_encode(id, SEGMENT).to_string()
}

/// The home collection from the members that hold the parents.
pub fn fill_home(entity_type: &EntityType, value: &Value) -> Option<String> {
    home_with(entity_type, |member| scalar_text(member.direct(value)?))
}

/// The home collection from what the members that hold the parents say.
pub fn home_with(entity_type: &EntityType, says: impl Fn(&MemberPath) -> Option<String>) -> Option<String> {
    let mut path = String::new();
    let mut parents = entity_type.parents.iter();
    for segment in &entity_type.template.segments {
        path.push('/');
        match segment {
            Segment::Literal(text) => path.push_str(text),
            _ => {
                let member = parents.next()?.as_ref()?;
                let text = says(member)?;
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
