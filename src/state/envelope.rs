//! Envelopes: what surrounds a list. Each scalar outside it is explained from what the line selected (a counter, a page
//! number, a link to the next page), or stays as recorded.

use super::line::Line;
use super::link::Link;
use super::path::MemberPath;
use super::query::{QueryModel, Role, Selection};
use crate::json::{Number, Object, Value};
use std::sync::Arc;

/// The rules of an envelope's scalars.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Envelope {
    /// Where each explained scalar is, and what it says; members of the base record that are not named stay as recorded.
    pub rules: Vec<(Vec<Box<str>>, Rule)>,
    /// Scalars that no rule explains although they vary: only recorded lines answer.
    pub unexplained: Vec<Vec<Box<str>>>,
}

/// What one scalar of an envelope says.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The quantity.
    pub says: Says,
    /// Digits of a text spelling, zero-padded to this width; `None` is a JSON number.
    pub digits: Option<usize>,
    /// Whether the member is left out where there is nothing to say (instead of null).
    pub absent: bool,
    /// Parameters (or `key=value`) whose presence in the line leaves the member out.
    pub not_with: Vec<String>,
    /// Parameters (or `key=value`) one of which the line must hold for the member to be there; empty asks nothing.
    pub only_with: Vec<String>,
}

/// A quantity that an envelope may show.
#[derive(Clone, Debug, PartialEq)]
pub enum Says {
    /// How many matched.
    Matched,
    /// How many are listed.
    Listed,
    /// How many the scope has without filters.
    Scope,
    /// The size that the line asks for, or what is said without one.
    Size(Option<Value>),
    /// The page number.
    Page,
    /// The number of pages.
    Pages,
    /// The number of pages, none when nothing matched.
    PagesOrNone,
    /// Entities before the window.
    Offset,
    /// The next page's number, if any.
    NextPage,
    /// The page's number and one, except on the last page: some applications count on past the end.
    NextUnlessLast,
    /// The previous page's number, if any.
    PreviousPage,
    /// Whether more follow.
    More,
    /// Whether nothing follows.
    Last,
    /// Whether the window is the first.
    First,
    /// The sum of a member over the matched entities.
    Sum(MemberPath),
    /// A link to the next or previous page.
    Link(Link),
    /// A cursor for the next page.
    Cursor {
        /// The parameter that takes it.
        key: String,
    },
    /// Nothing where no page follows (or none precedes, for the other); elsewhere a value that no rule makes, so that only
    /// recorded lines answer.
    NothingAtTheEnd {
        /// The end: the last page, or the first.
        last: bool,
    },
    /// The number of the first listed entity, counted from one, none when nothing is listed.
    From,
    /// The number of the last listed entity, none when nothing is listed.
    To,
    /// Whether nothing is listed.
    Empty,
    /// What a parameter says, or what is said without it.
    Echo {
        /// The parameter.
        key: String,
        /// What is said without it; nothing for null.
        without: Option<Value>,
        /// Whether numbers and booleans are JSON numbers and booleans.
        typed: bool,
    },
    /// One value with a parameter, another without.
    Presence {
        /// The parameter.
        key: String,
        /// The value with it, and without it.
        values: Box<(Value, Value)>,
    },
    /// One value with a parameter (`-1` where counting was switched off), another quantity without it.
    Except {
        /// The parameter.
        key: String,
        /// What is said with it.
        value: Value,
        /// What is said without it.
        else_says: Box<Says>,
    },
    /// The same value in every recording.
    Constant(Value),
}

/// What a call's envelope is computed from.
pub struct Around<'a> {
    /// The selection.
    pub selection: &'a Selection,
    /// The line.
    pub line: &'a Line,
    /// The path as the call spells it.
    pub path: &'a str,
    /// The query model.
    pub model: &'a QueryModel,
    /// The value of an entity, for sums.
    pub fields: &'a dyn Fn(&super::store::Entity) -> Arc<Value>,
}

impl Envelope {
    /// Whether some member has no rule, on some lines at least: their recordings say what it is.
    pub fn needs_recordings(&self) -> bool {
        !self.unexplained.is_empty()
            || self.rules.iter().any(|(_, rule)| matches!(rule.says, Says::NothingAtTheEnd { .. }))
    }
}

