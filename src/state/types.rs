//! The data of a derived state: types, shapes, representations and views. Functions over them are elsewhere.

use super::clock_format::ClockFormat;
use super::envelope::Envelope;
use super::path::MemberPath;
use super::query::QueryModel;
use super::scope::Scope;
use crate::json::{Value, push_token};
use crate::manifest::Template;

/// A type of entity.
#[derive(Clone, Debug, PartialEq)]
pub struct EntityType {
    /// Template of the home collection, such as `/api/orgs/{numeric}/users`.
    pub collection_template: String,
    /// The same, to match concrete collections.
    pub template: Template,
    /// Where an entity holds its identity; empty when the identity is the member name of a keyed list.
    pub identity: MemberPath,
    /// Where answers hold it that show an entity one level down, beside more of it (`{meta: {…}, item: {uid: …}}`).
    pub inner_identity: Option<MemberPath>,
    /// How a home collection's path parameters are found in an entity: `None` where no member holds one.
    pub parents: Vec<Option<MemberPath>>,
    /// Representations of the type, the richest first.
    pub representations: Vec<usize>,
    /// Members whose text is made of other members, by name.
    pub made: Vec<(Box<str>, Vec<super::text_rule::Piece>)>,
}

/// Where in a call an identity comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Slot {
    /// A path parameter, by index.
    Path(usize),
    /// A parameter of the line, by key.
    Key(String),
}

/// Where an answer holds what it is about: member names from the root.
pub type Place = Vec<Box<str>>;

/// A place as a JSON pointer.
pub fn pointer(place: &[Box<str>]) -> String {
    let mut pointer = String::new();
    place.iter().for_each(|name| push_token(&mut pointer, name));
    pointer
}

/// What the answers of a read tool are.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// One entity.
    Item {
        /// Where it is.
        place: Place,
        /// Whether it is the only item of a list there.
        one_element: bool,
        /// Slots and the members that equal them; the last one addresses the entity.
        address: Vec<(Slot, MemberPath)>,
        /// Members that the last slot may equal instead, when an entity has several addresses.
        also: Vec<MemberPath>,
    },
    /// A list of entities.
    List {
        /// Where the list is.
        place: Place,
        /// Whether it is an object keyed by identity.
        keyed: bool,
    },
    /// Anything else that was answered as JSON.
    Document,
    /// No JSON answer to learn from.
    None,
}

/// How a representation's member is filled for an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    /// The member.
    pub name: Box<str>,
    /// The representation whose value this member shares: the first of those that show one value for it.
    pub source: usize,
    /// Whether that value is the stored field (else a view field of `source`).
    pub stored: bool,
    /// Whether it is an array of texts that reads show sorted, whatever order it was sent in.
    pub sorted: bool,
    /// The type whose order the references of an array are shown in, whatever order they were sent in.
    pub named_order: Option<usize>,
    /// What fills it for an entity that has no value from `source`.
    pub rule: Option<MemberRule>,
}

/// A proven way to compute a member that was never observed for an entity.
#[derive(Clone, Debug, PartialEq)]
pub enum MemberRule {
    /// The same value in every observed entity.
    Constant(Value),
    /// Left out of every entity that was observed before a write.
    LeftOut,
    /// A text made of other members.
    Text(Vec<super::text_rule::Piece>),
    /// The member of the same name elsewhere, each of its words spelled as another: (there, here).
    Words(Vec<(Value, Value)>),
    /// The list of the same name elsewhere, its items with these of their members.
    Parts(Vec<Box<str>>),
    /// The clock of the same name elsewhere in another spelling; null where that is null.
    Clock(ClockFormat),
    /// The same value as another member of the same representation or of the stored fields.
    Copy(MemberPath),
}

/// A way in which entities of a type are shown: one tool's, or one variant of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Representation {
    /// The type.
    pub entity_type: usize,
    /// The tool whose answers show it.
    pub tool: usize,
    /// The parameters that select it, when the tool has several.
    pub variant: Vec<(String, String)>,
    /// Its members in recorded order.
    pub members: Vec<Member>,
}

