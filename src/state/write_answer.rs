//! The answer of a write: its body by the plan's rule, and which members of it were made by the call.

use super::coverage::Effect;
use super::member_rule::{Given, MemberExpr};
use super::slot::Left;
use super::write_apply::{Maker, Write, left};
use super::write_plan::Part;
use super::write_refuse::WriteRefusal;
use crate::json::Value;

/// A body, with the places and kinds of what was made.
pub(super) type Answered = (Option<Value>, Vec<(String, &'static str)>);

pub(super) fn answer(
    part: &Part,
    write: &Write<'_>,
    sent: &Value,
    before: Option<&Value>,
    after: &Value,
    maker: &mut dyn Maker,
) -> Result<Answered, WriteRefusal> {
    let Some(rule) = &part.answer else { return Ok((None, Vec::new())) };
    let before = if part.effect == Effect::Create { None } else { before };
    let given = Given { sent, params: write.parameters, before, after, item: None };
    let slots = maker.made_places().len();
    maker.answering();
    let body = match left(part, rule.value(&given, maker, ""))? {
        Left::Value(body) => body,
        Left::Absent | Left::Unknown => {
            return Err(WriteRefusal::answer_member(part, &missing_place(rule, &given, maker, "")));
        }
    };
    let of_slots: Vec<(String, &'static str)> = maker.made_places()[..slots].to_vec();
    let mut generated: Vec<(String, &'static str)> = maker.made_places()[slots..].to_vec();
    shown_places(rule, &of_slots, "", &mut generated);
    Ok((Some(body), generated))
}

/// The first place of the answer that nothing gives, as a pointer.
fn missing_place(rule: &MemberExpr, given: &Given<'_>, maker: &mut dyn Maker, at: &str) -> String {
    let mut missed = |rule: &MemberExpr, place: String| {
        let missing = rule.value(given, maker, &place).is_err();
        missing.then(|| missing_place(rule, given, maker, &place))
    };
    let inner = match rule {
        MemberExpr::Object(members) => members.iter().find_map(|(name, member)| missed(member, format!("{at}/{name}"))),
        MemberExpr::Array(items) => {
            items.iter().enumerate().find_map(|(index, item)| missed(item, format!("{at}/{index}")))
        }
        _ => None,
    };
    inner.unwrap_or_else(|| at.to_owned())
}

/// Where the answer shows slots that the write made.
fn shown_places(rule: &MemberExpr, made: &[(String, &'static str)], at: &str, into: &mut Vec<(String, &'static str)>) {
    match rule {
        MemberExpr::After(path) => {
            let slot: String = path.names().map(|name| format!("/{name}")).collect();
            for (place, kind) in made {
                if let Some(rest) = place.strip_prefix(slot.as_str())
                    && (rest.is_empty() || rest.starts_with('/'))
                {
                    into.push((format!("{at}{rest}"), kind));
                }
            }
        }
        MemberExpr::Object(members) => {
            members.iter().for_each(|(name, member)| shown_places(member, made, &format!("{at}/{name}"), into));
        }
        MemberExpr::Array(items) => {
            items.iter().enumerate().for_each(|(index, item)| shown_places(item, made, &format!("{at}/{index}"), into));
        }
        MemberExpr::Else(rule, _) => shown_places(rule, made, at, into),
        MemberExpr::IfSent(_, then, otherwise) => {
            shown_places(then, made, at, into);
            shown_places(otherwise, made, at, into);
        }
        _ => {}
    }
}
