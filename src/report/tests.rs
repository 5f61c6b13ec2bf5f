//! The printers, on a comparison made by hand that holds one of everything, with names that try to do harm.

use super::{to_html, to_json, to_text};
use crate::compare::{
    Agreement, ComparedEnvironment, Comparison, Difference, DifferenceKind, Normalised, ProbeResult, Shown, Source,
    SourceCount, Step, Summary, ToolResult, Unobserved, Verdict,
};
use crate::json::{Object, Value};

const HARM: &str = "</code><script>alert(1)</script>\u{1b}[2J\u{202e}\"'&";

fn step(ordinal: usize, source: Source, verdict: Option<Verdict>, differences: Vec<Difference>) -> Step {
    Step {
        ordinal,
        method: "GET".to_owned(),
        path: format!("/api/{HARM}"),
        tool: (source != Source::NoTool).then(|| "get_users".to_owned()),
        source,
        reason: (source == Source::Refused).then(|| HARM.to_owned()),
        record_ordinal: None,
        verdict,
        differences,
        normalised: Normalised { ids: 2, ..Normalised::default() },
        unlearned_id: false,
        unobserved_body: false,
        baseline: None,
    }
}

fn comparison() -> Comparison {
    let verdict = |agrees, agrees_ignoring_order| Some(Verdict { agrees, agrees_ignoring_order });
    let difference = |kind, pointer: Option<&str>, live: Option<Shown>, environment: Option<Shown>| Difference {
        kind,
        pointer: pointer.map(str::to_owned),
        live,
        environment,
    };
    let steps = vec![
        step(0, Source::State, verdict(true, true), Vec::new()),
        step(
            2,
            Source::State,
            verdict(false, true),
            vec![
                difference(DifferenceKind::Value, Some("/a~1b/0"), Some(HARM.into()), Some(1_u64.into())),
                difference(DifferenceKind::Missing, Some("/c"), Some(Shown::Cut(format!("{HARM}… (999 bytes)"))), None),
            ],
        ),
        step(
            3,
            Source::NoTool,
            verdict(false, false),
            vec![difference(DifferenceKind::NoTool, None, Some(200_u64.into()), None)],
        ),
        step(4, Source::Refused, None, Vec::new()),
    ];
    let agreement = Agreement { compared: 3, agreed: 1, agreed_ignoring_order: 2 };
    Comparison {
        environment: ComparedEnvironment {
            capture_evidence_id: "ev_c".to_owned(),
            manifest_evidence_id: "ev_m".to_owned(),
            state: Object::new().with("served", true),
        },
        summary: Summary {
            probes: 1,
            steps: 4,
            agreement,
            baseline: None,
            unobserved: 1,
            unobserved_bodies: 0,
            id_conflicts: 0,
            unlearned_ids: 1,
            unlearned_ids_of_state: 1,
            normalised: Normalised { ids: 8, clocks: 1, ..Normalised::default() },
            sources: Source::ALL
                .into_iter()
                .map(|source| SourceCount { source, steps: usize::from(source == Source::State) * 2, agreed: 1 })
                .collect(),
        },
        tools: vec![ToolResult { tool: "get_users".to_owned(), steps: 3, agreement, baseline: None }],
        probes: vec![ProbeResult {
            name: HARM.to_owned(),
            evidence_id: "ev_p".to_owned(),
            steps,
            agreement,
            baseline: None,
            unobserved: vec![Unobserved { ordinal: 1, reason: "other-origin" }],
            id_conflicts: 0,
        }],
    }
}

