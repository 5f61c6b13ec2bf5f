//! The state and coverage views, and what the server says of its state, as a user meets them.

use super::server::Server;
use super::support::{Ended, folder, project, rea, run_in};
use rea::json::{Value, parse, resolve};
use rstest::rstest;
use rustix::process::Signal;

/// A folder that holds the README's capture as Evidence.
fn readme() -> tempfile::TempDir {
    readme_of(usize::MAX)
}

/// The same with its first entries only.
fn readme_of(entries: usize) -> tempfile::TempDir {
    let mut har = parse(&std::fs::read(project("scenarios/readme/capture.har")).unwrap()).unwrap();
    let log = har.as_object_mut().unwrap().get_mut("log").unwrap().as_object_mut().unwrap();
    log.get_mut("entries").unwrap().as_array_mut().unwrap().truncate(entries);
    let folder = folder(&[("a.har", har.to_compact().as_bytes())]);
    let capture = run_in(folder.path(), ["inspect-web-network-capture", "a.har", "--capture-label", "a.har"]);
    std::fs::write(folder.path().join("a.json"), &capture.stdout).unwrap();
    folder
}

fn view(folder: &tempfile::TempDir, kind: &str, rules: &str) -> Ended {
    let request = format!(
        r#"{{"source":{{"kind":"evidence-file","path":"a.json"}},"view":{{"kind":"{kind}","template_rules":{rules}}}}}"#
    );
    run_in(folder.path(), ["inspect-analysis-view", &request])
}

/// The rules of a capture that is served alone.
const RULES: &str = r#"["after-uid-literal","opaque-token","sibling-variance","prefix-variance"]"#;

fn at<'a>(value: &'a Value, pointer: &str) -> &'a Value {
    resolve(value, pointer).unwrap_or_else(|| panic!("nothing at {pointer}: {}", value.to_compact()))
}

#[test]
fn the_state_view_names_what_the_reads_showed() {
    let folder = readme();
    let state = view(&folder, "environment-state", RULES);
    assert_eq!(state.status, Some(0), "{}", state.all());
    assert_eq!(at(&state.document, "/normalized_result/kind").as_str(), Some("environment-state"));
    assert_eq!(at(&state.document, "/normalized_result/types/0/identity/0").as_str(), Some("id"));
    let entities = at(&state.document, "/normalized_result/entities").as_array().unwrap();
    let ids: Vec<_> = entities.iter().map(|entity| at(entity, "/id").as_str().unwrap()).collect();
    assert_eq!(ids, ["1", "2"], "what a create made is not there at the start");
    assert_eq!(at(&state.document, "/normalized_result/views/0/view").as_str(), Some("list"));
    assert_eq!(view(&folder, "environment-state", RULES).stdout, state.stdout);
}

#[test]
fn the_coverage_view_says_what_is_served() {
    let coverage = view(&readme(), "environment-coverage", "[]");
    assert_eq!(coverage.status, Some(0), "{}", coverage.all());
    let served = at(&coverage.document, "/normalized_result/writes/served/0");
    assert_eq!(at(served, "/tool").as_str(), Some("post_books"));
    assert_eq!(at(served, "/effect").as_str(), Some("create"));
    assert_eq!(at(&coverage.document, "/normalized_result/writes/withheld").as_array(), Some(&[][..]));
}

#[test]
fn the_coverage_view_says_what_to_record_next() {
    // The recording ends with the write: no later read shows what it did.
    let coverage = view(&readme_of(5), "environment-coverage", "[]");
    assert_eq!(coverage.status, Some(0), "{}", coverage.all());
    let withheld = at(&coverage.document, "/normalized_result/writes/withheld/0");
    assert_eq!(at(withheld, "/tool").as_str(), Some("post_books"));
    assert_eq!(at(withheld, "/reason").as_str(), Some("unconfirmed"));
    assert!(at(withheld, "/hint").as_str().unwrap().contains("its list"));
    assert_eq!(at(&coverage.document, "/normalized_result/writes/served").as_array(), Some(&[][..]));
}

#[rstest]
#[case("environment-state")]
#[case("environment-coverage")]
fn a_capture_with_removed_values_has_no_view(#[case] kind: &str) {
    let folder = folder(&[("a.har", std::fs::read(project("scenarios/readme/capture.har")).unwrap().as_slice())]);
    let capture = run_in(folder.path(), ["inspect-web-network-capture", "a.har", "--sensitive-value", "Mira"]);
    std::fs::write(folder.path().join("a.json"), &capture.stdout).unwrap();
    view(&folder, kind, "[]").refuses("unsupported_target", &["sensitive"]);
}

#[test]
fn the_server_stops_with_the_id_that_the_view_has() {
    let folder = readme();
    let state = view(&folder, "environment-state", RULES);
    let capture = folder.path().join("a.json").into_os_string();
    let server = Server::start([&"environment-serve".into(), &capture], &[]);
    let list = server.rpc(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#);
    let names: Vec<_> =
        at(&list, "/result/tools").as_array().unwrap().iter().map(|tool| at(tool, "/name").as_str().unwrap()).collect();
    assert_eq!(names, ["get_books", "get_books_by_id", "post_books"]);
    server.running.signal(Signal::INT);
    let ended = server.running.end();
    assert_eq!(at(&ended.document, "/state/served").as_bool(), Some(true), "{}", ended.all());
    assert_eq!(at(&ended.document, "/state/evidence_id").as_str(), Some(state.text("evidence_id")));
}

#[rstest]
#[case::state(&[], true)]
#[case::replay(&["--replay-only"], false)]
fn a_comparison_says_what_it_compared(#[case] flags: &[&str], #[case] served: bool) {
    // Of a recording that ends with a write, the state serves the reads alone.
    let folder = readme_of(5);
    let words = ["environment-compare", "a.json", "--probe", "a.har"];
    let output = rea().current_dir(folder.path()).args(words).args(flags).output().unwrap();
    let report = parse(&output.stdout).unwrap();
    assert_eq!(at(&report, "/environment/state/served").as_bool(), Some(served));
    assert_eq!(report.to_compact().contains(r#""source":"no_tool","reason":"not-served""#), served);
}

#[test]
fn a_bundle_folder_is_served_under_its_name() {
    let work = tempfile::tempdir().unwrap();
    let har = project("scenarios/readme/capture.har");
    let words = ["environment-build", har.to_str().unwrap(), "built", "--name", "shelf", "--package-registry"];
    assert_eq!(run_in(work.path(), words).status, Some(0));
    let server = Server::start([&"environment-serve".into(), &work.path().join("built").into_os_string()], &[]);
    server.running.signal(Signal::INT);
    let ended = server.running.end();
    assert_eq!(ended.text("name"), "shelf", "{}", ended.all());
}
