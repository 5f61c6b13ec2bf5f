//! Answers that lag behind what reads show.

use super::recording::made;
use crate::json::Value;
use crate::state::observe::Seen;
use crate::state::slot::Slot;
use crate::state::write_history::Shown;
use crate::state::write_lag::catch_up;
use crate::state::write_sample::{Fate, Sample};
use rstest::rstest;
use std::collections::BTreeMap;

#[test]
fn what_an_answer_lags_behind_is_known_before_the_next_write() {
    let made = made(&[
        (
            "GET /api/things",
            200,
            r#"[{"id":1,"name":"anvil","kept":false,"count":2},{"id":2,"name":"bell","kept":false,"count":5},
               {"id":3,"name":"crate","kept":false,"count":8},{"id":4,"name":"drum","kept":false,"count":12}]"#,
        ),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":false,"count":2}"#),
        ("POST{} /api/things/1/archive", 200, r#"{"id":1,"name":"anvil","kept":true,"count":2}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":true,"count":3}"#),
        ("POST{} /api/things/1/restore", 200, r#"{"id":1,"name":"anvil","kept":false,"count":3}"#),
        ("GET /api/things/1", 200, r#"{"id":1,"name":"anvil","kept":false,"count":4}"#),
        ("POST{} /api/things/4/archive", 200, r#"{"id":4,"name":"drum","kept":true,"count":12}"#),
        ("GET /api/things/4", 200, r#"{"id":4,"name":"drum","kept":true,"count":13}"#),
        ("POST{} /api/things/2/archive", 200, r#"{"id":2,"name":"bell","kept":true,"count":5}"#),
        ("POST{} /api/things/2/restore", 200, r#"{"id":2,"name":"bell","kept":false,"count":6}"#),
        ("GET /api/things/2", 200, r#"{"id":2,"name":"bell","kept":false,"count":7}"#),
    ]);
    let archived = made.write(&made.derived.world, "POST /api/things/3/archive", "{}").unwrap();
    let counts = |body: &Option<Value>| body.as_ref().and_then(|body| body.get("count")).map(Value::to_compact);
    assert_eq!(counts(&archived.body).as_deref(), Some("8"));
    let restored = made.write(&archived.world.unwrap(), "POST /api/things/3/restore", "{}").unwrap();
    assert_eq!(counts(&restored.body).as_deref(), Some("9"));
    let again = made.write(&restored.world.unwrap(), "POST /api/things/3/archive", "{}").unwrap();
    assert_eq!(counts(&again.body).as_deref(), Some("10"), "each of both counted");
}

fn sample<'a>(call: &'a Seen, index: usize, id: &str, lag: Option<i64>) -> Sample<'a> {
    let slot = Slot { name: "count".into(), source: None };
    let shown: Shown = [(slot.clone(), Some(Value::from(5)))].into();
    Sample {
        index,
        call,
        key: (0, "/things".to_owned(), id.to_owned()),
        fate: Fate::Changed,
        sent: Value::Null,
        before: shown.clone(),
        after: shown,
        only_answered: lag.is_none().then(|| slot.clone()).into_iter().collect(),
        answer_agrees: lag.map(|lag| (slot.clone(), lag == 0)).into_iter().collect(),
        lags: lag.filter(|lag| *lag != 0).map(|lag| (slot, lag)).into_iter().collect(),
        world: Default::default(),
        renamed: None,
    }
}

#[rstest]
#[case::two_agree(&[1, 1], Some(Some(6)))]
#[case::one_is_not_enough(&[1], None)]
#[case::they_differ(&[1, 2], None)]
#[case::one_does_not_lag(&[1, 1, 0], None)]
#[case::one_is_ahead(&[1, 1, -1], None)]
#[case::none_lags(&[0, 0], Some(Some(5)))]
#[case::all_are_ahead(&[-1, -1], Some(Some(5)))]
fn two_answers_that_agree_tell_by_how_much_others_lag(#[case] lags: &[i64], #[case] expected: Option<Option<i64>>) {
    let made = made(&[("GET /things", 200, "[]")]);
    let call = &made.observed.seen[0];
    let told = lags.iter().enumerate().map(|(index, lag)| sample(call, index, "1", Some(*lag)));
    let all = told.chain([sample(call, 10, "2", None)]).collect();
    let mut samples = BTreeMap::from([(0, all), (1, vec![sample(call, 11, "2", None)])]);
    catch_up(&mut samples);
    let slot = Slot { name: "count".into(), source: None };
    let shown = |held: &Shown| {
        held.get(&slot).map(|value| value.as_ref().and_then(Value::as_number).and_then(crate::json::Number::as_i64))
    };
    assert_eq!(shown(&samples[&0].last().unwrap().after), expected);
    assert_eq!(shown(&samples[&1][0].before), expected);
}
