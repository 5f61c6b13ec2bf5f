//! A world: its entities and documents, and the one function from a request to an answer.

use super::behaviour::Behaviour;
use super::clock::SECOND;
use super::http::{Request, Response, encode};
use super::json::{Json, obj};
use super::prng::{Prng, name_of, slug};
use super::spec::{BOOK, Errors, FieldKind, IdKind, Routes, SHELF, WorldSpec};
use std::sync::Arc;

/// Start of the first run: 2026-03-01T10:00:00.123456Z.
const FIRST_RUN: i64 = 1_772_359_200 * SECOND + 123_456;

/// One entity.
#[derive(Clone, Debug)]
pub struct Entity {
    pub of: usize,
    /// The identity's text.
    pub key: String,
    /// The identity as members show it.
    pub id: Json,
    /// The parent's key.
    pub parent: Option<String>,
    /// Stored members, without identity, parent and clocks.
    pub fields: Json,
    pub serial: u64,
    pub created: i64,
    pub updated: i64,
    /// Soft-deleted: lists leave it out.
    pub hidden: bool,
}

/// The application.
pub struct World {
    pub spec: WorldSpec,
    /// Entities by type, in insertion order.
    pub entities: Vec<Vec<Entity>>,
    /// The instant of the present call.
    pub now: i64,
    /// Paths with texts, of folders none, in insertion order: for behaviours that hold a tree.
    pub files: Vec<(String, Option<String>)>,
    /// Random ids of this run.
    pub random: Prng,
    pub(super) behaviours: Arc<[&'static dyn Behaviour]>,
    sequences: Vec<(String, i64)>,
    serial: u64,
}

/// What a path addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Route {
    /// A collection; the parent's key where the path names one.
    List(usize, Option<String>),
    /// An entity: type, parent's key where the path names one, key.
    Item(usize, Option<String>, String),
    /// An RPC call: type, verb.
    Rpc(usize, String),
    /// A document, by index.
    Document(usize),
    /// Nothing.
    None,
}

impl World {
    /// A freshly seeded world. Runs of one spec hold the same names and values; random ids and clocks differ.
    pub fn new(spec: &WorldSpec, run: u64) -> Self {
        let mut world = World {
            spec: spec.clone(),
            entities: vec![Vec::new(); spec.types.len()],
            // Runs are on one day, so that dates agree, as they do in recordings made one after the other.
            now: FIRST_RUN + run as i64 * (1_003 * SECOND + 54_321),
            files: Vec::new(),
            random: Prng::new(spec.seed, run + 1),
            behaviours: spec.behaviours.clone().into(),
            sequences: Vec::new(),
            serial: 0,
        };
        for of in 0..spec.types.len() {
            for at in 0..spec.types[of].seeded {
                world.now += SECOND + 1_003;
                let (parent, body) = world.seed_body(of, at);
                let _ = world.create(of, parent, body);
            }
        }
        for behaviour in world.behaviours.clone().iter() {
            behaviour.seed(&mut world);
        }
        world.now += 5 * SECOND;
        world
    }

    /// The parent and the members of the `at`-th seeded entity.
    fn seed_body(&self, of: usize, at: usize) -> (Option<String>, Json) {
        // The last shelf stays empty; the others hold different numbers of books.
        const SPREAD: [usize; 9] = [0, 0, 1, 0, 1, 2, 1, 0, 2];
        let parent = self.spec.types[of].parent.map(|parent| {
            let held = &self.entities[parent];
            held[SPREAD[at % 9] % held.len().max(1)].key.clone()
        });
        // Names within a parent repeat where the parent is part of the identity.
        let mut number = at;
        if self.spec.types[of].routes == Routes::Tuple && of != SHELF {
            number = self.entities[of].iter().filter(|entity| entity.parent == parent).count();
        }
        let body = self.draft(of, number + of * 20, at, parent.as_deref());
        (parent, body)
    }

