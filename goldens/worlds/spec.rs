//! A world as data: its types and documents, and how each is addressed, shown, ordered, paged and written. Behaviours
//! change it before the world is seeded.

use super::behaviour::Behaviour;
use super::clock::ClockFormat;
use super::json::Json;

/// Index of the parent type in every world.
pub const SHELF: usize = 0;
/// Index of the child type in every world: most behaviours are about it.
pub const BOOK: usize = 1;

/// A world.
#[derive(Clone)]
pub struct WorldSpec {
    /// The behaviours' names joined by `+`, or `plain`.
    pub name: String,
    /// Seed of everything that is equal in every run.
    pub seed: u64,
    /// What is switched on, in registry order.
    pub behaviours: Vec<&'static dyn Behaviour>,
    /// Prefix of every path.
    pub base: &'static str,
    /// The types.
    pub types: Vec<TypeSpec>,
    /// Reads that are not entities.
    pub documents: Vec<Document>,
    /// Whether `seeded` shelves and books are made of the usual small numbers; big worlds say their own.
    pub errors: Errors,
}

/// A type of entities.
#[derive(Clone, Debug)]
pub struct TypeSpec {
    pub plural: &'static str,
    pub singular: &'static str,
    /// The type its entities are under.
    pub parent: Option<usize>,
    /// The member that names the parent; empty for none.
    pub parent_member: &'static str,
    pub routes: Routes,
    pub id: IdKind,
    pub id_member: &'static str,
    pub fields: Vec<Field>,
    pub clocks: Vec<ClockMember>,
    pub order: Vec<OrderKey>,
    pub list: ListEnvelope,
    pub item: ItemEnvelope,
    pub paging: Option<Paging>,
    pub writes: Writes,
    /// How many entities the seed makes.
    pub seeded: usize,
}

/// How a type is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Routes {
    /// `/books`, `/books/{id}`
    Flat,
    /// `/shelves/{id}/books`, `/shelves/{id}/books/{id}`
    Nested,
    /// Lists at `/books` and `/shelves/{id}/books`, items at `/books/{id}`
    Both,
    /// `/books`, `/books/{shelf}`, `/books/{shelf}/{name}`
    Tuple,
    /// `/books/list`, `/books/get?book_id=`, `/books/create`, `/books/update`, `/books/delete`
    Rpc,
}

/// Where an identity comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdKind {
    /// A number of the type's own sequence.
    Sequence,
    /// A number of one sequence for all types.
    SharedSequence,
    /// A number counted in each parent.
    PerParent,
    Uuid,
    /// 24 hex digits.
    Hex,
    /// 16 letters and digits.
    Token,
    /// A member the caller sends.
    Caller,
    /// The `name` member.
    Name,
}

/// A stored member.
#[derive(Clone, Debug)]
pub struct Field {
    pub name: &'static str,
    pub kind: FieldKind,
    /// The value of a create that does not send it.
    pub default: Json,
}

/// What a member holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    Text,
    Number,
    Decimal,
    Flag,
    Texts,
}

/// When a clock is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tick {
    Created,
    Updated,
    /// As updated, but null until the first edit.
    Edited,
}

/// A member that shows a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockMember {
    pub member: &'static str,
    pub tick: Tick,
    pub format: ClockFormat,
}

/// One key of an order. `member` may be `@serial`, `@created` or `@updated`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrderKey {
    pub member: String,
    pub descending: bool,
    pub nulls_first: bool,
}

impl OrderKey {
    /// Ascending, nulls last.
    pub fn by(member: &str) -> Self {
        OrderKey { member: member.to_string(), descending: false, nulls_first: false }
    }

    /// Descending, nulls last.
    pub fn down(member: &str) -> Self {
        OrderKey { descending: true, ..Self::by(member) }
    }
}

/// What is around a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListEnvelope {
    /// `[…]`
    Bare,
    /// `{"books": […]}`
    OneKey,
    /// `{"count": 9, "results": […]}`, with links when the paging has them
    Counted,
    /// `{"data": {"count": 9, "items": […]}}`
    TwoLevels,
    /// `{"books": […], "meta": {"pagination": {…}}}`
    Paging,
    /// `{"<id>": {…}}`
    Keyed,
    /// `{"books": […]}`, `{}` when there is none
    MissingWhenEmpty,
}

/// What is around an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemEnvelope {
    Bare,
    /// `{"book": {…}}`
    OneKey,
    /// `{"data": {…}}`
    Data,
    /// `{"books": [{…}]}`, in both directions
    OneElement,
}

