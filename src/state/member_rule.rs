//! Member rules: what a member is after a write, or what an answer says, from what was sent, what the entity held and
//! what the state holds. One rule is fitted to recordings (`member_fit.rs`) and evaluated here, for replay and for
//! served calls alike.

use super::clock_format::ClockFormat;
use super::generate::Generator;
use super::line::scalar_text;
use super::member_cast::Cast;
use super::member_fit_measure::{Excerpt, Measure};
use super::member_fit_merge::Merge;
use super::member_fit_sorted::Sorted;
use super::member_fit_turn::Turn;
use super::path::MemberPath;
use super::render_entity::parts_of;
use super::text_rule::{Piece, make_text};
use crate::json::{Number, Object, Value, resolve};

/// What a member is where null was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfNull {
    /// Null, too.
    Null,
    /// Not there.
    Absent,
}

/// What becomes of a text that another entity has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Taken {
    /// `-2`, `-3`… behind it.
    Numbered,
    /// No recorded call shows it.
    Unknown,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberExpr {
    /// Not there.
    Absent,
    /// Nothing that the capture proves.
    Unknown,
    /// One constant.
    Fixed(Value),
    /// A sent member.
    Sent(MemberPath, Cast),
    /// A path parameter.
    Param(usize, Cast),
    /// What the entity held there before.
    Before(MemberPath),
    /// What the entity holds there after the write.
    After(MemberPath),
    /// The same; left out where it holds none.
    AfterIfAny(MemberPath),
    /// What the entity holds after the write at the same place, through lists, too.
    HereAfter,
    /// What it held before at the same place; for a number with this added.
    HereBefore(i64),
    /// The first item of a list that it holds after the write; null where the list is empty.
    FirstOf(MemberPath),
    /// A list that it holds after the write, the items with these of their members.
    Parts(MemberPath, Vec<Box<str>>),
    /// The write's time.
    Clock(ClockFormat),
    /// Made by the write; `true` when every write makes it anew.
    Made(Generator, bool),
    /// The held number and this.
    Plus(MemberPath, i64),
    /// A text of members of the entity after the write.
    Text(Vec<Piece>),
    /// A text of sent members.
    SentText(Vec<Piece>),
    /// A text of pieces of several sources: of each the rule that gives its value, and the piece that is taken of that.
    Join(Vec<(MemberExpr, Piece)>),
    /// A member of another entity, which a value names.
    Lookup(Box<Lookup>),
    /// An object of such members.
    Object(Vec<(Box<str>, MemberExpr)>),
    /// A list of as many.
    Array(Vec<MemberExpr>),
    /// A list with one for each item of a sent list: within, [`MemberExpr::Item`] is the item.
    Each(MemberPath, Box<MemberExpr>),
    /// The item of a list that is walked.
    Item(MemberPath, Cast),
    /// A member beside it, in the object that is being made.
    Beside(MemberPath),
    /// The list that was held, with an item put into it: in the place of the one with the same key, else at the end.
    Put(Box<Put>),
    /// A rule for each recorded value of a member of the entity after the write.
    Switch(MemberPath, Vec<(Value, MemberExpr)>),
    /// A text that no other entity of the type has at the place.
    Unique(Box<MemberExpr>, Taken),
    /// Null, or no member, where null was sent, else the rule.
    UnlessNull(MemberPath, IfNull, Box<MemberExpr>),
    /// A list in another order than it was sent.
    Sorted(Box<Sorted>),
    /// What the rule gives; where the state does not know that, what every recording showed.
    Else(Box<MemberExpr>, Value),
    /// What was recorded for a sent value: pairs of both.
    Table(MemberPath, Vec<(Value, Value)>),
    /// The first where a member was sent, else the second.
    IfSent(MemberPath, Box<MemberExpr>, Box<MemberExpr>),
    /// The first where something was held at the same place before the write, else the second.
    IfHeld(Box<MemberExpr>, Box<MemberExpr>),
    /// What another member's turning makes.
    Turn(Box<Turn>),
    /// A held flag turned over.
    Not(MemberPath),
    /// What is measured of another member of the entity after the write.
    Measure(MemberPath, Measure),
    /// The beginning of another member's text after the write.
    Excerpt(Box<Excerpt>),
    /// A held object with the sent members in it.
    Merge(Box<Merge>),
    /// What effects make of what the write makes beside its target; this, before they do.
    Gathered(Value),
    /// The write's time, and as many times so many seconds as a sent number says.
    Due(ClockFormat, MemberPath, i64),
}

