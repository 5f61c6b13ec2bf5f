//! What keeps a call on a tree from doing anything, and the recorded answer to that: found from refused calls, of several
//! the one whose status says it best, and answered for other paths.

use super::absence::respell_absence;
use super::member_fit_text::holds_token;
use super::observe::Seen;
use super::per_response::{MadeAnew, made_anew_by_refusals};
use super::store::World;
use super::tree::{Known, Tree, folder_of};
use super::tree_find::Ground;
use super::tree_rule::{Act, TreePart};
use super::tree_write::{TreeMiss, TreeWritten, sent_path};
use crate::json::{Object, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What kept a call from doing anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hindrance {
    /// The item that the path names is absent.
    Absent,
    /// The folder that the path lies in is absent.
    NoFolder,
    /// The item that is to be copied is absent.
    NoSource,
    /// There is an item at the path it would go to.
    Taken,
}

/// A recorded answer to a hindered call.
#[derive(Clone, Debug, PartialEq)]
pub struct Hindered {
    /// Index of the record.
    pub record: usize,
    /// Its body, when that is JSON.
    pub body: Option<Arc<Value>>,
    /// The path that its texts may name.
    pub named: Box<str>,
    /// Members that differ in every recording.
    pub per_response: Vec<MadeAnew>,
}

/// A refused call, and one thing that may have kept it from doing anything.
#[derive(Clone, Debug)]
pub(super) struct Refused<'a> {
    seen: &'a Seen,
    method: &'a str,
    why: Hindrance,
    /// The path that it is about.
    named: String,
    /// The sent member that names that path.
    member: Option<&'a str>,
}

impl Refused<'_> {
    /// How well the answer says so: by a status that says nothing else, else by naming the path (a call may be refused for
    /// what it sends or who sends it, too); `None` where it may be about something else.
    fn rank(&self) -> Option<u8> {
        match (self.why, self.seen.status) {
            (Hindrance::Taken, 409) => Some(0),
            (Hindrance::Absent | Hindrance::NoFolder | Hindrance::NoSource, 404 | 410) => Some(0),
            (_, status) => {
                let names = self.seen.body.as_deref().is_some_and(|body| holds_token(body, &self.named));
                names.then_some(if matches!(status, 400 | 403 | 409 | 422) { 1 } else { 2 })
            }
        }
    }
}

impl Tree {
    /// The recorded answer to a hindered call, with the path that is named now.
    pub fn hindered_body(&self, hindered: &Hindered, now: &str) -> Option<Value> {
        let mut body = hindered.body.as_deref()?.clone();
        respell_absence(&mut body, &[(&*hindered.named, now)], false);
        Some(body)
    }

    /// The recorded answer to a write that something keeps from doing anything.
    pub(super) fn hinder(&self, method: &str, why: Hindrance, named: &str) -> Result<TreeWritten, TreeMiss> {
        let hindered = self.hindered.get(&(method.to_owned(), why)).ok_or(TreeMiss::Unknown)?;
        let body = self.hindered_body(hindered, named);
        let (record, generated) = (hindered.record, hindered.per_response.clone());
        Ok(TreeWritten { world: None, record, body, path: named.to_owned(), part: None, generated })
    }
}

