//! Identifiers inside longer texts: addresses, links, messages that name what was asked for. A text equals the live one
//! when replacing the environment's identifiers inside it, whole tokens only, by the live ones they stand for gives the
//! live text.

use crate::compare::ids::IdTable;

/// What is known when two texts are compared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Embedding<'a> {
    /// The identifiers learned so far.
    pub(crate) ids: &'a IdTable,
    /// The identifiers of this request, live and translated: a message may repeat them anywhere.
    pub(crate) request: &'a [(String, String)],
}

/// Parts: the most pieces (runs of letters and digits) that one identifier may have, as UUIDs have five.
const MAX_ID_PIECES: usize = 8;

/// Whether the texts differ, and only in identifiers that stand for each other.
///
/// A text that can be told from words and counts is an identifier wherever it stands as a whole token. A plain number is
/// one only as a whole piece of an address (`/things/5`, `?thing=5`), or where this request named it: elsewhere `5` is a
/// count.
pub(crate) fn same_with_ids(live: &str, environment: &str, known: Embedding<'_>) -> bool {
    let address = is_address(live) && is_address(environment);
    let (mut ours, mut theirs) = (live, environment);
    let mut at_boundary = true;
    let mut before_theirs: Option<char> = None;
    let mut replaced = false;
    loop {
        if at_boundary && let Some((live_id, environment_id)) = next_ids(ours, theirs, before_theirs, address, known) {
            replaced = true;
            before_theirs = environment_id.chars().next_back();
            ours = &ours[live_id.len()..];
            theirs = &theirs[environment_id.len()..];
            at_boundary = false;
            continue;
        }
        match (ours.chars().next(), theirs.chars().next()) {
            (None, None) => return replaced,
            (Some(a), Some(b)) if a == b => {
                at_boundary = !a.is_alphanumeric();
                before_theirs = Some(b);
                ours = &ours[a.len_utf8()..];
                theirs = &theirs[b.len_utf8()..];
            }
            _ => return false,
        }
    }
}

/// The two identifiers at the start of what is left, when they differ and stand for each other.
fn next_ids<'a, 'b>(
    live: &'a str,
    environment: &'b str,
    before: Option<char>,
    address: bool,
    known: Embedding<'_>,
) -> Option<(&'a str, &'b str)> {
    for end in token_ends(environment).into_iter().rev() {
        let candidate = &environment[..end];
        let of_request = known.request.iter().filter(|(_, theirs)| theirs == candidate).map(|(ours, _)| ours.as_str());
        for live_id in known.ids.live_of(candidate).into_iter().chain(of_request) {
            if live_id != candidate && starts_with_token(live, live_id) {
                return Some((&live[..live_id.len()], candidate));
            }
        }
    }
    // A number in an address.
    let (ours, theirs) = (digits(live), digits(environment));
    let delimited = |rest: &str| rest.is_empty() || rest.starts_with(['/', '?', '&', '#']);
    (address
        && !ours.is_empty()
        && !theirs.is_empty()
        && ours != theirs
        && matches!(before, Some('/' | '='))
        && delimited(&live[ours.len()..])
        && delimited(&environment[theirs.len()..])
        && known.ids.maps(ours, theirs))
    .then_some((ours, theirs))
}

fn digits(text: &str) -> &str {
    let end = text.bytes().take_while(u8::is_ascii_digit).count();
    &text[..end]
}

/// Where tokens that start at the beginning of `text` may end: after each run of letters and digits, runs being joined
/// by single `-`, `_` or other signs within a token.
fn token_ends(text: &str) -> Vec<usize> {
    let mut ends = Vec::new();
    let mut inside = false;
    for (at, character) in text.char_indices() {
        if character.is_alphanumeric() {
            inside = true;
        } else {
            if inside {
                ends.push(at);
                if ends.len() == MAX_ID_PIECES {
                    return ends;
                }
            }
            inside = false;
            if !matches!(character, '-' | '_' | '.' | ':' | '~') {
                return ends;
            }
        }
    }
    if inside {
        ends.push(text.len());
    }
    ends
}

