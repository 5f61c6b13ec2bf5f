//! The recorder: drives one world, keeps every call with its start and duration, and spells the calls that scripts
//! make over and over (read this item, read every list it is in, create, edit, remove).

use super::behaviour::{Phase, Unknowable};
use super::clock::SECOND;
use super::har::{Entry, har};
use super::http::{Request, Response};
use super::json::{Json, obj};
use super::prng::Prng;
use super::spec::{ItemEnvelope, Routes};
use super::world::World;

/// Drives a world and records it.
pub struct Recorder {
    pub world: World,
    pub entries: Vec<Entry>,
    /// Keys of the entities the script created: type, parent, key.
    pub made: Vec<(usize, Option<String>, String)>,
    now: i64,
    timing: Prng,
    drafted: usize,
}

impl Recorder {
    /// A recorder of a world. `drafts` is the number of the first entity it creates: another number gives other values.
    pub fn new(world: World, drafts: usize) -> Self {
        let timing = Prng::new(world.spec.seed ^ drafts as u64, 77);
        let now = world.now;
        Recorder { world, entries: Vec::new(), made: Vec::new(), now, timing, drafted: drafts }
    }

    /// The recording.
    pub fn har(&self) -> Vec<u8> {
        har(&self.entries)
    }

    /// Lets time pass.
    pub fn wait(&mut self, milliseconds: i64) {
        self.now += milliseconds * 1000;
    }

    /// Sends a request; calls follow each other without overlap.
    pub fn send(&mut self, request: Request) -> Response {
        let start = self.now;
        let duration = 2_000 + self.timing.below(7_000) as i64;
        self.world.now = start + duration / 2;
        let response = self.world.answer(&request);
        self.now = start + duration + 3_000 + self.timing.below(20_000) as i64;
        let unknowable = self.unknowable(&request);
        self.entries.push(Entry { start, duration, request, response: response.clone(), unknowable });
        response
    }

    /// Sends a read that starts before a write and ends after it. `late` says whether it sees the write.
    pub fn send_around(&mut self, read: Request, write: Request, late: bool) -> Response {
        let start = self.now;
        self.world.now = start + 1_000;
        let early = self.world.answer(&read);
        self.now = start + 4_000;
        let answer = self.send(write);
        self.world.now = self.now;
        let seen = if late { self.world.answer(&read) } else { early };
        let duration = self.now + 30_000 - start;
        self.now = start + duration + 5_000;
        let unknowable = self.unknowable(&read);
        self.entries.push(Entry { start, duration, request: read, response: seen, unknowable });
        answer
    }

    /// What of the answer to a request no recording tells.
    fn unknowable(&self, request: &Request) -> Option<Unknowable> {
        self.world.behaviours.iter().find_map(|behaviour| behaviour.unknowable(&self.world, request))
    }

    /// A request by somebody who is not signed in: answered 401 whatever it asks for. A call of a tool says nothing of who
    /// calls, so nothing could tell it from the same request of the signed-in one.
    pub fn send_as_stranger(&mut self, request: Request) {
        let response = Response::json(401, &obj! { "message" => "not signed in" });
        let unknowable = Some(Unknowable::Answer);
        self.entries.push(Entry { start: self.now, duration: 2_500, request, response, unknowable });
        self.now += 9_000;
    }

    /// GET of a path.
    pub fn get(&mut self, path: &str) -> Response {
        self.send(Request::get(path))
    }

    /// GET of a path with a query.
    pub fn query(&mut self, path: &str, pairs: &[(&str, &str)]) -> Response {
        self.send(Request::get(path).with_query(pairs))
    }

    /// The request that reads an item.
    pub fn item_request(&self, of: usize, parent: Option<&str>, key: &str) -> Request {
        let request = Request::get(&self.world.item_path(of, parent, key));
        if self.world.spec.types[of].routes == Routes::Rpc {
            let spec = &self.world.spec.types[of];
            let argument = format!("{}_id", spec.singular);
            return match parent.filter(|_| spec.called_by_tuple()) {
                Some(parent) => request.with_query(&[(spec.parent_member, parent), (&argument, key)]),
                None => request.with_query(&[(&argument, key)]),
            };
        }
        request
    }

