//! A member inside of an entity that some updates make anew and others keep (the version before this one, a count of
//! versions): where nothing was held there yet every update makes it, afterwards those that send what made it.

use super::member_fit::{Case, Fitting};
use super::member_fit_held::same_here;
use super::member_rule::{MemberExpr, is_told};
use super::path::MemberPath;
use std::collections::BTreeSet;

impl Fitting<'_> {
    /// A rule for what some updates make and others keep. What an update does that sends only members of which no call
    /// that found something there tells is not known.
    pub(super) fn made_or_kept(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if self.creates || self.answers || !self.dependent || cases.iter().any(|case| case.given.item.is_some()) {
            return None;
        }
        let (same, changed): (Vec<Case<'_>>, Vec<Case<'_>>) =
            cases.iter().partition(|case| same_here(std::slice::from_ref(*case), |here| here.before));
        let held = |case: &&Case<'_>| is_told(case.here.before);
        if same.is_empty()
            || changed.is_empty()
            || !same.iter().all(|case| held(&case))
            || changed.iter().all(|case| held(&case))
        {
            return None;
        }
        let names = |cases: &mut dyn Iterator<Item = &Case<'_>>| -> BTreeSet<String> {
            let sent = cases.filter_map(|case| case.given.sent.as_object());
            sent.flatten().filter_map(|(name, _)| name.as_str()).map(str::to_owned).collect()
        };
        let keep = names(&mut same.iter());
        let mut make: BTreeSet<String> = names(&mut changed.iter().filter(held));
        make.retain(|name| !keep.contains(name));
        let sends = |case: &Case<'_>, name: &String| case.given.sent.get(name).is_some();
        if !changed.iter().filter(held).all(|case| make.iter().any(|name| sends(case, name))) {
            return None;
        }
        let rule = match self.fit(&changed, at)? {
            // Where nothing was held is all that it is asked for.
            MemberExpr::IfHeld(_, rule) if !changed.iter().any(|case| held(&case)) => *rule,
            rule => rule,
        };
        // One call alone shows what is made of nothing where it counts, or takes the next number.
        let sound = changed.len() > 1 || matches!(rule, MemberExpr::Made(..)) || self.plus_here(&changed).is_some();
        if rule.leaves_gap() || !sound {
            return None;
        }
        let mut then = MemberExpr::HereBefore(0);
        let all = names(&mut cases.iter());
        let untold = all.iter().filter(|name| !keep.contains(*name) && !make.contains(*name));
        for name in untold.chain(&make) {
            let made = if make.contains(name) { rule.clone() } else { MemberExpr::Unknown };
            then = MemberExpr::IfSent(MemberPath::member(name), Box::new(made), Box::new(then));
        }
        Some(MemberExpr::IfHeld(Box::new(then), Box::new(rule)))
    }
}
