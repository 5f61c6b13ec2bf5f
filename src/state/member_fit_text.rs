//! Rules of texts: made of members of the entity or of what was sent, made unique by a number behind them.

use super::line::scalar_text;
use super::member_cast::Cast;
use super::member_fit::{Case, Fitting, MIN_COPY, distinct};
use super::member_fit_held::via_value;
use super::member_fit_named::Candidate;
use super::member_rule::{Lookup, MemberExpr, Taken};
use super::path::{MemberPath, Step, scalar_paths};
use super::store::World;
use super::text_rule::{Piece, find_text_rule, find_text_rule_in, make_text, slug};
use super::write_maker::named_entity;
use crate::json::{Object, Value};

/// Names of the sources while a joined text is looked for.
const AFTER: &str = "after";
const SENT: &str = "sent";
const BEFORE: &str = "before";
const NAMED: &str = "named";
const BESIDE: &str = "beside";
/// Entities that a text may be made of.
const MAX_NAMED: usize = 6;
/// Characters: shorter members of a named entity are in texts by chance.
const MIN_TOLD: usize = 3;

impl Fitting<'_> {
    /// A text made of members of the entity, of what was sent, of members of entities that either names. What other
    /// entities of the type prove comes before what the recorded calls alone show; those have to agree in the main.
    pub(super) fn text(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let name = at.0.first().and_then(|step| match step {
            Step::Member(name) => Some(name.as_ref()),
            Step::Each | Step::Pick(_) => None,
        })?;
        let texts: Vec<&str> = cases.iter().map(|case| case.value?.as_str()).collect::<Option<_>>()?;
        let sent: Vec<(&Value, &str)> = cases.iter().zip(&texts).map(|(case, text)| (case.given.sent, *text)).collect();
        if let Some(pieces) = find_text_rule("", &sent) {
            return Some(MemberExpr::SentText(pieces));
        }
        if !self.dependent {
            return None;
        }
        let told: Vec<(Value, &str)> = self
            .others
            .iter()
            .filter_map(|other| Some((leave_out(other.entity, name), other.value?.as_str()?)))
            .collect();
        let own: Vec<Value> = cases.iter().map(|case| leave_out(case.given.after, name)).collect();
        let of_cases: Vec<(&Value, &str)> = own.iter().zip(&texts).map(|(value, text)| (value, *text)).collect();
        let mut all = of_cases.clone();
        all.extend(told.iter().map(|(value, text)| (value, *text)));
        if let Some(pieces) = find_text_rule(name, &all) {
            return Some(MemberExpr::Text(pieces));
        }
        let named = self.named_by(cases, at, &texts);
        if let Some(rule) = self.joined_with_others(cases, &of_cases, &told, &named) {
            return Some(rule);
        }
        if let Some(rule) = self.beside_with_others(cases, &of_cases, name) {
            return Some(rule);
        }
        if let Some(pieces) = find_text_rule(name, &of_cases) {
            let agree = told.iter().filter(|(value, text)| make_text(&pieces, value).as_deref() == Some(text)).count();
            if agree * 2 >= told.len() {
                return Some(MemberExpr::Text(pieces));
            }
        }
        self.joined(cases, at, &of_cases, &named)
    }

    /// A text made of the entity itself, where a rule looks it up in an entity of another type that has the same identity:
    /// two types that count alike make alike texts of their numbers.
    pub(super) fn own_text_instead(
        &self,
        cases: &[Case<'_>],
        at: &MemberPath,
        rule: &MemberExpr,
    ) -> Option<MemberExpr> {
        let MemberExpr::Lookup(lookup) = rule else { return None };
        let by_identity = matches!(&lookup.via, MemberExpr::After(path) if path == self.identity);
        if !by_identity || distinct(cases) < 2 {
            return None;
        }
        self.text(cases, at).filter(|rule| matches!(rule, MemberExpr::Text(_)))
    }

    /// A text that only one call's sent text is in: what is around it is taken for fixed.
    pub(super) fn sent_once(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let text = cases[0].value?.as_str()?;
        if self.answers || at == self.identity || distinct(cases) > 1 {
            return None;
        }
        for (path, sent) in sent_texts(cases)? {
            let slugged = slug(&sent);
            for (part, piece) in [(&sent, Piece::Whole(path.clone())), (&slugged, Piece::Slug(path.clone()))] {
                if part.len() < MIN_COPY {
                    continue;
                }
                let Some((before, after)) = text.split_once(part.as_str()) else { continue };
                let fixed = |text: &str| (!text.is_empty()).then(|| Piece::Fixed(text.to_owned()));
                let pieces = [fixed(before), Some(piece), fixed(after)].into_iter().flatten().collect::<Vec<_>>();
                if make_text(&pieces, cases[0].given.sent).as_deref() == Some(text) {
                    return Some(MemberExpr::SentText(pieces));
                }
            }
        }
        None
    }

    /// A text that ends with, or has between separators, the identity of the one created entity that shows it.
    pub(super) fn own_once(&self, cases: &[Case<'_>]) -> Option<MemberExpr> {
        if self.answers || !self.creates || distinct(cases) > 1 {
            return None;
        }
        let text = cases[0].value?.as_str()?;
        let own = self.identity.direct(cases[0].given.after).and_then(scalar_text)?;
        let at = token_places(text, &own).last().copied().filter(|_| text.len() > own.len())?;
        let fixed = |text: &str| (!text.is_empty()).then(|| Piece::Fixed(text.to_owned()));
        let piece = Some(Piece::Whole(self.identity.clone()));
        let pieces = [fixed(&text[..at]), piece, fixed(&text[at + own.len()..])];
        Some(MemberExpr::Text(pieces.into_iter().flatten().collect()))
    }

    /// The entities that something in every case names, and whose members are in the text: what names them, and their
    /// type.
    fn named_by(&self, cases: &[Case<'_>], at: &MemberPath, texts: &[&str]) -> Vec<(MemberExpr, usize)> {
        let own = |path: &MemberPath| path == self.identity || !at.0.is_empty() && path.0.starts_with(&at.0[..1]);
        let candidates = self.candidates(cases, None);
        let by_identity = |candidate: &&Candidate| candidate.by.0.is_empty() && candidate.base == 0;
        // What names the target itself, as it was before, names no other.
        let names_target = |candidate: &&Candidate| {
            let own = |case: &Case<'_>| {
                let value = via_value(&candidate.via, case).and_then(|value| scalar_text(&value));
                let target = self.identity.direct(case.given.after).and_then(scalar_text);
                value.is_some() && value == target
            };
            candidate.kind == self.kind && cases.iter().all(own)
        };
        let tells = |candidate: &&Candidate| {
            !names_target(candidate)
                && cases.iter().zip(texts).all(|(case, text)| {
                    let value = via_value(&candidate.via, case);
                    let value = value.filter(|value| scalar_text(value).is_some_and(|id| !id.is_empty()));
                    let entity = value.and_then(|id| named_entity(case.world, candidate.kind, &candidate.by, &id));
                    entity.is_some_and(|entity| is_told_by(&entity, text))
                })
        };
        // What the entity itself holds comes first.
        let held = candidates.iter().filter(|candidate| match &candidate.via {
            MemberExpr::After(path) => !own(path),
            _ => false,
        });
        let others = candidates.iter().filter(|candidate| match &candidate.via {
            MemberExpr::After(_) => false,
            MemberExpr::Sent(path, _) => path.0.len() <= 2,
            _ => true,
        });
        let named = held.chain(others).filter(by_identity).filter(tells).take(MAX_NAMED);
        named.map(|candidate| (candidate.via.clone(), candidate.kind)).collect()
    }

    /// A text of members of the entity and of entities that its members name, where other entities of the type show the
    /// same.
    fn joined_with_others(
        &self,
        cases: &[Case<'_>],
        own: &[(&Value, &str)],
        told: &[(Value, &str)],
        named: &[(MemberExpr, usize)],
    ) -> Option<MemberExpr> {
        let named: Vec<(MemberPath, usize)> = named
            .iter()
            .filter_map(|(via, kind)| match via {
                MemberExpr::After(path) => Some((path.clone(), *kind)),
                _ => None,
            })
            .collect();
        if named.is_empty() || told.is_empty() {
            return None;
        }
        let ground = |entity: &Value, world: &World| -> Option<Value> {
            let mut ground = Object::new().with(AFTER, entity.clone());
            for (index, (path, kind)) in named.iter().enumerate() {
                let held = named_entity(world, *kind, &MemberPath::default(), path.direct(entity)?)?;
                ground.push(format!("{NAMED}{index}"), held);
            }
            Some(ground.into())
        };
        let mut grounds: Vec<(Value, &str)> = Vec::new();
        for (case, (value, text)) in cases.iter().zip(own) {
            grounds.push((ground(value, case.world)?, text));
        }
        let of_others = told.iter().filter_map(|(value, text)| Some((ground(value, self.world)?, *text)));
        grounds.extend(of_others.collect::<Vec<_>>());
        if grounds.len() == cases.len() {
            return None;
        }
        let vias: Vec<(MemberExpr, usize)> =
            named.iter().map(|(path, kind)| (MemberExpr::After(path.clone()), *kind)).collect();
        joined_rule(&grounds, &vias)
    }

    /// A text of members beside it and of others of the entity, where other entities of the type show the same.
    fn beside_with_others(&self, cases: &[Case<'_>], own: &[(&Value, &str)], name: &str) -> Option<MemberExpr> {
        let ground = |entity: &Value, beside: &Value, value: Option<&Value>| -> Value {
            Object::new().with(AFTER, entity.clone()).with(BESIDE, beside_before(beside, value)).into()
        };
        let mut grounds: Vec<(Value, &str)> = Vec::new();
        for (case, (entity, text)) in cases.iter().zip(own) {
            grounds.push((ground(entity, case.here.beside?, case.value), text));
        }
        let told = self.others.iter().filter_map(|other| {
            let text = other.value?.as_str()?;
            Some((ground(&leave_out(other.entity, name), other.beside?, other.value), text))
        });
        grounds.extend(told);
        if grounds.len() == cases.len() { None } else { joined_rule(&grounds, &[]) }
    }

    /// A text of anything that the call gives or names.
    fn joined(
        &self,
        cases: &[Case<'_>],
        at: &MemberPath,
        own: &[(&Value, &str)],
        named: &[(MemberExpr, usize)],
    ) -> Option<MemberExpr> {
        let mut grounds: Vec<(Value, &str)> = Vec::new();
        for (case, (value, text)) in cases.iter().zip(own) {
            let mut ground = Object::new().with(AFTER, (*value).clone()).with(SENT, case.given.sent.clone());
            if let Some(before) = case.given.before
                && let Some([Step::Member(name)]) = at.0.get(..1)
                && let Some(held) = before.get(name)
            {
                ground.push(BEFORE, Object::new().with(name.as_ref(), held.clone()));
            }
            // What other entities do not show, though they could, is not proven.
            if let Some(beside) = case.here.beside.filter(|_| self.others.iter().all(|other| other.value.is_none())) {
                ground.push(BESIDE, beside_before(beside, case.value));
            }
            for (index, (via, kind)) in named.iter().enumerate() {
                let id = via_value(via, case)?;
                ground.push(format!("{NAMED}{index}"), named_entity(case.world, *kind, &MemberPath::default(), &id)?);
            }
            grounds.push((ground.into(), text));
        }
        joined_rule(&grounds, named)
    }

    /// A text that was made unique by a number behind it.
    pub(super) fn unique(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
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
        Some(MemberExpr::Unique(Box::new(rule), Taken::Numbered))
    }
}

/// An entity without a member, and without the view's own spelling of it.
pub(super) fn leave_out(entity: &Value, name: &str) -> Value {
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

/// The texts of one call that are long enough to be told in another; `None` where the calls sent different ones.
pub(super) fn sent_texts(cases: &[Case<'_>]) -> Option<Vec<(MemberPath, String)>> {
    let first = cases.first()?.given.sent;
    let texts: Vec<(MemberPath, String)> = scalar_paths(std::iter::once(first))
        .into_iter()
        .filter(|path| !path.through_array() && path.0.len() <= 2)
        .filter_map(|path| {
            let text = path.direct(first)?.as_str().filter(|text| text.len() >= MIN_COPY)?.to_owned();
            let same = |case: &Case<'_>| path.direct(case.given.sent).and_then(Value::as_str) == Some(&text);
            cases.iter().all(same).then_some((path, text))
        })
        .collect();
    (!texts.is_empty()).then_some(texts)
}

/// Whether a text somewhere in a value holds one of these, or its slug.
pub(super) fn holds_any(value: &Value, texts: &[(MemberPath, String)]) -> bool {
    match value.plain() {
        Value::Object(object) => object.iter().any(|(_, inner)| holds_any(inner, texts)),
        Value::Array(items) => items.iter().any(|item| holds_any(item, texts)),
        Value::String(_) => value.as_str().is_some_and(|held| {
            texts.iter().any(|(_, text)| {
                let slugged = slug(text);
                held.contains(text.as_str()) || slugged.len() >= MIN_COPY && held.contains(&slugged)
            })
        }),
        _ => false,
    }
}

/// Where a token stands in a text, with nothing of a word around it.
pub(super) fn token_places(text: &str, token: &str) -> Vec<usize> {
    let apart = |at: &usize| {
        let around = (text[..*at].chars().next_back(), text[at + token.len()..].chars().next());
        !around.0.is_some_and(char::is_alphanumeric) && !around.1.is_some_and(char::is_alphanumeric)
    };
    if token.is_empty() { Vec::new() } else { text.match_indices(token).map(|(at, _)| at).filter(apart).collect() }
}

/// Whether a text somewhere in a value holds a token.
pub(super) fn holds_token(value: &Value, token: &str) -> bool {
    match value.plain() {
        Value::Object(object) => object.iter().any(|(_, inner)| holds_token(inner, token)),
        Value::Array(items) => items.iter().any(|item| holds_token(item, token)),
        _ => value.as_str().is_some_and(|text| !token_places(text, token).is_empty()),
    }
}

/// Whether a text of the entity, or its slug, is in a text.
fn is_told_by(entity: &Value, text: &str) -> bool {
    scalar_paths(std::iter::once(entity)).into_iter().filter(|path| !path.through_array()).any(|path| {
        let member = path.direct(entity).and_then(Value::as_str).filter(|member| member.len() >= MIN_TOLD);
        member.is_some_and(|member| {
            text.contains(member) || {
                let slug = slug(member);
                slug.len() >= MIN_TOLD && text.contains(&slug)
            }
        })
    })
}

/// The scalar members of an object that come before one of its values.
fn beside_before(object: &Value, value: Option<&Value>) -> Object {
    let members = object.as_object().into_iter().flatten();
    members
        .take_while(|(_, held)| value.is_none_or(|value| !std::ptr::eq(held, value)))
        .filter(|(_, held)| scalar_text(held).is_some())
        .cloned()
        .collect()
}

/// The rule of texts from what their sources hold.
fn joined_rule(grounds: &[(Value, &str)], named: &[(MemberExpr, usize)]) -> Option<MemberExpr> {
    let pairs: Vec<(&Value, &str)> = grounds.iter().map(|(ground, text)| (ground, *text)).collect();
    let pieces = find_text_rule_in(&pairs, &|path| path.0.len() <= 3)?;
    let source = |piece: &Piece| -> Option<MemberExpr> {
        let Some(path) = piece.path() else { return Some(MemberExpr::Absent) };
        let (first, rest) = path.0.split_first()?;
        let Step::Member(source) = first else { return None };
        let rest = MemberPath(rest.to_vec());
        Some(match source.as_ref() {
            AFTER => MemberExpr::After(rest),
            SENT => MemberExpr::Sent(rest, Cast::Same),
            BEFORE => MemberExpr::Before(rest),
            BESIDE => MemberExpr::Beside(rest),
            other => {
                let (via, kind) = named.get(other.strip_prefix(NAMED)?.parse::<usize>().ok()?)?;
                let (by, via) = (MemberPath::default(), via.clone());
                MemberExpr::Lookup(Box::new(Lookup { via, entity_type: *kind, by, member: rest }))
            }
        })
    };
    let parts: Option<Vec<(MemberExpr, Piece)>> =
        pieces.into_iter().map(|piece| Some((source(&piece)?, piece))).collect();
    Some(MemberExpr::Join(parts?))
}
