//! The report for a terminal: the number first, then the tools that agree least, then each disagreement.

use super::facts::{counted, disagreements, grade, normalised, percent, visible, worst_first};
use super::limits::MAX_TEXT_STEPS;
use super::style::{ENVIRONMENT, FAINT, HEADING, LIVE, of_grade};
use crate::compare::{Agreement, Comparison, Shown, Source, Step};
use comfy_table::{Cell, CellAlignment, ContentArrangement, Table, presets};
use std::fmt::Write;

/// The comparison for people, with styles; strip them where the output shows none.
pub fn to_text(comparison: &Comparison) -> String {
    let mut out = String::new();
    // Writing into a `String` cannot fail.
    let _ = headline(&mut out, comparison);
    let _ = sources(&mut out, comparison);
    tools(&mut out, comparison);
    probes(&mut out, comparison);
    let _ = steps(&mut out, comparison);
    out
}

fn styled_share(agreement: &Agreement) -> String {
    let style = of_grade(grade(agreement.ratio()));
    format!("{style}{}{style:#}", percent(agreement.ratio()))
}

fn headline(out: &mut String, comparison: &Comparison) -> std::fmt::Result {
    let summary = &comparison.summary;
    let agreement = &summary.agreement;
    writeln!(
        out,
        "{HEADING}Agreement{HEADING:#}  {}  {} of {} agree",
        styled_share(agreement),
        agreement.agreed,
        counted(agreement.compared, "compared step")
    )?;
    if agreement.agreed_ignoring_order != agreement.agreed {
        writeln!(out, "           {}  ignoring the order of items", percent(agreement.ratio_ignoring_order()))?;
    }
    if let Some(replay) = &summary.baseline {
        writeln!(out, "           {}  by pure replay", percent(replay.ratio()))?;
    }
    if let Some(precision) = summary.precision() {
        let style = of_grade(grade(Some(precision)));
        writeln!(out, "           {style}{}{style:#}  of the answers from the state", percent(Some(precision)))?;
    }
    if agreement.compared == 0 {
        writeln!(out, "           Nothing was compared: no probe has an answered request to this application.")?;
    }
    let mut notes = Vec::new();
    if summary.unobserved > 0 {
        notes.push(format!("{} not observed", counted(summary.unobserved, "record")));
    }
    if summary.unobserved_bodies > 0 {
        notes.push(format!("{} compared by status only", counted(summary.unobserved_bodies, "answer")));
    }
    if summary.id_conflicts > 0 {
        notes.push(counted(summary.id_conflicts, "id conflict"));
    }
    if summary.unlearned_ids > 0 {
        notes.push(format!("{} with an id that no answer taught", counted(summary.unlearned_ids, "step")));
    }
    if let Some(counts) = normalised(&summary.normalised) {
        notes.push(format!("normalised {counts}"));
    }
    if !notes.is_empty() {
        writeln!(out, "{FAINT}{}{FAINT:#}", notes.join(" · "))?;
    }
    Ok(())
}

fn sources(out: &mut String, comparison: &Comparison) -> std::fmt::Result {
    let used = comparison.summary.sources.iter().filter(|count| count.steps > 0);
    let words: Vec<String> = used
        .map(|count| {
            let name = match count.source {
                Source::State => "state",
                Source::Recording => "recordings",
                Source::Refused => "refused",
                Source::NoTool => "no tool",
            };
            format!("{name} {} of {}", count.agreed, count.steps)
        })
        .collect();
    if !words.is_empty() {
        writeln!(out, "{FAINT}by source: {}{FAINT:#}", words.join(", "))?;
    }
    Ok(())
}

fn new_table(headings: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().copied());
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, 2));
        if index > 0 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Draws a table whose third column is an agreement, coloured afterwards so that colours do not count as width.
fn draw(out: &mut String, table: &Table, grades: &[Option<f64>]) {
    for (index, line) in table.to_string().lines().enumerate() {
        let line = line.trim_end();
        match index.checked_sub(1).and_then(|row| grades.get(row)) {
            None => out.push_str(&format!("{HEADING}{line}{HEADING:#}\n")),
            Some(share) => {
                let shown = percent(*share);
                let style = of_grade(grade(*share));
                // The first place that spells this share after the counts is the agreement column.
                match line.find(&format!(" {shown}")) {
                    Some(at) => {
                        let (before, rest) = line.split_at(at + 1);
                        let after = &rest[shown.len()..];
                        out.push_str(&format!("{before}{style}{shown}{style:#}{after}\n"));
                    }
                    None => {
                        out.push_str(line);
                        out.push('\n');
                    }
                }
            }
        }
    }
}