fn names(value: &Value) -> Vec<String> {
    value.as_object().unwrap().iter().map(|(name, _)| name.as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_document_has_the_members_in_their_order() {
    let document = to_json(&comparison());
    assert_eq!(names(&document), ["status", "environment", "summary", "tools", "probes"]);
    assert_eq!(
        names(document.get("summary").unwrap()),
        [
            "probes",
            "steps",
            "compared",
            "agreed",
            "agreement",
            "agreed_ignoring_order",
            "agreement_ignoring_order",
            "unobserved",
            "unobserved_bodies",
            "id_conflicts",
            "unlearned_ids",
            "normalised",
            "sources"
        ]
    );
    let first = |list: &str| document.get(list).unwrap().as_array().unwrap()[0].clone();
    assert_eq!(names(&first("tools")), ["tool", "steps", "agreed", "agreement", "agreement_ignoring_order"]);
    assert_eq!(
        names(&first("probes")),
        [
            "name",
            "evidence_id",
            "steps",
            "agreed",
            "agreement",
            "agreement_ignoring_order",
            "unobserved",
            "steps_detail"
        ]
    );
    let steps = first("probes").get("steps_detail").unwrap().as_array().unwrap().to_vec();
    assert_eq!(
        names(&steps[1]),
        ["ordinal", "method", "path", "tool", "source", "reason", "agrees", "agrees_ignoring_order", "differences"]
    );
    assert_eq!(
        steps[2].get("differences").unwrap().to_compact(),
        r#"[{"kind":"no-tool","pointer":null,"live":200,"environment":null}]"#
    );
    assert!(steps[3].get("agrees").unwrap().is_null(), "made, not compared");
}

#[test]
fn the_baseline_is_there_only_when_it_was_compared() {
    let mut comparison = comparison();
    assert!(to_json(&comparison).get("summary").unwrap().get("baseline").is_none());
    comparison.summary.baseline = Some(Agreement { compared: 4, agreed: 1, agreed_ignoring_order: 1 });
    let document = to_json(&comparison);
    let share = document.get("summary").unwrap().get("baseline").unwrap().get("agreement").unwrap();
    assert_eq!(share.to_compact(), "0.25");
    assert!(to_html(&comparison).contains("By pure replay"));
    assert!(to_text(&comparison).contains("by pure replay"));
}

#[test]
fn nothing_compared_is_null_and_a_dash() {
    let mut comparison = comparison();
    comparison.summary.agreement = Agreement::default();
    assert!(to_json(&comparison).get("summary").unwrap().get("agreement").unwrap().is_null());
    assert!(to_text(&comparison).contains("Nothing was compared"));
    assert!(to_html(&comparison).contains("Nothing was compared"));
}

#[test]
fn the_page_escapes_what_was_captured() {
    let page = to_html(&comparison());
    assert!(!page.contains("<script"));
    assert!(page.contains("&lt;script&gt;"));
    assert!(!page.contains(['\u{1b}', '\u{202e}']));
    for outside in ["src=", "href=", "@import", "url(", "http:", "https:"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn the_page_filters_by_kind_and_tool() {
    let page = to_html(&comparison());
    for part in [
        r#"class="step t1 k-value k-missing k-order""#,
        r#"class="step t0 k-no-tool""#,
        "body:has(#k-value:checked) .step:not(.k-value){display:none}",
        "body:has(#t1:checked) .step:not(.t1){display:none}",
        r#"id="k-missing""#,
        r#"id="t1""#,
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains(r#"id="k-bytes""#), "only what occurs");
}

#[test]
fn the_text_says_the_number_first_and_steers_no_terminal() {
    let text = anstream::adapter::strip_str(&to_text(&comparison())).to_string();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("Agreement  33.3 %  1 of 3 compared steps agree"));
    assert_eq!(lines.next(), Some("           66.7 %  ignoring the order of items"));
    assert!(text.contains("2 disagreements"));
    assert!(text.contains("only the order differs"));
    assert!(text.contains("did not observe: #1 other-origin"));
    // Only the styles of this program are escapes; captured ones are spelled out.
    let raw = to_text(&comparison());
    assert!(raw.contains("\\u{1b}[2J") && !raw.contains("\u{1b}[2J") && !raw.contains('\u{202e}'));
}
