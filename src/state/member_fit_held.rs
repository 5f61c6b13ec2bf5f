//! Rules from what is held: what the entity was or is, another of its members, a member of another entity that a value
//! names, the held list with an item put into it.

use super::clock_format::clock_seconds;
use super::generate::Generator;
use super::line::scalar_text;
use super::member_fit::{Case, Fitting, Here, MIN_COPY, distinct, is_filled, within};
use super::member_fit_named::Candidate;
use super::member_rule::{Lookup, MemberExpr, Put};
use super::path::{MemberPath, Step, scalar_paths};
use crate::json::Value;

/// The list of the entity that is all that an answer shows, as the write left it.
fn list_of(cases: &[Case<'_>]) -> Option<MemberExpr> {
    let members = cases[0].given.after.as_object()?.iter().filter(|(_, value)| value.as_array().is_some());
    let mut paths = members.filter_map(|(name, _)| name.as_str().map(MemberPath::member));
    let shows = |case: &Case<'_>, path: &MemberPath| {
        let held = path.direct(case.given.after).zip(case.value);
        held.is_some_and(|(held, value)| value.as_array().is_some() && held.same_as(value))
    };
    paths.find(|path| cases.iter().all(|case| shows(case, path))).map(MemberExpr::After)
}

impl Fitting<'_> {
    /// What an answer shows of the entity: the member of the same name, else another that is always equal.
    pub(super) fn of_entity(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let name = at.last_name().or_else(|| self.identity.last_name())?;
        let whole = at.0.is_empty() && cases[0].value.is_some_and(is_filled);
        if whole {
            return list_of(cases);
        }
        let equals = |path: &MemberPath, before: bool| {
            cases.iter().all(|case| {
                let held = if before { case.given.before } else { Some(case.given.after) };
                match (held.and_then(|held| path.direct(held)), case.value) {
                    (Some(held), Some(value)) => held.same_as(value),
                    _ => false,
                }
            })
        };
        // Of a member of the same name, an entity of which it is not known says nothing where others agree.
        let agrees = |path: &MemberPath| {
            let mut known = 0;
            let all = cases.iter().all(|case| match (path.direct(case.given.after), case.value) {
                (Some(held), Some(value)) => {
                    known += 1;
                    held.same_as(value)
                }
                (None, Some(_)) => true,
                (_, None) => false,
            });
            all && known > 0
        };
        let mut paths = if at.0.is_empty() { vec![self.identity.clone()] } else { vec![MemberPath::member(name)] };
        let views = cases[0].given.after.as_object().into_iter().flatten();
        paths.extend(
            views
                .filter_map(|(key, _)| key.as_str())
                .filter(|key| key.split('\u{0}').next() == Some(name) && *key != name)
                .map(MemberPath::member),
        );
        let after = paths.iter().find(|path| equals(path, false)).map(|path| MemberExpr::After(path.clone()));
        let held = cases.iter().all(|case| case.given.before.is_some());
        let rule = after
            .or_else(|| paths.iter().find(|path| held && equals(path, true)).cloned().map(MemberExpr::Before))
            .or_else(|| paths.iter().find(|path| agrees(path)).cloned().map(MemberExpr::After))
            .or_else(|| paths.iter().find(|path| shown_if_any(cases, path)).cloned().map(MemberExpr::AfterIfAny))
            .or_else(|| (at.0.len() > 1 && same_here(cases, |here| here.after)).then_some(MemberExpr::HereAfter))
            .or_else(|| {
                let part = object_called_otherwise(cases)?;
                equals(&part, false).then_some(MemberExpr::After(part))
            })?;
        match (&rule, self.constant(cases)) {
            (MemberExpr::After(path), Some(value)) if self.holds_nowhere_else(path, value) => {
                Some(MemberExpr::Else(Box::new(rule), value.clone()))
            }
            _ => Some(rule),
        }
    }

    /// The one value that the answers of all cases show, which are about more than one entity.
    fn constant<'c>(&self, cases: &[Case<'c>]) -> Option<&'c Value> {
        let value = cases[0].value?;
        let entity = |case: &Case<'_>| self.identity.direct(case.given.after).and_then(scalar_text);
        let first = entity(&cases[0])?;
        let several = cases.iter().any(|case| entity(case).is_some_and(|other| other != first));
        (several && cases.iter().all(|case| case.value.is_some_and(|other| other.same_as(value)))).then_some(value)
    }

    /// Whether no entity of the type holds another value at a path.
    fn holds_nowhere_else(&self, path: &MemberPath, value: &Value) -> bool {
        let mut entities = self.world.collections(self.kind).flat_map(|(_, collection)| collection.iter());
        entities.all(|entity| path.direct(&entity.fields).is_none_or(|held| held.same_as(value)))
    }

    /// The first item of a list that the entity holds: an object, null where the list is empty.
    pub(super) fn first_of(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if !self.dependent || at.0.len() != 1 || !cases.iter().any(|case| case.value.is_some_and(is_filled)) {
            return None;
        }
        let lists = cases[0].given.after.as_object()?.iter().filter(|(_, value)| value.as_array().is_some());
        lists.filter_map(|(name, _)| name.as_str().map(MemberPath::member)).filter(|path| path != at).find_map(|path| {
            let holds = cases.iter().all(|case| {
                let list = path.direct(case.given.after).and_then(Value::as_array);
                list.zip(case.value).is_some_and(|(list, value)| match list.first() {
                    Some(first) => first.same_as(value),
                    None => value.is_null(),
                })
            });
            holds.then_some(MemberExpr::FirstOf(path))
        })
    }

    /// The held list with one item put into it.
    pub(super) fn put(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if self.creates || self.answers || cases[0].given.item.is_some() {
            return None;
        }
        let empty: &[Value] = &[];
        let mut items: Vec<Case<'_>> = Vec::new();
        for case in cases {
            let after = case.value?.as_array()?;
            let before = at.direct(case.given.before?).map_or(Some(empty), Value::as_array)?;
            let mut new = after.iter().filter(|item| !before.iter().any(|held| held.same_as(item)));
            // Where the same item was there already, any may be the one.
            let item = new.next().or(after.last())?;
            if new.next().is_some() || item.as_object().is_none() || after.len() > before.len() + 1 {
                return None;
            }
            items.push(Case { value: Some(item), here: Here::default(), ..*case });
        }
        let names = items[0].value?.as_object()?.iter().filter_map(|(name, _)| name.as_str());
        let item = self.fit(&items, &within(at, Step::Each))?;
        // An item of which the call gives nothing is the application's own: no case may say that it keeps those before.
        let held =
            |case: &Case<'_>| case.given.before.and_then(|before| at.direct(before)?.as_array()).map_or(0, <[_]>::len);
        let grows =
            |case: &Case<'_>| held(case) > 0 && case.value.and_then(Value::as_array).map_or(0, <[_]>::len) > held(case);
        if !item.reads_call() && !cases.iter().any(grows) {
            return None;
        }
        for key in names {
            for sorted in [false, true] {
                let put = Put { list: at.clone(), key: key.into(), item: item.clone(), sorted };
                let holds = cases.iter().zip(&items).all(|(case, item)| {
                    let before = case.given.before.and_then(|before| at.direct(before)).and_then(Value::as_array);
                    let made = item.value.map(|item| put.list_with(before.unwrap_or_default(), item.clone()));
                    made.zip(case.value).is_some_and(|(made, value)| made.same_as(value))
                });
                if holds {
                    return Some(MemberExpr::Put(Box::new(put)));
                }
            }
        }
        None
    }

    /// A member of an entity that something sent, a path parameter or another member names.
    pub(super) fn lookup(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = &cases[0];
        let value = first.value?;
        let made = value.as_str().is_some_and(|text| Generator::of_text(text).is_some());
        let plain = matches!(value.plain(), Value::Null | Value::Bool(_));
        if is_filled(value) || plain && first.given.item.is_none() || at == self.identity {
            return None;
        }
        // One value says too little by itself.
        let once = distinct(cases) < 2 && !(made || first.given.item.is_some());
        if once && !(self.dependent && self.others_vary()) {
            return None;
        }
        for candidate in self.candidates(cases, first.given.item).iter() {
            let Candidate { via, kind, by, base, entity } = candidate;
            let from_after = |path: &MemberPath| self.dependent && !at.0.starts_with(&path.0[..1]);
            // By its own value of a member an entity finds itself, or one of the same name by chance.
            let own = |path: &MemberPath| *kind == self.kind && by == path;
            if matches!(via, MemberExpr::After(path) if !from_after(path) || own(path)) {
                continue;
            }
            let Some(value) = cases[*base].value else { continue };
            let members = scalar_paths(std::iter::once(entity));
            let equal = members.into_iter().filter(|path| {
                let named = !plain || path.last_name() == at.last_name();
                named && !path.through_array() && path.direct(entity).is_some_and(|held| held.same_as(value))
            });
            let find =
                |case: &Case<'_>| via_value(via, case).and_then(|text| self.find_named(case.world, *kind, by, &text));
            let mut entities: Option<Vec<Option<Value>>> = None;
            for member in equal {
                let mut missing = 0;
                let entities = entities.get_or_insert_with(|| cases.iter().map(find).collect());
                let holds = cases.iter().zip(&*entities).all(|(case, entity)| {
                    // No read may have shown yet what it names, or all that this holds.
                    let Some(held) = entity.as_ref().and_then(|entity| member.direct(entity)) else {
                        missing += 1;
                        return true;
                    };
                    case.value.is_some_and(|value| held.same_as(value))
                });
                // What names the target itself, as it was before, looks nothing up.
                let is_target = |case: &Case<'_>, entity: &Value| {
                    let (own, named) = (self.identity.direct(case.given.after), self.identity.direct(entity));
                    *kind == self.kind && own.zip(named).is_some_and(|(own, named)| own.same_as(named))
                };
                let mut found =
                    cases.iter().zip(&*entities).filter_map(|(case, entity)| Some((case, entity.as_ref()?)));
                let another = found.any(|(case, entity)| !is_target(case, entity));
                // What names an entity that the state does not hold is refused.
                let told = || !once || self.others_look_up((via, *kind, by), &member);
                if holds && another && missing * 2 < cases.len() && told() {
                    let (via, by) = (via.clone(), by.clone());
                    return Some(MemberExpr::Lookup(Box::new(Lookup { via, entity_type: *kind, by, member })));
                }
            }
        }
        None
    }

    /// A member that always equals another one.
    pub(super) fn copied(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if at == self.identity {
            return None;
        }
        let value = cases[0].value?;
        let text = scalar_text(value).filter(|_| value.as_str().is_some() || value.as_number().is_some())?;
        let identity = self.identity.direct(cases[0].given.after).and_then(scalar_text);
        let is_identity = identity.as_ref() == Some(&text);
        // One value says too little by itself.
        let once = distinct(cases) < 2;
        let told = |path: &MemberPath| {
            !once || is_identity && path == self.identity && text.len() >= MIN_COPY || self.others_copy(path)
        };
        let mut paths = vec![self.identity.clone()];
        if self.dependent {
            paths.extend(
                scalar_paths(std::iter::once(cases[0].given.after))
                    .into_iter()
                    .filter(|path| !path.through_array() && path.0.len() == 1 && path != at && path != self.identity),
            );
        }
        let at_after = |path: &MemberPath| {
            cases.iter().all(|case| match (path.direct(case.given.after), case.value) {
                (Some(held), Some(value)) => held.same_as(value) && clock_seconds(value).is_none(),
                _ => false,
            })
        };
        paths.into_iter().find(|path| at_after(path) && told(path)).map(MemberExpr::After)
    }
}