impl<'a> Ground<'a> {
    /// What may have kept a refused call from doing anything.
    pub(super) fn hindrances(&self, world: &World, index: usize, act: Option<&Act>) -> Vec<Refused<'a>> {
        let step = &self.steps[index];
        let absent = |path: &str| matches!(self.tree.known(world, path), Known::Absent);
        let sent = step.seen.sent.as_deref();
        let own = step.path.as_str();
        let of = |why: Hindrance, path: &str, member: Option<&'a str>| Refused {
            seen: step.seen,
            method: step.method,
            why,
            named: path.to_owned(),
            member,
        };
        if step.reads() {
            let plain = absent(own) && step.line().is_some_and(|line| line.is_empty());
            return plain.then(|| of(Hindrance::Absent, own, None)).into_iter().collect();
        }
        let found = match act {
            None => None,
            Some(Act::Save) => (absent(own) && absent(folder_of(own))).then(|| of(Hindrance::NoFolder, own, None)),
            Some(Act::Make) if absent(own) => Some(of(Hindrance::NoFolder, own, None)),
            Some(Act::Make) => {
                let members = sent.and_then(Value::as_object).into_iter().flat_map(Object::iter);
                let named = members.filter_map(|(name, value)| {
                    let path = value.as_str()?.trim_matches('/');
                    absent(path).then_some(of(Hindrance::NoSource, path, Some(name.as_str()?)))
                });
                return named.collect();
            }
            Some(Act::Move(_) | Act::Remove) if absent(own) => Some(of(Hindrance::Absent, own, None)),
            Some(Act::Move(member)) => sent_path(sent, member)
                .filter(|to| matches!(self.tree.known(world, to), Known::Held(_)))
                .map(|to| of(Hindrance::Taken, &to, None)),
            Some(Act::Remove) => None,
        };
        found.into_iter().collect()
    }

    /// The answers to hindered calls: of several the one whose status says best what kept it, and whose path can be told
    /// in its texts. What names the item to copy is what successful calls name it by.
    pub(super) fn hindered(
        refused: &[Refused<'_>],
        parts: &BTreeMap<String, Vec<TreePart>>,
    ) -> BTreeMap<(String, Hindrance), Hindered> {
        let names_source = |call: &Refused<'_>| {
            let namings = parts.get(call.method).into_iter().flatten().filter_map(|part| part.naming.as_ref());
            let mut sources = namings.filter_map(|naming| naming.source.as_deref());
            call.why != Hindrance::NoSource || sources.any(|source| Some(source) == call.member)
        };
        let mut found: BTreeMap<(String, Hindrance), Vec<(u8, &Refused<'_>)>> = BTreeMap::new();
        for call in refused.iter().filter(|call| names_source(call)) {
            let Some(rank) = call.rank() else { continue };
            found.entry((call.method.to_owned(), call.why)).or_default().push((rank, call));
        }
        let best = found.into_iter().filter_map(|(key, calls)| {
            let (_, best) = calls.iter().min_by_key(|(rank, call)| (*rank, call.named.len() < 2, call.seen.ordinal))?;
            let alike = calls.iter().map(|(_, call)| *call).filter(|call| call.seen.status == best.seen.status);
            let (bodies, asked): (Vec<Option<&Value>>, Vec<String>) =
                alike.map(|call| (call.seen.body.as_deref(), call.named.clone())).unzip();
            let bodies: Vec<&Value> = bodies.into_iter().flatten().collect();
            let hindered = Hindered {
                record: best.seen.record,
                body: best.seen.body.clone(),
                named: best.named.as_str().into(),
                per_response: made_anew_by_refusals(&bodies, &asked),
            };
            Some((key, hindered))
        });
        best.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::refused_call;
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::says_so(Hindrance::Absent, 404, r#"{"message":"no"}"#, Some(0))]
    #[case::names_it(Hindrance::Absent, 400, r#"{"message":"no b/c.txt here"}"#, Some(1))]
    #[case::another_reason(Hindrance::Absent, 400, r#"{"message":"a bad day"}"#, None)]
    #[case::another_caller(Hindrance::NoFolder, 403, r#"{"message":"not you"}"#, None)]
    #[case::bad_body(Hindrance::NoFolder, 422, r#"{"message":"no type"}"#, None)]
    #[case::taken(Hindrance::Taken, 409, r#"{"message":"taken"}"#, Some(0))]
    #[case::fails_with_its_name(Hindrance::Absent, 500, r#"{"message":"no b/c.txt here"}"#, Some(2))]
    fn a_refusal_for_any_reason_has_to_name_the_path(
        #[case] why: Hindrance,
        #[case] status: u16,
        #[case] body: &'static str,
        #[case] expected: Option<u8>,
    ) {
        let seen = refused_call("DELETE /files/b/c.txt", status, body);
        let call = Refused { seen: &seen, method: "DELETE", why, named: "b/c.txt".to_owned(), member: None };
        assert_eq!(call.rank(), expected);
    }
}
