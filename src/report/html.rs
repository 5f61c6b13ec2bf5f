//! The report as one page: no script, nothing loaded from elsewhere, every captured text escaped. Filters are radio
//! buttons that style sheets read.

use super::facts::{Grade, counted, disagreements, grade, normalised, percent, visible, worst_first};
use crate::compare::{Agreement, Comparison, Difference, DifferenceKind, Shown, Step};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;

/// The page. Captured text is escaped wherever it stands; style rules hold numbers only.
pub fn to_html(comparison: &Comparison) -> String {
    let tools: Vec<&str> = disagreeing_tools(comparison);
    let kinds: Vec<DifferenceKind> = disagreeing_kinds(comparison);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                title { "Fidelity: " (percent(comparison.summary.agreement.ratio())) }
                style { (PreEscaped(STYLE)) (PreEscaped(filter_rules(tools.len(), &kinds))) }
            }
            body {
                (headline(comparison))
                (bars(comparison))
                (steps(comparison, &tools, &kinds))
                footer {
                    p {
                        "Agreement covers only the calls that the probes make, after identifiers, clocks and generated values are set \
                         aside. Captured content is shown as data."
                    }
                    p class="ids" {
                        "Capture " code { (comparison.environment.capture_evidence_id) } br;
                        "Manifest " code { (comparison.environment.manifest_evidence_id) }
                    }
                }
            }
        }
    };
    page.into_string()
}

fn disagreeing_tools(comparison: &Comparison) -> Vec<&str> {
    let mut tools: BTreeMap<&str, ()> = BTreeMap::new();
    for (_, step) in disagreements(comparison) {
        tools.insert(step.tool.as_deref().unwrap_or(NO_TOOL), ());
    }
    tools.into_keys().collect()
}

fn disagreeing_kinds(comparison: &Comparison) -> Vec<DifferenceKind> {
    let met = |kind: &DifferenceKind| {
        disagreements(comparison).any(|(_, step)| step.differences.iter().any(|difference| difference.kind == *kind))
    };
    DifferenceKind::ALL.into_iter().filter(met).collect()
}

/// What a step without a tool is filed under; no tool is called so.
const NO_TOOL: &str = "(no tool)";

/// One rule for each filter: while it is chosen, the steps that lack its mark are hidden.
fn filter_rules(tools: usize, kinds: &[DifferenceKind]) -> String {
    let mut rules = String::new();
    for index in 0..tools {
        rules.push_str(&format!("body:has(#t{index}:checked) .step:not(.t{index}){{display:none}}"));
    }
    for kind in kinds {
        let word = kind.word();
        rules.push_str(&format!("body:has(#k-{word}:checked) .step:not(.k-{word}){{display:none}}"));
    }
    rules.push_str("body:has(#k-order:checked) .step:not(.k-order){display:none}");
    rules
}

fn grade_class(share: Option<f64>) -> &'static str {
    match grade(share) {
        Grade::Good => "good",
        Grade::Fair => "fair",
        Grade::Bad => "bad",
        Grade::Unknown => "unknown",
    }
}

fn headline(comparison: &Comparison) -> Markup {
    let summary = &comparison.summary;
    let agreement = &summary.agreement;
    let fact = |name: &str, value: String, share: Option<f64>| {
        html! { div class="fact" { dt { (name) } dd class=(grade_class(share)) { (value) } } }
    };
    html! {
        header {
            h1 { span class=(grade_class(agreement.ratio())) { (percent(agreement.ratio())) } " agreement" }
            p {
                (agreement.agreed) " of " (counted(agreement.compared, "compared step")) " agree with the application, over "
                (counted(summary.probes, "probe")) "."
                @if agreement.compared == 0 { " Nothing was compared: no probe has an answered request to this application." }
            }
            dl class="facts" {
                (fact("Ignoring order", percent(agreement.ratio_ignoring_order()), agreement.ratio_ignoring_order()))
                @if let Some(replay) = &summary.baseline { (fact("By pure replay", percent(replay.ratio()), replay.ratio())) }
                @if let Some(precision) = summary.precision() {
                    (fact("Answers from the state", percent(Some(precision)), Some(precision)))
                }
                @for count in summary.sources.iter().filter(|count| count.steps > 0) {
                    (fact(
                        &format!("Source: {}", count.source.word().replace('_', " ")),
                        format!("{}/{}", count.agreed, count.steps),
                        None,
                    ))
                }
                @if summary.unobserved > 0 { (fact("Not observed", summary.unobserved.to_string(), None)) }
                @if summary.unobserved_bodies > 0 { (fact("Bodies not observed", summary.unobserved_bodies.to_string(), None)) }
                @if summary.id_conflicts > 0 { (fact("Id conflicts", summary.id_conflicts.to_string(), None)) }
                @if summary.unlearned_ids > 0 { (fact("Ids never taught", summary.unlearned_ids.to_string(), None)) }
                @for (name, count) in summary.normalised.named().into_iter().filter(|(_, count)| *count > 0) {
                    (fact(&format!("Normalised {}", name.replace('_', " ")), count.to_string(), None))
                }
            }
        }
    }
}

