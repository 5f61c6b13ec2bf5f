//! Keys: which members tell the entities of a tool apart, and whether two tools show the same ones.

use super::entity::IDENTITY_NAMES;
use super::identity::{Sighting, under};
use super::line::scalar_text;
use super::member_fit_text::holds_token;
use super::path::MemberPath;
use super::types::Shape;
use crate::json::Value;
use crate::manifest::{Manifest, Segment};
use std::collections::{BTreeMap, HashMap, HashSet};

/// Members that identify an entity together.
pub(super) type Key = Vec<MemberPath>;

/// The text of a key in a sighting; `None` when a part is missing.
pub(super) fn key_text(sighting: &Sighting<'_>, key: &Key) -> Option<String> {
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

/// Keys that identify the entities of one tool: the addresses of an item route; for a list, every scalar member that is
/// distinct in each recorded list.
pub(super) fn candidate_keys(shape: &Shape, shown: &[Sighting<'_>]) -> Vec<Key> {
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
pub(super) fn unique_in_lists(shown: &[Sighting<'_>], key: &Key) -> bool {
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
pub(super) fn same_entities(
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
    let word = |tool: usize| {
        let segments = manifest.tools[tool].template.segments.iter().rev();
        let words = segments.filter_map(|segment| match segment {
            Segment::Literal(text) if !text.is_empty() => Some(text),
            _ => None,
        });
        words.into_iter().next()
    };
    let called_alike = word(a) == word(b);
    pairs.iter().any(|(key_a, key_b)| {
        let left = index(&shown[&a], key_a);
        let right = index(&shown[&b], key_b);
        let mut shared = Shared::default();
        for (text, one) in &left {
            let Some(other) = right.get(text) else { continue };
            let (one, other) = (around(one.value, key_a, key_b), around(other.value, key_b, key_a));
            shared.pairs += 1;
            shared.compare(one, other, key_a, text);
        }
        if shared.pairs == 0 {
            return false;
        }
        // How many values a member has, for how many entities.
        let spread = |name: &str| {
            let held = |(sighting, key, other): (&Sighting<'_>, &Key, &Key)| {
                around(sighting.value, key, other).get(name).and_then(scalar_text)
            };
            let left: Vec<Option<String>> = left.values().map(|sighting| held((sighting, key_a, key_b))).collect();
            let right: Vec<Option<String>> = right.values().map(|sighting| held((sighting, key_b, key_a))).collect();
            let most = if left.len() > right.len() { &left } else { &right };
            let values: HashSet<&String> = left.iter().chain(&right).flatten().collect();
            (values.len(), most.len())
        };
        let (agree, weakly, differ) = shared.count(&spread);
        let agree = if differ == 0 || called_alike { agree + weakly } else { agree };
        (agree >= 1 && agree * 2 >= differ) || (routed && agree >= differ)
    })
}

/// What the members beside the key say of entities that two tools show under one key.
#[derive(Default)]
struct Shared {
    /// Entities of both.
    pairs: usize,
    /// Telling members: in how many pairs they agree, in how many not, and whether they only spell the key.
    members: BTreeMap<String, (usize, usize, bool)>,
}

impl Shared {
    /// Adds a pair.
    fn compare(&mut self, one: &Value, other: &Value, key: &Key, text: &str) {
        let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return };
        for (name, value) in one {
            let Some(name) = name.as_str() else { continue };
            if key.iter().any(|path| path.0.len() <= 2 && path.last_name() == Some(name)) {
                continue;
            }
            let Some(held) = other.get(name) else { continue };
            let told = match (value.plain(), held.plain()) {
                (Value::String(a), Value::String(b)) if !a.as_bytes().is_empty() && !b.as_bytes().is_empty() => {
                    Some(a == b)
                }
                (Value::Number(a), Value::Number(b)) => {
                    let telling = a.as_str().len() > 1 || b.as_str().len() > 1;
                    if a.same_as(b) { telling.then_some(true) } else { Some(false) }
                }
                // A key inside makes its neighbours telling.
                (Value::Object(_), Value::Object(_)) if key.iter().any(|path| path.0.len() == 2) => {
                    let inner: Key = key.iter().map(|path| MemberPath(path.0[path.0.len() - 1..].to_vec())).collect();
                    self.compare(value, held, &inner, text);
                    None
                }
                _ => None,
            };
            if let Some(agrees) = told {
                let member = self.members.entry(name.to_owned()).or_insert((0, 0, true));
                member.0 += usize::from(agrees);
                member.1 += usize::from(!agrees);
                member.2 &= value.as_str().is_some() && holds_token(value, text);
            }
        }
    }

    /// How many members agree that tell entities apart, how many that few values are of, and how many do not agree. One
    /// that is the same in every entity, or that only spells the key, agrees whatever is shown.
    fn count(&self, spread: &dyn Fn(&str) -> (usize, usize)) -> (usize, usize, usize) {
        let (mut agree, mut weakly, mut differ) = (0, 0, 0);
        for (name, (same, different, spells_key)) in &self.members {
            if same < different {
                differ += 1;
                continue;
            }
            match spread(name) {
                _ if *spells_key => {}
                (_, 0 | 1) | (0, _) => agree += 1,
                (1, _) => {}
                (values, entities) if values * 2 <= entities => weakly += 1,
                _ => agree += 1,
            }
        }
        (agree, weakly, differ)
    }
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
