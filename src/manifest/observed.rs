//! The distinct request paths of the primary origin with what their answers show: the input of the template rules.

use super::facts::{Facts, Kind, Members, text_digest};
use super::limits::{MAX_EVIDENCE_ANSWERS, MAX_EVIDENCE_BODY_BYTES};
use super::segment::{decode_once, split_path};
use crate::capture::{Answer, Record, Request, is_success};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// One segment of an observed path.
#[derive(Debug)]
pub(super) struct Part<'a> {
    pub raw: &'a str,
    pub decoded: Cow<'a, str>,
}

/// One distinct raw path.
#[derive(Debug)]
pub(super) struct ObservedPath<'a> {
    /// Its segments.
    pub parts: Vec<Part<'a>>,
    /// Facts of its GET and HEAD answers with a 2xx status.
    pub reads: Vec<Facts>,
    /// Facts of its POST answers with a 2xx status.
    pub posts: Vec<Facts>,
    /// Facts of its other answers with a 2xx status.
    pub writes: Vec<Facts>,
    /// Statuses by method.
    pub statuses: BTreeMap<&'a str, BTreeSet<u16>>,
    /// Whether a query value of a read was a scalar of its answer: the query says which entity, not the path.
    pub query_identifies: bool,
}

impl ObservedPath<'_> {
    /// Methods with a 2xx answer.
    pub fn ok_methods(&self) -> impl Iterator<Item = &str> {
        self.statuses
            .iter()
            .filter(|(_, statuses)| statuses.iter().any(|status| is_ok(*status)))
            .map(|(method, _)| *method)
    }

    /// Whether every 2xx answer of the path to a read was one that says nothing: no body, or `{}`.
    pub fn reads_nothing(&self) -> bool {
        !self.reads.is_empty() && self.reads.iter().all(|facts| matches!(facts.kind, Kind::Empty | Kind::Nothing))
    }

    /// Whether any method was answered 2xx with something, or 2xx at all for a write.
    pub fn is_ok(&self) -> bool {
        self.ok_methods().any(|method| !is_read(method) || !self.reads_nothing())
    }
}

/// Whether a status is a success.
pub(super) fn is_ok(status: u16) -> bool {
    is_success(status)
}

/// Whether a method reads.
pub(super) fn is_read(method: &str) -> bool {
    matches!(method, "GET" | "HEAD")
}

/// Collects the distinct paths of some requests, in order of first observation.
pub(super) fn observe<'a>(
    records: impl IntoIterator<Item = (&'a Record, &'a Request)>,
    members: &mut Members,
) -> (Vec<ObservedPath<'a>>, HashMap<&'a str, usize>) {
    let mut index: HashMap<&str, usize> = HashMap::new();
    let mut paths: Vec<ObservedPath<'a>> = Vec::new();
    let mut answered: Vec<Vec<(&Request, &Answer)>> = Vec::new();
    for (record, request) in records {
        let number = *index.entry(&request.path).or_insert_with(|| {
            paths.push(ObservedPath {
                parts: split_path(&request.path).into_iter().map(part).collect(),
                reads: Vec::new(),
                posts: Vec::new(),
                writes: Vec::new(),
                statuses: BTreeMap::new(),
                query_identifies: false,
            });
            answered.push(Vec::new());
            paths.len() - 1
        });
        let statuses = paths[number].statuses.entry(&request.method).or_default();
        if let Some(answer) = &record.answer {
            statuses.insert(answer.status);
            if is_ok(answer.status) {
                answered[number].push((request, answer));
            }
        }
    }
    for (path, answered) in paths.iter_mut().zip(answered) {
        for (request, answer) in spread(&answered) {
            let facts = facts_of(answer, members);
            if is_read(&request.method) {
                path.query_identifies |=
                    request.query.as_deref().is_some_and(|query| identifies(query, &facts, members));
                path.reads.push(facts);
            } else if request.method == "POST" {
                path.posts.push(facts);
            } else {
                path.writes.push(facts);
            }
        }
    }
    (paths, index)
}

fn part(raw: &str) -> Part<'_> {
    Part { raw, decoded: decode_once(raw) }
}

/// At most [`MAX_EVIDENCE_ANSWERS`] of the answers, evenly spread, the first and the last among them.
fn spread<'a, T: Copy>(items: &'a [T]) -> impl Iterator<Item = T> + 'a {
    let count = items.len().min(MAX_EVIDENCE_ANSWERS);
    (0..count).filter_map(move |step| {
        let index = if count <= 1 { 0 } else { step * (items.len() - 1) / (count - 1) };
        items.get(index).copied()
    })
}

fn facts_of(answer: &Answer, members: &mut Members) -> Facts {
    let Some(text) = answer.body.text() else {
        return Facts::bare(if answer.body.is_recorded() { Kind::Text } else { Kind::Nothing });
    };
    if text.is_empty() {
        return Facts::bare(Kind::Nothing);
    }
    if text.len() > MAX_EVIDENCE_BODY_BYTES || !answer.is_json_like() {
        return Facts::bare(Kind::Text);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    match crate::json::parse(text.as_bytes()) {
        Ok(value) => Facts::of(&value, members),
        Err(_) => Facts::bare(Kind::Text),
    }
}

fn identifies(query: &str, facts: &Facts, members: &Members) -> bool {
    facts.kind == Kind::Entity
        && form_urlencoded::parse(query.as_bytes()).any(|(_, value)| {
            !value.is_empty()
                && facts.with_text(text_digest(&value)).any(|member| super::facts::names_entity(members.name(member)))
        })
}
