//! Effects on documents: numbers in them that count the entities of a type, and documents that a write changes in a way
//! that nothing explains.

use super::derive::Derivation;
use super::document::document_key;
use super::document_moving::{differing, settled};
use super::effect::{Done, EffectRule};
use super::effect_propose::conditions;
use super::generate::{count_value, counted};
use super::line::scalar_text;
use super::path::{MemberPath, Step};
use super::slot::merged;
use super::store::{Document, Entity, World};
use super::types::View;
use super::write_truth::Truth;
use crate::capture::is_success;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Entities that are looked at for conditions.
const MAX_SAMPLE: usize = 60;

/// A number in a document that counts entities.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentCount {
    /// The tool that reads the document.
    pub tool: usize,
    /// Its key in the world.
    pub key: Box<str>,
    /// Where the number is.
    pub path: MemberPath,
    /// The counted type.
    pub of: usize,
    /// Only entities whose member has this value count.
    pub only: Option<(MemberPath, Value)>,
}

impl DocumentCount {
    fn counts(&self, entity: &Entity) -> bool {
        self.only
            .as_ref()
            .is_none_or(|(path, value)| path.direct(&merged(entity)).is_some_and(|held| held.same_as(value)))
    }

    fn number(&self, world: &World) -> i64 {
        let entities = world.collections(self.of).flat_map(|(_, collection)| collection.iter());
        i64::try_from(entities.filter(|entity| self.counts(entity)).count()).unwrap_or(i64::MAX)
    }
}

/// Follows a write of a counted entity in a document.
pub(super) fn count_in_document(world: &mut World, rule: &DocumentCount, done: &Done<'_>) {
    let counts = |entity: Option<&Entity>| i64::from(entity.is_some_and(|entity| rule.counts(entity)));
    let change = counts(done.after) - counts(done.before);
    let Some(held) = world.document(rule.tool, &rule.key).filter(|_| change != 0) else { return };
    let Some((number, digits)) = rule.path.direct(&held.value).and_then(counted) else { return };
    let mut value = held.value.as_ref().clone();
    let record_ordinal = held.record_ordinal;
    let mut at = &mut value;
    for step in &rule.path.0 {
        let Step::Member(name) = step else { return };
        let Some(next) = at.as_object_mut().and_then(|object| object.get_mut(name)) else { return };
        at = next;
    }
    *at = count_value(number.saturating_add(change), digits);
    world.set_document(rule.tool, &rule.key, Document { value: Arc::new(value), record_ordinal });
}

/// One reading of a document, with the world at that time.
struct Reading<'t> {
    index: usize,
    value: Arc<Value>,
    world: &'t World,
}

/// The effects on documents that a capture shows.
pub(super) fn propose_documents(work: &Derivation<'_>, truth: &Truth<'_>) -> Vec<EffectRule> {
    let mut readings: BTreeMap<(usize, String), Vec<Reading<'_>>> = BTreeMap::new();
    for (index, call) in work.observed.seen.iter().enumerate() {
        let (View::Document(view), Some(line), Some(body)) = (&work.derived.views[call.tool], &call.line, &call.body)
        else {
            continue;
        };
        if !is_success(call.status) {
            continue;
        }
        let world = truth.readings.get(&index).unwrap_or(&work.derived.world);
        let key = document_key(&call.path, line);
        let of_line = readings.entry((call.tool, key)).or_default();
        // What moves by itself tells of no write.
        let value = match of_line.first() {
            Some(first) => settled(body, &first.value, &view.moving),
            None => Arc::clone(body),
        };
        of_line.push(Reading { index, value, world });
    }
    let mut rules = Vec::new();
    for ((tool, key), readings) in &readings {
        if work.derived.world.document(*tool, key).is_none() || readings.len() < 2 {
            continue;
        }
        let mut explained: Vec<MemberPath> = Vec::new();
        for path in changing(readings) {
            if let Some(rule) = document_count(work, *tool, key, &path, readings) {
                rules.push(EffectRule::DocumentCount(Box::new(rule)));
                explained.push(path);
            }
        }
        for rule in siblings(work, &rules, (*tool, key), readings, &explained) {
            explained.push(rule.path.clone());
            rules.push(EffectRule::DocumentCount(Box::new(rule)));
        }
        let mut causes: BTreeSet<usize> = BTreeSet::new();
        for pair in readings.windows(2) {
            let differs = differing(&pair[0].value, &pair[1].value).iter().any(|path| !explained.contains(path));
            if differs {
                causes.extend(causes_between(work, *tool, &pair[0], &pair[1]));
            }
        }
        let forget = |cause| EffectRule::ForgetDocument { cause, tool: *tool, key: key.as_str().into() };
        rules.extend(causes.into_iter().map(forget));
    }
    rules
}

/// The tools of the writes between two readings; none where one of them writes the document itself.
fn causes_between(work: &Derivation<'_>, tool: usize, one: &Reading<'_>, other: &Reading<'_>) -> BTreeSet<usize> {
    let own = super::derive::trimmed(&work.manifest.tools[tool]);
    let writes = work.observed.seen[one.index..other.index].iter().filter(|call| call.wrote(work.manifest));
    let causes: BTreeSet<usize> = writes.map(|call| call.tool).collect();
    let itself = |cause: &usize| {
        let path = super::derive::trimmed(&work.manifest.tools[*cause]);
        path.starts_with(own) || own.starts_with(path)
    };
    if causes.iter().any(itself) { BTreeSet::new() } else { causes }
}

