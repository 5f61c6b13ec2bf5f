//! Rivals: several rules that each say what one member of a type is (a count of all that name it, a count of those with a
//! word). Followed together they would each change it; the one that leaves the fewest changes unexplained stays.

use super::derive::Derivation;
use super::effect::{EffectRule, Gone};
use super::effect_propose::left;
use super::path::MemberPath;
use super::write_truth::Truth;

/// Rules for one member that are tried, each alone.
const MAX_RIVALS: usize = 4;

/// Where a rule makes a number or a list of what names its holder.
fn made_at(rule: &EffectRule) -> Option<(usize, &MemberPath)> {
    match rule {
        EffectRule::Count { holder, path, .. } => Some((*holder, path)),
        EffectRule::Gather(rule) => Some((rule.holder, &rule.path)),
        _ => None,
    }
}

/// The rules for members that several rules say something of, as indices.
fn rivals(rules: &[EffectRule]) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let Some(at) = made_at(rule) else { continue };
        match groups.iter_mut().find(|group| group.first().and_then(|first| made_at(&rules[*first])) == Some(at)) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups.retain(|group| group.len() > 1);
    groups
}

impl Derivation<'_> {
    /// Leaves one rule for each member: of several the one that explains the most, the first of those.
    pub(super) fn settle_rivals<'t>(&mut self, look: impl Fn(&Self) -> Truth<'t>) {
        let rules = self.derived.effects.clone();
        let groups = rivals(&rules);
        let rounds = groups.iter().map(Vec::len).max().unwrap_or(0).min(MAX_RIVALS);
        let alone = |chosen: &[usize]| -> Vec<EffectRule> {
            let is_rival = |index: &usize| groups.iter().any(|group| group.contains(index));
            let stays = |index: &usize| !is_rival(index) || chosen.contains(index);
            (0..rules.len()).filter(stays).map(|index| rules[index].clone()).collect()
        };
        let mut best: Vec<(usize, usize)> = groups.iter().map(|group| (usize::MAX, group[0])).collect();
        for round in 0..rounds {
            let tried: Vec<usize> = groups.iter().map(|group| group[round.min(group.len() - 1)]).collect();
            self.derived.effects = alone(&tried);
            let truth = look(self);
            for (best, index) in best.iter_mut().zip(&tried) {
                *best = (*best).min((left(&rules[*index], &truth), *index));
            }
        }
        if !groups.is_empty() {
            self.derived.effects = alone(&best.into_iter().map(|(_, index)| index).collect::<Vec<_>>());
        }
    }
}

/// The rules without those that only say a part of what others say: that what is named leaves its list, where another says
/// what the list is when nothing is left in it.
pub(super) fn without_plainer(rules: Vec<EffectRule>) -> Vec<EffectRule> {
    let more = |rule: &EffectRule| {
        let EffectRule::Reference { holder, path, of, gone: Gone::Remove, .. } = rule else { return false };
        rules.iter().any(|other| {
            matches!(other, EffectRule::Reference { holder: one, path: at, of: named, gone: Gone::RemoveElse(_), .. }
                if one == holder && at == path && named == of)
        })
    };
    rules.iter().filter(|rule| !more(rule)).cloned().collect()
}
