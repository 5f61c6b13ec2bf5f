//! Documents: reads that are no entity. A document is known by its path and line, as long as its recordings agree.

use super::document_moving::settled;
use super::line::Line;
use super::observe::{Observed, Seen};
use super::store::{Document, World};
use super::types::{DocumentView, Place, View};
use crate::capture::is_success;
use crate::json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The view of a tool whose answers are documents, and their values put into the world. `clean` says whether a call
/// was made before anything that may have changed it; `moving` are the places at which its documents move by themselves.
pub fn document_view(
    tool: usize,
    observed: &Observed,
    world: &mut World,
    clean: impl Fn(&Seen) -> bool,
    moving: Vec<Place>,
    max_bytes: usize,
) -> View {
    let mut lines: BTreeMap<(String, Line), Option<&Seen>> = BTreeMap::new();
    let mut varied = false;
    let mut oversize = false;
    for seen in observed.of_tool(tool).filter(|seen| is_success(seen.status) && clean(seen)) {
        let (Some(line), Some(body)) = (&seen.line, &seen.body) else { continue };
        // A name that is given twice has lost its first value here, so two such lines cannot be told apart.
        if line.repeated {
            continue;
        }
        let mut key = line.clone();
        key.in_order.clear();
        if body.to_compact().len() > max_bytes {
            oversize = true;
            continue;
        }
        lines
            .entry((seen.path.clone(), key))
            .and_modify(|held| {
                let agrees = held
                    .and_then(|held| held.body.as_ref())
                    .is_some_and(|first| settled(body, first, &moving).same_as(first));
                if !agrees {
                    varied = true;
                    *held = None;
                }
            })
            .or_insert(Some(seen));
    }
    let mut view = Vec::new();
    for ((path, line), seen) in &lines {
        let Some(seen) = seen else { continue };
        if let Some(body) = &seen.body {
            let key = document_key(path, line);
            let value = Document { value: Arc::clone(body), record_ordinal: Some(seen.ordinal) };
            world.set_document(tool, &key, value);
            view.push((path.clone(), line.clone(), seen.record));
        }
    }
    if view.is_empty() {
        let reason = if oversize {
            "rendered-oversize"
        } else if varied {
            "document-varies"
        } else {
            "no-view"
        };
        return View::Recorded { reason };
    }
    let mut later = BTreeMap::new();
    for seen in observed.of_tool(tool).filter(|seen| is_success(seen.status) && !clean(seen)) {
        let Some(line) = seen.line.as_ref().filter(|line| line.is_bare() && seen.body.is_some()) else { continue };
        let key = (seen.path.clone(), line.clone());
        if !lines.contains_key(&key) {
            later.entry(key).or_insert(seen.record);
        }
    }
    let later = later.into_iter().map(|((path, line), record)| (path, line, record)).collect();
    View::Document(DocumentView { lines: view, later, moving })
}

/// The key of a document in the world: its path, and its line where it has one.
pub fn document_key(path: &str, line: &Line) -> String {
    if line.is_bare() {
        return path.to_owned();
    }
    let mut key = format!("{path}?");
    for (index, param) in line.params.iter().enumerate() {
        if index > 0 {
            key.push('&');
        }
        let name = escaped(&param.key);
        match &param.list {
            None => key.extend([&name, "=", &escaped(&param.text)]),
            Some(list) => {
                let items: Value = list.iter().map(|item| Value::from(item.as_str())).collect();
                key.extend([&name, "==", &escaped(&items.to_compact())]);
            }
        }
    }
    key
}

/// A text without the signs that part a key, so that two lines have two keys.
fn escaped(text: &str) -> String {
    text.replace('%', "%25").replace('&', "%26").replace('=', "%3D")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn line(query: &[(&str, &str)], body: &str) -> Line {
        let query: Vec<(String, String)> = query.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Line::new(&query, Some(&crate::json::parse(body.as_bytes()).unwrap())).unwrap()
    }

    #[rstest]
    #[case(&[], "{}", "/info")]
    #[case(&[("full", "1")], "{}", "/info?full=1")]
    #[case(&[("b", "x y"), ("a[c]", "1")], "{}", "/info?a[c]=1&b=x y")]
    #[case(&[("a", "1&b=2")], "{}", "/info?a=1%26b%3D2")]
    #[case(&[], r#"{"ids":["a","b"]}"#, r#"/info?body/ids==["a","b"]"#)]
    fn keys(#[case] query: &[(&str, &str)], #[case] body: &str, #[case] expected: &str) {
        assert_eq!(document_key("/info", &line(query, body)), expected);
    }

    proptest! {
        #[test]
        fn two_lines_have_two_keys(
            one in proptest::collection::btree_map("[a=&%]{1,2}", "[a=&%\"\\[]{0,3}", 0..3),
            other in proptest::collection::btree_map("[a=&%]{1,2}", "[a=&%\"\\[]{0,3}", 0..3),
        ) {
            let lines = [&one, &other].map(|map| Line::new(&map.clone().into_iter().collect::<Vec<_>>(), None).unwrap());
            prop_assert_eq!(one == other, document_key("/x", &lines[0]) == document_key("/x", &lines[1]));
        }
    }
}
