//! Projections: parameters that select members. Which names a value selects, and an entity with only those.

use super::line::Param;
use crate::json::{Object, Value};
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

/// The entity with only the selected members and those that every recorded selection kept.
pub fn project(entity: &Object, names: &[String], always: &[Box<str>]) -> Object {
    entity
        .iter()
        .filter(|(name, _)| {
            name.as_str().is_some_and(|name| {
                names.iter().any(|selected| selected == name) || always.iter().any(|kept| kept.as_ref() == name)
            })
        })
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// The projected entity as a value.
pub fn project_value(entity: &Value, names: &[String], always: &[Box<str>]) -> Value {
    match entity.as_object() {
        Some(object) => Value::Object(project(object, names, always)),
        None => entity.clone(),
    }
}
