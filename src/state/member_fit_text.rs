//! Rules of texts: made of members of the entity or of what was sent, made unique by a number behind them.

use super::member_fit::{Case, Fitting};
use super::member_rule::MemberExpr;
use super::path::{MemberPath, Step};
use super::text_rule::find_text_rule;
use crate::json::{Object, Value};

impl Fitting<'_> {
    /// A text made of members of the entity, or of what was sent.
    pub(super) fn text(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
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
        Some(MemberExpr::Unique(Box::new(rule)))
    }
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
