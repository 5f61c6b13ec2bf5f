//! How well environments derived from worlds answer the worlds' own probes, against a table of floors.
//!
//! What no recording of a world could tell (who calls, when) its behaviours declare, and it is left out; of all else
//! every behaviour is expected at 1.0; `worlds_floors.tsv` lists those that are below it yet, with the reason. A value
//! below its floor fails. `WORLDS_ACCEPT=1 cargo test --test worlds fidelity -- --test-threads=1` writes the table anew (reasons stay);
//! read the difference before committing it.

use super::worlds::behaviours::named;
use super::worlds::http::Request;
use super::worlds::{Script, Unknowable, WorldSpec, record};
use super::{alone, capture, combined, combined_habits, kept, manifest};
use rea::answer::{Engine, EngineOptions};
use rea::compare::{Comparison, Difference, DifferenceKind, Probe, Shown, Source, Step, compare};
use rea::state::{View, WriteState};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

/// The table of floors.
const FLOORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/goldens/worlds_floors.tsv");
const HEAD: &str =
    "world\town\treads\treads precision\treads of all\tcrud\tcrud precision\trandom\trandom precision\treason";

/// What one world reached. The environment of the capture's reads: agreement with those reads themselves, agreement and
/// precision on the reads probe. The environment of the whole capture: agreement on the reads probe (its initial state,
/// seen before and through writes), agreement and precision on the crud probe, and on random valid sequences of reads and
/// writes, among which the behaviour's own writes stand.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Reached([f64; 8]);

/// Random sequences that each world is asked.
const SEQUENCES: [Script; 2] = [Script::Random(0), Script::Random(1)];

/// The environment of a world's recording.
pub fn environment(spec: &WorldSpec, from: Script) -> Engine {
    let capture = capture(record(spec, from).har());
    let manifest = manifest(&capture);
    Engine::new(capture, manifest, &EngineOptions::default()).unwrap_or_else(|error| panic!("{}: {error}", spec.name))
}

/// An environment compared with probes of the same world.
pub fn against(engine: &Engine, spec: &WorldSpec, probes: &[Script]) -> Comparison {
    let probes: Vec<Probe> = probes
        .iter()
        .map(|script| Probe::new(format!("{script:?}"), capture(record(spec, *script).har())).expect("a world's probe"))
        .collect();
    compare(engine, None, &probes, &|_| {}).expect("there are probes")
}

/// Agreement of a comparison without what cannot be known, and the precision of its state answers.
fn figures(engine: &Engine, spec: &WorldSpec, probes: &[Script]) -> (f64, f64) {
    let comparison = against(engine, spec, probes);
    let (mut compared, mut agreed) = (0_u32, 0_u32);
    for (result, script) in comparison.probes.iter().zip(probes) {
        let entries = record(spec, *script).entries;
        for step in &result.steps {
            let entry = &entries[step.ordinal];
            let Some(agrees) = judged(step, entry.unknowable, || holds(engine, &entry.request)) else { continue };
            compared += 1;
            agreed += u32::from(agrees);
        }
    }
    let agreement = if compared == 0 { 1.0 } else { f64::from(agreed) / f64::from(compared) };
    (agreement, comparison.summary.precision().unwrap_or(1.0))
}

/// Whether a step agrees; `None` for what was not compared, or cannot be known and was not guessed.
fn judged(step: &Step, unknowable: Option<Unknowable>, is_held: impl FnOnce() -> bool) -> Option<bool> {
    let verdict = step.verdict?;
    match unknowable {
        Some(Unknowable::Answer) => None,
        Some(Unknowable::Unrecorded) if !is_held() => (step.source != Source::Recording).then_some(false),
        Some(Unknowable::Members(pointers)) => Some(verdict.agrees || differs_alone(&step.differences, pointers)),
        Some(Unknowable::Unrecorded) | None => Some(verdict.agrees),
    }
}

/// Whether the recording of an environment holds this very request.
fn holds(engine: &Engine, asked: &Request) -> bool {
    engine
        .capture
        .records
        .iter()
        .filter_map(|record| record.request.as_ref())
        .any(|held| held.method == asked.method && held.path == asked.path && held.query == asked.query)
}

