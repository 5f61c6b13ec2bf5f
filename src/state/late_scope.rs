//! Scopes that only later states tell: a list that showed every entity at first, and that leaves out what a write marked
//! (`stage: deleted`) though other reads still show it; a read of one that answers it as absent likewise. The list is then
//! of those that share the value the others had; a parameter's word may ask for those that were marked, or for all.

use super::derive::Derivation;
use super::line::scalar_text;
use super::observe::Seen;
use super::path::{MemberPath, scalar_paths};
use super::scope::Scope;
use super::store::World;
use super::types::View;
use crate::json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A list as a late read shows it, and what it leaves out that is still there.
#[derive(Clone, Debug)]
pub(super) struct LateHidden {
    /// The tool.
    pub tool: usize,
    /// The listed entities' values.
    pub listed: Vec<Arc<Value>>,
    /// Their collections and identities.
    pub ids: Vec<(Arc<str>, Arc<str>)>,
    /// The values of those that it leaves out.
    pub left_out: Vec<Arc<Value>>,
    /// Whether they all come after those that it lists, and the line asks for no size.
    pub cut: bool,
}

/// A list whose line has one parameter that nothing explains.
#[derive(Clone, Debug)]
pub(super) struct LateWord {
    /// The call, as an index into the observed calls.
    pub seen: usize,
    /// The parameter and its value.
    pub word: (String, String),
    /// The listed entities' values.
    pub listed: Vec<Arc<Value>>,
    /// The world.
    pub world: World,
}

impl Derivation<'_> {
    /// Gives lists whose entities share a constant the words that ask for others, or for all.
    pub(super) fn late_words(&mut self, words: &[LateWord]) {
        let mut by_word: BTreeMap<(usize, &(String, String)), Vec<&LateWord>> = BTreeMap::new();
        for word in words {
            by_word.entry((self.observed.seen[word.seen].tool, &word.word)).or_default().push(word);
        }
        for ((tool, (key, text)), asked) in by_word {
            let View::List(held) = &self.derived.views[tool] else { continue };
            let (kind, Scope::Constant(path, value)) = (held.entity_type, held.scope.clone()) else { continue };
            let Some(scope) = asked_scope(&asked, &path, &value) else { continue };
            if let Some(View::List(view)) = self.derived.views.get_mut(tool) {
                view.scope_words.push((key.clone(), text.clone(), scope));
            }
            let says = |seen: &&&Seen| {
                let line = seen.line.as_ref();
                line.and_then(|line| line.get(key)).is_some_and(|param| param.text == *text)
            };
            let first = &self.derived.world;
            let holds = asked.iter().all(|word| self.reproduces(&self.observed.seen[word.seen], &word.world))
                && self.clean_calls(tool, kind).iter().filter(says).all(|seen| self.reproduces(seen, first));
            if let Some(View::List(view)) = self.derived.views.get_mut(tool).filter(|_| !holds) {
                view.scope_words.pop();
            }
        }
    }

    /// Gives lists that leave out what is still there the member whose value tells them apart.
    pub(super) fn late_scopes(&mut self, hidden: &[LateHidden]) {
        let mut by_tool: BTreeMap<usize, Vec<&LateHidden>> = BTreeMap::new();
        for list in hidden {
            by_tool.entry(list.tool).or_default().push(list);
        }
        // What lists of a type are told by is taken for its items, too.
        let is_item = |tool: &usize| matches!(self.derived.views[*tool], View::Item(_));
        let (items, of_lists): (Vec<_>, Vec<_>) = by_tool.into_iter().partition(|(tool, _)| is_item(tool));
        for (tool, lists) in of_lists.into_iter().chain(items) {
            let held = self.derived.views[tool].clone();
            let (kind, free) = match &held {
                View::List(view) => (view.entity_type, view.scope == Scope::All),
                View::Item(view) => (view.entity_type, view.shows_only.is_none()),
                _ => continue,
            };
            let of_type = self.derived.world.collections(kind);
            let first: Vec<Arc<Value>> =
                of_type.flat_map(|(_, collection)| collection.iter().map(|entity| entity.fields.clone())).collect();
            let of_lists = matches!(held, View::Item(_)).then(|| self.told_of_lists(kind, &lists)).flatten();
            // Reads of one are answered as absent by it: then it has to be the only member that tells.
            let alone = matches!(held, View::Item(_));
            let told = of_lists.or_else(|| telling(&lists, &first, alone));
            let Some((path, value)) = told.filter(|_| free) else { continue };
            let calls: Vec<Seen> = self.clean_calls(tool, kind).into_iter().cloned().collect();
            let reproduced = |work: &Self| -> Vec<bool> {
                calls.iter().map(|seen| work.reproduces(seen, &work.derived.world)).collect()
            };
            let before = reproduced(self);
            match self.derived.views.get_mut(tool) {
                Some(View::List(view)) => view.scope = Scope::Constant(path, value),
                Some(View::Item(view)) => view.shows_only = Some((path, value)),
                _ => {}
            }
            // A scope that a first recording contradicts is none.
            if before.iter().zip(reproduced(self)).any(|(before, after)| *before && !after) {
                self.derived.views[tool] = held;
            }
        }
    }

    /// What lists of a type are told by, where it tells what reads of one leave out, too.
    fn told_of_lists(&self, kind: usize, items: &[&LateHidden]) -> Option<(MemberPath, String)> {
        self.derived.views.iter().find_map(|view| {
            let View::List(view) = view else { return None };
            let Scope::Constant(path, value) = &view.scope else { return None };
            (view.entity_type == kind && tells_apart(items, path, value)).then(|| (path.clone(), value.clone()))
        })
    }
}

