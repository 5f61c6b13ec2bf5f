//! Applying a write plan: a pure function from a world and a call to the next world and the answer, or to a refusal. The
//! replay of recordings and the served calls both come here.

use super::absence::{asked_beside, asked_pairs, respell_absence};
use super::coverage::Effect;
use super::derived::Derived;
use super::document_apply::apply_document;
use super::effect::{Done, apply_effects};
use super::effect_companion::companions;
use super::effect_follow::touch;
use super::effect_named::{made_aside, put_aside};
use super::evaluate::StateTarget;
use super::identity::fill_home;
use super::limits::{COLLECTION_ALLOWANCE_BYTES, MAX_HISTORY_BYTES};
use super::line::{Line, scalar_text};
use super::member_rule::{Given, Makings, MemberExpr, Miss};
use super::observe::trim_slash;
use super::path::Step;
use super::precondition::{self, Scene};
use super::render_entity::merged_and_proven;
use super::slot::{Left, Slot, entity_with, merged};
use super::store::{Entity, World};
use super::write_answer::answer;
use super::write_bulk::apply_bulk;
use super::write_plan::{Part, TargetPlace, WritePlan};
use super::write_refuse::WriteRefusal;
use crate::json::{Object, Value};
use std::sync::Arc;

/// A write as the state sees it.
#[derive(Clone, Copy, Debug)]
pub struct Write<'a> {
    /// Decoded path parameters.
    pub parameters: &'a [String],
    /// The path as the call spells it.
    pub path: &'a str,
    /// Query pairs, decoded.
    pub query: &'a [(String, String)],
    /// The body: JSON, or a form's fields.
    pub body: Option<&'a Value>,
}

impl Write<'_> {
    /// The line that addresses: the query, and the members of a body that is an object.
    fn line(&self) -> Line {
        let line = Line::new(self.query, self.body);
        line.or_else(|| Line::new(self.query, None)).unwrap_or_default()
    }
}

