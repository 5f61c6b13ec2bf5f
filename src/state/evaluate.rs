//! Evaluate: a read against a world. The one place that renders views; derivation checks with it and the environment
//! answers with it.

use super::derived::Derived;
use super::document::document_key;
use super::entity::at_place;
use super::envelope::{Around, Says, set_at};
use super::limits::MAX_RENDERED_BYTES;
use super::line::{Line, scalar_text};
use super::observe::trim_slash;
use super::path::MemberPath;
use super::query::{Role, Selection, Unmodelled};
use super::scope::entities_of;
use super::state_document::compact_length;
use super::store::{Entity, World};
use super::term::Referents;
use super::text_rule::make_text;
use super::types::{ItemView, ListView, MemberRule, Place, Representation, Slot, View};
use crate::json::{Object, Value};
use std::sync::Arc;

/// A read as the state sees it.
#[derive(Clone, Copy, Debug)]
pub struct Read<'a> {
    /// The tool.
    pub tool: usize,
    /// Decoded path parameters.
    pub parameters: &'a [String],
    /// The path as the call spells it.
    pub path: &'a str,
    /// The line, when its body is an object.
    pub line: Option<&'a Line>,
}

/// What a state answer names.
#[derive(Clone, Debug, PartialEq)]
pub enum StateTarget {
    /// An entity.
    Item {
        /// Its type's collection template.
        entity_type: String,
        /// Its collection.
        collection: String,
        /// Its identity.
        id: String,
    },
    /// A collection.
    List {
        /// The type's collection template.
        entity_type: String,
        /// The path of the list.
        collection: String,
    },
    /// A document.
    Document {
        /// Its path.
        path: String,
    },
}

/// How a read is answered.
#[derive(Clone, Debug, PartialEq)]
pub enum ReadAnswer {
    /// From the state.
    State {
        /// Index of the record whose status and content type it has.
        record: usize,
        /// The body.
        body: Value,
        /// What it names.
        target: StateTarget,
        /// Pointers of members that each response makes anew.
        per_response: Vec<String>,
    },
    /// From the best recording.
    Recording {
        /// Why.
        reason: &'static str,
    },
}

impl Referents for (&Derived, &World) {
    fn referent(&self, entity_type: usize, id: &str) -> Option<&Value> {
        let (derived, world) = self;
        let _ = derived;
        world
            .collections(entity_type)
            .find_map(|(_, collection)| collection.get(id))
            .map(|entity| entity.fields.as_ref())
    }
}

/// Answers a read from the state, or says why a recording has to.
pub fn evaluate_read(derived: &Derived, world: &World, read: Read<'_>) -> ReadAnswer {
    let recording = |reason| ReadAnswer::Recording { reason };
    let Some(view) = derived.views.get(read.tool) else { return recording("no-view") };
    let answer = match view {
        View::Recorded { reason } => return recording(reason),
        View::Write => return recording("no-view"),
        View::Document(document) => {
            let Some(line) = read.line else { return recording("unrecorded-request") };
            let mut line = line.clone();
            line.in_order.clear();
            let path = trim_slash(read.path);
            let found = document.lines.iter().find(|(held, held_line, _)| held == path && *held_line == line);
            let Some((_, _, record)) = found else { return recording("unrecorded-request") };
            let key = document_key(path, &line);
            match world.document(read.tool, &key) {
                Some(held) => Ok(ReadAnswer::State {
                    record: *record,
                    body: held.value.as_ref().clone(),
                    target: StateTarget::Document { path: path.to_owned() },
                    per_response: Vec::new(),
                }),
                None => Err("unrecorded-request"),
            }
        }
        View::Item(item) => answer_item(derived, world, item, read),
        View::List(list) => answer_list(derived, world, list, read),
    };
    match answer {
        Ok(ReadAnswer::State { record, body, target, per_response }) => {
            // What was written or loaded since may be of any size.
            let measured = derived.oversize_possible || !world.is_fork_of(&derived.world);
            if measured && compact_length(&body) > MAX_RENDERED_BYTES {
                return recording("rendered-oversize");
            }
            ReadAnswer::State { record, body, target, per_response }
        }
        Ok(other) => other,
        Err(reason) => recording(reason),
    }
}