impl Around<'_> {
    /// What a line holds, as keys and as `key=value`.
    pub(super) fn tokens(&self) -> impl Iterator<Item = String> {
        self.line.params.iter().flat_map(|param| [param.key.clone(), format!("{}={}", param.key, param.text)])
    }

    /// Whether more entities match after the listed ones.
    pub(super) fn more(&self) -> bool {
        self.selection.range.end < self.selection.matched && self.selection.range.start <= self.selection.matched
    }

    /// What a quantity is here; `Ok(None)` where there is nothing to say, `Err` where it cannot be said.
    pub fn say(&self, says: &Says) -> Result<Option<Value>, ()> {
        let window = &self.selection.window;
        let number = |value: u64| Ok(Some(Value::from(value)));
        match says {
            Says::Matched => number(self.selection.matched as u64),
            Says::Listed => number(self.selection.range.len() as u64),
            Says::Scope => number(self.selection.scope as u64),
            Says::Size(default) => match (window.asked, default) {
                (Some(size), _) => number(size),
                (None, Some(default)) => Ok(Some(default.clone())),
                (None, None) => Err(()),
            },
            Says::Page => number(window.page),
            Says::Pages => number(window.pages(self.selection.matched).unwrap_or(1)),
            Says::PagesOrNone => {
                let pages = window.pages(self.selection.matched).unwrap_or(1);
                number(if self.selection.matched == 0 { 0 } else { pages })
            }
            Says::Offset => number(window.offset),
            Says::NextPage => {
                if self.more() {
                    number(window.page.saturating_add(1))
                } else {
                    Ok(None)
                }
            }
            Says::NextUnlessLast => {
                let last = window.first + window.pages(self.selection.matched).unwrap_or(1) - 1;
                if window.page == last { Ok(None) } else { number(window.page.saturating_add(1)) }
            }
            Says::PreviousPage => {
                if window.page > window.first {
                    number(window.page - 1)
                } else {
                    Ok(None)
                }
            }
            Says::More => Ok(Some(Value::Bool(self.more()))),
            Says::Last => Ok(Some(Value::Bool(!self.more()))),
            Says::First => Ok(Some(Value::Bool(window.offset == 0))),
            Says::Sum(path) => {
                let mut sum = 0i64;
                for entity in self.selection.all.iter() {
                    let value = (self.fields)(entity);
                    let held = path.direct(&value).and_then(Value::as_number).and_then(Number::as_i64).ok_or(())?;
                    sum = sum.checked_add(held).ok_or(())?;
                }
                Ok(Some(Value::from(sum)))
            }
            Says::Link(link) => link.spell(self),
            Says::Cursor { key } => match self.model.roles.get(key) {
                Some(Role::Cursor(cursor)) if self.more() => {
                    let Some(size) = window.size else { return Ok(None) };
                    let last = self.selection.listed().last().map(|entity| entity.id.as_ref()).unwrap_or_default();
                    let next = window.offset.saturating_add(size);
                    Ok(Some(Value::from(cursor.write(next, size, last, &cursor.like))))
                }
                Some(Role::Cursor(_)) => Ok(None),
                _ => Err(()),
            },
            Says::NothingAtTheEnd { last } => {
                let end = if *last { !self.more() } else { window.offset == 0 };
                if end { Ok(None) } else { Err(()) }
            }
            Says::From | Says::To if self.selection.range.is_empty() => Ok(None),
            Says::From => number(window.offset.saturating_add(1)),
            Says::To => number(self.selection.range.end as u64),
            Says::Empty => Ok(Some(Value::Bool(self.selection.range.is_empty()))),
            Says::Echo { key, without, typed } => match self.line.get(key) {
                None => Ok(without.clone()),
                Some(param) => Ok(Some(echo(&param.text, *typed))),
            },
            Says::Presence { key, values } => {
                Ok(Some(if self.line.get(key).is_some() { values.0.clone() } else { values.1.clone() }))
            }
            Says::Except { key, value, else_says } => match self.line.get(key) {
                Some(_) => Ok(Some(value.clone())),
                None => self.say(else_says),
            },
            Says::Constant(value) => Ok(Some(value.clone())),
        }
    }
}

impl Rule {
    /// The member's value; `Ok(None)` leaves it out.
    pub fn value(&self, around: &Around<'_>) -> Result<Option<Value>, ()> {
        let holds = |token: &String| around.tokens().any(|held| held == *token);
        if self.not_with.iter().any(holds) || !self.only_with.is_empty() && !self.only_with.iter().any(holds) {
            return Ok(None);
        }
        match around.say(&self.says)? {
            None => Ok((!self.absent).then_some(Value::Null)),
            Some(value) => match (self.digits, value.as_number()) {
                (Some(width), Some(number)) => {
                    let text = number.as_str();
                    Ok(Some(Value::from(format!("{}{text}", "0".repeat(width.saturating_sub(text.len()))))))
                }
                _ => Ok(Some(value)),
            },
        }
    }
}

/// A parameter's text as an envelope repeats it.
fn echo(text: &str, typed: bool) -> Value {
    if typed
        && let Ok(value) = crate::json::parse(text.as_bytes())
        && matches!(value.plain(), Value::Number(_) | Value::Bool(_))
    {
        return value;
    }
    Value::from(text)
}

/// An answer with null in the place of its entity or list, ready to be copied: what is around the place is shared.
pub fn frame_of(body: &Value, place: &[Box<str>]) -> Value {
    let Some((first, rest)) = place.split_first() else { return Value::Null };
    match body.as_object() {
        Some(object) => object
            .iter()
            .map(|(name, value)| {
                let inner = if *name == **first { frame_of(value, rest) } else { value.clone().into_shared() };
                (name.clone(), inner)
            })
            .collect::<Object>()
            .into(),
        None => body.clone(),
    }
}

/// Sets or removes the member at a place of a copied envelope; missing objects on the way are made.
pub fn set_at(root: &mut Value, place: &[Box<str>], value: Option<Value>) {
    let Some((last, way)) = place.split_last() else {
        if let Some(value) = value {
            *root = value;
        }
        return;
    };
    let mut at = root;
    for name in way {
        let Some(object) = at.as_object_mut() else { return };
        if !object.contains(name) {
            if value.is_none() {
                return;
            }
            object.push(name.as_ref(), Value::Object(Object::new()));
        }
        let Some(next) = object.get_mut(name) else { return };
        at = next;
    }
    if let Some(object) = at.as_object_mut() {
        match value {
            Some(value) => {
                object.set(last.as_ref(), value);
            }
            None => {
                object.remove(last);
            }
        }
    }
}
