//! Text rules: a member whose text is made of other members and fixed text (`url` from an id, a slug with a piece of the
//! id). Found from entities that show it, kept when every one of them agrees.

use super::clock_format::clock_seconds;
use super::generate::Generator;
use super::line::scalar_text;
use super::path::{MemberPath, scalar_paths};
use crate::json::Value;
use std::collections::BTreeSet;

/// One piece of a made text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Piece {
    /// Text that is the same in every entity.
    Fixed(String),
    /// A member's text.
    Whole(MemberPath),
    /// A member's text as a slug: lower case, words joined by hyphens.
    Slug(MemberPath),
    /// A member's text in lower case.
    Lower(MemberPath),
    /// The first characters of a member's text.
    Head(MemberPath, usize),
    /// The text inside the only element of a member's markup (`<p>text</p>`).
    Inner(MemberPath),
    /// A member's text without space at its ends.
    Trimmed(MemberPath),
    /// A member's text without an ending, which it must have.
    Without(MemberPath, String),
    /// What the text itself begins with, whatever it is; only as the first piece.
    Held,
}

impl Piece {
    /// The member that it takes.
    pub fn path(&self) -> Option<&MemberPath> {
        match self {
            Self::Whole(path)
            | Self::Slug(path)
            | Self::Lower(path)
            | Self::Head(path, _)
            | Self::Inner(path)
            | Self::Trimmed(path)
            | Self::Without(path, _) => Some(path),
            Self::Fixed(_) | Self::Held => None,
        }
    }

    /// The same piece of another member.
    #[must_use]
    pub fn of(&self, name: &str) -> Self {
        let path = MemberPath::member(name);
        match self {
            Self::Whole(_) => Self::Whole(path),
            Self::Slug(_) => Self::Slug(path),
            Self::Lower(_) => Self::Lower(path),
            Self::Head(_, length) => Self::Head(path, *length),
            Self::Inner(_) => Self::Inner(path),
            Self::Trimmed(_) => Self::Trimmed(path),
            Self::Without(_, ending) => Self::Without(path, ending.clone()),
            Self::Fixed(_) | Self::Held => self.clone(),
        }
    }
}

/// How many decompositions of the first text are tried on the others.
const MAX_TRIES: usize = 256;
/// Characters: shorter member texts are not looked for inside others; they would be found by chance.
const MIN_INNER: usize = 2;
/// Characters: shorter member texts may stand at several places of a text.
const MIN_TELLING: usize = 4;
/// Characters of the shortest clock.
const MIN_CLOCK: usize = 10;
/// Places that are tried for one.
const MAX_PLACES: usize = 3;

/// The text that pieces make of an entity; `None` when a member is missing.
pub fn make_text(pieces: &[Piece], entity: &Value) -> Option<String> {
    let mut text = String::new();
    let of = |path: &MemberPath| path.direct(entity).filter(|value| !value.is_null()).and_then(scalar_text);
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Fixed(fixed) => text.push_str(fixed),
            Piece::Whole(path) => {
                let whole = of(path)?;
                if in_element(pieces, index) && !is_plain(&whole) {
                    return None;
                }
                text.push_str(&whole);
            }
            Piece::Slug(path) => text.push_str(&slug(&of(path)?)),
            Piece::Lower(path) => text.push_str(&of(path)?.to_lowercase()),
            Piece::Head(path, length) => text.extend(of(path)?.chars().take(*length)),
            Piece::Inner(path) => text.push_str(inner_text(&of(path)?)?),
            Piece::Trimmed(path) => text.push_str(of(path)?.trim()),
            Piece::Without(path, ending) => text.push_str(of(path)?.strip_suffix(ending.as_str())?),
            Piece::Held => return None,
        }
    }
    Some(text)
}

/// Whether a piece stands alone between an opening and a closing tag: such a text was rendered, and only what needs no
/// rendering is known to come out as it is.
fn in_element(pieces: &[Piece], index: usize) -> bool {
    let fixed = |at: Option<usize>| match at.and_then(|at| pieces.get(at)) {
        Some(Piece::Fixed(text)) => Some(text.as_str()),
        _ => None,
    };
    fixed(index.checked_sub(1)).is_some_and(|text| text.ends_with('>'))
        && fixed(index.checked_add(1)).is_some_and(|text| text.starts_with("</"))
}

/// Whether a text has nothing that markup, or a renderer of it, would spell otherwise.
fn is_plain(text: &str) -> bool {
    !text.chars().any(|character| character.is_control() || "<>&\"'`*_".contains(character))
}

