//! A member that another one's turning makes: a word of the entity becomes another (a draft is published, what was put away
//! is taken back), and with it a text is made, or an ending taken off. A call that turns nothing keeps the member; what a
//! turn makes that no recorded call took is not known.

use super::generate::counted;
use super::member_fit::{Case, Fitting, Other, distinct};
use super::member_fit_held::kept;
use super::member_fit_made::plus;
use super::member_fit_switch::{is_sound, tells_apart};
use super::member_rule::{Given, MemberExpr, Miss};
use super::path::MemberPath;
use super::text_rule::{Piece, make_text};
use crate::json::Value;

/// Most turns that are told apart.
const MAX_TURNS: usize = 6;
/// Characters: shorter endings are taken off by chance.
const MIN_ENDING: usize = 2;

/// What a member becomes when another turns from one value into another.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// The member that turns.
    pub member: MemberPath,
    /// Its value before and after, and what is made then.
    pub ways: Vec<(Value, Value, MemberExpr)>,
    /// What the member is where nothing turns.
    pub same: MemberExpr,
}

impl Turn {
    /// The rule for a call.
    pub(super) fn chosen(&self, given: &Given<'_>) -> Result<&MemberExpr, Miss> {
        let before = given.before.and_then(|before| self.member.direct(before)).ok_or(Miss::Unknown)?;
        let after = self.member.direct(given.after).ok_or(Miss::Unknown)?;
        if before.same_as(after) {
            return Ok(&self.same);
        }
        let mut ways = self.ways.iter();
        let way = ways.find(|(from, to, _)| from.same_as(before) && to.same_as(after));
        way.map(|(_, _, rule)| rule).ok_or(Miss::Unknown)
    }

    /// All rules that it chooses from.
    pub(super) fn rules(&self) -> impl Iterator<Item = &MemberExpr> {
        self.ways.iter().map(|(_, _, rule)| rule).chain(std::iter::once(&self.same))
    }
}