/// Whether an answer differs at declared members only: other values of the same type, and where they are items of a list
/// the same ones in another order.
fn differs_alone(differences: &[Difference], pointers: &[&str]) -> bool {
    let declared = |difference: &Difference| {
        let pointer = difference.pointer.as_deref();
        difference.kind == DifferenceKind::Value && pointer.is_some_and(|pointer| pointers.contains(&pointer))
    };
    let is_item = |difference: &&Difference| {
        let name = difference.pointer.as_deref().and_then(|pointer| pointer.rsplit('/').next());
        name.is_some_and(|name| name.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let texts = |of: fn(&Difference) -> &Option<Shown>| {
        let mut texts: Vec<String> =
            differences.iter().filter(is_item).map(|difference| format!("{:?}", of(difference))).collect();
        texts.sort();
        texts
    };
    !differences.is_empty()
        && differences.iter().all(declared)
        && texts(|difference| &difference.live) == texts(|difference| &difference.environment)
}

/// Both.
fn compared(spec: &WorldSpec, from: Script, probes: &[Script]) -> Comparison {
    against(&environment(spec, from), spec, probes)
}

fn reached(spec: &WorldSpec) -> Reached {
    let of_reads = environment(spec, Script::CaptureReads);
    let (own, _) = figures(&of_reads, spec, &[Script::CaptureReads]);
    let (reads, reads_precision) = figures(&of_reads, spec, &[Script::ProbeReads]);
    let of_all = environment(spec, Script::Capture);
    let (all, _) = figures(&of_all, spec, &[Script::ProbeReads]);
    let (crud, crud_precision) = figures(&of_all, spec, &[Script::ProbeCrud]);
    let (random, random_precision) = figures(&of_all, spec, &SEQUENCES);
    Reached([own, reads, reads_precision, all, crud, crud_precision, random, random_precision])
}

/// Runs `reached` over the worlds on all cores; by name.
fn run(specs: &[WorldSpec]) -> BTreeMap<String, Reached> {
    let next = Mutex::new(0_usize);
    let results = Mutex::new(BTreeMap::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let at = {
                        let mut next = next.lock().expect("no world panics while it counts");
                        *next += 1;
                        *next - 1
                    };
                    let Some(spec) = specs.get(at) else { return };
                    let value = reached(spec);
                    results.lock().expect("no world panics while it stores").insert(spec.name.clone(), value);
                }
            });
        }
    });
    results.into_inner().expect("every thread ended")
}

/// The table: floors and reason by world.
fn floors() -> BTreeMap<String, ([f64; 8], String)> {
    let text = std::fs::read_to_string(FLOORS).unwrap_or_default();
    text.lines()
        .skip(1)
        .filter_map(|line| {
            let cells: Vec<&str> = line.split('\t').collect();
            let [world, values @ .., reason] = cells.as_slice() else { return None };
            let numbers: Vec<f64> = values.iter().map(|text| text.parse().unwrap_or(1.0)).collect();
            Some((world.to_string(), (numbers.try_into().ok()?, reason.to_string())))
        })
        .collect()
}

fn accept(results: &BTreeMap<String, Reached>, held: &BTreeMap<String, ([f64; 8], String)>) {
    let mut table = held.clone();
    for (world, Reached(values)) in results {
        let down = values.map(|value| (value * 1000.0).floor() / 1000.0);
        let reason = held.get(world).map_or("not looked at yet", |(_, reason)| reason.as_str()).to_string();
        table.insert(world.clone(), (down, reason));
    }
    let mut text = format!("{HEAD}\n");
    for (world, (values, reason)) in table {
        if values.iter().any(|value| *value < 1.0) {
            let cells: Vec<String> = values.iter().map(f64::to_string).collect();
            let _ = writeln!(text, "{world}\t{}\t{reason}", cells.join("\t"));
        }
    }
    std::fs::write(FLOORS, text).expect("the table can be written");
}

/// Prints what was reached and compares it with the floors, or accepts it.
fn judge(results: &BTreeMap<String, Reached>) {
    let floors = floors();
    let mut below = Vec::new();
    println!("{HEAD}");
    for (world, Reached(values)) in results {
        let cells: Vec<String> = values.iter().map(|value| format!("{value:.3}")).collect();
        println!("{world}\t{}", cells.join("\t"));
        let wanted = floors.get(world).map_or([1.0; 8], |(floor, _)| *floor);
        if values.iter().zip(wanted).any(|(value, floor)| *value < floor - 1e-9) {
            below.push(format!("{world}: {values:.3?}, floor {wanted:?}"));
        }
    }
    if std::env::var_os("WORLDS_ACCEPT").is_some() {
        accept(results, &floors);
    } else {
        assert!(below.is_empty(), "below the floor:\n{}", below.join("\n"));
    }
}

#[test]
fn fidelity_of_each_behaviour_alone() {
    judge(&run(&alone()));
}

/// Combinations that are drawn: some on every run, more in a long run by hand (`COMBOS=300`).
fn combos() -> usize {
    std::env::var("COMBOS").ok().and_then(|text| text.parse().ok()).unwrap_or(64)
}

#[test]
fn fidelity_of_combinations() {
    judge(&run(&[combined(combos()), kept()].concat()));
}

