//! Evaluate: a read against a world. The one place that renders views; derivation checks with it and the environment
//! answers with it.

use super::absence::{Absence, asked_beside, asked_for, asked_pairs, respell_absence};
use super::absent_named::{asked_of_absent, names_what_is_there};
use super::addressed::addressed;
use super::count::answer_count;
use super::derived::Derived;
use super::document::document_key;
use super::effect_relation::{Relation, named_ids};
use super::entity::at_place;
use super::envelope::{Around, Says, set_at};
use super::limits::MAX_RENDERED_BYTES;
use super::line::{Line, find_line};
use super::listing::{Listed, Plain};
use super::observe::trim_slash;
use super::part_view::answer_part;
use super::per_response::MadeAnew;
use super::query::{Role, Selection, Unmodelled};
use super::reference_order::{Places, in_named_order};
use super::refused_read::{refused, under_absent, was_absent};
use super::render_entity::{Projection, render_entity};
use super::scope::{Scope, Scoped, entities_of};
use super::state_document::compact_length;
use super::store::{Entity, World};
use super::term::Referents;
use super::types::{ItemView, ListView, Place, Slot, View};
use crate::json::{Object, Value};
use std::collections::BTreeSet;
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
        /// Members that each response makes anew.
        per_response: Vec<MadeAnew>,
    },
    /// From the state, which knows that the entity, or the page, is absent: as a record says it that is no JSON.
    Absent {
        /// Index of the record.
        record: usize,
        /// The identity it was asked for and the one that is asked for now: a text may name it. Empty for a page.
        renamed: (String, String),
        /// What it names.
        target: StateTarget,
    },
    /// As the record of this very line says, which was only ever refused.
    Refused {
        /// Index of the record.
        record: usize,
    },
    /// From the best recording.
    Recording {
        /// Why.
        reason: &'static str,
    },
}

impl Referents for (&Derived, &World) {
    fn referent(&self, entity_type: usize, id: &str) -> Option<&Value> {
        let (_, world) = self;
        world.named(entity_type, id).next().map(|entity| entity.fields.as_ref())
    }

    fn named_by(&self, entity_type: usize, by: &Relation) -> BTreeSet<String> {
        let held = self.1.collections(entity_type).flat_map(|(_, held)| held.iter());
        held.flat_map(|entity| named_ids(by, entity)).collect()
    }
}

/// Answers a read from the state, or says why a recording has to.
pub fn evaluate_read(derived: &Derived, world: &World, read: Read<'_>) -> ReadAnswer {
    let recording = |reason| ReadAnswer::Recording { reason };
    let Some(view) = derived.views.get(read.tool) else { return recording("no-view") };
    if let (View::Tree, Some(tree)) = (view, &derived.tree)
        && let Some(answer) = tree.answer(world, read)
    {
        return bounded(derived, world, answer);
    }
    let always = || refused(derived, &read).filter(|_| !names_what_is_there(derived, world, &read));
    let refusal = always().or_else(|| under_absent(derived, world, &read));
    if let Some(answer) = refusal.or_else(|| asked_of_absent(derived, world, &read)) {
        return answer;
    }
    let answer = match view {
        View::Recorded { reason } => return recording(reason),
        View::Write => return recording("no-view"),
        View::Tree => return recording("unrecorded-request"),
        View::Document(document) => {
            let Some(line) = read.line else { return recording("unrecorded-request") };
            let path = trim_slash(read.path);
            let mut both = [&document.lines, &document.later].into_iter();
            let found = both.find_map(|lines| find_line(lines, |(held, line, _)| (held, line), path, line));
            let Some((_, _, record)) = found else { return recording("unrecorded-request") };
            let key = document_key(path, line);
            match world.document(read.tool, &key) {
                Some(held) => Ok(ReadAnswer::State {
                    record: *record,
                    body: Value::Shared(Arc::clone(&held.value)),
                    target: StateTarget::Document { path: path.to_owned() },
                    per_response: derived.per_response(read.tool).to_vec(),
                }),
                None => Err("unrecorded-request"),
            }
        }
        View::Item(item) => answer_item(derived, world, item, read),
        View::List(list) => answer_list(derived, world, list, read),
        View::Part(part) => answer_part(derived, world, part, read),
        View::Count(count) => answer_count(derived, world, count, read),
    };
    match answer {
        Ok(ReadAnswer::State { record, body, target, per_response }) => match derived.wrapped(read.tool, body) {
            Ok(body) => bounded(derived, world, ReadAnswer::State { record, body, target, per_response }),
            Err(reason) => recording(reason),
        },
        Ok(answer) => bounded(derived, world, answer),
        Err(reason) => recording(reason),
    }
}

/// An answer, where it is not too long to be given.
fn bounded(derived: &Derived, world: &World, answer: ReadAnswer) -> ReadAnswer {
    // What was written or loaded since may be of any size.
    let measured = derived.oversize_possible || !world.is_fork_of(&derived.world);
    match &answer {
        ReadAnswer::State { body, .. } if measured && compact_length(body) > MAX_RENDERED_BYTES => {
            ReadAnswer::Recording { reason: "rendered-oversize" }
        }
        _ => answer,
    }
}

