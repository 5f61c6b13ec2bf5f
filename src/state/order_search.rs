//! Searching the order of lists: what each listed entity and the one behind it hold at the members that may order them.
//! Members are looked up once, and a member is not compared twice in styles that make no difference to what it holds.
//!
//! Nothing here knows where the lists are from.

use super::order::{Nulls, OrderKey, OrderStyle, compare};
use super::path::MemberPath;
use crate::json::Value;
use std::cmp::Ordering;
use std::sync::Arc;

/// What an entity and the next one hold at a member.
type Pair<'a> = (Option<&'a Value>, Option<&'a Value>);

/// Neighbours in lists, member by member.
pub(super) struct Neighbours<'a> {
    columns: Vec<Column<'a>>,
}

/// What neighbours hold at one member.
struct Column<'a> {
    path: &'a MemberPath,
    pairs: Vec<Pair<'a>>,
    tells: Tells,
}

/// Which styles make a difference to some values.
#[derive(Clone, Copy, Default)]
struct Tells {
    nulls: bool,
    fold: bool,
    digits: bool,
}

impl Tells {
    fn of<'a>(values: impl Iterator<Item = Option<&'a Value>>) -> Self {
        let mut tells = Self::default();
        for value in values {
            let Some(value) = value.filter(|value| !value.is_null()) else {
                tells.nulls = true;
                continue;
            };
            if let Value::String(text) = value.plain() {
                let text = text.to_display();
                tells.digits |= text.bytes().all(|byte| byte.is_ascii_digit());
                tells.fold |= text.chars().any(|letter| !letter.to_lowercase().eq([letter]));
            }
        }
        tells
    }

    fn or(self, other: Self) -> Self {
        Self { nulls: self.nulls || other.nulls, fold: self.fold || other.fold, digits: self.digits || other.digits }
    }

    /// Whether another style, which comes before it among all of them, compares the same.
    fn repeats(self, style: OrderStyle) -> bool {
        !self.nulls && style.nulls != Nulls::default() || !self.fold && style.fold || !self.digits && style.digits
    }
}

impl Column<'_> {
    fn compare(&self, at: usize, descending: bool, style: OrderStyle) -> Ordering {
        self.pairs.get(at).map_or(Ordering::Equal, |(a, b)| compare(*a, *b, descending, style))
    }

    /// The worst that some neighbours compare: less where the order is strict, greater where it is none.
    fn worst(&self, some: &[usize], descending: bool, style: OrderStyle) -> Ordering {
        let mut worst = Ordering::Less;
        for at in some {
            worst = worst.max(self.compare(*at, descending, style));
            if worst == Ordering::Greater {
                break;
            }
        }
        worst
    }
}