fn starts_with_token(text: &str, token: &str) -> bool {
    text.strip_prefix(token).is_some_and(|rest| !rest.chars().next().is_some_and(char::is_alphanumeric))
}

fn is_address(text: &str) -> bool {
    (text.starts_with('/') || text.contains("://")) && !text.contains(char::is_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::ids::{Pair, Standing};
    use rstest::rstest;

    const LIVE: &str = "0b2f41de-1111-4aaa-8bbb-000000000001";
    const THEIRS: &str = "9c3e52cf-2222-4ccc-9ddd-000000000002";

    fn table() -> IdTable {
        let mut table = IdTable::default();
        for (live, environment) in [(LIVE, THEIRS), ("5", "7"), ("tok3n-live", "tok3n-env")] {
            table.learn_global(Pair { live, environment, standing: Standing::Identity, state_held: false });
        }
        table
    }

    fn same(live: &str, environment: &str, request: &[(String, String)]) -> bool {
        same_with_ids(live, environment, Embedding { ids: &table(), request })
    }

    #[rstest]
    #[case::draft_address(format!("http://h/p/{LIVE}/"), format!("http://h/p/{THEIRS}/"))]
    #[case::whole(LIVE.to_owned(), THEIRS.to_owned())]
    #[case::in_a_message(format!("no flow {LIVE}."), format!("no flow {THEIRS}."))]
    #[case::after_a_prefix(format!("slug-{LIVE}"), format!("slug-{THEIRS}"))]
    #[case::before_a_suffix(format!("{LIVE}_old"), format!("{THEIRS}_old"))]
    #[case::twice(format!("/a/{LIVE}/b/{LIVE}"), format!("/a/{THEIRS}/b/{THEIRS}"))]
    #[case::number_in_an_address("/api/things/5/parts".to_owned(), "/api/things/7/parts".to_owned())]
    #[case::number_in_a_query("http://h/x?thing=5&a=1".to_owned(), "http://h/x?thing=7&a=1".to_owned())]
    #[case::two_kinds(format!("/t/5/{LIVE}"), format!("/t/7/{THEIRS}"))]
    fn forgiven(#[case] live: String, #[case] environment: String) {
        assert!(same(&live, &environment, &[]));
    }

    #[rstest]
    #[case::equal_needs_nothing("abc".to_owned(), "abc".to_owned())]
    #[case::another_id(format!("/p/{LIVE}"), "/p/9c3e52cf-2222-4ccc-9ddd-000000000003".to_owned())]
    #[case::the_other_way(format!("/p/{THEIRS}"), format!("/p/{LIVE}"))]
    #[case::within_a_word(format!("/p/{LIVE}x"), format!("/p/{THEIRS}x"))]
    #[case::after_a_letter(format!("x{LIVE}"), format!("x{THEIRS}"))]
    #[case::other_text_differs(format!("/p/{LIVE}/a"), format!("/p/{THEIRS}/b"))]
    #[case::a_count("5 items".to_owned(), "7 items".to_owned())]
    #[case::a_version("/v/1.5".to_owned(), "/v/1.7".to_owned())]
    #[case::part_of_a_number("/things/15".to_owned(), "/things/17".to_owned())]
    #[case::part_of_a_slug("/things/part-5".to_owned(), "/things/part-7".to_owned())]
    #[case::longer(format!("/p/{LIVE}"), format!("/p/{THEIRS}/"))]
    fn not_forgiven(#[case] live: String, #[case] environment: String) {
        assert!(!same(&live, &environment, &[]));
    }

    #[test]
    fn a_message_may_repeat_the_number_asked_for() {
        let request = [("12".to_owned(), "13".to_owned())];
        assert!(same("no such workflow: 12", "no such workflow: 13", &request));
        assert!(!same("no such workflow: 112", "no such workflow: 113", &request));
        assert!(!same("no such workflow: 12", "no such workflow: 14", &request));
    }
}