/// What is declared as replayed is left out only where it is replayed and was not recorded: a guess of the state counts
/// as wrong, and a recorded request as it agrees.
#[test]
fn what_is_to_be_replayed_counts_where_the_state_answers_it() {
    let filter = named("filter_repeated").expect("a behaviour's name");
    let spec = WorldSpec::with(1, &[filter]);
    let engine = environment(&spec, Script::Capture);
    let judged_by = |script: Script, source: Option<Source>| -> Vec<Option<bool>> {
        let entries = record(&spec, script).entries;
        let mut steps = against(&engine, &spec, &[script]).probes.remove(0).steps;
        steps.retain(|step| entries[step.ordinal].unknowable == Some(Unknowable::Unrecorded));
        steps.iter_mut().for_each(|step| step.source = source.unwrap_or(step.source));
        let judged = steps.iter().map(|step| {
            let entry = &entries[step.ordinal];
            judged(step, entry.unknowable, || holds(&engine, &entry.request))
        });
        judged.collect()
    };
    assert_eq!(judged_by(Script::ProbeReads, None), [None]);
    for guess in [Source::State, Source::Refused, Source::NoTool] {
        assert_eq!(judged_by(Script::ProbeReads, Some(guess)), [Some(false)]);
    }
    assert_eq!(judged_by(Script::CaptureReads, None), [Some(true)]);
}

/// Combinations with a habit that are drawn: as [`combos`].
fn habits() -> usize {
    std::env::var("HABITS").ok().and_then(|text| text.parse().ok()).unwrap_or(16)
}

#[test]
fn fidelity_of_combinations_with_habits() {
    judge(&run(&combined_habits(habits())));
}

/// Deriving twice and comparing twice changes nothing.
#[test]
fn a_comparison_is_the_same_every_time() {
    for spec in combined(4) {
        let once = compared(&spec, Script::Capture, &[Script::ProbeReads, Script::ProbeCrud]);
        let again = compared(&spec, Script::Capture, &[Script::ProbeReads, Script::ProbeCrud]);
        assert!(once == again, "{} differs", spec.name);
    }
}

/// Prints which writes are withheld and why, and what the plans of the others leave unknown.
fn writes(engine: &Engine) {
    let Some(derived) = &engine.derived else { return };
    for (tool, state) in engine.manifest.tools.iter().zip(&derived.writes) {
        match state {
            Some(WriteState::Withheld { reason, pointer, .. }) => {
                println!("{}: {} {pointer:?}", tool.name, reason.word())
            }
            Some(WriteState::Served(plan)) => {
                for part in &plan.parts {
                    if std::env::var_os("PLANS").is_some() {
                        println!("{}: {:?} {:#?}", tool.name, part.effect, part.slots);
                    }
                    let unknown = part.slots.iter().filter(|(_, rule)| rule.is_unknown()).map(|(slot, _)| &slot.name);
                    let answer = part.answer.as_ref().is_some_and(|answer| answer.is_unknown());
                    println!(
                        "{}: {:?} unknown {:?}, answer {answer}",
                        tool.name,
                        part.effect,
                        unknown.collect::<Vec<_>>()
                    );
                }
            }
            None => {}
        }
    }
    for (tool, view) in engine.manifest.tools.iter().zip(&derived.views) {
        if let View::List(view) = view {
            println!("{}: order {:?} {:?}", tool.name, view.query.order, view.query.style);
        }
    }
    println!("effects: {:?}", derived.effects);
}

/// Prints every disagreement of one world: `WORLD=id_uuid cargo test --test worlds disagreements -- --nocapture`; with
/// `PLANS=1` the rules of its write plans, too.
#[test]
fn disagreements_of_the_world_named() {
    let Some(wanted) = std::env::var("WORLD").ok() else { return };
    for spec in alone()
        .into_iter()
        .chain(combined(combos()))
        .chain(combined_habits(habits()))
        .chain(kept())
        .filter(|spec| spec.name == wanted)
    {
        let pairs = [
            (Script::CaptureReads, Script::CaptureReads),
            (Script::CaptureReads, Script::ProbeReads),
            (Script::Capture, Script::ProbeReads),
            (Script::Capture, Script::ProbeCrud),
            (Script::Capture, SEQUENCES[0]),
            (Script::Capture, SEQUENCES[1]),
        ];
        println!("seed {}", spec.seed);
        writes(&environment(&spec, Script::Capture));
        for (from, probe) in pairs {
            for result in compared(&spec, from, &[probe]).probes {
                for step in result.steps.iter().filter(|step| step.verdict.is_some_and(|verdict| !verdict.agrees)) {
                    let source = if step.source == Source::State { "state" } else { "not the state" };
                    println!(
                        "{from:?} {probe:?} {} {} {} ({source}, {:?})",
                        step.ordinal, step.method, step.path, step.reason
                    );
                    for difference in step.differences.iter().take(4) {
                        println!("    {difference:?}");
                    }
                }
            }
        }
    }
}
