//! What is measured of another member: the length of a text in letters, bytes or words, the items of a list beside it. Many
//! numbers equal a length by chance: what other entities show has to agree, and more than one measure must have been seen.

use super::member_fit::{Case, Fitting};
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use crate::json::Value;
use std::collections::BTreeSet;

/// Different measures that have to be seen: fewer are equal by chance.
const MIN_MEASURES: usize = 3;
/// Other entities that are looked at.
const MAX_OTHERS: usize = 24;

/// What is measured of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Characters of a text.
    Letters,
    /// Its bytes.
    Bytes,
    /// Its words.
    Words,
    /// Items of a list.
    Items,
}

impl Measure {
    /// All, in the order in which they are tried.
    const ALL: [Self; 4] = [Self::Letters, Self::Bytes, Self::Words, Self::Items];

    /// The measure of a value; null has none of anything.
    pub(super) fn of(self, value: &Value) -> Option<i64> {
        if value.is_null() {
            return Some(0);
        }
        let count = match self {
            Self::Letters => value.as_str()?.chars().count(),
            Self::Bytes => value.as_str()?.len(),
            Self::Words => value.as_str()?.split_whitespace().count(),
            Self::Items => value.as_array()?.len(),
        };
        i64::try_from(count).ok()
    }

    /// Its name in documents.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Letters => "letters",
            Self::Bytes => "bytes",
            Self::Words => "words",
            Self::Items => "items",
        }
    }
}

impl Fitting<'_> {
    /// The measure of another member that every case and the other entities that are looked at show.
    pub(super) fn measured(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let number = |value: Option<&Value>| value.and_then(Value::as_number).and_then(|number| number.as_i64());
        let numbers: Vec<i64> = cases.iter().map(|case| number(case.value)).collect::<Option<_>>()?;
        if !self.dependent || at.0.len() != 1 {
            return None;
        }
        let others: Vec<(&Value, i64)> = self
            .others
            .iter()
            .take(MAX_OTHERS)
            .filter_map(|other| Some((other.entity, number(other.value)?)))
            .collect();
        let seen: BTreeSet<i64> = numbers.iter().copied().chain(others.iter().map(|(_, number)| *number)).collect();
        if seen.len() < MIN_MEASURES {
            return None;
        }
        let members = cases.first()?.given.after.as_object()?.iter();
        let members =
            members.filter(|(_, value)| value.is_null() || value.as_str().is_some() || value.as_array().is_some());
        let mut paths = members.filter_map(|(name, _)| name.as_str().map(MemberPath::member)).filter(|path| path != at);
        paths.find_map(|path| {
            let measure = Measure::ALL.into_iter().find(|measure| {
                let holds = |entity: &Value, number: i64| {
                    path.direct(entity).and_then(|held| measure.of(held)).is_some_and(|measured| measured == number)
                };
                let mut shown = cases.iter().map(|case| case.given.after).zip(&numbers);
                shown.all(|(entity, number)| holds(entity, *number))
                    && others.iter().all(|(entity, number)| path.direct(entity).is_none() || holds(entity, *number))
            })?;
            Some(MemberExpr::Measure(path, measure))
        })
    }
}

/// Characters: shorter beginnings are those of other texts by chance.
const MIN_BEGINNING: usize = 8;

/// The beginning of a text, with what is behind it where it was cut off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The member whose text it is; null has none.
    pub of: MemberPath,
    /// Characters.
    pub letters: usize,
    /// What stands behind them.
    pub tail: Box<str>,
}

impl Excerpt {
    /// The excerpt of a text.
    pub(super) fn text(&self, value: &Value) -> Option<String> {
        let text = if value.is_null() { "" } else { value.as_str()? };
        match text.char_indices().nth(self.letters) {
            Some((end, _)) => Some(format!("{}{}", &text[..end], self.tail)),
            None => Some(text.to_owned()),
        }
    }
}

impl Fitting<'_> {
    /// How another member's text begins, in every case and in the other entities that are looked at; two texts that are cut
    /// off at one length have to be seen.
    pub(super) fn excerpt(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if !self.dependent || at.0.len() != 1 || cases.iter().any(|case| case.value.and_then(Value::as_str).is_none()) {
            return None;
        }
        let others = self.others.iter().take(MAX_OTHERS).filter_map(|other| Some((other.entity, other.value?)));
        let of_cases = cases.iter().filter_map(|case| Some((case.given.after, case.value?)));
        let shown: Vec<(&Value, &Value)> = of_cases.chain(others).collect();
        let texts = cases.first()?.given.after.as_object()?.iter().filter_map(|(name, _)| name.as_str());
        texts.map(MemberPath::member).filter(|path| path != at).find_map(|of| {
            let cut = |(entity, value): &(&Value, &Value)| {
                let (text, shown) = (of.direct(entity)?.as_str()?, value.as_str()?);
                let letters = text.chars().zip(shown.chars()).take_while(|(one, other)| one == other).count();
                let tail: Box<str> = shown.chars().skip(letters).collect::<String>().into();
                let is_cut =
                    letters >= MIN_BEGINNING && text.chars().count() > letters && tail.chars().count() < MIN_BEGINNING;
                is_cut.then(|| Excerpt { of: of.clone(), letters, tail })
            };
            // One cut says where that text was cut, not where others are: at a word's end, perhaps.
            let cuts: Vec<(&Value, Excerpt)> = shown.iter().filter_map(|shown| Some((shown.1, cut(shown)?))).collect();
            let (first, excerpt) = cuts.first()?;
            if !cuts.iter().any(|(shown, other)| other == excerpt && !shown.same_as(first)) {
                return None;
            }
            let holds = |(entity, value): &(&Value, &Value)| {
                of.direct(entity).is_none_or(|held| excerpt.text(held).as_deref() == value.as_str())
            };
            let differ = shown.iter().any(|(_, value)| !value.same_as(shown[0].1));
            (differ && shown.iter().all(holds)).then(|| MemberExpr::Excerpt(Box::new(excerpt.clone())))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_there_measures_nothing() {
        assert_eq!(Measure::ALL.map(|measure| measure.of(&Value::Null)), [Some(0); 4]);
        let text = Value::from("a é o");
        let measures = Measure::ALL.map(|measure| measure.of(&text));
        assert_eq!(measures, [Some(5), Some(6), Some(3), None]);
    }

    #[test]
    fn a_text_that_is_short_enough_is_not_cut_off() {
        let excerpt = Excerpt { of: MemberPath::member("text"), letters: 4, tail: "…".into() };
        let texts = ["été", "Béla", "Bélas"].map(|text| excerpt.text(&Value::from(text)));
        assert_eq!(texts, ["été", "Béla", "Béla…"].map(|text| Some(text.to_owned())));
        assert_eq!(excerpt.text(&Value::Null), Some(String::new()));
    }
}
