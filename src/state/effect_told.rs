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

/// Characters: shorter texts are in others by chance.
const MIN_TOLD: usize = 3;

impl Told {
    /// All, the plainest first.
    pub const ALL: [Self; 3] = [Self::Same, Self::Text, Self::Slug];

    fn spelled(self, value: &Value) -> Option<String> {
        let text = value.as_str()?;
        let text = if self == Self::Slug { slug(text) } else { text.to_owned() };
        (text.len() >= MIN_TOLD).then_some(text)
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
    /// more than once may have one of them for another reason.
    pub(super) fn follow(self, held: &Value, was: &Value, is: &Value) -> Option<Left> {
        if self == Self::Same {
            return held.same_as(was).then(|| Left::Value(is.clone()));
        }
        let (text, from) = (held.as_str()?, self.spelled(was)?);
        let places = token_places(text, &from);
        let (Some(&at), Some(to)) = (places.first(), self.spelled(is)) else {
            return (!places.is_empty()).then_some(Left::Unknown);
        };
        if places.len() > 1 {
            return Some(Left::Unknown);
        }
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
}