fn answer_item(derived: &Derived, world: &World, view: &ItemView, read: Read<'_>) -> Result<ReadAnswer, &'static str> {
    let line = read.line.ok_or("unrecorded-request")?;
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let mut rest = line.clone();
    for (slot, _) in &view.address {
        if let Slot::Key(key) = slot {
            rest = rest.without(key);
        }
    }
    let (variant, projection) = item_line(view, &rest)?;
    let found = find_addressed(derived, world, view, read, line);
    let Some(entity) = found else {
        return absent_item(derived, view, read);
    };
    let representation = representation_for(derived, &view.representations, &variant).ok_or("variant")?;
    let shown = render_entity(derived, &entity, representation, projection.as_ref())?;
    let mut body = derived.envelope_of(view.base_record).cloned().unwrap_or_default();
    let inner = if view.one_element { Value::Array(vec![shown]) } else { shown };
    set_at(&mut body, &view.place, Some(inner));
    Ok(ReadAnswer::State {
        record: view.base_record,
        body,
        target: StateTarget::Item {
            entity_type: entity_type.collection_template.clone(),
            collection: entity.collection.to_string(),
            id: entity.id.to_string(),
        },
        per_response: Vec::new(),
    })
}

type Selected = (Vec<(String, String)>, Option<(Vec<String>, Vec<Box<str>>)>);

/// What an item line's parameters say: variants and projections; anything else must have been recorded.
fn item_line(view: &ItemView, line: &Line) -> Result<Selected, &'static str> {
    if line.repeated {
        return Err("unrecorded-request");
    }
    let mut variant = Vec::new();
    let mut projection: Option<(Vec<String>, Vec<Box<str>>)> = None;
    let mut fixed = Vec::new();
    for param in &line.params {
        match view.query.roles.get(&param.key) {
            Some(Role::Variant(values)) if values.contains(&param.text) => {
                variant.push((param.key.clone(), param.text.clone()));
            }
            Some(Role::Variant(_)) => return Err("variant"),
            Some(Role::Projection(always)) => {
                let (names, _) = projection.get_or_insert_with(|| (Vec::new(), always.clone()));
                names.extend(super::projection::selected_names(param));
            }
            Some(Role::Unchanging(values)) if values.contains(&param.text) => fixed.push(param.key.clone()),
            _ => return Err("unrecorded-request"),
        }
    }
    if !view.query.fixed_sets.contains(&fixed) && projection.is_none() {
        return Err("unrecorded-request");
    }
    Ok((variant, projection))
}

pub(super) fn find_addressed(
    derived: &Derived,
    world: &World,
    view: &ItemView,
    read: Read<'_>,
    line: &Line,
) -> Option<Arc<Entity>> {
    let wanted: Vec<String> = view
        .address
        .iter()
        .map(|(slot, _)| match slot {
            Slot::Path(index) => read.parameters.get(*index).cloned(),
            Slot::Key(key) => line.get(key).map(|param| param.text.clone()),
        })
        .collect::<Option<_>>()?;
    let entity_type = derived.types.get(view.entity_type)?;
    if derived.is_home_item(read.tool, view.entity_type) {
        let path = trim_slash(read.path);
        let cut = path.rfind('/')?;
        let collection = world.collection(view.entity_type, &path[..cut])?;
        let last = wanted.last()?;
        return collection.get(last).cloned().or_else(|| {
            let named = |entity: &&Arc<Entity>| {
                view.also
                    .iter()
                    .any(|member| member.direct(&entity.fields).and_then(scalar_text).as_ref() == Some(last))
            };
            if view.also.is_empty() { None } else { collection.iter().find(named).cloned() }
        });
    }
    let identifies =
        |path: &MemberPath| *path == entity_type.identity || Some(path) == entity_type.inner_identity.as_ref();
    let by_identity = view.address.last().is_some_and(|(_, path)| identifies(path));
    let fits = |entity: &Arc<Entity>| {
        view.address.iter().zip(&wanted).all(|((_, path), text)| {
            path.direct(&entity.fields).and_then(scalar_text).as_ref() == Some(text)
                || (path.0.is_empty() || identifies(path)) && entity.id.as_ref() == text
        })
    };
    for (_, collection) in world.collections(view.entity_type) {
        if by_identity {
            if let Some(entity) = collection.get(wanted.last()?).filter(|entity| fits(entity)) {
                return Some(entity.clone());
            }
        } else if let Some(entity) = collection.iter().find(|entity| fits(entity)) {
            return Some(entity.clone());
        }
    }
    None
}

