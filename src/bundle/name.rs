//! Names of bundles: what may be one, where it comes from, and when a capture's origin is no name. Knows nothing of files.

use super::limits::MAX_BUNDLE_NAME_CHARS;
use std::net::IpAddr;
use std::path::Path;

/// How the framework runs the environment (`agentenv.md` 4.2).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EnvProvider {
    /// Behind the framework's gateway, with its service database; the framework's default.
    #[default]
    Gateway,
    /// Alone: one container.
    Server,
}

impl EnvProvider {
    /// The word of `env_provider_type`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Server => "server",
        }
    }
}

/// Names that Windows keeps for devices; a folder of such a name cannot be checked out there.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
/// Names that Windows keeps for numbered ports.
const PORTS: [&str; 2] = ["com", "lpt"];
/// Services of the framework's own compose file, beside which the environment's would stand.
const GATEWAY_SERVICES: [&str; 5] = ["gateway", "servicedb", "pgweb", "db-mcp", "website-browser"];

/// Why a text is no name of a bundle; `None` when it is one.
pub(super) fn objection(name: &str, provider: EnvProvider) -> Option<String> {
    if name.is_empty() {
        return Some("it is empty".to_owned());
    }
    if name.chars().count() > MAX_BUNDLE_NAME_CHARS {
        return Some(format!("it is longer than {MAX_BUNDLE_NAME_CHARS} characters"));
    }
    let plain =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    if !name.split('-').all(plain) {
        return Some("it is not kebab-case: lower-case letters and digits, words joined by single hyphens".to_owned());
    }
    if is_device(name) {
        return Some("Windows keeps it for a device".to_owned());
    }
    if provider == EnvProvider::Gateway && GATEWAY_SERVICES.contains(&name) {
        return Some("the framework's gateway keeps it for a service of its own".to_owned());
    }
    None
}

/// Whether a text can be the name of a bundle: kebab-case, at most [`MAX_BUNDLE_NAME_CHARS`] characters, no Windows device
/// name.
pub fn is_portable(name: &str) -> bool {
    objection(name, EnvProvider::Server).is_none()
}

fn is_device(name: &str) -> bool {
    let is_port = |port: &str| {
        name.strip_prefix(port).is_some_and(|rest| rest.len() == 1 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    DEVICES.contains(&name) || PORTS.iter().any(|port| is_port(port))
}

/// The name that a capture's file gives: `grafana` of `grafana.har` and of `grafana.capture.json`, as a label. Not checked
/// to be portable.
pub(super) fn of_file(path: &Path) -> String {
    let file = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let mut stem = file.as_str();
    for suffix in [".json", ".har", ".capture"] {
        stem = stem.strip_suffix(suffix).filter(|rest| !rest.is_empty()).unwrap_or(stem);
    }
    let mut label = String::with_capacity(stem.len());
    for character in stem.chars() {
        if character.is_ascii_alphanumeric() {
            label.push(character);
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
    }
    label.trim_end_matches('-').to_owned()
}

/// Whether an origin names only the machine that recorded it: a loopback name or an IP literal.
pub(super) fn is_nameless(origin: &str) -> bool {
    let authority = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let host = match authority.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, _)) => address,
        None => authority.split(':').next().unwrap_or_default(),
    };
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host.is_empty()
        || host == "localhost"
        || host == "localhost.localdomain"
        || host.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("ghost", true)]
    #[case("a-1-b", true)]
    #[case("", false)]
    #[case("Ghost", false)]
    #[case("a--b", false)]
    #[case("-a", false)]
    #[case("a_b", false)]
    #[case("a.b", false)]
    #[case("ghöst", false)]
    #[case("../x", false)]
    #[case("con", false)]
    #[case("lpt1", false)]
    #[case("com9", false)]
    #[case("com", true)]
    #[case("com10", true)]
    #[case("console", true)]
    fn portable_labels(#[case] name: &str, #[case] portable: bool) {
        assert_eq!(is_portable(name), portable);
    }

    #[test]
    fn a_label_has_at_most_64_characters() {
        assert!(is_portable(&"a".repeat(64)) && !is_portable(&"a".repeat(65)));
    }

    #[test]
    fn a_gateway_keeps_names_for_its_services() {
        assert!(objection("gateway", EnvProvider::Gateway).is_some());
        assert!(objection("gateway", EnvProvider::Server).is_none());
    }

    #[rstest]
    #[case("grafana.har", "grafana")]
    #[case("x/grafana.capture.json", "grafana")]
    #[case("My App (2).HAR", "my-app-2")]
    #[case("shop.har.json", "shop")]
    #[case("localhost_8080.har", "localhost-8080")]
    #[case("___.har", "")]
    #[case(".har", "har")]
    #[case("日本.har", "")]
    fn names_of_files(#[case] path: &str, #[case] name: &str) {
        assert_eq!(of_file(Path::new(path)), name);
    }

    #[rstest]
    #[case("http://localhost:3000", true)]
    #[case("http://app.localhost", true)]
    #[case("http://127.0.0.1:80", true)]
    #[case("https://10.1.2.3", true)]
    #[case("http://[::1]:8080", true)]
    #[case("https://shop.example", false)]
    #[case("http://127.example", false)]
    fn origins_without_a_name(#[case] origin: &str, #[case] nameless: bool) {
        assert_eq!(is_nameless(origin), nameless);
    }
}
