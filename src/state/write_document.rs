//! Write plans as documents: what each write tool does, by which rules, and why others are withheld. For people and
//! programs that judge a state; the engine never reads it.

use super::derived::Derived;
use super::member_cast::Cast;
use super::member_fit_sorted::SortBy;
use super::member_rule::{IfNull, MemberExpr, Taken};
use super::path::MemberPath;
use super::plan_document::piece;
use super::slot::Slot;
use super::state_document::representation_name;
use super::text_rule::Piece;
use super::write_plan::{Part, TargetPlace, WritePlan, WriteState};
use crate::json::{Object, Value};
use crate::manifest::Manifest;

/// The plans of all write tools of which something is known, in manifest order.
pub fn write_plans(derived: &Derived, manifest: &Manifest) -> Value {
    let states = derived.writes.iter().zip(&manifest.tools);
    states
        .filter_map(|(state, tool)| {
            let document = Object::new().with("tool", tool.name.as_str());
            match state.as_ref()? {
                WriteState::Served(plan) => Some(Value::from(served(document, plan, derived, manifest))),
                WriteState::Withheld { effect, reason, pointer, exemplar_ordinal, contradicted_by } => Some(
                    document
                        .with("effect", effect.word())
                        .with("served", false)
                        .with("reason", reason.word())
                        .with("hint", reason.hint())
                        .with("pointer", pointer.as_deref())
                        .with("exemplar_ordinal", *exemplar_ordinal)
                        .with("contradicted_by", *contradicted_by)
                        .into(),
                ),
            }
        })
        .collect()
}

fn served(document: Object, plan: &WritePlan, derived: &Derived, manifest: &Manifest) -> Object {
    let kind = derived.types.get(plan.target.entity_type);
    let place = match &plan.target.place {
        TargetPlace::Collection => "a collection",
        TargetPlace::Entity(_) => "an entity",
        TargetPlace::Document(_) => "a document",
        TargetPlace::Tree => "a path of the tree",
    };
    document
        .with("effect", plan.effect().word())
        .with("served", true)
        .with("type", kind.map(|kind| kind.collection_template.as_str()))
        .with("addresses", place)
        .with("envelope", plan.envelope.member.as_deref())
        .with(
            "parts",
            plan.parts.iter().map(|part| Value::from(part_document(part, derived, manifest))).collect::<Value>(),
        )
}

fn part_document(part: &Part, derived: &Derived, manifest: &Manifest) -> Object {
    let accepted = part.accepted.iter().map(|member| {
        let types = member.types.iter().map(|word| Value::from(*word)).collect::<Value>();
        let mut document =
            Object::new().with("member", member.name.as_ref()).with("types", types).with("required", member.required);
        if let [only] = member.only.as_slice() {
            document.push("fixed", only.clone());
        }
        Value::from(document)
    });
    let members = part.slots.iter().map(|(slot, rule)| Value::from(member(slot, rule, derived, manifest)));
    let mut document = Object::new()
        .with("effect", part.effect.word())
        .with("exemplar_ordinal", part.ordinal)
        .with("accepted", accepted.collect::<Value>())
        .with("members", members.collect::<Value>());
    if let Some(identity) = &part.identity {
        document.push("identity", rule_document(identity));
    }
    document
        .with("answer", part.answer.as_ref().map(rule_document))
        .with("confirmed_by", part.confirmed_by.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>())
}

fn member(slot: &Slot, rule: &MemberExpr, derived: &Derived, manifest: &Manifest) -> Object {
    let document = Object::new().with("member", slot.name.as_ref());
    let document = match slot.source.and_then(|way| representation_name(derived, manifest, way)) {
        Some(way) => document.with("in", way),
        None => document,
    };
    document.with("is", rule_document(rule))
}

fn cast(document: Object, cast: Cast) -> Object {
    let words = match cast {
        Cast::Same => return document,
        Cast::ToNumber => "a number",
        Cast::ToText => "a text",
        Cast::ToBool => "a boolean",
        Cast::Split => "the list of its parts",
        Cast::Numbers => "a list of numbers",
        Cast::Single => "a list of one",
        Cast::Trim => "trimmed",
        Cast::Loose => "a number, however it is spelled",
        Cast::Flag => "1 or 0",
        Cast::Places(places) => return document.with("decimals", places),
    };
    document.with("stored_as", words)
}

fn spelled(path: &MemberPath) -> String {
    path.spelling().replace('\u{0}', "@")
}

