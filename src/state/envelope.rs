//! Envelopes: what surrounds a list. Each scalar outside it is explained from what the line selected (a counter, a page
//! number, a link to the next page), or stays as recorded.

use super::line::Line;
use super::paging::PagingRole;
use super::path::MemberPath;
use super::query::{QueryModel, Role, Selection};
use crate::json::{Number, Object, Value};
use std::collections::{BTreeMap, BTreeSet};
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
    /// The same value in every recording.
    Constant(Value),
}

/// How links to other pages are built from the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The next page, or the previous one.
    pub next: bool,
    /// What stands before the path: an origin, or nothing.
    pub origin: Box<str>,
    /// The parameter that changes.
    pub key: Box<str>,
    /// What it says, where no recorded line sent it: only the links show it.
    pub unsent: Option<PagingRole>,
    /// A size parameter that is written even when the line has none.
    pub size_key: Option<Box<str>>,
    /// Whether parameters are sorted by name.
    pub sorted: bool,
    /// Whether the first page is written without its parameter.
    pub drop_first: bool,
    /// Whether a space is `+` (else `%20`).
    pub plus: bool,
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

    fn more(&self) -> bool {
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
                for entity in &self.selection.all {
                    let value = (self.fields)(entity);
                    let held = path.direct(&value).and_then(Value::as_number).and_then(Number::as_i64).ok_or(())?;
                    sum = sum.checked_add(held).ok_or(())?;
                }
                Ok(Some(Value::from(sum)))
            }
            Says::Link(link) => self.link(link),
            Says::Cursor { key } => match self.model.roles.get(key) {
                Some(Role::Cursor(cursor)) if self.more() => {
                    let Some(size) = window.size else { return Ok(None) };
                    Ok(Some(Value::from(cursor.write(window.offset.saturating_add(size), size))))
                }
                Some(Role::Cursor(_)) => Ok(None),
                _ => Err(()),
            },
            Says::NothingAtTheEnd { last } => {
                let end = if *last { !self.more() } else { window.offset == 0 };
                if end { Ok(None) } else { Err(()) }
            }
            Says::Constant(value) => Ok(Some(value.clone())),
        }
    }

    fn link(&self, link: &Link) -> Result<Option<Value>, ()> {
        let window = &self.selection.window;
        // Without a size everything is on one page.
        let Some(size) = window.size else { return Ok(None) };
        let role = match self.model.roles.get(link.key.as_ref()) {
            Some(Role::Paging(role)) => *role,
            Some(_) => return Err(()),
            None => link.unsent.ok_or(())?,
        };
        let (target, is_first) = match (role, link.next) {
            (PagingRole::Page { first }, true) => (window.page.max(first).saturating_add(1), false),
            (PagingRole::Page { first }, false) => {
                if window.page <= first {
                    return Ok(None);
                }
                (window.page - 1, window.page - 1 == first)
            }
            (_, true) => (window.offset.saturating_add(size), false),
            (_, false) => {
                if window.offset == 0 {
                    return Ok(None);
                }
                let target = window.offset.saturating_sub(size);
                (target, target == 0)
            }
        };
        if link.next && !self.more() {
            return Ok(None);
        }
        let mut pairs: Vec<(String, String)> = self.line.in_order.clone();
        if let Some(size_key) = &link.size_key
            && !pairs.iter().any(|(name, _)| name == size_key.as_ref())
        {
            pairs.push((size_key.to_string(), size.to_string()));
        }
        match pairs.iter_mut().find(|(name, _)| name == link.key.as_ref()) {
            Some((_, value)) => *value = target.to_string(),
            None => pairs.push((link.key.to_string(), target.to_string())),
        }
        if is_first && link.drop_first {
            pairs.retain(|(name, _)| name != link.key.as_ref());
        }
        if link.sorted {
            pairs.sort();
        }
        let mut query = form_urlencoded::Serializer::new(String::new()).extend_pairs(&pairs).finish();
        if !link.plus {
            query = query.replace('+', "%20");
        }
        let text = if query.is_empty() {
            format!("{}{}", link.origin, self.path)
        } else {
            format!("{}{}?{}", link.origin, self.path, query)
        };
        Ok(Some(Value::from(text)))
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
        Says::Constant(_) | Says::NothingAtTheEnd { .. } => false,
    }
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
            candidates.extend(links(&texts, one.around.model));
        }
    }
    candidates
}

/// What a size member says in the recordings of lines without a size.
fn default_size(values: &[Option<&Value>], recorded: &[Recorded<'_>]) -> Option<Value> {
    values
        .iter()
        .zip(recorded)
        .find(|(value, one)| value.is_some() && one.around.selection.window.asked.is_none())
        .and_then(|(value, _)| value.cloned())
}

/// Parameters of links that no line sent, with a number in every link that has them.
fn unsent_numbers(texts: &[&str], model: &QueryModel) -> Vec<Box<str>> {
    let mut numbers: BTreeMap<String, bool> = BTreeMap::new();
    for text in texts {
        let Some((_, query)) = text.split_once('?') else { continue };
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            let held = numbers.entry(key.into_owned()).or_insert(true);
            *held &= value.parse::<u64>().is_ok();
        }
    }
    let open = |key: &String| !model.roles.contains_key(key);
    numbers.into_iter().filter(|(key, number)| *number && open(key)).map(|(key, _)| key.as_str().into()).collect()
}

fn links(texts: &[&str], model: &QueryModel) -> Vec<Says> {
    let Some(text) = texts.first() else { return Vec::new() };
    let origin: &str = match text.find("://") {
        Some(at) => {
            let end = text[at + 3..].find('/').map_or(text.len(), |slash| at + 3 + slash);
            &text[..end]
        }
        None => "",
    };
    let keys = |wanted: fn(&PagingRole) -> bool| -> Vec<Box<str>> {
        model
            .roles
            .iter()
            .filter(|(_, role)| matches!(role, Role::Paging(paging) if wanted(paging)))
            .map(|(key, _)| key.as_str().into())
            .collect()
    };
    let mut sizes = keys(|role| *role == PagingRole::Size);
    let mut places: Vec<(Box<str>, Option<PagingRole>)> =
        keys(|role| *role != PagingRole::Size).into_iter().map(|key| (key, None)).collect();
    for key in unsent_numbers(texts, model) {
        let roles = [PagingRole::Offset, PagingRole::Page { first: 1 }, PagingRole::Page { first: 0 }];
        places.extend(roles.into_iter().map(|role| (key.clone(), Some(role))));
        sizes.push(key);
    }
    let mut found = Vec::new();
    for (key, unsent) in places {
        for next in [true, false] {
            for sorted in [true, false] {
                for drop_first in [false, true] {
                    for size_key in std::iter::once(None).chain(sizes.iter().cloned().map(Some)) {
                        for plus in [true, false] {
                            found.push(Says::Link(Link {
                                next,
                                origin: origin.into(),
                                key: key.clone(),
                                unsent,
                                size_key: size_key.clone(),
                                sorted,
                                drop_first,
                                plus,
                            }));
                        }
                    }
                }
            }
        }
    }
    found
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
