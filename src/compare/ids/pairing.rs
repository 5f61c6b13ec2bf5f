//! Which objects of two answers are the same entity: by a natural key, never by place.

use std::collections::HashMap;

use super::fields::{NAMING_FIELDS, OWN_ID_FIELDS, is_identifier_field};
use crate::compare::normalise::ClockFormat;
use crate::json::{Object, Value};

/// Pairs the objects of two lists by natural keys: text fields whose value is unique on each side and found on both.
/// Returns index pairs in live order. Naming fields (`name`, `slug`, …) come first; where objects of both sides have
/// one, nothing else pairs them. Another field must be unique throughout.
pub(crate) fn pair_objects(live: &[&Object], environment: &[&Object]) -> Vec<(usize, usize)> {
    if live.is_empty() || environment.is_empty() {
        return Vec::new();
    }
    if !live.iter().chain(environment).any(|object| has_text(object)) {
        // Entities that hold their texts one level down (`{info: {…}, data: {…}}`) pair by those.
        let (ours, theirs) = (inner_members(live), inner_members(environment));
        if ours.iter().chain(&theirs).any(has_text) {
            return pair_objects(&ours.iter().collect::<Vec<_>>(), &theirs.iter().collect::<Vec<_>>());
        }
    }
    let mut pairs = Pairs::new(live.len(), environment.len());
    let mut named = false;
    for field in NAMING_FIELDS {
        let (ours, theirs) = (values(live, field), values(environment, field));
        if ours.is_empty() || theirs.is_empty() {
            continue;
        }
        named = true;
        pairs.join(&unique(&ours), &unique(&theirs));
    }
    if !named {
        for field in other_fields(live) {
            let (ours, theirs) = (values(live, field), values(environment, field));
            let (by_live, by_environment) = (unique(&ours), unique(&theirs));
            if by_live.len() == ours.len() && by_environment.len() == theirs.len() {
                pairs.join(&by_live, &by_environment);
            }
        }
    }
    pairs.of_live.into_iter().enumerate().filter_map(|(live, environment)| Some((live, environment?))).collect()
}

/// Whether an object has a text of its own that can be a natural key.
fn has_text(object: &Object) -> bool {
    object.iter().any(|(name, _)| name.as_str().is_some_and(|name| natural_text(object, name).is_some()))
}

/// The members of each object's inner objects; of members with one name the first.
fn inner_members(objects: &[&Object]) -> Vec<Object> {
    objects
        .iter()
        .map(|object| {
            let mut members = Object::new();
            for (name, value) in object.iter().filter_map(|(_, value)| value.as_object()).flatten() {
                if value.as_object().is_none() && name.as_str().is_some_and(|name| !members.contains(name)) {
                    members.push(name.clone(), value.clone());
                }
            }
            members
        })
        .collect()
}

/// Whether two objects at the same place inside paired objects are the same entity: they share a natural key, or have no
/// text that could tell.
pub(crate) fn is_same_entity(live: &Object, environment: &Object) -> bool {
    let mut told = false;
    for field in NAMING_FIELDS {
        if let (Some(ours), Some(theirs)) = (natural_text(live, field), natural_text(environment, field)) {
            if ours == theirs {
                return true;
            }
            told = true;
        }
    }
    if told {
        return false;
    }
    for (name, _) in live {
        let Some(name) = name.as_str() else { continue };
        if let (Some(ours), Some(theirs)) = (natural_text(live, name), natural_text(environment, name)) {
            if ours == theirs {
                return true;
            }
            told = true;
        }
    }
    !told
}

struct Pairs {
    of_live: Vec<Option<usize>>,
    taken: Vec<bool>,
}

impl Pairs {
    fn new(live: usize, environment: usize) -> Self {
        Self { of_live: vec![None; live], taken: vec![false; environment] }
    }

    fn join(&mut self, live: &HashMap<&str, usize>, environment: &HashMap<&str, usize>) {
        for (value, &ours) in live {
            if let Some(&theirs) = environment.get(value)
                && self.of_live[ours].is_none()
                && !self.taken[theirs]
            {
                self.of_live[ours] = Some(theirs);
                self.taken[theirs] = true;
            }
        }
    }
}

fn values<'a>(objects: &[&'a Object], field: &str) -> Vec<(&'a str, usize)> {
    objects.iter().enumerate().filter_map(|(index, object)| Some((natural_text(object, field)?, index))).collect()
}

fn unique<'a>(values: &[(&'a str, usize)]) -> HashMap<&'a str, usize> {
    let mut counted: HashMap<&str, (usize, usize)> = HashMap::with_capacity(values.len());
    for &(value, index) in values {
        counted.entry(value).or_insert((index, 0)).1 += 1;
    }
    counted.into_iter().filter(|(_, (_, count))| *count == 1).map(|(value, (index, _))| (value, index)).collect()
}

/// The text of a field that can be a natural key: not an identifier, not a clock, and not built from the object's own
/// identifier (an address with the number in it would pair the wrong entities).
fn natural_text<'a>(object: &'a Object, field: &str) -> Option<&'a str> {
    if is_identifier_field(field) {
        return None;
    }
    let text = object.get(field)?.as_str()?;
    if text.is_empty() || ClockFormat::of(text).is_some() || holds_own_id(object, text) {
        return None;
    }
    Some(text)
}

fn holds_own_id(object: &Object, text: &str) -> bool {
    OWN_ID_FIELDS.iter().filter_map(|field| object.get(field)).any(|id| match id.plain() {
        Value::Number(number) => has_token(text, number.as_str()),
        Value::String(id) => id.as_str().is_some_and(|id| has_token(text, id)),
        _ => false,
    })
}