/// Drops what reads of one show where none of the same tool leaves anything out: it tells nothing.
pub(super) fn keep_telling(hidden: &mut Vec<LateHidden>) {
    let leaving: BTreeSet<usize> =
        hidden.iter().filter(|list| !list.left_out.is_empty()).map(|list| list.tool).collect();
    hidden.retain(|list| leaving.contains(&list.tool));
}

/// Whether all listed have a value at a member, and those left out have another.
fn tells_apart(lists: &[&LateHidden], path: &MemberPath, value: &str) -> bool {
    let text = |held: &Arc<Value>| path.direct(held).and_then(scalar_text);
    lists.iter().flat_map(|list| &list.listed).all(|held| text(held).as_deref() == Some(value))
        && lists.iter().flat_map(|list| &list.left_out).all(|held| text(held).is_some_and(|text| text != value))
}

/// Which entities a word asks for, by the member that tells the list's own ones: those with another value, or all.
fn asked_scope(asked: &[&LateWord], path: &MemberPath, own: &str) -> Option<Scope> {
    let listed = || asked.iter().flat_map(|word| &word.listed);
    let texts: Option<BTreeSet<String>> =
        listed().map(|entity| path.direct(entity.as_ref()).and_then(scalar_text)).collect();
    let texts: Vec<String> = texts?.into_iter().collect();
    match texts.as_slice() {
        [text] if text != own => Some(Scope::Constant(path.clone(), text.clone())),
        [_, _, ..] if texts.iter().any(|text| text == own) => Some(Scope::All),
        _ => None,
    }
}

