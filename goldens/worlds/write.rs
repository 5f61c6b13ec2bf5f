//! How a world is written: creates, updates and deletes with the behaviours' checks and effects, and their answers.

use super::behaviour::View;
use super::http::{Payload, Request, Response};
use super::json::{Json, obj};
use super::spec::{FieldKind, IdKind, ItemEnvelope, Routes, WriteAnswer};
use super::world::{Entity, World};

/// What a write does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteKind {
    Create,
    Update,
    Delete,
}

/// A write under way: hooks see it before (`prepare`, `check`) and after it was applied.
#[derive(Clone, Debug)]
pub struct Write {
    pub kind: WriteKind,
    pub of: usize,
    pub parent: Option<String>,
    /// The entity's key; empty while a create has none.
    pub key: String,
    /// The entity before an update or delete.
    pub before: Option<Entity>,
    /// Sent members.
    pub sent: Json,
}

impl World {
    /// The members of a body: out of its envelope, forms read by the kinds of the fields.
    fn sent(&self, of: usize, request: &Request) -> Option<Json> {
        let spec = &self.spec.types[of];
        match request.body.as_ref()? {
            Payload::Json(body) if spec.item == ItemEnvelope::OneElement => {
                body.get(spec.plural)?.elements().first().cloned()
            }
            Payload::Json(body) if spec.writes.wrapped => body.get("data").cloned(),
            Payload::Json(body) => matches!(body, Json::Obj(_)).then(|| body.clone()),
            Payload::Form(fields) => {
                let mut body = Json::Obj(Vec::new());
                for (name, text) in fields {
                    let kind = spec.fields.iter().find(|field| field.name == name).map(|field| field.kind);
                    match kind {
                        Some(FieldKind::Texts) => {
                            let mut held = body.get(name).map_or(Vec::new(), |held| held.elements().to_vec());
                            held.push(text.as_str().into());
                            body.set(name, held);
                        }
                        Some(FieldKind::Number | FieldKind::Decimal) if text.parse::<f64>().is_ok() => {
                            body.set(name, Json::Num(text.clone()));
                        }
                        Some(FieldKind::Flag) => body.set(name, text == "true"),
                        _ => body.set(name, text.as_str()),
                    }
                }
                Some(body)
            }
        }
    }

    /// The parent a body names, or the one held. `Err` when it names one that is not there.
    fn parent_of(&mut self, of: usize, held: Option<String>, sent: &Json) -> Result<Option<String>, Response> {
        let spec = &self.spec.types[of];
        let Some(parent_type) = spec.parent else { return Ok(None) };
        match sent.get(spec.parent_member) {
            None => Ok(held),
            Some(Json::Null) => Ok(None),
            Some(id) => {
                let key = id.text();
                match self.find(parent_type, None, &key) {
                    Some(_) => Ok(Some(key)),
                    None => Err(self.error(400, "invalid reference", &key)),
                }
            }
        }
    }

    /// Runs the hooks that come before a write.
    fn admit(&mut self, write: &mut Write) -> Result<(), Response> {
        let behaviours = self.behaviours.clone();
        for behaviour in behaviours.iter() {
            behaviour.prepare(self, write);
        }
        write.parent = self.parent_of(write.of, write.parent.take(), &write.sent)?;
        for field in self.spec.types[write.of].fields.clone() {
            let fits = match (write.sent.get(field.name), field.kind) {
                (None | Some(Json::Null), _) => field.name != "name" || write.sent.get("name").is_none(),
                (Some(Json::Str(text)), FieldKind::Text) => field.name != "name" || !text.is_empty(),
                (Some(Json::Num(_)), FieldKind::Number | FieldKind::Decimal) => true,
                (Some(Json::Bool(_)), FieldKind::Flag) => true,
                (Some(Json::Arr(_)), FieldKind::Texts) => true,
                _ => false,
            };
            let missing = write.kind == WriteKind::Create && field.name == "name" && write.sent.get("name").is_none();
            if !fits || missing {
                return Err(self.error(400, &format!("{} is not valid", field.name), ""));
            }
        }
        for behaviour in behaviours.iter() {
            if let Some(refusal) = behaviour.check(self, write) {
                return Err(refusal);
            }
        }
        Ok(())
    }

    fn settle(&mut self, write: &Write) {
        for behaviour in self.behaviours.clone().iter() {
            behaviour.after(self, write);
        }
    }

