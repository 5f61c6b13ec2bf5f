//! The views of a state through `inspect-analysis-view`: `environment-state` holds what is known and how it is rendered,
//! `environment-coverage` says what of it answers and what to record next. Neither asks whether a server would admit it.

use super::coverage::{Coverage, coverage_of};
use super::derived::Derived;
use super::error::StateError;
use super::limits::MAX_STATE_VIEW_BYTES;
use super::plan_document::{known_in_full, plans};
use super::prepare::prepare_state;
use super::state_document::{compact_length, documents_document, entities_document, types_document};
use super::write_clock::write_clock;
use super::write_document::write_plans;
use crate::capture::Capture;
use crate::evidence::Evidence;
use crate::json::Object;
use crate::manifest::{
    Manifest, TemplateRule, ViewKind, ViewRequest, ViewSeal, manifest_evidence, project_manifest, seal_view,
};

/// Answers a view request of any kind.
///
/// # Errors
/// As the projection of the manifest; a capture that has no state; a state over the view's budget.
pub fn inspect_environment_view(request: &ViewRequest) -> Result<Evidence, StateError> {
    let (capture, rules) = (&request.capture, &request.rules);
    if request.kind == ViewKind::Manifest {
        return Ok(manifest_evidence(capture, rules)?);
    }
    let manifest = project_manifest(capture, rules)?;
    let derived = prepare_state(capture, &manifest)?;
    match request.kind {
        ViewKind::Coverage => coverage_evidence(&coverage_of(&derived, capture, &manifest), capture, rules),
        ViewKind::Manifest | ViewKind::State => state_evidence(&derived, capture, &manifest),
    }
}

/// The members of the state view: `write_clock`, `types`, `entities`, `documents`, `known_in_full`, `views`.
pub fn state_payload(derived: &Derived, capture: &Capture, manifest: &Manifest) -> Object {
    Object::new()
        .with("write_clock", write_clock(capture, &derived.world, derived.types.len()))
        .with("types", types_document(derived))
        .with("entities", entities_document(derived, manifest, &derived.world))
        .with("documents", documents_document(manifest, &derived.world))
        .with("known_in_full", known_in_full(derived))
        .with("views", plans(derived, capture, manifest))
        .with("writes", write_plans(derived, manifest))
}

/// The state Evidence of a capture: what the state view answers, and what names the state that a server serves.
///
/// # Errors
/// A payload over [`MAX_STATE_VIEW_BYTES`]; as [`seal_view`].
pub fn state_evidence(derived: &Derived, capture: &Capture, manifest: &Manifest) -> Result<Evidence, StateError> {
    let payload = state_payload(derived, capture, manifest);
    let bytes = payload.iter().map(|(_, value)| compact_length(value)).sum();
    if bytes > MAX_STATE_VIEW_BYTES {
        return Err(StateError::View { bytes, limit: MAX_STATE_VIEW_BYTES });
    }
    let limitations = [
        "The state is what recorded reads showed before the first write that may have changed it; what no read showed is \
         not known, and not absent.",
        "A view is kept where it renders the recordings it covers; other applications of its rules are concluded.",
    ];
    let unknowns = [
        "Entities that no recorded read listed or addressed.",
        "What a write changes, unless a plan for it is served.",
        "Members that no recorded answer showed.",
    ];
    let seal = ViewSeal {
        kind: ViewKind::State,
        rules: &manifest.template_rules,
        payload,
        limitations: limitations.map(str::to_owned).into(),
        unknowns: unknowns.map(str::to_owned).into(),
    };
    Ok(seal_view(capture, seal)?)
}

/// The coverage Evidence of a capture.
///
/// # Errors
/// As [`seal_view`].
pub fn coverage_evidence(
    coverage: &Coverage,
    capture: &Capture,
    rules: &[TemplateRule],
) -> Result<Evidence, StateError> {
    let limitations = [
        "A read that answers from the state does so for the lines its view covers; other lines are answered from \
         recordings.",
        "A hint says what to record next; it does not change what is served.",
    ];
    let unknowns = ["Reads and writes of the application that the capture holds no record of."];
    let seal = ViewSeal {
        kind: ViewKind::Coverage,
        rules,
        payload: coverage.to_object(),
        limitations: limitations.map(str::to_owned).into(),
        unknowns: unknowns.map(str::to_owned).into(),
    };
    Ok(seal_view(capture, seal)?)
}
