//! What the members of a write's body may be: what the recorded calls sent, as far as the rules read it. Refusals and
//! descriptions name them.

use super::coverage::Effect;
use super::member_cast::Cast;
use super::member_rule::{IfNull, MemberExpr};
use super::path::MemberPath;
use super::slot::Slot;
use super::write_plan::{AcceptedMember, Part, WritePlan};
use super::write_sample::Sample;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Members that updates and creates both store before an update is taken to store what no recorded one sent.
const MIN_SHARED: usize = 3;

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

/// What one write of a type stores as it is sent, another that stores the member as well may be sent, too. A null that
/// creates leave out an update leaves out: that is how the application shows that there is nothing.
pub(super) fn accept_alike(plans: &mut BTreeMap<usize, WritePlan>) {
    let mut stored: BTreeMap<(usize, Box<str>), BTreeSet<&'static str>> = BTreeMap::new();
    let mut left_out: BTreeSet<(usize, Box<str>)> = BTreeSet::new();
    for plan in plans.values() {
        let kind = plan.target.entity_type;
        for part in &plan.parts {
            for member in kept_in(part) {
                stored.entry((kind, member.name.clone())).or_default().extend(&member.types);
            }
            let creates = part.effect == Effect::Create;
            let out = part.slots.iter().filter(|(slot, rule)| creates && leaves_null_out(slot, rule));
            left_out.extend(out.map(|(slot, _)| (kind, slot.name.clone())));
        }
    }
    for plan in plans.values_mut() {
        let kind = plan.target.entity_type;
        for part in &mut plan.parts {
            let kept: BTreeSet<Box<str>> = kept_in(part).map(|member| member.name.clone()).collect();
            for member in part.accepted.iter_mut().filter(|member| kept.contains(&member.name)) {
                let key = (kind, member.name.clone());
                let null = left_out.contains(&key).then_some("null");
                for word in stored.get(&key).into_iter().flatten().copied().chain(null) {
                    if !member.types.contains(&word) {
                        member.types.push(word);
                    }
                }
            }
            if part.effect != Effect::Update {
                continue;
            }
            for (slot, rule) in part.slots.iter_mut().filter(|(slot, _)| slot.source.is_none()) {
                if kept.contains(&slot.name) && left_out.contains(&(kind, slot.name.clone())) {
                    leave_null_out(rule);
                }
            }
        }
    }
}

/// An option that creates take as it is sent, and else give a value of its own, an update takes as well, though no recorded
/// one sent it: where updates stored all that they were sent of what creates store, and that was enough to tell.
pub(super) fn take_options(plans: &mut BTreeMap<usize, WritePlan>) {
    let mut options: BTreeMap<usize, Vec<AcceptedMember>> = BTreeMap::new();
    let mut stored: BTreeMap<usize, BTreeSet<Box<str>>> = BTreeMap::new();
    for plan in plans.values() {
        let kind = plan.target.entity_type;
        for part in plan.parts.iter().filter(|part| part.effect == Effect::Create) {
            let kept: Vec<&AcceptedMember> = kept_in(part).collect();
            stored.entry(kind).or_default().extend(kept.iter().map(|member| member.name.clone()));
            let optional = |member: &&&AcceptedMember| {
                part.slots.iter().any(|(slot, rule)| {
                    let otherwise = matches!(rule, MemberExpr::IfSent(_, _, otherwise) if matches!(**otherwise, MemberExpr::Fixed(_)));
                    slot.name == member.name && slot.source.is_none() && otherwise
                })
            };
            options.entry(kind).or_default().extend(kept.iter().filter(optional).map(|member| (*member).clone()));
        }
    }
    for plan in plans.values_mut() {
        let kind = plan.target.entity_type;
        let (Some(options), Some(stored)) = (options.get(&kind), stored.get(&kind)) else { continue };
        for part in plan.parts.iter_mut().filter(|part| part.effect == Effect::Update) {
            let partial = |name: &str| {
                part.slots
                    .iter()
                    .any(|(slot, rule)| slot.name.as_ref() == name && slot.source.is_none() && is_partial(rule))
            };
            let shared: Vec<&AcceptedMember> =
                part.accepted.iter().filter(|member| stored.contains(&member.name)).collect();
            if shared.len() < MIN_SHARED || !shared.iter().all(|member| partial(&member.name)) {
                continue;
            }
            for option in options {
                let slot = Slot { name: option.name.clone(), source: None };
                let known = part.accepted.iter().any(|member| member.name == option.name)
                    || part.slots.iter().any(|(held, _)| *held == slot);
                if !known {
                    let path = MemberPath::member(&option.name);
                    let sent = Box::new(MemberExpr::Sent(path.clone(), Cast::Same));
                    let rule = MemberExpr::IfSent(path.clone(), sent, Box::new(MemberExpr::Before(path)));
                    part.slots.push((slot, rule));
                    part.accepted.push(AcceptedMember { required: false, ..option.clone() });
                }
            }
        }
    }
}

