//! Laws over random sequences of served writes, against the state of every scenario: the recorded calls, with members left
//! out, values exchanged and other targets, in any order.

use super::recording::{Made, scenario};
use crate::capture::is_success;
use crate::json::{Value, parse};
use crate::manifest::decode_once;
use crate::state::effect::EffectRule;
use crate::state::evaluate::select_list;
use crate::state::generate::counted;
use crate::state::identity::identity_text;
use crate::state::line::scalar_text;
use crate::state::observe::{Seen, is_read};
use crate::state::slot::merged;
use crate::state::types::View;
use crate::state::{Line, Read, World, Write, Written, load_state, write_state_document};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rstest::rstest;
use std::collections::BTreeMap;

/// Sequences for each scenario.
const SEQUENCES: u32 = 12;
/// Calls in a sequence.
const CALLS: usize = 10;

/// One call of a sequence: numbers that choose, each of as many as there are then.
#[derive(Clone, Debug)]
struct Choice {
    call: prop::sample::Index,
    /// Which held entity it is about; none leaves the recorded one.
    target: Option<prop::sample::Index>,
    /// Which other call's value a member takes.
    other: Option<(prop::sample::Index, prop::sample::Index)>,
    /// Which member is left out.
    without: Option<prop::sample::Index>,
}

fn choice() -> impl Strategy<Value = Choice> {
    let index = any::<prop::sample::Index>;
    let target = prop::option::weighted(0.6, index());
    let other = prop::option::weighted(0.4, (index(), index()));
    let without = prop::option::weighted(0.2, index());
    (index(), target, other, without).prop_map(|(call, target, other, without)| Choice { call, target, other, without })
}

/// The recorded calls of served write tools.
fn written(made: &Made) -> Vec<&Seen> {
    let served = |seen: &&Seen| made.derived.plan(seen.tool).is_some() && is_success(seen.status);
    made.observed.seen.iter().filter(served).collect()
}

/// The call that a choice makes of the recorded ones.
fn chosen(made: &Made, world: &World, calls: &[&Seen], choice: &Choice) -> Seen {
    let mut call = (*choice.call.get(calls)).clone();
    let kind = made.derived.plan(call.tool).map_or(0, |plan| plan.target.entity_type);
    let held: Vec<String> =
        world.collections(kind).flat_map(|(_, held)| held.iter()).map(|entity| entity.id.to_string()).collect();
    if let (Some(target), Some(last)) = (&choice.target, call.parameters.last_mut())
        && !held.is_empty()
    {
        let id = target.get(&held).clone();
        if let Some(cut) = call.path.rfind(last.as_str()).filter(|_| decode_once(last) == *last) {
            call.path = format!("{}{id}{}", &call.path[..cut], &call.path[cut + last.len()..]);
            *last = id;
        }
    }
    let Some(mut sent) = call.sent.as_deref().cloned() else { return call };
    let others: Vec<&Value> = calls.iter().filter_map(|other| other.sent.as_deref()).collect();
    if let Some(object) = sent.as_object_mut() {
        let names: Vec<String> = object.iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)).collect();
        if let (Some((member, other)), false) = (&choice.other, names.is_empty()) {
            let name = member.get(&names);
            if let Some(value) = other.get(&others).get(name) {
                object.set(name.as_str(), value.clone());
            }
        }
        if let (Some(without), false) = (&choice.without, names.is_empty()) {
            let name: &String = without.get(&names);
            object.remove(name);
        }
    }
    call.sent = Some(sent.into());
    call
}

fn document(made: &Made, world: &World) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_state_document(&made.derived, &made.manifest, world, "ev_1", &mut bytes);
    bytes
}

/// Every entity is where its collection and identity say, once.
fn keys_are_unique(made: &Made, world: &World) -> Result<(), TestCaseError> {
    for (kind, of) in made.derived.types.iter().enumerate() {
        for (path, collection) in world.collections(kind) {
            let mut ids: Vec<&str> = Vec::new();
            for entity in collection.iter() {
                prop_assert_eq!(entity.collection.as_ref(), path);
                let id = identity_text(of, Some(&entity.id), &merged(entity));
                prop_assert_eq!(id.as_deref(), Some(entity.id.as_ref()), "in {}", path);
                ids.push(&entity.id);
            }
            let count = ids.len();
            ids.sort_unstable();
            ids.dedup();
            prop_assert_eq!(ids.len(), count, "in {}", path);
        }
    }
    Ok(())
}

/// The lists that the recording read without a parameter, by the call.
fn bare_lists(made: &Made) -> Vec<&Seen> {
    let mut found: BTreeMap<&str, &Seen> = BTreeMap::new();
    for seen in &made.observed.seen {
        if is_read(&made.manifest.tools[seen.tool]) && seen.line.as_ref().is_some_and(Line::is_bare) {
            found.entry(&seen.path).or_insert(seen);
        }
    }
    found.into_values().collect()
}

