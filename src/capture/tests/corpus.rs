//! The HAR corpus: what each real file is imported as, or where it is refused. The files are read in place when the folder
//! is there and are never copied.

use super::*;

/// What becomes of a file.
enum Expected {
    /// Imported: records, records with a request line, records with an answer, and each kind of oddity with its count.
    Imported(usize, usize, usize, &'static [(&'static str, usize)]),
    /// Refused: what the message says, position included.
    Refused(&'static str),
}
use Expected::{Imported, Refused};

/// The forty files, each compared by hand with the list of oddities in the corpus's own index.
const FILES: &[(&str, Expected)] = &[
    ("altaproxy-octet-json.har", Imported(1, 1, 1, &[("missing-pages", 1), ("cut-body", 1)])),
    (
        "arc-form-json.har",
        Imported(1, 1, 1, &[("missing-pages", 1), ("body-encoding", 1), ("params-only", 1), ("redirect-url", 1)]),
    ),
    ("browsertime-sitespeed.har", Imported(27, 27, 27, &[("absent-body", 27)])),
    (
        "charles36-connect.har",
        Imported(2, 0, 0, &[("missing-pages", 1), ("connect", 2), ("mime-type-shape", 2), ("no-answer", 2)]),
    ),
    ("charles39-base64-json.har", Imported(1, 1, 1, &[("missing-pages", 1)])),
    ("charles42-multipart.har", Imported(2, 2, 2, &[("missing-pages", 1), ("params-only", 1), ("redirect-url", 2)])),
    ("charles42-quickstart-users.har", Imported(2, 2, 2, &[("missing-pages", 1), ("redirect-url", 2)])),
    (
        "charles46-postman-echo.har",
        Imported(
            37,
            37,
            37,
            &[("missing-pages", 1), ("mime-type-shape", 2), ("params-only", 1), ("redirect-url", 35), ("cut-body", 2)],
        ),
    ),
    ("chrome-invalid-json-body.har", Imported(1, 1, 1, &[("cut-body", 1), ("cut-json", 1)])),
    ("chrome-json-no-text.har", Imported(1, 1, 1, &[])),
    ("chrome-microcks-ui.har", Imported(5, 5, 5, &[("server-address", 5)])),
    ("chrome-null-status.har", Imported(4, 4, 3, &[("http-version", 1), ("mime-type-shape", 1), ("no-answer", 1)])),
    ("chrome-pastries-mixed.har", Imported(6, 6, 6, &[("server-address", 5), ("params-and-text", 1)])),
    (
        "chrome-same-endpoint-posts.har",
        Imported(
            3,
            3,
            3,
            &[
                ("missing-pages", 1),
                ("start-time", 3),
                ("duration", 3),
                ("missing-timings", 3),
                ("missing-headers", 1),
                ("missing-cookies", 3),
                ("missing-query-string", 3),
                ("sizes", 3),
            ],
        ),
    ),
    ("chrome51-failed-status0.har", Imported(4, 4, 1, &[("server-address", 3), ("no-answer", 3), ("absent-body", 1)])),
    ("fiddler5-bom.har", Imported(1, 1, 1, &[("byte-order-mark", 1), ("log-version", 1)])),
    ("fiddler5-json-post.har", Imported(1, 1, 1, &[("server-address", 1)])),
    ("firebug-form-post.har", Imported(1, 1, 1, &[("log-version", 1), ("params-only", 1)])),
    ("firefox111-mitmproxy-org.har", Imported(14, 14, 14, &[("sizes", 9)])),
    ("firefox77-json-post.har", Imported(1, 1, 1, &[])),
    (
        "harviewer-data-url.har",
        Imported(1, 0, 0, &[("missing-cache", 1), ("method", 1), ("not-http-url", 1), ("status-range", 1)]),
    ),
    ("harviewer-jsonp-wrapper.har", Refused("at byte 0 (line 1, column 1)")),
    ("harviewer-not-json.har", Refused("at byte 110 (line 8, column 5)")),
    ("insomnia-get.har", Imported(1, 1, 1, &[("missing-pages", 1)])),
    (
        "loadimpact-no-response.har",
        Imported(
            8,
            8,
            0,
            &[
                ("log-version", 1),
                ("creator", 1),
                ("start-time", 8),
                ("duration", 8),
                ("missing-cache", 8),
                ("missing-timings", 8),
                ("missing-headers", 2),
                ("missing-cookies", 8),
                ("missing-query-string", 7),
                ("http-version", 8),
                ("sizes", 8),
                ("params-only", 2),
                ("missing-response", 8),
            ],
        ),
    ),
    ("mitmproxy-corrupt-gzip.har", Imported(1, 1, 1, &[])),
    ("mitmproxy-form-json.har", Imported(2, 2, 2, &[("params-and-text", 1)])),
    ("mitmproxy-websocket.har", Imported(3, 0, 0, &[("web-socket", 3)])),
    ("mitmproxy10-sse.har", Imported(2, 2, 2, &[])),
    (
        "optic-books.har",
        Imported(10, 10, 10, &[("log-version", 1), ("creator", 1), ("missing-pages", 1), ("cut-body", 1)]),
    ),
    (
        "playwright132-unstable-network.har",
        Imported(2, 2, 1, &[("missing-pages", 1), ("duration", 1), ("no-answer", 1)]),
    ),
    (
        "polly13-crud-order.har",
        Imported(5, 5, 5, &[("header-shape", 5), ("mime-type-shape", 1), ("post-data-shape", 5)]),
    ),
    ("polly40-todos.har", Imported(5, 5, 5, &[])),
    ("polly60-gitlab-labels.har", Imported(10, 10, 10, &[])),
    ("polly60-gitlab-members.har", Imported(11, 11, 11, &[])),
    ("polly60-gitlab-users429.har", Imported(16, 16, 16, &[("cut-body", 2)])),
    ("proxyman49-graphql.har", Imported(1, 1, 1, &[("missing-pages", 1), ("params-and-text", 1)])),
    ("safari-mitmproxy-org.har", Imported(19, 19, 19, &[])),
    ("wpt-github.har", Imported(16, 16, 16, &[("log-version", 1), ("url-characters", 1), ("absent-body", 15)])),
    (
        "zap-base64-invalid.har",
        Imported(
            1,
            1,
            1,
            &[
                ("creator", 1),
                ("missing-pages", 1),
                ("start-time", 1),
                ("duration", 1),
                ("missing-cache", 1),
                ("missing-timings", 1),
                ("missing-headers", 1),
                ("missing-cookies", 1),
                ("missing-query-string", 1),
                ("sizes", 1),
                ("mime-type-shape", 1),
                ("false-base64", 1),
                ("redirect-url", 1),
            ],
        ),
    ),
];

