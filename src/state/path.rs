//! Member paths: where in an entity a value is (`category.name`, `tags[].slug`), and the scalars found there.

use super::limits::{MAX_MEMBER_DEPTH, MAX_MEMBER_PATHS};
use crate::json::Value;

/// One step of a member path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A member of an object.
    Member(Box<str>),
    /// Every item of an array.
    Each,
}

/// A path into an entity.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct MemberPath(pub Vec<Step>);

impl MemberPath {
    /// The path of one top-level member.
    pub fn member(name: &str) -> Self {
        Self(vec![Step::Member(name.into())])
    }

    /// The last member's name.
    pub fn last_name(&self) -> Option<&str> {
        self.0.iter().rev().find_map(|step| match step {
            Step::Member(name) => Some(name.as_ref()),
            Step::Each => None,
        })
    }

    /// The member names along the path.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Member(name) => Some(name.as_ref()),
            Step::Each => None,
        })
    }

    /// Whether the path goes through an array.
    pub fn through_array(&self) -> bool {
        self.0.contains(&Step::Each)
    }

    /// The spelling, such as `tags[].slug`.
    pub fn spelling(&self) -> String {
        let mut text = String::new();
        for step in &self.0 {
            match step {
                Step::Member(name) => {
                    if !text.is_empty() {
                        text.push('.');
                    }
                    text.push_str(name);
                }
                Step::Each => text.push_str("[]"),
            }
        }
        text
    }

    /// Calls `visit` for every scalar at the path; returns early when `visit` returns false.
    pub fn visit<'a>(&self, value: &'a Value, visit: &mut dyn FnMut(&'a Value) -> bool) -> bool {
        walk(&self.0, value, visit)
    }

    /// The first scalar at the path.
    pub fn first<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        let mut found = None;
        self.visit(value, &mut |scalar| {
            found = Some(scalar);
            false
        });
        found
    }

    /// The value at the path when it goes through no array.
    pub fn direct<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        let mut at = value;
        for step in &self.0 {
            match step {
                Step::Member(name) => at = at.get(name)?,
                Step::Each => return None,
            }
        }
        Some(at)
    }
}

fn walk<'a>(steps: &[Step], value: &'a Value, visit: &mut dyn FnMut(&'a Value) -> bool) -> bool {
    match steps.split_first() {
        None => match value.plain() {
            Value::Object(_) | Value::Array(_) => true,
            _ => visit(value),
        },
        Some((Step::Member(name), rest)) => match value.get(name) {
            Some(inner) => walk(rest, inner, visit),
            None => true,
        },
        Some((Step::Each, rest)) => match value.as_array() {
            Some(items) => items.iter().all(|item| walk(rest, item, visit)),
            None => true,
        },
    }
}

/// All scalar paths of some entities, in order of first appearance, bounded in depth and number.
pub fn scalar_paths<'a>(entities: impl Iterator<Item = &'a Value>) -> Vec<MemberPath> {
    let mut paths = Vec::new();
    let mut seen = std::collections::HashSet::new();
    for entity in entities {
        collect(entity, &mut Vec::new(), &mut paths, &mut seen);
        if paths.len() >= MAX_MEMBER_PATHS {
            break;
        }
    }
    paths.truncate(MAX_MEMBER_PATHS);
    paths
}

fn collect(
    value: &Value,
    at: &mut Vec<Step>,
    paths: &mut Vec<MemberPath>,
    seen: &mut std::collections::HashSet<MemberPath>,
) {
    match value.plain() {
        Value::Object(object) if at.len() < MAX_MEMBER_DEPTH => {
            for (name, inner) in object {
                let Some(name) = name.as_str() else { continue };
                at.push(Step::Member(name.into()));
                collect(inner, at, paths, seen);
                at.pop();
            }
        }
        Value::Array(items) if at.len() < MAX_MEMBER_DEPTH => {
            at.push(Step::Each);
            for item in items {
                collect(item, at, paths, seen);
            }
            at.pop();
        }
        Value::Object(_) | Value::Array(_) => {}
        _ => {
            let path = MemberPath(at.clone());
            if !at.is_empty() && seen.insert(path.clone()) {
                paths.push(path);
            }
        }
    }
}
