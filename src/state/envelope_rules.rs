//! Proposing what the members around a list say: each scalar gets the quantity that equals it in every recording, the one its
//! name suggests before others that fit.

use super::entity::at_place;
use super::envelope::{Around, Envelope, Rule, Says};
use super::link::links;
use super::path::MemberPath;
use super::query::Role;
use crate::json::Value;
use std::collections::BTreeSet;

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
        let values: Vec<Option<&Value>> = recorded.iter().map(|one| at_place(one.body, &place)).collect();
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
    let name = super::naming::normal(place.last()?);
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
        Says::Echo { key, .. } => super::naming::normal(super::naming::last_name(key)) == name,
        Says::Except { else_says, .. } => hinted(name, else_says),
        Says::Constant(_) | Says::Presence { .. } | Says::NothingAtTheEnd { .. } => false,
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
            // A quantity that is only switched off with the parameter tells more than two constants.
            if with.iter().all(|(value, _)| value.is_some_and(|value| value.same_as(&one))) {
                let quantities = [Says::Matched, Says::Scope, Says::Pages, Says::PagesOrNone];
                found.extend(quantities.map(|says| Says::Except {
                    key: key.to_owned(),
                    value: one.clone(),
                    else_says: Box::new(says),
                }));
            }
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
