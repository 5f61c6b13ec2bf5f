//! Representations: the ways in which a type's entities are shown, which of their members share one value, and the
//! entities gathered from all sightings (`derivation.md`, Observe 4 and 5).

use super::identity::{Kind, Sighting, home_of, identity_text, sightings};
use super::line::Line;
use super::observe::{Observed, Seen};
use super::path::{MemberPath, scalar_paths};
use super::types::{EntityType, Member, MemberRule, Representation, Shape, Slot};
use crate::json::{Object, Value};
use crate::manifest::Manifest;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a parameter does to the representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    /// Entities look the same with it.
    Same,
    /// It selects members.
    Projection,
    /// It shows entities in another representation.
    Variant,
}

/// The variant parameters of a line, with what they say.
pub type Variant = Vec<(String, String)>;

/// A tool's representations.
#[derive(Clone, Debug, Default)]
pub struct ToolEffects {
    /// What each parameter does; a key that could not be told apart is missing.
    pub effects: BTreeMap<String, KeyEffect>,
}

impl ToolEffects {
    /// The variant parameters of a line.
    pub fn variant(&self, line: &Line) -> Variant {
        line.params
            .iter()
            .filter(|param| self.effects.get(&param.key) == Some(&KeyEffect::Variant))
            .map(|param| (param.key.clone(), param.text.clone()))
            .collect()
    }

    /// Whether the line selects members.
    pub fn projects(&self, line: &Line) -> bool {
        line.params.iter().any(|param| self.effects.get(&param.key) == Some(&KeyEffect::Projection))
    }
}

/// An entity as its sightings showed it before anything changed it.
#[derive(Clone, Debug)]
pub struct Gathered<'a> {
    /// Home collection.
    pub collection: String,
    /// Identity.
    pub id: String,
    /// First unchanged sighting by representation (index into the type's list).
    pub shown: BTreeMap<usize, &'a Value>,
    /// Ordinals that showed it, ascending.
    pub ordinals: BTreeSet<usize>,
    /// Selections of members that showed it, with the plain representation they select from.
    pub partial: Vec<(usize, &'a Value)>,
    /// Position of its first sighting in the timeline, then in the list: the state order when no list tells better.
    pub first: (usize, usize),
}

/// A type with its representations and entities, before views are proposed.
pub struct Population<'a> {
    /// The type.
    pub entity_type: EntityType,
    /// Its tools.
    pub tools: Vec<usize>,
    /// What parameters do, by tool.
    pub effects: BTreeMap<usize, ToolEffects>,
    /// Representations, the richest plain one first.
    pub representations: Vec<Representation>,
    /// Entities by (collection, id).
    pub entities: BTreeMap<(String, String), Gathered<'a>>,
}

/// Everything about the capture that gathering needs.
pub struct Ground<'a> {
    /// The manifest.
    pub manifest: &'a Manifest,
    /// Shapes by tool.
    pub shapes: &'a [Shape],
    /// Calls.
    pub observed: &'a Observed,
}

/// Classifies parameters, finds representations and gathers the entities of one type. `touched` is the time from which
/// the type may have been changed by a write, `steady` the time until which nothing at all was; `addressed` the
/// identities that a write addressed.
pub fn gather<'a>(
    ground: &Ground<'a>,
    kind: &Kind,
    index: usize,
    (touched, steady): (usize, usize),
    addressed: &BTreeSet<String>,
) -> Population<'a> {
    let mut effects = BTreeMap::new();
    let mut shown: BTreeMap<usize, Vec<Sighting<'a>>> = BTreeMap::new();
    for &tool in &kind.tools {
        let found = sightings(tool, &ground.shapes[tool], ground.observed);
        effects.insert(tool, classify(ground, &kind.entity_type, tool, &found, (touched, steady)));
        shown.insert(tool, found);
    }
    let mut ways: Vec<(usize, Variant, usize)> = Vec::new();
    for (&tool, found) in &shown {
        let mut widths: BTreeMap<Variant, usize> = BTreeMap::new();
        for sighting in found {
            let Some(line) = ground.observed.seen[sighting.seen].line.as_ref() else { continue };
            if !effects[&tool].projects(line) {
                let width = widths.entry(effects[&tool].variant(line)).or_default();
                *width = (*width).max(sighting.value.as_object().map_or(0, Object::len));
            }
        }
        ways.extend(widths.into_iter().map(|(variant, width)| (tool, variant, width)));
    }
    ways.sort_by_key(|(tool, variant, width)| {
        let list = matches!(ground.shapes[*tool], Shape::List { .. });
        (!variant.is_empty(), usize::MAX - width, list, *tool, variant.clone())
    });
    let mut population = Population {
        entity_type: kind.entity_type.clone(),
        tools: kind.tools.clone(),
        effects,
        representations: ways
            .iter()
            .map(|(tool, variant, _)| Representation {
                entity_type: index,
                tool: *tool,
                variant: variant.clone(),
                members: Vec::new(),
            })
            .collect(),
        entities: BTreeMap::new(),
    };
    collect_entities(ground, &mut population, &shown, (touched, steady), addressed);
    share_members(&mut population);
    population
}

