//! What the parameters of a tool do to the way entities are shown: nothing, a selection of members, another representation.
//! Told apart by comparing what lines with a parameter show with what the tool's plainest line shows of the same entities.

use super::identity::{Sighting, home_of, identity_text};
use super::line::{Line, Param};
use super::representation::Ground;
use super::types::{EntityType, Shape, Slot};
use crate::json::{Object, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a parameter does to the representation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyEffect {
    /// Entities look the same with it.
    Same,
    /// It selects members.
    Projection,
    /// It shows entities in another representation.
    Variant,
}

/// The variant parameters of a line, with what they say.
pub type Variant = Vec<(String, String)>;

/// A tool's representations.
#[derive(Clone, Debug, Default)]
pub struct ToolEffects {
    /// What each parameter does; a key that could not be told apart is missing.
    pub effects: BTreeMap<String, KeyEffect>,
}

impl ToolEffects {
    /// The variant parameters of a line.
    pub fn variant(&self, line: &Line) -> Variant {
        line.params
            .iter()
            .filter(|param| self.effects.get(&param.key) == Some(&KeyEffect::Variant))
            .map(|param| (param.key.clone(), param.text.clone()))
            .collect()
    }

    /// Whether the line selects members.
    pub fn projects(&self, line: &Line) -> bool {
        line.params.iter().any(|param| self.effects.get(&param.key) == Some(&KeyEffect::Projection))
    }
}

/// A parameter that selects members on one tool of a type does on the others, where all that their lines show with it is
/// what it names: a line that was read once, of an entity that no other line shows, tells nothing alone.
pub(super) fn share_projections(effects: &mut BTreeMap<usize, ToolEffects>, shown: &[(usize, &Line, &Value)]) {
    let keys: BTreeSet<String> = effects
        .values()
        .flat_map(|of_tool| of_tool.effects.iter())
        .filter(|(_, effect)| **effect == KeyEffect::Projection)
        .map(|(key, _)| key.clone())
        .collect();
    for key in keys {
        for (tool, of_tool) in effects.iter_mut().filter(|(_, of_tool)| {
            !matches!(of_tool.effects.get(&key), Some(KeyEffect::Projection | KeyEffect::Variant))
        }) {
            let mut lines = shown.iter().filter(|(of, line, _)| of == tool && line.get(&key).is_some()).peekable();
            let selects = |line: &Line, value: &Value| {
                let names = line.get(&key).map(super::projection::selected_names).unwrap_or_default();
                value.as_object().is_some_and(|object| {
                    object.iter().all(|(name, _)| name.as_str().is_some_and(|name| names.iter().any(|n| n == name)))
                })
            };
            if lines.peek().is_some() && lines.all(|(_, line, value)| selects(line, value)) {
                of_tool.effects.insert(key.clone(), KeyEffect::Projection);
            }
        }
    }
}

/// What each parameter of a tool does to the entities it shows.
pub(super) fn classify(
    ground: &Ground<'_>,
    entity_type: &EntityType,
    tool: usize,
    found: &[Sighting<'_>],
    (touched, steady): (usize, usize),
) -> ToolEffects {
    let slots: BTreeSet<String> = match &ground.shapes[tool] {
        Shape::Item { address, .. } => address
            .iter()
            .filter_map(|(slot, _)| match slot {
                Slot::Key(key) => Some(key.clone()),
                Slot::Path(_) => None,
            })
            .collect(),
        _ => BTreeSet::new(),
    };
    // Entities by line, before the first change; later lines follow, and can only say that nothing looks different.
    type Shown<'a> = Vec<(Option<String>, &'a Value)>;
    let mut by_line: BTreeMap<(bool, usize, Line), Shown<'_>> = BTreeMap::new();
    for sighting in found {
        let seen = &ground.observed.seen[sighting.seen];
        if seen.time >= touched {
            continue;
        }
        let Some(line) = seen.line.as_ref() else { continue };
        let mut line = line.clone();
        line.in_order.clear();
        line.params.retain(|param| !slots.contains(&param.key));
        let template = &ground.manifest.tools[tool].template;
        let id = identity_text(entity_type, sighting.key, sighting.value).map(|id| {
            let home = home_of(entity_type, seen, template, sighting.value);
            format!("{}\u{0}{id}", home.as_deref().unwrap_or(&seen.path))
        });
        by_line.entry((seen.time >= steady, line.params.len(), line)).or_default().push((id, sighting.value));
    }
    let mut effects = BTreeMap::new();
    let Some(base) = by_line
        .iter()
        .max_by_key(|((late, params, line), shown)| {
            let width: usize = shown.iter().map(|(_, value)| value.as_object().map_or(0, Object::len)).sum::<usize>()
                / shown.len().max(1);
            (!late, line.is_bare(), width, usize::MAX - params)
        })
        .map(|((_, _, line), _)| line.clone())
    else {
        return ToolEffects { effects };
    };
    let mut known: HashMap<String, &Value> = HashMap::new();
    let mut whole: Vec<&Value> = Vec::new();
    for ((_, _, line), shown) in &by_line {
        if *line == base {
            for (id, value) in shown {
                whole.push(value);
                if let Some(id) = id {
                    known.entry(id.clone()).or_insert(value);
                }
            }
        }
    }
    for param in &base.params {
        effects.insert(param.key.clone(), KeyEffect::Same);
    }
    // Values of parameters that were seen to change nothing: a switch does so where it is off.
    let mut off: BTreeSet<(&str, &str)> = BTreeSet::new();
    for ((late, _, line), shown) in &by_line {
        if *line == base {
            off.extend(line.params.iter().map(|param| (param.key.as_str(), param.text.as_str())));
            continue;
        }
        let open: Vec<&Param> = line.params.iter().filter(|param| !effects.contains_key(&param.key)).collect();
        if line.params.iter().any(|param| effects.get(&param.key) == Some(&KeyEffect::Projection)) && open.is_empty() {
            continue;
        }
        match compare_line(shown, &known, &whole) {
            Some(Difference::Same) => {
                off.extend(line.params.iter().map(|param| (param.key.as_str(), param.text.as_str())));
                for param in &open {
                    effects.insert(param.key.clone(), KeyEffect::Same);
                }
                if !effects_any(&effects, line, KeyEffect::Variant)
                    && !effects_any(&effects, line, KeyEffect::Projection)
                {
                    for (id, value) in shown {
                        if let Some(id) = id {
                            known.entry(id.clone()).or_insert(value);
                        }
                    }
                }
            }
            Some(Difference::Fewer(names)) => {
                let known: BTreeSet<String> = line
                    .params
                    .iter()
                    .filter(|param| effects.get(&param.key) == Some(&KeyEffect::Projection))
                    .flat_map(super::projection::selected_names)
                    .collect();
                let selecting = super::projection::selecting(&open, &names, known);
                for param in &selecting {
                    effects.insert(param.key.clone(), KeyEffect::Projection);
                }
                if selecting.is_empty() && !late && !effects_any(&effects, line, KeyEffect::Projection) {
                    for param in &open {
                        effects.insert(param.key.clone(), KeyEffect::Variant);
                    }
                }
            }
            Some(Difference::Other) if !late && !effects_any(&effects, line, KeyEffect::Variant) => {
                let told = line.params.iter().filter(|param| {
                    let same = effects.get(&param.key) == Some(&KeyEffect::Same);
                    same && !off.contains(&(param.key.as_str(), param.text.as_str()))
                });
                let switches: Vec<&Param> = if open.is_empty() { told.collect() } else { open };
                for param in switches {
                    effects.insert(param.key.clone(), KeyEffect::Variant);
                }
            }
            // No entity to compare: members that the base never shows are another representation.
            None if !late && shows_more(shown, &whole) && !effects_any(&effects, line, KeyEffect::Variant) => {
                for param in &open {
                    effects.insert(param.key.clone(), KeyEffect::Variant);
                }
            }
            Some(Difference::Other) | None => {}
        }
    }
    ToolEffects { effects }
}

/// Whether every entity that a line shows has a member that no entity of the base line has.
fn shows_more(shown: &[(Option<String>, &Value)], whole: &[&Value]) -> bool {
    let known: BTreeSet<&str> = whole
        .iter()
        .filter_map(|value| value.as_object())
        .flat_map(|object| object.iter().filter_map(|(name, _)| name.as_str()))
        .collect();
    !shown.is_empty()
        && !known.is_empty()
        && shown.iter().all(|(_, value)| {
            value.as_object().is_some_and(|object| {
                object.iter().any(|(name, _)| name.as_str().is_some_and(|name| !known.contains(name)))
            })
        })
}

fn effects_any(effects: &BTreeMap<String, KeyEffect>, line: &Line, effect: KeyEffect) -> bool {
    line.params.iter().any(|param| effects.get(&param.key) == Some(&effect))
}

enum Difference {
    Same,
    Fewer(BTreeSet<String>),
    Other,
}

fn compare_line(
    shown: &[(Option<String>, &Value)],
    known: &HashMap<String, &Value>,
    whole: &[&Value],
) -> Option<Difference> {
    let mut names = BTreeSet::new();
    let mut fewer = false;
    let mut compared = false;
    for (id, value) in shown {
        let object = value.as_object()?;
        let base = match id.as_ref().and_then(|id| known.get(id)) {
            Some(base) => base,
            None if id.is_none() => match whole.iter().find(|whole| contains(whole, object)) {
                Some(base) => base,
                None => return Some(Difference::Other),
            },
            None => continue,
        };
        compared = true;
        let base = base.as_object()?;
        if !contains_object(base, object) {
            return Some(Difference::Other);
        }
        fewer |= object.len() < base.len();
        names.extend(object.iter().filter_map(|(name, _)| name.as_str().map(str::to_owned)));
    }
    if !compared {
        return None;
    }
    Some(if fewer { Difference::Fewer(names) } else { Difference::Same })
}

fn contains(whole: &Value, part: &Object) -> bool {
    whole.as_object().is_some_and(|whole| contains_object(whole, part))
}

fn contains_object(whole: &Object, part: &Object) -> bool {
    part.iter()
        .all(|(name, value)| name.as_str().and_then(|name| whole.get(name)).is_some_and(|held| held.same_as(value)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case::only_what_is_named(r#"{"id":1,"title":"a"}"#, Some(KeyEffect::Projection))]
    #[case::more_than_that(r#"{"id":1,"title":"a","done":true}"#, Some(KeyEffect::Same))]
    fn a_selection_on_one_tool_is_one_on_another(#[case] shown: &str, #[case] expected: Option<KeyEffect>) {
        let effect = |effect| ToolEffects { effects: BTreeMap::from([("fields".to_owned(), effect)]) };
        let mut effects = BTreeMap::from([(0, effect(KeyEffect::Projection)), (1, effect(KeyEffect::Same))]);
        let line = Line::new(&[("fields".to_owned(), "id,title".to_owned())], None).unwrap();
        let value = crate::json::parse(shown.as_bytes()).unwrap();
        share_projections(&mut effects, &[(1, &line, &value)]);
        assert_eq!(effects[&1].effects.get("fields").copied(), expected);
    }
}