/// The text inside the only element of some markup.
fn inner_text(text: &str) -> Option<&str> {
    let (tag, rest) = text.trim().strip_prefix('<')?.split_once('>')?;
    let name = tag.split_whitespace().next()?;
    let inner = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
    is_plain(inner).then_some(inner)
}

/// The text for one entity where the rule keeps what the text of `holder` begins with: `None` when the holder's text does
/// not end as the rule says.
pub fn make_text_like(pieces: &[Piece], entity: &Value, holder: &Value, name: &str) -> Option<String> {
    match pieces.split_first() {
        Some((Piece::Held, rest)) => {
            let ending = make_text(rest, holder)?;
            let held = holder.get(name)?.as_str()?.strip_suffix(ending.as_str())?;
            Some(format!("{held}{}", make_text(rest, entity)?))
        }
        _ => make_text(pieces, entity),
    }
}

/// A rule that keeps the beginning of the text: every text ends with a separator and a piece of an identifier.
pub fn find_ending_rule(name: &str, pairs: &[(&Value, &str)]) -> Option<Vec<Piece>> {
    let (first, text) = pairs.first()?;
    let distinct: BTreeSet<&str> = pairs.iter().map(|(_, text)| *text).collect();
    if distinct.len() < 2 {
        return None;
    }
    for path in scalar_paths(std::iter::once(*first)) {
        if path.through_array() || path.0.len() > 1 || path.last_name() == Some(name) {
            continue;
        }
        let whole = |entity: &Value| path.direct(entity).and_then(scalar_text).filter(|text| text.len() >= 16);
        let Some(id) = whole(first) else { continue };
        for length in [4, 6, 8, id.len()] {
            let head: String = id.chars().take(length).collect();
            let Some(before) = text.strip_suffix(head.as_str()) else { continue };
            let Some(separator) = before.chars().next_back().filter(|character| !character.is_alphanumeric()) else {
                continue;
            };
            let piece = if length == id.len() { Piece::Whole(path.clone()) } else { Piece::Head(path.clone(), length) };
            let rest = vec![Piece::Fixed(separator.to_string()), piece];
            let ends = pairs.iter().all(|(entity, text)| {
                whole(entity).is_some() && make_text(&rest, entity).is_some_and(|ending| text.ends_with(&ending))
            });
            if ends {
                return Some(std::iter::once(Piece::Held).chain(rest).collect());
            }
        }
    }
    None
}