/// What parameters do to one tool's representation.
pub fn effects_of_tool(ground: &Ground<'_>, kind: &EntityType, tool: usize, times: (usize, usize)) -> ToolEffects {
    let found = sightings(tool, &ground.shapes[tool], ground.observed);
    classify(ground, kind, tool, &found, times)
}

fn collect_entities<'a>(
    ground: &Ground<'a>,
    population: &mut Population<'a>,
    shown: &BTreeMap<usize, Vec<Sighting<'a>>>,
    (touched, steady): (usize, usize),
    addressed: &BTreeSet<String>,
) {
    let mut all: Vec<(usize, usize, &Sighting<'a>)> = shown
        .iter()
        .flat_map(|(tool, found)| found.iter().map(move |sighting| (sighting.seen, *tool, sighting)))
        .collect();
    all.sort_by_key(|(seen, tool, sighting)| (*seen, *tool, sighting.position));
    let mut homes: HashMap<String, String> = HashMap::new();
    // Two passes: calls on the home route say where an entity lives; others may need that knowledge.
    for pass in 0..2 {
        for (seen_index, tool, sighting) in &all {
            let seen = &ground.observed.seen[*seen_index];
            let Some(line) = seen.line.as_ref() else { continue };
            let effects = &population.effects[tool];
            let projects = effects.projects(line);
            let Some(id) = identity_text(&population.entity_type, sighting.key, sighting.value) else { continue };
            let template = &ground.manifest.tools[*tool].template;
            let home = home_of(&population.entity_type, seen, template, sighting.value)
                .or_else(|| (pass == 1).then(|| homes.get(&id).cloned()).flatten());
            let Some(collection) = home else { continue };
            if pass == 0 {
                homes.entry(id).or_insert(collection);
                continue;
            }
            let variant = effects.variant(line);
            let Some(way) =
                population.representations.iter().position(|way| way.tool == *tool && way.variant == variant)
            else {
                continue;
            };
            let key = (collection.clone(), id.clone());
            let late = seen.time >= touched;
            match population.entities.get_mut(&key) {
                Some(held) if projects && held.shown.is_empty() && !late => held.partial.push((way, sighting.value)),
                Some(_) if projects => {}
                None if projects && !late => {
                    population.entities.insert(
                        key,
                        Gathered {
                            collection,
                            id,
                            shown: BTreeMap::new(),
                            ordinals: BTreeSet::from([seen.ordinal]),
                            partial: vec![(way, sighting.value)],
                            first: (seen.time, sighting.position),
                        },
                    );
                }
                None if projects => {}
                Some(held) => {
                    let fresh = !held.shown.contains_key(&way);
                    let unchanged = seen.time < steady
                        || ((!late || !addressed.contains(&id))
                            && held.shown.values().all(|value| {
                                consistent(value, sighting.value)
                                    && inside(&population.entity_type, value, sighting.value)
                                    && inside(&population.entity_type, sighting.value, value)
                            }));
                    if unchanged {
                        held.ordinals.insert(seen.ordinal);
                        if fresh {
                            held.shown.insert(way, sighting.value);
                        }
                    }
                }
                None if !late => {
                    population.entities.insert(
                        key,
                        Gathered {
                            collection,
                            id,
                            shown: BTreeMap::from([(way, sighting.value)]),
                            ordinals: BTreeSet::from([seen.ordinal]),
                            partial: Vec::new(),
                            first: (seen.time, sighting.position),
                        },
                    );
                }
                None => {}
            }
        }
    }
}

/// Whether the members that two showings share are equal.
fn consistent(one: &Value, other: &Value) -> bool {
    let (Some(one), Some(other)) = (one.as_object(), other.as_object()) else { return false };
    one.iter().all(|(name, value)| match name.as_str().and_then(|name| other.get(name)) {
        Some(held) => {
            std::mem::discriminant(held.plain()) != std::mem::discriminant(value.plain()) || held.same_as(value)
        }
        None => true,
    })
}

/// The same for a showing that holds the entity one level down: what its inner objects say of the entity is what another
/// showing says of it.
fn inside(entity_type: &EntityType, outer: &Value, inner: &Value) -> bool {
    let deep = entity_type.inner_identity.as_ref().is_some_and(|path| path.direct(inner).is_some());
    !deep
        || inner
            .as_object()
            .into_iter()
            .flatten()
            .all(|(_, part)| part.as_object().is_none() || consistent(part, outer))
}

/// What each parameter of a tool does to the entities it shows.
fn classify(
    ground: &Ground<'_>,
    entity_type: &EntityType,
    tool: usize,
    found: &[Sighting<'_>],
    (touched, steady): (usize, usize),
) -> ToolEffects {
    let slots: BTreeSet<String> = match &ground.shapes[tool] {
        Shape::Item { address, .. } => address
            .iter()
            .filter_map(|(slot, _)| match slot {
                Slot::Key(key) => Some(key.clone()),
                Slot::Path(_) => None,
            })
            .collect(),
        _ => BTreeSet::new(),
    };
    // Entities by line, before the first change; later lines follow, and can only say that nothing looks different.
    type Shown<'a> = Vec<(Option<String>, &'a Value)>;
    let mut by_line: BTreeMap<(bool, usize, Line), Shown<'_>> = BTreeMap::new();
    for sighting in found {
        let seen = &ground.observed.seen[sighting.seen];
        if seen.time >= touched {
            continue;
        }
        let Some(line) = seen.line.as_ref() else { continue };
        let mut line = line.clone();
        line.in_order.clear();
        line.params.retain(|param| !slots.contains(&param.key));
        let id = identity_text(entity_type, sighting.key, sighting.value)
            .map(|id| format!("{}\u{0}{id}", if entity_type.parents.is_empty() { "" } else { home_path(seen) }));
        by_line.entry((seen.time >= steady, line.params.len(), line)).or_default().push((id, sighting.value));
    }
    let mut effects = BTreeMap::new();
    let Some(base) = by_line
        .iter()
        .max_by_key(|((late, params, line), shown)| {
            let width: usize = shown.iter().map(|(_, value)| value.as_object().map_or(0, Object::len)).sum::<usize>()
                / shown.len().max(1);
            (!late, line.is_bare(), width, usize::MAX - params)
        })
        .map(|((_, _, line), _)| line.clone())
    else {
        return ToolEffects { effects };
    };
    let mut known: HashMap<String, &Value> = HashMap::new();
    let mut whole: Vec<&Value> = Vec::new();
    for ((_, _, line), shown) in &by_line {
        if *line == base {
            for (id, value) in shown {
                whole.push(value);
                if let Some(id) = id {
                    known.entry(id.clone()).or_insert(value);
                }
            }
        }
    }
    for param in &base.params {
        effects.insert(param.key.clone(), KeyEffect::Same);
    }
    for ((late, _, line), shown) in &by_line {
        if *line == base {
            continue;
        }
        let open: Vec<&super::line::Param> =
            line.params.iter().filter(|param| !effects.contains_key(&param.key)).collect();
        if line.params.iter().any(|param| effects.get(&param.key) == Some(&KeyEffect::Projection)) && open.is_empty() {
            continue;
        }
        match compare_line(shown, &known, &whole) {
            Some(Difference::Same) => {
                for param in &open {
                    effects.insert(param.key.clone(), KeyEffect::Same);
                }
                if !effects_any(&effects, line, KeyEffect::Variant)
                    && !effects_any(&effects, line, KeyEffect::Projection)
                {
                    for (id, value) in shown {
                        if let Some(id) = id {
                            known.entry(id.clone()).or_insert(value);
                        }
                    }
                }
            }
            Some(Difference::Fewer(names)) => {
                let known: BTreeSet<String> = line
                    .params
                    .iter()
                    .filter(|param| effects.get(&param.key) == Some(&KeyEffect::Projection))
                    .flat_map(super::projection::selected_names)
                    .collect();
                let selecting = super::projection::selecting(&open, &names, known);
                for param in &selecting {
                    effects.insert(param.key.clone(), KeyEffect::Projection);
                }
                if selecting.is_empty() && !late && !effects_any(&effects, line, KeyEffect::Projection) {
                    for param in &open {
                        effects.insert(param.key.clone(), KeyEffect::Variant);
                    }
                }
            }
            Some(Difference::Other) if !late && !effects_any(&effects, line, KeyEffect::Variant) => {
                for param in &open {
                    effects.insert(param.key.clone(), KeyEffect::Variant);
                }
            }
            // No entity to compare: members that the base never shows are another representation.
            None if !late && shows_more(shown, &whole) && !effects_any(&effects, line, KeyEffect::Variant) => {
                for param in &open {
                    effects.insert(param.key.clone(), KeyEffect::Variant);
                }
            }
            Some(Difference::Other) | None => {}
        }
    }
    ToolEffects { effects }
}

/// Whether every entity that a line shows has a member that no entity of the base line has.
fn shows_more(shown: &[(Option<String>, &Value)], whole: &[&Value]) -> bool {
    let known: BTreeSet<&str> = whole
        .iter()
        .filter_map(|value| value.as_object())
        .flat_map(|object| object.iter().filter_map(|(name, _)| name.as_str()))
        .collect();
    !shown.is_empty()
        && !known.is_empty()
        && shown.iter().all(|(_, value)| {
            value.as_object().is_some_and(|object| {
                object.iter().any(|(name, _)| name.as_str().is_some_and(|name| !known.contains(name)))
            })
        })
}

fn home_path(seen: &Seen) -> &str {
    &seen.path
}

fn effects_any(effects: &BTreeMap<String, KeyEffect>, line: &Line, effect: KeyEffect) -> bool {
    line.params.iter().any(|param| effects.get(&param.key) == Some(&effect))
}

enum Difference {
    Same,
    Fewer(BTreeSet<String>),
    Other,
}

fn compare_line(
    shown: &[(Option<String>, &Value)],
    known: &HashMap<String, &Value>,
    whole: &[&Value],
) -> Option<Difference> {
    let mut names = BTreeSet::new();
    let mut fewer = false;
    let mut compared = false;
    for (id, value) in shown {
        let object = value.as_object()?;
        let base = match id.as_ref().and_then(|id| known.get(id)) {
            Some(base) => base,
            None if id.is_none() => match whole.iter().find(|whole| contains(whole, object)) {
                Some(base) => base,
                None => return Some(Difference::Other),
            },
            None => continue,
        };
        compared = true;
        let base = base.as_object()?;
        if !contains_object(base, object) {
            return Some(Difference::Other);
        }
        fewer |= object.len() < base.len();
        names.extend(object.iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)));
    }
    if !compared {
        return None;
    }
    Some(if fewer { Difference::Fewer(names) } else { Difference::Same })
}