fn answer_item(derived: &Derived, world: &World, view: &ItemView, read: Read<'_>) -> Result<ReadAnswer, &'static str> {
    let line = read.line.ok_or("unrecorded-request")?;
    if find_line(&view.contradicted, |(held, line)| (held, line), trim_slash(read.path), line).is_some() {
        return Err("item-differs");
    }
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let mut rest = line.clone();
    for (slot, _) in &view.address {
        if let Slot::Key(key) = slot {
            rest = rest.without(key);
        }
    }
    // What is not there is in no representation, whatever the line's parameters would ask for.
    let named = addressed(derived, world, view, read, line).unwrap_or_default();
    let mut shown_here = named.iter().filter(|entity| !view.leaves_out(entity));
    let Some(entity) = shown_here.next() else {
        return absent_item(derived, world, view, read, !named.is_empty());
    };
    let (variant, projection) = item_line(view, &rest)?;
    let way = representation_for(derived, &view.representations, &variant).ok_or("variant")?;
    let render = |entity: &Arc<Entity>| {
        let shown = render_entity(derived, entity, way, projection.as_ref())?;
        in_named_order(derived.representations.get(way), world, shown, &mut Places::new())
    };
    let shown = render(entity)?;
    // Which of several that are named alike is meant, only recordings tell.
    if !view.shows_first && shown_here.any(|other| !render(other).is_ok_and(|other| other.same_as(&shown))) {
        return Err("unrecorded-request");
    }
    let mut body = view.frame.clone();
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
        per_response: derived.per_response(read.tool).to_vec(),
    })
}

type Selected = (Vec<(String, String)>, Option<Projection>);

/// What an item line's parameters say: variants and projections; anything else must have been recorded.
fn item_line(view: &ItemView, line: &Line) -> Result<Selected, &'static str> {
    if line.repeated {
        return Err("unrecorded-request");
    }
    let mut variant = Vec::new();
    let mut projection: Option<Projection> = None;
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

/// The recorded absence answer, where the state knows that the entity is absent, or the view leaves it out.
fn absent_item(
    derived: &Derived,
    world: &World,
    view: &ItemView,
    read: Read<'_>,
    left_out: bool,
) -> Result<ReadAnswer, &'static str> {
    let path = trim_slash(read.path);
    let collection = match derived.is_home_item(read.tool, view.entity_type) {
        true => path.rfind('/').map(|cut| &path[..cut]),
        false => None,
    };
    // A line that leaves out what names the entity asks for none.
    let asked = asked_for(&view.address, read.parameters, read.line).ok_or("unrecorded-request")?;
    // A part of an address names no entity.
    let named = collection.is_some() || view.address.len() == 1;
    let known = match named {
        true => derived.knows_absent(world, view.entity_type, collection, asked),
        false => derived.is_complete(view.entity_type, collection),
    };
    if !known && !left_out {
        return Err("unknown-partition");
    }
    let beside = asked_beside(&view.address, read.parameters, read.line);
    absence_answer(derived, read.tool, view.entity_type, collection.unwrap_or(path).to_owned(), (asked, &beside))
}

/// The recorded absence answer of a tool, for an identity of a type in a collection.
pub(super) fn absence_answer(
    derived: &Derived,
    tool: usize,
    entity_type: usize,
    collection: String,
    (asked, beside): (&str, &[String]),
) -> Result<ReadAnswer, &'static str> {
    let absence = derived.absence_for(tool, asked, beside).ok_or("no-view")?;
    recorded_absence(derived, absence, entity_type, collection, (asked, beside))
}

/// A recorded absence as the answer for another identity.
pub(super) fn recorded_absence(
    derived: &Derived,
    absence: &Absence,
    entity_type: usize,
    collection: String,
    (asked, beside): (&str, &[String]),
) -> Result<ReadAnswer, &'static str> {
    let entity_type = derived.types.get(entity_type).ok_or("no-view")?;
    let record = absence.record;
    let recorded = absence.asked.as_deref().unwrap_or_default();
    let target =
        StateTarget::Item { entity_type: entity_type.collection_template.clone(), collection, id: asked.to_owned() };
    let Some(body) = &absence.body else {
        return Ok(ReadAnswer::Absent { record, renamed: (recorded.to_owned(), asked.to_owned()), target });
    };
    let mut body = body.as_ref().clone();
    respell_absence(&mut body, &asked_pairs((recorded, &absence.beside), (asked, beside)), absence.short);
    Ok(ReadAnswer::State { record, body, target, per_response: absence.per_response.clone() })
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

/// Whether a text holds a token: letters and digits next to it would make it another one.
pub(super) fn has_token(text: &str, token: &str) -> bool {
    !token.is_empty() && replace_in_text(text, token, "") != text
}