/// A rule as a document.
fn rule_document(rule: &MemberExpr) -> Value {
    let one = |name: &str, value: Value| Value::from(Object::new().with(name, value));
    match rule {
        MemberExpr::Absent => Value::from("absent"),
        MemberExpr::Unknown => Value::from("unexplained"),
        MemberExpr::Fixed(value) => one("fixed", value.clone()),
        MemberExpr::Sent(path, how) => cast(Object::new().with("sent", spelled(path)), *how).into(),
        MemberExpr::Item(path, how) => cast(Object::new().with("item", spelled(path)), *how).into(),
        MemberExpr::Beside(path) => one("beside", spelled(path).into()),
        MemberExpr::Param(index, how) => cast(Object::new().with("path", *index), *how).into(),
        MemberExpr::Before(path) => one("kept", spelled(path).into()),
        MemberExpr::After(path) | MemberExpr::AfterIfAny(path) => one("copy_of", spelled(path).into()),
        MemberExpr::HereAfter => Value::from("as_held_after"),
        MemberExpr::HereBefore(0) => Value::from("as_held_before"),
        MemberExpr::HereBefore(more) => one("increment_by", Value::from(*more)),
        MemberExpr::FirstOf(path) => one("first_of", spelled(path).into()),
        MemberExpr::Parts(path, names) => {
            let names: Value = names.iter().map(|name| Value::from(name.as_ref())).collect();
            Object::new().with("items_of", spelled(path)).with("members", names).into()
        }
        MemberExpr::Gathered(empty) => one("gathered_from", empty.clone()),
        MemberExpr::Clock(_) => Value::from("clock"),
        MemberExpr::Made(generator, renewed) => one("generated", generator.word(*renewed).into()),
        MemberExpr::Plus(path, more) => Object::new().with("increment", spelled(path)).with("by", *more).into(),
        MemberExpr::Text(pieces) => one("text", pieces.iter().map(piece).collect()),
        MemberExpr::SentText(pieces) => one("text_of_sent", pieces.iter().map(piece).collect()),
        MemberExpr::Join(parts) => {
            let part = |(source, taken): &(MemberExpr, Piece)| -> Value {
                Object::new().with("of", rule_document(source)).with("taken", piece(taken)).into()
            };
            one("joined_text", parts.iter().map(part).collect())
        }
        MemberExpr::Lookup(lookup) => {
            Object::new().with("lookup", spelled(&lookup.member)).with("via", rule_document(&lookup.via)).into()
        }
        MemberExpr::Object(members) => {
            let members: Object =
                members.iter().map(|(name, member)| (name.as_ref().into(), rule_document(member))).collect();
            one("object", members.into())
        }
        MemberExpr::Array(items) => one("list", items.iter().map(rule_document).collect()),
        MemberExpr::Each(path, item) => {
            Object::new().with("each_of", spelled(path)).with("item", rule_document(item)).into()
        }
        MemberExpr::Switch(path, rules) => {
            let rules = rules.iter().map(|(value, rule)| -> Value {
                Object::new().with("value", value.clone()).with("is", rule_document(rule)).into()
            });
            Object::new().with("by", spelled(path)).with("rules", rules.collect::<Value>()).into()
        }
        MemberExpr::Turn(turn) => {
            let ways = turn.ways.iter().map(|(from, to, rule)| -> Value {
                Object::new().with("from", from.clone()).with("to", to.clone()).with("is", rule_document(rule)).into()
            });
            let ways = ways.collect::<Value>();
            Object::new()
                .with("turn_of", spelled(&turn.member))
                .with("ways", ways)
                .with("same", rule_document(&turn.same))
                .into()
        }
        MemberExpr::Put(put) => Object::new()
            .with("put_into", spelled(&put.list))
            .with("by", put.key.as_ref())
            .with("sorted", put.sorted)
            .with("item", rule_document(&put.item))
            .into(),
        MemberExpr::Unique(inner, Taken::Numbered) => one("made_unique", rule_document(inner)),
        MemberExpr::Unique(inner, Taken::Unknown) => one("unless_taken", rule_document(inner)),
        MemberExpr::Sorted(sorted) => {
            let by = match &sorted.by {
                SortBy::Item(path) | SortBy::Named(_, path) => spelled(path),
            };
            Object::new().with("sorted_by", by).with("list", rule_document(&sorted.list)).into()
        }
        MemberExpr::Else(rule, otherwise) => {
            Object::new().with("known", rule_document(rule)).with("else", otherwise.clone()).into()
        }
        MemberExpr::UnlessNull(path, null, inner) => {
            let name = if *null == IfNull::Null { "null_with" } else { "absent_with_null" };
            Object::new().with(name, spelled(path)).with("else", rule_document(inner)).into()
        }
        MemberExpr::Table(path, pairs) => {
            let pair = |(from, to): &(Value, Value)| -> Value {
                Object::new().with("sent", from.clone()).with("is", to.clone()).into()
            };
            Object::new()
                .with("recorded_for", spelled(path))
                .with("values", pairs.iter().map(pair).collect::<Value>())
                .into()
        }
        MemberExpr::Not(path) => one("turned_over", spelled(path).into()),
        MemberExpr::Measure(path, measure) => {
            Object::new().with("measure_of", spelled(path)).with("in", measure.word()).into()
        }
        MemberExpr::Excerpt(excerpt) => Object::new()
            .with("beginning_of", spelled(&excerpt.of))
            .with("letters", excerpt.letters)
            .with("then", excerpt.tail.as_ref())
            .into(),
        MemberExpr::Merge(merge) => Object::new()
            .with("merged_into", spelled(&merge.held))
            .with("sent", spelled(&merge.sent))
            .with("deep", merge.agreed(|way| way.deep))
            .with("null_removes", merge.agreed(|way| way.drops))
            .into(),
        MemberExpr::Due(_, path, unit) => {
            Object::new().with("clock_ahead_by", spelled(path)).with("seconds", *unit).into()
        }
        MemberExpr::IfSent(path, then, otherwise) => Object::new()
            .with("if_sent", spelled(path))
            .with("then", rule_document(then))
            .with("else", rule_document(otherwise))
            .into(),
        MemberExpr::IfHeld(then, otherwise) => {
            Object::new().with("if_held", rule_document(then)).with("else", rule_document(otherwise)).into()
        }
    }
}
