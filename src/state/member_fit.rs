//! Fitting member rules to recorded writes: the simplest rule that gives the recorded value in every case. A rule that
//! two cases could have told apart from a constant is preferred only when they do.

use super::clock_format::{ClockFormat, clock_seconds};
use super::generate::{Generator, SequenceScope, counted};
use super::line::scalar_text;
use super::member_rule::{Cast, Given, Lookup, MemberExpr, Put};
use super::path::{MemberPath, Step, scalar_paths};
use super::store::World;
use super::text_rule::find_text_rule;
use super::write_maker::{largest_held, named_entity};
use crate::json::{Object, Value};
use std::collections::BTreeSet;

/// One recorded value and what it may depend on.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    /// What was sent and held.
    pub given: Given<'a>,
    /// The write's start and end, in milliseconds.
    pub span: Option<(f64, f64)>,
    /// The value; `None` is no member.
    pub value: Option<&'a Value>,
    /// What the state held before the write.
    pub world: &'a World,
    /// The entity's collection.
    pub collection: &'a str,
}

/// What the cases of a member have in common.
pub(super) struct Fitting<'a> {
    /// Whether the write creates: a member is then never what it was before.
    pub creates: bool,
    /// The type.
    pub kind: usize,
    /// How many types there are.
    pub kinds: usize,
    /// The slot key of the identity.
    pub identity: &'a MemberPath,
    /// Other entities of the type, as evidence for texts made of members.
    pub others: &'a [Value],
    /// Whether an answer is fitted: then what the entity holds comes first.
    pub answers: bool,
    /// Whether members may be made of other members of the entity: first those that need none are found, so that no two
    /// are made of each other.
    pub dependent: bool,
}

/// The largest number that a sequence begins with.
const MAX_START: i64 = 2;
/// Values of a member that tells cases apart.
const MAX_SWITCH: usize = 4;
/// Levels of objects and lists that are taken apart.
const MAX_LEVELS: usize = 6;
/// Items of a list that is taken apart.
const MAX_ITEMS: usize = 8;
/// Characters: shorter texts of another name are equal by chance.
const MIN_COPY: usize = 4;

