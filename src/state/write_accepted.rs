//! What the members of a write's body may be: what the recorded calls sent, as far as the rules read it. Refusals and
//! descriptions name them. Knows rules and what was sent, nothing of reads and replay.

use super::coverage::Effect;
use super::member_cast::Cast;
use super::member_rule::{IfNull, MemberExpr};
use super::path::MemberPath;
use super::slot::Slot;
use super::write_alike::is_empty;
use super::write_plan::{AcceptedMember, Part, WritePlan};
use super::write_sample::Sample;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// Members that a write has to store as they are sent before it is taken to store what no recorded call of it sent.
const MIN_STORED: usize = 2;

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

/// What a write of a type stores as it is sent, the others that create or update its entities take, too, where none of
/// their recorded calls sent it: an application reads the members of one type in one place. What creates leave there by
/// themselves, and what updates keep, stays so where it is not sent. `whole` are the tools that are about entities as a whole,
/// and `own` says which names tell entities apart.
pub(super) fn borrow_alike(
    plans: &mut BTreeMap<usize, WritePlan>,
    whole: &BTreeSet<usize>,
    own: &dyn Fn(usize, &str) -> bool,
) {
    let mut stored: BTreeMap<usize, BTreeMap<Box<str>, Vec<&'static str>>> = BTreeMap::new();
    for plan in plans.values().filter(|plan| whole.contains(&plan.tool)) {
        let of_kind = stored.entry(plan.target.entity_type).or_default();
        for member in plan.parts.iter().flat_map(kept_in) {
            let types = of_kind.entry(member.name.clone()).or_default();
            types.extend(member.types.iter().filter(|word| !types.contains(word)).copied().collect::<Vec<_>>());
        }
    }
    for plan in plans.values_mut().filter(|plan| whole.contains(&plan.tool)) {
        let kind = plan.target.entity_type;
        let Some(of_kind) = stored.get(&kind) else { continue };
        for part in &mut plan.parts {
            let own_stored =
                |name: &str| part.slots.iter().any(|(slot, rule)| *slot.name == *name && stores_own(slot, rule));
            // What was sent and not stored says that this write chooses.
            let mut sent = part.accepted.iter().filter(|member| of_kind.contains_key(&member.name));
            let known = part.accepted.iter().filter(|member| own_stored(&member.name)).count();
            if known < MIN_STORED || !sent.all(|member| own_stored(&member.name)) {
                continue;
            }
            for (name, types) in of_kind.iter().filter(|(name, _)| !own(kind, name)) {
                if !part.accepted.iter().any(|member| member.name == *name) && borrow(part, name) {
                    part.accepted.push(AcceptedMember {
                        name: name.clone(),
                        types: types.clone(),
                        required: false,
                        only: Vec::new(),
                    });
                }
            }
        }
    }
}

/// Whether a member is made of what was sent under its own name.
fn stores_own(slot: &Slot, rule: &MemberExpr) -> bool {
    let mut own = false;
    rule.sent_paths(&mut |path| own |= path.names().next() == Some(&*slot.name));
    own
}

/// Whether a value says that nothing was given. A flag says something.
fn says_nothing(value: &Value) -> bool {
    match value.plain() {
        Value::Bool(_) => false,
        Value::String(text) => text.as_bytes().is_empty(),
        _ => is_empty(value),
    }
}

/// Lets a part store a member where it is sent. `false` where what it leaves there is no constant of creates, or not what
/// was held.
fn borrow(part: &mut Part, name: &str) -> bool {
    let path = MemberPath::member(name);
    let mut slots = part.slots.iter_mut().filter(|(slot, _)| *slot.name == *name);
    let rule = match (slots.next(), slots.next(), part.effect) {
        (Some((slot, rule)), None, effect) if slot.source.is_none() => match (rule, effect) {
            (rule @ (MemberExpr::Fixed(_) | MemberExpr::Absent | MemberExpr::Unknown), Effect::Create) => rule,
            (rule @ MemberExpr::Before(_), Effect::Update) => rule,
            _ => return false,
        },
        (None, _, Effect::Update) => {
            let slot = Slot { name: name.into(), source: None };
            part.slots.push((slot, MemberExpr::Before(path.clone())));
            match part.slots.last_mut() {
                Some((_, rule)) => rule,
                None => return false,
            }
        }
        _ => return false,
    };
    let left = std::mem::replace(rule, MemberExpr::Absent);
    // A word or a flag that every create leaves may be the application's own, whatever is sent.
    let own = matches!(&left, MemberExpr::Fixed(value) if !says_nothing(value));
    let stored = if own { MemberExpr::Unknown } else { MemberExpr::Sent(path.clone(), Cast::Same) };
    *rule = MemberExpr::IfSent(path, Box::new(stored), Box::new(left));
    true
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
    #[case::all_is_stored(&["name", "size", "note", "colour"], None, true)]
    #[case::one_is_not_taken(&["name", "size", "note", "colour"], Some("size"), false)]
    fn an_update_takes_the_options_of_creates(
        #[case] names: &[&str],
        #[case] untaken: Option<&str>,
        #[case] taken: bool,
    ) {
        let mut plans = optioned(names, untaken);
        borrow_alike(&mut plans, &BTreeSet::from([0, 1]), &|_, name| name == "name");
        let part = &plans[&1].parts[0];
        assert_eq!(part.accepted.iter().any(|member| member.name.as_ref() == "colour"), taken);
        let path = MemberPath::member("colour");
        let stored = part.slots.iter().any(|(slot, rule)| slot.name.as_ref() == "colour" && keeps(rule, &path));
        assert_eq!(stored, taken);
    }

    #[rstest]
    #[case::nothing(Value::Null, true)]
    #[case::no_text("".into(), true)]
    #[case::a_word("open".into(), false)]
    #[case::a_flag(false.into(), false)]
    fn a_word_that_creates_leave_may_be_their_own(#[case] left: Value, #[case] stored: bool) {
        let mut plans = optioned(&["name", "size", "note"], None);
        let slot = |name: &str| Slot { name: name.into(), source: None };
        let path = MemberPath::member("state");
        let kept = MemberExpr::Before(path.clone());
        let sent = MemberExpr::Sent(path.clone(), Cast::Same);
        let rule = MemberExpr::IfSent(path.clone(), Box::new(sent), Box::new(kept));
        let update = &mut plans.get_mut(&1).unwrap().parts[0];
        update.slots.push((slot("state"), rule));
        let types = vec!["string"];
        update.accepted.push(AcceptedMember { name: "state".into(), types, required: false, only: Vec::new() });
        plans.get_mut(&0).unwrap().parts[0].slots.push((slot("state"), MemberExpr::Fixed(left.clone())));
        borrow_alike(&mut plans, &BTreeSet::from([0, 1]), &|_, _| false);
        let then = if stored { MemberExpr::Sent(path.clone(), Cast::Same) } else { MemberExpr::Unknown };
        let expected = MemberExpr::IfSent(path, Box::new(then), Box::new(MemberExpr::Fixed(left)));
        assert_eq!(plans[&0].parts[0].slots.last().unwrap().1, expected);
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
