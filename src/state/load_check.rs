//! What a state document must be, member by member: which members there are, which names are known, what an identity and
//! a citation must say. A flaw names a member of the format and never the content.

use super::derived::Derived;
use super::line::scalar_text;
use super::load::LoadProblem;
use super::state_document::representation_name;
use super::types::EntityType;
use crate::json::{Object, Value, push_token};
use crate::manifest::{Manifest, Segment, Template, decode_once, split_path};
use std::collections::HashMap;
use std::sync::Arc;

/// View fields by representation, in the order of representations.
pub(super) type Holding = Vec<(usize, Arc<Object>)>;

/// A problem of a member of the object at hand, or of the object itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Flaw {
    member: Option<&'static str>,
    problem: &'static str,
}

impl Flaw {
    pub(super) fn at(member: &'static str, problem: &'static str) -> Self {
        Self { member: Some(member), problem }
    }

    pub(super) fn here(problem: &'static str) -> Self {
        Self { member: None, problem }
    }

    /// The problem in the document, where the object at hand is at `pointer`.
    pub(super) fn under(self, pointer: &str) -> LoadProblem {
        let mut pointer = pointer.to_owned();
        if let Some(member) = self.member {
            push_token(&mut pointer, member);
        }
        LoadProblem { pointer, problem: self.problem.into() }
    }
}

/// The members of an object of the format.
pub(super) struct Members<const N: usize>(pub(super) [Option<Value>; N]);

impl<const N: usize> Members<N> {
    /// Takes an object apart; a member the format does not have is a flaw, because it would not be held.
    pub(super) fn take(value: Value, names: [&'static str; N]) -> Result<Self, Flaw> {
        let Value::Object(object) = value.into_plain() else { return Err(Flaw::here("must be an object")) };
        let mut members = [const { None }; N];
        for (name, value) in object {
            let place = name.as_str().and_then(|name| names.iter().position(|known| *known == name));
            let place = place.and_then(|place| members.get_mut(place));
            *place.ok_or(Flaw::here("must hold only the members that the format has"))? = Some(value);
        }
        Ok(Self(members))
    }
}

/// The names that a document may use.
pub(super) struct NameIndex<'a> {
    types: HashMap<&'a str, usize>,
    /// Representations by name, of each type.
    representations: Vec<HashMap<String, usize>>,
    documents: HashMap<&'a str, usize>,
}

impl<'a> NameIndex<'a> {
    pub(super) fn new(derived: &'a Derived, manifest: &'a Manifest) -> Self {
        let mut types = HashMap::new();
        let mut representations = Vec::new();
        for (index, kind) in derived.types.iter().enumerate() {
            types.entry(kind.collection_template.as_str()).or_insert(index);
            let named = kind.representations.iter();
            representations
                .push(named.filter_map(|way| Some((representation_name(derived, manifest, *way)?, *way))).collect());
        }
        let documents = derived.world.documents();
        let documents =
            documents.filter_map(|(tool, _, _)| Some((manifest.tools.get(tool)?.name.as_str(), tool))).collect();
        Self { types, representations, documents }
    }

    /// The type of a collection template.
    pub(super) fn entity_type(&self, template: &str) -> Option<usize> {
        self.types.get(template).copied()
    }

    /// The tool of a document view.
    pub(super) fn document_view(&self, name: &str) -> Option<usize> {
        self.documents.get(name).copied()
    }

    /// `view_fields` of an entity.
    pub(super) fn view_fields(&self, kind: usize, value: Option<Value>) -> Result<Holding, Flaw> {
        let Some(value) = value else { return Ok(Vec::new()) };
        let flaw = Flaw::at("view_fields", "must be an object of objects, each under the name of a view of the type");
        let Value::Object(views) = value.into_plain() else { return Err(flaw) };
        let names = self.representations.get(kind).ok_or(flaw)?;
        let mut held = Vec::with_capacity(views.len());
        for (name, fields) in views {
            let way = name.as_str().and_then(|name| names.get(name)).ok_or(flaw)?;
            let Value::Object(fields) = fields.into_plain() else { return Err(flaw) };
            held.push((*way, Arc::new(fields)));
        }
        held.sort_by_key(|(way, _)| *way);
        Ok(held)
    }

    /// `shown_in` of an entity: the names of views of its type, each once.
    pub(super) fn shown_in(&self, kind: usize, value: Option<Value>) -> Result<Option<Vec<usize>>, Flaw> {
        let Some(value) = value else { return Ok(None) };
        let flaw = Flaw::at("shown_in", "must be an array of names of views of the type, each once");
        let (Some(items), Some(names)) = (value.as_array(), self.representations.get(kind)) else { return Err(flaw) };
        let ways = items.iter().map(|item| item.as_str().and_then(|name| names.get(name)).copied().ok_or(flaw));
        let mut ways = ways.collect::<Result<Vec<usize>, Flaw>>()?;
        ways.sort_unstable();
        let named = ways.len();
        ways.dedup();
        if ways.len() == named { Ok(Some(ways)) } else { Err(flaw) }
    }
}

/// Whether a path is a collection of the template: literals as written or decoded, any one segment for a parameter.
pub(super) fn check_collection(template: &Template, path: &str) -> bool {
    let segments = split_path(path);
    path.starts_with('/')
        && segments.len() == template.segments.len()
        && segments.iter().zip(&template.segments).all(|(raw, segment)| match segment {
            Segment::Literal(text) => text == raw || decode_once(text) == decode_once(raw),
            _ => !raw.is_empty(),
        })
}

/// Checks that the identity field says the id, in the fields and in every view that shows it. One of them has to, where it
/// is `needed`.
pub(super) fn check_identity(
    kind: &EntityType,
    id: &str,
    (fields, views): (&Value, &Holding),
    needed: bool,
) -> Result<(), Flaw> {
    if kind.identity.0.is_empty() {
        return Ok(());
    }
    let says = |value: &Value| !value.is_null() && scalar_text(value).is_some_and(|text| text == id);
    let mut shown = false;
    if let Some(value) = kind.identity.direct(fields) {
        if !says(value) {
            return Err(Flaw::at("id", "must be the text of the type's identity field"));
        }
        shown = true;
    }
    for (_, view) in views {
        let Some(value) = kind.identity.direct_in(view) else { continue };
        if !says(value) {
            return Err(Flaw::at("view_fields", "must not give the type's identity field another text than the id"));
        }
        shown = true;
    }
    if let Some(inner) = &kind.inner_identity {
        shown |= inner.direct(fields).is_some_and(says)
            || views.iter().any(|(_, view)| inner.direct_in(view).is_some_and(says));
    }
    if shown || !needed { Ok(()) } else { Err(Flaw::at("fields", "must hold the type's identity field")) }
}

/// Whether given citations are none or those of the Evidence.
pub(super) fn citations(given: Option<&Value>, cited: &[usize]) -> bool {
    let Some(given) = given else { return true };
    let Some(items) = given.as_array() else { return false };
    let equal = |(item, ordinal): (&Value, &usize)| {
        item.as_number().is_some_and(|number| number.same_as(&(*ordinal as u64).into()))
    };
    items.is_empty() || items.len() == cited.len() && items.iter().zip(cited).all(equal)
}
