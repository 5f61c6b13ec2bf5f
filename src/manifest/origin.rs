//! The primary origin and what is outside it.

use super::limits::MAX_BARE_TEXT_BYTES;
use super::types::ExcludedGroup;
use crate::capture::{Answer, Record, is_success};
use std::collections::HashMap;

/// The origin with the most JSON-like answers; among equals the first observed. `None` when no answer is JSON-like.
pub fn primary_origin(records: &[Record]) -> Option<&str> {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    let mut order: Vec<&str> = Vec::new();
    for record in records {
        let (Some(request), Some(answer)) = (&record.request, &record.answer) else {
            continue;
        };
        if answer.is_json_like() {
            let count = counts.entry(&request.origin).or_insert_with(|| {
                order.push(&request.origin);
                0
            });
            *count += 1;
        }
    }
    let most = counts.values().copied().max()?;
    order.into_iter().find(|origin| counts.get(origin) == Some(&most))
}

/// Why the records of one method and template became no tool.
pub(super) const OTHER_ORIGIN: &str = "other-origin";
pub(super) const STATIC_ASSET: &str = "static-asset";
pub(super) const NO_JSON_ANSWER: &str = "no-json-answer";
pub(super) const NO_ANSWER: &str = "no-answer";

/// The reasons, in the order in which groups are listed.
pub(super) const REASONS: [&str; 4] = [OTHER_ORIGIN, STATIC_ASSET, NO_JSON_ANSWER, NO_ANSWER];

/// Whether the answers of one method and template make a tool, or why not.
///
/// A JSON-like answer does. So does a write that was answered without a body (a 201 or 204), and anything on a path
/// that has another tool: its refusals and its plain answers belong to the same interface.
pub(super) fn exclusion(method: &str, answers: &[&Answer], path_has_tool: bool) -> Option<&'static str> {
    if answers.iter().any(|answer| answer.is_json_like() || is_bare_text(answer)) {
        return None;
    }
    if answers.is_empty() {
        return if path_has_tool { None } else { Some(NO_ANSWER) };
    }
    let writes = !matches!(method, "GET" | "HEAD" | "OPTIONS" | "TRACE");
    let bodiless = |answer: &&&Answer| {
        is_success(answer.status) && answer.body.text().is_none_or(str::is_empty) && !is_document(answer)
    };
    if writes && (path_has_tool || answers.iter().any(|answer| bodiless(&answer))) {
        return None;
    }
    if answers.iter().all(|answer| is_static(answer)) { Some(STATIC_ASSET) } else { Some(NO_JSON_ANSWER) }
}

/// Whether an answer that is labelled as HTML, as frameworks label every text by default, holds no markup: a version, a
/// number, a word.
fn is_bare_text(answer: &Answer) -> bool {
    is_success(answer.status)
        && media_type(answer) == "text/html"
        && answer
            .body
            .text()
            .is_some_and(|text| !text.trim().is_empty() && text.len() <= MAX_BARE_TEXT_BYTES && !text.contains('<'))
}

fn media_type(answer: &Answer) -> String {
    answer.content_type.as_deref().unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

fn is_document(answer: &Answer) -> bool {
    let media = media_type(answer);
    !media.is_empty() && !media.starts_with("x-") && media != "application/octet-stream"
}

fn is_static(answer: &Answer) -> bool {
    let media = media_type(answer);
    media.starts_with("image/")
        || media.starts_with("font/")
        || media.starts_with("audio/")
        || media.starts_with("video/")
        || media.contains("javascript")
        || media.contains("ecmascript")
        || media.contains("font")
        || matches!(media.as_str(), "text/css" | "application/wasm" | "application/manifest+json")
}

/// Counts excluded records by reason and origin.
#[derive(Debug, Default)]
pub(super) struct Exclusions {
    groups: Vec<ExcludedGroup>,
}

impl Exclusions {
    /// Counts `records` more.
    pub fn add(&mut self, reason: &'static str, origin: &str, records: usize) {
        match self.groups.iter_mut().find(|group| group.reason == reason && group.origin == origin) {
            Some(group) => group.records += records,
            None => self.groups.push(ExcludedGroup { reason, origin: origin.to_owned(), records }),
        }
    }

    /// The groups, by reason and then in order of first observation.
    pub fn finish(mut self) -> Vec<ExcludedGroup> {
        self.groups.sort_by_key(|group| REASONS.iter().position(|reason| *reason == group.reason));
        self.groups
    }
}