fn agreement_cells(agreement: &Agreement, baseline: Option<&Agreement>, with_baseline: bool) -> Vec<String> {
    let mut cells = vec![
        format!("{}/{}", agreement.agreed, agreement.compared),
        percent(agreement.ratio()),
        percent(agreement.ratio_ignoring_order()),
    ];
    if with_baseline {
        cells.push(percent(baseline.and_then(Agreement::ratio)));
    }
    cells
}

fn rows<'a>(
    out: &mut String,
    first: &'static str,
    comparison: &Comparison,
    rows: impl Iterator<Item = (&'a str, &'a Agreement, Option<&'a Agreement>)>,
) {
    let with_baseline = comparison.summary.baseline.is_some();
    let mut headings = vec![first, "agreed", "agreement", "any order"];
    if with_baseline {
        headings.push("by replay");
    }
    let mut table = new_table(&headings);
    let mut grades = Vec::new();
    for (name, agreement, baseline) in rows {
        let cells = agreement_cells(agreement, baseline, with_baseline);
        table.add_row(std::iter::once(Cell::new(visible(name))).chain(cells.into_iter().map(Cell::new)));
        grades.push(agreement.ratio());
    }
    if !grades.is_empty() {
        out.push('\n');
        draw(out, &table, &grades);
    }
}

fn tools(out: &mut String, comparison: &Comparison) {
    let tools = worst_first(comparison);
    rows(
        out,
        "tool",
        comparison,
        tools.iter().map(|tool| (tool.tool.as_str(), &tool.agreement, tool.baseline.as_ref())),
    );
}

fn probes(out: &mut String, comparison: &Comparison) {
    let probes = comparison.probes.iter();
    rows(
        out,
        "probe",
        comparison,
        probes.map(|probe| (probe.name.as_str(), &probe.agreement, probe.baseline.as_ref())),
    );
    for probe in comparison.probes.iter().filter(|probe| !probe.unobserved.is_empty()) {
        let listed: Vec<String> =
            probe.unobserved.iter().take(8).map(|entry| format!("#{} {}", entry.ordinal, entry.reason)).collect();
        let more = probe.unobserved.len().saturating_sub(listed.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        out.push_str(&format!(
            "{FAINT}{} did not observe: {}{more}{FAINT:#}\n",
            visible(&probe.name),
            listed.join(", ")
        ));
    }
}

fn steps(out: &mut String, comparison: &Comparison) -> std::fmt::Result {
    let total = disagreements(comparison).count();
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "\n{HEADING}{}{HEADING:#}", counted(total, "disagreement"))?;
    for (probe, step) in disagreements(comparison).take(MAX_TEXT_STEPS) {
        one_step(out, probe, step)?;
    }
    if total > MAX_TEXT_STEPS {
        writeln!(
            out,
            "\n{FAINT}{} more: print them with --json or write them with --html.{FAINT:#}",
            total - MAX_TEXT_STEPS
        )?;
    }
    Ok(())
}

fn one_step(out: &mut String, probe: &str, step: &Step) -> std::fmt::Result {
    let reason = step.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let order = step.verdict.is_some_and(|verdict| verdict.agrees_ignoring_order);
    writeln!(
        out,
        "\n{FAINT}{}#{}{FAINT:#} {HEADING}{} {}{HEADING:#}",
        visible(probe),
        step.ordinal,
        visible(&step.method),
        visible(&step.path)
    )?;
    writeln!(
        out,
        "  {FAINT}{} · {}{}{}{}{FAINT:#}",
        step.tool.as_deref().map_or("no tool".into(), visible),
        step.source.word().replace('_', " "),
        visible(&reason),
        if order { " · only the order differs" } else { "" },
        normalised(&step.normalised).map(|counts| format!(" · normalised {counts}")).unwrap_or_default()
    )?;
    for difference in &step.differences {
        let pointer = difference.pointer.as_deref().map(visible).unwrap_or_default();
        writeln!(out, "  {HEADING}{:<8}{HEADING:#} {pointer}", difference.kind.word())?;
        value(out, "-", LIVE, difference.live.as_ref())?;
        value(out, "+", ENVIRONMENT, difference.environment.as_ref())?;
    }
    Ok(())
}

fn value(out: &mut String, sign: &str, style: anstyle::Style, value: Option<&Shown>) -> std::fmt::Result {
    let Some(value) = value else { return Ok(()) };
    let who = if sign == "-" { "live       " } else { "environment" };
    writeln!(out, "    {style}{who} {}{style:#}", visible(&value.to_text()))
}
