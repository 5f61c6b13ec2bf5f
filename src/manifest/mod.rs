//! The manifest: one application's request lines as tools. A pure projection of a capture: origins, path templates,
//! names, value-free body shapes, cited records. Carries no body and no header.
//!
//! This module knows nothing of state or of how a call is answered.

mod body;
mod error;
mod facts;
mod json_view;
mod limits;
mod names;
mod observed;
mod origin;
mod place;
mod project;
mod rules;
mod segment;
mod siblings;
mod split;
mod template;
mod token;
mod types;
mod variance;
mod view;

pub use error::ManifestError;
pub use json_view::manifest_from_evidence;
pub use limits::*;
pub use origin::primary_origin;
pub use project::project_manifest;
pub use rules::{DEFAULT_BUILD_RULES, TemplateRule, parse_rules};
pub use segment::{SegmentFormat, decode_once, split_path};
pub use template::{Segment, Template};
pub use token::is_made_token;
pub use types::{BodyShape, ExcludedGroup, Manifest, PathParameter, QueryParameter, Tool};
pub use view::{MANIFEST_KIND, ViewKind, ViewRequest, ViewSeal, inspect_view, manifest_evidence, read_view, seal_view};

#[cfg(test)]
pub(crate) mod tests;
