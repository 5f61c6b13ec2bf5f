//! The state and coverage views for people: what is known, how each read answers, what to record next.

use super::shown::{FAINT, HEADING, counted, printable, shortened, table};
use crate::evidence::Evidence;
use crate::json::{Object, Value};
use std::collections::BTreeMap;

/// Characters of a hint that a table shows.
const SHOWN_HINT: usize = 110;

/// The view in words; `None` for a view that has no text here.
pub fn described(evidence: &Evidence) -> Option<String> {
    let result = evidence.normalized_result.as_object()?;
    let text = match result.get("kind")?.as_str()? {
        "environment-state" => state(result),
        "environment-coverage" => coverage(result),
        _ => return None,
    };
    Some(format!(
        "{text}\n{FAINT}{}\nThe Evidence itself is printed with --json or when redirected.{FAINT:#}\n",
        evidence.evidence_id
    ))
}

fn state(result: &Object) -> String {
    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    for entity in items(result, "entities") {
        *held.entry(text(entity, "type")).or_default() += 1;
    }
    let types = items(result, "types").iter().map(|kind| {
        let identity: Vec<&str> = kind
            .get("identity")
            .and_then(Value::as_array)
            .unwrap_or_default()
            .iter()
            .filter_map(Value::as_str)
            .collect();
        let name = text(kind, "collection_template");
        vec![name.to_owned(), identity.join(", "), held.get(name).copied().unwrap_or_default().to_string()]
    });
    let types = table(&["Type", "Identity", "Entities"], types, &[2]);
    let views = items(result, "views").iter().map(|view| {
        let about = match text(view, "view") {
            "recorded" => text(view, "reason"),
            _ => text(view, "type"),
        };
        vec![text(view, "tool").to_owned(), text(view, "view").to_owned(), about.to_owned()]
    });
    let views = table(&["Read", "Answers as", "Of, or why recorded"], views, &[]);
    let documents = counted(items(result, "documents").len(), "document");
    let total = counted(held.values().sum(), "held item");
    format!("{HEADING}State{HEADING:#}  {total}, {documents}\n\n{types}\n{views}")
}

/// Coverage in words.
pub fn coverage(result: &Object) -> String {
    fn number(value: Option<&Value>) -> &str {
        value.and_then(Value::as_number).map_or("0", |number| number.as_str())
    }
    let reads = result.get("reads");
    let (state, recorded) =
        (number(reads.and_then(|reads| reads.get("state"))), number(reads.and_then(|reads| reads.get("recorded"))));
    let mut out = format!(
        "{HEADING}Coverage{HEADING:#}  {state} read tools answer from the state, {recorded} from recordings only\n"
    );
    let reasons = reads.and_then(|reads| reads.get("recorded_reasons")).and_then(Value::as_object);
    for (reason, count) in reasons.into_iter().flatten() {
        let line = format!("{} for {}", number(Some(count)), reason.to_display());
        out.push_str(&format!("{FAINT}·{FAINT:#} {}\n", printable(&line)));
    }
    let writes = result.get("writes").and_then(Value::as_object);
    let served: Vec<Vec<String>> = writes
        .map(|writes| items(writes, "served"))
        .unwrap_or_default()
        .iter()
        .map(|write| vec![text(write, "tool").to_owned(), text(write, "effect").to_owned()])
        .collect();
    if !served.is_empty() {
        out.push_str(&format!("\n{}", table(&["Served write", "Effect"], served, &[])));
    }
    let withheld: Vec<Vec<String>> = writes
        .map(|writes| items(writes, "withheld"))
        .unwrap_or_default()
        .iter()
        .map(|write| {
            let hint = shortened(text(write, "hint"), SHOWN_HINT).into_owned();
            vec![
                text(write, "tool").to_owned(),
                text(write, "effect").to_owned(),
                text(write, "reason").to_owned(),
                hint,
            ]
        })
        .collect();
    if !withheld.is_empty() {
        out.push_str(&format!("\n{}", table(&["Withheld write", "Effect", "Reason", "Record next"], withheld, &[])));
    }
    out
}

fn items<'o>(object: &'o Object, name: &str) -> &'o [Value] {
    object.get(name).and_then(Value::as_array).unwrap_or_default()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}
