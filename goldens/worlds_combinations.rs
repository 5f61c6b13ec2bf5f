//! Laws over random combinations of what reads show: whatever goes together in one world, the environment of its reads
//! answers those reads as they were recorded, and others as the world does. The combinations are the same on every run.

use super::worlds::Script;
use super::worlds::behaviours::{compatible, named};
use super::worlds::{Behaviour, WorldSpec};
use super::worlds_fidelity::{against, environment};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngSeed};
use rea::answer::Engine;
use rea::compare::{Comparison, Source};
use rea::manifest::DEFAULT_BUILD_RULES;
use rea::state::{coverage_evidence, coverage_of, state_evidence};

/// What reads show that an environment answers in full: kinds of ids, envelopes, nested and flat lists, several routes to
/// one entity, members that views spell otherwise, clocks, members made anew, documents, errors, overlaps.
const SHOWN: &[&str] = &[
    "id_sequence_shared",
    "id_uuid",
    "id_hex",
    "id_token",
    "id_per_parent",
    "id_text_number",
    "id_caller",
    "id_name",
    "id_tuple",
    "id_in_query",
    "list_one_key",
    "list_counted",
    "list_two_levels",
    "list_keyed",
    "list_missing_when_empty",
    "item_one_key",
    "item_data",
    "item_one_element",
    "nested",
    "flat_over_nested",
    "route_by_name",
    "second_api",
    "list_clock_spelling",
    "view_fields",
    "state_word",
    "sorted_tags",
    "clock_micros",
    "clock_millis",
    "clock_zero_millis",
    "clock_millis_as_micros",
    "clock_seconds",
    "clock_no_zone",
    "clock_epoch_seconds",
    "clock_epoch_millis",
    "clock_date",
    "clock_pair",
    "clock_null_until_edit",
    "clock_created_only",
    "clock_nested",
    "request_ids",
    "documents",
    "error_fresh_id",
    "error_embeds_id",
    "error_text",
    "error_html",
    "absence_no_content",
    "slow_overlap",
    "derived_url",
    "derived_slug",
    "child_count",
];

/// Combinations that are looked at on every run; more are for a long run by hand (`PROPTEST_CASES`).
const CASES: u32 = 12;

fn config() -> Config {
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(CASES);
    Config { cases, rng_seed: RngSeed::Fixed(20_261_130), failure_persistence: None, ..Config::default() }
}

fn spec() -> impl Strategy<Value = (u64, Vec<&'static str>)> {
    let chosen = proptest::sample::subsequence(SHOWN.to_vec(), 2..=5);
    (2_u64..1_000, chosen).prop_filter("they go together", |(_, names)| compatible(&behaviours(names)))
}

fn behaviours(names: &[&str]) -> Vec<&'static dyn Behaviour> {
    names.iter().filter_map(|name| named(name)).collect()
}

/// The steps that disagree, in words.
fn wrong(comparison: &Comparison) -> Vec<String> {
    let steps = comparison.probes.iter().flat_map(|probe| &probe.steps);
    let wrong = steps.filter(|step| step.verdict.is_some_and(|verdict| !verdict.agrees));
    wrong
        .map(|step| {
            let state = if step.source == Source::State { "state" } else { "recording" };
            format!("{} {} by {state} ({:?}): {:?}", step.method, step.path, step.reason, step.differences.first())
        })
        .collect()
}

/// State and coverage as they are written.
fn bytes(engine: &Engine) -> Vec<String> {
    let Some(derived) = &engine.derived else { return Vec::new() };
    let (capture, manifest) = (&engine.capture, &engine.manifest);
    let state = state_evidence(derived, capture, manifest).expect("a small world");
    let coverage = coverage_of(derived, capture, manifest);
    let coverage = coverage_evidence(&coverage, capture, &DEFAULT_BUILD_RULES).expect("a small world");
    vec![state.to_value().to_compact(), coverage.to_value().to_compact()]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn reads_are_answered_as_the_world_answers_them((seed, names) in spec()) {
        let spec = WorldSpec::with(seed, &behaviours(&names));
        let engine = environment(&spec, Script::CaptureReads);
        for script in [Script::CaptureReads, Script::ProbeReads] {
            let found = wrong(&against(&engine, &spec, &[script]));
            prop_assert!(found.is_empty(), "{script:?} of {}\n{}", spec.name, found.join("\n"));
        }
    }

    #[test]
    fn deriving_again_or_at_the_same_time_changes_no_byte((seed, names) in spec()) {
        let spec = WorldSpec::with(seed, &behaviours(&names));
        let first = bytes(&environment(&spec, Script::Capture));
        let derive = || bytes(&environment(&spec, Script::Capture));
        let both = std::thread::scope(|scope| {
            let threads = [scope.spawn(derive), scope.spawn(derive)];
            threads.map(|thread| thread.join().expect("a derivation ends"))
        });
        prop_assert!(both.iter().all(|again| *again == first), "{}", spec.name);
    }
}
