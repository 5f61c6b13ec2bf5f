//! Rules from what was sent: the member of the same name, another one, a path parameter, an item for each of a sent list.

use super::line::scalar_text;
use super::member_cast::Cast;
use super::member_fit::{Case, Fitting, Here, MIN_COPY, distinct, holds_clock, within};
use super::member_rule::{Given, IfNull, Lookup, MemberExpr};
use super::path::{MemberPath, Step, scalar_paths};
use super::text_rule::find_text_rule;
use crate::json::Value;

impl Fitting<'_> {
    /// The rule of a member in the cases that sent one of its name.
    pub(super) fn where_sent(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        let rule =
            self.as_sent(cases, path, at).or_else(|| self.merge(cases, path, at)).or_else(|| self.rest(cases, at));
        if rule.is_some() {
            return rule;
        }
        let (null, other): (Vec<Case<'_>>, Vec<Case<'_>>) =
            cases.iter().partition(|case| path.direct(case.given.sent).is_some_and(Value::is_null));
        if !null.is_empty()
            && !other.is_empty()
            && null.iter().all(|case| case.value.is_some_and(Value::is_null))
            && let Some(rule) = self.where_sent(&other, path, at)
        {
            return Some(MemberExpr::UnlessNull(path.clone(), IfNull::Null, Box::new(rule)));
        }
        if let Some(rule) = self.by_form(cases, path, at) {
            return Some(rule);
        }
        let mut pairs: Vec<(Value, Value)> = Vec::new();
        for case in cases {
            let (sent, value) = path.direct(case.given.sent).zip(case.value)?;
            match pairs.iter().find(|(from, _)| from.same_as(sent)) {
                Some((_, to)) if !to.same_as(value) => return None,
                Some(_) => {}
                None => pairs.push((sent.clone(), value.clone())),
            }
        }
        // What several calls show alike says more than what only one does.
        if !self.tables && (pairs.len() < 2 || pairs.len() == cases.len()) {
            return None;
        }
        let stamps = pairs.iter().any(|(_, value)| cases.iter().any(|case| holds_clock(value, case.span)));
        (!stamps).then(|| MemberExpr::Table(path.clone(), pairs))
    }

    /// A rule for each form in which a member was sent: as it is, or as an object with one member that names what is meant
    /// (`5`, `{"id": 5}`, `{"name": "attic"}`).
    fn by_form(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        let mut plain: Vec<Case<'_>> = Vec::new();
        let mut named: Vec<(&str, Vec<Case<'_>>)> = Vec::new();
        for case in cases {
            let Some(object) = path.direct(case.given.sent)?.as_object() else {
                plain.push(*case);
                continue;
            };
            let (name, _) = object.iter().next().filter(|_| object.len() == 1)?;
            let name = name.as_str()?;
            match named.iter_mut().find(|(held, _)| *held == name) {
                Some((_, group)) => group.push(*case),
                None => named.push((name, vec![*case])),
            }
        }
        if named.is_empty() || named.len() + usize::from(!plain.is_empty()) < 2 {
            return None;
        }
        let mut rule = if plain.is_empty() { MemberExpr::Unknown } else { self.as_sent(&plain, path, at)? };
        for (name, group) in named.iter().rev() {
            let inner = within(path, Step::Member((*name).into()));
            let sent = cast_of(group, &inner).map(|cast| MemberExpr::Sent(inner.clone(), cast));
            let of_form =
                sent.or_else(|| self.lookup(group, at)).or_else(|| self.called_by_form(group, &inner, name))?;
            rule = MemberExpr::IfSent(inner, Box::new(of_form), Box::new(rule));
        }
        Some(rule)
    }

    /// The identity of the one entity that holds, at the member which a form is spelled with, what was sent there: one call
    /// says it by the member's name.
    fn called_by_form(&self, cases: &[Case<'_>], inner: &MemberPath, name: &str) -> Option<MemberExpr> {
        let by = MemberPath::member(name);
        let holds = |kind: &usize| {
            cases.iter().all(|case| {
                let sent = inner.direct(case.given.sent);
                let entity = sent.and_then(|sent| self.find_named(case.world, *kind, &by, sent));
                let id = entity.as_ref().and_then(|entity| self.types[*kind].identity.direct(entity));
                id.zip(case.value).is_some_and(|(id, value)| id.same_as(value))
            })
        };
        let mut kinds = (0..self.types.len()).filter(holds);
        let entity_type = kinds.next().filter(|_| kinds.next().is_none())?;
        let (via, member) =
            (MemberExpr::Sent(inner.clone(), Cast::Same), self.types.get(entity_type)?.identity.clone());
        Some(MemberExpr::Lookup(Box::new(Lookup { via, entity_type, by, member })))
    }

    /// A rule from the sent member of the same name.
    pub(super) fn as_sent(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        if let Some(cast) = cast_of(cases, path) {
            return Some(MemberExpr::Sent(path.clone(), cast));
        }
        if let Some(each) = self.each(cases, path, at) {
            return Some(each);
        }
        if let Some(sorted) = self.sorted_list(cases, path, at) {
            return Some(sorted);
        }
        let texts: Option<Vec<(&Value, &str)>> =
            cases.iter().map(|case| Some((case.given.sent, case.value?.as_str()?))).collect();
        texts.and_then(|texts| find_text_rule("", &texts)).map(MemberExpr::SentText)
    }

    /// A list with one item for each of a sent list.
    pub(super) fn each(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        let mut items: Vec<Case<'_>> = Vec::new();
        for case in cases {
            let sent = path.direct(case.given.sent)?.as_array()?;
            let stored = case.value?.as_array()?;
            if sent.len() != stored.len() {
                return None;
            }
            for (sent, stored) in sent.iter().zip(stored) {
                let given = Given { item: Some(sent), ..case.given };
                items.push(Case { given, value: Some(stored), here: Here::default(), ..*case });
            }
        }
        if items.is_empty() {
            return None;
        }
        let inner = self.rest(&items, &within(at, Step::Each))?;
        Some(MemberExpr::Each(path.clone(), Box::new(inner)))
    }

    /// A sent member of another name, or one level down.
    pub(super) fn other_sent(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = cases[0].value?;
        let text = scalar_text(first)?;
        let telling = first.as_str().is_some_and(|text| text.len() >= MIN_COPY)
            || distinct(cases) >= 2 && !matches!(first.plain(), Value::Bool(_) | Value::Null);
        if !telling || *at == *self.identity && first.as_number().is_some() {
            return None;
        }
        scalar_paths(std::iter::once(cases[0].given.sent))
            .into_iter()
            .filter(|path| !path.through_array() && path.0.len() <= 2)
            .filter(|path| path.direct(cases[0].given.sent).and_then(scalar_text).as_ref() == Some(&text))
            .find_map(|path| cast_of(cases, &path).map(|cast| MemberExpr::Sent(path, cast)))
    }

    /// A list with one item for each of a sent list of another name.
    pub(super) fn other_each(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let filled = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
        let first = cases.iter().find(|case| case.value.is_some_and(filled))?;
        if first.given.item.is_some() {
            return None;
        }
        let names = first.given.sent.as_object()?.iter().filter(|(_, value)| filled(value));
        names.filter_map(|(name, _)| name.as_str()).find_map(|name| self.each(cases, &MemberPath::member(name), at))
    }
}

/// The sent member that a path's names name: the whole path, its last name, or one above it.
pub(super) fn same_named(cases: &[Case<'_>], at: &MemberPath) -> Option<MemberPath> {
    let names: Vec<&str> = at.names().map(|name| name.split('\u{0}').next().unwrap_or(name)).collect();
    if names.is_empty() || at.through_array() {
        return None;
    }
    let mut candidates = vec![MemberPath(names.iter().map(|name| Step::Member((*name).into())).collect())];
    if names.len() > 1 {
        candidates.push(MemberPath::member(names[names.len() - 1]));
        candidates.push(MemberPath::member(names[0]));
    }
    candidates.into_iter().enumerate().find_map(|(rank, path)| {
        let sent: Vec<&Case<'_>> = cases.iter().filter(|case| path.direct(case.given.sent).is_some()).collect();
        // A name that is only a part of the path says little: its value has to be the stored one.
        let holds = rank == 0
            || sent.iter().all(|case| {
                path.direct(case.given.sent).zip(case.value).is_some_and(|(sent, value)| {
                    Cast::ALL.iter().any(|cast| cast.apply(sent).is_some_and(|cast| cast.same_as(value)))
                })
            });
        (!sent.is_empty() && holds).then_some(path)
    })
}

/// How a sent member is stored in all cases.
pub(super) fn cast_of(cases: &[Case<'_>], path: &MemberPath) -> Option<Cast> {
    Cast::ALL.into_iter().find(|cast| {
        cases.iter().all(|case| {
            let sent = path.direct(case.given.sent);
            sent.zip(case.value).is_some_and(|(sent, value)| cast.apply(sent).is_some_and(|sent| sent.same_as(value)))
        })
    })
}

pub(super) fn item_path(cases: &[Case<'_>]) -> Option<MemberExpr> {
    let item = cases[0].given.item?;
    let whole = MemberPath::default();
    let mut paths = vec![whole];
    paths.extend(scalar_paths(std::iter::once(item)).into_iter().filter(|path| !path.through_array()));
    paths.into_iter().find_map(|path| {
        let cast = Cast::ALL.into_iter().find(|cast| {
            cases.iter().all(|case| {
                let sent = case.given.item.and_then(|item| path.direct(item));
                sent.zip(case.value)
                    .is_some_and(|(sent, value)| cast.apply(sent).is_some_and(|sent| sent.same_as(value)))
            })
        })?;
        Some(MemberExpr::Item(path, cast))
    })
}

pub(super) fn param(cases: &[Case<'_>]) -> Option<MemberExpr> {
    let count = cases[0].given.params.len();
    (0..count).rev().find_map(|index| {
        [Cast::Same, Cast::ToNumber].into_iter().find_map(|cast| {
            let equal = cases.iter().all(|case| {
                let text = case.given.params.get(index).map(|text| Value::from(text.as_str()));
                text.and_then(|text| cast.apply(&text)).zip(case.value).is_some_and(|(text, value)| text.same_as(value))
            });
            equal.then_some(MemberExpr::Param(index, cast))
        })
    })
}
