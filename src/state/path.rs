//! Member paths: where in an entity a value is (`category.name`, `tags[].slug`), and the scalars found there.

use super::limits::{MAX_MEMBER_DEPTH, MAX_MEMBER_PATHS};
use crate::json::{Object, Value};

/// One step of a member path.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A member of an object.
    Member(Box<str>),
    /// Every item of an array.
    Each,
    /// The value of the pair with a key, in an array of pairs (`[{"key": "loss", "value": 1}]`).
    Pick(Box<str>),
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
            Step::Member(name) | Step::Pick(name) => Some(name.as_ref()),
            Step::Each => None,
        })
    }

    /// The member names along the path.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|step| match step {
            Step::Member(name) | Step::Pick(name) => Some(name.as_ref()),
            Step::Each => None,
        })
    }

    /// The path as a place of an answer: `/a/b`.
    pub fn place(&self) -> String {
        self.names().map(|name| format!("/{name}")).collect()
    }

    /// How many members and arrays it goes through; a picked pair counts as the member it stands for.
    pub fn depth(&self) -> usize {
        match self.0.as_slice() {
            [rest @ .., _, Step::Pick(_)] => rest.len() + 1,
            steps => steps.len(),
        }
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
                Step::Pick(key) => text.extend(["[", key.as_ref(), "]"]),
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

    /// As [`MemberPath::direct`], from the members of an object.
    pub fn direct_in<'a>(&self, object: &'a Object) -> Option<&'a Value> {
        let (Step::Member(first), rest) = self.0.split_first()? else { return None };
        rest.iter().try_fold(object.get(first)?, |at, step| match step {
            Step::Member(name) => at.get(name),
            Step::Pick(key) => picked(at, key),
            Step::Each => None,
        })
    }

    /// The value at the path when it goes through no array.
    pub fn direct<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        let mut at = value;
        for step in &self.0 {
            match step {
                Step::Member(name) => at = at.get(name)?,
                Step::Pick(key) => at = picked(at, key)?,
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
        Some((Step::Pick(key), rest)) => match picked(value, key) {
            Some(inner) => walk(rest, inner, visit),
            None => true,
        },
    }
}

/// The key and the value of a pair.
fn pair(item: &Value) -> Option<(&str, &Value)> {
    let key = ["key", "name"].iter().find_map(|name| item.get(name)?.as_str())?;
    let value = item.get("value").filter(|value| value.as_object().is_none() && value.as_array().is_none())?;
    Some((key, value))
}

/// The value of the pair with a key in an array of pairs.
fn picked<'a>(value: &'a Value, key: &str) -> Option<&'a Value> {
    value.as_array()?.iter().filter_map(pair).find(|(held, _)| *held == key).map(|(_, value)| value)
}

/// Paths to the values of pairs, by their keys, down to the second level.
pub fn picked_paths<'a>(entities: impl Iterator<Item = &'a Value>) -> Vec<MemberPath> {
    let mut paths: Vec<MemberPath> = Vec::new();
    for entity in entities {
        collect_picked(entity, &mut Vec::new(), &mut paths);
    }
    paths.truncate(MAX_MEMBER_PATHS);
    paths
}

fn collect_picked(value: &Value, at: &mut Vec<Step>, paths: &mut Vec<MemberPath>) {
    if let Some(object) = value.as_object().filter(|_| at.len() < 3) {
        for (name, inner) in object {
            let Some(name) = name.as_str() else { continue };
            at.push(Step::Member(name.into()));
            collect_picked(inner, at, paths);
            at.pop();
        }
    }
    for (key, _) in value.as_array().into_iter().flatten().filter_map(pair).take(MAX_MEMBER_PATHS) {
        let path = MemberPath(at.iter().cloned().chain([Step::Pick(key.into())]).collect());
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
}

/// All scalar paths of some entities, in order of first appearance, bounded in depth and number.
pub fn scalar_paths<'a>(entities: impl Iterator<Item = &'a Value>) -> Vec<MemberPath> {
    let mut root = Place::default();
    let mut paths = Vec::new();
    for entity in entities {
        collect(entity, &mut root, &mut Vec::new(), &mut paths);
        if paths.len() >= MAX_MEMBER_PATHS {
            break;
        }
    }
    paths.truncate(MAX_MEMBER_PATHS);
    paths
}

/// What was seen at one place of the entities, so that a known place costs neither a copy of its path nor a hash.
#[derive(Default)]
struct Place<'a> {
    scalar: bool,
    members: Vec<(&'a str, Place<'a>)>,
    each: Option<Box<Place<'a>>>,
}

