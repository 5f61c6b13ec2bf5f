//! Recorded refusals: calls of write tools that the application answered with a 4xx. A call that equals one in line and
//! body is refused the same way. Knows nothing of plans: they say what changes, these say what did not.

use super::derive::Derivation;
use super::derived::Derived;
use super::observe::{is_read, trim_slash};
use super::write_apply::Write;
use crate::json::Value;
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
    /// Whether the call was always refused, whatever the state was: no equal call succeeded, and it is not about an absence.
    always: bool,
}

/// Statuses that say whom or what a call found, not what it sent: another caller (401), an absent target (404, 410).
pub(super) fn tells_of_the_state(status: u16) -> bool {
    matches!(status, 401 | 404 | 410)
}

impl Derivation<'_> {
    /// Collects the refusals of all write tools.
    pub(super) fn refusals(&mut self) {
        let mut all: Vec<Vec<RecordedRefusal>> = vec![Vec::new(); self.manifest.tools.len()];
        for (tool, found) in all.iter_mut().enumerate().filter(|(tool, _)| !is_read(&self.manifest.tools[*tool])) {
            for seen in
                self.observed.of_tool(tool).filter(|seen| (400..500).contains(&seen.status) && seen.status != 401)
            {
                let query = sorted(&seen.query);
                let refusal = RecordedRefusal {
                    record: seen.record,
                    path: seen.path.clone(),
                    query,
                    sent: seen.sent.clone(),
                    always: false,
                };
                let equal = |status: &dyn Fn(u16) -> bool| {
                    self.observed.of_tool(tool).any(|other| {
                        status(other.status) && refusal.is(&other.path, &other.query, other.sent.as_deref())
                    })
                };
                let always = !tells_of_the_state(seen.status) && !equal(&|status| (200..400).contains(&status));
                found.push(RecordedRefusal { always, ..refusal });
            }
        }
        self.derived.refusals = all;
    }
}

impl Derived {
    /// Refusals that hang on the state: a rule answers them, whatever was recorded for an equal call.
    pub(super) fn hang_on_the_state(&mut self, tool: usize, records: &[usize]) {
        let refusals = self.refusals.get_mut(tool).into_iter().flatten();
        refusals.filter(|refusal| records.contains(&refusal.record)).for_each(|refusal| refusal.always = false);
    }
}

impl RecordedRefusal {
    fn is(&self, path: &str, query: &[(String, String)], sent: Option<&Value>) -> bool {
        self.path == trim_slash(path)
            && self.query == sorted(query)
            && match (self.sent.as_deref(), sent) {
                (Some(recorded), Some(sent)) => recorded.same_as(sent),
                (None, None) => true,
                _ => false,
            }
    }
}

impl Derived {
    /// Index of the record of a refusal that equals a call in line and body; `always` asks for those that no state changes.
    pub fn recorded_refusal(&self, tool: usize, write: &Write<'_>, always: bool) -> Option<usize> {
        let refusals = self.refusals.get(tool)?.iter();
        let found = refusals.filter(|refusal| refusal.always || !always);
        found.filter(|refusal| refusal.is(write.path, write.query, write.body)).map(|refusal| refusal.record).next()
    }
}

fn sorted(query: &[(String, String)]) -> Vec<(String, String)> {
    let mut query = query.to_vec();
    query.sort();
    query
}
