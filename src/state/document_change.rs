//! What a write does to a document: the sent members meet those that are held. Data and a pure function; which ways of
//! meeting fit the recordings is found in `document_write.rs`. Knows nothing of calls, answers or worlds.

use super::member_rule::MemberExpr;
use crate::json::{Object, Value};

/// How sent members meet held ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Each sent member takes the place of the held one of its name.
    Own,
    /// What is sent takes the place of everything.
    Whole,
    /// As [`Members::Own`], within objects too.
    All,
}

/// What a member that is sent as null does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nulls {
    /// It is null then.
    Kept,
    /// It is gone then.
    Removes,
}

/// How a sent list meets the held one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lists {
    /// It takes its place.
    Replace,
    /// Its items come behind the held ones.
    Append,
    /// Its items that are not held come behind the held ones.
    Union,
    /// Its items are taken out of the held ones.
    Remove,
    /// Each of its items changes the held one whose member of this name is equal.
    ByKey(Box<str>),
}

/// One way of meeting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meeting {
    /// Of members.
    pub members: Members,
    /// Of null.
    pub nulls: Nulls,
    /// Of lists.
    pub lists: Lists,
}

/// What a write does to a document.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentChange {
    /// The object of the document that the sent members meet: empty for the document itself.
    pub place: Vec<Box<str>>,
    /// All ways that fit the recordings. A call on which they disagree is not covered.
    pub meetings: Vec<Meeting>,
    /// JSON types of what the recorded calls sent, without envelope; `null` for no body.
    pub sent_types: Vec<&'static str>,
    /// Whether a member is stored that the document did not hold.
    pub open: bool,
    /// Whether members that no recorded call sent are known to do as the others: two different ones did.
    pub alike: bool,
    /// Members that follow other rules: a clock, a version.
    pub stamps: Vec<(Box<str>, MemberExpr)>,
    /// The queries (as in a document's key) under which reads confirmed it; under others the document is unknown after it.
    pub lines: Vec<Box<str>>,
}

impl Meeting {
    /// All ways, the plainest first; `keys` are members that may tell the items of lists apart.
    pub(super) fn all(keys: &[Box<str>]) -> Vec<Self> {
        let mut lists = vec![Lists::Replace, Lists::Append, Lists::Union, Lists::Remove];
        lists.extend(keys.iter().cloned().map(Lists::ByKey));
        let mut all = Vec::new();
        for list in &lists {
            for members in [Members::Own, Members::Whole, Members::All] {
                // Only lists that take the place of others are sent as a whole document.
                if members == Members::Whole && *list != Lists::Replace {
                    continue;
                }
                for nulls in [Nulls::Kept, Nulls::Removes] {
                    all.push(Self { members, nulls, lists: list.clone() });
                }
            }
        }
        all
    }

    /// What is held after the sent value met it; `None` where the two cannot meet so.
    pub(super) fn met(&self, held: &Value, sent: &Value) -> Option<Value> {
        match (held.as_object(), sent.as_object()) {
            (Some(_), Some(sent)) if self.members == Members::Whole => Some(Value::Object(self.without_nulls(sent))),
            (Some(held), Some(sent)) => self.met_members(held, sent),
            _ if sent.is_null() => Some(held.clone()),
            _ => self.met_value(Some(held), sent),
        }
    }

    fn without_nulls(&self, sent: &Object) -> Object {
        let gone = |value: &Value| self.nulls == Nulls::Removes && value.is_null();
        sent.iter().filter(|(_, value)| !gone(value)).cloned().collect()
    }

    fn met_members(&self, held: &Object, sent: &Object) -> Option<Value> {
        let mut object = held.clone();
        for (name, value) in sent {
            let name = name.as_str()?;
            if value.is_null() && self.nulls == Nulls::Removes {
                object.remove(name);
                continue;
            }
            let met = self.met_value(held.get(name), value)?;
            object.set(name, met);
        }
        Some(Value::Object(object))
    }

    fn met_value(&self, held: Option<&Value>, sent: &Value) -> Option<Value> {
        if let Some(items) = sent.as_array() {
            let held = held.and_then(Value::as_array).unwrap_or_default();
            return self.met_items(held, items);
        }
        match (held.and_then(Value::as_object), sent.as_object()) {
            (Some(held), Some(sent)) if self.members == Members::All => self.met_members(held, sent),
            (None, Some(sent)) if self.members == Members::All => Some(Value::Object(self.without_nulls(sent))),
            _ => Some(sent.clone()),
        }
    }