    /// Adds an entity; its index.
    pub fn create(&mut self, of: usize, parent: Option<String>, sent: Json) -> Result<usize, Response> {
        let mut write = Write { kind: WriteKind::Create, of, parent, key: String::new(), before: None, sent };
        self.admit(&mut write)?;
        let parent = write.parent.clone();
        let Some(id) = self.new_id(of, parent.as_deref(), &write.sent) else {
            return Err(self.error(400, "an id is needed", ""));
        };
        let key = id.text();
        let spec = &self.spec.types[of];
        let apart = spec.called_by_tuple() || matches!(spec.routes, Routes::Nested | Routes::Tuple);
        let scope = apart.then(|| parent.clone()).flatten();
        if self.find(of, scope.as_deref(), &key).is_some() {
            return Err(self.error(409, "already exists", &key));
        }
        let mut fields = Json::Obj(Vec::new());
        for field in &spec.fields {
            if !(spec.id == IdKind::Name && field.name == spec.id_member) {
                fields.set(field.name, write.sent.get(field.name).cloned().unwrap_or(field.default.clone()));
            }
        }
        let serial = self.take_serial();
        let now = self.now;
        self.entities[of].push(Entity {
            of,
            key: key.clone(),
            id,
            parent,
            fields,
            serial,
            created: now,
            updated: now,
            hidden: false,
        });
        let index = self.entities[of].len() - 1;
        write.key = key;
        self.settle(&write);
        Ok(index)
    }

    /// Changes the sent members of an entity.
    pub fn update(&mut self, of: usize, index: usize, sent: Json) -> Result<(), Response> {
        let before = self.entities[of][index].clone();
        let mut write = Write {
            kind: WriteKind::Update,
            of,
            parent: before.parent.clone(),
            key: before.key.clone(),
            before: Some(before),
            sent,
        };
        self.admit(&mut write)?;
        let parent = write.parent.clone();
        let spec = self.spec.types[of].clone();
        if spec.id == IdKind::Name
            && let Some(Json::Str(name)) = write.sent.get(spec.id_member)
            && *name != write.key
        {
            let scope =
                (spec.routes == Routes::Tuple || spec.routes == Routes::Nested).then(|| parent.clone()).flatten();
            if self.find(of, scope.as_deref(), name).is_some() {
                let name = name.clone();
                return Err(self.error(409, "already exists", &name));
            }
            let old = std::mem::replace(&mut write.key, name.clone());
            for (child, child_spec) in self.spec.types.iter().enumerate() {
                if child_spec.parent == Some(of) {
                    for entity in &mut self.entities[child] {
                        if entity.parent.as_deref() == Some(old.as_str()) {
                            entity.parent = Some(write.key.clone());
                        }
                    }
                }
            }
        }
        let now = self.now;
        let entity = &mut self.entities[of][index];
        if spec.id == IdKind::Name {
            entity.key = write.key.clone();
            entity.id = write.key.as_str().into();
        }
        entity.parent = parent;
        for field in &spec.fields {
            if entity.fields.get(field.name).is_some()
                && let Some(value) = write.sent.get(field.name)
            {
                entity.fields.set(field.name, value.clone());
            }
        }
        entity.updated = now;
        self.settle(&write);
        Ok(())
    }

    /// Removes an entity.
    pub fn delete(&mut self, of: usize, index: usize) -> Result<(), Response> {
        let before = self.entities[of][index].clone();
        let write = Write {
            kind: WriteKind::Delete,
            of,
            parent: before.parent.clone(),
            key: before.key.clone(),
            before: Some(before),
            sent: Json::Obj(Vec::new()),
        };
        let behaviours = self.behaviours.clone();
        for behaviour in behaviours.iter() {
            if let Some(refusal) = behaviour.check(self, &write) {
                return Err(refusal);
            }
        }
        if !behaviours.iter().any(|behaviour| behaviour.remove(self, of, index)) {
            let children = self.entities.iter().flatten();
            let in_use = children
                .filter(|child| self.spec.types[child.of].parent == Some(of))
                .any(|child| child.parent.as_deref() == Some(write.key.as_str()));
            if in_use {
                return Err(self.error(409, "in use", &write.key));
            }
            self.entities[of].remove(index);
        }
        self.settle(&write);
        Ok(())
    }