/// No list shows an entity twice, or one that is not held.
fn lists_show_what_is_held(made: &Made, world: &World, lists: &[&Seen]) -> Result<(), TestCaseError> {
    for call in lists {
        let View::List(view) = &made.derived.views[call.tool] else { continue };
        let Some(line) = call.line.as_ref() else { continue };
        let read = Read { tool: call.tool, parameters: &call.parameters, path: &call.path, line: Some(line) };
        let Ok(selection) = select_list(&made.derived, world, view, read, line) else { continue };
        let mut keys = Vec::new();
        for entity in selection.listed().iter() {
            let held = world.collection(view.entity_type, &entity.collection).and_then(|held| held.get(&entity.id));
            prop_assert!(held.is_some(), "{} lists {} that is not held", call.path, entity.id);
            keys.push((entity.collection.to_string(), entity.id.to_string()));
        }
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        prop_assert_eq!(keys.len(), count, "{} lists one twice", &call.path);
    }
    Ok(())
}

/// How far each number that counts others is from what it counts, by its holder.
fn counts(made: &Made, world: &World) -> BTreeMap<(usize, String, String), i64> {
    let mut found = BTreeMap::new();
    for (rule, effect) in made.derived.effects.iter().enumerate() {
        let EffectRule::Count { holder, path, of, member, only } = effect else { continue };
        // What is not known to count says nothing of the number.
        let named = |id: &str| -> Option<i64> {
            let mut number = 0;
            for entity in world.collections(*of).flat_map(|(_, held)| held.iter()) {
                let values = merged(entity);
                let mut times = 0;
                member.visit(&values, &mut |scalar| {
                    times += i64::from(scalar_text(scalar).as_deref() == Some(id));
                    true
                });
                number += match only {
                    Some((path, value)) if times > 0 => times * i64::from(path.direct(&values)?.same_as(value)),
                    _ => times,
                };
            }
            Some(number)
        };
        for (home, collection) in world.collections(*holder) {
            for entity in collection.iter() {
                let shown = path.direct(&merged(entity)).and_then(counted);
                if let Some(((shown, _), named)) = shown.zip(named(&entity.id)) {
                    found.insert((rule, home.to_owned(), entity.id.to_string()), shown - named);
                }
            }
        }
    }
    found
}

/// Runs the choices; the answers, and the world after each.
fn run(made: &Made, calls: &[&Seen], choices: &[Choice]) -> Result<(Vec<String>, World), TestCaseError> {
    let lists = bare_lists(made);
    let mut world = made.derived.world.clone();
    let mut answers = Vec::new();
    for choice in choices {
        let call = chosen(made, &world, calls, choice);
        let plan = made.derived.plan(call.tool).ok_or_else(|| TestCaseError::fail("served tools have plans"))?;
        let write =
            Write { parameters: &call.parameters, path: &call.path, query: &call.query, body: call.sent.as_deref() };
        let before = document(made, &world);
        let answer = made.derived.write(&world, plan, &write, ("ev_1", "tool"));
        // Refused or not, what was the state until then is as it was, for sessions that still read it.
        prop_assert!(document(made, &world) == before, "{} changes the world that it began from", call.path);
        match answer {
            Err(refusal) => {
                prop_assert!(!refusal.message.is_empty() && !refusal.hint.is_empty());
                answers.push(refusal.message);
            }
            Ok(Written { world: next, body, view, ids, target, .. }) => {
                answers.push(format!("{view} {ids:?} {target:?} {:?}", body.map(|body| body.to_compact())));
                let Some(next) = next else { continue };
                keys_are_unique(made, &next)?;
                lists_show_what_is_held(made, &next, &lists)?;
                let (was, is) = (counts(made, &world), counts(made, &next));
                for (holder, off) in &is {
                    // A write may set the number itself; one that was right stays right.
                    prop_assert!(
                        was.get(holder).is_none_or(|was| *was != 0) || *off == 0,
                        "{holder:?} is {off} off after {}",
                        call.path
                    );
                }
                world = next;
            }
        }
    }
    Ok((answers, world))
}

#[rstest]
#[case::changedetection("changedetection")]
#[case::ghost("ghost")]
#[case::ihatemoney("ihatemoney")]
#[case::jupyter_server("jupyter-server")]
#[case::label_studio("label-studio")]
#[case::mlflow("mlflow")]
#[case::n8n("n8n")]
#[case::nautobot("nautobot")]
#[case::prefect("prefect")]
#[case::rabbitmq("rabbitmq")]
#[case::strapi("strapi")]
#[case::wordpress("wordpress")]
fn sequences_of_writes_keep_the_state_whole(#[case] name: &str) {
    let made = scenario(name);
    let calls = written(&made);
    assert!(!calls.is_empty());
    let start = document(&made, &made.derived.world);
    // The same sequences on every run.
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let config = Config { cases: SEQUENCES, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, rng);
    let outcome = runner.run(&prop::collection::vec(choice(), 1..=CALLS), |choices| {
        let (answers, world) = run(&made, &calls, &choices)?;
        // A reset is the world at the start, and the same calls give the same bytes after it.
        prop_assert!(document(&made, &made.derived.world) == start);
        let (again, same) = run(&made, &calls, &choices)?;
        prop_assert_eq!(answers, again);
        let left = document(&made, &world);
        prop_assert!(left == document(&made, &same));
        let parsed = parse(&left).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let loaded = load_state(&made.derived, &made.manifest, "ev_1", parsed)
            .map_err(|problem| TestCaseError::fail(problem.to_string()))?;
        prop_assert!(document(&made, &loaded.world) == left, "what is held does not load back");
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}
