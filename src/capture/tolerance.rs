//! The kinds of oddity that a capture is forgiven, what is said about each, and how many there were (`decisions.md` 2).
//! Knows nothing of how they are found.

use super::limits::LISTED_POINTERS;
use super::sensitive::Sensitive;
use std::collections::BTreeMap;

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident => $id:literal, $says:literal;)*) => {
        /// A kind of oddity. The order here is the order in which a result lists them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[allow(missing_docs)]
        #[non_exhaustive]
        pub enum Tolerance {
            $($(#[$doc])* $kind,)*
        }

        impl Tolerance {
            /// Every kind, in order.
            pub const ALL: &[Tolerance] = &[$(Tolerance::$kind,)*];

            /// Its identifier, as limitations and reports spell it.
            pub fn id(self) -> &'static str {
                match self {
                    $(Tolerance::$kind => $id,)*
                }
            }

            /// What it means and what was done, for people.
            pub fn says(self) -> &'static str {
                match self {
                    $(Tolerance::$kind => $says,)*
                }
            }
        }
    };
}

kinds! {
    // Of the document.
    ByteOrderMark => "byte-order-mark", "the file starts with a byte-order mark, which was skipped";
    LogVersion => "log-version", "log.version is not the text 1.2; the file was read as HAR 1.2";
    Creator => "creator", "log.creator is missing or is not an object with a name and a version";
    MissingPages => "missing-pages", "log.pages is missing or not a list";
    // Of an entry as a whole.
    UnreadableEntry => "unreadable-entry", "the entry is not an object, so nothing of it was kept";
    DuplicateMembers => "duplicate-members", "the entry holds a member name twice, so nothing of it was kept";
    StartTime => "start-time", "startedDateTime is missing or not a date and time, so the record's place is its position";
    TimeWithoutZone => "time-without-zone", "startedDateTime names no zone and was read as UTC";
    Duration => "duration", "time is missing, negative or not a number, so the record has no duration";
    MissingCache => "missing-cache", "cache is missing or not an object";
    MissingTimings => "missing-timings", "timings is missing or not an object";
    ServerAddress => "server-address", "serverIPAddress is empty or not an address";
    // Of a request.
    MissingRequest => "missing-request", "request is missing or not an object, so the record has no request line";
    Method => "method", "method is missing or empty, so the record has no request line";
    MissingUrl => "missing-url", "url is missing, empty or not a text, so the record has no request line";
    UrlCharacters => "url-characters", "the URL holds characters that need escaping; it was kept as written";
    PathOnlyUrl => "path-only-url", "the URL is only a path; the Host header gave its origin";
    OriginlessUrl => "originless-url", "the URL names no host and no Host header does, so the record has no request line";
    NotHttpUrl => "not-http-url", "the URL is not an HTTP one (data:, blob:, an extension's), so the record has no request line";
    Connect => "connect", "CONNECT opens a tunnel and is not a request of the application";
    WebSocket => "web-socket", "a web socket (101 or recorded messages) is not an HTTP answer";
    // Of either side.
    MissingHeaders => "missing-headers", "headers are missing or not a list";
    HeaderShape => "header-shape", "a header is not a name and a text; arrays were read as their items";
    JoinedSetCookie => "joined-set-cookie", "several Set-Cookie values stand in one, joined by line breaks";
    MissingCookies => "missing-cookies", "cookies are missing or not a list";
    MissingQueryString => "missing-query-string", "queryString is missing or not a list; the URL says the query";
    HttpVersion => "http-version", "httpVersion is missing or not a text";
    Sizes => "sizes", "a size is missing or not an integer";
    MimeTypeShape => "mime-type-shape", "mimeType is missing or not a text; an array was read as its first text";
    FalseBase64 => "false-base64", "a body is said to be base64 and is not; its text was kept";
    BodyEncoding => "body-encoding", "a body names an encoding that is not base64; its text was kept as it is";
    // Of a request body.
    PostDataShape => "post-data-shape", "postData is not an object, or neither text nor params is readable in it";
    ParamsOnly => "params-only", "a request body was kept only as params; a form was put together from them, others have no body";
    ParamsAndText => "params-and-text", "a request body was kept as params and as text; the text counts";
    JsonAsForm => "json-as-form", "a request body is JSON and labelled as a form; its label was kept";
    // Of an answer.
    MissingResponse => "missing-response", "response is missing or not an object, so the request has no answer";
    NoAnswer => "no-answer", "the status is 0, negative, a text or missing, so the request has no answer";
    StatusRange => "status-range", "the status is not an integer from 100 to 999, so the request has no answer";
    StatusText => "status-text", "statusText is missing or not a text";
    RedirectUrl => "redirect-url", "redirectURL is missing or not a text";
    MissingContent => "missing-content", "content is missing or not an object, so no body is known";
    ContentShape => "content-shape", "content.text is not a text, so no body is known";
    CutBody => "cut-body", "content.size is larger than the kept text, so the body may be cut";
    AbsentBody => "absent-body", "content.size says that there was a body and no text of it was kept";
    CutJson => "cut-json", "a body is labelled JSON and starts like it but ends before its brackets are closed";
}