#[test]
fn every_file_of_the_corpus_is_imported_or_refused_as_listed() {
    let Some(folder) = beside("har-corpus") else { return };
    let mut wrong = Vec::new();
    for (name, expected) in FILES {
        let found = load_capture(&folder.join(name), &InspectOptions::default());
        match (&found, expected) {
            (Ok(capture), Imported(records, requests, answers, kinds)) => {
                let count = |has: fn(&Record) -> bool| capture.records.iter().filter(|record| has(record)).count();
                let counts = (
                    capture.records.len(),
                    count(|record| record.request.is_some()),
                    count(|record| record.answer.is_some()),
                );
                let tolerated = tolerated(&capture.evidence.limitations);
                let found: Vec<(&str, usize)> = tolerated.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
                if counts != (*records, *requests, *answers) || found != *kinds {
                    let (records, requests, answers) = counts;
                    wrong.push(format!("    (\"{name}\", Imported({records}, {requests}, {answers}, &{found:?})),"));
                }
            }
            (Err(error), Refused(says)) if error.to_string().contains(says) => {}
            (found, _) => wrong.push(format!("{name}: {:?}", found.as_ref().map(|capture| capture.records.len()))),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_list_holds_every_file() {
    let Some(folder) = beside("har-corpus") else { return };
    let mut there: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".har"))
        .collect();
    there.sort();
    assert_eq!(there, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