/// A write that was applied, or that found its target absent.
#[derive(Clone, Debug)]
pub struct Written {
    /// The world after it; `None` where nothing changed.
    pub world: Option<World>,
    /// The part of the plan that was applied; `None` for an absent target.
    pub part: Option<usize>,
    /// Index of the record whose status and content type the answer has.
    pub record: usize,
    /// The answer's body; `None` repeats the recorded one.
    pub body: Option<Value>,
    /// `create`, `update` or `delete`; an absence answers as an item.
    pub view: &'static str,
    /// What it names.
    pub target: StateTarget,
    /// Identities of all entities that a bulk call wrote, in body order; empty for other calls.
    pub ids: Vec<String>,
    /// Pointers of generated members of the body, with the kind of generation.
    pub generated: Vec<(String, &'static str)>,
    /// Pointers of members of the body that nothing in the call or the state gives: they are as the record has them, or
    /// left out where that speaks of its own entity.
    pub recorded: Vec<String>,
}

/// Generated values and references, with what was made so far.
pub(super) trait Maker: Makings {
    /// A new identity for an entity of a collection.
    fn begin(&mut self, kind: usize, collection: &str);
    /// What the write makes beside its target, by type: references find it, too.
    fn beside(&mut self, _: &[(usize, Entity)]) {}
    /// From here on places are those of the answer.
    fn answering(&mut self);
    /// The places and kinds of what was made, as slot pointers.
    fn made_places(&self) -> &[(String, &'static str)];
    /// Whether it can make values that no recording of the call shows.
    fn makes_more(&self) -> bool {
        false
    }
    /// Puts what was counted into the world after the write.
    fn finish(&self, world: &mut World);
}

/// Applies a write.
///
/// # Errors
/// Every call that the recorded calls do not cover; the world is then as it was.
pub(super) fn apply(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    if let Some(bulk) = &plan.bulk
        && let Some(parts) = write.body.and_then(|body| bulk.split.parts(body))
    {
        return apply_bulk(derived, world, (plan, bulk), (write, &parts), maker);
    }
    apply_one(derived, world, plan, write, maker)
}

/// Applies a write that is about one target.
///
/// # Errors
/// As [`apply`].
pub(super) fn apply_one(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    if plan.target.place == TargetPlace::Tree {
        return super::tree_plan::apply_tree(derived, world, plan, write, maker);
    }
    if let TargetPlace::Document(address) = &plan.target.place {
        return apply_document(world, (plan, address.read_tool), write, maker);
    }
    let query = plan.target.other_query(write.query);
    let creates = |part: &&Part| part.effect == Effect::Create;
    // Of several parts the one of this query; where none has it, the first says what would be accepted.
    let chosen = |creating: bool| {
        let fits = |part: &&Part| creates(part) == creating;
        let mut parts = plan.parts.iter().filter(fits);
        parts.clone().find(|part| part.query == query).or_else(|| parts.next())
    };
    let numbered = |part: &Part| plan.parts.iter().position(|held| std::ptr::eq(held, part)).unwrap_or(0);
    let held = match &plan.target.place {
        TargetPlace::Collection => already_held(derived, world, plan, write),
        TargetPlace::Entity(address) => {
            let line = write.line();
            address.find(derived, world, write.parameters, write.path, &line)
        }
        TargetPlace::Document(_) | TargetPlace::Tree => None,
    };
    let acts = held.is_some() || plan.parts.iter().any(|part| creates(&part));
    if acts && let Some(refused) = precondition_refuses(derived, world, plan, write, held.as_deref()) {
        return Ok(refused);
    }
    let (part, written) = match (held, &plan.target.place) {
        (Some(held), _) => {
            let about = |part: &&Part| !creates(part) && part.is_about(world, &held.id);
            let of_query = plan.parts.iter().filter(about).find(|part| part.query == query);
            let part = of_query.or_else(|| plan.parts.iter().find(about)).ok_or_else(|| match chosen(true) {
                Some(part) => WriteRefusal::held(part, &held.id),
                None => WriteRefusal::target(plan),
            })?;
            let written = match part.effect {
                Effect::Delete => delete(derived, world, plan, part, write, &held, maker),
                _ => update(derived, world, plan, part, write, &held, maker),
            };
            (part, written)
        }
        (None, place) => match (chosen(true), place) {
            (Some(part), _) => (part, create(derived, world, plan, part, write, maker)),
            (None, TargetPlace::Entity(address)) => {
                let line = write.line();
                let beside = asked_beside(&address.view.address, write.parameters, Some(&line));
                return absent(derived, plan, write, (address.asked(write.parameters, &line), beside));
            }
            (None, TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree) => {
                return Err(WriteRefusal::target(plan));
            }
        },
    };
    written.map(|written| Written { part: Some(numbered(part)), ..written })
}

/// The answer of a write that the state forbids, where the recorded calls show that it does.
fn precondition_refuses(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    write: &Write<'_>,
    held: Option<&Entity>,
) -> Option<Written> {
    if plan.preconditions.is_empty() {
        return None;
    }
    let kind = plan.target.entity_type;
    let home = &derived.types.get(kind)?.template;
    let collection = match held {
        Some(held) => Some(held.collection.to_string()),
        None => collection_of(plan, home, write),
    };
    let null = Value::Null;
    let sent = write.body.and_then(|body| plan.envelope.open(body)).unwrap_or(&null);
    let query = plan.target.other_query(write.query);
    let scene = Scene { derived, world, kind, collection: collection.as_deref(), held, sent, query: &query };
    precondition::refused(plan, write, scene)
}

/// The entity that a create finds there already, where the recorded calls show that it does.
fn already_held(derived: &Derived, world: &World, plan: &WritePlan, write: &Write<'_>) -> Option<Arc<Entity>> {
    let by = plan.parts.iter().find_map(|part| part.same_by.as_ref())?;
    let sent = by.direct(plan.envelope.open(write.body?)?)?;
    let home = &derived.types.get(plan.target.entity_type)?.template;
    let collection = collection_of(plan, home, write)?;
    let held = world.collection(plan.target.entity_type, &collection)?;
    held.iter().find(|entity| by.direct(&entity.fields).is_some_and(|value| value.same_as(sent))).cloned()
}

/// The recorded answer for an absent target: of the tool, else of an item view of the type.
fn absent(
    derived: &Derived,
    plan: &WritePlan,
    write: &Write<'_>,
    (asked, beside): (Option<String>, Vec<String>),
) -> Result<Written, WriteRefusal> {
    let format = asked.as_deref().map(crate::manifest::SegmentFormat::of);
    let of_tool = plan
        .absences
        .iter()
        .find(|held| held.asked == asked)
        .or_else(|| {
            plan.absences.iter().find(|held| held.asked.as_deref().map(crate::manifest::SegmentFormat::of) == format)
        })
        .or_else(|| plan.absences.first());
    // What reads of the type show of their errors holds for this one, too.
    let of_views = || {
        let views = derived.views.iter().enumerate().filter(
            |(_, view)| matches!(view, super::types::View::Item(view) if view.entity_type == plan.target.entity_type),
        );
        views.filter_map(|(tool, _)| derived.absence_for(tool, asked.as_deref().unwrap_or_default(), &beside)).next()
    };
    let absence = of_tool.or_else(of_views).ok_or_else(|| WriteRefusal::target(plan))?;
    let record = absence.record;
    let body = absence.body.as_ref().map(|body| {
        let mut body = body.as_ref().clone();
        if let (Some(recorded), Some(asked)) = (&absence.asked, &asked) {
            let short = of_views().is_some_and(|held| held.short);
            respell_absence(&mut body, &asked_pairs((recorded, &absence.beside), (asked, &beside)), short);
        }
        body
    });
    let path = trim_slash(write.path);
    let target = StateTarget::Item {
        entity_type: type_name(derived, plan.target.entity_type),
        collection: path.rfind('/').map_or(path, |cut| &path[..cut]).to_owned(),
        id: asked.unwrap_or_default(),
    };
    Ok(Written {
        part: None,
        world: None,
        record,
        body,
        view: "item",
        target,
        ids: Vec::new(),
        generated: absence.per_response.clone(),
        recorded: Vec::new(),
    })
}

fn type_name(derived: &Derived, kind: usize) -> String {
    derived.types.get(kind).map(|kind| kind.collection_template.clone()).unwrap_or_default()
}

/// Checks what was sent, and opens its envelope.
fn checked(plan: &WritePlan, part: &Part, write: &Write<'_>) -> Result<Value, WriteRefusal> {
    let query = plan.target.other_query(write.query);
    if query.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(WriteRefusal::repeated_query(part));
    }
    if query != part.query {
        return Err(WriteRefusal::query(part));
    }
    let Some(body) = write.body else {
        return match part.accepted.iter().find(|member| member.required) {
            Some(member) => Err(WriteRefusal::missing(part, &member.name)),
            None => Ok(Value::Null),
        };
    };
    if body.as_object().is_none() {
        return Err(WriteRefusal::body(part));
    }
    let sent = plan.envelope.open(body).ok_or_else(|| WriteRefusal::envelope(plan, part))?;
    let members = sent.as_object().ok_or_else(|| WriteRefusal::envelope(plan, part))?;
    for (name, value) in members {
        let shown = name.to_display();
        let member = part.accepted.iter().find(|member| name.as_str() == Some(&member.name));
        let member = member.ok_or_else(|| WriteRefusal::member(part, &shown))?;
        if !member.types.contains(&value.type_name()) {
            return Err(WriteRefusal::kind(part, &shown, value.type_name()));
        }
        if let [only] = member.only.as_slice()
            && !only.same_as(value)
        {
            return Err(WriteRefusal::fixed(part, &shown, only));
        }
    }
    if let Some(member) = part.accepted.iter().find(|member| member.required && !members.contains(&member.name)) {
        return Err(WriteRefusal::missing(part, &member.name));
    }
    Ok(sent.clone())
}

/// Turns what a rule misses into a refusal; what is not proven leaves the slot unknown.
pub(super) fn left(part: &Part, found: Result<Option<Value>, Miss>) -> Result<Left, WriteRefusal> {
    match found {
        Ok(Some(value)) => Ok(Left::Value(value)),
        Ok(None) => Ok(Left::Absent),
        Err(Miss::Unknown) => Ok(Left::Unknown),
        Err(Miss::Value(name)) => Err(WriteRefusal::value(part, &name)),
        Err(Miss::Reference(text)) => Err(WriteRefusal::reference(part, &text)),
        Err(Miss::Clock) => Err(WriteRefusal::clock(part)),
    }
}

/// The slots that the write leaves, those that read others last; `after` holds them all in the end.
pub(super) fn slots(
    part: &Part,
    write: &Write<'_>,
    sent: &Value,
    before: Option<&Value>,
    after: &mut Value,
    maker: &mut dyn Maker,
) -> Result<Vec<(Slot, Left)>, WriteRefusal> {
    let mut done = Vec::with_capacity(part.slots.len());
    let mut later: Vec<&(Slot, MemberExpr)> = Vec::new();
    let put = |after: &mut Value, slot: &Slot, value: &Left| {
        if let Some(object) = after.as_object_mut() {
            match value {
                Left::Value(value) => {
                    object.set(slot.key(), value.clone());
                }
                Left::Absent | Left::Unknown => {
                    object.remove(&slot.key());
                }
            }
        }
    };
    for entry in &part.slots {
        if entry.1.reads_after() {
            later.push(entry);
            continue;
        }
        let given = Given { sent, params: write.parameters, before, after, item: None, beside: None };
        let value = left(part, entry.1.value(&given, maker, &format!("/{}", entry.0.key())))?;
        put(after, &entry.0, &value);
        done.push((entry.0.clone(), value));
    }
    // Texts may be made of texts: what cannot be made yet waits for the others.
    for round in 0..3 {
        let mut waiting = Vec::new();
        for entry in std::mem::take(&mut later) {
            let given = Given { sent, params: write.parameters, before, after, item: None, beside: None };
            let value = left(part, entry.1.value(&given, maker, &format!("/{}", entry.0.key())))?;
            if value == Left::Unknown && round < 2 {
                waiting.push(entry);
                continue;
            }
            put(after, &entry.0, &value);
            done.push((entry.0.clone(), value));
        }
        later = waiting;
    }
    Ok(done)
}

/// Puts an identity into the merged object, at its place.
pub(super) fn seed_identity(derived: &Derived, kind: usize, after: &mut Value, identity: Value) {
    let Some(kind) = derived.types.get(kind) else { return };
    let mut names: Vec<&str> = Vec::new();
    for step in &kind.identity.0 {
        match step {
            Step::Member(name) => names.push(name),
            Step::Each | Step::Pick(_) => return,
        }
    }
    let Some((last, way)) = names.split_last() else { return };
    let mut at = after;
    for name in way {
        let Some(object) = at.as_object_mut() else { return };
        if !object.contains(name) {
            object.push(*name, Object::new());
        }
        let Some(next) = object.get_mut(name) else { return };
        at = next;
    }
    if let Some(object) = at.as_object_mut() {
        object.set(*last, identity);
    }
}

fn create(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    let home = derived.types.get(kind).map(|kind| &kind.template);
    let named = home.and_then(|home| collection_of(plan, home, write));
    let of_sent = || derived.types.get(kind).and_then(|kind| fill_home(kind, &sent));
    let mut collection = named.or_else(of_sent).unwrap_or_default();
    if let Some((record, body)) = derived.refused_under_absent(world, (plan.tool, kind), (write.path, &collection)) {
        let target = StateTarget::List { entity_type: type_name(derived, kind), collection };
        return Ok(Written {
            part: None,
            world: None,
            record,
            body: Some(body),
            view: "create",
            target,
            ids: Vec::new(),
            generated: Vec::new(),
            recorded: Vec::new(),
        });
    }
    let aside = made_aside(derived, world, kind, (write, &sent), maker);
    maker.begin(kind, &collection);
    let mut after = Value::Object(Object::new());
    let rule = part.identity.as_ref().ok_or_else(|| WriteRefusal::answer(part))?;
    let identity_at: String = derived
        .types
        .get(kind)
        .map(|kind| kind.identity.names().map(|name| format!("/{name}")).collect())
        .unwrap_or_default();
    let given = Given { sent: &sent, params: write.parameters, before: None, after: &after, item: None, beside: None };
    let mut identity = if rule.reads_after() { None } else { Some(rule.value(&given, maker, &identity_at)) };
    if let Some(Ok(Some(value))) = &identity {
        seed_identity(derived, kind, &mut after, value.clone());
    }
    let found = slots(part, write, &sent, None, &mut after, maker)?;
    if identity.is_none() {
        let given =
            Given { sent: &sent, params: write.parameters, before: None, after: &after, item: None, beside: None };
        identity = Some(rule.value(&given, maker, &identity_at));
    }
    let Left::Value(identity) = left(part, identity.unwrap_or(Err(Miss::Unknown)))? else {
        return Err(WriteRefusal::answer(part));
    };
    let id = scalar_text(&identity).ok_or_else(|| WriteRefusal::answer(part))?;
    if collection.is_empty()
        && let Some(kind) = derived.types.get(kind)
    {
        collection = fill_home(kind, &after).ok_or_else(|| WriteRefusal::answer(part))?;
    }
    if world.collection(kind, &collection).is_some_and(|held| held.get(&id).is_some()) {
        return Err(WriteRefusal::held(part, &id));
    }
    let mut next = world.clone();
    if world.collection(kind, &collection).is_none() {
        let more = collection.len() + COLLECTION_ALLOWANCE_BYTES;
        let history = world.made().history.saturating_add(2 * more);
        if history > MAX_HISTORY_BYTES {
            return Err(WriteRefusal::history(MAX_HISTORY_BYTES));
        }
        next.made_mut().history = history;
    }
    let key = (Arc::from(collection.as_str()), Arc::from(id.as_str()));
    let mut entity = entity_with(derived, kind, key, None, found);
    // What shows it may leave its identity out, as a list that is keyed by it does.
    if derived.types.get(kind).is_some_and(|of| of.identity.direct(&entity.fields).is_none()) {
        seed_identity(derived, kind, Arc::make_mut(&mut entity.fields), identity);
    }
    let all = merged(&entity);
    let (body, generated, recorded) = answer(part, write, &sent, None, &all, maker)?;
    put_aside(derived, &mut next, world, plan.tool, &aside);
    next.set_entity(kind, entity.clone());
    let done = Done::by((plan.tool, kind), None, Some(&entity), world);
    apply_effects(derived, &mut next, &done);
    if maker.makes_more() {
        companions(derived, &mut next, &done, maker);
        touch(derived, &mut next, &done, maker);
    }
    maker.finish(&mut next);
    let target = StateTarget::Item { entity_type: type_name(derived, kind), collection, id };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: "create",
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}

/// The collection that a create's path names.
pub(super) fn collection_of(plan: &WritePlan, home: &crate::manifest::Template, write: &Write<'_>) -> Option<String> {
    let literal: Option<String> = home
        .segments
        .iter()
        .map(|segment| match segment {
            crate::manifest::Segment::Literal(text) => Some(format!("/{text}")),
            _ => None,
        })
        .collect();
    if literal.is_some() {
        return literal;
    }
    // A home that members name beside the path (a tuple in the body) is none of the places that the path names.
    let open = home.segments.iter().filter(|segment| !matches!(segment, crate::manifest::Segment::Literal(_))).count();
    if open > write.parameters.len() {
        return None;
    }
    let path = match &plan.target.place {
        TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => trim_slash(write.path),
        TargetPlace::Entity(address) => {
            let path = address.path(write.path);
            &path[..path.rfind('/')?]
        }
    };
    home.matches(path).is_some().then(|| path.to_owned())
}

fn update(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    held: &Arc<Entity>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    let aside = made_aside(derived, world, kind, (write, &sent), maker);
    maker.begin(kind, &held.collection);
    let before = merged_and_proven(derived, held, kind);
    let mut after = before.clone();
    let found = slots(part, write, &sent, Some(&before), &mut after, maker)?;
    let key = (Arc::clone(&held.collection), Arc::clone(&held.id));
    let entity = entity_with(derived, kind, key, Some(held), found);
    let all = merged_and_proven(derived, &entity, kind);
    let (body, generated, recorded) = answer(part, write, &sent, Some(&before), &all, maker)?;
    let mut next = world.clone();
    let renamed = derived
        .types
        .get(kind)
        .and_then(|kind| super::identity::identity_text(kind, Some(&held.id), &all))
        .filter(|id| *id != *held.id);
    let id = renamed.clone().unwrap_or_else(|| held.id.to_string());
    let entity = match renamed {
        // The identity is a member that can be changed: the entity moves to its new address.
        Some(new) => {
            if world.collection(kind, &held.collection).is_some_and(|held| held.get(&new).is_some()) {
                return Err(WriteRefusal::held(part, &new));
            }
            Entity { id: Arc::from(new), ..entity }
        }
        None => entity,
    };
    put_aside(derived, &mut next, world, plan.tool, &aside);
    next.rename_entity(kind, &held.id, entity.clone());
    let done = Done::by((plan.tool, kind), Some(held), Some(&entity), world);
    apply_effects(derived, &mut next, &done);
    if maker.makes_more() {
        touch(derived, &mut next, &done, maker);
    }
    maker.finish(&mut next);
    let target =
        StateTarget::Item { entity_type: type_name(derived, kind), collection: held.collection.to_string(), id };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: "update",
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}

fn delete(
    derived: &Derived,
    world: &World,
    plan: &WritePlan,
    part: &Part,
    write: &Write<'_>,
    held: &Arc<Entity>,
    maker: &mut dyn Maker,
) -> Result<Written, WriteRefusal> {
    let kind = plan.target.entity_type;
    let sent = checked(plan, part, write)?;
    maker.begin(kind, &held.collection);
    let before = merged_and_proven(derived, held, kind);
    let (body, generated, recorded) = answer(part, write, &sent, Some(&before), &before, maker)?;
    let mut next = world.clone();
    next.remove_entity(kind, &held.collection, &held.id);
    let done = Done::by((plan.tool, kind), Some(held), None, world);
    apply_effects(derived, &mut next, &done);
    if maker.makes_more() {
        touch(derived, &mut next, &done, maker);
    }
    maker.finish(&mut next);
    let target = StateTarget::Item {
        entity_type: type_name(derived, kind),
        collection: held.collection.to_string(),
        id: held.id.to_string(),
    };
    Ok(Written {
        part: None,
        world: Some(next),
        record: part.record,
        body,
        view: part.effect.word(),
        target,
        ids: Vec::new(),
        generated,
        recorded,
    })
}