fn contains(whole: &Value, part: &Object) -> bool {
    whole.as_object().is_some_and(|whole| contains_object(whole, part))
}

fn contains_object(whole: &Object, part: &Object) -> bool {
    part.iter()
        .all(|(name, value)| name.as_str().and_then(|name| whole.get(name)).is_some_and(|held| held.same_as(value)))
}

/// Groups the members of all representations by shared value, and proposes rules for those never shown.
fn share_members<'a>(population: &mut Population<'a>) {
    let count = population.representations.len();
    let names: Vec<Vec<Box<str>>> = (0..count)
        .map(|way| {
            let shown = population.entities.values().filter_map(|entity| entity.shown.get(&way)?.as_object());
            merged_order(&shown.collect::<Vec<_>>())
        })
        .collect();
    let mut leaders: HashMap<Box<str>, Vec<(usize, Vec<usize>)>> = HashMap::new();
    let mut both: Both<'a> = HashMap::new();
    for (way, members) in names.iter().enumerate() {
        for name in members {
            let groups = leaders.entry(name.clone()).or_default();
            let equal = |leader: usize, both: &mut Both<'a>| {
                let both = both.entry((leader, way)).or_insert_with(|| shown_by_both(population, leader, way));
                equal_in(both, name)
            };
            match groups.iter_mut().find(|(leader, _)| equal(*leader, &mut both)) {
                Some((_, group)) => group.push(way),
                None => groups.push((way, vec![way])),
            }
        }
    }
    for (way, members) in names.into_iter().enumerate() {
        let built = members
            .into_iter()
            .map(|name| {
                let group = leaders
                    .get(&name)
                    .and_then(|groups| groups.iter().find(|(_, group)| group.contains(&way)))
                    .map_or(way, |(leader, _)| *leader);
                let stored =
                    leaders.get(&name).and_then(|groups| groups.first()).is_some_and(|(first, _)| *first == group);
                Member { name, source: group, stored, rule: None }
            })
            .collect();
        population.representations[way].members = built;
    }
    let showings: Vec<Showing<'_, '_>> = (0..count).map(|way| Showing::new(population, way)).collect();
    let rules: Vec<Vec<Option<MemberRule>>> = population
        .representations
        .iter()
        .map(|way| way.members.iter().map(|member| propose_rule(&showings[member.source], &member.name)).collect())
        .collect();
    for (way, rules) in population.representations.iter_mut().zip(rules) {
        for (member, rule) in way.members.iter_mut().zip(rules) {
            member.rule = rule;
        }
    }
}