/// Lower case, runs of anything but letters and digits as one hyphen, none at the ends.
pub fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in text.chars() {
        if character.is_alphanumeric() {
            slug.extend(character.to_lowercase());
        } else if character != '\'' && !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

/// The rule of a member, from pairs of an entity (without the member) and the member's text. At least two different
/// texts, and three entities or all of few, must agree.
pub fn find_text_rule(name: &str, pairs: &[(&Value, &str)]) -> Option<Vec<Piece>> {
    find_text_rule_in(pairs, &|path| path.0.len() <= 2 && (path.0.len() > 1 || path.last_name() != Some(name)))
}

/// The rule of a text from pairs of what it may be made of and the text: `takes` says which members are looked at.
pub fn find_text_rule_in(pairs: &[(&Value, &str)], takes: &dyn Fn(&MemberPath) -> bool) -> Option<Vec<Piece>> {
    let distinct: BTreeSet<&str> = pairs.iter().map(|(_, text)| *text).collect();
    if distinct.len() < 2 {
        return None;
    }
    let (first, text) = pairs.iter().find(|(_, text)| !text.is_empty())?;
    let mut inner: Vec<(String, Piece)> = Vec::new();
    for path in scalar_paths(std::iter::once(*first)) {
        if path.through_array() || !takes(&path) {
            continue;
        }
        let Some(value) = path.direct(first).filter(|value| value.as_str().is_some() || value.as_number().is_some())
        else {
            continue;
        };
        let Some(whole) = scalar_text(value) else { continue };
        // What is the same in every entity is fixed text, whatever member happens to hold it.
        let of = |entity: &Value| path.direct(entity).and_then(scalar_text);
        if pairs.iter().all(|(entity, _)| of(entity).as_deref() == Some(&whole)) {
            continue;
        }
        let slugged = slug(&whole);
        let lower = whole.to_lowercase();
        if whole.len() >= 16 && Generator::of_text(&whole).is_some() {
            for length in [4, 6, 8] {
                let head: String = whole.chars().take(length).collect();
                inner.push((head, Piece::Head(path.clone(), length)));
            }
        }
        if lower != whole && lower != slugged {
            inner.push((lower, Piece::Lower(path.clone())));
        }
        if let Some(plain) = inner_text(&whole) {
            inner.push((plain.to_owned(), Piece::Inner(path.clone())));
        }
        if whole.trim().len() < whole.len() {
            inner.push((whole.trim().to_owned(), Piece::Trimmed(path.clone())));
        }
        // A text that is its own slug says nothing of which of both is meant: the other pairs decide.
        inner.push((whole, Piece::Whole(path.clone())));
        if value.as_str().is_some() {
            inner.push((slugged, Piece::Slug(path)));
        }
    }
    // Numbers are in clocks by chance: only a whole one is taken into another.
    let least = if clock_seconds(&Value::from(*text)).is_some() { MIN_CLOCK } else { 0 };
    inner.retain(|(part, _)| part.len() >= least);
    inner.retain(|(part, piece)| {
        (part.len() >= MIN_INNER
            || matches!(piece, Piece::Whole(path) if path.last_name() == Some("id"))
            || matches!(piece, Piece::Whole(_)) && is_segment(part, text))
            && text.contains(part.as_str())
    });
    // Longer parts first: what they cover is explained best.
    inner.sort_by_key(|(part, _)| usize::MAX - part.len());
    let mut tried = 0;
    let mut best = None;
    decompose(text, &inner, &mut Vec::new(), &mut |pieces| {
        tried += 1;
        let made = pieces.iter().any(|piece| !matches!(piece, Piece::Fixed(_)));
        if made && pairs.iter().all(|(entity, text)| make_text(pieces, entity).as_deref() == Some(text)) {
            best = Some(pieces.to_vec());
            return false;
        }
        tried < MAX_TRIES
    });
    best
}

/// Calls `visit` with decompositions of a text, those of the longest parts first; stops when it returns false.
fn decompose(
    text: &str,
    inner: &[(String, Piece)],
    so_far: &mut Vec<Piece>,
    visit: &mut dyn FnMut(&[Piece]) -> bool,
) -> bool {
    if !inner.iter().any(|(part, _)| text.contains(part.as_str())) {
        if !text.is_empty() {
            so_far.push(Piece::Fixed(text.to_owned()));
        }
        let go_on = visit(so_far);
        if !text.is_empty() {
            so_far.pop();
        }
        return go_on;
    }
    // The longest part in the text, wherever it stands; what is before it is decomposed first.
    let longest = inner.iter().filter(|(part, _)| text.contains(part.as_str())).map(|(part, _)| part.len()).max();
    let Some(longest) = longest else { return true };
    for (part, piece) in inner.iter().filter(|(part, _)| part.len() == longest) {
        for at in places_of(part, text) {
            let (before, after) = (&text[..at], &text[at + part.len()..]);
            let depth = so_far.len();
            let go_on = decompose(before, inner, so_far, &mut |pieces| {
                let mut next = pieces.to_vec();
                next.push(piece.clone());
                decompose(after, inner, &mut next, visit)
            });
            so_far.truncate(depth);
            if !go_on {
                return false;
            }
        }
    }
    if longest < MIN_TELLING {
        // Short parts may as well be there by chance.
        let longer: Vec<(String, Piece)> = inner.iter().filter(|(part, _)| part.len() < longest).cloned().collect();
        return decompose(text, &longer, so_far, visit);
    }
    true
}

/// Whether a part is one segment of the path that a text spells.
fn is_segment(part: &str, text: &str) -> bool {
    let own = |at: usize| {
        let (before, after) = (&text[..at], &text[at + part.len()..]);
        before.ends_with('/') && (after.is_empty() || after.starts_with('/'))
    };
    !part.is_empty() && text.match_indices(part).any(|(at, _)| own(at))
}

/// Where a part may stand in a text. A short one is in many by chance: as a token of its own it is looked for at the end
/// first, where addresses have what tells them apart.
fn places_of(part: &str, text: &str) -> Vec<usize> {
    if part.len() >= MIN_TELLING {
        return text.find(part).into_iter().collect();
    }
    let bounded = |at: &usize| {
        let before = text[..*at].chars().next_back();
        let after = text[at + part.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    };
    let mut places: Vec<usize> = text.match_indices(part).map(|(at, _)| at).filter(bounded).collect();
    places.reverse();
    if places.is_empty() {
        places.extend(text.find(part));
    }
    places.truncate(MAX_PLACES);
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn a_slug_with_a_piece_of_the_id_is_found() {
        let one = entity(r#"{"id":"f5146a0e-1111-4222-8333-444455556666","name":"Acme Networks"}"#);
        let two = entity(r#"{"id":"aa5f6a0e-1111-4222-8333-444455556666","name":"Blue Peak"}"#);
        let rule = find_text_rule("natural_slug", &[(&one, "acme-networks_f514"), (&two, "blue-peak_aa5f")]).unwrap();
        let three = entity(r#"{"id":"05b86a0e-1111-4222-8333-444455556666","name":"Copperline"}"#);
        assert_eq!(make_text(&rule, &three).as_deref(), Some("copperline_05b8"));
    }

    #[test]
    fn a_name_that_is_its_own_slug_does_not_hide_the_slug() {
        let one = entity(r#"{"id":"f5146a0e-1111-4222-8333-444455556666","name":"acme"}"#);
        let two = entity(r#"{"id":"aa5f6a0e-1111-4222-8333-444455556666","name":"Blue Peak"}"#);
        let rule = find_text_rule("natural_slug", &[(&one, "acme_f514"), (&two, "blue-peak_aa5f")]).unwrap();
        assert_eq!(make_text(&rule, &two).as_deref(), Some("blue-peak_aa5f"));
    }

    #[test]
    fn a_text_is_not_made_of_members_that_never_differ() {
        let one = entity(r#"{"id":12,"kind":"note","site":"http://h/note/"}"#);
        let two = entity(r#"{"id":34,"kind":"note","site":"http://h/note/"}"#);
        let rule = find_text_rule("url", &[(&one, "http://h/note/12"), (&two, "http://h/note/34")]).unwrap();
        assert_eq!(rule, [Piece::Fixed("http://h/note/".into()), Piece::Whole(MemberPath::member("id"))]);
    }

    #[test]
    fn a_short_number_is_found_at_the_end_of_an_address() {
        let one = entity(r#"{"name":"x","author":1}"#);
        let two = entity(r#"{"name":"y","author":5}"#);
        let texts = [(&one, "http://127.0.0.1:18088/v1/users/1"), (&two, "http://127.0.0.1:18088/v1/users/5")];
        let rule = find_text_rule("href", &texts).unwrap();
        let pieces =
            [Piece::Fixed("http://127.0.0.1:18088/v1/users/".into()), Piece::Whole(MemberPath::member("author"))];
        assert_eq!(rule, pieces);
    }

    #[test]
    fn a_short_number_is_found_as_a_segment_of_a_path() {
        let one = entity(r#"{"key":"5a4b3c2d1e0f","group":"1"}"#);
        let two = entity(r#"{"key":"0f1e2d3c4b5a","group":"2"}"#);
        let texts = [(&one, "/srv/files/1/5a4b3c2d1e0f/all"), (&two, "/srv/files/2/0f1e2d3c4b5a/all")];
        let rule = find_text_rule("place", &texts).unwrap();
        let three = entity(r#"{"key":"9","group":"7"}"#);
        assert_eq!(make_text(&rule, &three).as_deref(), Some("/srv/files/7/9/all"));
        let texts = [(&one, "/srv/files-1/5a4b3c2d1e0f/all"), (&two, "/srv/files-2/0f1e2d3c4b5a/all")];
        assert_eq!(find_text_rule("place", &texts), None);
    }

    #[test]
    fn a_clock_is_not_made_of_the_numbers_in_it() {
        let (one, two) = (entity(r#"{"id":13}"#), entity(r#"{"id":14}"#));
        let clocks = [(&one, "2026-03-01T10:13:00.130456Z"), (&two, "2026-03-01T10:14:00.140456Z")];
        assert_eq!(find_text_rule("made", &clocks), None);
    }

    #[test]
    fn a_text_that_no_member_makes_has_no_rule() {
        let one = entity(r#"{"id":1,"name":"Acme"}"#);
        let two = entity(r#"{"id":2,"name":"Blue"}"#);
        assert_eq!(find_text_rule("note", &[(&one, "first"), (&two, "second")]), None);
    }

    #[test]
    fn an_address_around_an_id_is_found() {
        let one = entity(r#"{"id":12,"name":"Acme"}"#);
        let two = entity(r#"{"id":345,"name":"Blue"}"#);
        let rule = find_text_rule("url", &[(&one, "http://h/x/12/"), (&two, "http://h/x/345/")]).unwrap();
        assert_eq!(make_text(&rule, &entity(r#"{"id":7}"#)).as_deref(), Some("http://h/x/7/"));
    }

    #[rstest::rstest]
    #[case("Acme Networks", "acme-networks")]
    #[case("  It's -- fine! ", "its-fine")]
    #[case("Äpfel & Öl", "äpfel-öl")]
    #[case("---", "")]
    #[case("a1_b2", "a1-b2")]
    fn slugs(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(slug(text), expected);
    }

    #[rstest::rstest]
    #[case::whole(vec![Piece::Whole(MemberPath::member("n"))], r#"{"n":12}"#, Some("12"))]
    #[case::fixed(vec![Piece::Fixed("/x/".into()), Piece::Lower(MemberPath::member("n"))], r#"{"n":"AB"}"#, Some("/x/ab"))]
    #[case::head(vec![Piece::Head(MemberPath::member("n"), 2)], r#"{"n":"äöü"}"#, Some("äö"))]
    #[case::null(vec![Piece::Whole(MemberPath::member("n"))], r#"{"n":null}"#, None)]
    #[case::missing(vec![Piece::Slug(MemberPath::member("n"))], "{}", None)]
    #[case::object(vec![Piece::Slug(MemberPath::member("n"))], r#"{"n":{}}"#, None)]
    #[case::inner(vec![Piece::Inner(MemberPath::member("n"))], r#"{"n":"<p>ab cd</p>\n"}"#, Some("ab cd"))]
    #[case::two_elements(vec![Piece::Inner(MemberPath::member("n"))], r#"{"n":"<p>ab</p><p>cd</p>"}"#, None)]
    #[case::no_markup(vec![Piece::Inner(MemberPath::member("n"))], r#"{"n":"ab"}"#, None)]
    #[case::trimmed(vec![Piece::Trimmed(MemberPath::member("n"))], r#"{"n":" ab\n"}"#, Some("ab"))]
    #[case::rendered(
        vec![Piece::Fixed("<p>".into()), Piece::Whole(MemberPath::member("n")), Piece::Fixed("</p>".into())],
        r#"{"n":"ab"}"#, Some("<p>ab</p>"))]
    #[case::would_be_rendered_otherwise(
        vec![Piece::Fixed("<p>".into()), Piece::Whole(MemberPath::member("n")), Piece::Fixed("</p>".into())],
        r#"{"n":"a & b"}"#, None)]
    fn pieces_make_a_text(#[case] pieces: Vec<Piece>, #[case] of: &str, #[case] expected: Option<&str>) {
        assert_eq!(make_text(&pieces, &entity(of)).as_deref(), expected);
    }

    #[test]
    fn one_text_for_all_is_no_rule() {
        let one = entity(r#"{"name":"Acme"}"#);
        assert_eq!(find_text_rule("title", &[(&one, "Acme"), (&one, "Acme")]), None);
    }

    #[test]
    fn a_member_does_not_make_itself() {
        let (one, two) = (entity(r#"{"name":"Acme"}"#), entity(r#"{"name":"Blue"}"#));
        assert_eq!(find_text_rule("name", &[(&one, "Acme"), (&two, "Blue")]), None);
    }

    #[test]
    fn one_entity_that_disagrees_is_enough() {
        let (one, two, three) = (entity(r#"{"id":12}"#), entity(r#"{"id":13}"#), entity(r#"{"id":14}"#));
        assert_eq!(find_text_rule("url", &[(&one, "/x/12"), (&two, "/x/13"), (&three, "/y/14")]), None);
    }

    proptest::proptest! {
        #[test]
        fn a_found_rule_makes_every_text(
            names in proptest::collection::vec("[A-Z][a-z]{2,5}( [a-z]{2,4})?", 3..6),
            before in "[/:.-]{0,3}", slugged in proptest::prelude::any::<bool>(),
        ) {
            let held: Vec<(Value, String)> = names
                .iter()
                .enumerate()
                .map(|(at, name)| {
                    let of = Value::Object(crate::json::Object::new().with("id", 100 + at as u64).with("name", name.as_str()));
                    let inner = if slugged { slug(name) } else { name.clone() };
                    (of, format!("{before}{inner}/{}", 100 + at))
                })
                .collect();
            let pairs: Vec<(&Value, &str)> = held.iter().map(|(of, text)| (of, text.as_str())).collect();
            let rule = find_text_rule("url", &pairs);
            proptest::prop_assert!(rule.is_some());
            for (of, text) in &held {
                let made = rule.as_deref().and_then(|pieces| make_text(pieces, of));
                proptest::prop_assert_eq!(made.as_deref(), Some(text.as_str()));
            }
        }
    }
}