/// The recorded absence answer, where the state knows that the entity is absent.
fn absent_item(derived: &Derived, view: &ItemView, read: Read<'_>) -> Result<ReadAnswer, &'static str> {
    let path = trim_slash(read.path);
    let collection = match derived.is_home_item(read.tool, view.entity_type) {
        true => path.rfind('/').map(|cut| &path[..cut]),
        false => None,
    };
    if !derived.is_complete(view.entity_type, collection) {
        return Err("unknown-partition");
    }
    let asked = read.parameters.last().map(String::as_str).unwrap_or_default();
    let absence = derived.absence_for(read.tool, asked).ok_or("no-view")?;
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let mut body = absence.body.as_ref().clone();
    if let Some(recorded) = &absence.asked
        && recorded != asked
        && recorded.len() > 1
    {
        replace_token(&mut body, recorded, asked);
    }
    Ok(ReadAnswer::State {
        record: absence.record,
        body,
        target: StateTarget::Item {
            entity_type: entity_type.collection_template.clone(),
            collection: collection.unwrap_or(path).to_owned(),
            id: asked.to_owned(),
        },
        per_response: absence.per_response.clone(),
    })
}

/// Replaces whole tokens in every text of a document: an error message that names the entity that was asked for.
pub(super) fn replace_token(value: &mut Value, from: &str, to: &str) {
    match value.plain_mut() {
        Value::String(text) => {
            if let Some(held) = text.as_str().filter(|held| held.contains(from)) {
                *text = replace_in_text(held, from, to).into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| replace_token(item, from, to)),
        Value::Object(object) => object.iter_mut().for_each(|(_, inner)| replace_token(inner, from, to)),
        _ => {}
    }
}

/// A text with another token for one; letters and digits next to it make it another token.
fn replace_in_text(text: &str, from: &str, to: &str) -> String {
    let inside = |character: Option<char>| character.is_some_and(|next| next.is_alphanumeric() || next == '_');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(from).filter(|_| !from.is_empty()) {
        let (before, after) = (&rest[..at], &rest[at + from.len()..]);
        out.push_str(before);
        let whole = !inside(out.chars().next_back()) && !inside(after.chars().next());
        out.push_str(if whole { to } else { from });
        rest = after;
    }
    out.push_str(rest);
    out
}

fn answer_list(derived: &Derived, world: &World, view: &ListView, read: Read<'_>) -> Result<ReadAnswer, &'static str> {
    let line = read.line.ok_or("unrecorded-request")?;
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let path = trim_slash(read.path);
    let mut bare = line.clone();
    bare.in_order.clear();
    if view.contradicted.contains(&(path.to_owned(), bare.clone())) {
        return Err("list-differs");
    }
    let (selection, body) = render_list(derived, world, view, read, line)?;
    if selection.window.past_end(selection.matched) && !view.pages_empty {
        return past_end(derived, view, read, &selection);
    }
    Ok(ReadAnswer::State {
        record: view.base_record,
        body,
        target: StateTarget::List { entity_type: entity_type.collection_template.clone(), collection: path.to_owned() },
        per_response: Vec::new(),
    })
}

fn past_end(
    derived: &Derived,
    view: &ListView,
    read: Read<'_>,
    selection: &Selection,
) -> Result<ReadAnswer, &'static str> {
    let record = view.past_end.ok_or(Unmodelled::PageExceeded.reason())?;
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let body = derived.body_of(record).ok_or(Unmodelled::PageExceeded.reason())?;
    let _ = selection;
    Ok(ReadAnswer::State {
        record,
        body: body.as_ref().clone(),
        target: StateTarget::List {
            entity_type: entity_type.collection_template.clone(),
            collection: trim_slash(read.path).to_owned(),
        },
        per_response: Vec::new(),
    })
}

/// What a list line selects, before rendering.
pub fn select_list(
    derived: &Derived,
    world: &World,
    view: &ListView,
    read: Read<'_>,
    line: &Line,
) -> Result<Selection, &'static str> {
    let path = trim_slash(read.path);
    if !view.knows(path, derived) {
        return Err("unknown-partition");
    }
    let referents = (derived, world);
    let scope = entities_of(&view.scope, world, view.entity_type, path, read.parameters, &referents)
        .ok_or("unknown-partition")?;
    view.query.select(line, scope, &|entity| derived.filter_fields(entity), &referents).map_err(Unmodelled::reason)
}

fn render_list(
    derived: &Derived,
    world: &World,
    view: &ListView,
    read: Read<'_>,
    line: &Line,
) -> Result<(Selection, Value), &'static str> {
    let selection = select_list(derived, world, view, read, line)?;
    let representation = representation_for(derived, &view.representations, &selection.variant).ok_or("variant")?;
    let mut items = Vec::with_capacity(selection.range.len());
    let mut keys = Vec::new();
    for entity in selection.listed() {
        let shown = render_entity(derived, entity, representation, selection.projection.as_ref())?;
        keys.push(entity.id.clone());
        items.push(shown);
    }
    let alternate = view.alternate.as_ref().filter(|other| other.when.iter().any(|key| line.get(key).is_some()));
    let (place, envelope, base_record) = match alternate {
        Some(other) => (&other.place, &other.envelope, other.base_record),
        None => (&view.place, &view.envelope, view.base_record),
    };
    let mut body = derived.envelope_of(base_record).cloned().unwrap_or_default();
    let list = if view.keyed {
        Value::Object(keys.iter().zip(items).map(|(key, item)| (key.as_ref().into(), item)).collect::<Object>())
    } else {
        Value::Array(items)
    };
    if view.missing_when_empty && selection.range.is_empty() {
        set_at(&mut body, place, None);
    } else {
        set_at(&mut body, place, Some(list));
    }
    let around = Around {
        selection: &selection,
        line,
        path: read.path,
        model: &view.query,
        fields: &|entity| derived.filter_fields(entity),
    };
    let mut recorded_places: Vec<&Place> = envelope.unexplained.iter().collect();
    for (place, rule) in &envelope.rules {
        match rule.value(&around) {
            Ok(value) => set_at(&mut body, place, value),
            Err(()) if matches!(rule.says, Says::NothingAtTheEnd { .. }) => recorded_places.push(place),
            Err(()) => return Err("unrecorded-request"),
        }
    }
    if !recorded_places.is_empty() {
        let mut bare = line.clone();
        bare.in_order.clear();
        let recorded =
            view.checked_bodies.iter().find(|(path, held, _)| path == trim_slash(read.path) && *held == bare);
        let Some((_, _, record)) = recorded else { return Err("unrecorded-request") };
        let recorded = derived.body_of(*record).ok_or("unrecorded-request")?;
        for place in recorded_places {
            set_at(&mut body, place, at_place(recorded, place).cloned());
        }
    }
    Ok((selection, body))
}

