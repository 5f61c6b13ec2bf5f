//! The answer of a write: its body by the plan's rule, and which members of it were made by the call.

use super::coverage::Effect;
use super::evaluate::has_token;
use super::line::scalar_text;
use super::member_rule::{Given, MemberExpr, Miss};
use super::path::MemberPath;
use super::write_apply::{Maker, Write, left};
use super::write_plan::{Example, Part};
use super::write_refuse::WriteRefusal;
use crate::json::{Object, Value, resolve};

/// A body, with the places and kinds of what was made, and the places of what nothing gives.
pub(super) type Answered = (Option<Value>, Vec<(String, &'static str)>, Vec<String>);

pub(super) fn answer(
    part: &Part,
    write: &Write<'_>,
    sent: &Value,
    before: Option<&Value>,
    after: &Value,
    maker: &mut dyn Maker,
) -> Result<Answered, WriteRefusal> {
    let Some(rule) = &part.answer else { return Ok((None, Vec::new(), Vec::new())) };
    let before = if part.effect == Effect::Create { None } else { before };
    let given = Given { sent, params: write.parameters, before, after, item: None, beside: None };
    let slots = maker.made_places().len();
    maker.answering();
    let mut recorded = Vec::new();
    let mut filling =
        Filling { part, maker: &mut *maker, example: part.example.as_deref(), recorded: &mut recorded, not_held: None };
    let filled = filling.value(rule, &given, "");
    if let Some(place) = filling.not_held {
        return Err(WriteRefusal::answer_member(part, &place));
    }
    let body = filled.map_err(|miss| refused(part, miss))?;
    // Where nothing of the answer is known, or nothing stands for what is not, there is no answer.
    let unfilled = recorded.iter().find(|place| part.example.is_none() || place.is_empty());
    let body = match (body, unfilled) {
        (Some(body), None) => body,
        (_, place) => return Err(WriteRefusal::answer_member(part, place.map_or("", String::as_str))),
    };
    let of_slots: Vec<(String, &'static str)> = maker.made_places()[..slots].to_vec();
    let mut generated: Vec<(String, &'static str)> = maker.made_places()[slots..].to_vec();
    shown_places(rule, &of_slots, "", &mut generated);
    Ok((Some(body), generated, recorded))
}

/// Places of an answer that show slots of the entity which the state does not know exactly.
pub(super) fn places_of(part: &Part, slots: &[(String, &'static str)]) -> Vec<String> {
    let mut places = Vec::new();
    if let Some(rule) = part.answer.as_ref().filter(|_| !slots.is_empty()) {
        shown_places(rule, slots, "", &mut places);
    }
    places.into_iter().map(|(place, _)| place).collect()
}

fn refused(part: &Part, miss: Miss) -> WriteRefusal {
    match left(part, Err(miss)) {
        Err(refusal) => refusal,
        Ok(_) => WriteRefusal::answer(part),
    }
}

/// An answer that is only known in part, while it is made. What no recorded call explains is as it was recorded; what the
/// plan takes of an entity that does not hold it is refused ("a rendered answer missing a field the recorded response
/// carried").
struct Filling<'f> {
    part: &'f Part,
    maker: &'f mut dyn Maker,
    example: Option<&'f Example>,
    recorded: &'f mut Vec<String>,
    /// The first place of what the entity does not hold.
    not_held: Option<String>,
}

impl Filling<'_> {
    /// What a rule gives at a place, member by member; what nothing gives is as it was recorded, and noted. Each rule that has
    /// no members is asked once: what it makes is made once.
    fn value(&mut self, rule: &MemberExpr, given: &Given<'_>, at: &str) -> Result<Option<Value>, Miss> {
        match rule {
            MemberExpr::Object(members) => {
                let mut object = Object::new();
                for (name, member) in members {
                    let so_far = member.reads_beside().then(|| Value::Object(object.clone()));
                    let given = Given { beside: so_far.as_ref(), ..*given };
                    if let Some(value) = self.value(member, &given, &format!("{at}/{name}"))? {
                        object.push(name.as_ref(), value);
                    }
                }
                return Ok(Some(object.into()));
            }
            MemberExpr::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    list.extend(self.value(item, given, &format!("{at}/{index}"))?);
                }
                return Ok(Some(list.into()));
            }
            MemberExpr::IfSent(path, then, otherwise) => {
                let sent = path.direct(given.sent).is_some();
                return self.value(if sent { then } else { otherwise }, given, at);
            }
            _ => {}
        }
        match rule.value(given, self.maker, at) {
            Err(Miss::Unknown) => {}
            found => return found,
        }
        match rule {
            _ if !self.unexplained(rule) => {
                self.not_held.get_or_insert_with(|| at.to_owned());
                Err(Miss::Unknown)
            }
            _ => {
                self.recorded.push(at.to_owned());
                let Some(example) = self.example else { return Ok(None) };
                let held = resolve(&example.body, at);
                Ok(held.filter(|held| !names(held, &example.id)).cloned())
            }
        }
    }

    /// Whether there are calls of which the plan does not know what the rule would give.
    fn unexplained(&self, rule: &MemberExpr) -> bool {
        let slot_of = |path: &MemberPath| {
            let name = path.names().next();
            self.part.slots.iter().find(|(slot, _)| name == Some(slot.key().as_str()))
        };
        match rule {
            MemberExpr::After(path) | MemberExpr::FirstOf(path) => {
                slot_of(path).is_some_and(|(_, rule)| rule.leaves_gap())
            }
            rule => rule.leaves_gap(),
        }
    }
}

/// Whether a text in a value is an identity, or holds it as a token.
fn names(value: &Value, id: &str) -> bool {
    match value.plain() {
        Value::Object(object) => object.iter().any(|(_, inner)| names(inner, id)),
        Value::Array(items) => items.iter().any(|item| names(item, id)),
        _ => scalar_text(value).is_some_and(|text| has_token(&text, id)),
    }
}

/// Whether two bodies are the same but for some places.
pub(super) fn same_but(one: &Value, other: &Value, at: &str, places: &[String]) -> bool {
    if places.is_empty() {
        return one.same_as(other);
    }
    if places.iter().any(|place| place == at) {
        return true;
    }
    if !places.iter().any(|place| place.starts_with(&format!("{at}/"))) {
        return one.same_as(other);
    }
    match (one.plain(), other.plain()) {
        (Value::Object(held), Value::Object(also)) => {
            let names = held.iter().chain(also.iter()).filter_map(|(name, _)| name.as_str());
            names.into_iter().all(|name| {
                let at = format!("{at}/{name}");
                match (held.get(name), also.get(name)) {
                    (Some(one), Some(other)) => same_but(one, other, &at, places),
                    _ => places.contains(&at),
                }
            })
        }
        (Value::Array(held), Value::Array(also)) => {
            held.len() == also.len()
                && held
                    .iter()
                    .zip(also)
                    .enumerate()
                    .all(|(index, (one, other))| same_but(one, other, &format!("{at}/{index}"), places))
        }
        _ => one.same_as(other),
    }
}

/// Where the answer shows slots that the write made.
fn shown_places(rule: &MemberExpr, made: &[(String, &'static str)], at: &str, into: &mut Vec<(String, &'static str)>) {
    match rule {
        MemberExpr::After(path) | MemberExpr::AfterIfAny(path) => {
            let slot = path.place();
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
        MemberExpr::IfSent(_, then, otherwise) | MemberExpr::IfHeld(then, otherwise) => {
            shown_places(then, made, at, into);
            shown_places(otherwise, made, at, into);
        }
        _ => {}
    }
}
