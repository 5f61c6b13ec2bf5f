//! The query model of a list: one role for each parameter, and what a line therefore selects (`derivation.md`, "Query
//! model"). Roles are found in `infer.rs`; this is what they mean.

use super::cursor::{Cursor, CursorRole};
use super::family::Family;
use super::line::Line;
use super::listing::{Arrangement, Demand, Listed, Listing};
use super::mode::join_modes;
use super::order::{OrderKey, OrderStyle, OrderWord, order_of, turns_each};
use super::paging::{PagingRole, Window};
use super::projection::selected_names;
use super::reading::{Reading, expand};
use super::store::Entity;
use super::term::{Op, Referents, Term, plain_between_anchors};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What one parameter does.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// It never changed an answer: only its recorded values answer.
    Unchanging(BTreeSet<String>),
    /// It pages.
    Paging(PagingRole),
    /// Its value is an encoded offset, see [`CursorRole`].
    Cursor(CursorRole),
    /// It orders; words that are no member's name are listed with what they meant.
    Sort(BTreeMap<String, OrderWord>),
    /// It turns the order around for the listed values.
    Direction(BTreeSet<String>),
    /// It filters.
    Filter(Term),
    /// It selects members; these are always kept.
    Projection(Vec<Box<str>>),
    /// It shows another representation, for its recorded values.
    Variant(BTreeSet<String>),
}

/// The roles of a list's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryModel {
    /// Small languages inside values.
    pub readings: BTreeMap<String, Reading>,
    /// Roles by key (after reading).
    pub roles: BTreeMap<String, Role>,
    /// Values of filters that mean something of their own (`general`, `^a`), by key: recordings answer them, and whatever
    /// value finds nothing.
    pub special: BTreeMap<String, BTreeSet<String>>,
    /// Filters that hold when their key is absent, with the value they then have.
    pub defaults: Vec<(String, String)>,
    /// The order without a sort parameter; empty is state order.
    pub order: Vec<OrderKey>,
    /// Member that an absent sort parameter stands for, when a direction is given alone.
    pub style: OrderStyle,
    /// Entities on a page without a size parameter.
    pub default_size: Option<u64>,
    /// Entities on a page that a line asks for without its size, where lines without a page list everything.
    pub page_size: Option<u64>,
    /// Whether lines must hold one of the partition values: (key, values read in full).
    pub partitions: Option<BTreeMap<String, BTreeSet<String>>>,
    /// Sets of unchanging keys that were recorded together.
    pub fixed_sets: BTreeSet<Vec<String>>,
    /// Filters by a member that no line named, for keys spelled as those of other members are.
    pub families: Vec<Family>,
    /// Parameters that say how another one is meant, by the key of the other.
    pub modes: BTreeMap<String, String>,
}

/// Why a line is not answered from the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unmodelled {
    /// A parameter without a proved role, or a value its role does not cover.
    Request,
    /// A projection or variant that was not recorded.
    Projection,
    /// Another variant.
    Variant,
    /// A partition that was never read in full.
    Partition,
    /// A page past the end whose answer is not known.
    PageExceeded,
}

impl Unmodelled {
    /// The answer reason.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Request => "unrecorded-request",
            Self::Projection => "projection",
            Self::Variant => "variant",
            Self::Partition => "unknown-partition",
            Self::PageExceeded => "page-exceeded",
        }
    }
}

/// What a line selects.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The entities that matched, in order, before paging.
    pub all: Listing,
    /// How many matched before paging.
    pub matched: usize,
    /// The part of them that is listed.
    pub range: std::ops::Range<usize>,
    /// How many entities the scope has before filters.
    pub scope: usize,
    /// The window.
    pub window: Window,
    /// Selected members, when the line projects.
    pub projection: Option<(Vec<String>, Vec<Box<str>>)>,
    /// Variant parameters.
    pub variant: Vec<(String, String)>,
    /// Whether a page was asked for.
    pub paged: bool,
}

