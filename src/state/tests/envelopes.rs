//! What surrounds a list: each quantity alone under any name, links in every style, and what cannot be told.

use super::recording::value;
use crate::json::{Object, Value};
use crate::state::cursor::CursorRole;
use crate::state::envelope::{Around, Rule, Says};
use crate::state::envelope_rules::{Recorded, find_rules};
use crate::state::link::{Link, Spelling, Target};
use crate::state::listing::Plain;
use crate::state::observe::query_pairs;
use crate::state::paging::PagingRole;
use crate::state::path::MemberPath;
use crate::state::query::{QueryModel, Role, Selection};
use crate::state::term::{NoReferents, Op, Several, Term};
use crate::state::{Entity, Line};
use proptest::prelude::*;
use rstest::rstest;
use std::collections::BTreeSet;
use std::sync::Arc;

const LIST: &str = "items";
const PATH: &str = "/things";

/// Five things, three of them open; pages of two without a size.
fn entities() -> Vec<Arc<Entity>> {
    [("open", 1), ("done", 2), ("open", 3), ("open", 4), ("done", 5)]
        .iter()
        .map(|(state, n)| {
            Arc::new(Entity::new(PATH, &n.to_string(), value(&format!(r#"{{"state":"{state}","n":{n}}}"#))))
        })
        .collect()
}

fn model() -> QueryModel {
    let open = Term {
        targets: vec![MemberPath::member("state")],
        op: Op::Equal,
        negate: false,
        several: Several::No,
        lookup: None,
    };
    let texts = BTreeSet::from(["x y".to_owned(), "p".to_owned()]);
    let roles = [
        ("a", Role::Unchanging(texts)),
        ("cursor", Role::Cursor(CursorRole { base64: true, like: String::new(), pattern: "o={offset}".to_owned() })),
        ("limit", Role::Paging(PagingRole::Size)),
        ("page", Role::Paging(PagingRole::Page { first: 1 })),
        ("start", Role::Paging(PagingRole::Offset)),
        ("state", Role::Filter(open)),
    ];
    QueryModel {
        roles: roles.map(|(key, role)| (key.to_owned(), role)).into_iter().collect(),
        fixed_sets: BTreeSet::from([vec!["a".to_owned()], Vec::new()]),
        default_size: Some(2),
        ..QueryModel::default()
    }
}

/// Lines with what they select.
struct Lines {
    model: QueryModel,
    selected: Vec<(Line, Selection)>,
}

impl Lines {
    fn new(queries: &[&str]) -> Self {
        let model = model();
        let selected = queries
            .iter()
            .map(|query| {
                let line = Line::new(&query_pairs(Some(query)), None).unwrap();
                let selection = model.select(&line, &Plain::new(entities().into()), &NoReferents).unwrap();
                (line, selection)
            })
            .collect();
        Self { model, selected }
    }

    fn around(&self, at: usize) -> Around<'_> {
        let (line, selection) = &self.selected[at];
        Around { selection, line, path: PATH, model: &self.model, fields: &|entity| entity.fields.clone() }
    }

    /// The rules of members beside the list: `name: values` with `-` where the member is missing.
    fn rules(&self, name: &str, values: &[Option<Value>]) -> Result<Option<Rule>, ()> {
        let bodies: Vec<Value> = values
            .iter()
            .map(|value| {
                let mut body = Object::new().with(LIST, Value::Array(Vec::new()));
                if let Some(value) = value {
                    body.push(name, value.clone());
                }
                Value::Object(body)
            })
            .collect();
        let recorded: Vec<Recorded<'_>> =
            bodies.iter().enumerate().map(|(at, body)| Recorded { body, around: self.around(at) }).collect();
        let mut envelope = find_rules(&recorded, &[LIST.into()]);
        assert!(envelope.rules.len() <= 1);
        if envelope.unexplained.is_empty() { Ok(envelope.rules.pop().map(|(_, rule)| rule)) } else { Err(()) }
    }
}

fn values(texts: &[&str]) -> Vec<Option<Value>> {
    texts.iter().map(|text| (*text != "-").then(|| value(text))).collect()
}

const PAGES: [&str; 4] = ["limit=2&page=1", "limit=2&page=2", "limit=2&page=3", "limit=3&page=1&state=open"];

#[rstest]
#[case::matched("count", &["5", "5", "5", "3"], Says::Matched)]
#[case::listed("length", &["2", "2", "1", "3"], Says::Listed)]
#[case::pages("total_pages", &["3", "3", "3", "1"], Says::Pages)]
#[case::page("page", &["1", "2", "3", "1"], Says::Page)]
#[case::size("per_page", &["2", "2", "2", "3"], Says::Size(None))]
#[case::offset("offset", &["0", "2", "4", "0"], Says::Offset)]
#[case::next_page("next", &["2", "3", "null", "null"], Says::NextPage)]
#[case::previous_page("prev", &["null", "1", "2", "null"], Says::PreviousPage)]
#[case::more("has_more", &["true", "true", "false", "false"], Says::More)]
#[case::last("last", &["false", "false", "true", "true"], Says::Last)]
#[case::first("first", &["true", "false", "false", "true"], Says::First)]
fn a_quantity_alone(#[case] name: &str, #[case] texts: &[&str], #[case] says: Says) {
    let lines = Lines::new(&PAGES);
    for name in [name, "x"] {
        let rule = lines.rules(name, &values(texts)).unwrap().unwrap();
        assert_eq!((&rule.says, rule.digits, rule.absent), (&says, None, false), "{name}");
    }
}

#[rstest]
#[case::missing_instead_of_null("next", &["2", "3", "-", "-"], Says::NextPage, None, true)]
#[case::digits("count", &[r#""5""#, r#""5""#, r#""5""#, r#""3""#], Says::Matched, Some(1), false)]
#[case::padded("count", &[r#""005""#, r#""005""#, r#""005""#, r#""003""#], Says::Matched, Some(3), false)]
#[case::sum("n", &["15", "15", "15", "8"], Says::Sum(MemberPath::member("n")), None, false)]
#[case::all_in_scope("total", &["5", "5", "5", "5"], Says::Scope, None, false)]
fn spellings(
    #[case] name: &str,
    #[case] texts: &[&str],
    #[case] says: Says,
    #[case] digits: Option<usize>,
    #[case] absent: bool,
) {
    let rule = Lines::new(&PAGES).rules(name, &values(texts)).unwrap().unwrap();
    assert_eq!((rule.says, rule.digits, rule.absent), (says, digits, absent));
}

#[rstest]
#[case::text("object", &[r#""list""#; 4])]
#[case::number_under_a_name_that_says_nothing("version", &["5"; 4])]
#[case::always_null("next", &["null"; 4])]
fn what_never_varies_stays_as_recorded(#[case] name: &str, #[case] texts: &[&str]) {
    assert_eq!(Lines::new(&PAGES).rules(name, &values(texts)), Ok(None));
}

#[rstest]
#[case::noise("took", &["17", "9", "31", "4"])]
#[case::texts("token", &[r#""a""#, r#""b""#, r#""c""#, r#""d""#])]
#[case::one_is_wrong("count", &["5", "5", "6", "3"])]
fn what_nothing_explains_is_said(#[case] name: &str, #[case] texts: &[&str]) {
    assert_eq!(Lines::new(&PAGES).rules(name, &values(texts)), Err(()));
}

/// One recording of a page of two: several quantities are the same number, and the name decides.
#[rstest]
#[case("limit", "2", Some(Says::Size(None)))]
#[case("count", "2", Some(Says::Listed))]
#[case("page", "2", Some(Says::Page))]
#[case("offset", "2", Some(Says::Offset))]
#[case("total", "5", Some(Says::Matched))]
#[case("level", "2", None)]
fn a_name_decides_between_equals(#[case] name: &str, #[case] text: &str, #[case] says: Option<Says>) {
    let rule = Lines::new(&["limit=2&page=2"]).rules(name, &values(&[text])).unwrap();
    assert_eq!(rule.map(|rule| rule.says), says);
}

#[test]
fn a_member_may_be_there_with_a_parameter_only() {
    let lines = Lines::new(&["state=open", "limit=2&page=1", "limit=2&page=2"]);
    let rule = lines.rules("count", &values(&["-", "5", "5"])).unwrap().unwrap();
    assert_eq!(rule.value(&lines.around(0)), Ok(None));
    assert_eq!(rule.value(&lines.around(2)), Ok(Some(value("5"))));
    let other = Lines::new(&["limit=1&page=3&state=open", "state=done"]);
    assert_eq!(rule.value(&other.around(0)).map(|value| value.is_some() || !rule.not_with.is_empty()), Ok(true));
}

/// A value that no rule makes, but that is null (or missing) where no page follows: lines of last pages need no recording.
#[rstest]
#[case::null(&[r#""qz""#, r#""rk""#, "null", "null"], true, Ok(Some(Value::Null)))]
#[case::missing(&[r#""qz""#, r#""rk""#, "-", "-"], true, Ok(None))]
#[case::before_the_first(&["null", r#""qz""#, r#""rk""#, "null"], false, Ok(Some(Value::Null)))]
fn nothing_at_the_end(#[case] texts: &[&str], #[case] last: bool, #[case] there: Result<Option<Value>, ()>) {
    let rule = Lines::new(&PAGES).rules("next", &values(texts)).unwrap().unwrap();
    assert_eq!(rule.says, Says::NothingAtTheEnd { last });
    let others = Lines::new(&["limit=3&page=1", "limit=3&page=2"]);
    let (end, other) = if last { (1, 0) } else { (0, 1) };
    assert_eq!(rule.value(&others.around(end)), there);
    assert_eq!(rule.value(&others.around(other)), Err(()));
}

/// A quantity that a parameter switches off is that quantity without it, whatever the line selects.
#[rstest]
#[case::matched("count", &["", "state=open", "a=p", "state=open&a=p"], &["5", "3", "-1", "-1"], Says::Matched, "state=done", "2")]
#[case::in_scope("total", &["", "state=open", "a=p", "state=open&a=p"], &["5", "5", "null", "null"], Says::Scope, "state=done", "5")]
#[case::pages("x", &["limit=2", "limit=4", "limit=2&a=p", "limit=4&a=p"], &["3", "2", "0", "0"], Says::Pages, "limit=1", "5")]
fn a_parameter_switches_a_quantity_off(
    #[case] name: &str,
    #[case] queries: &[&str],
    #[case] texts: &[&str],
    #[case] says: Says,
    #[case] other: &str,
    #[case] expected: &str,
) {
    let off = value(texts[2]);
    let rule = Lines::new(queries).rules(name, &values(texts)).unwrap().unwrap();
    let expected_says = Says::Except { key: "a".to_owned(), value: off.clone(), else_says: Box::new(says) };
    assert_eq!(rule.says, expected_says);
    let others = Lines::new(&[other, &format!("{other}&a=p")]);
    assert_eq!(rule.value(&others.around(0)), Ok(Some(value(expected))));
    assert_eq!(rule.value(&others.around(1)), Ok(Some(off)));
}

/// Without two lines of each kind, or with two values where it is off, no parameter is said to switch anything.
#[rstest]
#[case::once_off(&["", "state=open", "a=p"], &["5", "3", "-1"])]
#[case::once_on(&["state=open", "a=p", "state=done&a=p"], &["3", "-1", "-1"])]
#[case::two_values(&["", "state=open", "a=p", "state=open&a=p"], &["5", "3", "-1", "-2"])]
fn what_is_switched_off_is_shown_twice(#[case] queries: &[&str], #[case] texts: &[&str]) {
    let rule = Lines::new(queries).rules("x", &values(texts));
    assert!(!matches!(rule, Ok(Some(Rule { says: Says::Except { .. }, .. }))), "{rule:?}");
}

/// Links whose parameter no line sent: what the parameter says is read from them.
#[rstest]
#[case::offset("/things?limit=3&from=3", "/things?limit=2&from=2", "/things?limit=1&from=1")]
#[case::page("/things?limit=3&from=2", "/things?limit=2&from=2", "/things?limit=1&from=2")]
fn a_link_shows_a_parameter_that_no_line_sent(#[case] three: &str, #[case] two: &str, #[case] other: &str) {
    let lines = Lines::new(&["limit=3", "limit=2", "limit=9"]);
    let said = [Some(Value::from(three)), Some(Value::from(two)), Some(Value::Null)];
    let rule = lines.rules("next", &said).unwrap().unwrap();
    assert!(matches!(&rule.says, Says::Link(link) if link.unsent.is_some()));
    let others = Lines::new(&["limit=1"]);
    let said = rule.value(&others.around(0)).unwrap().unwrap();
    assert_eq!(said, Value::from(other));
}

#[test]
fn cursors_lead_to_the_next_page() {
    let lines = Lines::new(&["", "cursor=bz0y", "cursor=bz00"]);
    let rule = lines.rules("next", &values(&[r#""bz0y""#, r#""bz00""#, "null"])).unwrap().unwrap();
    assert_eq!(rule.says, Says::Cursor { key: "cursor".to_owned() });
}

#[test]
fn inner_members_have_their_own_rules() {
    let lines = Lines::new(&PAGES[..3]);
    let bodies: Vec<Value> = (1..=3)
        .map(|page| value(&format!(r#"{{"items":[],"meta":{{"page":{{"number":{page},"of":3}},"kind":"list"}}}}"#)))
        .collect();
    let recorded: Vec<Recorded<'_>> =
        bodies.iter().enumerate().map(|(at, body)| Recorded { body, around: lines.around(at) }).collect();
    let envelope = find_rules(&recorded, &[LIST.into()]);
    let places: Vec<String> = envelope.rules.iter().map(|(place, _)| place.join("/")).collect();
    assert_eq!(places, ["meta/page/number"]);
    assert!(envelope.unexplained.is_empty());
}

proptest! {
    /// A link found from pages of every kind says on other lines what its style says.
    #[test]
    fn links_in_every_style(
        next in any::<bool>(), origin in prop_oneof![Just(""), Just("http://host:8080")],
        by_offset in any::<bool>(), sized in any::<bool>(), sorted in any::<bool>(), drop_first in any::<bool>(),
        plus in any::<bool>(),
    ) {
        let key = if by_offset { "start" } else { "page" };
        let says = Says::Link(Link {
            to: if next { Target::Next } else { Target::Previous },
            origin: origin.into(),
            key: key.into(),
            unsent: None,
            size_key: sized.then(|| "limit".into()),
            sorted,
            drop_first,
            spelling: if plus { Spelling::Form } else { Spelling::Percent },
        });
        let (second, third) = if by_offset { ("start=2", "start=4") } else { ("page=2", "page=3") };
        let queries = [format!("{second}&limit=2&a=x+y"), "a=x+y".to_owned(), second.to_owned(), third.to_owned()];
        let lines = Lines::new(&queries.each_ref().map(String::as_str));
        let said: Vec<Option<Value>> =
            (0..4).map(|at| Some(lines.around(at).say(&says).unwrap().unwrap_or(Value::Null))).collect();
        let rule = lines.rules("link", &said).unwrap().unwrap();
        let others = [format!("state=open&{second}&a=p&limit=1"), format!("a=x+y&{second}"), "limit=1".to_owned()];
        let others = Lines::new(&others.each_ref().map(String::as_str));
        for at in 0..3 {
            let expected = others.around(at).say(&says).unwrap().unwrap_or(Value::Null);
            prop_assert_eq!(rule.value(&others.around(at)), Ok(Some(expected)));
        }
    }

    /// No window is too large for arithmetic.
    #[test]
    fn any_window_can_be_said(size in any::<u64>(), place in any::<u64>(), by_offset in any::<bool>(), next in any::<bool>()) {
        let key = if by_offset { "start" } else { "page" };
        let model = model();
        for size in [size, u64::MAX, 0, 1] {
            for place in [place, u64::MAX, 0, 1] {
                let query = format!("limit={size}&{key}={place}");
                let line = Line::new(&query_pairs(Some(&query)), None).unwrap();
                let Ok(selection) = model.select(&line, &Plain::new(entities().into()), &NoReferents) else {
                    continue;
                };
                let around =
                    Around { selection: &selection, line: &line, path: PATH, model: &model, fields: &|e| e.fields.clone() };
                let link = Link {
                    to: if next { Target::Next } else { Target::Previous },
                    origin: "".into(),
                    key: key.into(),
                    unsent: None,
                    size_key: None,
                    sorted: false,
                    drop_first: true,
                    spelling: Spelling::Form,
                };
                for says in [
                    Says::Pages,
                    Says::Page,
                    Says::NextPage,
                    Says::NextUnlessLast,
                    Says::PreviousPage,
                    Says::Cursor { key: "cursor".to_owned() },
                    Says::Link(link),
                ] {
                    prop_assert!(around.say(&says).is_ok());
                }
            }
        }
    }
}