fn representation_for<'d>(
    derived: &'d Derived,
    among: &[usize],
    variant: &[(String, String)],
) -> Option<&'d Representation> {
    among
        .iter()
        .filter_map(|index| derived.representations.get(*index))
        .find(|representation| representation.variant == variant)
}

/// An entity as a representation shows it.
///
/// # Errors
/// `incomplete-entity` when a member was never shown for the entity and no rule proves it.
pub fn render_entity(
    derived: &Derived,
    entity: &Entity,
    way: &Representation,
    only: Option<&(Vec<String>, Vec<Box<str>>)>,
) -> Result<Value, &'static str> {
    let mut object = Object::new();
    let selected = |name: &str| {
        only.is_none_or(|(names, always)| {
            names.iter().any(|held| held == name) || always.iter().any(|held| held.as_ref() == name)
        })
    };
    for member in way.members.iter().filter(|member| selected(&member.name)) {
        let held = if member.stored {
            entity.fields.get(&member.name)
        } else {
            entity.view(member.source).and_then(|fields| fields.get(&member.name))
        };
        if let Some(value) = held {
            object.push(member.name.as_ref(), value.clone());
            continue;
        }
        if derived.shown_without(entity, way.entity_type, &member.name, member.source) {
            continue;
        }
        let value = match &member.rule {
            Some(MemberRule::Constant(value)) => value.clone(),
            Some(MemberRule::Words(words)) => {
                let fields = derived.filter_fields(entity);
                let held = fields.get(&member.name).ok_or("incomplete-entity")?;
                words.iter().find(|(from, _)| from.same_as(held)).ok_or("incomplete-entity")?.1.clone()
            }
            Some(MemberRule::Copy(path)) => {
                let fields = derived.filter_fields(entity);
                path.direct(&fields).ok_or("incomplete-entity")?.clone()
            }
            Some(MemberRule::Text(pieces)) => {
                let fields = derived.filter_fields(entity);
                Value::from(make_text(pieces, &fields).ok_or("incomplete-entity")?)
            }
            None => return Err("incomplete-entity"),
        };
        object.push(member.name.as_ref(), value);
    }
    Ok(Value::Object(object))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("task 12 not found", "task 7 not found")]
    #[case("12", "7")]
    #[case("/tasks/12/", "/tasks/7/")]
    #[case("no \"12\", no 12.", "no \"7\", no 7.")]
    #[case("1234 and v12 and 12_a", "1234 and v12 and 12_a")]
    #[case("1212", "1212")]
    #[case("é12é 12é", "é12é 12é")]
    fn whole_tokens_are_replaced(#[case] text: &str, #[case] expected: &str) {
        let mut value = Value::from(vec![Value::from(text), Value::Object(Object::new().with("m", text))]);
        replace_token(&mut value, "12", "7");
        let texts: Vec<Option<&str>> = vec![
            value.as_array().and_then(|items| items[0].as_str()),
            value.as_array().and_then(|items| items[1].get("m")?.as_str()),
        ];
        assert_eq!(texts, [Some(expected); 2]);
    }
}
