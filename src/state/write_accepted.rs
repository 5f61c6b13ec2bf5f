//! What the members of a write's body may be: what the recorded calls sent, as far as the rules read it. Refusals and
//! descriptions name them.

use super::member_rule::{Cast, MemberExpr};
use super::path::MemberPath;
use super::slot::Slot;
use super::write_plan::AcceptedMember;
use super::write_sample::Sample;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// What the members of a body may be.
pub(super) fn accepted(
    samples: &[&Sample<'_>],
    slots: &[(Slot, MemberExpr)],
    identity: Option<&MemberExpr>,
    (named_by, others): (&BTreeSet<Box<str>>, &[Value]),
) -> Vec<AcceptedMember> {
    let mut members: Vec<AcceptedMember> = Vec::new();
    let mut values: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for (name, value) in samples.iter().filter_map(|sample| sample.sent.as_object()).flatten() {
        let Some(name) = name.as_str() else { continue };
        values.entry(name).or_default().push(value);
        let word = value.type_name();
        match members.iter_mut().find(|held| held.name.as_ref() == name) {
            Some(held) if held.types.contains(&word) => {}
            Some(held) => held.types.push(word),
            None => {
                members.push(AcceptedMember { name: name.into(), types: vec![word], required: false, only: Vec::new() })
            }
        }
    }
    let mut read: BTreeSet<Box<str>> = BTreeSet::new();
    let mut needed: BTreeSet<Box<str>> = BTreeSet::new();
    for rule in slots.iter().map(|(_, rule)| rule).chain(identity) {
        rule.sent_paths(&mut |path| read.extend(first_name(path)));
        needed_paths(rule, &mut needed);
    }
    for member in &mut members {
        let sent = values.get(member.name.as_ref()).map(Vec::as_slice).unwrap_or_default();
        member.required = needed.contains(&member.name) && sent.len() == samples.len();
        if !read.contains(&member.name) {
            let mut only: Vec<Value> = Vec::new();
            for value in sent {
                if !only.iter().any(|held| held.same_as(value)) {
                    only.push((*value).clone());
                }
            }
            // Two values that did the same show that the member is not stored.
            if only.len() == 1 {
                member.only = only;
            }
        }
    }
    for member in &mut members {
        // What names the target may have any value, and without it there is none.
        if named_by.contains(&member.name) {
            member.only.clear();
            member.required = true;
        }
        // What is stored as it is sent may be what the application is known to hold there.
        let path = MemberPath::member(&member.name);
        if slots.iter().any(|(slot, rule)| slot.name == member.name && slot.source.is_none() && keeps(rule, &path)) {
            for word in others.iter().filter_map(|other| path.direct(other)).map(Value::type_name) {
                if !member.types.contains(&word) {
                    member.types.push(word);
                }
            }
        }
    }
    members
}

fn first_name(path: &MemberPath) -> Option<Box<str>> {
    path.names().next().map(Into::into)
}

/// Sent members without which a rule gives nothing.
fn needed_paths(rule: &MemberExpr, into: &mut BTreeSet<Box<str>>) {
    match rule {
        MemberExpr::IfSent(path, _, otherwise) if otherwise.is_unknown() => into.extend(first_name(path)),
        MemberExpr::Sent(path, _) | MemberExpr::Each(path, _) => into.extend(first_name(path)),
        MemberExpr::SentText(_) => rule.sent_paths(&mut |path| into.extend(first_name(path))),
        MemberExpr::Object(members) => members.iter().for_each(|(_, member)| needed_paths(member, into)),
        MemberExpr::Array(items) => items.iter().for_each(|item| needed_paths(item, into)),
        MemberExpr::Lookup(lookup) => needed_paths(&lookup.via, into),
        MemberExpr::Join(parts) => parts.iter().for_each(|(source, _)| needed_paths(source, into)),
        MemberExpr::Put(put) => needed_paths(&put.item, into),
        MemberExpr::Sorted(sorted) => needed_paths(&sorted.list, into),
        MemberExpr::Table(path, _) | MemberExpr::Due(_, path, _) => into.extend(first_name(path)),
        MemberExpr::UnlessNull(_, _, inner) | MemberExpr::Unique(inner, _) => needed_paths(inner, into),
        _ => {}
    }
}

/// Whether a member is what was sent under a path, as it was sent, wherever it was.
fn keeps(rule: &MemberExpr, path: &MemberPath) -> bool {
    match rule {
        MemberExpr::Sent(sent, Cast::Same) => sent == path,
        MemberExpr::IfSent(sent, then, _) => sent == path && keeps(then, path),
        _ => false,
    }
}
