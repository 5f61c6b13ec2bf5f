//! How a world answers reads: entities as views show them, and the envelopes around them.

use super::behaviour::View;
use super::http::Response;
use super::json::{Json, obj};
use super::query::Listing;
use super::spec::{ItemEnvelope, ListEnvelope, Tick};
use super::world::{Entity, World};

impl World {
    /// An entity as a view shows it, without envelope.
    pub fn show(&self, entity: &Entity, view: View) -> Json {
        let spec = &self.spec.types[entity.of];
        let mut shown = Json::Obj(Vec::new());
        shown.set(spec.id_member, entity.id.clone());
        for (name, value) in entity.fields.members() {
            shown.set(name, value.clone());
        }
        if let Some(parent_type) = spec.parent
            && !spec.parent_member.is_empty()
        {
            let parent = entity.parent.as_deref().and_then(|key| self.find(parent_type, None, key));
            shown.set(spec.parent_member, parent.map(|at| self.entities[parent_type][at].id.clone()));
        }
        for clock in &spec.clocks {
            let value = match clock.tick {
                Tick::Created => clock.format.spell(entity.created),
                Tick::Edited if entity.created == entity.updated => Json::Null,
                Tick::Updated | Tick::Edited => clock.format.spell(entity.updated),
            };
            shown.set(clock.member, value);
        }
        for behaviour in self.behaviours.iter() {
            behaviour.show(self, entity, view, &mut shown);
        }
        shown
    }

    /// The item answer of an entity.
    pub fn item(&mut self, of: usize, index: usize, view: View, pairs: &[(String, String)]) -> Json {
        let mut shown = self.show(&self.entities[of][index], view);
        let behaviours = self.behaviours.clone();
        for behaviour in behaviours.iter() {
            behaviour.trim(self, pairs, view, &mut shown);
        }
        let spec = &self.spec.types[of];
        let mut answer = match spec.item {
            ItemEnvelope::Bare => shown,
            ItemEnvelope::OneKey => obj! { spec.singular => shown },
            ItemEnvelope::Data => obj! { "data" => shown },
            ItemEnvelope::OneElement => obj! { spec.plural => Json::Arr(vec![shown]) },
        };
        for behaviour in behaviours.iter() {
            behaviour.wrap_item(self, view, &mut answer);
        }
        answer
    }

    pub(super) fn answer_item(
        &mut self,
        of: usize,
        parent: Option<&str>,
        key: &str,
        pairs: Vec<(String, String)>,
    ) -> Response {
        match self.find(of, parent, key) {
            Some(index) if !self.entities[of][index].hidden || self.spec.has("soft_delete") => {
                Response::json(200, &self.item(of, index, View::Item, &pairs))
            }
            _ => self.absent("GET", of, key),
        }
    }

    /// The answer of a list read with these query pairs.
    pub fn answer_list(
        &mut self,
        of: usize,
        parent: Option<String>,
        path: &str,
        pairs: Vec<(String, String)>,
    ) -> Response {
        if let (Some(parent_type), Some(key)) = (self.spec.types[of].parent, parent.as_deref())
            && self.find(parent_type, None, key).is_none_or(|at| self.entities[parent_type][at].hidden)
        {
            return self.absent("GET", parent_type, key);
        }
        let listing = self.listing(of, parent, path, pairs);
        if let Some(refusal) = listing.refused {
            return refusal;
        }
        let answer = self.list(&listing);
        Response::json(200, &answer)
    }

    /// The entries of a listing, as the list shows them.
    pub fn entries(&self, listing: &Listing) -> Vec<(String, Json)> {
        let mut entries = Vec::with_capacity(listing.entities.len());
        for index in &listing.entities {
            let entity = &self.entities[listing.of][*index];
            let mut shown = self.show(entity, View::List);
            for behaviour in self.behaviours.iter() {
                behaviour.trim(self, &listing.pairs, View::List, &mut shown);
            }
            entries.push((entity.key.clone(), shown));
        }
        entries
    }

    /// A listing in its envelope.
    pub fn list(&mut self, listing: &Listing) -> Json {
        let spec = &self.spec.types[listing.of];
        let entries = self.entries(listing);
        let values = |entries: Vec<(String, Json)>| Json::Arr(entries.into_iter().map(|(_, shown)| shown).collect());
        let mut answer = match spec.list {
            ListEnvelope::Bare => values(entries),
            ListEnvelope::OneKey => obj! { spec.plural => values(entries) },
            ListEnvelope::Keyed => Json::Obj(entries),
            ListEnvelope::MissingWhenEmpty if entries.is_empty() => Json::Obj(vec![]),
            ListEnvelope::MissingWhenEmpty => obj! { spec.plural => values(entries) },
            ListEnvelope::TwoLevels => {
                obj! { "data" => obj! { "count" => listing.matched, "items" => values(entries) } }
            }
            ListEnvelope::Counted => {
                let mut answer = obj! { "count" => listing.matched };
                if spec.paging.as_ref().is_some_and(|paging| paging.links) {
                    answer.set("next", listing.link_next.clone().map(Json::Str));
                    answer.set("previous", listing.link_previous.clone().map(Json::Str));
                }
                answer.set("results", values(entries));
                answer
            }
            ListEnvelope::Paging => {
                let page = listing.page();
                let pages = listing.pages().max(1);
                let next = (page < pages).then(|| Json::from(page + 1));
                let previous = (page > 1).then(|| Json::from(page - 1));
                obj! {
                    spec.plural => values(entries),
                    "meta" => obj! { "pagination" => obj! {
                        "page" => page, "limit" => listing.size, "pages" => pages, "total" => listing.matched,
                        "next" => next, "prev" => previous,
                    } },
                }
            }
        };
        if let (Some(token), Some(member)) = (&listing.token, listing.token_member) {
            answer.set(member, token.as_str());
        }
        for behaviour in self.behaviours.clone().iter() {
            behaviour.wrap_list(self, listing, &mut answer);
        }
        answer
    }
}
