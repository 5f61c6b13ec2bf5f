//! Members that only later answers show: an entity was shown without one, and with it after writes (`labels`, left out
//! while there are none), or only an entity that was made later has one. Until then every entity is known to have none.
//! Of writes it knows what they were sent and answered, not what they do.

use super::effect::texts_of;
use super::identity::{Sighting, home_of, identity_text};
use super::representation::{Ground, Population};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a representation shows late: a member, and an answer that has it.
pub(super) type LateMembers<'a> = BTreeMap<usize, Vec<(Box<str>, &'a Object)>>;

/// One showing: the call, the representation, the entity and what was shown of it.
struct Late<'a> {
    seen: usize,
    way: usize,
    key: String,
    object: &'a Object,
}

/// The members that representations show late, of those that none showed first.
pub(super) fn late_members<'a>(
    ground: &Ground<'a>,
    population: &Population<'a>,
    shown: &BTreeMap<usize, Vec<Sighting<'a>>>,
) -> LateMembers<'a> {
    let mut first: BTreeSet<&str> = BTreeSet::new();
    let mut known: BTreeSet<usize> = BTreeSet::new();
    for (way, value) in population.entities.values().flat_map(|entity| &entity.shown) {
        known.insert(*way);
        first.extend(value.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str()));
    }
    let mut all: Vec<Late<'a>> = Vec::new();
    for (tool, found) in shown {
        for sighting in found {
            let seen = &ground.observed.seen[sighting.seen];
            let (Some(line), Some(object)) = (seen.line.as_ref(), sighting.value.as_object()) else { continue };
            let effects = &population.effects[tool];
            if effects.projects(line) {
                continue;
            }
            let variant = effects.variant(line);
            let mut ways = population.representations.iter();
            let way = ways.position(|way| way.tool == *tool && way.variant == variant);
            let id = identity_text(&population.entity_type, sighting.key, sighting.value);
            let (Some(way), Some(id)) = (way.filter(|way| known.contains(way)), id) else { continue };
            let template = &ground.manifest.tools[*tool].template;
            let home = home_of(&population.entity_type, seen, template, sighting.value).unwrap_or_default();
            all.push(Late { seen: sighting.seen, way, key: format!("{home}\u{0}{id}"), object });
        }
    }
    all.sort_by_key(|late| (late.seen, late.way));
    // An entity that a write made shows all of its members late; of another one that was first read late, nothing says so.
    let held: BTreeSet<String> = population.entities.keys().map(|(home, id)| format!("{home}\u{0}{id}")).collect();
    let mut made: Option<BTreeSet<String>> = None;
    let nothing = Object::new();
    let mut of_others: HashMap<(usize, &str), bool> = HashMap::new();
    let mut found: LateMembers<'a> = BTreeMap::new();
    let mut before: HashMap<(usize, &str), &Object> = HashMap::new();
    for late in &all {
        let without = *before.entry((late.way, &late.key)).or_insert_with(|| {
            let id = late.key.rsplit('\u{0}').next().unwrap_or_default();
            let mut is_made = || made.get_or_insert_with(|| written_texts(ground)).contains(id);
            if held.contains(&late.key) || !is_made() { late.object } else { &nothing }
        });
        for name in late.object.iter().filter_map(|(name, _)| name.as_str()) {
            let noted = |held: &Vec<(Box<str>, &Object)>| held.iter().any(|(known, _)| known.as_ref() == name);
            if found.get(&late.way).is_some_and(noted) {
                continue;
            }
            if first.contains(name) {
                let shows =
                    *of_others.entry((late.way, name)).or_insert_with(|| leaves_out_none(population, late.way, name));
                if !shows {
                    continue;
                }
            } else if without.contains(name) {
                continue;
            }
            found.entry(late.way).or_default().push((name.into(), late.object));
        }
    }
    let names: BTreeSet<Box<str>> = found.values().flatten().map(|(name, _)| name.clone()).collect();
    let writes: Vec<usize> = if names.is_empty() { Vec::new() } else { writes(ground) };
    for name in names {
        if !one_value(&name, &all, &found, &writes) {
            found.values_mut().for_each(|held| held.retain(|(known, _)| *known != name));
        }
    }
    let wider = not_asked(population, &all, &found);
    for (way, name, object) in wider {
        found.entry(way).or_default().push((name, object));
    }
    found
}

