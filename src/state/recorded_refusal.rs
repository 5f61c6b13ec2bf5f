//! Recorded refusals: calls of write tools that the application answered with a 4xx. A call that equals one in line and
//! body is refused the same way. Knows nothing of plans: they say what changes, these say what did not.

use super::absence::respell_absence;
use super::derive::Derivation;
use super::derived::Derived;
use super::effect::texts_of;
use super::observe::{Seen, is_read, trim_slash};
use super::store::World;
use super::write_apply::Write;
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::{decode_once, split_path};
use std::collections::BTreeSet;
use std::sync::Arc;

/// One recorded refusal.
#[derive(Clone, Debug)]
pub(super) struct RecordedRefusal {
    /// Index of the record.
    record: usize,
    /// The path without one trailing slash.
    path: String,
    /// Query pairs, sorted.
    query: Vec<(String, String)>,
    /// What was sent.
    sent: Option<Arc<Value>>,
    /// Whether its status says that something is absent.
    says_absent: bool,
    /// The body of such an answer, where that is JSON.
    absent: Option<Arc<Value>>,
    /// Whether the call was always refused, whatever the state was: no equal call succeeded, and it is not about an absence.
    always: bool,
    /// Whether what was sent was always refused, whatever it was sent to.
    by_body: bool,
    /// Whether it was refused as it is at the start, before anything was written.
    early: bool,
}

/// Statuses that refuse a call for what it is: not those of a busy or slow server (408, 429).
pub(super) fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !matches!(status, 408 | 429)
}

/// Statuses of refusals that the state may explain: some applications answer 500 where a name is taken. Not those of another
/// caller, of a server that is not there or has too much to do.
pub(super) fn may_tell_why(status: u16) -> bool {
    matches!(status, 400..=599) && !matches!(status, 401 | 408 | 429 | 502..=504)
}

/// Statuses that say whom or what a call found, not what it sent: another caller (401), an absent target (404, 410).
pub(super) fn tells_of_the_state(status: u16) -> bool {
    matches!(status, 401 | 404 | 410)
}

impl Derivation<'_> {
    /// Collects the refusals of all write tools.
    pub(super) fn refusals(&mut self) {
        let mut all: Vec<Vec<RecordedRefusal>> = vec![Vec::new(); self.manifest.tools.len()];
        // Who asks without being known reads, too: where no read was refused so, a write was for what it was to change.
        let one_caller =
            !self.observed.seen.iter().any(|seen| seen.status == 401 && is_read(&self.manifest.tools[seen.tool]));
        for (tool, found) in all.iter_mut().enumerate().filter(|(tool, _)| !is_read(&self.manifest.tools[*tool])) {
            for seen in self.observed.of_tool(tool).filter(|seen| {
                is_refusal(seen.status) && (seen.status != 401 || one_caller && self.accepts_others(seen))
            }) {
                let query = sorted(&seen.query);
                let says_absent = matches!(seen.status, 404 | 410);
                let refusal = RecordedRefusal {
                    record: seen.record,
                    path: seen.path.clone(),
                    query,
                    sent: seen.sent.clone(),
                    says_absent,
                    absent: says_absent.then(|| seen.body.clone()).flatten(),
                    always: false,
                    by_body: false,
                    early: seen.time < self.first_change,
                };
                let equal = |status: &dyn Fn(u16) -> bool| {
                    self.observed.of_tool(tool).any(|other| {
                        status(other.status) && refusal.is(&other.path, &sorted(&other.query), other.sent.as_deref())
                    })
                };
                let always = (seen.status == 401 || !tells_of_the_state(seen.status))
                    && !equal(&|status| (200..400).contains(&status));
                let sends = |other: &Seen| {
                    let same = other.sent.as_deref().zip(refusal.sent.as_deref()).is_some_and(|(a, b)| a.same_as(b));
                    (200..400).contains(&other.status) && same
                };
                let tells = refusal.sent.as_deref().and_then(Value::as_object).is_some_and(|sent| !sent.is_empty());
                let by_body = always && seen.status != 401 && tells && !self.observed.of_tool(tool).any(sends);
                found.push(RecordedRefusal { always, by_body, ..refusal });
            }
        }
        self.derived.refusals = all;
    }

    /// Whether calls of the same tool that named another target were accepted.
    fn accepts_others(&self, refused: &Seen) -> bool {
        let accepted = |other: &Seen| is_success(other.status) && other.path != refused.path;
        self.observed.of_tool(refused.tool).any(accepted)
    }
}

impl Derived {
    /// Refusals that hang on the state: a rule answers them, whatever was recorded for an equal call.
    pub(super) fn hang_on_the_state(&mut self, tool: usize, records: &[usize]) {
        let refusals = self.refusals.get_mut(tool).into_iter().flatten();
        refusals.filter(|refusal| records.contains(&refusal.record)).for_each(|refusal| {
            refusal.always = false;
            refusal.by_body = false;
        });
    }

