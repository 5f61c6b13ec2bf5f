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
/// shown member names nothing that the selection does not.
pub fn selecting<'a>(open: &[&'a Param], shown: &BTreeSet<String>) -> Vec<&'a Param> {
    let mut candidates: Vec<&Param> = open.iter().copied().filter(|param| selects(param, shown)).collect();
    candidates.sort_by_key(|param| (usize::MAX - selected_names(param).len(), &param.key));
    let mut named: BTreeSet<String> = BTreeSet::new();
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