    /// The answer of a write that was applied to the entity at `index`.
    pub fn write_answer(&mut self, of: usize, index: usize, view: View) -> Response {
        let writes = &self.spec.types[of].writes;
        let (style, status) = match view {
            View::Created => (writes.create, writes.create_status),
            _ => (writes.update, 200),
        };
        match style {
            WriteAnswer::Entity => {
                let item = self.item(of, index, view, &[]);
                Response::json(status, &item)
            }
            other => self.bare_answer(of, other, status, &self.entities[of][index].id.clone()),
        }
    }

    fn bare_answer(&self, of: usize, style: WriteAnswer, status: u16, id: &Json) -> Response {
        let member = self.spec.types[of].id_member;
        match style {
            WriteAnswer::IdOnly => Response::json(status, &obj! { member => id.clone() }),
            WriteAnswer::BareId => Response::json(status, id),
            WriteAnswer::EmptyObject => Response::json(status, &Json::Obj(Vec::new())),
            WriteAnswer::Ok => Response::json(status, &"OK".into()),
            WriteAnswer::Tombstone => Response::json(status, &obj! { "deleted" => true, member => id.clone() }),
            WriteAnswer::NoContent | WriteAnswer::Entity => Response::empty(if status == 201 { 201 } else { 204 }),
        }
    }

    pub(super) fn answer_create(&mut self, of: usize, parent: Option<String>, request: &Request) -> Response {
        if let (Some(parent_type), Some(key)) = (self.spec.types[of].parent, parent.as_deref())
            && self.find(parent_type, None, key).is_none()
        {
            return self.absent("POST", parent_type, key);
        }
        let Some(sent) = self.sent(of, request) else { return self.error(400, "a body is needed", "") };
        match self.create(of, parent, sent) {
            Ok(index) => self.write_answer(of, index, View::Created),
            Err(refusal) => refusal,
        }
    }

    pub(super) fn answer_update(&mut self, of: usize, parent: Option<&str>, key: &str, request: &Request) -> Response {
        let Some(index) = self.visible(of, parent, key) else { return self.absent(&request.method, of, key) };
        let Some(sent) = self.sent(of, request) else { return self.error(400, "a body is needed", "") };
        match self.update(of, index, sent) {
            Ok(()) => self.write_answer(of, index, View::Updated),
            Err(refusal) => refusal,
        }
    }

    pub(super) fn answer_delete(&mut self, of: usize, parent: Option<&str>, key: &str) -> Response {
        let Some(index) = self.visible(of, parent, key) else { return self.absent("DELETE", of, key) };
        let style = self.spec.types[of].writes.delete;
        let id = self.entities[of][index].id.clone();
        let shown = self.item(of, index, View::Item, &[]);
        match self.delete(of, index) {
            Err(refusal) => refusal,
            Ok(()) if style == WriteAnswer::Entity => Response::json(200, &shown),
            Ok(()) => self.bare_answer(of, style, 200, &id),
        }
    }

    /// The index of an entity that is not soft-deleted.
    pub fn visible(&self, of: usize, parent: Option<&str>, key: &str) -> Option<usize> {
        self.find(of, parent, key).filter(|index| !self.entities[of][*index].hidden)
    }

    /// Verbs of a type whose ids never stand in the path.
    pub(super) fn answer_rpc(&mut self, of: usize, verb: &str, request: &Request) -> Response {
        let argument = format!("{}_id", self.spec.types[of].singular);
        let sent_key = request.json().and_then(|body| body.get(&argument)).map(Json::text);
        let spec = &self.spec.types[of];
        let member = spec.parent_member;
        let named = || request.parameter(member).or_else(|| Some(request.json()?.get(member)?.text()));
        let parent = if spec.called_by_tuple() { named() } else { None };
        match (request.method.as_str(), verb, sent_key) {
            ("GET", "list", _) => self.answer_list(of, None, &request.path, request.pairs()),
            ("GET", "get", _) => {
                let key = request.parameter(&argument).unwrap_or_default();
                self.answer_item(of, parent.as_deref(), &key, Vec::new())
            }
            ("POST", "create", _) => self.answer_create(of, None, request),
            ("POST", "update", Some(key)) => self.answer_update(of, parent.as_deref(), &key, request),
            ("POST", "delete", Some(key)) => self.answer_delete(of, parent.as_deref(), &key),
            _ => self.error(400, "bad call", ""),
        }
    }
}