/// How one read tool answers.
#[derive(Clone, Debug, PartialEq)]
pub enum View {
    /// One entity by its address.
    Item(Box<ItemView>),
    /// The entities of a collection or of a predicate over it.
    List(Box<ListView>),
    /// How many entities a list would list.
    Count(Box<CountView>),
    /// A member of an entity, under a path of its own.
    Part(PartView),
    /// A document.
    Document(DocumentView),
    /// Items of the tree.
    Tree,
    /// Recordings only.
    Recorded {
        /// Why.
        reason: &'static str,
    },
    /// Not a read tool.
    Write,
}

/// An item view.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemView {
    /// The type.
    pub entity_type: usize,
    /// Where the entity is in the answer.
    pub place: Place,
    /// Whether it is the only item of a list there.
    pub one_element: bool,
    /// Its address.
    pub address: Vec<(Slot, MemberPath)>,
    /// Members that the last slot may equal instead.
    pub also: Vec<MemberPath>,
    /// The representation for each set of variant parameters seen; the first is the plain one.
    pub representations: Vec<usize>,
    /// What its parameters beside the address mean.
    pub query: QueryModel,
    /// Index (in the capture) of the record whose envelope, status and type it renders.
    pub base_record: usize,
    /// The base record's answer with null in the entity's place.
    pub frame: Value,
    /// Paths and lines whose recording the view contradicts, sorted: recordings answer them.
    pub contradicted: Vec<(String, super::line::Line)>,
    /// The record that answers for an absent entity.
    pub absence: Option<usize>,
    /// Whether recordings show that of several entities which are named so it is the first that is shown.
    pub shows_first: bool,
    /// The member and the value that what it shows has, where it answers others as absent though they are there.
    pub shows_only: Option<(MemberPath, String)>,
}

impl ItemView {
    /// Whether it answers an entity that is there as absent.
    pub(super) fn leaves_out(&self, entity: &super::store::Entity) -> bool {
        let held = |path: &MemberPath| path.direct(&entity.fields).and_then(super::line::scalar_text);
        self.shows_only.as_ref().is_some_and(|(path, value)| held(path).as_ref() != Some(value))
    }

    /// A view that only addresses entities: what a write finds its target by. It renders nothing.
    pub(super) fn addressing(entity_type: usize, address: Vec<(Slot, MemberPath)>) -> Self {
        Self {
            entity_type,
            place: Vec::new(),
            one_element: false,
            address,
            also: Vec::new(),
            representations: Vec::new(),
            query: QueryModel::default(),
            base_record: 0,
            frame: Value::Null,
            contradicted: Vec::new(),
            absence: None,
            shows_first: false,
            shows_only: None,
        }
    }
}

/// A list view.
#[derive(Clone, Debug, PartialEq)]
pub struct ListView {
    /// The type.
    pub entity_type: usize,
    /// Where the list is.
    pub place: Place,
    /// Whether it is an object keyed by identity.
    pub keyed: bool,
    /// Which entities belong to it, before its query.
    pub scope: Scope,
    /// Which belong to it instead where a line holds a parameter with a value (`view=archived`): both, and the scope.
    pub scope_words: Vec<(String, String, Scope)>,
    /// The representations, the plain one first.
    pub representations: Vec<usize>,
    /// What its parameters mean.
    pub query: QueryModel,
    /// What surrounds the list.
    pub envelope: Envelope,
    /// Index of the record whose envelope, status and type it renders.
    pub base_record: usize,
    /// The base record's answer with null in the list's place.
    pub frame: Value,
    /// The envelope that the list has when a line holds certain parameters.
    pub alternate: Option<Alternate>,
    /// Lines whose recording the view reproduced, with the record: (path, line, record index), sorted.
    pub checked_bodies: Vec<(String, super::line::Line, usize)>,
    /// Lines whose recording the view contradicts: recordings answer them.
    pub contradicted: Vec<(String, super::line::Line)>,
    /// Paths whose list was read in full; `None` when the scope itself is known in full.
    pub complete: Option<std::collections::BTreeSet<String>>,
    /// Whether the list member is left out when nothing is listed.
    pub missing_when_empty: bool,
    /// Whether a page past the end is an empty list.
    pub pages_empty: bool,
    /// The record that answers a page past the end, when that is an error.
    pub past_end: Option<usize>,
}