    /// What a create in a collection under an absent entity was answered, where the state knows that this one's is absent,
    /// too: the record, and its body.
    pub(super) fn refused_under_absent(
        &self,
        world: &World,
        (tool, kind): (usize, usize),
        (path, collection): (&str, &str),
    ) -> Option<(usize, Value)> {
        let refusals = self.refusals.get(tool)?;
        if refusals.iter().all(|refusal| refusal.absent.is_none()) || !self.lies_under_absent(world, kind, collection) {
            return None;
        }
        let home = |path: &str| path.rfind('/').map(|cut| path[..cut].to_owned()).unwrap_or_default();
        let of_item = home(trim_slash(path)) == collection;
        refusals.iter().find_map(|refusal| {
            let lay_in = if of_item { home(&refusal.path) } else { refusal.path.clone() };
            let body = refusal.absent.as_deref()?;
            self.lies_under_absent(&self.world, kind, &lay_in).then(|| {
                let mut body = body.clone();
                let (recorded, asked) = (split_path(&refusal.path), split_path(trim_slash(path)));
                let pairs: Vec<(String, String)> = recorded
                    .iter()
                    .zip(&asked)
                    .map(|(from, to)| (decode_once(from).into_owned(), decode_once(to).into_owned()))
                    .collect();
                let pairs: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
                respell_absence(&mut body, &pairs, false);
                (refusal.record, body)
            })
        })
    }

    /// Index of the record of a refusal that equals a call in line and body; `always` asks for those that no state changes.
    pub fn recorded_refusal(&self, tool: usize, write: &Write<'_>, always: bool, world: &World) -> Option<usize> {
        let refusals = self.refusals.get(tool).filter(|refusals| !refusals.is_empty())?.iter();
        let query = sorted(write.query);
        let asked = |refusal: &&RecordedRefusal| refusal.always || !always;
        let mut all = refusals.clone().filter(asked);
        let equal = all.find(|refusal| refusal.is(write.path, &query, write.body));
        let alike = || {
            let mut by_body = refusals.filter(|refusal| refusal.by_body && refusal.sends(&query, write.body));
            by_body.find(|refusal| self.stands_for(&refusal.path, trim_slash(write.path), world))
        };
        equal.or_else(alike).map(|refusal| refusal.record)
    }

    /// Index of the record of an equal call that was told at the start that something is absent, where nothing of what it names came or went
    /// since: what is accepted all the same rests on less than that.
    pub(crate) fn refused_at_start(&self, tool: usize, write: &Write<'_>, world: &World) -> Option<usize> {
        let query = sorted(write.query);
        let mut refusals = self.refusals.get(tool)?.iter();
        let equal = |refusal: &&RecordedRefusal| refusal.is(write.path, &query, write.body);
        refusals.find(|refusal| equal(refusal) && self.names_the_same(refusal, world)).map(|refusal| refusal.record)
    }

    /// Whether a call was told at the start that something is absent, and nothing of what it names came or went since.
    fn names_the_same(&self, refusal: &RecordedRefusal, world: &World) -> bool {
        if !refusal.early || !refusal.says_absent {
            return false;
        }
        let mut texts: BTreeSet<String> =
            split_path(&refusal.path).iter().map(|segment| decode_once(segment).into_owned()).collect();
        refusal.sent.iter().for_each(|sent| texts_of(sent, &mut texts));
        let held = |world: &World, id: &str, kind: usize| world.named(kind, id).next().is_some();
        let same = |id: &String| (0..self.types.len()).all(|kind| held(world, id, kind) == held(&self.world, id, kind));
        texts.iter().all(same)
    }

    /// Whether paths differ only in what names entities that were made since the start: one by a recorded call, one by a
    /// served call, and held now.
    fn stands_for(&self, recorded: &str, asked: &str, world: &World) -> bool {
        let (recorded, asked) = (split_path(recorded), split_path(asked));
        let held = |id: &str| (0..self.types.len()).any(|kind| world.named(kind, id).next().is_some());
        recorded.len() == asked.len()
            && recorded.iter().zip(&asked).all(|(one, other)| {
                let (one, other) = (decode_once(one), decode_once(other));
                one == other || !self.holds_id(&one) && !self.holds_id(&other) && held(&other)
            })
    }
}

impl RecordedRefusal {
    /// `query` is sorted.
    fn is(&self, path: &str, query: &[(String, String)], sent: Option<&Value>) -> bool {
        self.path == trim_slash(path) && self.sends(query, sent)
    }

    fn sends(&self, query: &[(String, String)], sent: Option<&Value>) -> bool {
        self.query == query
            && match (self.sent.as_deref(), sent) {
                (Some(recorded), Some(sent)) => recorded.same_as(sent),
                (None, None) => true,
                _ => false,
            }
    }
}

fn sorted(query: &[(String, String)]) -> Vec<(String, String)> {
    let mut query = query.to_vec();
    query.sort();
    query
}
