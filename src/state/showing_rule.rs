//! Rules for members that a representation never showed of some entities: a constant, another member's value, the same
//! member in other words or as another spelling of a clock, a text made of others. Kept where every showing comes out.

use super::clock_format::ClockFormat;
use super::path::{MemberPath, scalar_paths};
use super::render_entity::parts_of;
use super::representation::{Gathered, Population};
use super::types::MemberRule;
use crate::json::{Object, Value};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// The entities that one representation showed.
pub(super) struct Showing<'p, 'a> {
    way: usize,
    entities: Vec<&'p Gathered<'a>>,
    /// How many it did not show.
    missing: usize,
    /// Scalar paths of what other representations show of them.
    others: OnceCell<Vec<MemberPath>>,
}

impl<'p, 'a> Showing<'p, 'a> {
    pub(super) fn new(population: &'p Population<'a>, way: usize) -> Self {
        let all = population.entities.values();
        let entities: Vec<&Gathered<'_>> = all.filter(|entity| entity.shown.contains_key(&way)).collect();
        Self { way, missing: population.entities.len() - entities.len(), entities, others: OnceCell::new() }
    }
}

/// Words that two spellings of one member may have.
const MAX_WORDS: usize = 64;

/// What a representation that does not share the member's value shows at the member of the same name of an entity.
fn elsewhere<'a>(entity: &Gathered<'a>, name: &str, shares: &dyn Fn(usize) -> bool) -> Option<&'a Value> {
    entity.shown.iter().filter(|(other, _)| !shares(**other)).find_map(|(_, shown)| shown.get(name))
}

/// A clock of the same name that another representation spells otherwise. Two instants at the least have to come out, and
/// every one that both show; where one shows none (null), so does the other.
fn clock_rule(showing: &[&Gathered<'_>], name: &str, way: usize, shares: &dyn Fn(usize) -> bool) -> Option<MemberRule> {
    let pairs: Vec<(&Value, &Value)> = showing
        .iter()
        .filter_map(|entity| Some((elsewhere(entity, name, shares)?, entity.shown.get(&way)?.get(name)?)))
        .filter(|(other, own)| !(other.is_null() && own.is_null()))
        .collect();
    let (other, own) = pairs.first()?;
    let format = ClockFormat::between(other, own)?;
    let spelled = pairs.iter().all(|(other, own)| format.respell(other).is_some_and(|made| made.same_as(own)));
    let instants = pairs.iter().any(|(_, value)| !value.same_as(own));
    (spelled && instants).then_some(MemberRule::Clock(format))
}

/// A member of the same name that another representation spells with other words: each word always stands for the same
/// one (`running` in the list is `live` in the item). Two entities at the least have to agree on it.
fn words_rule(showing: &[&Gathered<'_>], name: &str, way: usize, shares: &dyn Fn(usize) -> bool) -> Option<MemberRule> {
    let mut words: Vec<(Value, Value)> = Vec::new();
    let mut seen = 0;
    for entity in showing {
        let own = entity.shown.get(&way)?.get(name)?;
        let Some(other) = elsewhere(entity, name, shares) else { continue };
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

/// A list of the same name that another representation shows with more of its items' members. Two lists that are not empty
/// have to come out, and all others.
fn parts_rule(showing: &[&Gathered<'_>], name: &str, way: usize, shares: &dyn Fn(usize) -> bool) -> Option<MemberRule> {
    let pairs: Vec<(&Value, &Value)> = showing
        .iter()
        .filter_map(|entity| Some((elsewhere(entity, name, shares)?, entity.shown.get(&way)?.get(name)?)))
        .collect();
    let mut filled =
        pairs.iter().filter_map(|(whole, own)| Some((whole.as_array()?.first()?, own.as_array()?.first()?)));
    let (whole, own) = filled.next()?;
    let names: Vec<Box<str>> = own.as_object()?.iter().filter_map(|(name, _)| name.as_str().map(Box::from)).collect();
    let more = whole.as_object()?.len() > names.len();
    let comes_out = |(whole, own): &(&Value, &Value)| parts_of(whole, &names).is_some_and(|made| made.same_as(own));
    (more && filled.next().is_some() && pairs.iter().all(comes_out)).then_some(MemberRule::Parts(names))
}

/// A rule for a member that some entities were never shown with: constant, copy, or another member between fixed texts.
pub(super) fn propose_rule(held: &Showing<'_, '_>, name: &str, shares: &dyn Fn(usize) -> bool) -> Option<MemberRule> {
    let (way, showing, missing) = (held.way, &held.entities, held.missing);
    let values: Vec<&Value> = showing.iter().filter_map(|entity| entity.shown.get(&way)?.get(name)).collect();
    if values.len() != showing.len() || values.is_empty() {
        return None;
    }
    // Another spelling of the same member is proven by those shown both ways; one that was never shown at all has it too.
    let spelled = clock_rule(showing, name, way, shares)
        .or_else(|| words_rule(showing, name, way, shares))
        .or_else(|| parts_rule(showing, name, way, shares));
    if spelled.is_some() {
        return spelled;
    }
    if missing == 0 {
        return None;
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
