//! Families of filters: keys that are spelled alike but for the member they name (`filters[title][$eq]`,
//! `filters[slug][$eq]`) and were seen to demand alike. A key of the family that no line held demands the same of its member.

use super::infer::Inference;
use super::path::MemberPath;
use super::query::Role;
use super::term::{Op, Several, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A family.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// What stands before the member's name in a key.
    pub before: String,
    /// What stands after it.
    pub after: String,
    /// How members compare.
    pub op: Op,
    /// Whether what compares is left out.
    pub negate: bool,
    /// How several values count.
    pub several: Several,
    /// Members by name, those with a role of their own left out.
    pub members: BTreeMap<String, MemberPath>,
}

impl Family {
    /// What a key of the family demands.
    pub fn term(&self, key: &str) -> Option<Term> {
        let name = key.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        let path = self.members.get(name)?;
        Some(Term {
            targets: vec![path.clone()],
            op: self.op,
            negate: self.negate,
            several: self.several,
            lookup: None,
        })
    }
}

impl Inference<'_> {
    /// Finds families: at least two members under one spelling that demand alike, or one under a spelling that says its
    /// comparison, next to another comparison of the same spelling.
    pub(super) fn families(&mut self) {
        type Alike = (String, String);
        let mut found: BTreeMap<Alike, Vec<(&str, &Term)>> = BTreeMap::new();
        for (key, role) in &self.model.roles {
            let Role::Filter(term) = role else { continue };
            let ([path], None) = (term.targets.as_slice(), &term.lookup) else { continue };
            for name in [path.last_name().unwrap_or_default().to_owned(), path.spelling()] {
                // The name as a whole word, as the key spells it.
                let Some(at) = key.find(&name).filter(|_| !name.is_empty()) else { continue };
                let (before, after) = (&key[..at], &key[at + name.len()..]);
                let word = |text: Option<char>| text.is_some_and(char::is_alphanumeric);
                if word(before.chars().next_back())
                    || word(after.chars().next())
                    || before.is_empty() && after.is_empty()
                {
                    continue;
                }
                found.entry((before.to_owned(), after.to_owned())).or_default().push((key, term));
                break;
            }
        }
        let mut prefixes: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (before, after) in found.keys() {
            prefixes.entry(before).or_default().insert(after);
        }
        let mut families = Vec::new();
        for ((before, after), terms) in &found {
            let first = terms[0].1;
            let alike = terms
                .iter()
                .all(|(_, term)| term.op == first.op && term.negate == first.negate && term.several == first.several);
            let siblings = prefixes.get(before.as_str()).map_or(0, BTreeSet::len);
            let spelled = !before.is_empty() && siblings > 1;
            if !alike || terms.len() < 2 && !spelled {
                continue;
            }
            let depth = terms[0].1.targets[0].0.len();
            let wrapper = &terms[0].1.targets[0].0[..depth.saturating_sub(1)];
            let mut members: BTreeMap<String, MemberPath> = BTreeMap::new();
            for path in self.paths.iter().filter(|path| !path.through_array() && path.0.len() <= 3) {
                members.entry(path.spelling()).or_insert_with(|| path.clone());
                if path.0.len() == depth
                    && path.0.starts_with(wrapper)
                    && let Some(name) = path.last_name()
                {
                    members.insert(name.to_owned(), path.clone());
                }
            }
            families.push(Family {
                before: before.clone(),
                after: after.clone(),
                op: first.op,
                negate: first.negate,
                several: first.several,
                members,
            });
        }
        self.model.families = families;
    }
}
