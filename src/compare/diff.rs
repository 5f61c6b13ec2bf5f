//! Two JSON answers, side by side: where they differ after everything that may differ is set aside.

use super::encoded::decode;
use super::ids::{
    Id, IdTable, Own, is_distinctive, is_id_list_field, is_identifier_field, is_own_id_field, own_entities,
};
use super::limits::{MAX_DIFFERENCES_PER_STEP, MAX_ORDER_TRIALS, MAX_WALK_DEPTH};
use super::normalise::{
    Admission, ClockFormat, Embedding, EpochFormat, Generated, GeneratedKind, PathStep, is_clock_field, same_with_ids,
};
use super::result::{Difference, DifferenceKind, Normalised};
use super::rules::{DerivedMember, ServedRules};
use super::shown::shown;
use crate::json::{Object, Value, push_token};
use crate::manifest::SegmentFormat;

/// Everything that is known when two answers are compared.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// Identifiers learned so far, this answer included.
    pub(crate) ids: &'a IdTable,
    /// The collection whose entities the call answers with.
    pub(crate) collection: &'a str,
    /// The identifiers of this request, live and translated.
    pub(crate) request: &'a [(String, String)],
    /// Index of the tool.
    pub(crate) tool: usize,
    /// The served state's facts.
    pub(crate) rules: &'a dyn ServedRules,
}

/// What comparing two bodies found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) agrees: bool,
    pub(crate) agrees_ignoring_order: bool,
    pub(crate) differences: Vec<Difference>,
    pub(crate) normalised: Normalised,
}

/// Compares two JSON bodies. `generated` are the facts of the served write, if any.
pub(crate) fn compare_json(live: &Value, environment: &Value, known: Known<'_>, generated: &Generated) -> Found {
    let own = Owners { live: own_entities(live), environment: own_entities(environment) };
    let mut strict = Comparer::new(known, generated.clone(), true);
    let agrees = strict.node(live, environment, Context::root(own), 0);
    let agrees_ignoring_order = agrees || {
        let mut loose = Comparer::new(known, generated.clone(), false);
        loose.node(live, environment, Context::root(own), 0)
    };
    Found { agrees, agrees_ignoring_order, differences: strict.differences, normalised: strict.normalised }
}

#[derive(Clone, Copy)]
struct Owners<'a> {
    live: Own<'a>,
    environment: Own<'a>,
}

/// Where a value stands.
#[derive(Clone, Copy)]
struct Context<'a> {
    /// Name of the member that holds the value, directly or through arrays.
    field: Option<&'a str>,
    /// Whether the value is the answer's own entity, or the list of them.
    own: bool,
    /// At the root: which member is.
    owners: Option<Owners<'a>>,
    /// The objects that hold the member.
    holders: Option<(&'a Object, &'a Object)>,
}

impl<'a> Context<'a> {
    fn root(owners: Owners<'a>) -> Self {
        Self { field: None, own: owners.live == Own::Root, owners: Some(owners), holders: None }
    }

    fn member(&self, name: &'a str, holders: (&'a Object, &'a Object)) -> Self {
        let own = self
            .owners
            .is_some_and(|owners| owners.live == Own::Member(name) && owners.environment == Own::Member(name));
        Self {
            field: Some(name),
            own: own || (self.own && is_own_id_field(name)),
            owners: None,
            holders: Some(holders),
        }
    }

    /// An item keeps the name of the member that holds its array; what is inside an object item names itself.
    fn item(&self) -> Self {
        Self { holders: None, owners: None, ..*self }
    }
}

struct Comparer<'a> {
    known: Known<'a>,
    generated: Generated,
    /// The strict comparison keeps order, collects differences and counts; the loose one stops at the first difference.
    strict: bool,
    path: Vec<PathStep<'a>>,
    differences: Vec<Difference>,
    normalised: Normalised,
    trials: usize,
}

impl<'a> Comparer<'a> {
    fn new(known: Known<'a>, generated: Generated, strict: bool) -> Self {
        Self {
            known,
            generated,
            strict,
            path: Vec::new(),
            differences: Vec::new(),
            normalised: Normalised::default(),
            trials: 0,
        }
    }

