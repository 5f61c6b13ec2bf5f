//! Texts with something made in them: an address that a signature ends, a link with a secret key. What is around the token
//! is fixed, or made of other members of the entity; the token is different in every entity and nothing gives it. Knows
//! nothing of texts that are made as a whole (`member_fit_made.rs`).

use super::generate::Generator;
use super::member_fit::{Case, Fitting};
use super::member_fit_text::leave_out;
use super::member_rule::MemberExpr;
use super::path::{MemberPath, Step};
use super::text_rule::{Piece, find_text_rule, make_text};
use crate::json::Value;
use std::collections::BTreeSet;
use std::ops::Range;

/// Characters: shorter runs of letters and digits are not taken for tokens inside of a text.
const MIN_TOKEN: usize = 16;

impl Fitting<'_> {
    /// A token made by the write, with text around it that every entity shows.
    pub(super) fn framed(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if !self.creates || self.answers || !self.dependent || at == self.identity {
            return None;
        }
        let [Step::Member(name)] = at.0.as_slice() else { return None };
        let own = cases.iter().map(|case| Some((leave_out(case.given.after, name), case.value?.as_str()?)));
        let mut shown: Vec<(Value, &str)> = own.collect::<Option<_>>()?;
        let others = self.others.iter();
        shown.extend(others.filter_map(|other| Some((leave_out(other.entity, name), other.value?.as_str()?))));
        if shown.len() < 2 {
            return None;
        }
        let tokens: Vec<Vec<Range<usize>>> = shown.iter().map(|(_, text)| token_runs(text)).collect();
        let count = tokens.first().filter(|first| tokens.iter().all(|other| other.len() == first.len()))?.len();
        (0..count).find_map(|index| framed_at(&shown, &tokens, index, name))
    }
}

/// The rule with the made token at one of the places where all texts have one.
fn framed_at(shown: &[(Value, &str)], tokens: &[Vec<Range<usize>>], index: usize, name: &str) -> Option<MemberExpr> {
    let runs = || shown.iter().zip(tokens).map(|((entity, text), runs)| (entity, *text, runs[index].clone()));
    let distinct: BTreeSet<&str> = runs().map(|(_, text, run)| &text[run]).collect();
    if distinct.len() < shown.len() {
        return None;
    }
    let mut generators = distinct.iter().map(|token| Generator::of_text(token));
    let first = generators.next()??;
    let token = generators.try_fold(first, |joined, next| joined.joined(&next?))?;
    let before = frame(name, &runs().map(|(entity, text, run)| (entity, &text[..run.start])).collect::<Vec<_>>())?;
    let after = frame(name, &runs().map(|(entity, text, run)| (entity, &text[run.end..])).collect::<Vec<_>>())?;
    (!before.is_empty() || !after.is_empty())
        .then(|| MemberExpr::Made(Generator::Framed { before, token: Box::new(token), after }, false))
}

/// The pieces of the text on one side of the token.
fn frame(name: &str, pairs: &[(&Value, &str)]) -> Option<Vec<Piece>> {
    let (_, text) = pairs.first()?;
    if pairs.iter().all(|(_, other)| other == text) {
        return Some(if text.is_empty() { Vec::new() } else { vec![Piece::Fixed((*text).to_owned())] });
    }
    let pieces = find_text_rule(name, pairs)?;
    pairs.iter().all(|(entity, text)| make_text(&pieces, entity).as_deref() == Some(text)).then_some(pieces)
}

/// Where runs of letters and digits stand that are long enough, and look made.
fn token_runs(text: &str) -> Vec<Range<usize>> {
    let mut runs = Vec::new();
    let mut start = 0;
    for part in text.split(|character: char| !character.is_ascii_alphanumeric()) {
        if part.len() >= MIN_TOKEN && Generator::of_text(part).is_some() {
            runs.push(start..start + part.len());
        }
        start += part.len();
        start += text[start..].chars().next().map_or(0, char::len_utf8);
    }
    runs
}