/// Paths of numbers that differ between readings.
fn changing(readings: &[Reading<'_>]) -> Vec<MemberPath> {
    let mut found: Vec<MemberPath> = Vec::new();
    for pair in readings.windows(2) {
        for path in differing(&pair[0].value, &pair[1].value) {
            if !found.contains(&path) && path.direct(&pair[1].value).and_then(counted).is_some() {
                found.push(path);
            }
        }
    }
    found
}

/// The type whose entities a number counts in all readings.
fn document_count(
    work: &Derivation<'_>,
    tool: usize,
    key: &str,
    path: &MemberPath,
    readings: &[Reading<'_>],
) -> Option<DocumentCount> {
    let numbers: Vec<i64> =
        readings.iter().map(|reading| Some(path.direct(&reading.value).and_then(counted)?.0)).collect::<Option<_>>()?;
    for of in 0..work.derived.types.len() {
        let worlds = readings.iter().map(|reading| reading.world);
        let sample: Vec<Arc<Value>> = worlds
            .flat_map(|world| world.collections(of))
            .flat_map(|(_, held)| held.iter())
            .take(MAX_SAMPLE)
            .map(|entity| Arc::new(merged(entity)))
            .collect();
        // A number that is called as the value is likelier its count than that of another one.
        let (named, others): (Vec<_>, Vec<_>) =
            conditions(&sample).into_iter().partition(|(_, value)| is_called(path, value));
        let conditions = named.into_iter().map(Some).chain(std::iter::once(None)).chain(others.into_iter().map(Some));
        for only in conditions {
            let rule = DocumentCount { tool, key: key.into(), path: path.clone(), of, only };
            let counts = readings.iter().zip(&numbers).all(|(reading, number)| rule.number(reading.world) == *number);
            if counts {
                return Some(rule);
            }
        }
    }
    None
}

/// Whether a number is called as the value that is counted.
fn is_called(path: &MemberPath, value: &Value) -> bool {
    path.last_name().is_some() && path.last_name() == scalar_text(value).as_deref()
}

/// Counts beside those that were found: where a number that is called as a value counts what holds it, one beside it that is
/// called otherwise counts what holds that, though no recorded write changed it.
fn siblings(
    work: &Derivation<'_>,
    rules: &[EffectRule],
    (tool, key): (usize, &str),
    readings: &[Reading<'_>],
    explained: &[MemberPath],
) -> Vec<DocumentCount> {
    let mut found: Vec<DocumentCount> = Vec::new();
    for rule in rules {
        let EffectRule::DocumentCount(rule) = rule else { continue };
        let Some((member, value)) = &rule.only else { continue };
        let Some((_, around)) = rule.path.0.split_last() else { continue };
        if rule.tool != tool || *rule.key != *key || value.as_str().is_none() || !is_called(&rule.path, value) {
            continue;
        }
        let around = MemberPath(around.to_vec());
        let Some(object) = readings.first().and_then(|first| around.direct(&first.value)?.as_object()) else {
            continue;
        };
        for name in object.iter().filter_map(|(name, _)| name.as_str()) {
            let mut path = around.clone();
            path.0.push(Step::Member(name.into()));
            if explained.contains(&path) || found.iter().any(|held| held.path == path) {
                continue;
            }
            let only = Some((member.clone(), Value::from(name)));
            let beside = DocumentCount { tool, key: key.into(), path, of: rule.of, only };
            let counts = |reading: &Reading<'_>| {
                let number = beside.path.direct(&reading.value).and_then(counted);
                number.is_some_and(|(number, _)| number == beside.number(reading.world))
            };
            let holds =
                |(_, held): (&str, &super::population::Collection)| held.iter().any(|entity| beside.counts(entity));
            if work.derived.world.collections(rule.of).any(holds) && readings.iter().all(counts) {
                found.push(beside);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case::created(None, Some(r#"{"open":true}"#), r#"{"n":{"open":4}}"#)]
    #[case::closed(Some(r#"{"open":true}"#), Some(r#"{"open":false}"#), r#"{"n":{"open":2}}"#)]
    #[case::not_counted(None, Some(r#"{"open":false}"#), r#"{"n":{"open":3}}"#)]
    #[case::removed(Some(r#"{"open":true}"#), None, r#"{"n":{"open":2}}"#)]
    fn a_count_follows(#[case] before: Option<&str>, #[case] after: Option<&str>, #[case] expected: &str) {
        let mut world = World::default();
        let held = Document { value: Arc::new(value(r#"{"n":{"open":3}}"#)), record_ordinal: None };
        world.set_document(4, "/stats", held);
        let path = MemberPath(vec![Step::Member("n".into()), Step::Member("open".into())]);
        let only = Some((MemberPath::member("open"), Value::Bool(true)));
        let rule = DocumentCount { tool: 4, key: "/stats".into(), path, of: 0, only };
        let entity = |text: Option<&str>| text.map(|text| Entity::new("/x", "1", value(text)));
        let (before, after) = (entity(before), entity(after));
        let was = world.clone();
        let done = Done::by((0, 0), before.as_ref(), after.as_ref(), &was);
        count_in_document(&mut world, &rule, &done);
        assert_eq!(world.document(4, "/stats").unwrap().value.to_compact(), expected);
    }
}