/// Members that a representation was never asked for: it shows all that another shows of the entities that both showed
/// first, and the entities that have the late member it did not show.
fn not_asked<'a>(
    population: &Population<'a>,
    all: &[Late<'a>],
    found: &LateMembers<'a>,
) -> Vec<(usize, Box<str>, &'a Object)> {
    let mut names: BTreeMap<usize, BTreeSet<&str>> = BTreeMap::new();
    for (way, value) in population.entities.values().flat_map(|entity| &entity.shown) {
        let members = value.as_object().into_iter().flatten();
        names.entry(*way).or_default().extend(members.filter_map(|(name, _)| name.as_str()));
    }
    let first = names.clone();
    for (way, held) in found {
        names.entry(*way).or_default().extend(held.iter().map(|(name, _)| name.as_ref()));
    }
    let mut having: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for late in all {
        for name in late.object.iter().filter_map(|(name, _)| name.as_str()) {
            having.entry(name).or_default().insert(&late.key);
        }
    }
    let mut wider = Vec::new();
    for (from, name, object) in
        found.iter().flat_map(|(way, held)| held.iter().map(move |(name, of)| (*way, name, *of)))
    {
        let Some(have) = having.get(name.as_ref()) else { continue };
        let Some(shown) = first.get(&from) else { continue };
        for (way, own) in &names {
            let asked = all.iter().any(|late| late.way == *way && have.contains(late.key.as_str()));
            let listed = wider.iter().any(|(other, known, _)| other == way && known == name);
            if !own.contains(name.as_ref()) && !asked && !listed && own.is_superset(shown) {
                wider.push((*way, name.clone(), object));
            }
        }
    }
    wider
}

/// Whether none of the entities that a representation showed first had a member, whatever showed them: it was asked for
/// others (records of several kinds under one route, Kinto).
fn leaves_out_none(population: &Population<'_>, way: usize, name: &str) -> bool {
    let has = |value: &Value| value.as_object().is_some_and(|object| object.contains(name));
    let mut asked = population.entities.values().filter(|entity| entity.shown.contains_key(&way));
    asked.all(|entity| !entity.shown.values().any(|value| has(value)))
}

/// Texts that may be identities of what writes made: what they answered, what they were sent, and the end of their path.
fn written_texts(ground: &Ground<'_>) -> BTreeSet<String> {
    let mut texts = BTreeSet::new();
    for seen in ground.observed.seen.iter().filter(|seen| seen.wrote(ground.manifest)) {
        for body in [seen.body.as_deref(), seen.sent.as_deref()].into_iter().flatten() {
            texts_of(body, &mut texts);
        }
        texts.extend(seen.parameters.last().cloned());
    }
    texts
}

/// How many writes there were before each call.
fn writes(ground: &Ground<'_>) -> Vec<usize> {
    let mut count = 0;
    let calls = ground.observed.seen.iter().map(|seen| {
        let before = count;
        count += usize::from(seen.wrote(ground.manifest));
        before
    });
    calls.collect()
}

/// Whether all that show a member late show one value of it as long as nothing is written.
fn one_value(name: &str, all: &[Late<'_>], found: &LateMembers<'_>, writes: &[usize]) -> bool {
    let shows = |late: &&Late<'_>| {
        found.get(&late.way).is_some_and(|held| held.iter().any(|(known, _)| known.as_ref() == name))
    };
    let mut last: HashMap<&str, (usize, Option<&Value>)> = HashMap::new();
    all.iter().filter(shows).all(|late| {
        let now = late.object.get(name);
        let held = last.insert(&late.key, (late.seen, now));
        held.is_none_or(|(seen, held)| {
            writes.get(seen) != writes.get(late.seen)
                || match (held, now) {
                    (Some(held), Some(now)) => held.same_as(now),
                    (held, now) => held.is_none() && now.is_none(),
                }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case::alike(r#"{"id":1,"labels":["a"]}"#, 4, true)]
    #[case::otherwise(r#"{"id":1,"labels":["b"]}"#, 4, false)]
    #[case::left_out(r#"{"id":1}"#, 4, false)]
    #[case::otherwise_after_a_write(r#"{"id":1,"labels":["b"]}"#, 5, true)]
    fn a_member_has_one_value_until_a_write(#[case] second: &str, #[case] seen: usize, #[case] expected: bool) {
        let (first, second) = (value(r#"{"id":1,"labels":["a"]}"#), value(second));
        let late = |seen: usize, way: usize, of: &'static Value| Late {
            seen,
            way,
            key: "1".into(),
            object: of.as_object().unwrap(),
        };
        let (first, second): (&'static Value, &'static Value) =
            (Box::leak(Box::new(first)), Box::leak(Box::new(second)));
        let all = [late(3, 0, first), late(seen, 1, second)];
        let object = first.as_object().unwrap();
        let found = BTreeMap::from([(0, vec![("labels".into(), object)]), (1, vec![("labels".into(), object)])]);
        assert_eq!(one_value("labels", &all, &found, &[0, 0, 0, 1, 1, 2]), expected);
    }
}