/// The member whose one value all listed have, and none of those left out. Where only one is listed, all that the first
/// reads showed have to have it, too. `alone`: only where no other member tells as well.
fn telling(lists: &[&LateHidden], first: &[Arc<Value>], alone: bool) -> Option<(MemberPath, String)> {
    let listed = || lists.iter().flat_map(|list| &list.listed);
    let text = |path: &MemberPath, value: &Value| path.direct(value).and_then(scalar_text);
    let paths = scalar_paths(listed().map(AsRef::as_ref));
    let paths = paths.into_iter().filter(|path| !path.through_array() && path.0.len() <= 2);
    let mut found = paths.filter_map(|path| {
        let value = text(&path, listed().next()?)?;
        let shared = || first.len() > 1 && first.iter().all(|entity| text(&path, entity).as_ref() == Some(&value));
        // One entity that two lists show is one.
        let different: BTreeSet<&(Arc<str>, Arc<str>)> = lists.iter().flat_map(|list| &list.ids).collect();
        (tells_apart(lists, &path, &value) && (different.len() > 1 || shared())).then_some((path, value))
    });
    let first = found.next()?;
    (!alone || found.next().is_none()).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn ids(listed: &[Arc<Value>]) -> Vec<(Arc<str>, Arc<str>)> {
        let id = |entity: &Arc<Value>| entity.get("id").and_then(scalar_text).unwrap().into();
        listed.iter().map(|entity| (Arc::from("/things"), id(entity))).collect()
    }

    #[rstest]
    #[case::told(&[r#"{"id":1,"stage":"on"}"#, r#"{"id":2,"stage":"on"}"#], r#"{"id":3,"stage":"off"}"#, Some("stage=on"))]
    #[case::not_told(&[r#"{"id":1,"stage":"on"}"#, r#"{"id":2,"stage":"on"}"#], r#"{"id":3,"stage":"on"}"#, None)]
    #[case::one_is_no_rule(&[r#"{"id":1,"stage":"on"}"#], r#"{"id":3,"stage":"off"}"#, None)]
    #[case::member_missing(&[r#"{"id":1,"stage":"on"}"#, r#"{"id":2,"stage":"on"}"#], r#"{"id":3}"#, None)]
    fn what_tells_them_apart(#[case] listed: &[&str], #[case] left_out: &str, #[case] expected: Option<&str>) {
        let value = |text: &str| Arc::new(crate::json::parse(text.as_bytes()).unwrap());
        let listed: Vec<Arc<Value>> = listed.iter().map(|text| value(text)).collect();
        let ids = ids(&listed);
        let list = LateHidden { tool: 0, listed, ids, left_out: vec![value(left_out)], cut: false };
        let found = telling(&[&list], &[], false).map(|(path, value)| format!("{}={value}", path.spelling()));
        assert_eq!(found.as_deref(), expected);
    }

    #[rstest]
    #[case::one_member(r#"{"id":3,"stage":"off","kind":"note"}"#, Some("stage=on"))]
    #[case::two_members(r#"{"id":3,"stage":"off","kind":"plan"}"#, None)]
    fn a_read_of_one_is_told_by_one_member_alone(#[case] left_out: &str, #[case] expected: Option<&str>) {
        let value = |text: &str| Arc::new(crate::json::parse(text.as_bytes()).unwrap());
        let listed: Vec<Arc<Value>> =
            [1, 2].iter().map(|id| value(&format!(r#"{{"id":{id},"stage":"on","kind":"note"}}"#))).collect();
        let ids = ids(&listed);
        let list = LateHidden { tool: 0, listed, ids, left_out: vec![value(left_out)], cut: false };
        let found = telling(&[&list], &[], true).map(|(path, value)| format!("{}={value}", path.spelling()));
        assert_eq!(found.as_deref(), expected);
    }

    #[rstest]
    #[case::the_marked(&["off", "off"], Some("stage=off"))]
    #[case::all(&["off", "on"], Some("all"))]
    #[case::its_own(&["on", "on"], None)]
    #[case::of_several_marks(&["off", "old"], None)]
    #[case::none(&[], None)]
    fn what_a_word_asks_for(#[case] stages: &[&str], #[case] expected: Option<&str>) {
        let value =
            |stage: &&str| Arc::new(crate::json::parse(format!(r#"{{"stage":"{stage}"}}"#).as_bytes()).unwrap());
        let (listed, world) = (stages.iter().map(value).collect(), World::default());
        let word = LateWord { seen: 0, word: ("view".into(), "x".into()), listed, world };
        let found = asked_scope(&[&word], &MemberPath::member("stage"), "on").map(|scope| match scope {
            Scope::Constant(path, value) => format!("{}={value}", path.spelling()),
            _ => "all".to_owned(),
        });
        assert_eq!(found.as_deref(), expected);
    }

    #[rstest]
    #[case::as_all_before("on", true)]
    #[case::others_before("off", false)]
    fn one_that_is_as_all_were_tells_them_apart(#[case] stage: &str, #[case] told: bool) {
        let value = |text: &str| Arc::new(crate::json::parse(text.as_bytes()).unwrap());
        let entity = |id: usize, stage: &str| value(&format!(r#"{{"id":{id},"stage":"{stage}"}}"#));
        let listed = vec![entity(1, "on")];
        let ids = ids(&listed);
        let list = LateHidden { tool: 0, listed, ids, left_out: vec![entity(3, "gone")], cut: false };
        let first = [entity(1, "on"), entity(3, stage)];
        assert_eq!(telling(&[&list], &first, false).is_some(), told);
        assert_eq!(telling(&[&list, &list], &first, false).is_some(), told, "two lists show one entity");
    }
}
