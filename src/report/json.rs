//! The report for programs: members and order of `decisions.md` 6.

use crate::compare::{
    Agreement, Comparison, Difference, Normalised, ProbeResult, Shown, Step, Summary, ToolResult, Unobserved, Verdict,
};
use crate::json::{Number, Object, Value};

/// The comparison as one document. `baseline` members are there only when a baseline was compared.
pub fn to_json(comparison: &Comparison) -> Value {
    let environment = &comparison.environment;
    Value::Object(
        Object::new()
            .with("status", "compared")
            .with(
                "environment",
                Object::new()
                    .with("capture_evidence_id", environment.capture_evidence_id.as_str())
                    .with("manifest_evidence_id", environment.manifest_evidence_id.as_str())
                    .with("state", environment.state.clone()),
            )
            .with("summary", summary(&comparison.summary))
            .with("tools", comparison.tools.iter().map(tool).collect::<Value>())
            .with("probes", comparison.probes.iter().map(probe).collect::<Value>()),
    )
}

fn share(share: Option<f64>) -> Value {
    share.and_then(Number::from_f64).map(Value::Number).into()
}

fn summary(summary: &Summary) -> Object {
    let mut sources = Object::new();
    for count in &summary.sources {
        let object = Object::new().with("steps", count.steps).with("agreed", count.agreed);
        sources.push(count.source.word(), object);
    }
    let mut document = Object::new().with("probes", summary.probes).with("steps", summary.steps);
    agreement(&mut document, &summary.agreement, true);
    document.push("unobserved", summary.unobserved);
    document.push("unobserved_bodies", summary.unobserved_bodies);
    document.push("id_conflicts", summary.id_conflicts);
    document.push("unlearned_ids", summary.unlearned_ids);
    document.push("normalised", normalised(&summary.normalised));
    document.push("sources", sources);
    baseline(&mut document, summary.baseline.as_ref());
    document
}

/// Agreement members; `full` has every count, the rows of tools and probes have fewer.
fn agreement(document: &mut Object, counts: &Agreement, full: bool) {
    if full {
        document.push("compared", counts.compared);
    }
    document.push("agreed", counts.agreed);
    document.push("agreement", share(counts.ratio()));
    if full {
        document.push("agreed_ignoring_order", counts.agreed_ignoring_order);
    }
    document.push("agreement_ignoring_order", share(counts.ratio_ignoring_order()));
}

fn baseline(document: &mut Object, counts: Option<&Agreement>) {
    if let Some(counts) = counts {
        let mut object = Object::new();
        agreement(&mut object, counts, true);
        document.push("baseline", object);
    }
}

fn normalised(counts: &Normalised) -> Object {
    counts.named().into_iter().fold(Object::new(), |object, (name, count)| object.with(name, count))
}

fn tool(tool: &ToolResult) -> Value {
    let mut document = Object::new().with("tool", tool.tool.as_str()).with("steps", tool.steps);
    agreement(&mut document, &tool.agreement, false);
    baseline(&mut document, tool.baseline.as_ref());
    Value::Object(document)
}

fn probe(probe: &ProbeResult) -> Value {
    let mut document = Object::new()
        .with("name", probe.name.as_str())
        .with("evidence_id", probe.evidence_id.as_str())
        .with("steps", probe.steps.len());
    agreement(&mut document, &probe.agreement, false);
    baseline(&mut document, probe.baseline.as_ref());
    document.push("unobserved", probe.unobserved.iter().map(unobserved).collect::<Value>());
    document.push("steps_detail", probe.steps.iter().map(step).collect::<Value>());
    Value::Object(document)
}

fn unobserved(entry: &Unobserved) -> Value {
    Value::Object(Object::new().with("ordinal", entry.ordinal).with("reason", entry.reason))
}

fn step(step: &Step) -> Value {
    let mut document = Object::new()
        .with("ordinal", step.ordinal)
        .with("method", step.method.as_str())
        .with("path", step.path.as_str())
        .with("tool", step.tool.as_deref())
        .with("source", step.source.word())
        .with("reason", step.reason.as_deref());
    verdict(&mut document, step.verdict);
    document.push("differences", step.differences.iter().map(difference).collect::<Value>());
    if let Some(replay) = step.baseline {
        let mut object = Object::new();
        verdict(&mut object, Some(replay));
        document.push("baseline", object);
    }
    Value::Object(document)
}

/// `null` where the application's answer was not recorded.
fn verdict(document: &mut Object, verdict: Option<Verdict>) {
    document.push("agrees", verdict.map(|verdict| verdict.agrees));
    document.push("agrees_ignoring_order", verdict.map(|verdict| verdict.agrees_ignoring_order));
}

fn difference(difference: &Difference) -> Value {
    Value::Object(
        Object::new()
            .with("kind", difference.kind.word())
            .with("pointer", difference.pointer.as_deref())
            .with("live", difference.live.as_ref().map(Shown::to_value))
            .with("environment", difference.environment.as_ref().map(Shown::to_value)),
    )
}
