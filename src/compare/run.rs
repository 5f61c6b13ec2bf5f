//! The comparison: every probe against a freshly reset environment. Probes are independent, so they run side by side; the
//! result is the same on any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::error::CompareError;
use super::probe::Probe;
use super::result::{
    Agreement, ComparedEnvironment, Comparison, ProbeResult, Source, SourceCount, Step, Summary, ToolResult,
};
use super::session::{Outcome, Prepared, Session};
use crate::answer::Engine;
use crate::capture::{Record, Request};
use crate::state::{each_in_order, threads};

/// How far a comparison is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Requests made so far, over all probes.
    pub made: usize,
    /// Requests of all probes.
    pub of: usize,
}

/// Compares an environment with recordings of its application. `baseline`, when given, is the same environment in pure
/// replay, which answers every step too. `progress` is told after each step.
///
/// # Errors
/// No probe.
pub fn compare(
    engine: &Engine,
    baseline: Option<&Engine>,
    probes: &[Probe],
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Comparison, CompareError> {
    if probes.is_empty() {
        return Err(CompareError::NoProbe);
    }
    let prepared = Prepared::new(engine);
    let baseline = baseline.map(Prepared::new);
    let counter =
        Counter { made: AtomicUsize::new(0), of: probes.iter().map(|probe| probe.made.len()).sum(), progress };
    let differ = probes.iter().any(|probe| probe.capture.drops_format != engine.capture.drops_format);
    let read: Option<Vec<Probe>> =
        differ.then(|| probes.iter().map(|probe| probe.read_as(&engine.capture)).collect()).transpose()?;
    let results = each_in_order(read.as_deref().unwrap_or(probes), threads(), |probe| {
        run_probe(&prepared, baseline.as_ref(), probe, &counter)
    });
    Ok(Comparison {
        environment: ComparedEnvironment {
            capture_evidence_id: engine.capture.evidence.evidence_id.clone(),
            manifest_evidence_id: engine.manifest.evidence.evidence_id.clone(),
            state: engine.state.to_object(),
        },
        summary: summarise(&results),
        tools: by_tool(engine, &results),
        probes: results,
    })
}

struct Counter<'p> {
    made: AtomicUsize,
    of: usize,
    progress: &'p (dyn Fn(Progress) + Sync),
}

impl Counter<'_> {
    fn count(&self) {
        let made = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        (self.progress)(Progress { made, of: self.of });
    }
}

fn run_probe(
    prepared: &Prepared<'_>,
    baseline: Option<&Prepared<'_>>,
    probe: &Probe,
    counter: &Counter<'_>,
) -> ProbeResult {
    let mut session = Session::new(prepared);
    let mut replay = baseline.map(Session::new);
    let mut steps = Vec::with_capacity(probe.made.len());
    let mut agreement = Agreement::default();
    let mut by_replay = baseline.map(|_| Agreement::default());
    for record in probe.made.iter().map(|index| &probe.capture.records[*index]) {
        let Some(request) = &record.request else { continue };
        let outcome = session.step(record, request);
        let verdict = replay.as_mut().and_then(|session| session.step(record, request).verdict);
        if let Some(verdict) = outcome.verdict {
            agreement.count(verdict);
        }
        if let (Some(agreement), Some(verdict)) = (&mut by_replay, verdict) {
            agreement.count(verdict);
        }
        steps.push(step(prepared.engine, record, request, outcome, verdict));
        counter.count();
    }
    ProbeResult {
        name: probe.name.clone(),
        evidence_id: probe.capture.evidence.evidence_id.clone(),
        steps,
        agreement,
        baseline: by_replay,
        unobserved: probe.unobserved.clone(),
        id_conflicts: session.id_conflicts(),
    }
}

fn step(
    engine: &Engine,
    record: &Record,
    request: &Request,
    outcome: Outcome,
    baseline: Option<super::result::Verdict>,
) -> Step {
    let path = match &request.query {
        Some(query) => format!("{}?{query}", request.path),
        None => request.path.clone(),
    };
    Step {
        ordinal: record.ordinal,
        method: request.method.clone(),
        path,
        tool: outcome.tool.map(|index| engine.manifest.tools[index].name.clone()),
        source: outcome.source,
        reason: outcome.reason,
        record_ordinal: outcome.record_ordinal,
        verdict: outcome.verdict,
        differences: outcome.differences,
        normalised: outcome.normalised,
        unlearned_id: outcome.unlearned_id,
        unobserved_body: outcome.unobserved_body,
        baseline,
    }
}

fn summarise(probes: &[ProbeResult]) -> Summary {
    let mut summary = Summary {
        probes: probes.len(),
        steps: 0,
        agreement: Agreement::default(),
        baseline: None,
        unobserved: 0,
        unobserved_bodies: 0,
        id_conflicts: 0,
        unlearned_ids: 0,
        unlearned_ids_of_state: 0,
        normalised: super::result::Normalised::default(),
        sources: Source::ALL.into_iter().map(|source| SourceCount { source, steps: 0, agreed: 0 }).collect(),
    };
    for probe in probes {
        summary.steps += probe.steps.len();
        summary.agreement.add(&probe.agreement);
        if let Some(baseline) = &probe.baseline {
            summary.baseline.get_or_insert_default().add(baseline);
        }
        summary.unobserved += probe.unobserved.len();
        summary.id_conflicts += probe.id_conflicts;
        for step in &probe.steps {
            summary.unobserved_bodies += usize::from(step.unobserved_body);
            summary.unlearned_ids += usize::from(step.unlearned_id);
            summary.unlearned_ids_of_state += usize::from(step.unlearned_id && step.source == Source::State);
            summary.normalised.add(&step.normalised);
            if let Some(verdict) = step.verdict
                && let Some(count) = summary.sources.iter_mut().find(|count| count.source == step.source)
            {
                count.steps += 1;
                count.agreed += usize::from(verdict.agrees);
            }
        }
    }
    summary
}

fn by_tool(engine: &Engine, probes: &[ProbeResult]) -> Vec<ToolResult> {
    let index: std::collections::HashMap<&str, usize> =
        engine.manifest.tools.iter().enumerate().map(|(index, tool)| (tool.name.as_str(), index)).collect();
    let mut results: Vec<Option<ToolResult>> = vec![None; engine.manifest.tools.len()];
    for step in probes.iter().flat_map(|probe| &probe.steps) {
        let Some((name, at)) = step.tool.as_deref().and_then(|name| Some((name, *index.get(name)?))) else { continue };
        let result = results[at].get_or_insert_with(|| ToolResult {
            tool: name.to_owned(),
            steps: 0,
            agreement: Agreement::default(),
            baseline: None,
        });
        result.steps += 1;
        if let Some(verdict) = step.verdict {
            result.agreement.count(verdict);
        }
        if let Some(verdict) = step.baseline {
            result.baseline.get_or_insert_default().count(verdict);
        }
    }
    results.into_iter().flatten().collect()
}
