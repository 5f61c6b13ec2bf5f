//! Finding pages: sizes, offsets, page numbers and cursors that hold an offset.

use super::cursor::{CursorRole, decode64};
use super::infer::{Inference, ListCall, same};
use super::line::Line;
use super::naming::{last_name, normal};
use super::paging::PagingRole;
use super::query::{Role, Selection};
use std::collections::BTreeSet;

impl Inference<'_> {
    /// A bare list that ends before its scope does has a page size: where its lines page or two of its paths end alike, or
    /// the number is one that applications choose. Otherwise the rest may be no part of the list.
    pub(super) fn default_size(&mut self) {
        let pages = self.calls.iter().flat_map(|(line, _)| &line.params).any(|param| paging_hint(&param.key));
        let ends = |size: usize| {
            let scopes: BTreeSet<usize> = self
                .calls
                .iter()
                .filter(|(line, call)| line.is_bare() && call.listed.len() == size && call.scope.len() > size)
                .map(|(_, call)| call.scope.as_ptr().addr())
                .collect();
            scopes.len() > 1
        };
        for (line, call) in &self.calls {
            if !self.unknown(line).is_empty() {
                continue;
            }
            if let Some(selection) = self.select(&self.model, line, call)
                && call.listed.len() < selection.matched
                && !call.listed.is_empty()
                && (pages || call.listed.len() >= 10 && call.listed.len() % 5 == 0 || ends(call.listed.len()))
            {
                self.model.default_size = Some(call.listed.len() as u64);
                return;
            }
        }
        if let Some((key, size)) = self.size_said() {
            self.model.default_size = Some(size);
            self.size_key = Some(key);
        }
    }

    /// Whether a role of a key is proved beside what its lines list: an envelope repeats the size, or another list of the
    /// capture was seen to page by the same key.
    fn proved_elsewhere(&self, key: &str, role: PagingRole) -> bool {
        role == PagingRole::Size && self.size_key.as_deref() == Some(key) || self.around.proved.get(key) == Some(&role)
    }

    /// Gives paging roles to numeric keys, alone or a place and its size together.
    pub(super) fn paging(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if !numeric(&key, &evidence) {
                continue;
            }
            for role in paging_roles(&key) {
                // A page of all there is only says whether it is the first: the name has to say that it is a page.
                if matches!(role, PagingRole::Page { .. }) && !paging_hint(&key) {
                    let all =
                        || evidence.iter().map(|(line, call)| self.select(&self.model, &line.without(&key), call));
                    let one_page = |all: &Selection| all.range.len() == all.matched;
                    if all().any(|all| all.is_none_or(|all| all.window.size.is_none()))
                        || all().flatten().all(|all| one_page(&all))
                    {
                        continue;
                    }
                }
                let sizes = [None, self.page_size_of(&key, None, &evidence)];
                let found = sizes.into_iter().enumerate().filter(|(at, size)| *at == 0 || size.is_some()).find_map(
                    |(_, size)| {
                        let mut model = self.model.clone();
                        model.page_size = model.page_size.or(size);
                        model.roles.insert(key.clone(), Role::Paging(role));
                        let told = self.judge(&model, &evidence, &key, true)?;
                        (told > 0 || self.proved_elsewhere(&key, role)).then_some(model)
                    },
                );
                if let Some(model) = found {
                    self.model = model;
                    break;
                }
            }
        }
        // Two at once: a page and its size are seldom recorded apart.
        let open = self.open_keys();
        for size in &open {
            for place in &open {
                if size == place || self.model.roles.contains_key(size) || self.model.roles.contains_key(place) {
                    continue;
                }
                let evidence: Vec<(Line, ListCall)> = self
                    .calls
                    .iter()
                    .filter(|(line, _)| {
                        let unknown = self.unknown(line);
                        unknown.iter().any(|p| p.key == *place)
                            && unknown.iter().all(|p| p.key == *size || p.key == *place)
                    })
                    .map(|(line, call)| (line.clone(), (*call).clone()))
                    .collect();
                if !numeric(place, &evidence) || !evidence.iter().any(|(line, _)| line.get(size).is_some()) {
                    continue;
                }
                let sizes =
                    [PagingRole::Size, PagingRole::End { inclusive: false }, PagingRole::End { inclusive: true }];
                let places = paging_roles(place);
                let page_size = self.page_size_of(place, Some(size), &evidence);
                let pairs = sizes.iter().flat_map(|of_size| places.iter().map(move |of_place| (*of_size, *of_place)));
                for (of_size, of_place) in pairs.filter(|(of_size, of_place)| {
                    !sizes.contains(of_place) && (*of_size == PagingRole::Size || *of_place == PagingRole::Offset)
                }) {
                    let mut model = self.model.clone();
                    model.page_size = model.page_size.or(page_size);
                    model.roles.insert(size.clone(), Role::Paging(of_size));
                    model.roles.insert(place.clone(), Role::Paging(of_place));
                    let told = self.judge(&model, &evidence, place, true);
                    let proved = self.proved_elsewhere(place, of_place) && self.proved_elsewhere(size, of_size);
                    if told.is_some_and(|told| told > 0 || proved) {
                        self.model = model;
                        break;
                    }
                }
            }
        }
    }

    /// How many entities a page has that is asked for by number alone, where the same line without a page lists more.
    fn page_size_of(&self, place: &str, size: Option<&str>, evidence: &[(Line, ListCall)]) -> Option<u64> {
        if self.model.default_size.is_some() {
            return None;
        }
        evidence
            .iter()
            .filter(|(line, _)| line.get(place).is_some() && size.is_none_or(|size| line.get(size).is_none()))
            .filter(|(line, call)| {
                let all = self.select(&self.model, &line.without(place), call);
                all.is_some_and(|all| call.listed.len() < all.range.len())
            })
            .map(|(_, call)| call.listed.len() as u64)
            .max()
            .filter(|size| *size > 1)
    }

    /// Pages that were only recorded together with an unknown order: the names say which parameters page, the orders are
    /// found under that assumption, and all of it stays only when it reproduces every line it covers.
    pub(super) fn hinted_paging(&mut self) {
        let hinted: Vec<String> = self.open_keys().into_iter().filter(|key| paging_hint(key)).collect();
        if hinted.is_empty() {
            return;
        }
        let before = self.model.clone();
        for key in &hinted {
            if let Some(role) = paging_roles(key).first() {
                self.model.roles.insert(key.clone(), Role::Paging(*role));
            }
        }
        self.sorts();
        // Where every line filters, too, those that no page cuts tell the filters.
        if self.calls.iter().all(|(line, _)| !self.unknown(line).is_empty()) {
            self.uncut = true;
            self.filters();
            self.uncut = false;
            self.default_order();
            self.sorts();
        }
        let (mut told, mut wrong) = (0, 0);
        for (line, call) in &self.calls {
            if !line.params.iter().any(|param| hinted.contains(&param.key)) || !self.unknown(line).is_empty() {
                continue;
            }
            match self.select(&self.model, line, call) {
                Some(selection) if same(selection.listed(), &call.listed, true) => {
                    told += usize::from(selection.range.len() < selection.matched);
                }
                _ => wrong += 1,
            }
        }
        if told == 0 || wrong > 0 {
            self.model = before;
        }
    }

    /// Keys whose value encodes an offset: the same pattern with other numbers reproduces the lines.
    pub(super) fn cursors(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() {
                continue;
            }
            for base64 in [true, false] {
                // A value that is no cursor (`!!`) says nothing about those that are.
                let read: Vec<(&str, String, &ListCall)> = evidence
                    .iter()
                    .filter_map(|(line, call)| {
                        let text = line.get(&key)?.text.as_str();
                        Some((text, if base64 { decode64(text)? } else { text.to_owned() }, call))
                    })
                    .collect();
                let Some((first, plain, _)) = read.first() else { continue };
                let like = read.iter().map(|(text, ..)| *text).find(|text| text.contains(['-', '_', '=']));
                let by_identity = read.iter().find_map(|(_, plain, call)| identity_pattern(plain, call));
                for pattern in by_identity.into_iter().chain(cursor_patterns(plain)) {
                    let cursor = CursorRole { base64, like: like.unwrap_or(first).to_owned(), pattern };
                    let covered: Vec<(Line, ListCall)> = evidence
                        .iter()
                        .filter(|(line, _)| line.get(&key).is_some_and(|param| cursor.read(&param.text).is_some()))
                        .cloned()
                        .collect();
                    let mut model = self.model.clone();
                    model.roles.insert(key.clone(), Role::Cursor(cursor));
                    let told = self.judge(&model, &covered, &key, true).is_some_and(|told| told > 0);
                    if told && covered.len() * 2 > evidence.len() {
                        self.model = model;
                        break;
                    }
                }
                if self.model.roles.contains_key(&key) {
                    break;
                }
            }
        }
    }
}

