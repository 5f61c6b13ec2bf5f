//! What a member's rule asks of a call, of the entity and of other rules, without a value being made: what is not proven,
//! what reads the entity as it comes out, which sent members are used. Where a new expression is added it is answered here.

use super::generate::{Generator, SequenceScope};
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use super::text_rule::Piece;

impl MemberExpr {
    /// Whether any part is not proven.
    pub fn is_unknown(&self) -> bool {
        match self {
            Self::Unknown => true,
            Self::Object(members) => members.iter().any(|(_, member)| member.is_unknown()),
            Self::Array(items) => items.iter().any(Self::is_unknown),
            Self::Each(_, item) | Self::UnlessNull(_, _, item) | Self::Unique(item, _) => item.is_unknown(),
            Self::IfSent(_, then, otherwise) | Self::IfHeld(then, otherwise) => {
                then.is_unknown() && otherwise.is_unknown()
            }
            Self::Sorted(sorted) => sorted.list.is_unknown(),
            _ => false,
        }
    }

    /// Whether there are calls for which it says nothing though it does for others.
    pub fn leaves_gap(&self) -> bool {
        match self {
            Self::IfSent(_, then, otherwise) | Self::IfHeld(then, otherwise) => {
                then.leaves_gap() || otherwise.leaves_gap()
            }
            Self::Turn(turn) => turn.rules().any(Self::leaves_gap),
            _ => self.is_unknown(),
        }
    }

    /// The rule with another one for the calls that send none of what it depends on, where it says nothing of those.
    #[must_use]
    pub fn otherwise(self, rule: &Self) -> Self {
        match self {
            Self::IfSent(sent, then, otherwise) => {
                let otherwise = if otherwise.is_unknown() { rule.clone() } else { otherwise.otherwise(rule) };
                Self::IfSent(sent, then, Box::new(otherwise))
            }
            other => other,
        }
    }

    /// Whether it reads the entity as the write leaves it: such members are made last.
    pub fn reads_after(&self) -> bool {
        match self {
            Self::After(_)
            | Self::AfterIfAny(_)
            | Self::HereAfter
            | Self::FirstOf(_)
            | Self::Parts(..)
            | Self::Text(_)
            | Self::Switch(..)
            | Self::Measure(..)
            | Self::Excerpt(_)
            | Self::Turn(_) => true,
            Self::Made(Generator::Sequence { scope: SequenceScope::Member(_), .. } | Generator::Framed { .. }, _) => {
                true
            }
            Self::Object(members) => members.iter().any(|(_, member)| member.reads_after()),
            Self::Array(items) => items.iter().any(Self::reads_after),
            Self::Each(_, item) | Self::UnlessNull(_, _, item) | Self::Unique(item, _) => item.reads_after(),
            Self::Lookup(lookup) => lookup.via.reads_after(),
            Self::Join(parts) => parts.iter().any(|(source, _)| source.reads_after()),
            Self::Put(put) => put.item.reads_after(),
            Self::Sorted(sorted) => sorted.list.reads_after(),
            Self::Else(rule, _) => rule.reads_after(),
            Self::IfSent(_, then, otherwise) | Self::IfHeld(then, otherwise) => {
                then.reads_after() || otherwise.reads_after()
            }
            _ => false,
        }
    }

    /// Whether it reads members beside it, in the object that is being made.
    pub(super) fn reads_beside(&self) -> bool {
        match self {
            Self::Beside(_) => true,
            Self::Join(parts) => parts.iter().any(|(source, _)| source.reads_beside()),
            Self::Switch(_, rules) => rules.iter().any(|(_, rule)| rule.reads_beside()),
            Self::Turn(turn) => turn.rules().any(Self::reads_beside),
            Self::IfSent(_, then, otherwise) | Self::IfHeld(then, otherwise) => {
                then.reads_beside() || otherwise.reads_beside()
            }
            Self::Else(rule, _) | Self::UnlessNull(_, _, rule) | Self::Unique(rule, _) => rule.reads_beside(),
            _ => false,
        }
    }

    /// Whether the call gives something that is in it: a sent member, a path parameter.
    pub(super) fn reads_call(&self) -> bool {
        match self {
            Self::Param(..) => true,
            Self::Object(members) => members.iter().any(|(_, member)| member.reads_call()),
            Self::Array(items) => items.iter().any(Self::reads_call),
            Self::Join(parts) => parts.iter().any(|(source, _)| source.reads_call()),
            Self::Lookup(lookup) => lookup.via.reads_call(),
            Self::Put(put) => put.item.reads_call(),
            Self::Sorted(sorted) => sorted.list.reads_call(),
            Self::Switch(_, rules) => rules.iter().any(|(_, rule)| rule.reads_call()),
            Self::Turn(turn) => turn.rules().any(Self::reads_call),
            Self::IfHeld(then, otherwise) => then.reads_call() || otherwise.reads_call(),
            Self::Else(rule, _) | Self::Unique(rule, _) => rule.reads_call(),
            rule => {
                let mut any = false;
                rule.sent_paths(&mut |_| any = true);
                any
            }
        }
    }

    /// Calls `visit` with the path of every sent member that the rule reads.
    pub fn sent_paths(&self, visit: &mut dyn FnMut(&MemberPath)) {
        match self {
            Self::Sent(path, _) | Self::Table(path, _) | Self::Due(_, path, _) => visit(path),
            Self::Merge(merge) => visit(&merge.sent),
            Self::SentText(pieces) => pieces.iter().filter_map(Piece::path).for_each(visit),
            Self::Join(parts) => parts.iter().for_each(|(source, _)| source.sent_paths(visit)),
            Self::Object(members) => members.iter().for_each(|(_, member)| member.sent_paths(visit)),
            Self::Array(items) => items.iter().for_each(|item| item.sent_paths(visit)),
            Self::Each(path, item) | Self::UnlessNull(path, _, item) => {
                visit(path);
                item.sent_paths(visit);
            }
            Self::Lookup(lookup) => lookup.via.sent_paths(visit),
            Self::Switch(_, rules) => rules.iter().for_each(|(_, rule)| rule.sent_paths(visit)),
            Self::Turn(turn) => turn.rules().for_each(|rule| rule.sent_paths(visit)),
            Self::Unique(rule, _) => rule.sent_paths(visit),
            Self::Put(put) => put.item.sent_paths(visit),
            Self::Sorted(sorted) => sorted.list.sent_paths(visit),
            Self::Else(rule, _) => rule.sent_paths(visit),
            Self::IfSent(path, then, otherwise) => {
                visit(path);
                then.sent_paths(visit);
                otherwise.sent_paths(visit);
            }
            Self::IfHeld(then, otherwise) => {
                then.sent_paths(visit);
                otherwise.sent_paths(visit);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::member_cast::Cast;
    use super::*;
    use crate::json::Value;

    #[test]
    fn what_is_said_of_the_rest_goes_behind_all_conditions() {
        let (one, other) = (MemberPath::member("a"), MemberPath::member("b"));
        let sent = |path: &MemberPath| Box::new(MemberExpr::Sent(path.clone(), Cast::Same));
        let rule = |last: MemberExpr| {
            let inner = MemberExpr::IfSent(other.clone(), sent(&other), Box::new(last));
            MemberExpr::IfSent(one.clone(), sent(&one), Box::new(inner))
        };
        let kept = MemberExpr::Before(one.clone());
        assert_eq!(rule(MemberExpr::Unknown).otherwise(&kept), rule(kept.clone()));
        let fixed = rule(MemberExpr::Fixed(Value::Null));
        assert_eq!(fixed.clone().otherwise(&kept), fixed);
    }
}