impl Selection {
    /// The listed entities, in order.
    pub fn listed(&self) -> &[Arc<Entity>] {
        self.all.get(self.range.clone()).unwrap_or_default()
    }
}

impl QueryModel {
    /// Applies a line to the entities of a scope (in state order).
    ///
    /// # Errors
    /// Why the model does not cover the line.
    pub fn select(
        &self,
        line: &Line,
        entities: &dyn Listed,
        referents: &dyn Referents,
    ) -> Result<Selection, Unmodelled> {
        let line = join_modes(expand(line, &self.readings).ok_or(Unmodelled::Request)?, &self.modes);
        self.select_read(&line, entities, referents)
    }

    /// The same for a line that asks for what served writes made: that is known in full whatever was read.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn select_fresh(
        &self,
        line: &Line,
        entities: &dyn Listed,
        referents: &dyn Referents,
    ) -> Result<Selection, Unmodelled> {
        let line = join_modes(expand(line, &self.readings).ok_or(Unmodelled::Request)?, &self.modes);
        if line.repeated {
            return Err(Unmodelled::Request);
        }
        self.select_known(&line, entities, referents)
    }

    /// The same for a line whose values were read already.
    ///
    /// # Errors
    /// As [`Self::select`].
    pub fn select_read(
        &self,
        line: &Line,
        entities: &dyn Listed,
        referents: &dyn Referents,
    ) -> Result<Selection, Unmodelled> {
        if line.repeated {
            return Err(Unmodelled::Request);
        }
        self.check_partition(line)?;
        self.select_known(line, entities, referents)
    }

    /// The same for a line whose entities are known in full.
    fn select_known(
        &self,
        line: &Line,
        entities: &dyn Listed,
        referents: &dyn Referents,
    ) -> Result<Selection, Unmodelled> {
        let mut paging: Vec<(PagingRole, u64)> = Vec::new();
        let mut projection: Option<(Vec<String>, Vec<Box<str>>)> = None;
        let mut variant = Vec::new();
        let mut fixed = Vec::new();
        let mut sorted: Option<Vec<OrderKey>> = None;
        let mut turned: Vec<bool> = Vec::new();
        let mut after: Option<String> = None;
        let mut filters: Vec<Demand<'_>> = Vec::new();
        for param in &line.params {
            let Some(role) = self.roles.get(&param.key) else {
                let term =
                    self.families.iter().find_map(|family| family.term(&param.key)).ok_or(Unmodelled::Request)?;
                filters.push((Cow::Owned(term.looked_up(referents).into_owned()), param.clone()));
                continue;
            };
            match role {
                Role::Unchanging(values) => {
                    if !values.contains(&param.text) {
                        return Err(Unmodelled::Request);
                    }
                    fixed.push(param.key.clone());
                }
                Role::Paging(role) => paging.push((*role, param.text.parse().map_err(|_| Unmodelled::Request)?)),
                Role::Cursor(cursor) => match cursor.read(&param.text).ok_or(Unmodelled::Request)? {
                    Cursor::Offset(offset, size) => {
                        paging.push((PagingRole::Offset, offset));
                        paging.extend(size.map(|size| (PagingRole::Size, size)));
                    }
                    Cursor::After(id) => after = Some(id),
                },
                Role::Sort(words) => {
                    sorted = Some(order_of(&param.text, words).ok_or(Unmodelled::Request)?);
                }
                Role::Direction(values) => turned = turns_each(&param.text, values).ok_or(Unmodelled::Request)?,
                Role::Filter(term) => filters.push((term.looked_up(referents), param.clone())),
                Role::Projection(always) => {
                    let (names, _) = projection.get_or_insert_with(|| (Vec::new(), always.clone()));
                    names.extend(selected_names(param));
                }
                Role::Variant(values) => {
                    if !values.contains(&param.text) {
                        return Err(Unmodelled::Variant);
                    }
                    variant.push((param.key.clone(), param.text.clone()));
                }
            }
        }
        if !self.covers_fixed(&fixed) && projection.is_none() {
            return Err(Unmodelled::Request);
        }
        for (key, value) in &self.defaults {
            if line.get(key).is_none()
                && let Some(Role::Filter(term)) = self.roles.get(key)
            {
                filters.push((
                    Cow::Borrowed(term),
                    super::line::Param { key: key.clone(), text: value.clone(), list: None },
                ));
            }
        }
        // A regular expression that says more than where a text begins and ends.
        let unread = |(term, param): &Demand<'_>| {
            matches!(term.op, Op::Anchored | Op::AnchoredFold) && !plain_between_anchors(&param.text)
        };
        if filters.iter().any(unread) {
            return Err(Unmodelled::Request);
        }
        for (term, param) in &filters {
            let Some(special) = self.special.get(&param.key) else { continue };
            let alone = [(Cow::Borrowed(term.as_ref()), param.clone())];
            let plain = !special.contains(&param.text)
                && !entities.select(&alone, &Arrangement::default(), referents).is_empty();
            if !plain {
                return Err(Unmodelled::Request);
            }
        }
        let mut keys = sorted.unwrap_or_else(|| self.order.clone());
        // One direction is that of every key; several are one for each key, the rest as they are.
        let one = turned.len() == 1 && turned[0];
        for (at, key) in keys.iter_mut().enumerate() {
            key.descending ^= one || turned.len() > 1 && turned.get(at) == Some(&true);
        }
        let order = Arrangement::new(keys, self.style, one);
        let all = entities.select(&filters, &order, referents);
        if let Some(id) = &after {
            let at = all.iter().position(|entity| entity.id.as_ref() == id).ok_or(Unmodelled::Request)?;
            paging.push((PagingRole::Offset, at as u64 + 1));
        }
        let size = self.default_size.or_else(|| self.page_size.filter(|_| !paging.is_empty()));
        let window = Window::new(paging.iter().copied(), size).ok_or(Unmodelled::Request)?;
        let (scope, matched) = (entities.count(), all.len());
        let range = window.range(matched);
        let paged = !paging.is_empty();
        Ok(Selection { all, matched, range, scope, window, projection, variant, paged })
    }

    /// Whether a recorded line held just these unchanging parameters; none at all is no exception, once the sets are known:
    /// what every recorded line held may be what made its answer.
    fn covers_fixed(&self, fixed: &[String]) -> bool {
        self.fixed_sets.contains(fixed) || fixed.is_empty() && self.fixed_sets.is_empty()
    }

    fn check_partition(&self, line: &Line) -> Result<(), Unmodelled> {
        let Some(partitions) = &self.partitions else { return Ok(()) };
        // Of several values each has to be known.
        let inside = partitions.iter().any(|(key, values)| {
            line.get(key).is_some_and(|param| {
                let each = param.list.as_ref().filter(|list| !list.is_empty());
                values.contains(&param.text) || each.is_some_and(|list| list.iter().all(|item| values.contains(item)))
            })
        });
        if inside { Ok(()) } else { Err(Unmodelled::Partition) }
    }
}