    /// The body that creates the entity number `number`: every member the type stores, the identity where the caller
    /// chooses it, the parent where the path does not name it.
    pub fn draft(&self, of: usize, number: usize, variety: usize, parent: Option<&str>) -> Json {
        let spec = &self.spec.types[of];
        let mut prng = Prng::new(self.spec.seed, 1_000 + number as u64);
        let name = name_of(self.spec.seed, number);
        let mut body = Json::Obj(Vec::new());
        for field in &spec.fields {
            let value = match (field.name, field.kind) {
                ("name", _) if spec.id == IdKind::Name => slug(&name).into(),
                ("name", _) => name.as_str().into(),
                ("status", _) => ["open", "draft", "closed", "open"][variety % 4].into(),
                ("author", _) => ["Mora", "Ibsen", "Chen"][(variety * 2 + 1) % 3].into(),
                ("city", _) => ["Lund", "Porto", "Ghent"][variety % 3].into(),
                ("note", _) if variety % 3 == 1 => Json::Null,
                ("note", _) => format!("Bought with {}.", name_of(self.spec.seed + 1, number).to_lowercase()).into(),
                (_, FieldKind::Text) => format!("{} {}", field.name, prng.below(90) + 10).into(),
                (_, FieldKind::Number) => (prng.below(89) * 10 + 100 + number % 10).into(),
                (_, FieldKind::Decimal) => Json::Num(format!("{}.5", prng.below(9) + 1)),
                (_, FieldKind::Flag) => variety.is_multiple_of(2).into(),
                (_, FieldKind::Texts) => {
                    let words = ["wood", "glass", "iron", "paper", "amber"];
                    let first = variety % 5;
                    Json::Arr(vec![words[(first + 3) % 5].into(), words[first].into()])
                }
            };
            body.set(field.name, value);
        }
        if spec.id == IdKind::Caller {
            body.set(spec.id_member, slug(&name));
        }
        if let (Some(parent_type), Some(parent)) = (spec.parent, parent)
            && spec.routes != Routes::Nested
            && !spec.parent_member.is_empty()
        {
            let id = self.find(parent_type, None, parent).map(|at| self.entities[parent_type][at].id.clone());
            body.set(spec.parent_member, id);
        }
        for behaviour in self.behaviours.iter() {
            behaviour.draft(self, of, variety, &mut body);
        }
        body
    }

    /// Answers a request.
    pub fn answer(&mut self, request: &Request) -> Response {
        for behaviour in self.behaviours.clone().iter() {
            if let Some(response) = behaviour.intercept(self, request) {
                return response;
            }
        }
        match (self.route(&request.path), request.method.as_str()) {
            (Route::List(of, parent), "GET") => self.answer_list(of, parent, &request.path, request.pairs()),
            (Route::List(of, parent), "POST") => self.answer_create(of, parent, request),
            (Route::Item(of, parent, key), "GET") => self.answer_item(of, parent.as_deref(), &key, request.pairs()),
            (Route::Item(of, parent, key), "DELETE") => self.answer_delete(of, parent.as_deref(), &key),
            (Route::Item(of, parent, key), method) if method == self.spec.types[of].writes.update_method => {
                self.answer_update(of, parent.as_deref(), &key, request)
            }
            (Route::Rpc(of, verb), _) => self.answer_rpc(of, &verb, request),
            (Route::Document(at), method) => self.answer_document(at, method, request),
            (Route::None, _) => self.error(404, "no such page", ""),
            _ => self.error(405, "method not allowed", ""),
        }
    }

    /// What a path addresses.
    pub fn route(&self, path: &str) -> Route {
        let Some(rest) = path.strip_prefix(self.spec.base) else { return Route::None };
        if let Some(at) = self.spec.documents.iter().position(|document| document.path == rest) {
            return Route::Document(at);
        }
        let segments: Vec<String> = rest.trim_matches('/').split('/').map(super::http::decode).collect();
        let texts: Vec<&str> = segments.iter().map(String::as_str).collect();
        for (of, spec) in self.spec.types.iter().enumerate() {
            let parent_plural = spec.parent.map_or("", |parent| self.spec.types[parent].plural);
            match (texts.as_slice(), spec.routes) {
                ([plural], routes) if *plural == spec.plural && routes != Routes::Rpc && routes != Routes::Nested => {
                    return Route::List(of, None);
                }
                ([plural, verb], Routes::Rpc) if *plural == spec.plural => return Route::Rpc(of, verb.to_string()),
                ([plural, key], Routes::Flat | Routes::Both) if *plural == spec.plural => {
                    return Route::Item(of, None, key.to_string());
                }
                ([plural, parent], Routes::Tuple) if *plural == spec.plural => {
                    return Route::List(of, Some(parent.to_string()));
                }
                ([plural, parent, key], Routes::Tuple) if *plural == spec.plural => {
                    return Route::Item(of, Some(parent.to_string()), key.to_string());
                }
                ([above, parent, plural], Routes::Nested | Routes::Both)
                    if *above == parent_plural && *plural == spec.plural =>
                {
                    return Route::List(of, Some(parent.to_string()));
                }
                ([above, parent, plural, key], Routes::Nested) if *above == parent_plural && *plural == spec.plural => {
                    return Route::Item(of, Some(parent.to_string()), key.to_string());
                }
                _ => {}
            }
        }
        Route::None
    }

    /// The path of a collection: the one of a parent, or the whole.
    pub fn list_path(&self, of: usize, parent: Option<&str>) -> String {
        let spec = &self.spec.types[of];
        let base = self.spec.base;
        let above = spec.parent.map_or("", |parent| self.spec.types[parent].plural);
        match (spec.routes, parent) {
            (Routes::Nested | Routes::Both, Some(parent)) => {
                format!("{base}/{above}/{}/{}", encode(parent), spec.plural)
            }
            (Routes::Tuple, Some(parent)) => format!("{base}/{}/{}", spec.plural, encode(parent)),
            (Routes::Rpc, _) => format!("{base}/{}/list", spec.plural),
            _ => format!("{base}/{}", spec.plural),
        }
    }