/// What a `via` says in a case.
pub(super) fn via_value(via: &MemberExpr, case: &Case<'_>) -> Option<Value> {
    match via {
        MemberExpr::Sent(path, _) => path.direct(case.given.sent).cloned(),
        MemberExpr::Item(path, _) => case.given.item.and_then(|item| path.direct(item)).cloned(),
        MemberExpr::Param(index, _) => case.given.params.get(*index).map(|text| Value::from(text.as_str())),
        MemberExpr::After(path) => path.direct(case.given.after).cloned(),
        _ => None,
    }
}

pub(super) fn kept(cases: &[Case<'_>], at: &MemberPath) -> bool {
    cases.iter().all(|case| match (case.given.before.and_then(|before| at.direct(before)), case.value) {
        (Some(before), Some(value)) => before.same_as(value),
        (None, None) => case.given.before.is_some(),
        _ => false,
    })
}

/// Whether every value is what is held at its place.
pub(super) fn same_here(cases: &[Case<'_>], held: for<'h> fn(Here<'h>) -> Option<&'h Value>) -> bool {
    cases.iter().all(|case| match (held(case.here), case.value) {
        (Some(held), Some(value)) => held.same_as(value),
        _ => false,
    })
}

/// Whether answers show a member as it is held, and leave it out where none is held: each at least once.
fn shown_if_any(cases: &[Case<'_>], path: &MemberPath) -> bool {
    let (mut shown, mut left_out) = (false, false);
    cases.iter().all(|case| match (path.direct(case.given.after), case.value) {
        (Some(held), Some(value)) => {
            shown = true;
            held.same_as(value)
        }
        (None, None) => {
            left_out = true;
            true
        }
        _ => false,
    }) && shown
        && left_out
}

/// The member of the entity after the write that is the object which the answer shows under another name.
fn object_called_otherwise(cases: &[Case<'_>]) -> Option<MemberPath> {
    let case = cases.iter().find(|case| case.value.is_some())?;
    let shown = case.value.filter(|value| value.as_object().is_some_and(|object| object.len() > 1))?;
    let mut members = case.given.after.as_object()?.iter();
    let (name, _) = members.find(|(_, held)| held.same_as(shown))?;
    name.as_str().map(MemberPath::member)
}