fn collect<'a>(value: &'a Value, place: &mut Place<'a>, at: &mut Vec<Option<&'a str>>, paths: &mut Vec<MemberPath>) {
    match value.plain() {
        Value::Object(object) if at.len() < MAX_MEMBER_DEPTH => {
            for (index, (name, inner)) in object.iter().enumerate() {
                let Some(name) = name.as_str() else { continue };
                let known = match place.members.get(index) {
                    // Entities mostly have their members in one order.
                    Some((held, _)) if *held == name => index,
                    _ => place.members.iter().position(|(held, _)| *held == name).unwrap_or(place.members.len()),
                };
                if known == place.members.len() {
                    place.members.push((name, Place::default()));
                }
                at.push(Some(name));
                if let Some((_, inside)) = place.members.get_mut(known) {
                    collect(inner, inside, at, paths);
                }
                at.pop();
            }
        }
        Value::Array(items) if at.len() < MAX_MEMBER_DEPTH => {
            let inside = place.each.get_or_insert_default();
            at.push(None);
            for item in items {
                collect(item, inside, at, paths);
            }
            at.pop();
        }
        Value::Object(_) | Value::Array(_) => {}
        _ if place.scalar || at.is_empty() => {}
        _ => {
            place.scalar = true;
            let step = |name: &Option<&str>| name.map_or(Step::Each, |name| Step::Member(name.into()));
            paths.push(MemberPath(at.iter().map(step).collect()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn spellings(entities: &[&str]) -> Vec<String> {
        let values: Vec<Value> = entities.iter().map(|text| value(text)).collect();
        scalar_paths(values.iter()).iter().map(MemberPath::spelling).collect()
    }

    fn all(path: &MemberPath, entity: &Value) -> Vec<String> {
        let mut found = Vec::new();
        path.visit(entity, &mut |scalar| {
            found.push(scalar.to_compact());
            true
        });
        found
    }

    #[rstest]
    #[case::in_order_of_appearance(&[r#"{"b":1,"a":2}"#, r#"{"a":1,"c":3}"#], &["b", "a", "c"])]
    #[case::inner_members(&[r#"{"a":{"b":{"c":1}}}"#], &["a.b.c"])]
    #[case::items(&[r#"{"tags":[{"slug":"x"},{"slug":"y","id":1}],"n":[1,2]}"#], &["tags[].slug", "tags[].id", "n[]"])]
    #[case::null_is_a_scalar(&[r#"{"a":null}"#], &["a"])]
    #[case::not_deeper_than_the_limit(&[r#"{"a":{"b":{"c":{"d":1,"e":{"f":1}}}}}"#], &["a.b.c.d"])]
    #[case::nothing(&[r#"{"a":{},"b":[]}"#, "1"], &[])]
    fn scalars_are_found(#[case] entities: &[&str], #[case] expected: &[&str]) {
        assert_eq!(spellings(entities), expected);
    }

    #[test]
    fn paths_are_bounded() {
        let members: Vec<String> = (0..MAX_MEMBER_PATHS + 5).map(|index| format!("\"m{index}\":1")).collect();
        assert_eq!(spellings(&[&format!("{{{}}}", members.join(","))]).len(), MAX_MEMBER_PATHS);
    }

    #[test]
    fn what_a_path_says_of_itself() {
        let entity = value(r#"{"tags":[{"slug":"x"},{"id":1}]}"#);
        let path = scalar_paths([&entity].into_iter()).remove(0);
        assert_eq!(path.spelling(), "tags[].slug");
        assert_eq!(path.names().collect::<Vec<_>>(), ["tags", "slug"]);
        assert_eq!(path.last_name(), Some("slug"));
        assert!(path.through_array());
        assert!(!MemberPath::member("tags").through_array());
        assert_eq!(MemberPath::default().last_name(), None);
    }

    #[rstest]
    #[case::every_item(r#"{"a":[{"b":1},{"b":2},{}]}"#, &["1", "2"], Some("1"))]
    #[case::no_array(r#"{"a":{"b":1}}"#, &[], None)]
    #[case::missing("{}", &[], None)]
    #[case::objects_are_no_scalars(r#"{"a":[{"b":{}},{"b":[1]},{"b":null}]}"#, &["null"], Some("null"))]
    fn visits_are_in_order(#[case] entity: &str, #[case] expected: &[&str], #[case] first: Option<&str>) {
        let path = MemberPath(vec![Step::Member("a".into()), Step::Each, Step::Member("b".into())]);
        let entity = value(entity);
        assert_eq!(all(&path, &entity), expected);
        assert_eq!(path.first(&entity).map(Value::to_compact).as_deref(), first);
        assert_eq!(path.direct(&entity), None);
    }

    #[test]
    fn a_direct_path_gives_any_value() {
        let path = MemberPath(vec![Step::Member("a".into()), Step::Member("b".into())]);
        assert_eq!(path.direct(&value(r#"{"a":{"b":[1]}}"#)).map(Value::to_compact).as_deref(), Some("[1]"));
        assert_eq!(path.direct(&value(r#"{"a":[{"b":1}]}"#)), None);
    }

    proptest! {
        #[test]
        fn every_path_found_leads_to_a_scalar(
            members in proptest::collection::vec(("[a-c]", 0u8..5), 0..6),
        ) {
            let mut entity = crate::json::Object::new();
            for (name, kind) in members {
                let inner = match kind {
                    0 => "1",
                    1 => "\"x\"",
                    2 => r#"{"d":null}"#,
                    3 => r#"[{"e":true},2]"#,
                    _ => "{}",
                };
                entity.set(name.as_str(), value(inner));
            }
            let entity = Value::Object(entity);
            for path in scalar_paths([&entity].into_iter()) {
                let first = path.first(&entity);
                prop_assert!(first.is_some(), "{}", path.spelling());
                if !path.through_array() {
                    prop_assert_eq!(path.direct(&entity), first);
                }
            }
        }
    }
}
