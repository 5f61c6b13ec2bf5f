//! How a followed value shows the member of the entity that its holder names: it is that value, or a text with it or its
//! slug in it (`Acme AX-24`, `acme_ax-24_6001`). Knows nothing of writes and worlds.

use super::member_fit_text::token_places;
use super::slot::Left;
use super::text_rule::slug;
use crate::json::Value;

/// How a value shows a member of another entity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is the same.
    Same,
    /// It is a text that the member's text is in.
    Text,
    /// It is a text that the member's slug is in.
    Slug,
}

/// Bytes: shorter texts are in others by chance, and prove no rule.
const MIN_TOLD: usize = 3;

impl Told {
    /// All, the plainest first.
    pub const ALL: [Self; 3] = [Self::Same, Self::Text, Self::Slug];

    /// What a text shows of a member; nothing of what is no text, or has no letter that a slug keeps.
    fn spelled(self, value: &Value) -> Option<String> {
        let text = value.as_str()?;
        let text = if self == Self::Slug { slug(text) } else { text.to_owned() };
        (!text.is_empty()).then_some(text)
    }

    /// Whether a member is one that no text shows by chance.
    pub(super) fn is_telling(self, member: &Value) -> bool {
        self == Self::Same || self.spelled(member).is_some_and(|text| text.len() >= MIN_TOLD)
    }

    /// Whether a value shows a member.
    pub(super) fn is_in(self, held: &Value, member: &Value) -> bool {
        match self {
            Self::Same => held.same_as(member),
            Self::Text | Self::Slug => {
                let part = self.spelled(member);
                held.as_str().zip(part).is_some_and(|(held, part)| !token_places(held, &part).is_empty())
            }
        }
    }

    /// What a value is that showed a member when the member is another; `None` where it did not show it. A text that has it
    /// more than once may have one of them for another reason, and what it shows of no text is not known.
    pub(super) fn follow(self, held: &Value, was: &Value, is: &Value) -> Option<Left> {
        if self == Self::Same {
            return held.same_as(was).then(|| Left::Value(is.clone()));
        }
        let text = held.as_str()?;
        let Some(from) = self.spelled(was) else { return Some(Left::Unknown) };
        let places = token_places(text, &from);
        let at = *places.first()?;
        let Some(to) = self.spelled(is).filter(|_| places.len() == 1) else { return Some(Left::Unknown) };
        Some(Left::Value(Value::from(format!("{}{to}{}", &text[..at], &text[at + from.len()..]))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case::the_same(Told::Same, "Acme", Some("Blue Peak"))]
    #[case::not_the_same(Told::Same, "Acme AX", None)]
    #[case::in_a_text(Told::Text, "Acme AX-24", Some("Blue Peak AX-24"))]
    #[case::as_a_slug(Told::Slug, "acme_ax-24", Some("blue-peak_ax-24"))]
    #[case::in_a_word(Told::Text, "Acmean AX-24", None)]
    #[case::twice(Told::Text, "Acme Acme", Some("unknown"))]
    fn values_follow_what_they_show(#[case] told: Told, #[case] held: &str, #[case] expected: Option<&str>) {
        let left = told.follow(&Value::from(held), &Value::from("Acme"), &Value::from("Blue Peak"));
        let shown = left.map(|left| match left {
            Left::Value(value) => value.as_str().unwrap().to_owned(),
            _ => "unknown".to_owned(),
        });
        assert_eq!(shown.as_deref(), expected);
        assert_eq!(told.is_in(&Value::from(held), &Value::from("Acme")), expected.is_some());
    }
    #[rstest::rstest]
    #[case::from_a_short_one("AX rack", r#""AX""#, r#""Peak""#, Some("Peak rack"))]
    #[case::to_a_short_one("Acme rack", r#""Acme""#, r#""BX""#, Some("BX rack"))]
    #[case::a_short_one_twice("AX AX", r#""AX""#, r#""Peak""#, Some("unknown"))]
    #[case::a_short_one_that_is_not_there("rack", r#""AX""#, r#""Peak""#, None)]
    #[case::to_nothing("Acme rack", r#""Acme""#, r#""""#, Some("unknown"))]
    #[case::to_no_text("Acme rack", r#""Acme""#, "null", Some("unknown"))]
    #[case::from_no_text("rack", "null", r#""Peak""#, Some("unknown"))]
    fn short_texts_do_not_stay(
        #[case] held: &str,
        #[case] was: &str,
        #[case] is: &str,
        #[case] expected: Option<&str>,
    ) {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let left = Told::Text.follow(&Value::from(held), &value(was), &value(is));
        let shown = left.map(|left| match left {
            Left::Value(value) => value.as_str().unwrap().to_owned(),
            _ => "unknown".to_owned(),
        });
        assert_eq!(shown.as_deref(), expected);
        assert_eq!(Told::Text.is_telling(&value(was)), was.len() > 4 && was != "null");
    }
}
