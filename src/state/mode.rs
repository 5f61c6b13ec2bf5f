//! Modes: a parameter that says how another one is meant (`q=ab&partial=true`, `name=^a&use_regex=true`). The two become one
//! key for each value of the mode, so that each has a role of its own.

use super::infer::{Inference, ListCall};
use super::infer_paging::paging_hint;
use super::line::Line;
use super::query::Role;
use std::collections::{BTreeMap, BTreeSet};

/// Joins parameters with the modes beside them: `q` with `partial=true` is the parameter `q(partial=true)`.
pub fn join_modes(mut line: Line, modes: &BTreeMap<String, String>) -> Line {
    for (key, mode) in modes {
        let Some(text) = line.get(mode).map(|param| param.text.clone()) else { continue };
        let Some(at) = line.params.iter().position(|param| param.key == *key) else { continue };
        line.params[at].key = format!("{key}({mode}={text})");
        line.params.retain(|param| param.key != *mode);
        line.params.sort();
    }
    line
}

impl Inference<'_> {
    /// Finds modes: a key without a role beside another that would have one if the two were one.
    pub(super) fn modes(&mut self) {
        for mode in self.mode_like() {
            let partners: BTreeSet<String> = self
                .calls
                .iter()
                .filter(|(line, _)| line.get(&mode).is_some())
                .flat_map(|(line, _)| line.params.iter().map(|param| param.key.clone()))
                .filter(|key| *key != mode && !paging_hint(key))
                .collect();
            for key in partners {
                if self.try_mode(&key, &mode) {
                    break;
                }
            }
        }
    }

    /// Keys that may be modes: few words as values, not all of them numbers, and something left to explain.
    fn mode_like(&self) -> Vec<String> {
        let mut values: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for (line, _) in &self.calls {
            for param in &line.params {
                values.entry(&param.key).or_default().insert(&param.text);
            }
        }
        let word =
            |text: &str| !text.is_empty() && text.len() <= 16 && text.chars().all(|c| c.is_alphanumeric() || c == '_');
        values
            .into_iter()
            .filter(|(key, values)| {
                let open = matches!(self.model.roles.get(*key), None | Some(Role::Unchanging(_)));
                open && values.len() <= 4 && values.iter().all(|text| word(text)) && !paging_hint(key)
            })
            .map(|(key, _)| key.to_owned())
            .collect()
    }

    /// Joins two keys, and keeps that when each of the joined keys has a role and more lines are explained.
    fn try_mode(&mut self, key: &str, mode: &str) -> bool {
        let explained = |work: &Self| work.calls.iter().filter(|(line, call)| work.reproduces(line, call)).count();
        let before = explained(self);
        let held = (self.model.clone(), self.calls.clone(), self.unordered);
        self.model.modes.insert(key.to_owned(), mode.to_owned());
        self.model.roles.remove(mode);
        // What the key means alone is found anew: lines with the mode are no longer its evidence.
        self.model.roles.remove(key);
        let modes = self.model.modes.clone();
        self.calls = held.1.iter().map(|(line, call)| (join_modes(line.clone(), &modes), *call)).collect();
        for _ in 0..2 {
            self.filters();
            self.unchanging();
        }
        let joined: Vec<String> = self
            .calls
            .iter()
            .flat_map(|(line, _)| line.params.iter().map(|param| param.key.clone()))
            .filter(|joined| joined.starts_with(&format!("{key}({mode}=")))
            .collect();
        let roles =
            joined.iter().filter(|joined| matches!(self.model.roles.get(*joined), Some(Role::Filter(_)))).count();
        if roles > 0 && explained(self) > before {
            self.modes_that_change_nothing(key, &joined);
            return true;
        }
        (self.model, self.calls, self.unordered) = held;
        false
    }

    /// A mode that says no, without a role of its own, leaves the key what it is alone: where every line agrees.
    fn modes_that_change_nothing(&mut self, key: &str, joined: &[String]) {
        let Some(alone) = self.model.roles.get(key).filter(|role| matches!(role, Role::Filter(_))).cloned() else {
            return;
        };
        for other in joined {
            let denies = ["=false)", "=0)", "=no)"].iter().any(|end| other.ends_with(end));
            if !denies || matches!(self.model.roles.get(other), Some(Role::Filter(_))) {
                continue;
            }
            let held = self.model.roles.insert(other.clone(), alone.clone());
            let agree = self
                .calls
                .iter()
                .filter(|(line, _)| line.get(other).is_some() && self.unknown(line).is_empty())
                .all(|(line, call)| self.reproduces(line, call));
            if !agree {
                match held {
                    Some(held) => self.model.roles.insert(other.clone(), held),
                    None => self.model.roles.remove(other),
                };
            }
        }
    }

    /// Whether the model lists what a call listed.
    fn reproduces(&self, line: &Line, call: &ListCall) -> bool {
        self.select(&self.model, line, call)
            .is_some_and(|selection| super::infer::same(selection.listed(), &call.listed, true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(&[("q", "a"), ("partial", "true")], &["q(partial=true)"])]
    #[case(&[("q", "a")], &["q"])]
    #[case(&[("partial", "true")], &["partial"])]
    #[case(&[("q", "a"), ("partial", "true"), ("z", "1")], &["q(partial=true)", "z"])]
    fn a_mode_joins_its_key(#[case] pairs: &[(&str, &str)], #[case] expected: &[&str]) {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let modes = BTreeMap::from([("q".to_owned(), "partial".to_owned())]);
        let line = join_modes(Line::new(&pairs, None).unwrap(), &modes);
        assert_eq!(line.params.iter().map(|param| param.key.as_str()).collect::<Vec<_>>(), expected);
    }
}
