//! Proposing preconditions: what the state held when a recorded write was refused, that it did not hold at any recorded
//! success. Each is needed by a refusal and contradicted by nothing.

use super::derive::Derivation;
use super::effect_relation::Relation;
use super::entity::IDENTITY_NAMES;
use super::evaluate::has_token;
use super::line::scalar_text;
use super::naming::is_plural_of;
use super::observe::Seen;
use super::path::scalar_paths;
use super::precondition::{Called, Ground, Precondition, named_texts, number_of};
use super::recorded_refusal::tells_of_the_state;
use super::slot::{Slot, merged};
use super::store::{Entity, World};
use super::write_plan::{TargetPlace, WritePlan};
use super::write_sample::{Fate, Sample};
use crate::json::Value;
use crate::manifest::Segment;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Successes that name something held before the same member naming nothing can be what a refusal is about.
const MIN_NAMING: usize = 2;
/// Bytes of a word that a message can be said to name.
const MIN_WORD: usize = 4;
/// Segments of a member path that names another entity, at the most.
const MAX_NAMING: usize = 3;

/// A recorded write that was refused, and what it was about.
#[derive(Debug)]
pub(super) struct Refused<'a> {
    /// The call.
    pub call: &'a Seen,
    /// The target, where it was held.
    pub held: Option<Arc<Entity>>,
    /// What it was called.
    pub asked: Option<String>,
    /// The world at the time.
    pub world: World,
}

impl Refused<'_> {
    /// Whether the target is known to have been absent.
    pub(super) fn is_absent(&self, work: &Derivation<'_>, kind: usize) -> bool {
        let asked = self.asked.as_deref().filter(|_| self.held.is_none());
        asked.is_some_and(|asked| work.derived.knows_absent(&self.world, kind, None, asked))
    }
}