#[cfg(test)]
mod tests {
    use super::super::listing::Plain;
    use super::super::path::MemberPath;
    use super::super::term::{NoReferents, Several};
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    fn entities() -> Vec<Arc<Entity>> {
        [("1", "b", "open"), ("2", "a", "done"), ("3", "c", "open"), ("4", "d", "open"), ("5", "e", "done")]
            .iter()
            .map(|(id, name, state)| {
                let text = format!(r#"{{"id":{id},"name":"{name}","state":"{state}"}}"#);
                Arc::new(Entity::new("/things", id, crate::json::parse(text.as_bytes()).unwrap()))
            })
            .collect()
    }

    fn set(values: &[&str]) -> BTreeSet<String> {
        values.iter().map(|value| (*value).to_owned()).collect()
    }

    fn equals(member: &str) -> Role {
        Role::Filter(Term {
            targets: vec![MemberPath::member(member)],
            op: Op::Equal,
            negate: false,
            several: Several::Any,
            lookup: None,
        })
    }

    /// A model with one parameter of each role.
    fn model() -> QueryModel {
        let words = [("=name", "name"), ("=id", "id"), ("newest", "id")]
            .map(|(word, member)| (word.to_owned(), OrderWord { path: MemberPath::member(member), descending: false }));
        let roles = [
            ("limit", Role::Paging(PagingRole::Size)),
            ("offset", Role::Paging(PagingRole::Offset)),
            ("page", Role::Paging(PagingRole::Page { first: 1 })),
            (
                "cursor",
                Role::Cursor(CursorRole {
                    base64: false,
                    like: String::new(),
                    pattern: "o={offset}&n={size}".to_owned(),
                }),
            ),
            ("sort", Role::Sort(words.into_iter().collect())),
            ("dir", Role::Direction(set(&["desc"]))),
            ("state", equals("state")),
            ("fields", Role::Projection(vec!["id".into()])),
            ("view", Role::Variant(set(&["wide"]))),
            ("lang", Role::Unchanging(set(&["en"]))),
        ];
        QueryModel {
            roles: roles.map(|(key, role)| (key.to_owned(), role)).into_iter().collect(),
            fixed_sets: BTreeSet::from([Vec::new(), vec!["lang".to_owned()]]),
            ..QueryModel::default()
        }
    }

    fn line(query: &str) -> Line {
        Line::new(&super::super::observe::query_pairs(Some(query)), None).unwrap()
    }

    fn select(model: &QueryModel, query: &str) -> Result<Selection, Unmodelled> {
        model.select(&line(query), &Plain::new(entities().into()), &NoReferents)
    }

    fn ids(selection: &Selection) -> String {
        selection.listed().iter().map(|entity| entity.id.as_ref()).collect()
    }

    #[rstest]
    #[case::everything("", "12345", 5)]
    #[case::size("limit=2", "12", 5)]
    #[case::offset("offset=3", "45", 5)]
    #[case::page("page=2&limit=2", "34", 5)]
    #[case::past_the_end("page=9&limit=2", "", 5)]
    #[case::cursor("cursor=o%3D1%26n%3D2", "23", 5)]
    #[case::sort("sort=name", "21345", 5)]
    #[case::sort_down("sort=-name", "54312", 5)]
    #[case::sort_spelled_otherwise("sort=NAME", "21345", 5)]
    #[case::listed_word("sort=newest:desc", "54321", 5)]
    #[case::direction_of_the_order("sort=name&dir=desc", "54312", 5)]
    #[case::direction_of_state_order("dir=desc", "54321", 5)]
    #[case::another_direction("sort=name&dir=asc", "21345", 5)]
    #[case::filter("state=open", "134", 3)]
    #[case::filter_for_several("state=open,done", "12345", 5)]
    #[case::nothing_matches("state=none", "", 0)]
    #[case::second_page_without_a_size("page=2", "", 5)]
    #[case::together("state=open&sort=-name&limit=2", "43", 3)]
    #[case::unchanging("lang=en", "12345", 5)]
    #[case::variant("view=wide", "12345", 5)]
    #[case::projection("fields=name", "12345", 5)]
    fn lines(#[case] query: &str, #[case] expected: &str, #[case] matched: usize) {
        let selection = select(&model(), query).unwrap();
        assert_eq!((ids(&selection).as_str(), selection.matched, selection.scope), (expected, matched, 5));
    }

    #[rstest]
    #[case::unknown_parameter("other=1", Unmodelled::Request)]
    #[case::a_name_twice("state=open&state=done", Unmodelled::Request)]
    #[case::another_value_of_what_never_changed("lang=fr", Unmodelled::Request)]
    #[case::a_size_that_is_no_number("limit=many", Unmodelled::Request)]
    #[case::negative("offset=-1", Unmodelled::Request)]
    #[case::another_cursor("cursor=abc", Unmodelled::Request)]
    #[case::a_word_that_is_no_member("sort=weight", Unmodelled::Request)]
    #[case::page_before_the_first("page=0&limit=2", Unmodelled::Request)]
    #[case::another_variant("view=narrow", Unmodelled::Variant)]
    fn refused(#[case] query: &str, #[case] why: Unmodelled) {
        assert_eq!(select(&model(), query).unwrap_err(), why);
    }

    #[test]
    fn what_a_line_selects_beside_entities() {
        let selection = select(&model(), "fields=name&view=wide&limit=2").unwrap();
        assert_eq!(selection.projection, Some((vec!["name".to_owned()], vec!["id".into()])));
        assert_eq!(selection.variant, [("view".to_owned(), "wide".to_owned())]);
        assert!(selection.paged);
        assert!(!select(&model(), "state=open").unwrap().paged);
    }

    #[test]
    fn unchanging_parameters_hold_in_recorded_sets_only() {
        let mut model = model();
        model.roles.insert("zone".to_owned(), Role::Unchanging(set(&["utc"])));
        assert_eq!(select(&model, "lang=en&zone=utc").unwrap_err(), Unmodelled::Request);
        model.fixed_sets.insert(vec!["lang".to_owned(), "zone".to_owned()]);
        assert!(select(&model, "lang=en&zone=utc").is_ok());
    }

    #[test]
    fn defaults_hold_until_their_key_is_named() {
        let model = QueryModel {
            defaults: vec![("state".to_owned(), "open".to_owned())],
            default_size: Some(2),
            order: vec![OrderKey { path: MemberPath::member("id"), descending: true }],
            ..model()
        };
        assert_eq!(ids(&select(&model, "").unwrap()), "43");
        assert_eq!(ids(&select(&model, "state=done").unwrap()), "52");
        assert_eq!(ids(&select(&model, "sort=id&limit=9").unwrap()), "134");
    }

    #[rstest]
    #[case("state=open", Ok("134"))]
    #[case("state=open&limit=1", Ok("1"))]
    #[case("state=done", Err(Unmodelled::Partition))]
    #[case("", Err(Unmodelled::Partition))]
    fn only_partitions_that_were_read_are_known(#[case] query: &str, #[case] expected: Result<&str, Unmodelled>) {
        let partitions = Some(BTreeMap::from([("state".to_owned(), set(&["open"]))]));
        let model = QueryModel { partitions, ..model() };
        let found = select(&model, query).map(|selection| ids(&selection));
        assert_eq!(found.as_deref().map_err(|why| *why), expected);
    }

    #[test]
    fn values_are_read_before_roles_are_looked_up() {
        let mut model = model();
        model.readings.insert("q".to_owned(), Reading::Colon);
        model.roles.insert("q{state}:".to_owned(), equals("state"));
        assert_eq!(ids(&select(&model, "q=state:done").unwrap()), "25");
        assert_eq!(select(&model, "q=name:a").unwrap_err(), Unmodelled::Request);
        assert_eq!(select(&model, "q=word").unwrap_err(), Unmodelled::Request);
    }

    #[test]
    fn each_reason_has_its_word() {
        let all = [
            Unmodelled::Request,
            Unmodelled::Projection,
            Unmodelled::Variant,
            Unmodelled::Partition,
            Unmodelled::PageExceeded,
        ];
        let words: BTreeSet<&str> = all.iter().map(|why| why.reason()).collect();
        assert_eq!(words.len(), all.len());
    }

    proptest! {
        #[test]
        fn pages_of_a_line_make_up_its_list(size in 1u64..4, query in prop_oneof![Just(""), Just("state=open"), Just("sort=-name")]) {
            let whole = select(&model(), query).unwrap();
            let mut paged = String::new();
            for page in 1..=whole.matched as u64 + 1 {
                paged += &ids(&select(&model(), &format!("{query}&limit={size}&page={page}")).unwrap());
            }
            prop_assert_eq!(paged, ids(&whole));
        }
    }
}