/// How a limitation of a result about tolerated oddities starts; the identifier of the kind follows.
const PREFIX: &str = "Tolerated ";

/// The oddities of one record: kinds and where they were, in the order found.
#[derive(Clone, Debug, Default)]
pub(super) struct Oddities {
    found: Vec<(Tolerance, Vec<String>, usize)>,
}

impl Oddities {
    /// Notes an oddity at `pointer`, relative to the record.
    pub(super) fn note(&mut self, kind: Tolerance, pointer: impl Into<String>) {
        match self.found.iter_mut().find(|(held, ..)| *held == kind) {
            Some((_, pointers, count)) => {
                *count += 1;
                if pointers.len() < LISTED_POINTERS {
                    pointers.push(pointer.into());
                }
            }
            None => self.found.push((kind, vec![pointer.into()], 1)),
        }
    }

    /// The kinds found.
    pub(super) fn kinds(&self) -> impl Iterator<Item = Tolerance> + '_ {
        self.found.iter().map(|(kind, ..)| *kind)
    }

    /// One limitation per kind, in the order of the kinds.
    pub(super) fn limitations(mut self, sensitive: &Sensitive) -> Vec<String> {
        self.found.sort_by_key(|(kind, ..)| *kind);
        let line = |(kind, pointers, count): (Tolerance, Vec<String>, usize)| {
            // Only pointers hold captured text.
            let mut places: Vec<String> = pointers.iter().map(|pointer| sensitive.filter(pointer)).collect();
            if count > places.len() {
                places.push(format!("{} more", count - places.len()));
            }
            format!("{PREFIX}{}: {} ({})", kind.id(), kind.says(), places.join(", "))
        };
        self.found.into_iter().map(line).collect()
    }
}

/// How many records, or documents, had each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ToleranceCounts {
    counts: BTreeMap<Tolerance, usize>,
}

impl ToleranceCounts {
    /// Counts one more of `kind`.
    pub(super) fn add(&mut self, kind: Tolerance) {
        *self.counts.entry(kind).or_default() += 1;
    }

    /// One limitation per kind.
    pub(super) fn limitations(&self) -> impl Iterator<Item = String> + '_ {
        self.counts.iter().map(|(kind, count)| format!("{PREFIX}{} ({count}): {}.", kind.id(), kind.says()))
    }
}

/// The tolerances that capture Evidence of this program names in its `limitations`: identifier and count, in their order.
pub fn tolerated(limitations: &[String]) -> Vec<(String, usize)> {
    let read = |line: &String| {
        let (id, rest) = line.strip_prefix(PREFIX)?.split_once(" (")?;
        Some((id.to_owned(), rest.split_once(')')?.0.parse().ok()?))
    };
    limitations.iter().filter_map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn identifiers_are_kebab_case_and_distinct() {
        let ids: BTreeSet<_> = Tolerance::ALL.iter().map(|kind| kind.id()).collect();
        assert_eq!(ids.len(), Tolerance::ALL.len());
        assert!(
            ids.iter()
                .all(|id| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte.is_ascii_digit()))
        );
    }

    #[test]
    fn a_record_says_each_kind_once_with_its_places() {
        let mut oddities = Oddities::default();
        for index in 0..6 {
            oddities.note(Tolerance::HeaderShape, format!("/request/headers/{index}"));
        }
        oddities.note(Tolerance::StartTime, "/startedDateTime");
        let lines = oddities.limitations(&Sensitive::default());
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("Tolerated start-time: ") && lines[0].ends_with("(/startedDateTime)"));
        assert!(lines[1].ends_with("/request/headers/3, 2 more)"), "{}", lines[1]);
    }

    #[test]
    fn counts_are_read_back() {
        let mut counts = ToleranceCounts::default();
        counts.add(Tolerance::CutBody);
        counts.add(Tolerance::ByteOrderMark);
        counts.add(Tolerance::CutBody);
        let lines: Vec<_> = counts.limitations().chain(["Something else (3): x".to_owned()]).collect();
        assert_eq!(tolerated(&lines), vec![("byte-order-mark".to_owned(), 1), ("cut-body".to_owned(), 2)]);
    }
}