impl Derivation<'_> {
    /// The preconditions of a plan, in the order of the refusals that show them.
    pub(super) fn preconditions(
        &self,
        plan: &WritePlan,
        samples: &[Sample<'_>],
        refused: &[&Refused<'_>],
    ) -> Vec<Precondition> {
        let kind = plan.target.entity_type;
        if kind >= self.derived.types.len() || refused.is_empty() {
            return Vec::new();
        }
        let successes: Vec<Called<'_>> = samples
            .iter()
            .filter(|sample| sample.fate != Fate::Missed)
            .map(|sample| {
                let held = super::write_sample::entity_of(&sample.world, &sample.key);
                Called::new(&self.derived, plan, &sample.call.as_write(), held, &sample.world)
            })
            .collect();
        let mut found: Vec<Precondition> = Vec::new();
        for refused in refused {
            // What is addressed and absent is answered as an absence.
            let creates = matches!(plan.target.place, TargetPlace::Collection)
                || plan.parts.iter().any(|part| part.effect == super::coverage::Effect::Create);
            if refused.held.is_none() && !creates {
                continue;
            }
            let called =
                Called::new(&self.derived, plan, &refused.call.as_write(), refused.held.clone(), &refused.world);
            let scene = called.scene(&self.derived);
            let status = |held: &Precondition| self.observed.of_record(held.record).map(|seen| seen.status);
            let of_status = |held: &&mut Precondition| status(held) == Some(refused.call.status);
            if let Some(held) = found.iter_mut().filter(of_status).find(|held| held.ground.met(scene).is_some()) {
                held.explains.push(refused.call.record);
                continue;
            }
            let Some(ground) = self.ground(kind, refused.call, &called, &successes, samples) else { continue };
            let other = ground.met(scene).flatten();
            let body = refused.call.body.clone();
            let named = body.as_ref().map(|body| named_texts(body, scene, other.as_deref())).unwrap_or_default();
            let per_response = self.made_anew_by(refused.call.tool, refused.call.status, &[]);
            let record = refused.call.record;
            // Where a body has the number twice, one of them may be another one.
            let once = |number: &i64| body.as_ref().is_some_and(|body| times(body, &Value::from(*number)) == 1);
            let number = other.as_deref().and_then(number_of).filter(once);
            found.push(Precondition {
                ground,
                record,
                explains: vec![record],
                body,
                named,
                other: number,
                per_response,
            });
        }
        found
    }

    /// What refuses a call and would have refused none of those that succeeded.
    fn ground(
        &self,
        kind: usize,
        call: &Seen,
        called: &Called<'_>,
        successes: &[Called<'_>],
        samples: &[Sample<'_>],
    ) -> Option<Ground> {
        let message = call.body.as_deref().map(Value::to_compact).unwrap_or_default().to_lowercase();
        let scene = called.scene(&self.derived);
        let holds = |ground: &Ground| {
            ground.met(scene).is_some()
                && successes.iter().all(|success| ground.met(success.scene(&self.derived)).is_none())
        };
        let sent = called.sent.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str());
        let seen = sent.filter(|name| called.held.is_some() && says_what_was_seen(name, samples));
        if let Some(found) = seen.map(|name| Ground::Stale(name.into())).find(|ground| holds(ground)) {
            return Some(found);
        }
        if let Some(found) =
            self.sent_grounds(kind, called, successes, &message).into_iter().find(|ground| holds(ground))
        {
            return Some(found);
        }
        if let Some(found) =
            lacked(called, successes, &message).filter(&holds).filter(|_| !tells_of_the_state(call.status))
        {
            return Some(found);
        }
        // Nothing that was sent is to blame where the same was taken from another.
        let alike = |success: &Called<'_>| success.query == called.query && success.sent.same_as(&called.sent);
        if matches!(call.status, 404 | 410) && called.held.is_some() {
            return done_already(called, samples).into_iter().find(|ground| holds(ground));
        }
        if tells_of_the_state(call.status) || called.held.is_none() {
            return None;
        }
        // The query is to blame where the same was taken with other parameters, and never with these.
        let names = |held: &Called<'_>| held.query.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let elsewhere = successes.iter().any(|success| success.sent.same_as(&called.sent));
        // A fault of the server says nothing of what was asked; that it does not do it (501) does.
        let faulty = call.status >= 500 && call.status != 501;
        if elsewhere && !faulty && !successes.iter().any(|success| names(success) == names(called)) {
            return Some(Ground::Query(called.query.clone()));
        }
        if !successes.iter().any(alike) {
            return None;
        }
        self.referred(kind, &holds).or_else(|| condition(called, &message, &holds).filter(|_| !faulty))
    }

    /// Grounds that what was sent suggests, the likeliest first.
    fn sent_grounds(&self, kind: usize, called: &Called<'_>, successes: &[Called<'_>], message: &str) -> Vec<Ground> {
        let Some(members) = called.sent.as_object() else { return Vec::new() };
        // What lacks a member that every success sends may be refused for that.
        let mut whole = successes.iter().filter(|success| success.held.is_some() == called.held.is_some());
        let names = |value: &Value| -> BTreeSet<String> {
            let members = value.as_object().into_iter().flatten();
            members.filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect()
        };
        let sent = names(&called.sent);
        let needed = whole.next().map(|first| {
            whole.fold(names(&first.sent), |all, success| all.intersection(&names(&success.sent)).cloned().collect())
        });
        if needed.is_none_or(|needed| !needed.is_subset(&sent)) {
            return Vec::new();
        }
        let mut named: Vec<(usize, Box<str>)> = members
            .iter()
            .filter_map(|(name, _)| name.as_str())
            .map(|name| {
                let rank = IDENTITY_NAMES.iter().position(|known| *known == name).unwrap_or(IDENTITY_NAMES.len());
                (if has_token(message, &name.to_lowercase()) { 0 } else { 1 + rank }, name.into())
            })
            .collect();
        named.sort();
        let taken = named.iter().filter(|(_, name)| self.all_differ(kind, name, called.world));
        let mut grounds: Vec<Ground> = taken.map(|(_, name)| Ground::Taken(name.clone())).collect();
        for (_, name) in &named {
            let texts: Vec<String> = successes
                .iter()
                .filter_map(|success| success.sent.get(name).filter(|value| !value.is_null()).and_then(scalar_text))
                .collect();
            if texts.len() < MIN_NAMING {
                continue;
            }
            let kinds = (0..self.derived.types.len()).filter(|of| {
                let sent =
                    successes.iter().filter(|success| success.sent.get(name).is_some_and(|value| !value.is_null()));
                let distinct: BTreeSet<&String> = texts.iter().collect();
                (distinct.len() >= MIN_NAMING || *of != kind)
                    && sent.zip(&texts).all(|(success, text)| success.world.named(*of, text).next().is_some())
            });
            grounds.extend(kinds.map(|of| Ground::Unnamed(name.clone(), of)));
        }
        grounds
    }

    /// Whether all entities of a type have another text at a member, within each collection.
    fn all_differ(&self, kind: usize, member: &str, world: &World) -> bool {
        let mut any = false;
        let differ = world.collections(kind).all(|(_, held)| {
            let mut texts = BTreeSet::new();
            held.iter().filter_map(|entity| entity.fields.get(member)).filter_map(Value::as_str).all(|text| {
                any = true;
                text.is_empty() || texts.insert(text.to_owned())
            })
        });
        differ && any
    }

    fn referred(&self, kind: usize, holds: &dyn Fn(&Ground) -> bool) -> Option<Ground> {
        let others = 0..self.derived.types.len();
        let ways: Vec<(usize, Relation)> = others
            .flat_map(|other| {
                let ways = self.ways_to_refer(other, kind);
                ways.into_iter().map(move |relation| (other, relation))
            })
            .filter(|way| holds(&Ground::Referred(vec![way.clone()])))
            .collect();
        (!ways.is_empty()).then_some(Ground::Referred(ways))
    }

    /// How entities of a type may refer to those of another: as reads show, or by a member that is called like it.
    pub(super) fn ways_to_refer(&self, other: usize, kind: usize) -> Vec<Relation> {
        let mut ways = self.ways_to_name(other, kind, MAX_NAMING);
        let home = self.derived.types[kind].template.segments.iter().rev();
        let Some(word) = home.filter_map(Segment::literal).next().filter(|_| other != kind) else { return ways };
        let world = &self.derived.world;
        let values: Vec<Value> =
            world.collections(other).flat_map(|(_, held)| held.iter()).map(|entity| merged(entity)).collect();
        let identity = &self.derived.types[other].identity;
        for path in scalar_paths(values.iter()).into_iter().filter(|path| path.0.len() <= MAX_NAMING) {
            let way = Relation::Member(path.clone());
            if path != *identity && path.names().any(|name| is_called_like(name, word)) && !ways.contains(&way) {
                ways.push(way);
            }
        }
        ways
    }
}

/// Whether a member is called like what a collection is called: `shelf_id`, `shelf` and `shelfId` for `shelves`.
fn is_called_like(name: &str, word: &str) -> bool {
    let stem = ["_id", "Id", "ID", "_uuid", "Uuid"].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name);
    stem.len() > 2 && is_plural_of(&word.to_ascii_lowercase(), &stem.to_ascii_lowercase())
}

