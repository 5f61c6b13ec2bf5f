//! Lists that are stored in another order than they were sent: by their items, by a member of these, or by a member of the
//! entities that they name. Proposed only where a recorded call shows it; nothing here knows of plans.

use super::line::scalar_text;
use super::member_fit::{Case, Fitting};
use super::member_fit_sent::cast_of;
use super::member_rule::{Makings, MemberExpr, Miss};
use super::order::{OrderStyle, compare_scalars};
use super::path::MemberPath;
use super::write_maker::named_entity;
use crate::json::Value;

/// A list in the order of something.
#[derive(Clone, Debug, PartialEq)]
pub struct Sorted {
    /// The list, as it was sent.
    pub list: MemberExpr,
    /// What decides.
    pub by: SortBy,
}

/// What decides over the order of a list's items.
#[derive(Clone, Debug, PartialEq)]
pub enum SortBy {
    /// A member of them; they themselves when empty.
    Item(MemberPath),
    /// A member of the entities of a type that they name.
    Named(usize, MemberPath),
}

/// Members that lists are ordered by, the likeliest first.
const NAMES: [&str; 6] = ["name", "title", "slug", "label", "key", "id"];
/// How texts compare.
const STYLE: OrderStyle =
    OrderStyle { fold: true, digits: false, nulls: super::order::Nulls::Small, tie: super::order::Tie::Before };

impl Sorted {
    /// The list in its order.
    ///
    /// # Errors
    /// An item that names nothing which the state holds.
    pub(super) fn ordered(&self, list: &Value, makings: &dyn Makings) -> Result<Value, Miss> {
        let entity = |kind: usize, item: &Value| makings.entity(kind, &MemberPath::default(), item);
        self.by.sort(list.as_array().unwrap_or_default(), &entity)
    }
}

impl SortBy {
    fn sort(&self, items: &[Value], entity: &dyn Fn(usize, &Value) -> Option<Value>) -> Result<Value, Miss> {
        // One item is in order whatever it names.
        if items.len() < 2 {
            return Ok(Value::Array(items.to_vec()));
        }
        let mut keyed: Vec<(Value, &Value)> = Vec::with_capacity(items.len());
        for item in items {
            let key = match self {
                Self::Item(path) => path.direct(item).cloned(),
                Self::Named(kind, member) => {
                    let held = entity(*kind, item);
                    let held = held.ok_or_else(|| Miss::Reference(scalar_text(item).unwrap_or_default()))?;
                    member.direct(&held).cloned()
                }
            };
            keyed.push((key.ok_or(Miss::Unknown)?, item));
        }
        keyed.sort_by(|(one, _), (other, _)| compare_scalars(one, other, STYLE));
        Ok(keyed.into_iter().map(|(_, item)| item.clone()).collect())
    }
}

impl Fitting<'_> {
    /// The sent list in another order, which at least one case shows.
    pub(super) fn sorted_list(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        if cases[0].given.item.is_some() {
            return None;
        }
        let mut lists: Vec<Value> = Vec::with_capacity(cases.len());
        let mut moved = false;
        for case in cases {
            let (sent, stored) = path.direct(case.given.sent)?.as_array().zip(case.value?.as_array())?;
            let as_sent = as_sent(sent, stored)?;
            moved |= as_sent.iter().zip(stored).any(|(one, other)| !one.same_as(other));
            lists.push(as_sent.into_iter().cloned().collect());
        }
        if !moved {
            return None;
        }
        let unsorted: Vec<Case<'_>> =
            cases.iter().zip(&lists).map(|(case, list)| Case { value: Some(list), ..*case }).collect();
        let list = match cast_of(&unsorted, path) {
            Some(cast) => MemberExpr::Sent(path.clone(), cast),
            None => self.each(&unsorted, path, at)?,
        };
        let by = self.ways(&lists).into_iter().find(|by| {
            cases.iter().zip(&lists).all(|(case, list)| {
                let entity = |kind: usize, item: &Value| named_entity(case.world, kind, &MemberPath::default(), item);
                let sorted = by.sort(list.as_array().unwrap_or_default(), &entity);
                sorted.ok().zip(case.value).is_some_and(|(sorted, value)| sorted.same_as(value))
            })
        })?;
        Some(MemberExpr::Sorted(Box::new(Sorted { list, by })))
    }

    fn ways(&self, lists: &[Value]) -> Vec<SortBy> {
        let first = lists.iter().filter_map(Value::as_array).find_map(|items| items.first());
        let names = NAMES.map(MemberPath::member);
        match first.map(Value::as_object) {
            Some(Some(_)) => names.into_iter().map(SortBy::Item).collect(),
            Some(None) => {
                let named = (0..self.types.len()).flat_map(|kind| names.iter().map(move |name| (kind, name.clone())));
                let named = named.map(|(kind, name)| SortBy::Named(kind, name));
                std::iter::once(SortBy::Item(MemberPath::default())).chain(named).collect()
            }
            None => Vec::new(),
        }
    }
}

/// The stored items in the order of the sent ones.
fn as_sent<'v>(sent: &[Value], stored: &'v [Value]) -> Option<Vec<&'v Value>> {
    if sent.len() != stored.len() {
        return None;
    }
    let mut left: Vec<&Value> = stored.iter().collect();
    let mut found = Vec::with_capacity(sent.len());
    for item in sent {
        let at = left.iter().position(|stored| is_item(item, stored))?;
        found.push(left.remove(at));
    }
    Some(found)
}

/// Whether a stored item is the sent one, or an object with its members or its text.
fn is_item(sent: &Value, stored: &Value) -> bool {
    match (sent.as_object(), stored.as_object()) {
        (Some(sent), Some(stored)) => {
            let mut members = sent.iter().filter_map(|(name, value)| Some((name.as_str()?, value))).peekable();
            members.peek().is_some()
                && members.all(|(name, value)| stored.get(name).is_some_and(|held| held.same_as(value)))
        }
        (None, Some(stored)) => stored.iter().any(|(_, held)| held.same_as(sent)),
        _ => sent.same_as(stored),
    }
}