/// Whether `token` stands in `text` with no letter or digit beside it.
fn has_token(text: &str, token: &str) -> bool {
    !token.is_empty()
        && text.match_indices(token).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + token.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
}

fn other_fields<'a>(objects: &[&'a Object]) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for object in objects {
        for (name, value) in *object {
            if let Some(name) = name.as_str()
                && value.as_str().is_some()
                && !names.contains(&name)
            {
                names.push(name);
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn objects(rows: &[&[(&str, &str)]]) -> Vec<Object> {
        rows.iter()
            .map(|row| row.iter().fold(Object::new(), |object, (name, value)| object.with(*name, *value)))
            .collect()
    }

    fn pairs(live: &[&[(&str, &str)]], environment: &[&[(&str, &str)]]) -> Vec<(usize, usize)> {
        let (live, environment) = (objects(live), objects(environment));
        pair_objects(&live.iter().collect::<Vec<_>>(), &environment.iter().collect::<Vec<_>>())
    }

    /// Items such as a run's `{info: {…}, data: {…}}`.
    fn nested(rows: &[(&str, &str)]) -> Vec<Object> {
        rows.iter()
            .map(|(id, name)| Object::new().with("info", Object::new().with("run_id", *id).with("run_name", *name)))
            .collect()
    }

    #[test]
    fn objects_without_a_text_pair_by_the_texts_one_level_down() {
        let (live, environment) = (nested(&[("1", "a"), ("2", "b")]), nested(&[("8", "b"), ("9", "a")]));
        let pairs = pair_objects(&live.iter().collect::<Vec<_>>(), &environment.iter().collect::<Vec<_>>());
        assert_eq!(pairs, [(0, 1), (1, 0)]);
    }

    #[test]
    fn a_text_one_level_down_pairs_nothing_where_objects_have_their_own() {
        let own =
            |title: &str| vec![Object::new().with("title", title).with("info", Object::new().with("run_name", "a"))];
        let (live, environment) = (own("x"), own("y"));
        let pairs = pair_objects(&live.iter().collect::<Vec<_>>(), &environment.iter().collect::<Vec<_>>());
        assert_eq!(pairs, []);
    }

    #[test]
    fn a_repeated_text_one_level_down_pairs_nothing() {
        let (live, environment) = (nested(&[("1", "a"), ("2", "a")]), nested(&[("8", "a"), ("9", "b")]));
        let pairs = pair_objects(&live.iter().collect::<Vec<_>>(), &environment.iter().collect::<Vec<_>>());
        assert_eq!(pairs, []);
    }

    #[rstest]
    #[case::by_name(
        &[&[("id", "1"), ("name", "a")][..], &[("id", "2"), ("name", "b")]],
        &[&[("id", "8"), ("name", "b")][..], &[("id", "9"), ("name", "a")]],
        &[(0, 1), (1, 0)]
    )]
    #[case::by_another_text(
        &[&[("id", "1"), ("sku", "x")][..]], &[&[("id", "8"), ("sku", "x")][..]], &[(0, 0)]
    )]
    #[case::a_repeated_name_pairs_nothing(
        &[&[("name", "a")][..], &[("name", "a")]], &[&[("name", "a")][..]], &[]
    )]
    #[case::a_repeated_other_field_pairs_nothing(
        &[&[("state", "on")][..], &[("state", "off")], &[("state", "off")]], &[&[("state", "on")][..]], &[]
    )]
    #[case::names_that_differ_are_not_overruled(
        &[&[("name", "a"), ("state", "on")][..]], &[&[("name", "b"), ("state", "on")][..]], &[]
    )]
    #[case::a_slug_pairs_what_was_renamed(
        &[&[("name", "a"), ("slug", "s")][..]], &[&[("name", "b"), ("slug", "s")][..]], &[(0, 0)]
    )]
    #[case::identifiers_are_no_keys(&[&[("id", "1"), ("owner_id", "3")][..]], &[&[("id", "1"), ("owner_id", "3")][..]], &[])]
    #[case::clocks_are_no_keys(
        &[&[("id", "1"), ("seen", "2024-01-01T00:00:00Z")][..]], &[&[("id", "2"), ("seen", "2024-01-01T00:00:00Z")][..]], &[]
    )]
    #[case::addresses_with_the_id_are_no_keys(
        &[&[("id", "1"), ("link", "/things/1")][..]], &[&[("id", "1"), ("link", "/things/1")][..]], &[]
    )]
    fn pairing(
        #[case] live: &[&[(&str, &str)]],
        #[case] environment: &[&[(&str, &str)]],
        #[case] expected: &[(usize, usize)],
    ) {
        assert_eq!(pairs(live, environment), expected);
    }

    #[rstest]
    #[case::same_name(&[("name", "a"), ("x", "1")], &[("name", "a"), ("x", "2")], true)]
    #[case::other_name(&[("name", "a"), ("x", "1")], &[("name", "b"), ("x", "1")], false)]
    #[case::only_ids(&[("id", "1")], &[("id", "2")], true)]
    #[case::one_other_text_shared(&[("x", "1"), ("y", "2")], &[("x", "1"), ("y", "3")], true)]
    #[case::no_text_shared(&[("x", "1")], &[("x", "2")], false)]
    fn nested_objects(#[case] live: &[(&str, &str)], #[case] environment: &[(&str, &str)], #[case] same: bool) {
        let (live, environment) = (objects(&[live]), objects(&[environment]));
        assert_eq!(is_same_entity(&live[0], &environment[0]), same);
    }
}