    fn met_items(&self, held: &[Value], sent: &[Value]) -> Option<Value> {
        let among = |items: &[Value], item: &Value| items.iter().any(|other| other.same_as(item));
        Some(match &self.lists {
            Lists::Replace => Value::Array(sent.to_vec()),
            Lists::Append => held.iter().chain(sent).cloned().collect(),
            Lists::Union => {
                let mut list = held.to_vec();
                for item in sent {
                    if !among(&list, item) {
                        list.push(item.clone());
                    }
                }
                Value::Array(list)
            }
            Lists::Remove => held.iter().filter(|item| !among(sent, item)).cloned().collect(),
            Lists::ByKey(key) => {
                let mut list = held.to_vec();
                for item in sent {
                    let wanted = item.get(key)?;
                    let found = list.iter_mut().find(|held| held.get(key).is_some_and(|held| held.same_as(wanted)))?;
                    let mut object = found.as_object()?.clone();
                    for (name, value) in item.as_object()? {
                        object.set(name.as_str()?, value.clone());
                    }
                    *found = Value::Object(object);
                }
                Value::Array(list)
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn met(members: Members, nulls: Nulls, lists: Lists, held: &str, sent: &str) -> Option<String> {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        Meeting { members, nulls, lists }.met(&value(held), &value(sent)).map(|value| value.to_compact())
    }

    #[rstest]
    #[case(Members::Own, Nulls::Kept, r#"{"a":1,"b":{"c":2}}"#, r#"{"b":{"d":3}}"#, r#"{"a":1,"b":{"d":3}}"#)]
    #[case(Members::All, Nulls::Kept, r#"{"a":1,"b":{"c":2}}"#, r#"{"b":{"d":3}}"#, r#"{"a":1,"b":{"c":2,"d":3}}"#)]
    #[case(Members::Whole, Nulls::Kept, r#"{"a":1,"b":{"c":2}}"#, r#"{"b":{"d":3}}"#, r#"{"b":{"d":3}}"#)]
    #[case(Members::Own, Nulls::Kept, r#"{"a":1,"b":2}"#, r#"{"a":null}"#, r#"{"a":null,"b":2}"#)]
    #[case(Members::Own, Nulls::Removes, r#"{"a":1,"b":2}"#, r#"{"a":null}"#, r#"{"b":2}"#)]
    #[case(Members::All, Nulls::Removes, r#"{"a":{"b":1,"c":2}}"#, r#"{"a":{"b":null}}"#, r#"{"a":{"c":2}}"#)]
    #[case(Members::Whole, Nulls::Removes, r#"{"a":1}"#, r#"{"a":null,"b":2}"#, r#"{"b":2}"#)]
    #[case(Members::Own, Nulls::Kept, r#"{"a":1}"#, "null", r#"{"a":1}"#)]
    fn members_meet(
        #[case] members: Members,
        #[case] nulls: Nulls,
        #[case] held: &str,
        #[case] sent: &str,
        #[case] expected: &str,
    ) {
        assert_eq!(met(members, nulls, Lists::Replace, held, sent).as_deref(), Some(expected));
    }

    #[rstest]
    #[case(Lists::Replace, r#"{"l":[1,2]}"#, r#"{"l":[2,3]}"#, Some(r#"{"l":[2,3]}"#))]
    #[case(Lists::Append, r#"{"l":[1,2]}"#, r#"{"l":[2,3]}"#, Some(r#"{"l":[1,2,2,3]}"#))]
    #[case(Lists::Union, r#"{"l":[1,2]}"#, r#"{"l":[2,3]}"#, Some(r#"{"l":[1,2,3]}"#))]
    #[case(Lists::Remove, r#"{"l":[1,2]}"#, r#"{"l":[2,3]}"#, Some(r#"{"l":[1]}"#))]
    #[case(Lists::Append, r#"{}"#, r#"{"l":[2]}"#, Some(r#"{"l":[2]}"#))]
    #[case(Lists::Append, "[1]", "[2]", Some("[1,2]"))]
    #[case(
        Lists::ByKey("k".into()),
        r#"{"l":[{"k":"a","v":1},{"k":"b","v":2}]}"#,
        r#"{"l":[{"k":"b","v":3}]}"#,
        Some(r#"{"l":[{"k":"a","v":1},{"k":"b","v":3}]}"#)
    )]
    #[case(Lists::ByKey("k".into()), r#"{"l":[{"k":"a","v":1}]}"#, r#"{"l":[{"k":"b","v":3}]}"#, None)]
    fn lists_meet(#[case] lists: Lists, #[case] held: &str, #[case] sent: &str, #[case] expected: Option<&str>) {
        assert_eq!(met(Members::Own, Nulls::Kept, lists, held, sent).as_deref(), expected);
    }

    #[test]
    fn a_whole_document_meets_lists_in_one_way() {
        let all = Meeting::all(&["k".into()]);
        assert_eq!(all.len(), 6 + 4 * 4);
        assert!(all.iter().all(|way| way.members != Members::Whole || way.lists == Lists::Replace));
    }
}
