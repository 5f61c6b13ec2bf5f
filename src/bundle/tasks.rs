//! `tasks/`: what the framework does with the environment, as lists of steps (`agentenv.md` 4.3).

use crate::json::{Object, Value, write_pretty};

/// The verifier of the environment, as an artifact.
pub(super) fn verifier_name(name: &str) -> String {
    format!("check_{name}")
}

/// The derived state, as an artifact.
pub(super) fn state_name(name: &str) -> String {
    format!("state_{name}")
}

/// The verifier of the state, as an artifact.
pub(super) fn state_verifier_name(name: &str) -> String {
    format!("check_state_{name}")
}

/// Deploys the environment and runs its verifier.
pub(super) fn smoke(name: &str) -> Vec<u8> {
    printed(vec![deploy(name), verify(name, "serve", &verifier_name(name))])
}

/// Deploys the environment, loads the derived state, runs its verifier, exports the state and compares.
pub(super) fn state(name: &str) -> Vec<u8> {
    let load = Object::new()
        .with("id", "load")
        .with("type", "load_artifact")
        .with("env_id", name)
        .with("artifact_id", state_name(name));
    printed(vec![
        deploy(name),
        load.into(),
        verify(name, "serve", &verifier_name(name)),
        verify(name, "state", &state_verifier_name(name)),
    ])
}

fn deploy(name: &str) -> Value {
    Object::new().with("id", "env").with("type", "deploy_env").with("env_id", name).with("sandbox_type", "local").into()
}

fn verify(name: &str, id: &str, verifier: &str) -> Value {
    Object::new()
        .with("id", id)
        .with("type", "env_outcome_verifier")
        .with("env_id", name)
        .with("file_artifact_id", verifier)
        .with("verifier_id", id)
        .into()
}

fn printed(steps: Vec<Value>) -> Vec<u8> {
    let mut out = Vec::new();
    write_pretty(&steps.into(), &mut out);
    out.push(b'\n');
    out
}
