//! How updates store what creates of the same type store otherwise than it is sent (a text without the space at its ends):
//! alike, where no recorded update sent what would tell. An entity is stored by the same code whichever write changes it.
//! Knows plans and what was sent, nothing of reads and replay.

use super::coverage::Effect;
use super::member_cast::Cast;
use super::member_rule::{IfNull, MemberExpr};
use super::path::MemberPath;
use super::slot::Slot;
use super::text_rule::Piece;
use super::write_plan::{Part, WritePlan};
use super::write_sample::{Fate, Sample};
use crate::json::Value;
use std::collections::BTreeMap;

/// Gives updates the casts of creates, and makes what they make of such a member of what is stored.
pub(super) fn cast_alike(plans: &mut BTreeMap<usize, WritePlan>, samples: &BTreeMap<usize, Vec<Sample<'_>>>) {
    let casts = casts_of_creates(plans);
    for (tool, plan) in plans.iter_mut() {
        let of_kind: Vec<&(usize, MemberPath, MemberExpr)> =
            casts.iter().filter(|(kind, ..)| *kind == plan.target.entity_type).collect();
        let of_tool = samples.get(tool).map(Vec::as_slice).unwrap_or_default();
        let sent = |path: &MemberPath| {
            let changed = of_tool.iter().filter(|sample| sample.fate == Fate::Changed);
            changed.filter_map(|sample| path.direct(&sample.sent)).collect::<Vec<_>>()
        };
        for part in plan.parts.iter_mut().filter(|part| part.effect == Effect::Update) {
            for (_, path, stored) in &of_kind {
                let values = sent(path);
                // A value that comes out otherwise was stored as it was sent: that tells. A null is none of it.
                let same = |value: &Value| cast(stored, value).is_some_and(|cast| cast.same_as(value));
                let untold = values.iter().all(|value| value.is_null() || same(value));
                let nulls = values.iter().any(|value| value.is_null()) && !matches!(stored, MemberExpr::UnlessNull(..));
                let stored = if nulls {
                    MemberExpr::UnlessNull(path.clone(), IfNull::Null, Box::new(stored.clone()))
                } else {
                    stored.clone()
                };
                if untold && store_as(part, path, stored) {
                    part.slots.iter_mut().for_each(|(_, rule)| of_stored(rule, path));
                }
            }
        }
    }
}

/// What creates store otherwise than it is sent: type, member and rule, where all creates agree.
fn casts_of_creates(plans: &BTreeMap<usize, WritePlan>) -> Vec<(usize, MemberPath, MemberExpr)> {
    let mut found: Vec<(usize, MemberPath, Option<MemberExpr>)> = Vec::new();
    for plan in plans.values() {
        for part in plan.parts.iter().filter(|part| part.effect == Effect::Create) {
            for (slot, rule) in part.slots.iter().filter(|(slot, _)| slot.source.is_none()) {
                let (path, kind) = (MemberPath::member(&slot.name), plan.target.entity_type);
                let then = match rule {
                    MemberExpr::IfSent(sent, then, _) if *sent == path => then.as_ref(),
                    rule => rule,
                };
                let rule = is_cast(then, &path).then(|| then.clone());
                match found.iter_mut().find(|(held, of, _)| *held == kind && *of == path) {
                    Some((_, _, held)) if *held == rule => {}
                    Some((_, _, held)) => *held = None,
                    None => found.push((kind, path, rule)),
                }
            }
        }
    }
    found.into_iter().filter_map(|(kind, path, rule)| Some((kind, path, rule?))).collect()
}

/// Whether a rule stores the sent member otherwise than it is sent, or null.
fn is_cast(rule: &MemberExpr, path: &MemberPath) -> bool {
    match rule {
        MemberExpr::Sent(sent, cast) => sent == path && *cast != Cast::Same,
        MemberExpr::UnlessNull(sent, IfNull::Null, rest) => sent == path && is_cast(rest, path),
        _ => false,
    }
}

/// What such a rule makes of a value.
fn cast(rule: &MemberExpr, value: &Value) -> Option<Value> {
    match rule {
        MemberExpr::Sent(_, cast) => cast.apply(value),
        MemberExpr::UnlessNull(_, _, _) if value.is_null() => Some(Value::Null),
        MemberExpr::UnlessNull(_, _, rest) => cast(rest, value),
        _ => None,
    }
}

/// Stores a member by a rule where the part stores it as it is sent.
fn store_as(part: &mut Part, path: &MemberPath, stored: MemberExpr) -> bool {
    let of_member = |slot: &Slot| slot.source.is_none() && path.last_name() == Some(&slot.name);
    let plain = |rule: &MemberExpr| *rule == MemberExpr::Sent(path.clone(), Cast::Same);
    let rule = part.slots.iter_mut().find(|(slot, _)| of_member(slot)).map(|(_, rule)| rule);
    let place = match rule {
        Some(MemberExpr::IfSent(sent, then, _)) if sent == path && plain(then) => then.as_mut(),
        Some(rule) if plain(rule) => rule,
        _ => return false,
    };
    *place = stored;
    true
}

/// Makes a text that is made of a sent member alone of the stored one.
fn of_stored(rule: &mut MemberExpr, path: &MemberPath) {
    match rule {
        MemberExpr::IfSent(_, then, _) | MemberExpr::UnlessNull(_, _, then) => of_stored(then, path),
        MemberExpr::SentText(pieces) if pieces.iter().filter_map(Piece::path).all(|of| of == path) => {
            *rule = MemberExpr::Text(std::mem::take(pieces));
        }
        _ => {}
    }
}
