//! Links in envelopes: addresses of other pages, built from the line. What a link is made of is tried in a fixed order and
//! kept when it spells every recorded link.

use super::envelope::Around;
use super::paging::PagingRole;
use super::query::{QueryModel, Role};
use crate::json::Value;
use std::collections::BTreeMap;

/// How links to other pages are built from the line.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The page it leads to.
    pub to: Target,
    /// What stands before the path: an origin, or nothing.
    pub origin: Box<str>,
    /// The parameter that changes.
    pub key: Box<str>,
    /// What it says, where no recorded line sent it: only the links show it.
    pub unsent: Option<PagingRole>,
    /// A size parameter that is written even when the line has none.
    pub size_key: Option<Box<str>>,
    /// Whether parameters are sorted by name.
    pub sorted: bool,
    /// Whether the first page is written without its parameter.
    pub drop_first: bool,
    /// How the query is spelled.
    pub spelling: Spelling,
}

/// Where a link leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The next page, if any.
    Next,
    /// The previous page, if any.
    Previous,
    /// The first page.
    First,
    /// The last page.
    Last,
    /// The page itself.
    Own,
}

impl Target {
    /// A word for documents.
    pub fn word(self) -> &'static str {
        match self {
            Self::Next => "next",
            Self::Previous => "previous",
            Self::First => "first",
            Self::Last => "last",
            Self::Own => "same",
        }
    }
}

/// How the query of a link is spelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spelling {
    /// As a form: a space is `+`.
    Form,
    /// A space is `%20`.
    Percent,
    /// A space is `%20`, and brackets stay.
    Brackets,
    /// Only the page's parameters, as a form: what else the line has is left out.
    PageOnly,
}

const TARGETS: [Target; 5] = [Target::Next, Target::Previous, Target::First, Target::Last, Target::Own];
const SPELLINGS: [Spelling; 4] = [Spelling::Form, Spelling::Percent, Spelling::Brackets, Spelling::PageOnly];

impl Link {
    /// The link of a line; `Ok(None)` where there is no such page, `Err` where it cannot be said.
    pub fn spell(&self, around: &Around<'_>) -> Result<Option<Value>, ()> {
        let window = &around.selection.window;
        let mut pairs: Vec<(String, String)> = around.line.in_order.clone();
        if self.spelling == Spelling::PageOnly {
            pairs.retain(|(name, _)| *name == *self.key || self.size_key.as_deref() == Some(name));
        }
        if self.to != Target::Own || self.size_key.is_some() {
            // Without a size everything is on one page.
            let size = match (window.size, self.to) {
                (Some(size), _) => size,
                (None, Target::Next | Target::Previous) => return Ok(None),
                (None, _) => 0,
            };
            let role = match around.model.roles.get(self.key.as_ref()) {
                Some(Role::Paging(role)) => *role,
                Some(_) => return Err(()),
                None => self.unsent.ok_or(())?,
            };
            let Some((target, is_first)) = self.place(around, role, size) else { return Ok(None) };
            if let Some(size_key) = &self.size_key
                && !pairs.iter().any(|(name, _)| name == size_key.as_ref())
            {
                if window.size.is_none() {
                    return Err(());
                }
                pairs.push((size_key.to_string(), size.to_string()));
            }
            match pairs.iter_mut().find(|(name, _)| name == self.key.as_ref()) {
                Some((_, value)) => *value = target.to_string(),
                None => pairs.push((self.key.to_string(), target.to_string())),
            }
            if is_first && self.drop_first {
                pairs.retain(|(name, _)| name != self.key.as_ref());
            }
        }
        if self.sorted {
            pairs.sort();
        }
        Ok(Some(Value::from(self.address(around.path, &pairs))))
    }

    /// The number that the page's parameter has, and whether it is the first page; `None` when there is no such page.
    fn place(&self, around: &Around<'_>, role: PagingRole, size: u64) -> Option<(u64, bool)> {
        let window = &around.selection.window;
        let matched = around.selection.matched;
        match (role, self.to) {
            (_, Target::Next) if !around.more() => None,
            (PagingRole::Page { first }, Target::Next) => Some((window.page.max(first).saturating_add(1), false)),
            (PagingRole::Page { first }, Target::Previous) => {
                (window.page > first).then(|| (window.page - 1, window.page - 1 == first))
            }
            (PagingRole::Page { first }, Target::First) => Some((first, true)),
            (PagingRole::Page { first }, Target::Last) => {
                let last = first.saturating_add(window.pages(matched).unwrap_or(1) - 1);
                Some((last, last == first))
            }
            (PagingRole::Page { first }, Target::Own) => Some((window.page, window.page == first)),
            (_, Target::Next) => Some((window.offset.saturating_add(size), false)),
            (_, Target::Previous) if window.offset == 0 => None,
            (_, Target::Previous) => {
                let target = window.offset.saturating_sub(size);
                Some((target, target == 0))
            }
            (_, Target::First) => Some((0, true)),
            (_, Target::Last) => {
                let target = (window.pages(matched).unwrap_or(1) - 1).saturating_mul(size);
                Some((target, target == 0))
            }
            (_, Target::Own) => Some((window.offset, window.offset == 0)),
        }
    }