/// Whether a rule stores what is sent, and else keeps what is held.
fn is_partial(rule: &MemberExpr) -> bool {
    let MemberExpr::IfSent(path, then, otherwise) = rule else { return false };
    let stores = match then.as_ref() {
        MemberExpr::UnlessNull(sent, _, inner) => sent == path && keeps(inner, path),
        then => keeps(then, path),
    };
    stores && matches!(&**otherwise, MemberExpr::Before(held) if held == path)
}

/// Whether a rule leaves the member of its slot out where null is sent, and else stores what is sent.
fn leaves_null_out(slot: &Slot, rule: &MemberExpr) -> bool {
    let path = MemberPath::member(&slot.name);
    slot.source.is_none()
        && match rule {
            MemberExpr::UnlessNull(sent, null, rest) => *sent == path && *null == IfNull::Absent && keeps(rest, &path),
            MemberExpr::IfSent(_, then, _) => leaves_null_out(slot, then),
            _ => false,
        }
}

/// Makes a rule that stores what is sent leave null out.
fn leave_null_out(rule: &mut MemberExpr) {
    match rule {
        MemberExpr::IfSent(_, then, _) => leave_null_out(then),
        MemberExpr::Sent(path, Cast::Same) => {
            let path = path.clone();
            let stored = std::mem::replace(rule, MemberExpr::Absent);
            *rule = MemberExpr::UnlessNull(path, IfNull::Absent, Box::new(stored));
        }
        _ => {}
    }
}