/// An item that is put into a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Put {
    /// Where the list is held.
    pub list: MemberPath,
    /// The member that tells items apart.
    pub key: Box<str>,
    /// The item.
    pub item: MemberExpr,
    /// Whether the list is sorted by that member.
    pub sorted: bool,
}

impl Put {
    /// A list with the item in it.
    pub(super) fn list_with(&self, held: &[Value], item: Value) -> Value {
        let mut list = held.to_vec();
        let same = |other: &Value| match (other.get(&self.key), item.get(&self.key)) {
            (Some(one), Some(other)) => one.same_as(other),
            _ => false,
        };
        match list.iter().position(same) {
            Some(at) => list[at] = item,
            None => list.push(item),
        }
        if self.sorted {
            list.sort_by_key(|item| item.get(&self.key).and_then(scalar_text));
        }
        Value::Array(list)
    }
}

/// A member of an entity that a value names.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// What names it.
    pub via: MemberExpr,
    /// Its type.
    pub entity_type: usize,
    /// The member that the value equals; the identity when empty.
    pub by: MemberPath,
    /// The member that is taken.
    pub member: MemberPath,
}

/// Why a rule gives nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Miss {
    /// The capture does not prove the value.
    Unknown,
    /// A sent value cannot be stored.
    Value(String),
    /// A sent value names an entity that the state does not hold.
    Reference(String),
    /// The clock is outside of the years that its format spells.
    Clock,
}

/// What rules ask of the state and of the write's makings.
pub trait Makings {
    /// A generated value at a place of the entity or answer.
    fn made(&mut self, generator: &Generator, renewed: bool, at: &str, given: &Given<'_>) -> Result<Value, Miss>;
    /// The write's time in a format.
    fn clock(&mut self, format: &ClockFormat, at: &str) -> Result<Value, Miss>;
    /// What effects are going to fill: of a served call what it is before they do.
    fn gathered(&mut self, empty: &Value, at: &str) -> Result<Value, Miss>;
    /// The text, with a number behind it where another entity of the type has it at the place.
    fn unique(&self, text: &str, at: &str) -> String;
    /// An entity of a type, by a member that equals a value or by its identity: all its values.
    fn entity(&self, kind: usize, by: &MemberPath, value: &Value) -> Option<Value>;
}

/// What a rule is evaluated on.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The members that were sent, without their envelope.
    pub sent: &'a Value,
    /// Decoded path parameters.
    pub params: &'a [String],
    /// All values of the entity before the write ([`super::slot::merged`]).
    pub before: Option<&'a Value>,
    /// All values after it, as far as they are known.
    pub after: &'a Value,
    /// The item of a list that is walked.
    pub item: Option<&'a Value>,
    /// The object that is being made, as far as it is.
    pub beside: Option<&'a Value>,
}

impl MemberExpr {
    /// The text of the entity's members that it makes, where it makes one at all.
    pub(super) fn text(&self) -> Option<&[Piece]> {
        match self {
            Self::Text(pieces) => Some(pieces),
            Self::IfSent(_, then, otherwise) => then.text().or_else(|| otherwise.text()),
            Self::UnlessNull(_, _, rule) | Self::Unique(rule, _) | Self::Else(rule, _) => rule.text(),
            _ => None,
        }
    }

