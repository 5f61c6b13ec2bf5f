//! Which items of two arrays are shown side by side. Arrays of one length pair by place; where items were added or
//! removed, the same entities pair, so that one missing item is one difference and not one for each item after it.

use crate::json::{Object, Value};

/// For each live item, the environment's item to compare it with. Order is kept: pairs never cross.
pub(crate) fn align(
    live: &[Value],
    environment: &[Value],
    same: impl Fn(&Object, &Object) -> bool,
) -> Vec<Option<usize>> {
    let by_place = |index: usize| (index < environment.len()).then_some(index);
    if live.len() == environment.len() {
        return (0..live.len()).map(by_place).collect();
    }
    let entities = live.iter().chain(environment).all(|item| item.as_object().is_some());
    if !entities {
        return (0..live.len()).map(by_place).collect();
    }
    let mut pairs = Vec::with_capacity(live.len());
    let mut from = 0;
    for item in live {
        let found = item.as_object().and_then(|item| {
            (from..environment.len()).find(|at| environment[*at].as_object().is_some_and(|other| same(item, other)))
        });
        if let Some(found) = found {
            from = found + 1;
        }
        pairs.push(found);
    }
    if pairs.iter().all(Option::is_none) {
        return (0..live.len()).map(by_place).collect();
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;
    use rstest::rstest;

    #[rstest]
    #[case::by_place("[1,2]", "[2,1]", &[Some(0), Some(1)])]
    #[case::one_more(r#"[{"id":2}]"#, r#"[{"id":1},{"id":2}]"#, &[Some(1)])]
    #[case::one_less(r#"[{"id":1},{"id":2},{"id":3}]"#, r#"[{"id":1},{"id":3}]"#, &[Some(0), None, Some(1)])]
    #[case::pairs_never_cross(r#"[{"id":2},{"id":1},{"id":9}]"#, r#"[{"id":1},{"id":2}]"#, &[Some(1), None, None])]
    #[case::nothing_in_common(r#"[{"id":8},{"id":9}]"#, r#"[{"id":1}]"#, &[Some(0), None])]
    #[case::scalars("[1,2,3]", "[2,3]", &[Some(0), Some(1), None])]
    fn alignment(#[case] live: &str, #[case] environment: &str, #[case] expected: &[Option<usize>]) {
        let (live, environment) = (parse(live.as_bytes()).unwrap(), parse(environment.as_bytes()).unwrap());
        let same = |a: &Object, b: &Object| a.get("id").zip(b.get("id")).is_some_and(|(a, b)| a.same_as(b));
        assert_eq!(align(live.as_array().unwrap(), environment.as_array().unwrap(), same), expected);
    }
}
