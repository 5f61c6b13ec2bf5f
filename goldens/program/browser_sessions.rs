//! Two recorded browser sessions, with scripts, styles, redirects and several origins. They hold the applications' own
//! scripts, so they are read where they lie and never copied; without them there is nothing to test.

use super::support::{project, run_in};
use rea::json::{Value, parse, resolve};
use rstest::rstest;

#[rstest]
#[case::rabbitmq("rabbitmq", "http://127.0.0.1:15679", &["GET /api/overview", "PUT /api/users/{sibling-variance}"], &[])]
#[case::wordpress(
    "wordpress",
    "http://127.0.0.1:18088",
    &["GET /wp-json/wp/v2/users/me", "POST /wp-json/wp/v2/posts/{numeric}"],
    &["http://2.gravatar.com", "https://s.w.org"]
)]
fn a_browser_session_becomes_tools_of_its_application(
    #[case] application: &str,
    #[case] origin: &str,
    #[case] tools: &[&str],
    #[case] other_origins: &[&str],
) {
    let capture = project("../shared/captures").join(application).join("capture-ui.har");
    if !capture.exists() {
        eprintln!("not tested: {} is not there", capture.display());
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = capture.to_str().unwrap();
    let inspected = run_in(folder.path(), ["inspect-web-network-capture", path]);
    assert_eq!(inspected.status, Some(0), "{}", inspected.text("message"));
    std::fs::write(folder.path().join("capture.json"), &inspected.stdout).unwrap();
    let rules = r#"["after-uid-literal","opaque-token","sibling-variance","prefix-variance"]"#;
    let view = format!(
        r#"{{"source":{{"kind":"evidence-file","path":"capture.json"}},"view":{{"kind":"environment-manifest","template_rules":{rules}}}}}"#
    );
    let projected = run_in(folder.path(), ["inspect-analysis-view", &view]);
    assert_eq!(projected.status, Some(0), "{}", projected.all());
    let manifest = parse(&projected.stdout).unwrap();
    let result = resolve(&manifest, "/normalized_result").unwrap();
    let text = |value: &Value, name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    assert_eq!(text(result, "origin"), origin);
    let lines: Vec<String> = resolve(result, "/tools")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|tool| format!("{} {}", text(tool, "method"), text(tool, "template")))
        .collect();
    for tool in tools {
        assert!(lines.iter().any(|line| line == tool), "{tool} is not among {lines:#?}");
    }
    for asset in [".js", ".css", ".png", ".svg", ".woff2"] {
        assert!(!lines.iter().any(|line| line.ends_with(asset)), "an asset became a tool: {lines:#?}");
    }
    let groups: Vec<(String, String)> = resolve(result, "/excluded_groups")
        .and_then(Value::as_array)
        .unwrap()
        .iter()
        .map(|group| (text(group, "reason"), text(group, "origin")))
        .collect();
    assert!(groups.contains(&("static-asset".into(), origin.into())), "{groups:?}");
    for other in other_origins {
        assert!(groups.contains(&("other-origin".into(), (*other).into())), "{groups:?}");
    }
}
