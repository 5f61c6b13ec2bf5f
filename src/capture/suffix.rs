//! Interfaces that spell the format of the answer at the end of every path: `/issues.json`, `/issues/3.json`. Where nearly
//! all paths do, the ending says nothing of what is addressed, and a record's path is read without it. Knows nothing of
//! templates.

use super::Record;
use crate::capture::is_success;
use std::collections::BTreeSet;

/// The ending that names the format of a JSON answer.
const FORMAT: &str = ".json";

/// Distinct paths that must show the convention.
const MIN_PATHS: usize = 3;

/// Whether the paths of an interface end in the format. They do not where a path with it and the same path without it were
/// both answered with JSON: there the ending tells them apart.
pub(super) fn ends_in_format(records: &[Record]) -> bool {
    let mut with = BTreeSet::new();
    let mut without = BTreeSet::new();
    for record in records {
        let Some((request, answer)) = record.request.as_ref().zip(record.answer.as_ref()) else { continue };
        if request.method != "GET" || !is_success(answer.status) || !answer.is_json_like() {
            continue;
        }
        match stem(&request.path) {
            Some(stem) => with.insert((request.origin.as_str(), stem)),
            None => without.insert((request.origin.as_str(), request.path.as_str())),
        };
    }
    with.len() >= MIN_PATHS && with.len() >= without.len() * 3 && with.is_disjoint(&without)
}

/// Reads the paths without the format at their end.
pub(super) fn drop_format(records: &mut [Record]) {
    for request in records.iter_mut().filter_map(|record| record.request.as_mut()) {
        if let Some(length) = stem(&request.path).map(str::len) {
            request.path.truncate(length);
        }
    }
}

/// A path without the format at its end; `None` for one that does not end in it, or is nothing else.
fn stem(path: &str) -> Option<&str> {
    path.strip_suffix(FORMAT).filter(|stem| !stem.is_empty() && !stem.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::super::{Answer, Body, Request};
    use super::*;

    fn paths(asked: &[&str]) -> Vec<String> {
        let record = |(ordinal, path): (usize, &&str)| Record {
            ordinal,
            start: None,
            duration_ms: None,
            request: Some(Request {
                method: "GET".to_owned(),
                origin: "http://app".to_owned(),
                path: (*path).to_owned(),
                query: None,
                content_type: None,
                body: Body::Unrecorded,
            }),
            no_request_reason: None,
            answer: Some(Answer {
                status: 200,
                content_type: Some("application/json".to_owned()),
                location: None,
                body: Body::Text("{}".into()),
            }),
            bodies_unselected: false,
        };
        let mut records: Vec<Record> = asked.iter().enumerate().map(record).collect();
        if ends_in_format(&records) {
            drop_format(&mut records);
        }
        records.into_iter().filter_map(|record| record.request).map(|request| request.path).collect()
    }

    #[test]
    fn the_format_at_the_end_of_every_path_is_not_part_of_it() {
        assert_eq!(paths(&["/a.json", "/a/1.json", "/b.json"]), ["/a", "/a/1", "/b"]);
    }

    #[test]
    fn files_among_other_paths_keep_their_names() {
        let asked = ["/contents", "/contents/a.json", "/contents/b.json", "/contents/c.json", "/status"];
        assert_eq!(paths(&asked), asked);
    }

    #[test]
    fn an_ending_that_tells_two_answers_apart_stays() {
        let asked = ["/a", "/a.json", "/b.json", "/c.json"];
        assert_eq!(paths(&asked), asked);
    }
}