/// How a list is paged.
#[derive(Clone, Debug)]
pub struct Paging {
    pub style: PagingStyle,
    /// The parameter that says how many.
    pub size: &'static str,
    /// How many without it; `None` for all.
    pub default_size: Option<usize>,
    pub past_end: PastEnd,
    /// Whether the envelope links the next and the previous page.
    pub links: bool,
}

/// The parameter that says where a page starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PagingStyle {
    /// A page number, counted from the second value.
    Page(&'static str, usize),
    /// The number of entities before.
    Offset(&'static str),
    /// A text that encodes the offset, answered in a member of the envelope: parameter, member.
    Cursor(&'static str, &'static str),
}

/// A page past the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEnd {
    Empty,
    Refused(u16),
}

/// How a type is written and how its writes answer.
#[derive(Clone, Debug)]
pub struct Writes {
    pub create: WriteAnswer,
    pub create_status: u16,
    pub update_method: &'static str,
    pub update: WriteAnswer,
    pub delete: WriteAnswer,
    /// Whether bodies are forms.
    pub forms: bool,
    /// Whether bodies are under `data`.
    pub wrapped: bool,
}

/// What a write answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteAnswer {
    /// The entity in the item envelope, 200 (creates: their own status).
    Entity,
    /// `{"id": …}`
    IdOnly,
    /// The bare id.
    BareId,
    /// 204 without a body.
    NoContent,
    /// `{}`
    EmptyObject,
    /// `"OK"`
    Ok,
    /// `{"deleted": true, "id": …}`
    Tombstone,
}

/// A read that is not an entity.
#[derive(Clone, Debug)]
pub struct Document {
    /// Path after the base.
    pub path: &'static str,
    pub value: Json,
    /// Whether PATCH changes its members.
    pub writable: bool,
}

/// What an error looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Errors {
    /// `{"message": …}`
    Message,
    /// `{"detail": …}` whose text embeds the requested id.
    Embeds,
    /// Plain text under a JSON type.
    Text,
    /// A page of HTML.
    Html,
}

impl TypeSpec {
    /// Whether calls without an id in the path name an entity by its parent and a number that counts in it.
    pub fn called_by_tuple(&self) -> bool {
        self.routes == Routes::Rpc && self.id == IdKind::PerParent
    }

    pub fn new(plural: &'static str, singular: &'static str, fields: Vec<Field>, seeded: usize) -> Self {
        TypeSpec {
            plural,
            singular,
            parent: None,
            parent_member: "",
            routes: Routes::Flat,
            id: IdKind::Sequence,
            id_member: "id",
            fields,
            clocks: Vec::new(),
            order: vec![OrderKey::by("@serial")],
            list: ListEnvelope::Bare,
            item: ItemEnvelope::Bare,
            paging: None,
            writes: Writes {
                create: WriteAnswer::Entity,
                create_status: 201,
                update_method: "PATCH",
                update: WriteAnswer::Entity,
                delete: WriteAnswer::NoContent,
                forms: false,
                wrapped: false,
            },
            seeded,
        }
    }
}

/// A field whose default is null.
pub fn field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, default: Json::Null }
}

impl WorldSpec {
    /// The plain world: four shelves and nine books in flat collections, numbers as ids, bare lists and items.
    pub fn plain(seed: u64) -> Self {
        let shelves =
            TypeSpec::new("shelves", "shelf", vec![field("name", FieldKind::Text), field("city", FieldKind::Text)], 4);
        let mut books = TypeSpec::new(
            "books",
            "book",
            vec![
                field("name", FieldKind::Text),
                field("status", FieldKind::Text),
                field("pages", FieldKind::Number),
                field("author", FieldKind::Text),
                field("note", FieldKind::Text),
            ],
            9,
        );
        books.parent = Some(SHELF);
        books.parent_member = "shelf_id";
        WorldSpec {
            name: "plain".into(),
            seed,
            behaviours: Vec::new(),
            base: "/api",
            types: vec![shelves, books],
            documents: Vec::new(),
            errors: Errors::Message,
        }
    }

    /// The plain world with behaviours, shaped in the order given.
    pub fn with(seed: u64, behaviours: &[&'static dyn Behaviour]) -> Self {
        let mut spec = Self::plain(seed);
        if !behaviours.is_empty() {
            spec.name = behaviours.iter().map(|behaviour| behaviour.name()).collect::<Vec<_>>().join("+");
        }
        for behaviour in behaviours {
            behaviour.shape(&mut spec);
        }
        spec.behaviours = behaviours.to_vec();
        spec
    }

    /// Whether a behaviour is on.
    pub fn has(&self, name: &str) -> bool {
        self.behaviours.iter().any(|behaviour| behaviour.name() == name)
    }
}