    /// Reads an item.
    pub fn item(&mut self, of: usize, parent: Option<&str>, key: &str) -> Response {
        self.send(self.item_request(of, parent, key))
    }

    /// The paths of every list of a type: the whole, and the one of each parent.
    pub fn list_paths(&self, of: usize) -> Vec<String> {
        let spec = &self.world.spec.types[of];
        let mut paths = Vec::new();
        if spec.routes != Routes::Nested {
            paths.push(self.world.list_path(of, None));
        }
        if matches!(spec.routes, Routes::Nested | Routes::Both | Routes::Tuple)
            && let Some(parent) = spec.parent
        {
            for (_, key) in self.world.keys(parent) {
                paths.push(self.world.list_path(of, Some(&key)));
            }
        }
        paths
    }

    /// Reads every list of a type.
    pub fn lists(&mut self, of: usize) {
        for path in self.list_paths(of) {
            self.get(&path);
        }
    }

    /// The main list of a type: the whole where there is one, else that of the first parent.
    pub fn main_list(&self, of: usize) -> String {
        self.list_paths(of).into_iter().next().unwrap_or_default()
    }

    /// Reads what a write touches: the item, its lists, its parent and the parent's list.
    pub fn look(&mut self, of: usize, parent: Option<&str>, key: &str) {
        self.wait(150);
        self.item(of, parent, key);
        let spec = self.world.spec.types[of].clone();
        if spec.routes != Routes::Nested {
            self.get(&self.world.list_path(of, None));
        }
        if let (Some(parent_type), Some(parent)) = (spec.parent, parent) {
            if matches!(spec.routes, Routes::Nested | Routes::Both | Routes::Tuple) {
                self.get(&self.world.list_path(of, Some(parent)));
            }
            self.item(parent_type, None, parent);
            self.get(&self.world.list_path(parent_type, None));
        }
        for behaviour in self.world.behaviours.clone().iter() {
            behaviour.look(self, of, key);
        }
    }

    /// A new body that creates an entity.
    pub fn draft(&mut self, of: usize, parent: Option<&str>) -> Json {
        self.drafted += 1;
        self.world.draft(of, self.drafted, self.drafted, parent)
    }

    /// A request with a body, in the type's envelope or as a form.
    pub fn with_body(&self, of: usize, request: Request, body: Json) -> Request {
        let spec = &self.world.spec.types[of];
        if spec.writes.forms {
            let mut fields = Vec::new();
            for (name, value) in body.members() {
                match value {
                    Json::Arr(elements) => fields.extend(elements.iter().map(|element| (name.clone(), element.text()))),
                    Json::Null => {}
                    value => fields.push((name.clone(), value.text())),
                }
            }
            return request.with_form(fields);
        }
        match spec.item {
            ItemEnvelope::OneElement => request.with_json(obj! { spec.plural => Json::Arr(vec![body]) }),
            _ if spec.writes.wrapped => request.with_json(obj! { "data" => body }),
            _ => request.with_json(body),
        }
    }

    /// Creates an entity and looks at it; its key.
    pub fn create(&mut self, of: usize, parent: Option<&str>, body: Json) -> Option<String> {
        let path = self.world.create_path(of, parent);
        let request = self.with_body(of, Request::new("POST", &path), body);
        let before = self.world.entities[of].len();
        let response = self.send(request);
        if !response.succeeded() || self.world.entities[of].len() == before {
            return None;
        }
        let made = self.world.entities[of].last()?.clone();
        self.made.push((of, made.parent.clone(), made.key.clone()));
        self.look(of, made.parent.as_deref(), &made.key);
        Some(made.key)
    }