/// A cursor's text with the identity in it replaced: that of an entity of the scope that is not on the page. A number is
/// rather an offset.
fn identity_pattern(text: &str, call: &ListCall) -> Option<String> {
    call.scope
        .iter()
        .filter(|entity| entity.id.len() > 1 && !entity.id.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|entity| !call.listed.iter().any(|listed| listed.id == entity.id))
        .find_map(|entity| {
            let at = text.find(entity.id.as_ref())?;
            Some(format!("{}{{id}}{}", &text[..at], &text[at + entity.id.len()..]))
        })
}

/// Whether every value of a key is a whole number.
pub(super) fn numeric(key: &str, evidence: &[(Line, ListCall)]) -> bool {
    !evidence.is_empty()
        && evidence.iter().all(|(line, _)| line.get(key).is_some_and(|param| param.text.parse::<u64>().is_ok()))
}

/// Whether a key's name says that it pages.
pub(super) fn paging_hint(key: &str) -> bool {
    let name = normal(last_name(key));
    let paged =
        key.to_ascii_lowercase().contains("page") && ["number", "offset", "limit", "size"].contains(&name.as_str());
    paged
        || [
            "limit",
            "offset",
            "page",
            "pagesize",
            "perpage",
            "size",
            "skip",
            "take",
            "maxresults",
            "pagenumber",
            "top",
            "rows",
            "itemsperpage",
            "pageindex",
            "startindex",
            "pagelength",
            "resultsperpage",
        ]
        .contains(&name.as_str())
}

