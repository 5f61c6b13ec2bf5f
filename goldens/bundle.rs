//! The bundle of a scenario in one text: each file that people read, and of the others the size and the digest.

use super::scenarios::Scenario;
use rea::bundle::{EnvProvider, PackageChoice, plan_bundle};
use rea::json::{CanonicalDigest, Sink};

/// Every file under its path. The package comes from the registry, so that no program's digest is in it.
pub fn texts(scenario: &Scenario) -> Result<Vec<u8>, String> {
    let engine = &scenario.live;
    let plan = plan_bundle(engine, &PackageChoice::Registry, EnvProvider::Gateway, true);
    let plan = plan.map_err(|error| error.to_string())?;
    let mut out = Vec::new();
    for file in &plan.files {
        let bytes = file.to_bytes();
        out.extend_from_slice(format!("==> {} ({} bytes)\n", file.path, bytes.len()).as_bytes());
        let is_data = ["evidence.json", "manifest.json", "state.json"].iter().any(|name| {
            file.path.starts_with("envs/") && file.path.ends_with(name)
                || file.path.ends_with("/state.json") && !file.path.starts_with("tasks/")
        });
        if is_data {
            let mut digest = CanonicalDigest::new();
            digest.put(&bytes);
            out.extend_from_slice(format!("SHA-256 {}\n", digest.finish()).as_bytes());
        } else {
            out.extend_from_slice(&bytes);
        }
        out.push(b'\n');
    }
    Ok(out)
}