/// The union of member orders: each new name goes after the one it followed.
fn merged_order(objects: &[&Object]) -> Vec<Box<str>> {
    let mut order: Vec<Box<str>> = Vec::new();
    for object in objects {
        let mut after = 0;
        for (name, _) in object.iter() {
            let Some(name) = name.as_str() else { continue };
            match order.iter().position(|held| held.as_ref() == name) {
                Some(at) => after = at + 1,
                None => {
                    order.insert(after, name.into());
                    after += 1;
                }
            }
        }
    }
    order
}

/// What two representations showed of each entity that both showed, by the two.
type Both<'a> = HashMap<(usize, usize), Vec<(&'a Value, &'a Value)>>;

fn shown_by_both<'a>(population: &Population<'a>, one: usize, other: usize) -> Vec<(&'a Value, &'a Value)> {
    let entities = population.entities.values();
    entities.filter_map(|entity| Some((*entity.shown.get(&one)?, *entity.shown.get(&other)?))).collect()
}

/// Whether two representations show one value for a member: equal, and present alike, wherever both showed an entity.
fn equal_in(both: &[(&Value, &Value)], name: &str) -> bool {
    let mut any = false;
    for (one, other) in both {
        match (one.get(name), other.get(name)) {
            (Some(a), Some(b)) if a.same_as(b) => any = true,
            (None, None) => {}
            _ => return false,
        }
    }
    any
}

