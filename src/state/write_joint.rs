//! Writes to one entity that follow each other with no read between them: the next read shows what all of them did. What
//! differs from before is given to the one call whose sent texts it holds; what may be of several, or of none, is of
//! nobody. Nothing here knows of plans.

use super::effect::texts_of;
use super::line::scalar_text;
use crate::json::{Object, Value};
use std::collections::BTreeSet;

/// What calls sent: the one that is asked about, and those that changed the same entity before the next read.
pub(super) struct Joint {
    own: BTreeSet<String>,
    others: BTreeSet<String>,
}

/// Whose a difference is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Whose {
    Own,
    Others,
}

impl Joint {
    /// From the bodies: what both sides sent, and what names the entity, tells nothing.
    pub(super) fn new(own: &Value, others: &[&Value], id: &str) -> Self {
        let texts = |bodies: &[&Value]| {
            let mut texts = BTreeSet::new();
            bodies.iter().for_each(|body| texts_of(body, &mut texts));
            texts.retain(|text| text != id && !text.is_empty());
            texts
        };
        let (own, others) = (texts(&[own]), texts(others));
        let shared: BTreeSet<String> = own.intersection(&others).cloned().collect();
        let less = |texts: BTreeSet<String>| texts.difference(&shared).cloned().collect();
        Self { own: less(own), others: less(others) }
    }

    /// What is held after the asked call alone; `None` where a difference is of nobody.
    pub(super) fn after_own(&self, before: Option<&Value>, after: Option<&Value>) -> Option<Option<Value>> {
        match (before, after) {
            (None, None) => Some(None),
            (Some(before), Some(after)) if before.same_as(after) => Some(Some(before.clone())),
            (Some(before), Some(after)) => {
                if let (Some(held), Some(shown)) = (before.as_object(), after.as_object()) {
                    return self.members(held, shown).map(|object| Some(object.into()));
                }
                if let (Some(held), Some(shown)) = (before.as_array(), after.as_array())
                    && let Some(key) = key_of(held, shown)
                {
                    return self.items(held, shown, &key).map(|items| Some(items.into()));
                }
                Some(Some(if self.whose(after)? == Whose::Own { after.clone() } else { before.clone() }))
            }
            (None, Some(after)) => {
                if let Some(shown) = after.as_array()
                    && let Some(key) = key_of(&[], shown)
                {
                    let items = self.items(&[], shown, &key)?;
                    return Some((!items.is_empty()).then(|| items.into()));
                }
                Some((self.whose(after)? == Whose::Own).then(|| after.clone()))
            }
            // What is gone holds nothing that was sent.
            (Some(_), None) => None,
        }
    }

    fn members(&self, held: &Object, shown: &Object) -> Option<Object> {
        if held.iter().any(|(name, _)| name.as_str().is_none_or(|name| !shown.contains(name))) {
            return None;
        }
        let mut object = Object::new();
        for (name, value) in shown {
            let name = name.as_str()?;
            if let Some(value) = self.after_own(held.get(name), Some(value))? {
                object.push(name, value);
            }
        }
        Some(object)
    }

    /// Items told apart by a member: each is whole the one's or the others'.
    fn items(&self, held: &[Value], shown: &[Value], key: &str) -> Option<Vec<Value>> {
        let same = |item: &Value, other: &Value| item.get(key).zip(other.get(key)).is_some_and(|(a, b)| a.same_as(b));
        if held.iter().any(|item| !shown.iter().any(|other| same(item, other))) {
            return None;
        }
        let mut items = Vec::new();
        for item in shown {
            let before = held.iter().find(|other| same(item, other));
            if before.is_some_and(|before| before.same_as(item)) {
                items.push(item.clone());
                continue;
            }
            match self.whose(item)? {
                Whose::Own => items.push(item.clone()),
                Whose::Others => items.extend(before.cloned()),
            }
        }
        Some(items)
    }

    /// Whose a value is: of those that sent something in it.
    fn whose(&self, value: &Value) -> Option<Whose> {
        let mut texts = BTreeSet::new();
        texts_of(value, &mut texts);
        match (texts.is_disjoint(&self.own), texts.is_disjoint(&self.others)) {
            (false, true) => Some(Whose::Own),
            (true, false) => Some(Whose::Others),
            _ => None,
        }
    }
}

/// The member that tells the items of two lists of objects apart: the first that no two items of one share.
fn key_of(held: &[Value], shown: &[Value]) -> Option<String> {
    let names = shown.first()?.as_object()?.iter().filter_map(|(name, _)| name.as_str());
    let apart = |items: &[Value], name: &str| {
        let texts: Option<BTreeSet<String>> = items.iter().map(|item| scalar_text(item.get(name)?)).collect();
        texts.is_some_and(|texts| texts.len() == items.len())
    };
    names.into_iter().find(|name| apart(held, name) && apart(shown, name)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    const HELD: &str = r#"{"n":1,"tags":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}"#;

    #[rstest]
    #[case::a_member_of_each(r#"{"n":7,"m":8}"#, r#"{"m":8}"#, r#"{"n":7}"#, Some(r#"{"n":7}"#), r#"{"n":1}"#)]
    #[case::an_item_of_a_list(
        r#"{"tags":[{"k":"a","v":"z"},{"k":"b","v":"y"},{"k":"c","v":"w"}]}"#,
        r#"{"key":"c","value":"w"}"#,
        r#"{"key":"a","value":"z"}"#,
        Some(r#"{"tags":[{"k":"a","v":"z"},{"k":"b","v":"y"}]}"#),
        r#"{"tags":[{"k":"a","v":"x"},{"k":"b","v":"y"}]}"#
    )]
    #[case::a_new_list(
        r#"{"p":[{"k":"c","v":"w"}],"n":1}"#,
        r#"{"n":5}"#,
        r#"{"key":"c","value":"w"}"#,
        Some(r#"{"p":[{"k":"c","v":"w"}],"n":1}"#),
        r#"{"n":1}"#
    )]
    #[case::of_nobody(r#"{"n":7}"#, r#"{"m":8}"#, r#"{"m":9}"#, None, r#"{"n":1}"#)]
    #[case::of_both(r#"{"n":7}"#, r#"{"n":7}"#, r#"{"n":7}"#, None, r#"{"n":1}"#)]
    #[case::gone(r#"{}"#, r#"{"n":7}"#, r#"{"m":7}"#, None, HELD)]
    fn differences_are_of_the_call_that_sent_them(
        #[case] after: &str,
        #[case] others: &str,
        #[case] own: &str,
        #[case] expected: Option<&str>,
        #[case] before: &str,
    ) {
        let joint = Joint::new(&value(own), &[&value(others)], "id");
        let found = joint.after_own(Some(&value(before)), Some(&value(after)));
        let spelled = |value: Value| value.to_compact();
        assert_eq!(found.flatten().map(spelled).as_deref(), expected);
    }
}