impl ListView {
    /// The scope that a line asks for, and the line without the word that names it.
    pub(super) fn scope_for<'l>(
        &self,
        line: &'l super::line::Line,
    ) -> (&Scope, std::borrow::Cow<'l, super::line::Line>) {
        let word = |(key, text, _): &&(String, String, Scope)| line.get(key).is_some_and(|param| param.text == *text);
        match self.scope_words.iter().find(word) {
            Some((key, _, scope)) => (scope, std::borrow::Cow::Owned(line.without(key))),
            None => (&self.scope, std::borrow::Cow::Borrowed(line)),
        }
    }

    /// Whether the list at a path is known in full: it was read, or the home collection was that everything it may list
    /// is in.
    pub fn knows(&self, path: &str, parameters: &[String], derived: &super::derived::Derived) -> bool {
        self.complete.as_ref().is_none_or(|paths| paths.contains(path)) || self.home_known(parameters, derived)
    }

    fn home_known(&self, parameters: &[String], derived: &super::derived::Derived) -> bool {
        let (Scope::Member(checks), Some(kind)) = (&self.scope, derived.types.get(self.entity_type)) else {
            return false;
        };
        if kind.parents.is_empty() {
            return false;
        }
        let says = |member: &MemberPath| {
            let (parameter, _) = checks.iter().find(|(_, path)| path == member)?;
            parameters.get(*parameter).cloned()
        };
        super::identity::home_with(kind, says).is_some_and(|home| derived.is_complete(self.entity_type, Some(&home)))
    }
}

/// A count view.
#[derive(Clone, Debug, PartialEq)]
pub struct CountView {
    /// The tool of the list that is counted.
    pub list_tool: usize,
    /// What follows the path above the count in the list's path: nothing, or `/` and a word for asking.
    pub list_word: String,
    /// Where the number is.
    pub place: Place,
    /// Index of the record whose envelope, status and type it renders.
    pub base_record: usize,
}

/// A view of one member of an entity.
#[derive(Clone, Debug, PartialEq)]
pub struct PartView {
    /// The type of the entity.
    pub entity_type: usize,
    /// The member.
    pub member: Box<str>,
    /// Where its value is in the answer.
    pub place: Place,
    /// Segments of the path after the one that names the entity.
    pub below: usize,
    /// Index of the record whose envelope, status and type it renders.
    pub base_record: usize,
    /// The base record's answer with null in the member's place.
    pub frame: Value,
}

/// A document view.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentView {
    /// Lines it was read by, with the record that showed each: (path, line, record index), sorted by path and line.
    pub lines: Vec<(String, super::line::Line, usize)>,
    /// The same of what was first read when something may have changed it: not held until a write tells what it is.
    pub later: Vec<(String, super::line::Line, usize)>,
    /// Where its documents move by themselves, sorted: the recorded value is answered there, and said to be recorded.
    pub moving: Vec<Place>,
}

/// Another envelope of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct Alternate {
    /// A line with one of these keys has it.
    pub when: Vec<String>,
    /// Where the list is in it.
    pub place: Place,
    /// What surrounds the list.
    pub envelope: Envelope,
    /// Index of the record whose envelope, status and type it renders.
    pub base_record: usize,
    /// The base record's answer with null in the list's place.
    pub frame: Value,
}