/// The entities that one representation showed.
struct Showing<'p, 'a> {
    way: usize,
    entities: Vec<&'p Gathered<'a>>,
    /// How many it did not show.
    missing: usize,
    /// Scalar paths of what other representations show of them.
    others: OnceCell<Vec<MemberPath>>,
}

impl<'p, 'a> Showing<'p, 'a> {
    fn new(population: &'p Population<'a>, way: usize) -> Self {
        let all = population.entities.values();
        let entities: Vec<&Gathered<'_>> = all.filter(|entity| entity.shown.contains_key(&way)).collect();
        Self { way, missing: population.entities.len() - entities.len(), entities, others: OnceCell::new() }
    }
}

/// Words that two spellings of one member may have.
const MAX_WORDS: usize = 64;

/// A member of the same name that another representation spells with other words: each word always stands for the same
/// one (`running` in the list is `live` in the item). Two entities at the least have to agree on it.
fn words_rule(showing: &[&Gathered<'_>], name: &str, way: usize) -> Option<MemberRule> {
    let mut words: Vec<(Value, Value)> = Vec::new();
    let mut seen = 0;
    for entity in showing {
        let own = entity.shown.get(&way)?.get(name)?;
        let other = entity.shown.iter().find(|(other, shown)| **other != way && shown.get(name).is_some());
        let Some(other) = other.and_then(|(_, shown)| shown.get(name)) else { continue };
        let scalar = |value: &Value| matches!(value.plain(), Value::String(_) | Value::Bool(_));
        if !scalar(own) || !scalar(other) || own.same_as(other) {
            return None;
        }
        seen += 1;
        match words.iter().find(|(from, _)| from.same_as(other)) {
            Some((_, to)) if !to.same_as(own) => return None,
            Some(_) => {}
            // So many words are no vocabulary.
            None if words.len() == MAX_WORDS => return None,
            None => words.push((other.clone(), own.clone())),
        }
    }
    (seen >= 2 && words.len() < seen).then_some(MemberRule::Words(words))
}

/// A rule for a member that some entities were never shown with: constant, copy, or another member between fixed texts.
fn propose_rule(held: &Showing<'_, '_>, name: &str) -> Option<MemberRule> {
    let (way, showing, missing) = (held.way, &held.entities, held.missing);
    if missing == 0 {
        return None;
    }
    let values: Vec<&Value> = showing.iter().filter_map(|entity| entity.shown.get(&way)?.get(name)).collect();
    if values.len() != showing.len() || values.is_empty() {
        return None;
    }
    if let Some(rule) = words_rule(showing, name, way) {
        return Some(rule);
    }
    let enough = values.len() >= 3 || (values.len() == 2 && missing <= values.len());
    if values.iter().all(|value| value.same_as(values[0])) {
        return enough.then(|| MemberRule::Constant((*values[0]).clone()));
    }
    if values.len() < 2 {
        return None;
    }
    let others = held.others.get_or_init(|| {
        let shown = showing.iter().filter_map(|entity| entity.shown.iter().find(|(other, _)| **other != way));
        scalar_paths(shown.map(|(_, value)| *value))
    });
    for path in others {
        if path.through_array() || path.last_name() == Some(name) && path.0.len() == 1 {
            continue;
        }
        if is_copy(showing, name, way, path) {
            return Some(MemberRule::Copy(path.clone()));
        }
    }
    let find = |entities: &mut dyn Iterator<Item = &&Gathered<'_>>| {
        let rests: Vec<(Value, &str)> = entities
            .map(|entity| Some((others_of(entity, way, name), entity.shown.get(&way)?.get(name)?.as_str()?)))
            .collect::<Option<_>>()?;
        let pairs: Vec<(&Value, &str)> = rests.iter().map(|(rest, text)| (rest, *text)).collect();
        super::text_rule::find_text_rule(name, &pairs)
    };
    // What does not make the texts of some does not make those of all.
    if showing.len() > TEXTS_TRIED_FIRST {
        find(&mut showing.iter().step_by(showing.len() / TEXTS_TRIED_FIRST))?;
    }
    find(&mut showing.iter()).map(MemberRule::Text)
}

