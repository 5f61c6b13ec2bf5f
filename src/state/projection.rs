//! Projections: parameters that select members. Which names a value selects, and an entity with only those.

use super::line::Param;
use std::collections::BTreeSet;

/// The member names a projection value lists: split at commas, or the items of an array, or a JSON array's texts.
pub fn selected_names(param: &Param) -> Vec<String> {
    if let Some(list) = &param.list {
        return list.clone();
    }
    if param.text.starts_with('[')
        && let Ok(value) = crate::json::parse(param.text.as_bytes())
        && let Some(items) = value.as_array()
    {
        return items.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect();
    }
    param.text.split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

/// Whether a parameter's value names the members that were shown: at least one, and only names that are shown.
pub fn selects(param: &Param, shown: &BTreeSet<String>) -> bool {
    let names = selected_names(param);
    !names.is_empty() && names.iter().all(|name| shown.contains(name))
}

/// The parameters that select what was shown: the one that names most of it, and others that name more. A sort by a
/// shown member names nothing that the selection does not; `known` is what parameters known to select name already.
pub fn selecting<'a>(open: &[&'a Param], shown: &BTreeSet<String>, known: BTreeSet<String>) -> Vec<&'a Param> {
    let mut candidates: Vec<&Param> = open.iter().copied().filter(|param| selects(param, shown)).collect();
    candidates.sort_by_key(|param| (usize::MAX - selected_names(param).len(), &param.key));
    let mut named = known;
    candidates
        .into_iter()
        .filter(|param| {
            let names = selected_names(param);
            let more = names.iter().any(|name| !named.contains(name));
            named.extend(names);
            more
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn param(text: &str) -> Param {
        Param { key: "fields".to_owned(), text: text.to_owned(), list: None }
    }

    #[rstest]
    #[case("id", &["id"])]
    #[case("id, name,", &["id", "name"])]
    #[case(r#"["id","name"]"#, &["id", "name"])]
    #[case("[not json", &["[not json"])]
    #[case("", &[])]
    fn names_of_a_value(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(selected_names(&param(text)), expected);
    }

    #[test]
    fn items_of_an_array_are_names() {
        let names = vec!["a,b".to_owned(), "c".to_owned()];
        assert_eq!(selected_names(&Param { list: Some(names.clone()), ..param("a,b,c") }), names);
    }

    #[rstest]
    #[case("id", true)]
    #[case("id,name", true)]
    #[case("id,other", false)]
    #[case("", false)]
    fn a_selection_names_what_is_shown(#[case] text: &str, #[case] selected: bool) {
        let shown = BTreeSet::from(["id".to_owned(), "name".to_owned()]);
        assert_eq!(selects(&param(text), &shown), selected);
    }

    #[rstest]
    #[case::the_one_that_names_most(&[("sort", "id"), ("fields", "id,name")], &["id", "name"], &["fields"])]
    #[case::both_name_something(&[("a", "id"), ("b", "name")], &["id", "name"], &["a", "b"])]
    #[case::none_names_only_what_is_shown(&[("a", "id,other")], &["id"], &[])]
    fn selecting_parameters(#[case] open: &[(&str, &str)], #[case] shown: &[&str], #[case] expected: &[&str]) {
        let open: Vec<Param> = open.iter().map(|(key, text)| Param { key: (*key).to_owned(), ..param(text) }).collect();
        let shown = shown.iter().map(|name| (*name).to_owned()).collect();
        let found = selecting(&open.iter().collect::<Vec<_>>(), &shown, BTreeSet::new());
        assert_eq!(found.iter().map(|param| param.key.as_str()).collect::<Vec<_>>(), expected);
    }
}