    fn node(&mut self, live: &'a Value, environment: &'a Value, context: Context<'a>, depth: usize) -> bool {
        if depth > MAX_WALK_DEPTH {
            return live.same_as(environment) || self.differ(DifferenceKind::Value, Some(live), Some(environment));
        }
        match (live.plain(), environment.plain()) {
            (Value::Object(ours), Value::Object(theirs)) => self.object(ours, theirs, context, depth),
            (Value::Array(ours), Value::Array(theirs)) if self.strict => self.array(ours, theirs, context, depth),
            (Value::Array(ours), Value::Array(theirs)) => self.array_in_any_order(ours, theirs, context, depth),
            _ => {
                if self.scalar(live, environment, context) || self.derived(live, context) {
                    return true;
                }
                let kind = if live.type_name() == environment.type_name() {
                    DifferenceKind::Value
                } else {
                    DifferenceKind::Type
                };
                self.differ(kind, Some(live), Some(environment))
            }
        }
    }

    fn object(&mut self, live: &'a Object, environment: &'a Object, context: Context<'a>, depth: usize) -> bool {
        let mut agrees = true;
        let keyed = self.is_keyed(live) && self.is_keyed(environment);
        let mut met = 0;
        let mut taken: Vec<&str> = Vec::new();
        for (index, (name, value)) in live.iter().enumerate() {
            let Some(name_text) = name.as_str() else {
                // A name with an unpaired surrogate has no `str`; it is compared literally.
                agrees &= environment.iter().any(|(other, theirs)| other == name && theirs.same_as(value));
                met += 1;
                continue;
            };
            let renamed = if keyed { self.renamed_key(name_text, environment, context.own) } else { None };
            let theirs = match (renamed, environment.iter().as_slice().get(index)) {
                (Some((other, theirs)), _) => {
                    self.normalised.keyed_ids += 1;
                    taken.push(other);
                    Some(theirs)
                }
                (None, Some((other, theirs))) if *other == *name => Some(theirs),
                (None, _) => environment.get(name_text),
            };
            self.path.push(PathStep::Member(name_text));
            match theirs {
                Some(theirs) => {
                    met += 1;
                    let context = if keyed && context.own && value.as_object().is_some() {
                        Context { field: None, own: true, owners: None, holders: None }
                    } else {
                        context.member(name_text, (live, environment))
                    };
                    agrees &= self.node(value, theirs, context, depth + 1);
                }
                None => agrees &= self.differ(DifferenceKind::Missing, Some(value), None),
            }
            self.path.pop();
            if !agrees && !self.strict {
                return false;
            }
        }
        if met == environment.len() {
            return agrees;
        }
        for (name, value) in environment {
            let Some(name) = name.as_str() else { continue };
            if taken.contains(&name)
                || (live.contains(name) && !(keyed && self.renamed(live, name, environment, context.own)))
            {
                continue;
            }
            self.path.push(PathStep::Member(name));
            agrees &= self.differ(DifferenceKind::Extra, None, Some(value));
            self.path.pop();
        }
        agrees
    }

    fn is_keyed(&self, object: &Object) -> bool {
        !object.is_empty()
            && object.iter().all(|(name, _)| {
                name.as_str().is_some_and(|name| SegmentFormat::of(name).is_some() || is_distinctive(name))
            })
    }

    /// The environment's member whose name is the identifier that a live name stands for, when it is another.
    fn renamed_key(&self, live: &str, environment: &'a Object, own: bool) -> Option<(&'a str, &'a Value)> {
        let ids = self.known.ids;
        let found = if own { ids.translate_in(self.known.collection, live) } else { ids.translate(live) }?;
        if found == live {
            return None;
        }
        environment.iter().find(|(name, _)| *name == *found).and_then(|(name, value)| Some((name.as_str()?, value)))
    }