/// Entities: so many are looked at before a rule for their texts is looked for in all.
const TEXTS_TRIED_FIRST: usize = 100;

/// What other representations show of an entity, without a member.
fn others_of(entity: &Gathered<'_>, way: usize, name: &str) -> Value {
    let mut merged = Object::new();
    for (_, shown) in entity.shown.iter().filter(|(other, _)| **other != way) {
        for (member, value) in shown.as_object().into_iter().flatten() {
            if let Some(member) = member.as_str().filter(|member| *member != name)
                && !merged.contains(member)
            {
                merged.push(member, value.clone());
            }
        }
    }
    Value::Object(merged)
}

fn is_copy(showing: &[&Gathered<'_>], name: &str, way: usize, path: &MemberPath) -> bool {
    showing.iter().all(|entity| {
        let value = entity.shown.get(&way).and_then(|shown| shown.get(name));
        let of = entity.shown.iter().filter(|(other, _)| **other != way).find_map(|(_, shown)| path.direct(shown));
        matches!((value, of), (Some(value), Some(of)) if value.same_as(of))
    })
}

/// Members of a type whose text is made of other members, in every entity that any representation shows.
pub fn made_members(population: &Population<'_>) -> Vec<(Box<str>, Vec<super::text_rule::Piece>)> {
    let mut made = Vec::new();
    let merged: Vec<Value> = population.entities.values().map(|entity| others_of(entity, usize::MAX, "")).collect();
    let names: BTreeSet<&str> = merged
        .iter()
        .flat_map(|value| value.as_object().into_iter().flatten())
        .filter(|(_, value)| value.as_str().is_some())
        .filter_map(|(name, _)| name.as_str())
        .collect();
    for name in names {
        let pairs: Vec<(&Value, &str)> =
            merged.iter().filter_map(|value| Some((value, value.get(name)?.as_str()?))).collect();
        if pairs.len() >= 2
            && pairs.len() * 2 > merged.len()
            && let Some(pieces) = super::text_rule::find_text_rule(name, &pairs)
                .or_else(|| super::text_rule::find_ending_rule(name, &pairs))
        {
            made.push((name.into(), pieces));
        }
    }
    made
}
