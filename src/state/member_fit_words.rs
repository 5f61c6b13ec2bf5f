//! Words that say whether a member holds something: a book that is closed says when, one that is open or a draft holds null
//! there. Where every entity and every recorded write agrees on that, a word that no write turned into, or from, says the same.

use super::member_fit::{Case, Fitting};
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use crate::json::Value;

/// Words that are told apart.
const MAX_WORDS: usize = 8;

/// Whether a call took away what a member held.
fn takes_away(cases: &[Case<'_>], at: &MemberPath) -> bool {
    let held =
        |case: &Case<'_>| case.given.before.and_then(|before| at.direct(before)).is_some_and(|held| !held.is_null());
    cases.iter().any(|case| held(case) && case.value.is_some_and(Value::is_null))
}

/// What a member holds with a word beside it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Word {
    /// The word.
    pub value: Value,
    /// Whether the member holds something.
    pub filled: bool,
}

/// The words of a member with what another holds beside them; `None` where one word is seen with null and with something,
/// or all with the same.
pub(super) fn words_of(
    fitting: &Fitting<'_>,
    cases: &[Case<'_>],
    member: &MemberPath,
    at: &MemberPath,
) -> Option<Vec<Word>> {
    let mut words: Vec<Word> = Vec::new();
    let mut note = |word: Option<&Value>, value: Option<&Value>| {
        let (Some(word), Some(value)) = (word, value) else { return Some(()) };
        let filled = !value.is_null();
        match words.iter().find(|held| held.value.same_as(word)) {
            Some(held) if held.filled != filled => None,
            Some(_) => Some(()),
            None if words.len() < MAX_WORDS => {
                words.push(Word { value: word.clone(), filled });
                Some(())
            }
            None => None,
        }
    };
    for other in fitting.others {
        note(member.direct(other.entity), other.value)?;
    }
    for case in cases {
        note(member.direct(case.given.after), case.value)?;
        let before = case.given.before;
        note(before.and_then(|before| member.direct(before)), before.and_then(|before| at.direct(before)))?;
    }
    let filled = words.iter().filter(|word| word.filled).count();
    (filled > 0 && filled < words.len()).then_some(words)
}

impl Fitting<'_> {
    /// Rules for the words that no call showed: null where entities with the word hold null, if only what is new is asked
    /// about, or some call took away what was held. A draft that was published once may keep its date.
    pub(super) fn other_words(
        &self,
        cases: &[Case<'_>],
        member: &MemberPath,
        at: &MemberPath,
        rules: &mut Vec<(Value, MemberExpr)>,
    ) {
        if !self.creates && !takes_away(cases, at) {
            return;
        }
        for word in words_of(self, cases, member, at).unwrap_or_default() {
            if !word.filled && !rules.iter().any(|(value, _)| value.same_as(&word.value)) {
                rules.push((word.value, MemberExpr::Fixed(Value::Null)));
            }
        }
    }

    /// The turns that no call took: to a word without anything there is null, where nothing was or some call took away what
    /// was; to one with something what all recorded turns from words without make.
    pub(super) fn other_turns(
        &self,
        cases: &[Case<'_>],
        member: &MemberPath,
        at: &MemberPath,
        ways: &mut Vec<(Value, Value, MemberExpr)>,
    ) {
        let words = words_of(self, cases, member, at).unwrap_or_default();
        let empty = |value: &Value| words.iter().any(|word| !word.filled && word.value.same_as(value));
        let mut more: Vec<(Value, Value, MemberExpr)> = Vec::new();
        for from in &words {
            for to in words.iter().filter(|to| !to.value.same_as(&from.value)) {
                if ways.iter().any(|(one, other, _)| one.same_as(&from.value) && other.same_as(&to.value)) {
                    continue;
                }
                let mut alike = ways.iter().filter(|(one, other, _)| other.same_as(&to.value) && empty(one));
                let rule = match (to.filled, from.filled, alike.next()) {
                    (false, false, _) => MemberExpr::Fixed(Value::Null),
                    (false, true, _) if takes_away(cases, at) => MemberExpr::Fixed(Value::Null),
                    (true, false, Some((_, _, rule))) if alike.all(|(_, _, other)| other == rule) => rule.clone(),
                    _ => continue,
                };
                more.push((from.value.clone(), to.value.clone(), rule));
            }
        }
        ways.extend(more);
    }
}