    /// Whether the live member called `name` was compared with an environment member of another name.
    fn renamed(&self, live: &Object, name: &str, environment: &'a Object, own: bool) -> bool {
        live.contains(name) && self.renamed_key(name, environment, own).is_some()
    }

    fn array(&mut self, live: &'a [Value], environment: &'a [Value], context: Context<'a>, depth: usize) -> bool {
        let mut agrees = true;
        let pairs =
            super::align::align(live, environment, |ours, theirs| self.same_identity(ours, theirs, context.own));
        let mut matched = vec![false; environment.len()];
        for (index, value) in live.iter().enumerate() {
            self.path.push(PathStep::Item(index));
            match pairs[index] {
                Some(other) => {
                    matched[other] = true;
                    agrees &= self.node(value, &environment[other], context.item(), depth + 1);
                }
                None => agrees &= self.differ(DifferenceKind::Missing, Some(value), None),
            }
            self.path.pop();
        }
        for (index, value) in environment.iter().enumerate() {
            if !matched[index] {
                self.path.push(PathStep::Item(index));
                agrees &= self.differ(DifferenceKind::Extra, None, Some(value));
                self.path.pop();
            }
        }
        agrees
    }

    /// Whether two items are one entity, by the identity they hold.
    fn same_identity(&self, live: &Object, environment: &Object, own: bool) -> bool {
        live.iter().any(|(name, value)| {
            let Some(name) = name.as_str().filter(|name| is_own_id_field(name)) else { return false };
            let (Some(ours), Some(theirs)) = (Id::of(value), environment.get(name).and_then(Id::of)) else {
                return false;
            };
            let equal = ours == theirs
                && !(own && self.known.ids.contradicts(self.known.collection, ours.text(), theirs.text()));
            equal || (ours.same_type(&theirs) && self.maps(&ours, &theirs, own))
        })
    }

    fn array_in_any_order(
        &mut self,
        live: &'a [Value],
        environment: &'a [Value],
        context: Context<'a>,
        depth: usize,
    ) -> bool {
        if live.len() != environment.len() {
            return false;
        }
        let mut free: Vec<usize> = (0..environment.len()).collect();
        for (index, value) in live.iter().enumerate() {
            // The same place first, then the others: most lists that differ in order differ in a few places.
            let mut order: Vec<usize> = Vec::with_capacity(free.len());
            if let Ok(at) = free.binary_search(&index) {
                order.push(at);
            }
            order.extend((0..free.len()).filter(|at| free[*at] != index));
            let mut found = None;
            for at in order {
                if self.trials >= MAX_ORDER_TRIALS {
                    return false;
                }
                self.trials += 1;
                let mark = self.generated.mark();
                self.path.push(PathStep::Item(index));
                let agrees = self.node(value, &environment[free[at]], context.item(), depth + 1);
                self.path.pop();
                if agrees {
                    found = Some(at);
                    break;
                }
                self.generated.rollback(mark);
            }
            let Some(at) = found else { return false };
            free.remove(at);
        }
        true
    }

    fn scalar(&mut self, live: &'a Value, environment: &'a Value, context: Context<'a>) -> bool {
        match (live.plain(), environment.plain()) {
            (Value::Null, Value::Null) => true,
            (Value::Bool(ours), Value::Bool(theirs)) => ours == theirs,
            (Value::Number(ours), Value::Number(theirs)) => {
                if ours.same_as(theirs) {
                    return !self.is_another_entity(live, environment, context);
                }
                if self.same_id(live, environment, context) {
                    self.normalised.ids += 1;
                    return true;
                }
                let clocks = context.field.is_some_and(is_clock_field)
                    && EpochFormat::of(ours).is_some_and(|format| EpochFormat::of(theirs) == Some(format));
                self.normalised.clocks += usize::from(clocks);
                clocks
            }
            (Value::String(ours), Value::String(theirs)) => match (ours.as_str(), theirs.as_str()) {
                (Some(our_text), Some(their_text)) => self.text(our_text, their_text, live, environment, context),
                _ => ours == theirs,
            },
            _ => false,
        }
    }

