//! Reads that are no entities: settings, the signed-in user, a bare text and a bare truth.

use super::*;

/// Reads that are no entities: settings, the signed-in user, a bare text and a bare truth.
pub struct Documents;

impl Behaviour for Documents {
    fn name(&self) -> &'static str {
        "documents"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["settings"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        let settings = obj! { "theme" => "dark", "page" => 20_i64, "mail" => obj! { "from" => "desk@example.com" } };
        let user = obj! { "login" => "desk", "roles" => Json::Arr(vec!["admin".into(), "reader".into()]) };
        spec.documents.push(Document { path: "/settings", value: settings, writable: false });
        spec.documents.push(Document { path: "/user/me", value: user, writable: false });
        spec.documents.push(Document { path: "/version", value: "4.2.1".into(), writable: false });
        spec.documents.push(Document { path: "/health", value: true.into(), writable: false });
    }
}