/// Whether a member is sent as it is held, and is another after at least one of the calls: it says what the caller saw.
fn says_what_was_seen(name: &str, samples: &[Sample<'_>]) -> bool {
    let slot = Slot { name: name.into(), source: None };
    let mut renewed = false;
    let told = samples.iter().filter_map(|sample| Some((sample, sample.sent.get(name)?)));
    let mut told = told.filter(|(sample, _)| sample.fate == Fate::Changed);
    told.all(|(sample, sent)| {
        let is_sent = |shown: &Option<Value>| shown.as_ref().is_some_and(|held| held.same_as(sent));
        renewed |= sample.after.get(&slot).is_some_and(|after| !is_sent(after));
        sample.before.get(&slot).is_some_and(is_sent)
    }) && renewed
}

/// Members of the target that are as the tool makes them: what it did cannot be done again.
fn done_already(called: &Called<'_>, samples: &[Sample<'_>]) -> Vec<Ground> {
    let Some(held) = called.held.as_deref().map(merged) else { return Vec::new() };
    let mut grounds = Vec::new();
    // What all calls made, the first one made.
    let first = samples.iter().find(|sample| sample.fate == Fate::Changed);
    for (slot, after) in first.into_iter().flat_map(|sample| &sample.after) {
        let Some(value) = after.as_ref().filter(|value| held.get(&slot.name).is_some_and(|held| held.same_as(value)))
        else {
            continue;
        };
        let made = samples.iter().filter(|sample| sample.fate == Fate::Changed).all(|sample| {
            let is =
                |shown: Option<&Option<Value>>| shown.and_then(Option::as_ref).is_some_and(|held| held.same_as(value));
            is(sample.after.get(slot)) && !is(sample.before.get(slot))
        });
        let ground = Ground::Holds(slot.name.clone(), value.clone());
        if made && slot.source.is_none() && !grounds.contains(&ground) {
            grounds.push(ground);
        }
    }
    grounds
}