    fn text(
        &mut self,
        ours: &'a str,
        theirs: &'a str,
        live: &'a Value,
        environment: &'a Value,
        context: Context<'a>,
    ) -> bool {
        if !self.generated.is_empty() {
            match self.generated.admit(&self.path, ours, theirs) {
                Admission::NoRule => {}
                Admission::Refused => return false,
                Admission::Admitted(kind) => {
                    match kind {
                        _ if ours == theirs => {}
                        GeneratedKind::Uuid => self.normalised.uuids += 1,
                        GeneratedKind::Renewed | GeneratedKind::Token => self.normalised.tokens += 1,
                    }
                    return true;
                }
            }
        }
        if ours == theirs {
            return !self.is_another_entity(live, environment, context);
        }
        if self.same_id(live, environment, context) || self.known.ids.maps_held(ours, theirs) {
            self.normalised.ids += 1;
            return true;
        }
        if ClockFormat::of(ours).is_some_and(|format| ClockFormat::of(theirs) == Some(format)) {
            self.normalised.clocks += 1;
            return true;
        }
        let known = Embedding { ids: self.known.ids, request: self.known.request };
        let embedded = same_with_ids(ours, theirs, known)
            || match (decode(ours), decode(theirs)) {
                (Some((ours, spelling)), Some((theirs, other))) if spelling == other => {
                    same_with_ids(&ours, &theirs, known)
                }
                _ => false,
            };
        self.normalised.embedded_ids += usize::from(embedded);
        embedded
    }

    /// Whether two scalars are identifiers, where identifiers stand, that stand for each other.
    fn same_id(&self, live: &Value, environment: &Value, context: Context<'a>) -> bool {
        let (Some(ours), Some(theirs)) = (Id::of(live), Id::of(environment)) else { return false };
        if !ours.same_type(&theirs) {
            return false;
        }
        match context.field {
            Some(name) if is_identifier_field(name) || is_id_list_field(name) => self.maps(&ours, &theirs, context.own),
            // A bare answer is an identity only where a create taught it as one of its collection.
            None if self.path.is_empty() => {
                self.known.ids.is_identity(self.known.collection, ours.text(), theirs.text())
            }
            _ => false,
        }
    }

    /// Whether the answer's own identity reads the same on both sides while the collection knows that it is another
    /// entity's on one of them.
    fn is_another_entity(&self, live: &Value, environment: &Value, context: Context<'a>) -> bool {
        if !context.own || !context.field.is_some_and(is_own_id_field) {
            return false;
        }
        let (Some(ours), Some(theirs)) = (Id::of(live), Id::of(environment)) else { return false };
        self.known.ids.contradicts(self.known.collection, ours.text(), theirs.text())
    }

    fn maps(&self, live: &Id, environment: &Id, own: bool) -> bool {
        if own {
            self.known.ids.maps_in(self.known.collection, live.text(), environment.text())
        } else {
            self.known.ids.maps(live.text(), environment.text())
        }
    }

    fn derived(&mut self, live: &Value, context: Context<'a>) -> bool {
        let (Some(name), Some((ours, theirs))) = (context.field, context.holders) else { return false };
        let pointer = self.pointer();
        let member = DerivedMember { tool: self.known.tool, pointer: &pointer, name, live: ours, environment: theirs };
        let derived = self.known.rules.derived_value(member).is_some_and(|value| value.same_as(live));
        self.normalised.derived += usize::from(derived);
        derived
    }

    fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.path {
            match step {
                PathStep::Member(name) => push_token(&mut pointer, name),
                PathStep::Item(index) => push_token(&mut pointer, &index.to_string()),
            }
        }
        pointer
    }

    /// Notes a difference. Always false, so that it can end an expression.
    fn differ(&mut self, kind: DifferenceKind, live: Option<&Value>, environment: Option<&Value>) -> bool {
        if self.strict && self.differences.len() < MAX_DIFFERENCES_PER_STEP {
            self.differences.push(Difference {
                kind,
                pointer: Some(self.pointer()),
                live: live.map(shown),
                environment: environment.map(shown),
            });
        }
        false
    }
}
