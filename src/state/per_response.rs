//! Members that every response makes anew: a request id, a trace id, the id of an error. They say nothing of the world, so
//! they are found before anything is concluded, and the observed answers of a tool are made to carry one value there: what
//! is derived sees a member that never varies and keeps it as recorded. Nothing here knows of types or views.

use super::entity::at_place;
use super::envelope::set_at;
use super::evaluate::has_token;
use super::line::Param;
use super::observe::Seen;
use super::types::{Place, pointer};
use crate::capture::is_success;
use crate::json::{Object, Value, resolve};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

/// Where a response makes a text anew, as a pointer, and how such texts are compared: `uuid` or `token`.
pub type MadeAnew = (String, &'static str);

/// Characters: shorter texts are no made identifiers.
const MIN_CHARS: usize = 8;

/// Characters of a made identifier that only other tools' refusals show: a shorter one may be a code of the error.
const MIN_MADE: usize = 16;

/// The form of a made identifier: texts of one form differ in nothing but what was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Form {
    length: usize,
    /// Small letters, capitals, digits, others.
    classes: [bool; 4],
    uuid: bool,
}

impl Form {
    /// `None` for a text that is no made identifier: too short, without a digit, with a space in it.
    fn of(text: &str) -> Option<Self> {
        let mut classes = [false; 4];
        let mut length = 0;
        for character in text.chars() {
            if character.is_whitespace() {
                return None;
            }
            length += 1;
            classes[match character {
                character if character.is_lowercase() => 0,
                character if character.is_uppercase() => 1,
                character if character.is_ascii_digit() => 2,
                _ => 3,
            }] = true;
        }
        let uuid = crate::manifest::SegmentFormat::of(text) == Some(crate::manifest::SegmentFormat::Uuid);
        (length >= MIN_CHARS && classes[2] && super::clock_format::ClockFormat::of(&text.into()).is_none())
            .then_some(Self { length, classes, uuid })
    }

    fn word(self) -> &'static str {
        if self.uuid { "uuid" } else { "token" }
    }
}

/// Places that a response may make anew, each with the form of its texts.
type Places = Vec<(Place, Form)>;

/// Finds the members that each tool's 2xx answers make anew, and makes the answers carry the first one's; by tool. A
/// member is one when no two answers of the tool hold the same text there, and a line that was asked twice was answered
/// with nothing else changed; or when another tool's member of that place and form is one. `changes` are the times at which
/// a write was taken, ascending.
pub(super) fn settle(seen: &mut [Seen], by_tool: &[Vec<usize>], changes: &[usize]) -> Vec<Vec<MadeAnew>> {
    let open: Vec<Places> = by_tool.iter().map(|calls| open_places(&answers(seen, calls))).collect();
    let mut proven: HashSet<(Place, Form)> = HashSet::new();
    for (calls, places) in by_tool.iter().zip(&open) {
        if !places.is_empty() && asked_twice(&answers(seen, calls), places, changes) {
            proven.extend(places.iter().cloned());
        }
    }
    let mut found = vec![Vec::new(); by_tool.len()];
    if proven.is_empty() {
        return found;
    }
    // What a call names is no response's own.
    let named: HashSet<&str> = seen
        .iter()
        .flat_map(|call| {
            let line = call.line.iter().flat_map(|line| line.params.iter().map(|param| param.text.as_str()));
            call.parameters.iter().map(String::as_str).chain(line)
        })
        .collect();
    let mut once: HashMap<String, usize> = HashMap::new();
    let known: Vec<Places> =
        open.into_iter().map(|places| places.into_iter().filter(|place| proven.contains(place)).collect()).collect();
    for (calls, places) in by_tool.iter().zip(&known) {
        for text in answers(seen, calls).iter().flat_map(|call| places.iter().filter_map(|(at, _)| text_at(call, at))) {
            *once.entry(text.to_owned()).or_default() += 1;
        }
    }
    let fresh = |calls: &[usize], place: &Place| {
        let fresh = |text: &str| once.get(text) == Some(&1) && !named.contains(text);
        answers(seen, calls).iter().all(|call| text_at(call, place).is_some_and(fresh))
    };
    let known: Vec<Places> = by_tool
        .iter()
        .zip(known)
        .map(|(calls, places)| places.into_iter().filter(|(place, _)| fresh(calls, place)).collect())
        .collect();
    for ((calls, places), found) in by_tool.iter().zip(known).zip(&mut found) {
        for (place, form) in places {
            let first = answers(seen, calls).first().and_then(|call| text_at(call, &place)).map(Value::from);
            for &at in calls {
                if let Some(body) = seen[at].body.as_mut().filter(|body| at_place(body, &place).is_some())
                    && is_success(seen[at].status)
                {
                    set_at(Arc::make_mut(body), &place, first.clone());
                }
            }
            found.push((pointer(&place), form.word()));
        }
    }
    found
}

/// The members that refusals make anew: every one of two or more holds another text there, and none names what was asked.
pub(super) fn made_anew_by_refusals(bodies: &[&Value], asked: &[String]) -> Vec<MadeAnew> {
    if bodies.len() < 2 {
        return Vec::new();
    }
    let named = |place: &Place| {
        let texts = bodies.iter().filter_map(|body| resolve(body, &pointer(place))?.as_str());
        texts.into_iter().any(|text| asked.iter().any(|asked| has_token(text, asked)))
    };
    let open = open_in(bodies.iter().copied(), texts_of_errors).into_iter().filter(|(place, _)| !named(place));
    open.map(|(place, form)| (pointer(&place), form.word())).collect()
}