    /// The collection a create is sent to.
    pub fn create_path(&self, of: usize, parent: Option<&str>) -> String {
        match self.spec.types[of].routes {
            Routes::Nested => self.list_path(of, parent),
            Routes::Rpc => format!("{}/{}/create", self.spec.base, self.spec.types[of].plural),
            _ => self.list_path(of, None),
        }
    }

    /// The path of an item (of an RPC type: without its query).
    pub fn item_path(&self, of: usize, parent: Option<&str>, key: &str) -> String {
        let spec = &self.spec.types[of];
        match spec.routes {
            Routes::Nested | Routes::Tuple => format!("{}/{}", self.list_path(of, parent), encode(key)),
            Routes::Rpc => format!("{}/{}/get", self.spec.base, spec.plural),
            _ => format!("{}/{}/{}", self.spec.base, spec.plural, encode(key)),
        }
    }

    /// The index of an entity, hidden ones included.
    pub fn find(&self, of: usize, parent: Option<&str>, key: &str) -> Option<usize> {
        self.entities[of]
            .iter()
            .position(|entity| entity.key == key && (parent.is_none() || entity.parent.as_deref() == parent))
    }

    /// A new identity. `None` when the caller should have sent one.
    pub fn new_id(&mut self, of: usize, parent: Option<&str>, sent: &Json) -> Option<Json> {
        let spec = &self.spec.types[of];
        let member = spec.id_member;
        let sequence = match spec.id {
            IdKind::Sequence => spec.plural.to_string(),
            IdKind::SharedSequence => "all".to_string(),
            IdKind::PerParent => format!("{} of {}", spec.plural, parent.unwrap_or("")),
            IdKind::Uuid => return Some(self.random.uuid().into()),
            IdKind::Hex => return Some(self.random.hex(24).into()),
            IdKind::Token => return Some(self.random.token(16).into()),
            IdKind::Caller | IdKind::Name => {
                return sent.get(member).filter(|id| matches!(id, Json::Str(text) if !text.is_empty())).cloned();
            }
        };
        Some(self.take_number(&sequence).into())
    }

    /// The next number of a sequence.
    pub fn take_number(&mut self, sequence: &str) -> i64 {
        match self.sequences.iter_mut().find(|(name, _)| name == sequence) {
            Some((_, last)) => {
                *last += 1;
                *last
            }
            None => {
                self.sequences.push((sequence.to_string(), 1));
                1
            }
        }
    }

    /// The place of the next entity in insertion order.
    pub fn take_serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// An error answer in the world's spelling; `about` is the id it speaks of.
    pub fn error(&mut self, status: u16, message: &str, about: &str) -> Response {
        let mut body = match self.spec.errors {
            Errors::Message => obj! { "message" => message },
            Errors::Embeds => {
                obj! { "detail" => if about.is_empty() { message.to_string() } else { format!("'{about}': {message}") } }
            }
            Errors::Text => return Response::text(status, "application/json", message),
            Errors::Html => return Response::text(status, "text/html", &format!("<h1>{message}</h1>")),
        };
        for behaviour in self.behaviours.clone().iter() {
            behaviour.wrap_error(self, status, &mut body);
        }
        Response::json(status, &body)
    }

    /// The answer to a missing entity.
    pub fn absent(&mut self, method: &str, of: usize, key: &str) -> Response {
        for behaviour in self.behaviours.clone().iter() {
            if let Some(response) = behaviour.absent(self, method, of, key) {
                return response;
            }
        }
        let message = format!("{} not found", self.spec.types[of].singular);
        self.error(404, &message, key)
    }

    fn answer_document(&mut self, at: usize, method: &str, request: &Request) -> Response {
        let writable = self.spec.documents[at].writable;
        match (method, request.json()) {
            ("GET", _) => {}
            ("PATCH", Some(body)) if writable => {
                let body = body.clone();
                for (name, value) in body.members() {
                    self.spec.documents[at].value.set(name, value.clone());
                }
            }
            _ => return self.error(405, "method not allowed", ""),
        }
        Response::json(200, &self.spec.documents[at].value)
    }

    /// Keys of the visible entities of a type, in insertion order, with their parents.
    pub fn keys(&self, of: usize) -> Vec<(Option<String>, String)> {
        self.entities[of]
            .iter()
            .filter(|entity| !entity.hidden)
            .map(|entity| (entity.parent.clone(), entity.key.clone()))
            .collect()
    }

    /// How many visible books a shelf holds.
    pub fn count_books(&self, shelf: &str) -> usize {
        self.entities[BOOK].iter().filter(|book| !book.hidden && book.parent.as_deref() == Some(shelf)).count()
    }
}