    /// The request that updates an entity with this body.
    pub fn update_request(&self, of: usize, parent: Option<&str>, key: &str, mut body: Json) -> Request {
        let spec = &self.world.spec.types[of];
        if let Some(at) = self.world.find(of, parent, key) {
            for behaviour in self.world.behaviours.iter() {
                behaviour.complete_update(&self.world.entities[of][at], &mut body);
            }
        }
        if spec.routes == Routes::Rpc {
            let id = self.world.find(of, parent, key).map(|at| self.world.entities[of][at].id.clone());
            body.set(&format!("{}_id", spec.singular), id.unwrap_or(key.into()));
            if let Some(parent) = self.parent_id(of, parent).filter(|_| spec.called_by_tuple()) {
                body.set(spec.parent_member, parent);
            }
            let path = format!("{}/{}/update", self.world.spec.base, spec.plural);
            return Request::new("POST", &path).with_json(body);
        }
        let path = self.world.item_path(of, parent, key);
        self.with_body(of, Request::new(spec.writes.update_method, &path), body)
    }

    /// Updates an entity and looks at it.
    pub fn update(&mut self, of: usize, parent: Option<&str>, key: &str, body: Json) -> Response {
        self.wait(1_300);
        let renamed = body.get("name").filter(|_| self.world.spec.types[of].id_member == "name").map(Json::text);
        let moved = body.get(self.world.spec.types[of].parent_member).map(Json::text);
        let response = self.send(self.update_request(of, parent, key, body));
        let key = if response.succeeded() { renamed.unwrap_or(key.to_string()) } else { key.to_string() };
        if response.succeeded() {
            self.look(of, moved.as_deref().or(parent), &key);
        }
        response
    }

    /// A parent's identity as bodies spell it.
    fn parent_id(&self, of: usize, parent: Option<&str>) -> Option<Json> {
        let (above, parent) = (self.world.spec.types[of].parent?, parent?);
        self.world.find(above, None, parent).map(|at| self.world.entities[above][at].id.clone())
    }

    /// Removes an entity and looks for it.
    pub fn delete(&mut self, of: usize, parent: Option<&str>, key: &str) -> Response {
        self.wait(200);
        let spec = &self.world.spec.types[of];
        let request = if spec.routes == Routes::Rpc {
            let id = self.world.find(of, parent, key).map(|at| self.world.entities[of][at].id.clone());
            let mut body = obj! { format!("{}_id", spec.singular) => id.unwrap_or(key.into()) };
            if let Some(parent) = self.parent_id(of, parent).filter(|_| spec.called_by_tuple()) {
                body.set(spec.parent_member, parent);
            }
            Request::new("POST", &format!("{}/{}/delete", self.world.spec.base, spec.plural)).with_json(body)
        } else {
            Request::new("DELETE", &self.world.item_path(of, parent, key))
        };
        let response = self.send(request);
        self.look(of, parent, key);
        response
    }

    /// A key that is of the type's kind and that nothing has.
    pub fn missing_key(&mut self, of: usize) -> String {
        use super::spec::IdKind;
        match self.world.spec.types[of].id {
            IdKind::Sequence | IdKind::SharedSequence | IdKind::PerParent => (990 + self.timing.below(9)).to_string(),
            IdKind::Uuid => self.timing.uuid(),
            IdKind::Hex => self.timing.hex(24),
            IdKind::Token => self.timing.token(16),
            IdKind::Caller | IdKind::Name => format!("no-such-{}", self.timing.hex(4)),
        }
    }

    /// The present instant in whole seconds, for scripts that send clocks.
    pub fn seconds(&self) -> i64 {
        self.now / SECOND
    }

    /// Lets every behaviour add its calls of a phase.
    pub fn behaviours(&mut self, phase: Phase) {
        for behaviour in self.world.behaviours.clone().iter() {
            behaviour.record(phase, self);
        }
    }
}
