//! Representations: the ways in which a type's entities are shown, and the entities gathered from all sightings
//! (`derivation.md`, Observe 4 and 5).

use super::identity::{Kind, Sighting, home_of, identity_text, sightings};
use super::key_effect::{ToolEffects, Variant, classify, share_projections};
use super::late_member::late_members;
use super::observe::Observed;
use super::shared_member::share_members;
use super::types::{EntityType, Representation, Shape};
use crate::json::{Object, Value};
use crate::manifest::Manifest;
use std::collections::{BTreeMap, BTreeSet, HashMap};

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
    let mut lines = Vec::new();
    for (&tool, found) in &shown {
        let line = |sighting: &Sighting<'a>| ground.observed.seen[sighting.seen].line.as_ref();
        lines.extend(found.iter().filter_map(|sighting| Some((tool, line(sighting)?, sighting.value))));
    }
    share_projections(&mut effects, &lines);
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
    let late = late_members(ground, &population, &shown);
    share_members(&mut population, &late);
    population
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