/// A text with another token for one; letters and digits next to it make it another token.
pub fn replace_in_text(text: &str, from: &str, to: &str) -> String {
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
    if find_line(&view.contradicted, |(held, line)| (held, line), path, line).is_some() {
        return Err("list-differs");
    }
    let (selection, body) = render_list(derived, world, view, read, line)?;
    if selection.range.is_empty()
        && !names_what_is_there(derived, world, &read)
        && let Some(answer) = was_absent(derived, &read)
    {
        return Ok(answer);
    }
    if selection.window.past_end(selection.matched) && !view.pages_empty {
        return past_end(derived, view, read);
    }
    Ok(ReadAnswer::State {
        record: view.base_record,
        body,
        target: StateTarget::List { entity_type: entity_type.collection_template.clone(), collection: path.to_owned() },
        per_response: derived.per_response(read.tool).to_vec(),
    })
}

fn past_end(derived: &Derived, view: &ListView, read: Read<'_>) -> Result<ReadAnswer, &'static str> {
    let record = view.past_end.ok_or(Unmodelled::PageExceeded.reason())?;
    let entity_type = derived.types.get(view.entity_type).ok_or("no-view")?;
    let target = StateTarget::List {
        entity_type: entity_type.collection_template.clone(),
        collection: trim_slash(read.path).to_owned(),
    };
    Ok(match derived.body_of(record) {
        Some(body) => {
            ReadAnswer::State { record, body: Value::Shared(Arc::clone(body)), target, per_response: Vec::new() }
        }
        None => ReadAnswer::Absent { record, renamed: (String::new(), String::new()), target },
    })
}

/// Whether an entity of some type is called so.
fn named(derived: &Derived, world: &World, id: &str) -> bool {
    (0..derived.types.len()).any(|entity_type| world.named(entity_type, id).next().is_some())
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
    let fresh = derived.is_fresh(world, read.tool, read.parameters);
    if !fresh && !view.knows(world.origin(view.entity_type, path), read.parameters, derived) {
        return Err("unknown-partition");
    }
    let referents = (derived, world);
    let (asked, line) = view.scope_for(line);
    let scope = entities_of(asked, (world, &derived.world), view.entity_type, path, read.parameters, &referents)
        .or_else(|| fresh.then(|| Scoped::Some(Plain::new(derived.fresh_listing(world, view.entity_type, read)))))
        .or_else(|| derived.lies_under_present(world, view, read.parameters).then(Scoped::nothing))
        .ok_or("unknown-partition")?;
    // An empty list is only known for what is there: an argument that names nothing may be refused.
    if let Scope::Member(checks) = &view.scope
        && !fresh
        && scope.count() == 0
        && !view.checked_bodies.iter().any(|(held, _, _)| held == path)
        && !checks
            .iter()
            .filter_map(|(parameter, _)| read.parameters.get(*parameter))
            .all(|id| named(derived, world, id))
    {
        return Err("unknown-partition");
    }
    if matches!(view.scope, Scope::Home)
        && !fresh
        && scope.count() == 0
        && derived.lies_under_removed(world, view, read)
    {
        return Err("unknown-partition");
    }
    let selected = view.query.select(&line, &scope, &referents);
    let selected = match selected {
        Err(Unmodelled::Partition) if derived.asks_for_fresh(world, read.tool, &view.query, &line) => {
            view.query.select_fresh(&line, &scope, &referents)
        }
        other => other,
    };
    selected.map_err(Unmodelled::reason)
}

fn render_list(
    derived: &Derived,
    world: &World,
    view: &ListView,
    read: Read<'_>,
    line: &Line,
) -> Result<(Selection, Value), &'static str> {
    let selection = select_list(derived, world, view, read, line)?;
    let way = representation_for(derived, &view.representations, &selection.variant).ok_or("variant")?;
    let mut items = Vec::with_capacity(selection.range.len());
    let mut keys = Vec::new();
    let (representation, mut places) = (derived.representations.get(way), Places::new());
    for entity in selection.listed() {
        let shown = render_entity(derived, entity, way, selection.projection.as_ref())?;
        let shown = in_named_order(representation, world, shown, &mut places)?;
        keys.push(entity.id.clone());
        items.push(shown);
    }
    let alternate = view.alternate.as_ref().filter(|other| other.when.iter().any(|key| line.get(key).is_some()));
    let (place, envelope, frame) = match alternate {
        Some(other) => (&other.place, &other.envelope, &other.frame),
        None => (&view.place, &view.envelope, &view.frame),
    };
    let mut body = frame.clone();
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
        let path = trim_slash(read.path);
        let recorded = find_line(&view.checked_bodies, |(held, line, _)| (held, line), path, line);
        let Some((_, _, record)) = recorded else { return Err("unrecorded-request") };
        let recorded = derived.body_of(*record).ok_or("unrecorded-request")?;
        for place in recorded_places {
            set_at(&mut body, place, at_place(recorded, place).cloned());
        }
    }
    Ok((selection, body))
}

/// The representation, by index, that variant parameters select.
fn representation_for(derived: &Derived, among: &[usize], variant: &[(String, String)]) -> Option<usize> {
    among.iter().copied().find(|index| derived.representations.get(*index).is_some_and(|way| way.variant == variant))
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