/// Whether a parameter says by its name that a list begins later: a position that is not the first one, or no number.
pub(super) fn begins_later(key: &str, value: &str) -> bool {
    match paging_roles(key).first() {
        Some(PagingRole::Offset) => value.parse() != Ok(0u64),
        Some(PagingRole::Page { .. }) => !matches!(value.parse(), Ok(0u64 | 1)),
        _ => false,
    }
}

/// Paging roles in the order in which a key's name suggests them.
fn paging_roles(key: &str) -> Vec<PagingRole> {
    let name = normal(last_name(key));
    let all = [
        PagingRole::Size,
        PagingRole::Offset,
        PagingRole::Page { first: 1 },
        PagingRole::Page { first: 0 },
        PagingRole::End { inclusive: false },
        PagingRole::End { inclusive: true },
    ];
    let hinted = |role: &PagingRole| match role {
        PagingRole::Size => ["limit", "size", "perpage", "take", "max", "count", "top", "rows", "length"]
            .iter()
            .any(|w| name.contains(w)),
        PagingRole::Offset => ["offset", "skip", "start", "from", "first"].iter().any(|w| name.contains(w)),
        PagingRole::Page { .. } => {
            name == "page"
                || name.ends_with("pagenumber")
                || name == "p"
                || name.ends_with("pageindex")
                || name == "number" && key.to_ascii_lowercase().contains("page")
        }
        PagingRole::End { .. } => name == "end" || name == "to" || name == "last" || name.ends_with("end"),
    };
    let mut roles: Vec<PagingRole> = all.iter().copied().filter(hinted).collect();
    let rest: Vec<PagingRole> =
        all.iter().copied().filter(|role| !roles.contains(role) && !matches!(role, PagingRole::End { .. })).collect();
    roles.extend(rest);
    roles
}

/// A cursor's text with its numbers replaced: each number may be the offset, one other the size.
fn cursor_patterns(text: &str) -> Vec<String> {
    let mut numbers: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = None;
    for (at, character) in text.char_indices().chain([(text.len(), ' ')]) {
        match (character.is_ascii_digit(), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                numbers.push(from..at);
                start = None;
            }
            _ => {}
        }
    }
    let mut patterns = Vec::new();
    for offset in 0..numbers.len() {
        for size in (0..numbers.len()).map(Some).chain([None]) {
            if size == Some(offset) {
                continue;
            }
            let mut pattern = String::new();
            let mut from = 0;
            for (index, range) in numbers.iter().enumerate() {
                pattern.push_str(&text[from..range.start]);
                if index == offset {
                    pattern.push_str("{offset}");
                } else if Some(index) == size {
                    pattern.push_str("{size}");
                } else {
                    pattern.push_str(&text[range.clone()]);
                }
                from = range.end;
            }
            pattern.push_str(&text[from..]);
            patterns.push(pattern);
        }
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("limit", PagingRole::Size)]
    #[case("page_size", PagingRole::Size)]
    #[case("per_page", PagingRole::Size)]
    #[case("pagination[pageSize]", PagingRole::Size)]
    #[case("body/limit", PagingRole::Size)]
    #[case("offset", PagingRole::Offset)]
    #[case("skip", PagingRole::Offset)]
    #[case("page", PagingRole::Page { first: 1 })]
    #[case("pagination[page]", PagingRole::Page { first: 1 })]
    #[case("q", PagingRole::Size)]
    fn a_name_says_which_role_is_tried_first(#[case] key: &str, #[case] role: PagingRole) {
        let roles = paging_roles(key);
        assert_eq!(roles[0], role);
        assert_eq!(roles.len(), 4);
        assert!(roles.iter().enumerate().all(|(at, role)| !roles[..at].contains(role)));
    }

    #[rstest]
    #[case("limit", true)]
    #[case("pagination[page]", true)]
    #[case("body/offset", true)]
    #[case("page_id", false)]
    #[case("status", false)]
    fn names_that_page(#[case] key: &str, #[case] pages: bool) {
        assert_eq!(paging_hint(key), pages);
    }

    #[rstest]
    #[case("offset", "0", false)]
    #[case("_start", "5", true)]
    #[case("skip", "x", true)]
    #[case("page", "1", false)]
    #[case("page", "2", true)]
    #[case("limit", "2", false)]
    #[case("q", "2", false)]
    fn positions_that_are_not_the_first(#[case] key: &str, #[case] value: &str, #[case] later: bool) {
        assert_eq!(begins_later(key, value), later);
    }

    #[rstest]
    #[case("abc", &[])]
    #[case("12", &["{offset}"])]
    #[case("o=3", &["o={offset}"])]
    #[case("2,é40", &["{offset},é{size}", "{offset},é40", "{size},é{offset}", "2,é{offset}"])]
    fn numbers_in_a_cursor(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(cursor_patterns(text), expected);
    }
}