impl<'a> Neighbours<'a> {
    /// The neighbours in lists of entities' values. Members that are equal in all of them order nothing.
    pub(super) fn new(lists: &'a [Vec<Arc<Value>>], paths: impl Iterator<Item = &'a MemberPath>) -> Self {
        let column = |path: &'a MemberPath| {
            let mut pairs: Vec<Pair<'a>> = Vec::new();
            let mut tells = Tells::default();
            for list in lists.iter().filter(|list| list.len() > 1) {
                let values: Vec<Option<&Value>> = list.iter().map(|value| path.first(value)).collect();
                tells = tells.or(Tells::of(values.iter().copied()));
                pairs.extend(values.iter().copied().zip(values.iter().copied().skip(1)));
            }
            let differ = |(a, b): &Pair<'a>| compare(*a, *b, false, OrderStyle::default()) != Ordering::Equal;
            (pairs.is_empty() || pairs.iter().any(differ)).then_some(Column { path, pairs, tells })
        };
        Self { columns: paths.filter_map(column).collect() }
    }

    /// The first so many members by which all neighbours are in strict order, where fewer do not do it: each key but the
    /// last leaves some neighbours equal, and puts none in the wrong order. Styles that an earlier one repeats tell nothing.
    pub(super) fn by(&self, count: usize, style: OrderStyle) -> Option<Vec<OrderKey>> {
        let all: Vec<usize> = (0..self.columns.first()?.pairs.len()).collect();
        self.keys(&all, count, style, Tells::default())
    }

    /// The keys of the neighbours that the keys before leave equal; `tells` is what those make of styles.
    fn keys(&self, left: &[usize], count: usize, style: OrderStyle, tells: Tells) -> Option<Vec<OrderKey>> {
        let ways = self.columns.iter().flat_map(|column| [(column, false), (column, true)]);
        ways.into_iter().find_map(|(column, descending)| {
            let tells = tells.or(column.tells);
            let key = || OrderKey { path: column.path.clone(), descending };
            let worst = column.worst(left, descending, style);
            if count <= 1 {
                return (worst == Ordering::Less && !tells.repeats(style)).then(|| vec![key()]);
            }
            if worst != Ordering::Equal {
                return None;
            }
            let equal = |at: &usize| column.compare(*at, descending, style) == Ordering::Equal;
            let left: Vec<usize> = left.iter().copied().filter(equal).collect();
            let rest = self.keys(&left, count - 1, style, tells)?;
            Some(std::iter::once(key()).chain(rest).collect())
        })
    }

    /// Whether all neighbours go up or down by a member in one of some styles.
    pub(super) fn may_be_by(&self, path: &MemberPath, styles: &[OrderStyle]) -> bool {
        let Some(column) = self.columns.iter().find(|column| column.path == path) else { return true };
        let all: Vec<usize> = (0..column.pairs.len()).collect();
        let mut telling = styles.iter().filter(|style| !column.tells.repeats(**style));
        telling.any(|style| [false, true].iter().any(|descending| column.worst(&all, *descending, *style).is_le()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::order::{Tie, compare_keys, styles};
    use super::*;
    use proptest::prelude::*;

    fn plain() -> impl Iterator<Item = OrderStyle> {
        styles().filter(|style| style.tie == Tie::Before)
    }

    /// The first order in a fixed rank, tried one by one.
    fn tried(lists: &[Vec<Arc<Value>>], paths: &[MemberPath]) -> Option<(Vec<OrderKey>, OrderStyle)> {
        let strict = |keys: &[OrderKey], style| {
            let mut pairs = lists.iter().flat_map(|list| list.windows(2));
            pairs.all(|pair| compare_keys(&pair[0], &pair[1], keys, style) == Ordering::Less)
        };
        let keys: Vec<OrderKey> = paths
            .iter()
            .flat_map(|path| [false, true].map(|descending| OrderKey { path: path.clone(), descending }))
            .collect();
        for style in plain() {
            if let Some(one) = keys.iter().find(|key| strict(std::slice::from_ref(*key), style)) {
                return Some((vec![one.clone()], style));
            }
            for first in &keys {
                for second in &keys {
                    let both = vec![first.clone(), second.clone()];
                    if strict(&both, style) {
                        return Some((both, style));
                    }
                }
            }
        }
        None
    }

    fn value() -> impl Strategy<Value = &'static str> {
        prop_oneof![
            Just("1"),
            Just("2"),
            Just("null"),
            Just("\"a\""),
            Just("\"B\""),
            Just("\"c\""),
            Just("\"9\""),
            Just("\"10\""),
            Just("\"\""),
            Just("true"),
        ]
    }

    /// Drafts first, then what was published last, then what was changed last.
    #[test]
    fn three_members_order_what_no_two_do() {
        let text = r#"[{"s":"draft","p":5,"u":9},{"s":"draft","p":null,"u":8},{"s":"draft","p":null,"u":2},
            {"s":"done","p":7,"u":1},{"s":"done","p":4,"u":6},{"s":"done","p":4,"u":3}]"#;
        let list = crate::json::parse(text.as_bytes()).unwrap();
        let lists = [list.as_array().unwrap().iter().cloned().map(Arc::new).collect::<Vec<_>>()];
        let paths = ["p", "s", "u"].map(MemberPath::member);
        let neighbours = Neighbours::new(&lists, paths.iter());
        let style = OrderStyle::default();
        assert_eq!((neighbours.by(1, style), neighbours.by(2, style)), (None, None));
        let key = |name: &str| OrderKey { path: MemberPath::member(name), descending: true };
        assert_eq!(neighbours.by(3, style), Some(vec![key("s"), key("p"), key("u")]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_order_is_the_one_that_trying_all_gives(
            lists in proptest::collection::vec(
                proptest::collection::vec((value(), proptest::option::of(value())), 0..5), 1..3),
        ) {
            let entity = |(a, b): &(&str, Option<&str>)| {
                let b = b.map(|b| format!(",\"b\":{b}")).unwrap_or_default();
                Arc::new(crate::json::parse(format!("{{\"a\":{a}{b}}}").as_bytes()).unwrap())
            };
            let lists: Vec<Vec<Arc<Value>>> =
                lists.iter().map(|list| list.iter().map(entity).collect()).collect();
            let paths = [MemberPath::member("a"), MemberPath::member("b")];
            let neighbours = Neighbours::new(&lists, paths.iter());
            let mut styles = plain();
            let found = styles.find_map(|style| {
                let keys = neighbours.by(1, style).or_else(|| neighbours.by(2, style))?;
                Some((keys, style))
            });
            prop_assert_eq!(found, tried(&lists, &paths));
            let all: Vec<OrderStyle> = plain().collect();
            for path in &paths {
                let may = [false, true].into_iter().any(|descending| {
                    let keys = [OrderKey { path: path.clone(), descending }];
                    all.iter().any(|style| {
                        let mut pairs = lists.iter().flat_map(|list| list.windows(2));
                        pairs.all(|pair| compare_keys(&pair[0], &pair[1], &keys, *style).is_le())
                    })
                });
                prop_assert_eq!(neighbours.may_be_by(path, &all), may);
            }
        }
    }
}