impl Fitting<'_> {
    /// A rule for each turn of a member that tells the changes of this one: whatever turns nothing keeps it.
    pub(super) fn turn(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        if self.creates || self.answers || !self.dependent {
            return None;
        }
        let first = cases.first()?.given.after.as_object()?;
        let words = first.iter().filter(|(_, value)| tells_apart(value));
        let mut members = words.filter_map(|(name, _)| name.as_str().map(MemberPath::member));
        members.find_map(|member| self.turn_of(cases, at, member).map(|turn| MemberExpr::Turn(Box::new(turn))))
    }

    fn turn_of(&self, cases: &[Case<'_>], at: &MemberPath, member: MemberPath) -> Option<Turn> {
        if member == *at || !self.is_word(&member) {
            return None;
        }
        let mut same: Vec<Case<'_>> = Vec::new();
        let mut groups: Vec<(&Value, &Value, Vec<Case<'_>>)> = Vec::new();
        for case in cases {
            let before = case.given.before.and_then(|before| member.direct(before))?;
            let after = member.direct(case.given.after)?;
            let alike =
                |(from, to, _): &&mut (&Value, &Value, Vec<Case<'_>>)| from.same_as(before) && to.same_as(after);
            if before.same_as(after) {
                same.push(*case);
            } else if let Some((_, _, group)) = groups.iter_mut().find(alike) {
                group.push(*case);
            } else if groups.len() < MAX_TURNS && tells_apart(before) && tells_apart(after) {
                groups.push((before, after, vec![*case]));
            } else {
                return None;
            }
        }
        let turned = groups.iter().any(|(_, _, group)| !kept(group, at));
        if same.is_empty() || !kept(&same, at) || !turned {
            return None;
        }
        let fit = |to: &Value, group: &[Case<'_>]| {
            // Entities that are where the turn leads show what it makes.
            let there = |other: &&Other<'_>| member.direct(other.entity).is_some_and(|held| held.same_as(to));
            let others: Vec<Other<'_>> = self.others.iter().filter(there).copied().collect();
            let fitting = Fitting { others: &others, ..*self };
            // A number that goes a step up or down with the turn is counted, whatever it came to be.
            // From one to nothing, seen once, may as well be set to nothing.
            let steps = |group: &[Case<'_>]| {
                let more = group.iter().any(|case| case.value.and_then(counted).is_some_and(|(number, _)| number > 1));
                more || distinct(group) > 1
            };
            let counts = plus(group, at).filter(|_| steps(group));
            let rule = counts.or_else(|| fitting.fit(group, at)).or_else(|| fitting.shortened(group, at));
            // What the call gives it by itself, turned or not.
            rule.filter(|rule| is_sound(rule, group.len()) && !rule.reads_call())
        };
        let way = |(from, to, group): &(&Value, &Value, Vec<Case<'_>>)| {
            // What all turns that lead there make alike comes before what one makes.
            let leads = groups.iter().filter(|(_, other, _)| other.same_as(to));
            let all: Vec<Case<'_>> = leads.flat_map(|(_, _, group)| group).copied().collect();
            let alike = if all.len() > group.len() { fit(to, &all) } else { None };
            let rule = alike.or_else(|| fit(to, group)).unwrap_or(MemberExpr::Unknown);
            ((*from).clone(), (*to).clone(), rule)
        };
        let mut ways: Vec<(Value, Value, MemberExpr)> = groups.iter().map(way).collect();
        self.other_turns(cases, &member, at, &mut ways);
        let tells = |(_, _, rule): &(Value, Value, MemberExpr)| {
            !rule.leaves_gap() && !matches!(rule, MemberExpr::Before(_) | MemberExpr::HereBefore(0))
        };
        // A text of members that changed exactly where it did follows those, whatever turned beside them.
        let made = |(_, _, rule): &(Value, Value, MemberExpr)| self.follows(cases, at, &member, rule);
        if ways.iter().filter(|way| tells(way)).all(made) {
            return None;
        }
        ways.iter().any(tells).then(|| Turn { member, ways, same: MemberExpr::Before(at.clone()) })
    }

    /// Whether a rule makes a text of a member, but not the one that turns, which changed where the text did and nowhere else,
    /// and no other entity shows that the text is not made of it.
    pub(super) fn follows(&self, cases: &[Case<'_>], at: &MemberPath, turns: &MemberPath, rule: &MemberExpr) -> bool {
        let MemberExpr::Text(pieces) = rule else { return false };
        let changed = |case: &Case<'_>, path: &MemberPath| {
            let held = |value: &Value| path.direct(value).cloned().unwrap_or(Value::Null);
            case.given.before.is_some_and(|before| !held(before).same_as(&held(case.given.after)))
        };
        let mut paths = pieces.iter().filter_map(Piece::path).peekable();
        paths.peek().is_some()
            && !self.is_contradicted(rule)
            && paths.all(|path| {
                path != turns && cases.iter().all(|case| changed(case, path) != kept(std::slice::from_ref(case), at))
            })
    }

    /// The held text without the ending that all held ones have.
    fn shortened(&self, cases: &[Case<'_>], at: &MemberPath) -> Option<MemberExpr> {
        let first = cases.first()?;
        let held = first.given.before.and_then(|before| at.direct(before))?.as_str()?;
        let kept = first.value?.as_str()?;
        let off = held.strip_prefix(kept).filter(|off| off.chars().count() >= MIN_ENDING && !kept.is_empty())?;
        let all = cases.iter().all(|case| {
            let held = case.given.before.and_then(|before| at.direct(before)).and_then(Value::as_str);
            held.and_then(|held| held.strip_suffix(off)) == case.value.and_then(Value::as_str)
        });
        let piece = Piece::Without(MemberPath::default(), off.to_owned());
        (all && distinct(cases) > 1).then(|| MemberExpr::Join(vec![(MemberExpr::Before(at.clone()), piece)]))
    }

    /// Whether a text of members is one that other entities do not show.
    pub(super) fn is_contradicted(&self, rule: &MemberExpr) -> bool {
        let MemberExpr::Text(pieces) = rule else { return false };
        self.others.iter().any(|other| {
            let shown = other.value.and_then(Value::as_str);
            shown.is_some() && make_text(pieces, other.entity).as_deref() != shown
        })
    }
}
