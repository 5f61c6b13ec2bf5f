//! Applying a write plan: a pure function from a world and a call to the next world and the answer, or to a refusal. The
//! replay of recordings and the served calls both come here.

use super::absence::{asked_beside, asked_pairs, respell_absence};
use super::coverage::Effect;
use super::derived::Derived;
use super::document_apply::apply_document;
use super::effect_relation::address_of;
use super::evaluate::StateTarget;
use super::line::Line;
use super::member_rule::{Makings, Miss};
use super::observe::trim_slash;
use super::precondition::{self, Called};
use super::slot::Left;
use super::store::{Entity, World};
use super::write_bulk::apply_bulk;
use super::write_entity::{collection_of, create, delete, update};
use super::write_plan::{Part, TargetPlace, WritePlan};
use super::write_refuse::WriteRefusal;
use crate::json::Value;
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
    pub(super) fn line(&self) -> Line {
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

impl Written {
    /// An answer that changes nothing: of an absent target, or of a write that the state forbids.
    pub(super) fn unchanged(record: usize, body: Option<Value>, view: &'static str, target: StateTarget) -> Self {
        let (ids, generated, recorded) = (Vec::new(), Vec::new(), Vec::new());
        Self { world: None, part: None, record, body, view, target, ids, generated, recorded }
    }
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
    /// Takes the next number of the sequence of the type's identities, for nothing that is held.
    fn take_number(&mut self, _start: i64) {}
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
    // Of several parts that create the one of this query; where none has it, the first says what would be accepted.
    let creating = || {
        let mut parts = plan.parts.iter().filter(creates);
        parts.clone().find(|part| part.query == query).or_else(|| parts.next())
    };
    let numbered = |part: &Part| plan.parts.iter().position(|held| std::ptr::eq(held, part)).unwrap_or(0);
    let held = match &plan.target.place {
        TargetPlace::Collection => already_held(derived, world, plan, write),
        TargetPlace::Entity(address) => {
            let line = write.line();
            if address.is_ambiguous(derived, world, write.parameters, write.path, &line) {
                return Err(WriteRefusal::ambiguous(plan));
            }
            address.find(derived, world, write.parameters, write.path, &line)
        }
        TargetPlace::Document(_) | TargetPlace::Tree => None,
    };
    let acts = held.is_some() || plan.parts.iter().any(|part| creates(&part));
    if acts && let Some(refused) = precondition_refuses(derived, world, plan, write, held.as_ref()) {
        return Ok(refused);
    }
    let (part, written) = match (held, &plan.target.place) {
        (Some(held), _) => {
            let target = address_of(plan.target.entity_type, &held);
            let about = |part: &&Part| !creates(part) && part.is_about(derived, world, target);
            let of_query = plan.parts.iter().filter(about).find(|part| part.query == query);
            let part = of_query.or_else(|| plan.parts.iter().find(about)).ok_or_else(|| match creating() {
                Some(part) => WriteRefusal::held(part, &held.id),
                None => WriteRefusal::target(plan),
            })?;
            let written = match part.effect {
                Effect::Delete => delete(derived, world, plan, part, write, &held, maker),
                _ => update(derived, world, plan, part, write, &held, maker),
            };
            (part, written)
        }
        (None, place) => match (creating(), place) {
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
    held: Option<&Arc<Entity>>,
) -> Option<Written> {
    if plan.preconditions.is_empty() {
        return None;
    }
    let called = Called::new(derived, plan, write, held.cloned(), world);
    precondition::refused(plan, write, called.scene(derived))
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
        let views = derived.views.iter().enumerate().filter_map(|(tool, view)| match view {
            super::types::View::Item(view) if view.entity_type == plan.target.entity_type => Some((tool, view)),
            _ => None,
        });
        // The read that addresses its entity as this call does comes before others.
        let alike = |view: &super::types::ItemView| match &plan.target.place {
            TargetPlace::Entity(address) => address.view.address == view.address,
            TargetPlace::Collection | TargetPlace::Document(_) | TargetPlace::Tree => false,
        };
        let mut views: Vec<_> = views.collect();
        views.sort_by_key(|(_, view)| !alike(view));
        let asked = asked.as_deref().unwrap_or_default();
        views.into_iter().find_map(|(tool, _)| derived.absence_for(tool, asked, &beside))
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
    Ok(Written { generated: absence.per_response.clone(), ..Written::unchanged(record, body, "item", target) })
}

pub(super) fn type_name(derived: &Derived, kind: usize) -> String {
    derived.types.get(kind).map(|kind| kind.collection_template.clone()).unwrap_or_default()
}

/// Checks a query, sorted and without what addresses the target: it is the one of the recorded calls.
pub(super) fn check_query(part: &Part, query: &[(String, String)]) -> Result<(), WriteRefusal> {
    if query.windows(2).any(|pair| pair[0].0 == pair[1].0) {
        return Err(WriteRefusal::repeated_query(part));
    }
    if query != part.query { Err(WriteRefusal::query(part)) } else { Ok(()) }
}

/// Checks what was sent, and opens its envelope.
pub(super) fn checked(plan: &WritePlan, part: &Part, write: &Write<'_>) -> Result<Value, WriteRefusal> {
    check_query(part, &plan.target.other_query(write.query))?;
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