/// A member of the target that says so: the only switch that tells it from those that were taken, or one that the message
/// speaks of.
fn condition(called: &Called<'_>, message: &str, holds: &dyn Fn(&Ground) -> bool) -> Option<Ground> {
    let members = merged(called.held.as_deref()?);
    let grounds: Vec<Ground> = members
        .as_object()?
        .iter()
        .filter(|(_, value)| value.as_bool().is_some() || value.as_str().is_some())
        .filter_map(|(name, value)| Some(Ground::Holds(name.as_str()?.into(), value.clone())))
        .filter(holds)
        .collect();
    let spoken = |ground: &&Ground| match ground {
        Ground::Holds(name, value) => {
            words_of(name).iter().any(|word| message.contains(word.as_str()))
                && (value.as_bool().is_some()
                    || value.as_str().is_some_and(|text| message.contains(&text.to_lowercase())))
        }
        _ => false,
    };
    if let Some(found) = grounds.iter().find(spoken) {
        return Some(found.clone());
    }
    let mut switches =
        grounds.into_iter().filter(|ground| matches!(ground, Ground::Holds(_, value) if value.as_bool().is_some()));
    let only = switches.next()?;
    switches.next().is_none().then_some(only)
}

/// A member of the target that is another than in all that were taken, where the message names what those have: `a
/// non-active shelf`, and all that were taken are `active`. Something else sent is no reason then.
fn lacked(called: &Called<'_>, successes: &[Called<'_>], message: &str) -> Option<Ground> {
    let held = merged(called.held.as_deref()?);
    let taken: Vec<Value> = successes.iter().filter_map(|success| success.held.as_deref()).map(merged).collect();
    let first = taken.first().filter(|_| taken.len() >= MIN_NAMING && taken.len() == successes.len())?;
    let mut told = held.as_object()?.iter().filter_map(|(name, value)| {
        let (name, had) = (name.as_str()?, first.get(name.as_str()?)?);
        let text = had.as_str().filter(|text| text.len() >= MIN_WORD)?.to_lowercase();
        let all = taken.iter().all(|value| value.get(name).is_some_and(|value| value.same_as(had)));
        (all && value.as_str().is_some() && !value.same_as(had) && has_token(message, &text))
            .then(|| Ground::Holds(name.into(), value.clone()))
    });
    let only = told.next()?;
    told.next().is_none().then_some(only)
}

/// How often a document holds a value.
fn times(document: &Value, value: &Value) -> usize {
    match document.plain() {
        Value::Array(items) => items.iter().map(|item| times(item, value)).sum(),
        Value::Object(object) => object.iter().map(|(_, inner)| times(inner, value)).sum(),
        _ => usize::from(document.same_as(value)),
    }
}

/// The words of a member's name, in small letters: those of four and more.
fn words_of(name: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    for letter in name.chars() {
        if letter.is_uppercase() || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
    }
    words.retain(|word| word.len() >= MIN_WORD);
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn called<'a>(world: &'a World, held: &str, sent: &str) -> Called<'a> {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let held = Arc::new(Entity::new("/shelves", "1", value(held)));
        Called { world, kind: 0, collection: None, held: Some(held), sent: value(sent), query: Vec::new() }
    }

    #[rstest]
    #[case::what_all_others_have("cannot rename a non-active shelf", &["active", "active"], true)]
    #[case::part_of_a_word("the shelf is inactive", &["active", "active"], false)]
    #[case::others_had_it("cannot rename a non-active shelf", &["active", "gone"], false)]
    #[case::one_is_no_rule("cannot rename a non-active shelf", &["active"], false)]
    fn a_message_names_what_the_target_lacks(#[case] message: &str, #[case] taken: &[&str], #[case] found: bool) {
        let world = World::default();
        let shelf = |stage: &str, sent: &str| called(&world, &format!(r#"{{"id":1,"stage":"{stage}"}}"#), sent);
        let taken: Vec<Called<'_>> = taken.iter().map(|stage| shelf(stage, r#"{"name":"a"}"#)).collect();
        let ground = lacked(&shelf("gone", r#"{"name":"b"}"#), &taken, message);
        assert_eq!(ground, found.then(|| Ground::Holds("stage".into(), Value::from("gone"))));
    }

    #[rstest]
    #[case("shelf_id", "shelves", true)]
    #[case("shelf", "shelves", true)]
    #[case("categoryId", "categories", true)]
    #[case("author", "authors", true)]
    #[case("pages", "shelves", false)]
    #[case("id", "ideas", false)]
    #[case("note", "notifications", false)]
    #[case("car_id", "categories", false)]
    #[case("use_id", "users", false)]
    fn names_of_references(#[case] name: &str, #[case] word: &str, #[case] expected: bool) {
        assert_eq!(is_called_like(name, word), expected);
    }
}
