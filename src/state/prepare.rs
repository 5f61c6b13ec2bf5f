//! Prepare: the way to a state for everybody outside this folder. Checks that the capture may be read at all, charges
//! its bodies, derives.

use super::derive::derive_state;
use super::derived::Derived;
use super::error::StateError;
use super::limits::MAX_DERIVATION_BYTES;
use super::reading_post::reading_posts;
use super::write_clock::write_clock_seconds;
use crate::capture::{Body, Capture};
use crate::json::Value;
use crate::manifest::Manifest;
use std::collections::BTreeSet;

/// Derives the state of a capture under a manifest of it.
///
/// # Errors
/// A capture whose values were removed, a browser scenario without answer bodies, bodies over
/// [`MAX_DERIVATION_BYTES`].
pub fn prepare_state(capture: &Capture, manifest: &Manifest) -> Result<Derived, StateError> {
    check_capture(capture)?;
    let bytes = cited_bytes(capture, manifest);
    if bytes > MAX_DERIVATION_BYTES {
        return Err(StateError::Bodies { bytes, limit: MAX_DERIVATION_BYTES });
    }
    let mut derived = derive_state(capture, manifest);
    derived.reading_posts = reading_posts(capture, manifest);
    derived.write_clock = write_clock_seconds(capture, &derived.world, derived.types.len());
    Ok(derived)
}

fn check_capture(capture: &Capture) -> Result<(), StateError> {
    let removed = capture.evidence.parameters.get("sensitive_value_count").and_then(Value::as_number);
    if let Some(count) = removed.filter(|count| count.as_i64() != Some(0)) {
        return Err(StateError::SensitiveValues { count: count.as_str().to_owned() });
    }
    let mut answers = capture.records.iter().filter_map(|record| Some((record, record.answer.as_ref()?))).peekable();
    if capture.evidence.operation == "capture_browser_scenario"
        && answers.peek().is_some()
        && answers.all(|(record, answer)| record.bodies_unselected && !answer.body.is_recorded())
    {
        return Err(StateError::NoBodies);
    }
    Ok(())
}

/// Decoded bytes of the bodies, sent and answered, of the records that tools cite.
fn cited_bytes(capture: &Capture, manifest: &Manifest) -> usize {
    let cited: BTreeSet<usize> = manifest.tools.iter().flat_map(|tool| tool.records.iter().copied()).collect();
    let size = |body: &Body| match body {
        Body::Unrecorded => 0,
        Body::Text(text) => text.len(),
        Body::Bytes(bytes) => bytes.len(),
    };
    capture
        .records
        .iter()
        .filter(|record| cited.contains(&record.ordinal))
        .map(|record| {
            record.request.as_ref().map_or(0, |request| size(&request.body))
                + record.answer.as_ref().map_or(0, |answer| size(&answer.body))
        })
        .sum()
}
