//! `env.toml`: what the framework reads of the environment before it builds it.

use super::name::EnvProvider;

/// The file. Both values are plain labels, so nothing needs escaping.
pub(super) fn env_toml(name: &str, provider: EnvProvider) -> String {
    format!("environment_name = \"{name}\"\nenv_provider_type = \"{}\"\n", provider.word())
}
