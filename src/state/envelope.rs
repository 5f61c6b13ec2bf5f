//! Envelopes: what surrounds a list. Each scalar outside it is explained from what the line selected (a counter, a page
//! number, a link to the next page), or stays as recorded.

use super::line::Line;
use super::link::{Link, links};
use super::path::MemberPath;
use super::query::{QueryModel, Role, Selection};
use crate::json::{Number, Object, Value};
use std::collections::BTreeSet;
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
    fn tokens(&self) -> impl Iterator<Item = String> {
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

/// One recorded envelope with what its line selects.
pub struct Recorded<'a> {
    /// The answer.
    pub body: &'a Value,
    /// What the line selects.
    pub around: Around<'a>,
}

/// Finds the rules of an envelope from recorded answers whose selections are known. `list` is where the list is.
pub fn find_rules(recorded: &[Recorded<'_>], list: &[Box<str>]) -> Envelope {
    let mut places: Vec<Vec<Box<str>>> = Vec::new();
    for one in recorded {
        scalars(one.body, &mut Vec::new(), list, &mut places);
    }
    let mut envelope = Envelope::default();
    for place in places {
        let values: Vec<Option<&Value>> =
            recorded.iter().map(|one| super::entity::at_place(one.body, &place)).collect();
        match explain(&place, &values, recorded) {
            Some(Rule { says: Says::Constant(_), absent: false, not_with, only_with, .. })
                if not_with.is_empty() && only_with.is_empty() => {}
            Some(rule) => envelope.rules.push((place, rule)),
            None => envelope.unexplained.push(place),
        }
    }
    envelope
}

fn scalars(value: &Value, at: &mut Vec<Box<str>>, list: &[Box<str>], places: &mut Vec<Vec<Box<str>>>) {
    if at.as_slice() == list {
        return;
    }
    match value.plain() {
        Value::Object(object) => {
            for (name, inner) in object {
                let Some(name) = name.as_str() else { continue };
                at.push(name.into());
                scalars(inner, at, list, places);
                at.pop();
            }
        }
        _ if !at.is_empty() && !places.iter().any(|held| held == at) => places.push(at.clone()),
        _ => {}
    }
}

fn explain(place: &[Box<str>], values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Option<Rule> {
    let present: Vec<&Value> = values.iter().flatten().copied().collect();
    let first = present.first()?;
    let same = present.iter().all(|value| value.same_as(first));
    let everywhere = present.len() == values.len();
    let (not_with, only_with) = if everywhere { (Vec::new(), Vec::new()) } else { presence(values, recorded) };
    let rule = |says: Says, digits, absent| Rule {
        says,
        digits,
        absent,
        not_with: not_with.clone(),
        only_with: only_with.clone(),
    };
    let explained = everywhere || !not_with.is_empty() || !only_with.is_empty();
    // A null that never was anything else says nothing about what it would say.
    if same && first.is_null() && explained {
        return Some(rule(Says::Constant(Value::Null), None, false));
    }
    // What a quantity itself leaves out needs no condition.
    let plain = |says: Says| Rule { says, digits: None, absent: false, not_with: Vec::new(), only_with: Vec::new() };
    let candidates = candidates(place, values, recorded);
    let fitting = |rules: &mut dyn Iterator<Item = Rule>| -> Vec<Rule> {
        rules.filter_map(|rule| fit(&rule, values, recorded)).collect()
    };
    let mut fitting_rules = fitting(&mut candidates.iter().cloned().map(plain));
    if fitting_rules.is_empty() && !everywhere {
        fitting_rules = fitting(&mut candidates.iter().cloned().map(|says| rule(says, None, false)));
    }
    let fitting = fitting_rules;
    let name = super::query::normal(place.last()?);
    if let Some(rule) = fitting.iter().find(|rule| hinted(&name, &rule.says)) {
        return Some(rule.clone());
    }
    if same && explained {
        return Some(rule(Says::Constant((*first).clone()), None, false));
    }
    fitting.into_iter().next().or_else(|| nothing_at_the_end(values, recorded))
}

/// The rule of a member that is null (or missing) on every last page and never elsewhere, or on every first one; both have
/// to be recorded.
fn nothing_at_the_end(values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Option<Rule> {
    [true, false].into_iter().find_map(|last| {
        let says = Says::NothingAtTheEnd { last };
        let (mut ends, mut others) = (0, 0);
        let absent = values.iter().flatten().all(|value| !value.is_null());
        let fits = values.iter().zip(recorded).all(|(value, one)| {
            let nothing = if absent { value.is_none() } else { value.is_some_and(Value::is_null) };
            let end = one.around.say(&says).is_ok();
            *if end { &mut ends } else { &mut others } += 1;
            nothing == end
        });
        (fits && ends > 0 && others > 0).then_some(Rule {
            says,
            digits: None,
            absent,
            not_with: Vec::new(),
            only_with: Vec::new(),
        })
    })
}

/// Which parameters leave a member out, or bring it: every line without the member holds one of the first, no line with
/// it does; or the other way round.
fn presence(values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> (Vec<String>, Vec<String>) {
    let tokens = |there: bool| -> Vec<BTreeSet<String>> {
        values
            .iter()
            .zip(recorded)
            .filter(|(value, _)| value.is_some() == there)
            .map(|(_, one)| one.around.tokens().collect())
            .collect()
    };
    let (with, without) = (tokens(true), tokens(false));
    let telling = |inside: &[BTreeSet<String>], outside: &[BTreeSet<String>]| -> Vec<String> {
        let all: BTreeSet<&String> = inside.iter().flatten().collect();
        let own: Vec<String> =
            all.into_iter().filter(|token| !outside.iter().any(|line| line.contains(*token))).cloned().collect();
        let keys: Vec<String> = own.iter().filter(|token| !token.contains('=')).cloned().collect();
        [keys, own]
            .into_iter()
            .find(|set| !set.is_empty() && inside.iter().all(|line| set.iter().any(|token| line.contains(token))))
            .unwrap_or_default()
    };
    let not_with = telling(&without, &with);
    if not_with.is_empty() { (Vec::new(), telling(&with, &without)) } else { (not_with, Vec::new()) }
}

/// Whether a member's name suggests a quantity; decides only between rules that fit every recording.
fn hinted(name: &str, says: &Says) -> bool {
    let has = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match says {
        Says::Matched | Says::Listed | Says::Scope => {
            has(&["count", "total", "matched", "filtered", "length", "found"]) && !has(&["page"])
        }
        Says::Pages | Says::PagesOrNone => has(&["pages", "pagecount", "totalpage", "lastpage"]),
        Says::Page => name == "page" || has(&["pagenumber", "currentpage", "pageindex"]),
        Says::Size(_) => has(&["limit", "size", "perpage", "take"]),
        Says::Offset => has(&["offset", "skip", "start"]),
        Says::NextPage | Says::NextUnlessLast => has(&["next"]),
        Says::PreviousPage => has(&["prev"]),
        Says::More => has(&["more", "hasnext"]),
        Says::Last => has(&["last", "exhausted", "done"]),
        Says::First => has(&["first"]),
        Says::Link(_) | Says::Cursor { .. } | Says::Sum(_) => true,
        Says::From => name == "from" || has(&["start", "first"]),
        Says::To => name == "to" || has(&["end", "last"]),
        Says::Empty => has(&["empty"]),
        Says::Echo { key, .. } => super::query::normal(key.rsplit(['/', '[', '{']).next().unwrap_or(key)) == name,
        Says::Constant(_) | Says::Presence { .. } | Says::NothingAtTheEnd { .. } => false,
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

fn candidates(place: &[Box<str>], values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Vec<Says> {
    let mut candidates = vec![
        Says::Matched,
        Says::Listed,
        Says::Scope,
        Says::Pages,
        Says::PagesOrNone,
        Says::Page,
        Says::Size(default_size(values, recorded)),
        Says::Offset,
        Says::NextPage,
        Says::NextUnlessLast,
        Says::PreviousPage,
        Says::More,
        Says::Last,
        Says::First,
        Says::From,
        Says::To,
        Says::Empty,
    ];
    if let Some(name) = place.last() {
        candidates.push(Says::Sum(MemberPath::member(name)));
    }
    if let Some(one) = recorded.first() {
        for (key, role) in &one.around.model.roles {
            if matches!(role, Role::Cursor(_)) {
                candidates.push(Says::Cursor { key: key.clone() });
            }
        }
        let texts: Vec<&str> = values.iter().flatten().filter_map(|value| value.as_str()).collect();
        if texts.first().is_some_and(|text| text.contains('?') || text.contains("://")) {
            candidates.extend(links(&texts, one.around.model).into_iter().map(Says::Link));
        }
    }
    candidates.extend(by_parameters(values, recorded));
    candidates
}

/// Members that repeat a parameter, or tell whether it is there: both cases have to be recorded, the parameter with two
/// values when it is repeated.
fn by_parameters(values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Vec<Says> {
    let keys: BTreeSet<&str> =
        recorded.iter().flat_map(|one| one.around.line.params.iter().map(|param| param.key.as_str())).collect();
    let mut found = Vec::new();
    for key in keys {
        let (with, without): (Vec<_>, Vec<_>) =
            values.iter().zip(recorded).partition(|(_, one)| one.around.line.get(key).is_some());
        let texts: BTreeSet<&str> =
            with.iter().filter_map(|(_, one)| Some(one.around.line.get(key)?.text.as_str())).collect();
        let held = |of: &[(&Option<&Value>, &Recorded<'_>)]| of.iter().find_map(|(value, _)| **value).cloned();
        if texts.len() > 1 {
            let without = held(&without).filter(|value| !value.is_null());
            for typed in [true, false] {
                found.push(Says::Echo { key: key.to_owned(), without: without.clone(), typed });
            }
        }
        if let (Some(one), Some(other)) = (held(&with), held(&without))
            && with.len() > 1
            && without.len() > 1
            && !one.same_as(&other)
        {
            found.push(Says::Presence { key: key.to_owned(), values: Box::new((one, other)) });
        }
    }
    found
}

/// What a size member says in the recordings of lines without a size.
fn default_size(values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Option<Value> {
    values
        .iter()
        .zip(recorded)
        .find(|(value, one)| value.is_some() && one.around.selection.window.asked.is_none())
        .and_then(|(value, _)| value.cloned())
}

/// The rule, spelled as the recordings spell it, when its quantity equals the member in every recording.
fn fit(rule: &Rule, values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Option<Rule> {
    let digits = values
        .iter()
        .flatten()
        .find_map(|value| {
            value.as_str().filter(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .map(|text| if text.len() > 1 && text.starts_with('0') { text.len() } else { 1 });
    [false, true].into_iter().find_map(|absent| {
        let rule = Rule { digits, absent, ..rule.clone() };
        let fits = values.iter().zip(recorded).all(|(value, one)| match rule.value(&one.around) {
            Ok(None) => value.is_none(),
            Ok(Some(said)) => value.is_some_and(|value| value.same_as(&said)),
            Err(()) => false,
        });
        fits.then_some(rule)
    })
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
