//! The rules that were found while one member is fitted: groups of cases that are told apart in several ways meet again and
//! again, at every place inside of the member, so that a rule is looked for once. Notes say what was found, never how.

use super::member_fit::{Case, Fitting};
use super::member_fit_named::Candidate;
use super::member_rule::MemberExpr;
use super::path::MemberPath;
use crate::json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

/// What was asked for: a place, and the very values that its cases and the other entities hold.
type Asked = (MemberPath, Vec<usize>);

/// The rules found for one member of one plan. All values that are asked about have to outlive it.
#[derive(Default)]
pub(super) struct Noted {
    rules: RefCell<HashMap<Asked, Option<MemberExpr>>>,
    candidates: RefCell<HashMap<Vec<usize>, Rc<Vec<Candidate>>>>,
}

impl Noted {
    /// What names entities in some cases; `find` looks for it the first time.
    pub(super) fn candidates<'c>(
        &self,
        cases: impl Iterator<Item = &'c Case<'c>>,
        find: impl FnOnce() -> Vec<Candidate>,
    ) -> Rc<Vec<Candidate>> {
        let places = |case: &Case<'_>| [place(Some(case.given.sent)), place(Some(case.given.after))];
        let asked: Vec<usize> = cases.flat_map(places).collect();
        if let Some(found) = self.candidates.borrow().get(&asked) {
            return Rc::clone(found);
        }
        let found = Rc::new(find());
        self.candidates.borrow_mut().insert(asked, Rc::clone(&found));
        found
    }
}

fn place(value: Option<&Value>) -> usize {
    value.map_or(0, |value| std::ptr::from_ref(value).addr())
}

impl Fitting<'_> {
    /// As [`Fitting::fit_anew`], from what was noted where the same was asked before.
    pub(super) fn fit(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        // An item that is walked may be made for the walk alone.
        let Some(noted) = self.noted.filter(|_| cases.iter().all(|case| case.given.item.is_none())) else {
            return self.fit_anew(cases, at);
        };
        let mut held = Vec::with_capacity(cases.len() * 7 + self.others.len() * 3 + 1);
        held.push(cases.len());
        for case in cases {
            let (given, here) = (&case.given, &case.here);
            let values =
                [Some(given.sent), Some(given.after), given.before, case.value, here.before, here.after, here.beside];
            held.extend(values.map(place));
        }
        for other in self.others {
            held.extend([place(Some(other.entity)), place(other.value), place(other.beside)]);
        }
        let asked = (at.clone(), held);
        if let Some(found) = noted.rules.borrow().get(&asked) {
            return found.clone();
        }
        let found = self.fit_anew(cases, at);
        noted.rules.borrow_mut().insert(asked, found.clone());
        found
    }
}