/// The members that the only refusal of its kind makes anew: refusals of other tools show a text of the same form at the
/// place, each another one, and none names what its own call asked for.
pub(super) fn made_anew_beside(only: &Value, seen: &[Seen]) -> Vec<MadeAnew> {
    let Some(object) = only.as_object() else { return Vec::new() };
    let forms = texts_of_errors(object).into_iter().filter_map(|(place, text)| Some((place, Form::of(text)?)));
    let made = forms.filter(|(place, form)| {
        let mut held = HashSet::new();
        let refused = seen.iter().filter(|call| call.status >= 400);
        let texts = refused.filter_map(|call| Some((call, text_at(call, place)?)));
        let mut alike = texts.filter(|(_, text)| Form::of(text) == Some(*form));
        alike.all(|(call, text)| held.insert(text) && !names_asked(call, text))
            && (form.uuid && held.len() > 1 || form.length >= MIN_MADE && held.len() > 2)
    });
    made.map(|(place, form)| (pointer(&place), form.word())).collect()
}

/// Whether a text holds something that the call named.
fn names_asked(call: &Seen, text: &str) -> bool {
    let line = call.line.iter().flat_map(|line| line.params.iter().map(|param| &param.text));
    let queried = call.query.iter().map(|(_, value)| value);
    call.parameters.iter().chain(line).chain(queried).any(|asked| has_token(text, asked))
}

/// The 2xx answers of calls, in their order.
fn answers<'s>(seen: &'s [Seen], calls: &[usize]) -> Vec<&'s Seen> {
    let calls = calls.iter().map(|at| &seen[*at]);
    calls.filter(|call| is_success(call.status) && call.body.is_some()).collect()
}

fn open_places(calls: &[&Seen]) -> Places {
    open_in(calls.iter().filter_map(|call| call.body.as_deref()), texts)
}

/// Texts that have one form in all bodies and are another text in each; `texts` finds those of a body.
fn open_in<'v>(bodies: impl Iterator<Item = &'v Value>, texts: impl Fn(&'v Object) -> Vec<(Place, &'v str)>) -> Places {
    let mut open: BTreeMap<Place, (Form, HashSet<&'v str>)> = BTreeMap::new();
    for (at, body) in bodies.enumerate() {
        let Some(object) = body.as_object() else { return Vec::new() };
        if at == 0 {
            for (place, text) in texts(object) {
                if let Some(form) = Form::of(text) {
                    open.insert(place, (form, HashSet::from([text])));
                }
            }
        } else {
            open.retain(|place, (form, held)| {
                let text = resolve(body, &pointer(place)).and_then(Value::as_str);
                text.is_some_and(|text| Form::of(text) == Some(*form) && held.insert(text))
            });
        }
        if open.is_empty() {
            return Vec::new();
        }
    }
    open.into_iter().map(|(place, (form, _))| (place, form)).collect()
}

/// The texts of an object and of the objects in it.
fn texts(object: &Object) -> Vec<(Place, &str)> {
    let mut found: Vec<(Place, &str)> = Vec::new();
    for (name, value) in object {
        let Some(name) = name.as_str() else { continue };
        if let Some(text) = value.as_str() {
            found.push((vec![name.into()], text));
        }
        for (inner, value) in value.as_object().into_iter().flatten() {
            if let (Some(inner), Some(text)) = (inner.as_str(), value.as_str()) {
                found.push((vec![name.into(), inner.into()], text));
            }
        }
    }
    found
}

/// The texts of an object, of the objects in it, and of the only object of a list in it: `{errors: [{id: …}]}`.
fn texts_of_errors(object: &Object) -> Vec<(Place, &str)> {
    let mut found = texts(object);
    for (name, value) in object {
        let only = value.as_array().filter(|items| items.len() == 1).and_then(|items| items[0].as_object());
        let (Some(name), Some(only)) = (name.as_str(), only) else { continue };
        for (mut place, text) in texts(only) {
            place.splice(0..0, [name.into(), "0".into()]);
            found.push((place, text));
        }
    }
    found
}

/// Whether a line was asked twice, nothing written in between, and the answers differ at these places alone.
fn asked_twice(calls: &[&Seen], places: &Places, changes: &[usize]) -> bool {
    let mut last: HashMap<(&str, &[Param], bool), &Seen> = HashMap::new();
    calls.iter().any(|call| {
        let Some(line) = &call.line else { return false };
        let Some(before) = last.insert((&call.path, &line.params, line.repeated), call) else { return false };
        let written = changes.iter().any(|time| (before.time..call.time).contains(time));
        !written && same_beside(before, call, places)
    })
}

fn same_beside(one: &Seen, other: &Seen, places: &Places) -> bool {
    let without = |call: &Seen| {
        let mut body = call.body.as_deref()?.clone();
        places.iter().for_each(|(place, _)| set_at(&mut body, place, None));
        Some(body)
    };
    matches!((without(one), without(other)), (Some(one), Some(other)) if one.same_as(&other))
}

fn text_at<'s>(call: &'s Seen, place: &Place) -> Option<&'s str> {
    at_place(call.body.as_deref()?, place)?.as_str()
}