/// Accepted members that a part stores as they are sent.
fn kept_in(part: &Part) -> impl Iterator<Item = &AcceptedMember> {
    part.accepted.iter().filter(|member| {
        let path = MemberPath::member(&member.name);
        let of_member = |slot: &Slot| slot.name == member.name && slot.source.is_none();
        part.slots.iter().any(|(slot, rule)| of_member(slot) && keeps(rule, &path))
    })
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

#[cfg(test)]
mod tests {
    use super::super::write_plan::{BodyEnvelope, Target, TargetPlace};
    use super::*;
    use rstest::rstest;

    fn text() -> MemberPath {
        MemberPath::member("text")
    }

    fn stored() -> Box<MemberExpr> {
        Box::new(MemberExpr::Sent(text(), Cast::Same))
    }

    /// A plan about things whose one slot has a rule, and whose calls sent a member of some types.
    fn plan(tool: usize, effect: Effect, rule: MemberExpr, types: &[&'static str]) -> (usize, WritePlan) {
        let target = Target { entity_type: 0, place: TargetPlace::Collection };
        let member = AcceptedMember { name: "text".into(), types: types.to_vec(), required: false, only: Vec::new() };
        let slot = Slot { name: "text".into(), source: None };
        let part = Part { slots: vec![(slot, rule)], accepted: vec![member], ..Part::new(effect, 0, 0) };
        let envelope = BodyEnvelope::default();
        let (absences, preconditions) = (Vec::new(), Vec::new());
        (tool, WritePlan { tool, target, envelope, bulk: None, parts: vec![part], absences, preconditions })
    }

    fn if_sent(then: Box<MemberExpr>) -> MemberExpr {
        MemberExpr::IfSent(text(), then, Box::new(MemberExpr::Before(text())))
    }

    #[test]
    fn an_update_leaves_the_null_out_that_creates_leave_out() {
        let rule = MemberExpr::UnlessNull(text(), IfNull::Absent, stored());
        let create = plan(0, Effect::Create, rule.clone(), &["null", "string"]);
        let update = plan(1, Effect::Update, if_sent(stored()), &["string"]);
        let mut plans = BTreeMap::from([create, update]);
        accept_alike(&mut plans);
        let part = &plans[&1].parts[0];
        assert_eq!(part.accepted[0].types, ["string", "null"]);
        assert_eq!(part.slots[0].1, if_sent(Box::new(rule)));
    }

    /// A create that stores some members, of which the last is an option, and an update that was sent all others but it.
    fn optioned(names: &[&str], untaken: Option<&str>) -> BTreeMap<usize, WritePlan> {
        let part = |effect: Effect, names: &[&str]| {
            let member = |name: &&str| {
                let types = vec!["string"];
                AcceptedMember { name: (*name).into(), types, required: false, only: Vec::new() }
            };
            let slot = |name: &&str| {
                let path = MemberPath::member(name);
                let sent = Box::new(MemberExpr::Sent(path.clone(), Cast::Same));
                let rule = match effect {
                    _ if effect == Effect::Update && Some(*name) == untaken => MemberExpr::Fixed("x".into()),
                    Effect::Create if names.last() == Some(name) => {
                        MemberExpr::IfSent(path, sent, Box::new(MemberExpr::Fixed("plain".into())))
                    }
                    Effect::Create => MemberExpr::Sent(path, Cast::Same),
                    _ => MemberExpr::IfSent(path.clone(), sent, Box::new(MemberExpr::Before(path))),
                };
                (Slot { name: (*name).into(), source: None }, rule)
            };
            let (accepted, slots) = (names.iter().map(member).collect(), names.iter().map(slot).collect());
            Part { slots, accepted, ..Part::new(effect, 0, 0) }
        };
        let target = Target { entity_type: 0, place: TargetPlace::Collection };
        let create = WritePlan::new(0, target.clone(), vec![part(Effect::Create, names)]);
        let update = WritePlan::new(1, target, vec![part(Effect::Update, &names[..names.len() - 1])]);
        BTreeMap::from([(0, create), (1, update)])
    }

    #[rstest]
    #[case::enough_is_stored(&["name", "size", "note", "colour"], None, true)]
    #[case::too_little_to_tell(&["name", "size", "colour"], None, false)]
    #[case::one_is_not_taken(&["name", "size", "note", "colour"], Some("size"), false)]
    fn an_update_takes_the_options_of_creates(
        #[case] names: &[&str],
        #[case] untaken: Option<&str>,
        #[case] taken: bool,
    ) {
        let mut plans = optioned(names, untaken);
        take_options(&mut plans);
        let part = &plans[&1].parts[0];
        assert_eq!(part.accepted.iter().any(|member| member.name.as_ref() == "colour"), taken);
        assert_eq!(part.slots.iter().any(|(slot, rule)| slot.name.as_ref() == "colour" && is_partial(rule)), taken);
    }

    #[test]
    fn an_update_stores_the_types_that_creates_store() {
        let create = plan(0, Effect::Create, *stored(), &["null", "string"]);
        let update = plan(1, Effect::Update, if_sent(stored()), &["string"]);
        let mut plans = BTreeMap::from([create, update]);
        accept_alike(&mut plans);
        let part = &plans[&1].parts[0];
        assert_eq!(part.accepted[0].types, ["string", "null"]);
        assert_eq!(part.slots[0].1, if_sent(stored()));
    }
}