    /// The value; `None` is no member. `at` spells the place, for generated values.
    ///
    /// # Errors
    /// What the capture does not prove, and what cannot be stored.
    pub fn value(&self, given: &Given<'_>, makings: &mut dyn Makings, at: &str) -> Result<Option<Value>, Miss> {
        match self {
            Self::Absent => Ok(None),
            Self::Unknown => Err(Miss::Unknown),
            Self::Fixed(value) => Ok(Some(value.clone())),
            Self::Sent(path, cast) => {
                let sent = path.direct(given.sent).ok_or(Miss::Unknown)?;
                cast.apply(sent).map(Some).ok_or_else(|| Miss::Value(path.spelling()))
            }
            Self::Item(path, cast) => {
                let sent = given.item.and_then(|item| path.direct(item)).ok_or(Miss::Unknown)?;
                cast.apply(sent).map(Some).ok_or_else(|| Miss::Value(path.spelling()))
            }
            Self::Beside(path) => {
                given.beside.and_then(|beside| path.direct(beside)).cloned().map(Some).ok_or(Miss::Unknown)
            }
            Self::Param(index, cast) => {
                let text = given.params.get(*index).ok_or(Miss::Unknown)?;
                cast.apply(&Value::from(text.as_str())).map(Some).ok_or(Miss::Unknown)
            }
            Self::Before(path) => {
                let before = given.before.ok_or(Miss::Unknown)?;
                Ok(path.direct(before).cloned())
            }
            Self::After(path) => path.direct(given.after).cloned().map(Some).ok_or(Miss::Unknown),
            Self::AfterIfAny(path) => Ok(path.direct(given.after).cloned()),
            Self::HereAfter => resolve(given.after, at).cloned().map(Some).ok_or(Miss::Unknown),
            Self::HereBefore(more) => {
                let held = given.before.and_then(|before| resolve(before, at)).ok_or(Miss::Unknown)?;
                if *more == 0 {
                    return Ok(Some(held.clone()));
                }
                let (held, digits) = super::generate::counted(held).ok_or(Miss::Unknown)?;
                Ok(Some(super::generate::count_value(held.saturating_add(*more), digits)))
            }
            Self::FirstOf(path) => {
                let list = path.direct(given.after).and_then(Value::as_array).ok_or(Miss::Unknown)?;
                Ok(Some(list.first().cloned().unwrap_or(Value::Null)))
            }
            Self::Parts(path, names) => {
                let list = path.direct(given.after).ok_or(Miss::Unknown)?;
                parts_of(list, names).map(Some).ok_or(Miss::Unknown)
            }
            Self::Clock(format) => makings.clock(format, at).map(Some),
            Self::Made(generator, renewed) => makings.made(generator, *renewed, at, given).map(Some),
            Self::Plus(path, more) => {
                let before = given.before.and_then(|before| path.direct(before)).ok_or(Miss::Unknown)?;
                let (held, digits) = super::generate::counted(before).ok_or(Miss::Unknown)?;
                // Whether a count goes below nothing, no recording says.
                if held >= 0 && held.saturating_add(*more) < 0 {
                    return Err(Miss::Unknown);
                }
                Ok(Some(super::generate::count_value(held.saturating_add(*more), digits)))
            }
            Self::Text(pieces) => make_text(pieces, given.after).map(|text| Some(text.into())).ok_or(Miss::Unknown),
            Self::SentText(pieces) => make_text(pieces, given.sent).map(|text| Some(text.into())).ok_or(Miss::Unknown),
            Self::Join(parts) => {
                let mut sources = Object::new();
                for (index, (source, _)) in parts.iter().enumerate() {
                    if let Some(value) = source.value(given, makings, at)? {
                        sources.push(joined_name(index), value);
                    }
                }
                let pieces: Vec<Piece> =
                    parts.iter().enumerate().map(|(index, (_, piece))| piece.of(&joined_name(index))).collect();
                make_text(&pieces, &Value::Object(sources)).map(|text| Some(text.into())).ok_or(Miss::Unknown)
            }
            Self::Lookup(lookup) => {
                let Some(via) = lookup.via.value(given, makings, at)? else { return Err(Miss::Unknown) };
                let held = makings.entity(lookup.entity_type, &lookup.by, &via);
                let held = held.ok_or_else(|| Miss::Reference(scalar_text(&via).unwrap_or_default()))?;
                lookup.member.direct(&held).cloned().map(Some).ok_or(Miss::Unknown)
            }
            Self::Object(members) => {
                let mut object = Object::new();
                for (name, member) in members {
                    let place = format!("{at}/{name}");
                    let so_far = member.reads_beside().then(|| Value::Object(object.clone()));
                    let given = Given { beside: so_far.as_ref(), ..*given };
                    if let Some(value) = member.value(&given, makings, &place)? {
                        object.push(name.as_ref(), value);
                    }
                }
                Ok(Some(object.into()))
            }
            Self::Array(items) => {
                let mut list = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    list.extend(item.value(given, makings, &format!("{at}/{index}"))?);
                }
                Ok(Some(list.into()))
            }
            Self::Each(path, item) => {
                let sent = path.direct(given.sent).and_then(Value::as_array).ok_or(Miss::Unknown)?;
                let mut list = Vec::with_capacity(sent.len());
                for (index, sent) in sent.iter().enumerate() {
                    let given = Given { item: Some(sent), ..*given };
                    list.extend(item.value(&given, makings, &format!("{at}/{index}"))?);
                }
                Ok(Some(list.into()))
            }
            Self::Put(put) => {
                let held = given.before.and_then(|before| put.list.direct(before));
                let held = held.and_then(Value::as_array).unwrap_or_default();
                // What the list holds already may stand anywhere in it: a new item comes last.
                let place = format!("{at}/{}", held.len());
                let Some(item) = put.item.value(given, makings, &place)? else { return Err(Miss::Unknown) };
                Ok(Some(put.list_with(held, item)))
            }
            Self::Switch(path, rules) => {
                let held = path.direct(given.after).ok_or(Miss::Unknown)?;
                let rule = rules.iter().find(|(value, _)| value.same_as(held));
                rule.ok_or(Miss::Unknown)?.1.value(given, makings, at)
            }
            Self::Unique(rule, taken) => {
                let value = rule.value(given, makings, at)?;
                let Some(text) = value.as_ref().and_then(Value::as_str) else { return Ok(value) };
                let unique = makings.unique(text, at);
                if *taken == Taken::Unknown && unique != text { Err(Miss::Unknown) } else { Ok(Some(unique.into())) }
            }
            Self::UnlessNull(path, null, rule) => match path.direct(given.sent) {
                Some(sent) if sent.is_null() => Ok((*null == IfNull::Null).then_some(Value::Null)),
                _ => rule.value(given, makings, at),
            },
            Self::Sorted(sorted) => {
                let list = sorted.list.value(given, makings, at)?.ok_or(Miss::Unknown)?;
                sorted.ordered(&list, makings).map(Some)
            }
            Self::Else(rule, otherwise) => match rule.value(given, makings, at) {
                Err(Miss::Unknown) => Ok(Some(otherwise.clone())),
                found => found,
            },
            Self::Table(path, pairs) => {
                let sent = path.direct(given.sent).ok_or(Miss::Unknown)?;
                let found = pairs.iter().find(|(from, _)| from.same_as(sent));
                found.map(|(_, to)| Some(to.clone())).ok_or(Miss::Unknown)
            }
            Self::IfSent(path, then, otherwise) => {
                let chosen = if path.direct(given.sent).is_some() { then } else { otherwise };
                chosen.value(given, makings, at)
            }
            Self::IfHeld(then, otherwise) => {
                let held = given.before.ok_or(Miss::Unknown)?;
                let chosen = if is_told(resolve(held, at)) { then } else { otherwise };
                chosen.value(given, makings, at)
            }
            Self::Turn(turn) => turn.chosen(given)?.value(given, makings, at),
            Self::Not(path) => {
                let held = given.before.and_then(|before| path.direct(before)).and_then(Value::as_bool);
                held.map(|held| Some(Value::Bool(!held))).ok_or(Miss::Unknown)
            }
            Self::Measure(path, measure) => {
                let measured = path.direct(given.after).and_then(|held| measure.of(held));
                measured.map(|number| Some(Value::from(number))).ok_or(Miss::Unknown)
            }
            Self::Excerpt(excerpt) => {
                let text = excerpt.of.direct(given.after).and_then(|held| excerpt.text(held));
                text.map(|text| Some(text.into())).ok_or(Miss::Unknown)
            }
            Self::Merge(merge) => {
                let held = given.before.and_then(|before| merge.held.direct(before)).ok_or(Miss::Unknown)?;
                let sent = merge.sent.direct(given.sent).ok_or(Miss::Unknown)?;
                merge.merged(held, sent).map(Some).ok_or_else(|| Miss::Value(merge.sent.spelling()))
            }
            Self::Gathered(empty) => makings.gathered(empty, at).map(Some),
            Self::Due(format, path, unit) => {
                let count = path.direct(given.sent).and_then(Value::as_number).and_then(Number::as_i64);
                let count = count.filter(|count| *count > 0);
                let seconds =
                    count.and_then(|count| count.checked_mul(*unit)).and_then(|more| more.checked_add(format.ahead));
                let ahead = seconds.ok_or_else(|| Miss::Value(path.spelling()))?;
                makings.clock(&ClockFormat { ahead, ..format.clone() }, at).map(Some)
            }
        }
    }
}

/// Whether a held value says something: it is there, and not what members are of which nothing was said.
pub(super) fn is_told(held: Option<&Value>) -> bool {
    held.is_some_and(|held| match held.plain() {
        Value::Null | Value::Bool(false) => false,
        Value::Number(number) => number.to_f64() != 0.0,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(object) => !object.is_empty(),
        _ => true,
    })
}

/// The name of a joined text's source while the text is made.
fn joined_name(index: usize) -> String {
    index.to_string()
}