fn bars(comparison: &Comparison) -> Markup {
    html! {
        section {
            h2 { "Tools, worst first" }
            p class="legend" {
                span { span class="swatch agreed" {} "agrees" }
                span { span class="swatch order" {} "but for order" }
                span { span class="swatch rest" {} "disagrees" }
                @if comparison.summary.baseline.is_some() { span { span class="swatch tick" {} "by pure replay" } }
            }
            div class="bars" {
                @for tool in worst_first(comparison) { (bar(&tool.tool, &tool.agreement, tool.baseline.as_ref())) }
            }
        }
        section {
            h2 { "Probes" }
            div class="bars" {
                @for probe in &comparison.probes { (bar(&probe.name, &probe.agreement, probe.baseline.as_ref())) }
            }
            @for probe in comparison.probes.iter().filter(|probe| !probe.unobserved.is_empty()) {
                details {
                    summary { (counted(probe.unobserved.len(), "record")) " of " (visible(&probe.name)) " not observed" }
                    ul { @for entry in &probe.unobserved { li { "record " (entry.ordinal) ": " (entry.reason) } } }
                }
            }
        }
    }
}

/// A row: name, bar, numbers. The bar is a drawing of 1000 units, so that no number is rounded to a pixel.
fn bar(name: &str, agreement: &Agreement, baseline: Option<&Agreement>) -> Markup {
    let units = |share: Option<f64>| (share.unwrap_or(0.0) * 1000.0).round();
    let (agreed, any_order) = (units(agreement.ratio()), units(agreement.ratio_ignoring_order()));
    let label = format!("{} of {} agree", agreement.agreed, agreement.compared);
    html! {
        div class="row" {
            div class="name" { (visible(name)) }
            svg viewBox="0 0 1000 20" preserveAspectRatio="none" role="img" aria-label=(label) {
                @if agreement.compared > 0 {
                    rect class="rest" width="1000" height="20" {}
                    rect class="order" width=(any_order) height="20" {}
                    rect class="agreed" width=(agreed) height="20" {}
                } @else {
                    rect class="none" width="1000" height="20" {}
                }
                @if let Some(replay) = baseline.and_then(Agreement::ratio) {
                    rect class="tick" x=((replay * 994.0).round()) width="6" height="20" {}
                }
            }
            div class="count" {
                span class=(grade_class(agreement.ratio())) { (percent(agreement.ratio())) }
                " " small { (agreement.agreed) "/" (agreement.compared) }
            }
        }
    }
}

fn steps(comparison: &Comparison, tools: &[&str], kinds: &[DifferenceKind]) -> Markup {
    let total = disagreements(comparison).count();
    html! {
        section {
            h2 { (counted(total, "disagreement")) }
            @if total == 0 {
                p { "Every compared step agrees." }
            } @else {
                details class="filter" open {
                    summary { "Filter" }
                    fieldset {
                        legend { "Kind" }
                        label { input type="radio" name="kind" id="k-all" checked; span { "all" } }
                        @for kind in kinds {
                            label { input type="radio" name="kind" id={ "k-" (kind.word()) }; span { (kind.word()) } }
                        }
                        label { input type="radio" name="kind" id="k-order"; span { "only order" } }
                    }
                    fieldset {
                        legend { "Tool" }
                        label { input type="radio" name="tool" id="t-all" checked; span { "all" } }
                        @for (index, tool) in tools.iter().enumerate() {
                            label { input type="radio" name="tool" id={ "t" (index) }; span { (visible(tool)) } }
                        }
                    }
                }
                @for (probe, step) in disagreements(comparison) { (one_step(probe, step, tools)) }
            }
        }
    }
}

fn one_step(probe: &str, step: &Step, tools: &[&str]) -> Markup {
    let tool = step.tool.as_deref().unwrap_or(NO_TOOL);
    let mut classes = String::from("step");
    if let Ok(index) = tools.binary_search(&tool) {
        classes.push_str(&format!(" t{index}"));
    }
    for kind in DifferenceKind::ALL {
        if step.differences.iter().any(|difference| difference.kind == kind) {
            classes.push_str(&format!(" k-{}", kind.word()));
        }
    }
    let only_order = step.verdict.is_some_and(|verdict| verdict.agrees_ignoring_order);
    if only_order {
        classes.push_str(" k-order");
    }
    html! {
        details class=(classes) {
            summary {
                span class="method" { (visible(&step.method)) } " "
                span class="path" { (visible(&step.path)) }
                span class="note" {
                    (visible(probe)) "#" (step.ordinal) " · " (visible(tool)) " · " (step.source.word().replace('_', " "))
                    @if let Some(reason) = &step.reason { " (" (visible(reason)) ")" }
                    @if only_order { " · only order" }
                    @if step.unlearned_id { " · id never taught" }
                    @if let Some(replay) = step.baseline { @if replay.agrees { " · pure replay agrees" } }
                }
            }
            @if let Some(counts) = normalised(&step.normalised) { p class="note" { "Normalised: " (counts) } }
            @for difference in &step.differences { (one_difference(difference)) }
        }
    }
}

fn one_difference(difference: &Difference) -> Markup {
    let line = |class: &str, who: &str, value: &Option<Shown>| {
        html! {
            @if let Some(value) = value {
                div class={ "value " (class) } { span class="who" { (who) } code { (visible(&value.to_text())) } }
            }
        }
    };
    html! {
        div class="difference" {
            div { span class="kind" { (difference.kind.word()) } " "
                @match difference.pointer.as_deref() {
                    Some("") => { code { "the whole body" } },
                    Some(pointer) => { code { (visible(pointer)) } },
                    None => {},
                }
            }
            (line("live", "application", &difference.live))
            (line("environment", "environment", &difference.environment))
        }
    }
}

const STYLE: &str = include_str!("page.css");