impl Fitting<'_> {
    /// The rule of a member at a path of the merged entity (or of the answer).
    pub(super) fn fit(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if cases.is_empty() {
            return None;
        }
        if cases.iter().all(|case| case.value.is_none()) {
            return Some(MemberExpr::Absent);
        }
        if self.creates && !self.answers && at == self.identity {
            return Some(MemberExpr::After(at.clone()));
        }
        if self.answers
            && let Some(rule) = self.of_entity(cases, at)
        {
            return Some(rule);
        }
        if let Some(path) = same_named(cases, at) {
            let (with, without): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some());
            let sent = self.where_sent(&with, &path, at);
            let rest = if without.is_empty() { None } else { self.rest(&without, at) };
            return match (sent, rest, without.is_empty()) {
                (None, None, _) => None,
                (Some(sent), None, true) => Some(sent),
                (sent, rest, _) => Some(MemberExpr::IfSent(
                    path,
                    Box::new(sent.unwrap_or(MemberExpr::Unknown)),
                    Box::new(rest.unwrap_or(MemberExpr::Unknown)),
                )),
            };
        }
        self.rest(cases, at)
    }

    /// The rule of a member in the cases that sent one of its name.
    fn where_sent(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        let rule = self.as_sent(cases, path, at).or_else(|| self.rest(cases, at));
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
            return Some(MemberExpr::UnlessNull(path.clone(), Box::new(rule)));
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
        let stamps = pairs.iter().any(|(_, value)| cases.iter().any(|case| holds_clock(value, case.span)));
        (!stamps).then(|| MemberExpr::Table(path.clone(), pairs))
    }

    /// The rule of a new entity's identity.
    pub(super) fn fit_identity(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        let sent = same_named(cases, self.identity).and_then(|path| {
            let cast = cast_of(cases, &path)?;
            Some(MemberExpr::Sent(path, cast))
        });
        sent.or_else(|| param(cases))
            .or_else(|| self.other_sent(cases, self.identity).filter(|_| distinct(cases) > 1))
            .or_else(|| self.made(cases, self.identity))
            .or_else(|| self.text(cases, self.identity))
    }

    /// A rule from the sent member of the same name.
    fn as_sent(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        if let Some(cast) = cast_of(cases, path) {
            return Some(MemberExpr::Sent(path.clone(), cast));
        }
        if let Some(each) = self.each(cases, path, at) {
            return Some(each);
        }
        let texts: Option<Vec<(&Value, &str)>> =
            cases.iter().map(|case| Some((case.given.sent, case.value?.as_str()?))).collect();
        texts.and_then(|texts| find_text_rule("", &texts)).map(MemberExpr::SentText)
    }

    /// A list with one item for each of a sent list.
    fn each(&self, cases: &[Case<'_>], path: &MemberPath, at: &MemberPath) -> Option<MemberExpr> {
        let mut items: Vec<Case<'_>> = Vec::new();
        for case in cases {
            let sent = path.direct(case.given.sent)?.as_array()?;
            let stored = case.value?.as_array()?;
            if sent.len() != stored.len() {
                return None;
            }
            for (sent, stored) in sent.iter().zip(stored) {
                let given = Given { item: Some(sent), ..case.given };
                items.push(Case { given, value: Some(stored), ..*case });
            }
        }
        if items.is_empty() {
            return None;
        }
        let inner = self.rest(&items, &within(at, Step::Each))?;
        Some(MemberExpr::Each(path.clone(), Box::new(inner)))
    }

    /// A rule that reads no sent member of the same name.
    fn rest(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if cases.iter().all(|case| case.value.is_none()) {
            return Some(MemberExpr::Absent);
        }
        if !self.creates && !self.answers && kept(cases, at) {
            return Some(MemberExpr::Before(at.clone()));
        }
        if cases.iter().any(|case| case.value.is_none()) {
            return None;
        }
        if let Some(path) = item_path(cases) {
            return Some(path);
        }
        if let Some(format) = clock(cases) {
            return Some(MemberExpr::Clock(format));
        }
        if let Some(index) = param(cases) {
            return Some(index);
        }
        if let Some(rule) = self.other_sent(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.other_each(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.copied(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.lookup(cases, at) {
            return Some(rule);
        }
        if let Some(rule) = self.made(cases, at) {
            return Some(rule);
        }
        if self.answers
            && cases.iter().all(|case| case.value.is_some_and(is_filled))
            && let Some(parts) = self.parts(cases, at)
        {
            return Some(parts);
        }
        if let Some(first) = cases[0].value
            && cases.iter().all(|case| case.value.is_some_and(|value| value.same_as(first)))
            && !(first.as_object().is_some_and(|object| !object.is_empty()) && holds_clock(first, cases[0].span))
        {
            return Some(MemberExpr::Fixed(first.clone()));
        }
        if let Some(rule) = plus(cases, at).or_else(|| self.put(cases, at)) {
            return Some(rule);
        }
        self.text(cases, at).or_else(|| self.unique(cases, at)).or_else(|| self.parts(cases, at))
    }

    /// What an answer shows of the entity: the member of the same name, else another that is always equal.
    fn of_entity(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let name = at.last_name().or_else(|| self.identity.last_name())?;
        let whole = at.0.is_empty() && cases[0].value.is_some_and(is_filled);
        if whole {
            return None;
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
        let mut paths = if at.0.is_empty() { vec![self.identity.clone()] } else { vec![MemberPath::member(name)] };
        let views = cases[0].given.after.as_object().into_iter().flatten();
        paths.extend(
            views
                .filter_map(|(key, _)| key.as_str())
                .filter(|key| key.split('\u{0}').next() == Some(name) && *key != name)
                .map(MemberPath::member),
        );
        let after = paths.iter().find(|path| equals(path, false)).map(|path| MemberExpr::After(path.clone()));
        after.or_else(|| {
            let held = cases.iter().all(|case| case.given.before.is_some());
            paths.into_iter().find(|path| held && equals(path, true)).map(MemberExpr::Before)
        })
    }

    /// A sent member of another name, or one level down.
    fn other_sent(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
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
    fn other_each(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let filled = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty());
        let first = cases.iter().find(|case| case.value.is_some_and(filled))?;
        if first.given.item.is_some() {
            return None;
        }
        let names = first.given.sent.as_object()?.iter().filter(|(_, value)| filled(value));
        names.filter_map(|(name, _)| name.as_str()).find_map(|name| self.each(cases, &MemberPath::member(name), at))
    }

    /// The held list with one item put into it.
    fn put(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
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
            items.push(Case { value: Some(item), ..*case });
        }
        let names = items[0].value?.as_object()?.iter().filter_map(|(name, _)| name.as_str());
        let item = self.fit(&items, &within(at, Step::Each))?;
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

    /// A generated value: the next number, or a text that looks made and is never the same.
    fn made(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let values: Vec<&Value> = cases.iter().filter_map(|case| case.value).collect();
        let distinct: BTreeSet<String> = values.iter().filter_map(|value| scalar_text(value)).collect();
        if distinct.len() != values.len() {
            return None;
        }
        let is_identity = at == self.identity;
        if let Some(first) = values[0].as_str()
            && let Some(mut generator) = Generator::of_text(first)
        {
            for value in &values[1..] {
                generator = generator.joined(&Generator::of_text(value.as_str()?)?)?;
            }
            return Some(MemberExpr::Made(generator, !self.creates));
        }
        if self.answers {
            return None;
        }
        if self.creates
            && let Some(sequence) = self.sequence(cases, at)
        {
            return Some(sequence);
        }
        if !is_identity && self.passes_all(cases, at) {
            let digits = counted(values[0])?.1;
            return Some(MemberExpr::Made(
                Generator::Sequence { scope: SequenceScope::Type, start: 1, digits },
                !self.creates,
            ));
        }
        if !self.creates {
            return None;
        }
        let counts: Vec<(i64, Option<usize>)> = values.iter().map(|value| counted(value)).collect::<Option<_>>()?;
        let rising = counts.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let digits = counts[0].1;
        (is_identity && rising && counts.iter().all(|(_, other)| other.is_some() == digits.is_some()))
            .then(|| MemberExpr::Made(Generator::Sequence { scope: SequenceScope::Type, start: 1, digits }, false))
    }

    /// Whether numbers called an id each lie past all that the type held: a sequence that others share.
    fn passes_all(&self, cases: &[Case<'_>], at: &MemberPath) -> bool {
        at.0.len() == 1
            && at.last_name() == Some("id")
            && cases.len() > 1
            && cases.iter().all(|case| {
                let number = case.value.and_then(counted).map(|(number, _)| number);
                let held = largest_held(case.world, self.kind, &SequenceScope::Type, None, at);
                number.zip(held).is_some_and(|(number, held)| number > held)
            })
    }

    /// The next number of the entities that count together: all, those of the collection, those that share a member.
    fn sequence(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = cases[0].value?;
        let digits = counted(first)?.1;
        let numbers: Vec<i64> =
            cases.iter().map(|case| counted(case.value?).map(|(number, _)| number)).collect::<Option<_>>()?;
        if at != self.identity && (distinct(cases) < 2 || numbers.iter().all(|number| *number < 2)) {
            return None;
        }
        let mut scopes = vec![SequenceScope::Type, SequenceScope::Collection];
        scopes.extend(
            scalar_paths(std::iter::once(cases[0].given.after))
                .into_iter()
                .filter(|path| {
                    let other = path != at && path != self.identity && at != self.identity;
                    self.dependent && !path.through_array() && path.0.len() == 1 && other
                })
                .map(SequenceScope::Member),
        );
        let follows = |scope: &SequenceScope| -> Option<i64> {
            let mut start: Option<i64> = None;
            let mut counted = false;
            for (case, number) in cases.iter().zip(&numbers) {
                let shared = match scope {
                    SequenceScope::Type => None,
                    SequenceScope::Collection => Some(case.collection.to_owned()),
                    SequenceScope::Member(member) => member.direct(case.given.after).map(Value::to_compact),
                };
                match largest_held(case.world, self.kind, scope, shared.as_deref(), at) {
                    Some(held) if held + 1 == *number => counted = true,
                    Some(_) => return None,
                    None if *number <= MAX_START && start.is_none_or(|start| start == *number) => start = Some(*number),
                    None => return None,
                }
            }
            (counted || start == Some(1)).then(|| start.unwrap_or(1))
        };
        let (scope, start) = scopes.into_iter().find_map(|scope| follows(&scope).map(|start| (scope, start)))?;
        Some(MemberExpr::Made(Generator::Sequence { scope, start, digits }, false))
    }

    /// A member of an entity that something sent, a path parameter or another member names.
    fn lookup(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = &cases[0];
        let value = first.value?;
        let made = value.as_str().is_some_and(|text| Generator::of_text(text).is_some());
        let plain = matches!(value.plain(), Value::Null | Value::Bool(_));
        if is_filled(value)
            || plain && first.given.item.is_none()
            || distinct(cases) < 2 && !(made || first.given.item.is_some())
            || at == self.identity
        {
            return None;
        }
        let mut vias: Vec<MemberExpr> = Vec::new();
        if let Some(item) = first.given.item {
            vias.push(MemberExpr::Item(MemberPath::default(), Cast::Same));
            let inner = scalar_paths(std::iter::once(item)).into_iter().filter(|path| !path.through_array());
            vias.extend(inner.map(|path| MemberExpr::Item(path, Cast::Same)));
        } else {
            let sent = scalar_paths(std::iter::once(first.given.sent)).into_iter();
            vias.extend(
                sent.filter(|path| !path.through_array() && path.0.len() <= 3)
                    .map(|path| MemberExpr::Sent(path, Cast::Same)),
            );
            vias.extend((0..first.given.params.len()).map(|index| MemberExpr::Param(index, Cast::Same)));
            let after = scalar_paths(std::iter::once(first.given.after)).into_iter().filter(|_| self.dependent);
            vias.extend(
                after
                    .filter(|path| !path.through_array() && path.0.len() <= 2 && !at.0.starts_with(&path.0[..1]))
                    .map(MemberExpr::After),
            );
        }
        for via in vias {
            let named = |case: &Case<'_>| via_value(&via, case);
            let Some(text) = named(first).filter(|value| scalar_text(value).is_some_and(|text| !text.is_empty()))
            else {
                continue;
            };
            for kind in 0..self.kinds {
                let mut ways = vec![MemberPath::default()];
                if text.as_str().is_some_and(|text| text.len() > 1) {
                    ways.extend(["name", "slug", "title", "key", "email", "username"].map(MemberPath::member));
                }
                for by in ways {
                    let Some(entity) = named_entity(first.world, kind, &by, &text) else { continue };
                    let members = scalar_paths(std::iter::once(&entity));
                    let equal = members.into_iter().filter(|path| {
                        let named = !plain || path.last_name() == at.last_name();
                        named && !path.through_array() && path.direct(&entity).is_some_and(|held| held.same_as(value))
                    });
                    for member in equal {
                        let mut missing = 0;
                        let holds = cases.iter().all(|case| {
                            let entity = named(case).and_then(|text| named_entity(case.world, kind, &by, &text));
                            let Some(entity) = entity else {
                                missing += 1;
                                return true;
                            };
                            let held = member.direct(&entity);
                            held.zip(case.value).is_some_and(|(held, value)| held.same_as(value))
                        });
                        // What names an entity that the state does not hold is refused.
                        if holds && missing * 2 < cases.len() {
                            return Some(MemberExpr::Lookup(Box::new(Lookup { via, entity_type: kind, by, member })));
                        }
                    }
                }
            }
        }
        None
    }

    /// A member that always equals another one.
    fn copied(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if at == self.identity {
            return None;
        }
        let value = cases[0].value?;
        let text = scalar_text(value).filter(|_| value.as_str().is_some() || value.as_number().is_some())?;
        let identity = self.identity.direct(cases[0].given.after).and_then(scalar_text);
        let is_identity = identity.as_ref() == Some(&text);
        if distinct(cases) < 2 && !(is_identity && text.len() >= MIN_COPY) {
            return None;
        }
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
        paths.into_iter().find(|path| at_after(path)).map(MemberExpr::After)
    }

    /// A text made of members of the entity, or of what was sent.
    fn text(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let name = at.0.first().and_then(|step| match step {
            Step::Member(name) => Some(name.as_ref()),
            Step::Each | Step::Pick(_) => None,
        })?;
        let texts: Vec<(&Value, &str)> =
            cases.iter().map(|case| Some((case.given.after, case.value?.as_str()?))).collect::<Option<_>>()?;
        let sent: Vec<(&Value, &str)> =
            cases.iter().zip(&texts).map(|(case, (_, text))| (case.given.sent, *text)).collect();
        if let Some(pieces) = find_text_rule("", &sent) {
            return Some(MemberExpr::SentText(pieces));
        }
        if !self.dependent {
            return None;
        }
        let mut pairs = texts.clone();
        if !self.answers {
            pairs.extend(
                self.others.iter().filter_map(|other| Some((other, at.direct(other).and_then(Value::as_str)?))),
            );
        }
        let without: Vec<Value> = pairs.iter().map(|(entity, _)| leave_out(entity, name)).collect();
        let pairs: Vec<(&Value, &str)> = without.iter().zip(&pairs).map(|(value, (_, text))| (value, *text)).collect();
        if let Some(pieces) = find_text_rule(name, &pairs) {
            return Some(MemberExpr::Text(pieces));
        }
        let of_cases: Vec<(&Value, &str)> = pairs[..texts.len()].to_vec();
        find_text_rule(name, &of_cases).map(MemberExpr::Text)
    }

    /// A text that was made unique by a number behind it.
    fn unique(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if self.answers || at.0.len() > 1 {
            return None;
        }
        let mut any = false;
        let stripped: Vec<Value> = cases
            .iter()
            .map(|case| {
                let text = case.value?.as_str()?;
                let base = text
                    .rsplit_once('-')
                    .filter(|(_, number)| number.parse::<u32>().is_ok_and(|number| number >= 2))
                    .map(|(base, _)| base)
                    .filter(|base| {
                        case.world
                            .collections(self.kind)
                            .flat_map(|(_, collection)| collection.iter())
                            .any(|entity| at.direct(&entity.fields).and_then(Value::as_str) == Some(base))
                    });
                any |= base.is_some();
                Some(Value::from(base.unwrap_or(text)))
            })
            .collect::<Option<_>>()?;
        if !any {
            return None;
        }
        let plain: Vec<Case<'_>> =
            cases.iter().zip(&stripped).map(|(case, value)| Case { value: Some(value), ..*case }).collect();
        let rule = self.other_sent(&plain, at).or_else(|| self.text(&plain, at))?;
        Some(MemberExpr::Unique(Box::new(rule)))
    }

    /// A rule for each group of cases that something tells apart: whether a member is sent, or a member's value.
    pub(super) fn switch(&self, cases: &[Case<'_>], at: &MemberPath, levels: usize) -> Option<MemberExpr> {
        let sound = |rule: &MemberExpr, count: usize| {
            !(matches!(rule, MemberExpr::Fixed(value) if !is_default(value)) && count < 2)
        };
        let fit = |group: &[Case<'_>]| {
            let rule = self.fit(group, at);
            rule.or_else(|| if levels > 0 { self.switch(group, at, levels - 1) } else { None })
                .filter(|rule| sound(rule, group.len()))
        };
        let mut names: Vec<&str> = Vec::new();
        for case in cases {
            let sent = case.given.sent.as_object().into_iter().flatten().filter_map(|(name, _)| name.as_str());
            names.extend(sent.filter(|name| !names.contains(name)).collect::<Vec<_>>());
        }
        for name in names {
            let path = MemberPath::member(name);
            let (with, without): (Vec<Case<'_>>, Vec<Case<'_>>) =
                cases.iter().partition(|case| path.direct(case.given.sent).is_some());
            if with.is_empty() || without.is_empty() {
                continue;
            }
            if let (Some(then), Some(otherwise)) = (fit(&with), fit(&without)) {
                return Some(MemberExpr::IfSent(path, Box::new(then), Box::new(otherwise)));
            }
        }
        let first = cases.first()?.given.after.as_object()?;
        for (name, value) in first.iter().filter(|_| self.dependent) {
            let path = MemberPath::member(name.as_str()?);
            if path == *at || !matches!(value.plain(), Value::String(_) | Value::Bool(_)) {
                continue;
            }
            let mut groups: Vec<(Value, Vec<Case<'_>>)> = Vec::new();
            for case in cases {
                let Some(held) = path.direct(case.given.after) else { break };
                match groups.iter_mut().find(|(value, _)| value.same_as(held)) {
                    Some((_, group)) => group.push(*case),
                    None => groups.push((held.clone(), vec![*case])),
                }
            }
            let whole = groups.iter().map(|(_, group)| group.len()).sum::<usize>() == cases.len();
            if !whole || !(2..=MAX_SWITCH).contains(&groups.len()) || groups.len() == cases.len() && cases.len() > 2 {
                continue;
            }
            let rules: Option<Vec<(Value, MemberExpr)>> =
                groups.into_iter().map(|(value, group)| Some((value, fit(&group)?))).collect();
            if let Some(rules) = rules {
                return Some(MemberExpr::Switch(path, rules));
            }
        }
        None
    }

    /// An object or a list, member by member.
    fn parts(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if at.0.len() >= MAX_LEVELS {
            return None;
        }
        if let Some(first) = cases[0].value?.as_object() {
            let names: BTreeSet<&str> = first.iter().filter_map(|(name, _)| name.as_str()).collect();
            let mut order: Vec<&str> = first.iter().filter_map(|(name, _)| name.as_str()).collect();
            for case in &cases[1..] {
                let object = case.value?.as_object()?;
                order.extend(object.iter().filter_map(|(name, _)| name.as_str()).filter(|name| !names.contains(name)));
            }
            let mut seen = BTreeSet::new();
            order.retain(|name| seen.insert(*name));
            let mut members = Vec::new();
            for name in order {
                let inner: Vec<Case<'_>> = cases
                    .iter()
                    .map(|case| Case { value: case.value.and_then(|value| value.get(name)), ..*case })
                    .collect();
                let path = within(at, Step::Member(name.into()));
                let fitted = self.fit(&inner, &path);
                let fitted = if self.answers { fitted.or_else(|| self.switch(&inner, &path, 0)) } else { fitted };
                let rule = match fitted {
                    Some(rule) => rule,
                    // What an answer shows is fitted member by member, so that it can be said which is not explained.
                    None if self.answers => MemberExpr::Unknown,
                    None => return None,
                };
                members.push((name.into(), rule));
            }
            return Some(MemberExpr::Object(members));
        }
        let first = cases[0].value?.as_array().filter(|items| !items.is_empty() && items.len() <= MAX_ITEMS)?;
        let mut items = Vec::new();
        for index in 0..first.len() {
            let inner: Option<Vec<Case<'_>>> = cases
                .iter()
                .map(|case| {
                    let list = case.value?.as_array().filter(|list| list.len() == first.len())?;
                    Some(Case { value: list.get(index), ..*case })
                })
                .collect();
            items.push(self.fit(&inner?, at)?);
        }
        Some(MemberExpr::Array(items))
    }
}

/// Whether a value is an object or a list that holds something.
fn is_filled(value: &Value) -> bool {
    value.as_object().is_some_and(|object| !object.is_empty()) || value.as_array().is_some_and(|list| !list.is_empty())
}

/// What a `via` says in a case.
fn via_value(via: &MemberExpr, case: &Case<'_>) -> Option<Value> {
    match via {
        MemberExpr::Sent(path, _) => path.direct(case.given.sent).cloned(),
        MemberExpr::Item(path, _) => case.given.item.and_then(|item| path.direct(item)).cloned(),
        MemberExpr::Param(index, _) => case.given.params.get(*index).map(|text| Value::from(text.as_str())),
        MemberExpr::After(path) => path.direct(case.given.after).cloned(),
        _ => None,
    }
}

/// Whether a value is one that members have when nothing was said about them.
fn is_default(value: &Value) -> bool {
    match value.plain() {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => number.to_f64() == 0.0,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Shared(_) | Value::Rendered(_) => false,
    }
}

fn within(at: &MemberPath, step: Step) -> MemberPath {
    let mut steps = at.0.clone();
    steps.push(step);
    MemberPath(steps)
}

/// An entity without a member, and without the view's own spelling of it.
fn leave_out(entity: &Value, name: &str) -> Value {
    let plain = name.split('\u{0}').next();
    let kept: Object = entity
        .as_object()
        .into_iter()
        .flatten()
        .filter(|(held, _)| held.as_str().is_some_and(|held| held.split('\u{0}').next() != plain))
        .cloned()
        .collect();
    Value::Object(kept)
}

/// The sent member that a path's names name: the whole path, its last name, or one above it.
fn same_named(cases: &[Case<'_>], at: &MemberPath) -> Option<MemberPath> {
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
fn cast_of(cases: &[Case<'_>], path: &MemberPath) -> Option<Cast> {
    Cast::ALL.into_iter().find(|cast| {
        cases.iter().all(|case| {
            let sent = path.direct(case.given.sent);
            sent.zip(case.value).is_some_and(|(sent, value)| cast.apply(sent).is_some_and(|sent| sent.same_as(value)))
        })
    })
}

fn item_path(cases: &[Case<'_>]) -> Option<MemberExpr> {
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

fn kept(cases: &[Case<'_>], at: &MemberPath) -> bool {
    cases.iter().all(|case| match (case.given.before.and_then(|before| at.direct(before)), case.value) {
        (Some(before), Some(value)) => before.same_as(value),
        (None, None) => case.given.before.is_some(),
        _ => false,
    })
}

fn clock(cases: &[Case<'_>]) -> Option<ClockFormat> {
    let formats: Option<Vec<ClockFormat>> =
        cases.iter().map(|case| ClockFormat::stamped(case.value?, case.span)).collect();
    let formats = formats?;
    let first = formats.iter().max_by_key(|format| match format.shape {
        super::clock_format::ClockShape::Iso { digits, .. } => digits,
        _ => 0,
    })?;
    let alike = formats.iter().all(|format| format.ahead == first.ahead)
        && cases.iter().all(|case| case.value.is_some_and(|value| first.spells(value)));
    alike.then(|| first.clone())
}

fn holds_clock(value: &Value, span: Option<(f64, f64)>) -> bool {
    match value.plain() {
        Value::Object(object) => object.iter().any(|(_, inner)| holds_clock(inner, span)),
        Value::Array(items) => items.iter().any(|item| holds_clock(item, span)),
        _ => ClockFormat::stamped(value, span).is_some(),
    }
}

fn param(cases: &[Case<'_>]) -> Option<MemberExpr> {
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

fn plus(cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
    let steps: Option<Vec<i64>> = cases
        .iter()
        .map(|case| {
            let before = counted(at.direct(case.given.before?)?)?;
            let after = counted(case.value?)?;
            Some(after.0 - before.0)
        })
        .collect();
    let steps = steps?;
    let first = *steps.first()?;
    (first == 1 && steps.iter().all(|step| *step == first)).then(|| MemberExpr::Plus(at.clone(), first))
}

/// How many different values the cases have.
fn distinct(cases: &[Case<'_>]) -> usize {
    cases.iter().filter_map(|case| case.value).map(Value::to_compact).collect::<BTreeSet<_>>().len()
}
