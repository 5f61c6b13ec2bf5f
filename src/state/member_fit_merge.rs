//! Objects that are sent in part and merged into what is held: at the top or however deep, null taking a member away or being
//! held as any value. Kept only where a call left a member out that the entity held on.

use super::member_fit::{Case, Fitting};
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use crate::json::{Object, Value};

/// How a sent object meets the held one.
#[derive(Clone, Debug, PartialEq)]
pub struct Merge {
    /// Where the object is held.
    pub held: MemberPath,
    /// Where it is sent.
    pub sent: MemberPath,
    /// The ways in which all recorded calls may have been merged.
    pub ways: Vec<Way>,
}

/// A way of merging.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Way {
    /// Whether objects inside are merged, too.
    pub deep: bool,
    /// Whether null takes a member away.
    pub drops: bool,
}

impl Merge {
    /// The held object with what was sent of it; `None` where the ways differ in what they make, or one is no object.
    pub(super) fn merged(&self, held: &Value, sent: &Value) -> Option<Value> {
        let mut made = self.ways.iter().map(|way| way.merged(held, sent));
        let first = made.next()??;
        made.all(|other| other.is_some_and(|other| other.same_as(&first))).then_some(first)
    }

    /// What all ways answer to a question; `None` where they differ.
    pub(super) fn agreed(&self, says: impl Fn(&Way) -> bool) -> Option<bool> {
        let first = says(self.ways.first()?);
        self.ways.iter().all(|way| says(way) == first).then_some(first)
    }
}

impl Way {
    /// The held object with what was sent of it.
    fn merged(self, held: &Value, sent: &Value) -> Option<Value> {
        let (held, sent) = (held.as_object()?, sent.as_object()?);
        let mut made = Object::new();
        for (name, value) in held {
            let name = name.as_str()?;
            match sent.get(name) {
                None => made.push(name, value.clone()),
                Some(new) if new.is_null() && self.drops => {}
                Some(new) if self.deep && value.as_object().is_some() && new.as_object().is_some() => {
                    made.push(name, self.merged(value, new)?);
                }
                Some(new) => made.push(name, new.clone()),
            }
        }
        for (name, value) in sent {
            let name = name.as_str()?;
            if held.get(name).is_none() && !(value.is_null() && self.drops) {
                made.push(name, value.clone());
            }
        }
        Some(Value::Object(made))
    }
}

impl Fitting<'_> {
    /// The held object with the sent members in it, where that is what every call left.
    pub(super) fn merge(&self, cases: &[Case<'_>], sent: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        if self.creates || self.answers {
            return None;
        }
        let of = |case: &Case<'_>| {
            let held = case.given.before.and_then(|before| at.direct(before))?;
            Some((held.clone(), sent.direct(case.given.sent)?.clone()))
        };
        let pairs: Vec<(Value, Value)> = cases.iter().map(of).collect::<Option<_>>()?;
        // What was sent in full says nothing of what becomes of the rest.
        let partly =
            |(case, (_, sent)): (&Case<'_>, &(Value, Value))| case.value.is_some_and(|value| !value.same_as(sent));
        if !cases.iter().zip(&pairs).any(partly) {
            return None;
        }
        let ways = [(false, false), (false, true), (true, false), (true, true)];
        let fits = |way: &Way| {
            cases.iter().zip(&pairs).all(|(case, (held, sent))| {
                way.merged(held, sent).zip(case.value).is_some_and(|(made, value)| made.same_as(value))
            })
        };
        let ways: Vec<Way> = ways.map(|(deep, drops)| Way { deep, drops }).into_iter().filter(fits).collect();
        let merge = Merge { held: at.clone(), sent: sent.clone(), ways };
        (!merge.ways.is_empty()).then(|| MemberExpr::Merge(Box::new(merge)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    #[rstest]
    #[case::at_the_top(false, false, r#"{"a":{"c":3},"d":null}"#)]
    #[case::null_takes_away(false, true, r#"{"a":{"c":3}}"#)]
    #[case::inner_objects(true, false, r#"{"a":{"b":1,"c":3},"d":null}"#)]
    #[case::both(true, true, r#"{"a":{"b":1,"c":3}}"#)]
    fn a_sent_object_meets_the_held_one(#[case] deep: bool, #[case] drops: bool, #[case] expected: &str) {
        let merge =
            Merge { held: MemberPath::member("o"), sent: MemberPath::member("o"), ways: vec![Way { deep, drops }] };
        let held = value(r#"{"a":{"b":1,"c":2},"d":4}"#);
        let made = merge.merged(&held, &value(r#"{"a":{"c":3},"d":null}"#)).unwrap();
        assert!(made.same_as(&value(expected)), "{}", made.to_compact());
    }

    /// What was recorded told null from nothing, but not how deep objects are merged.
    #[rstest]
    #[case::they_agree(r#"{"d":5}"#, Some(r#"{"a":{"b":1},"d":5}"#))]
    #[case::they_differ(r#"{"a":{"c":3}}"#, None)]
    fn ways_that_all_fit_answer_where_they_agree(#[case] sent: &str, #[case] expected: Option<&str>) {
        let ways = [false, true].map(|deep| Way { deep, drops: true }).to_vec();
        let merge = Merge { held: MemberPath::member("o"), sent: MemberPath::member("o"), ways };
        let made = merge.merged(&value(r#"{"a":{"b":1},"d":4}"#), &value(sent));
        assert_eq!(made.map(|made| made.to_compact()).as_deref(), expected);
    }
}
