//! Documents: reads that are no entity. A document is known by its path and line, as long as its recordings agree.

use super::line::Line;
use super::observe::{Observed, Seen};
use super::store::{Document, World};
use super::types::{DocumentView, View};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The view of a tool whose answers are documents, and their values put into the world. `clean` says whether a call
/// was made before anything that may have changed it.
pub fn document_view(
    tool: usize,
    observed: &Observed,
    world: &mut World,
    clean: impl Fn(&Seen) -> bool,
    max_bytes: usize,
) -> View {
    let mut lines: BTreeMap<(String, Line), Option<&Seen>> = BTreeMap::new();
    let mut varied = false;
    let mut oversize = false;
    for seen in observed.of_tool(tool).filter(|seen| (200..300).contains(&seen.status) && clean(seen)) {
        let (Some(line), Some(body)) = (&seen.line, &seen.body) else { continue };
        let mut key = line.clone();
        key.in_order.clear();
        if body.to_compact().len() > max_bytes {
            oversize = true;
            continue;
        }
        lines
            .entry((seen.path.clone(), key))
            .and_modify(|held| {
                let agrees = held.and_then(|held| held.body.as_ref()).is_some_and(|first| first.same_as(body));
                if !agrees {
                    varied = true;
                    *held = None;
                }
            })
            .or_insert(Some(seen));
    }
    let mut view = Vec::new();
    for ((path, line), seen) in lines {
        let Some(seen) = seen else { continue };
        if let Some(body) = &seen.body {
            let key = document_key(&path, &line);
            let value = Document { value: Arc::clone(body), record_ordinal: Some(seen.ordinal) };
            world.set_document(tool, &key, value);
            view.push((path, line, seen.record));
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
    View::Document(DocumentView { lines: view })
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
        key.push_str(&param.key);
        key.push('=');
        key.push_str(&param.text);
    }
    key
}