    fn address(&self, path: &str, pairs: &[(String, String)]) -> String {
        let mut query = form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
        if matches!(self.spelling, Spelling::Percent | Spelling::Brackets) {
            query = query.replace('+', "%20");
        }
        if self.spelling == Spelling::Brackets {
            query = query.replace("%5B", "[").replace("%5D", "]").replace("%2C", ",").replace("%24", "$");
        }
        if query.is_empty() { format!("{}{path}", self.origin) } else { format!("{}{path}?{query}", self.origin) }
    }
}

/// Parameters of links that no line sent, with a number in every link that has them.
fn unsent_numbers(texts: &[&str], model: &QueryModel) -> Vec<Box<str>> {
    let mut numbers: BTreeMap<String, bool> = BTreeMap::new();
    for text in texts {
        let Some((_, query)) = text.split_once('?') else { continue };
        for (key, value) in form_urlencoded::parse(query.as_bytes()) {
            let held = numbers.entry(key.into_owned()).or_insert(true);
            *held &= value.parse::<u64>().is_ok();
        }
    }
    let open = |key: &String| !model.roles.contains_key(key);
    numbers.into_iter().filter(|(key, number)| *number && open(key)).map(|(key, _)| key.as_str().into()).collect()
}

/// Links that a member with these texts may hold, the simplest first.
pub fn links(texts: &[&str], model: &QueryModel) -> Vec<Link> {
    let Some(text) = texts.first() else { return Vec::new() };
    let origin: &str = match text.find("://") {
        Some(at) => {
            let end = text[at + 3..].find('/').map_or(text.len(), |slash| at + 3 + slash);
            &text[..end]
        }
        None => "",
    };
    let keys = |wanted: fn(&PagingRole) -> bool| -> Vec<Box<str>> {
        model
            .roles
            .iter()
            .filter(|(_, role)| matches!(role, Role::Paging(paging) if wanted(paging)))
            .map(|(key, _)| key.as_str().into())
            .collect()
    };
    let mut sizes = keys(|role| *role == PagingRole::Size);
    let mut places: Vec<(Box<str>, Option<PagingRole>)> =
        keys(|role| matches!(role, PagingRole::Page { .. } | PagingRole::Offset))
            .into_iter()
            .map(|key| (key, None))
            .collect();
    for key in unsent_numbers(texts, model) {
        let roles = [PagingRole::Offset, PagingRole::Page { first: 1 }, PagingRole::Page { first: 0 }];
        places.extend(roles.into_iter().map(|role| (key.clone(), Some(role))));
        sizes.push(key);
    }
    // Links that name one place are not looked for with another; the first page may be written without any.
    if places.iter().any(|(key, _)| texts.iter().any(|text| spelled_in(text, key))) {
        places.retain(|(key, _)| texts.iter().any(|text| spelled_in(text, key)));
    }
    let mut found = Vec::new();
    for (key, unsent) in &places {
        for to in TARGETS {
            for sorted in [true, false] {
                for drop_first in [false, true] {
                    for size_key in std::iter::once(None).chain(sizes.iter().cloned().map(Some)) {
                        for spelling in SPELLINGS {
                            found.push(Link {
                                to,
                                origin: origin.into(),
                                key: key.clone(),
                                unsent: *unsent,
                                size_key: size_key.clone(),
                                sorted,
                                drop_first,
                                spelling,
                            });
                        }
                    }
                }
            }
        }
    }
    // The line itself: no page takes part in it.
    for spelling in [Spelling::Form, Spelling::Percent, Spelling::Brackets] {
        for sorted in [false, true] {
            found.push(Link {
                to: Target::Own,
                origin: origin.into(),
                key: "".into(),
                unsent: None,
                size_key: None,
                sorted,
                drop_first: false,
                spelling,
            });
        }
    }
    found
}

/// Whether an address has a parameter.
fn spelled_in(text: &str, key: &str) -> bool {
    text.split_once('?')
        .is_some_and(|(_, query)| form_urlencoded::parse(query.as_bytes()).any(|(name, _)| name.as_ref() == key))
}
