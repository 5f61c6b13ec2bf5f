//! Lists by query: which entities, in which order, which page.

use super::http::{Response, encode};
use super::json::Json;
use super::spec::{OrderKey, PagingStyle, PastEnd};
use super::world::{Entity, World};
use base64::Engine;
use std::cmp::Ordering;

/// A list being made.
#[derive(Clone, Debug)]
pub struct Listing {
    pub of: usize,
    pub parent: Option<String>,
    /// The request's path, for links.
    pub path: String,
    /// The query's pairs, decoded.
    pub pairs: Vec<(String, String)>,
    /// Indexes of the entities, of the page once it was cut.
    pub entities: Vec<usize>,
    /// How many there are on all pages.
    pub matched: usize,
    pub offset: usize,
    pub size: usize,
    pub link_next: Option<String>,
    pub link_previous: Option<String>,
    /// The cursor of the next page and the member it stands in.
    pub token: Option<String>,
    pub token_member: Option<&'static str>,
    pub refused: Option<Response>,
}

impl Listing {
    /// The value of a query parameter.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        self.pairs.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// The size of a page, one at the least.
    pub fn page_size(&self) -> usize {
        self.size.max(1)
    }

    /// The number of the page, from one.
    pub fn page(&self) -> usize {
        self.offset / self.page_size() + 1
    }

    /// How many pages there are.
    pub fn pages(&self) -> usize {
        self.matched.div_ceil(self.page_size())
    }

    /// Keeps the entities for which `keep` holds.
    pub fn retain(&mut self, world: &World, keep: impl Fn(&Entity) -> bool) {
        let of = self.of;
        self.entities.retain(|index| keep(&world.entities[of][*index]));
    }
}

impl Entity {
    /// A stored member, or null. The name of an entity that is addressed by it is its identity.
    pub fn member(&self, name: &str) -> Json {
        match self.fields.get(name) {
            Some(value) => value.clone(),
            None if name == "name" => self.id.clone(),
            None => Json::Null,
        }
    }
}

/// A cursor: the offset as JSON in base64.
pub fn cursor(offset: usize) -> String {
    base64::engine::general_purpose::STANDARD.encode(format!("{{\"offset\": {offset}}}"))
}

fn offset_of(cursor: &str) -> Option<usize> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(cursor).ok()?;
    let json = Json::parse(std::str::from_utf8(&bytes).ok()?)?;
    json.get("offset")?.text().parse().ok()
}

impl World {
    fn order_value(&self, entity: &Entity, member: &str) -> Json {
        match member {
            "@serial" => Json::Num(entity.serial.to_string()),
            "@created" => entity.created.into(),
            "@updated" => entity.updated.into(),
            "id" => entity.id.clone(),
            member if member == self.spec.types[entity.of].id_member => entity.id.clone(),
            member => entity.member(member),
        }
    }

    fn compare(&self, left: &Entity, right: &Entity, keys: &[OrderKey]) -> Ordering {
        for key in keys {
            let (one, other) = (self.order_value(left, &key.member), self.order_value(right, &key.member));
            let nulls = if key.nulls_first { Ordering::Less } else { Ordering::Greater };
            let order = match (one == Json::Null, other == Json::Null) {
                (true, true) => Ordering::Equal,
                (true, false) => nulls,
                (false, true) => nulls.reverse(),
                (false, false) if key.descending => one.order(&other).reverse(),
                (false, false) => one.order(&other),
            };
            if order != Ordering::Equal {
                return order;
            }
        }
        left.serial.cmp(&right.serial)
    }

    /// The list that a read of `path` with these pairs gets.
    pub fn listing(&mut self, of: usize, parent: Option<String>, path: &str, pairs: Vec<(String, String)>) -> Listing {
        let entities = self.entities[of]
            .iter()
            .enumerate()
            .filter(|(_, entity)| !entity.hidden && (parent.is_none() || entity.parent == parent))
            .map(|(index, _)| index)
            .collect();
        let mut listing = Listing {
            of,
            parent,
            path: path.to_string(),
            pairs,
            entities,
            matched: 0,
            offset: 0,
            size: 0,
            link_next: None,
            link_previous: None,
            token: None,
            token_member: None,
            refused: None,
        };
        let behaviours = self.behaviours.clone();
        for behaviour in behaviours.iter() {
            behaviour.narrow(self, &mut listing);
        }
        listing.matched = listing.entities.len();
        let asked = behaviours.iter().find_map(|behaviour| behaviour.arrange(self, &listing));
        let keys = asked.unwrap_or_else(|| self.spec.types[of].order.clone());
        listing
            .entities
            .sort_by(|left, right| self.compare(&self.entities[of][*left], &self.entities[of][*right], &keys));
        self.cut(&mut listing);
        listing
    }

    /// Cuts the page out of a listing.
    fn cut(&mut self, listing: &mut Listing) {
        let matched = listing.matched;
        listing.size = matched;
        let Some(paging) = self.spec.types[listing.of].paging.clone() else { return };
        let number = |name: &str| listing.parameter(name).and_then(|text| text.parse::<usize>().ok());
        let size = number(paging.size).filter(|size| *size > 0).or(paging.default_size).unwrap_or(matched.max(1));
        let offset = match paging.style {
            PagingStyle::Page(name, first) => (number(name).unwrap_or(first).max(first) - first) * size,
            PagingStyle::Offset(name) => number(name).unwrap_or(0),
            PagingStyle::Cursor(name, member) => {
                listing.token_member = Some(member);
                match listing.parameter(name) {
                    None => 0,
                    Some(token) => match offset_of(token) {
                        Some(offset) => offset,
                        None => {
                            listing.refused = Some(self.error(400, "invalid cursor", ""));
                            return;
                        }
                    },
                }
            }
        };
        if offset > 0
            && offset >= matched
            && let PastEnd::Refused(status) = paging.past_end
        {
            listing.refused = Some(self.error(status, "Invalid page.", ""));
            return;
        }
        listing.offset = offset;
        listing.size = size;
        if matches!(paging.style, PagingStyle::Cursor(..)) && offset + size < matched {
            listing.token = Some(cursor(offset + size));
        }
        if paging.links {
            listing.link_next =
                (offset + size < matched).then(|| link(listing, paging.style, paging.size, offset + size));
            listing.link_previous =
                (offset > 0).then(|| link(listing, paging.style, paging.size, offset.saturating_sub(size)));
        }
        listing.entities = listing.entities.iter().copied().skip(offset).take(size).collect();
    }
}

/// An absolute link to the page at `offset`: the line with its query in sorted order and the place changed; the first
/// page has no place.
fn link(listing: &Listing, style: PagingStyle, size_name: &str, offset: usize) -> String {
    let (name, place) = match style {
        PagingStyle::Page(name, first) => (name, offset / listing.page_size() + first),
        PagingStyle::Offset(name) | PagingStyle::Cursor(name, _) => (name, offset),
    };
    let mut pairs: Vec<(String, String)> = listing.pairs.iter().filter(|(held, _)| held != name).cloned().collect();
    if offset > 0 {
        pairs.push((name.to_string(), place.to_string()));
    }
    if matches!(style, PagingStyle::Offset(_)) && !pairs.iter().any(|(held, _)| held == size_name) {
        pairs.push((size_name.to_string(), listing.size.to_string()));
    }
    pairs.sort();
    let query: Vec<String> = pairs.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
    let mark = if query.is_empty() { "" } else { "?" };
    format!("{}{}{mark}{}", super::har::ORIGIN, listing.path, query.join("&"))
}
