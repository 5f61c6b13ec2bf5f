//! Loading what the environment commands take: the pair, a capture alone, or a bundle folder.

use super::AnswerError;
use crate::capture::{Capture, InspectOptions, load_capture};
use crate::evidence::{MAX_EVIDENCE_BYTES, authenticate, read_stable};
use crate::manifest::{DEFAULT_BUILD_RULES, Manifest, manifest_from_evidence, project_manifest};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Resident bytes for each byte of a manifest file while it is read and authenticated: its text, and its document.
const MANIFEST_MEMORY_FACTOR: u64 = 6;

/// The operation of manifest Evidence, which is a view.
const VIEW_OPERATION: &str = "inspect_analysis_view";

/// Loads what `environment-serve`, `-export` and `-compare` take: a manifest with `evidence`, or (when `evidence` is
/// `None`) a capture alone (`.har` or capture Evidence; the manifest is projected with the build's default rules) or a
/// bundle folder. That the two belong together is checked by [`super::Engine::new`].
///
/// # Errors
/// Every refusal of the files, and a folder that is not a bundle with one environment.
pub fn load_pair(
    path: &Path,
    evidence: Option<&Path>,
    options: &InspectOptions,
) -> Result<(Capture, Manifest), AnswerError> {
    if let Some(evidence) = evidence {
        // The manifest is the smaller file: what is wrong with it is said before a large capture is read.
        let (manifest, bytes) = load_manifest_with_bytes(path)?;
        drop(bytes);
        return Ok((load_capture(evidence, options)?, manifest));
    }
    if path.is_dir() {
        let (manifest, evidence) = bundled_pair(path)?;
        return load_pair(&manifest, Some(&evidence), options);
    }
    let capture = load_capture(path, options)?;
    let manifest = project_manifest(&capture, &DEFAULT_BUILD_RULES)?;
    Ok((capture, manifest))
}

/// The manifest and the capture of a bundle folder, or of an environment folder of one.
///
/// # Errors
/// A folder that is not a bundle with one environment.
pub fn bundled_pair(path: &Path) -> Result<(PathBuf, PathBuf), AnswerError> {
    let environment = bundled_environment(path)?;
    Ok((environment.join("manifest.json"), environment.join("evidence.json")))
}

/// The name of the environment of a bundle folder: its folder's under `envs/`. `None` for anything else.
pub fn bundled_name(path: &Path) -> Option<String> {
    let environment = if path.is_dir() { bundled_environment(path).ok()? } else { return None };
    Some(environment.file_name()?.to_str()?.to_owned())
}

/// Reads a manifest, with the bytes that were authenticated.
///
/// # Errors
/// A file that cannot be read, is not authentic Evidence, or is Evidence of something else.
pub fn load_manifest_with_bytes(path: &Path) -> Result<(Manifest, Vec<u8>), AnswerError> {
    let file = read_stable(path, MAX_EVIDENCE_BYTES, MANIFEST_MEMORY_FACTOR)?;
    let evidence = authenticate(&file.bytes)
        .map_err(|source| AnswerError::ManifestEvidence { path: path.display().to_string(), source })?;
    if evidence.operation != VIEW_OPERATION {
        return Err(AnswerError::NotAManifest { path: path.display().to_string(), operation: evidence.operation });
    }
    Ok((manifest_from_evidence(Arc::new(evidence))?, file.bytes))
}

/// The one environment folder of a bundle: the folder itself when it holds the pair, else the one under `envs/`.
fn bundled_environment(path: &Path) -> Result<PathBuf, AnswerError> {
    let holds_pair = |folder: &Path| ["manifest.json", "evidence.json"].iter().all(|name| folder.join(name).is_file());
    if holds_pair(path) {
        return Ok(path.to_owned());
    }
    let refused = |reason: String| AnswerError::NotABundle { path: path.display().to_string(), reason };
    let entries =
        std::fs::read_dir(path.join("envs")).map_err(|error| refused(format!("envs cannot be listed ({error})")))?;
    let folders = entries.flatten().map(|entry| entry.path());
    let mut found: Vec<PathBuf> = folders.filter(|folder| holds_pair(folder)).collect();
    found.sort();
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (Some(_), others) => Err(refused(format!("envs holds {} environments; give one of their folders", others + 1))),
        (None, _) => Err(refused("no folder under envs holds manifest.json and evidence.json".to_owned())),
    }
}
