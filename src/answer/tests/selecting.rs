//! Which recording answers: a case for each sentence of the rule, and the rule against a scan of all records.

use super::fixture::*;
use crate::answer::Call;
use crate::capture::{Body, Record};
use crate::json::{Value, parse};
use crate::manifest::BodyShape;
use proptest::prelude::*;
use rstest::rstest;

fn get(spelling: &str, query: &[&str], lines: &[&str]) -> crate::answer::Engine {
    let records: Vec<Record> = lines.iter().map(|line| record("GET", line)).collect();
    engine(tool("GET", spelling, query, None, records.len()), records)
}

#[rstest]
#[case::exact(&["/u/1", "/u/2"], r#"{"p1":"2"}"#, 1, true)]
#[case::unmatched_answers_the_first(&["/u/1", "/u/2"], r#"{"p1":"9"}"#, 0, false)]
#[case::ties_keep_manifest_order(&["/u/1", "/u/2", "/u/2"], r#"{"p1":"2"}"#, 1, true)]
#[case::decoded(&["/u/x", "/u/a%20b"], r#"{"p1":"a b"}"#, 1, true)]
#[case::as_written(&["/u/x", "/u/a%20b"], r#"{"p1":"a%20b"}"#, 1, true)]
#[case::raw_before_decoded(&["/u/a%2520b", "/u/a%20b"], r#"{"p1":"a%20b"}"#, 1, true)]
#[case::decoded_only_once(&["/u/x", "/u/a%2520b"], r#"{"p1":"a b"}"#, 0, false)]
#[case::another_spelling_of_the_character(&["/u/x", "/u/~me"], r#"{"p1":"%7Eme"}"#, 1, true)]
#[case::a_slash_inside_a_segment(&["/u/x", "/u/a%2Fb"], r#"{"p1":"a/b"}"#, 1, true)]
#[case::an_empty_segment(&["/u/x", "/u/"], r#"{"p1":""}"#, 1, true)]
fn by_path(#[case] lines: &[&str], #[case] arguments: &str, #[case] ordinal: usize, #[case] exact: bool) {
    let reply = reply(&get("/u/{x}", &[], lines), arguments);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match), (ordinal, exact));
}

#[rstest]
#[case::most_parameters(&["/o/1/u/5", "/o/2/u/7"], r#"{"p1":"9","p3":"7"}"#, 1, false)]
#[case::both(&["/o/1/u/5", "/o/1/u/7"], r#"{"p1":"1","p3":"7"}"#, 1, true)]
#[case::path_before_query(&["/o/1/u/9?q=x", "/o/1/u/7?q=y"], r#"{"p1":"1","p3":"7","q":"x"}"#, 1, false)]
#[case::query_breaks_the_tie(&["/o/1/u/7?q=x", "/o/1/u/7?q=y"], r#"{"p1":"1","p3":"7","q":"y"}"#, 1, true)]
fn by_several_parameters(#[case] lines: &[&str], #[case] arguments: &str, #[case] ordinal: usize, #[case] exact: bool) {
    let reply = reply(&get("/o/{a}/u/{b}", &["q"], lines), arguments);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match), (ordinal, exact));
}

#[rstest]
#[case::value(&["/s?a=1", "/s?a=2"], r#"{"a":"2"}"#, 1, true)]
#[case::decoded_with_plus(&["/s?a=x", "/s?a=x+y"], r#"{"a":"x y"}"#, 1, true)]
#[case::most_values(&["/s?a=1&b=1", "/s?a=2&b=2"], r#"{"a":"2","b":"9"}"#, 1, false)]
#[case::omitted_names_do_not_count(&["/s?a=1&b=2"], r#"{"a":"1"}"#, 0, true)]
#[case::nothing_supplied_is_exact(&["/s?a=1"], "{}", 0, true)]
#[case::a_name_that_the_record_lacks(&["/s"], r#"{"a":"1"}"#, 0, false)]
#[case::repeats_in_order(&["/s?a=1&a=2", "/s?a=2&a=1"], r#"{"a":["2","1"]}"#, 1, true)]
#[case::every_occurrence_counts(&["/s?a=1&a=2", "/s?a=1"], r#"{"a":"1"}"#, 1, true)]
#[case::one_of_two_occurrences(&["/s?a=1&a=2"], r#"{"a":"1"}"#, 0, false)]
#[case::an_array_of_one(&["/s?a=2", "/s?a=1"], r#"{"a":["1"]}"#, 1, true)]
#[case::an_empty_array_is_omitted(&["/s?a=2"], r#"{"a":[]}"#, 0, true)]
#[case::other_order_across_names(&["/s?a=1&b=2&a=3", "/s?a=1&a=3&b=2"], r#"{"a":["1","3"],"b":"2"}"#, 0, false)]
#[case::other_values_are_not_another_order(&["/s?a=1&b=2", "/s?b=3&a=1"], r#"{"a":"1","b":"2"}"#, 0, true)]
fn by_query(#[case] lines: &[&str], #[case] arguments: &str, #[case] ordinal: usize, #[case] exact: bool) {
    let reply = reply(&get("/s", &["a", "b"], lines), arguments);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match), (ordinal, exact));
}

#[rstest]
#[case::order_across_names(&["/s?a=1&b=2&a=3", "/s?a=1&a=3&b=2"], "a=1&a=3&b=2", 1, true)]
#[case::spelling(&["/s?a=x%20y", "/s?a=x+y"], "a=x+y", 1, true)]
#[case::another_spelling_still_matches(&["/s?a=z", "/s?a=x%20y"], "a=x+y", 1, true)]
#[case::order_within_what_is_supplied(&["/s?b=2&a=1&c=3", "/s?a=1&c=3&b=2"], "a=1&b=2", 1, true)]
#[case::another_order_only(&["/s?b=2&a=1"], "a=1&b=2", 0, false)]
#[case::an_explicit_empty_query(&["/s?a=1", "/s?"], "", 1, true)]
fn by_probe(#[case] lines: &[&str], #[case] raw: &str, #[case] ordinal: usize, #[case] exact: bool) {
    let engine = get("/s", &["a", "b", "c"], lines);
    let pairs = form_urlencoded::parse(raw.as_bytes()).into_owned().collect();
    let call = Call { tool: 0, path: Vec::new(), query: pairs, raw_query: Some(raw.into()), body: None };
    let reply = replayed(&engine, &call);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match), (ordinal, exact));
}

#[test]
fn an_answer_with_a_body_comes_before_one_without() {
    let bodiless = || record("GET", "/s").answered_with(Body::Unrecorded);
    let records = vec![record("GET", "/s").unanswered(), bodiless(), record("GET", "/s"), bodiless()];
    let engine = engine(tool("GET", "/s", &[], None, 4), records);
    assert_eq!(reply(&engine, "{}").replay.record_ordinal, 2);
}

#[test]
fn a_better_match_without_an_answer_comes_before_a_worse_one_with() {
    let engine =
        engine(tool("GET", "/u/{x}", &[], None, 2), vec![record("GET", "/u/1"), record("GET", "/u/2").unanswered()]);
    let reply = reply(&engine, r#"{"p1":"2"}"#);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match, reply.status), (1, true, None));
}

#[rstest]
#[case::json_in_another_order(r#"{"body":{"b":2,"a":1.0}}"#, 1, Some(true))]
#[case::json_as_text(r#"{"body":"{\"b\":2,\"a\":1}"}"#, 1, Some(true))]
#[case::text(r#"{"body":"hello"}"#, 2, Some(true))]
#[case::a_form(r#"{"body":{"x":"1","y":["2","3"]}}"#, 3, Some(true))]
#[case::a_form_as_text(r#"{"body":"x=1&y=2&y=3"}"#, 3, Some(true))]
#[case::equal_before_answered(r#"{"body":{"gone":true}}"#, 4, Some(true))]
#[case::big_numbers_are_not_rounded(r#"{"body":9007199254740993}"#, 6, Some(true))]
#[case::another_body(r#"{"body":{"other":1}}"#, 0, Some(false))]
#[case::no_body("{}", 0, None)]
fn by_body(#[case] arguments: &str, #[case] ordinal: usize, #[case] matched: Option<bool>) {
    let json = |text: &str| record("POST", "/rpc").sent("application/json", text);
    let records = vec![
        json(r#"{"a":1,"b":3}"#),
        json(r#"{"a":1,"b":2}"#),
        record("POST", "/rpc").sent("text/plain", "hello"),
        record("POST", "/rpc").sent("application/x-www-form-urlencoded; charset=utf-8", "x=1&y=2&y=3"),
        json(r#"{"gone":true}"#).unanswered(),
        json("9007199254740992"),
        json("9007199254740993"),
    ];
    let engine = engine(tool("POST", "/rpc", &[], Some(BodyShape::default()), 7), records);
    let arguments = parse(arguments.as_bytes()).unwrap();
    let call =
        Call { tool: 0, path: Vec::new(), query: Vec::new(), raw_query: None, body: arguments.get("body").cloned() };
    let reply = replayed(&engine, &call);
    assert_eq!((reply.replay.record_ordinal, reply.replay.body_match), (ordinal, matched));
    assert!(reply.replay.exact_match, "the body is not part of the line");
}

#[test]
fn a_tool_that_does_not_exist_is_refused() {
    let engine = get("/s", &[], &["/s"]);
    let call = Call { tool: 7, path: Vec::new(), query: Vec::new(), raw_query: None, body: None };
    assert_eq!(engine.answer(&engine.initial_world(), &call).reply.unwrap_err().code, "invalid_arguments");
}

/// A small world of lines in which everything collides: encodings, repeats, orders, bodies, missing answers.
fn lines() -> impl Strategy<Value = Vec<(String, Option<String>, Option<u8>, bool)>> {
    let segment = prop::sample::select(vec!["a", "b", "a%20b", "a%2520b", "%61", ""]);
    let pair = (prop::sample::select(vec!["q", "r", "s%20"]), prop::sample::select(vec!["1", "2", "%31", "x+y"]));
    let query = prop::option::of(prop::collection::vec(pair, 0..4).prop_map(|pairs| {
        let pairs: Vec<String> = pairs.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        pairs.join("&")
    }));
    let path = (segment.clone(), segment).prop_map(|(one, other)| format!("/x/{one}/y/{other}"));
    prop::collection::vec((path, query, prop::option::of(0u8..3), any::<bool>()), 1..12)
}

fn built(lines: &[(String, Option<String>, Option<u8>, bool)]) -> Vec<Record> {
    let built = lines.iter().map(|(path, query, body, answered)| {
        let line = query.as_ref().map_or(path.clone(), |query| format!("{path}?{query}"));
        let record = record("POST", &line);
        let record = if *answered { record } else { record.unanswered() };
        match body {
            Some(body) => record.sent("application/json", &format!("{{\"n\":{body}}}")),
            None => record,
        }
    });
    built.collect()
}

/// The rule as a scan: the score of a record, higher is better.
fn score(record: &Record, call: &Call) -> Vec<usize> {
    let request = record.request.as_ref().unwrap();
    let decode = |text: &str| crate::manifest::decode_once(text).into_owned();
    let segments: Vec<&str> = request.path.split('/').collect();
    let recorded = [segments[2], segments[4]];
    let raw = recorded.iter().zip(&call.path).filter(|(segment, value)| *segment == value).count();
    let path = recorded.iter().zip(&call.path).filter(|(segment, value)| {
        **segment == value.as_str() || decode(segment) == **value || decode(segment) == decode(value)
    });
    let pairs: Vec<(String, String)> =
        form_urlencoded::parse(request.query.as_deref().unwrap_or("").as_bytes()).into_owned().collect();
    let values_of = |pairs: &[(String, String)], name: &str| -> Vec<String> {
        pairs.iter().filter(|(held, _)| held == name).map(|(_, value)| value.clone()).collect()
    };
    let mut names: Vec<&String> = call.query.iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    let (mut occurrences, mut complete) = (0, 0);
    for name in &names {
        let (supplied, held) = (values_of(&call.query, name), values_of(&pairs, name));
        occurrences += supplied.iter().zip(&held).filter(|(one, other)| one == other).count();
        complete += usize::from(supplied == held);
    }
    let probe = call.raw_query.as_ref().map_or(0, |raw| {
        let named: Vec<&(String, String)> = pairs.iter().filter(|(name, _)| names.contains(&name)).collect();
        let in_order = complete == names.len() && named == call.query.iter().collect::<Vec<_>>();
        let same_pairs = request.query.is_some() && pairs == call.query;
        [in_order, same_pairs, request.query.as_ref() == Some(raw)].iter().filter(|held| **held).count()
    });
    let body = call.body.as_ref().is_some_and(|body| {
        request.body.text().and_then(|text| parse(text.as_bytes()).ok()).is_some_and(|sent| sent.same_as(body))
    });
    let answered = record.answer.as_ref().is_some_and(|answer| answer.body.is_recorded());
    vec![path.count(), raw, occurrences, complete, probe, usize::from(body), usize::from(answered)]
}

fn scanned(records: &[Record], call: &Call) -> usize {
    let mut best = 0;
    for index in 1..records.len() {
        if score(&records[index], call) > score(&records[best], call) {
            best = index;
        }
    }
    best
}

fn built_engine(records: Vec<Record>) -> crate::answer::Engine {
    engine(tool("POST", "/x/{a}/y/{b}", &["q", "r"], Some(BodyShape::default()), records.len()), records)
}

/// The call that is a record's own line and body.
fn own_call(record: &Record, as_probe: bool) -> Call {
    let request = record.request.as_ref().unwrap();
    let segments: Vec<&str> = request.path.split('/').collect();
    let query = request.query.as_deref().unwrap_or("");
    Call {
        tool: 0,
        path: vec![segments[2].into(), segments[4].into()],
        query: form_urlencoded::parse(query.as_bytes()).into_owned().collect(),
        raw_query: request.query.clone().filter(|_| as_probe),
        body: request.body.text().map(|text| parse(text.as_bytes()).unwrap()),
    }
}

proptest! {
    #[test]
    fn selection_is_the_scan_of_all_records(
        recorded in lines(), asked in lines(), as_probe in any::<bool>(), drop_query in any::<bool>()
    ) {
        let records = built(&recorded);
        let engine = built_engine(records.clone());
        for asked in built(&asked) {
            let mut call = own_call(&asked, as_probe);
            if drop_query {
                call.query.pop();
                call.raw_query = None;
            }
            prop_assert_eq!(replayed(&engine, &call).replay.record_ordinal, scanned(&records, &call), "{:?}", call);
        }
    }

    #[test]
    fn the_own_line_of_a_record_is_answered_from_that_line(recorded in lines()) {
        let records = built(&recorded);
        let engine = built_engine(records.clone());
        for record in &records {
            let call = own_call(record, true);
            let reply = replayed(&engine, &call);
            let request = record.request.as_ref().unwrap();
            prop_assert!(reply.replay.exact_match);
            prop_assert_eq!(&*reply.replay.recorded_path, &request.path);
            if request.query.is_some() {
                let recorded_query = reply.replay.recorded_query.as_deref().map(|query| query[1..].to_owned());
                prop_assert_eq!(recorded_query, request.query.clone());
            }
        }
    }

    #[test]
    fn an_exact_call_by_arguments_has_the_values_of_its_line(recorded in lines()) {
        let records = built(&recorded);
        let engine = built_engine(records.clone());
        for record in &records {
            let call = own_call(record, false);
            let reply = replayed(&engine, &call);
            let chosen = own_call(&records[reply.replay.record_ordinal], false);
            let sorted = |call: &Call| {
                let mut pairs = call.query.clone();
                pairs.sort_by(|one, other| one.0.cmp(&other.0));
                pairs
            };
            prop_assert_eq!(&chosen.path, &call.path);
            if !call.query.is_empty() {
                let named = sorted(&chosen).into_iter().filter(|(name, _)| call.query.iter().any(|(held, _)| held == name));
                prop_assert_eq!(named.collect::<Vec<_>>(), sorted(&call));
            }
            prop_assert_eq!(reply.replay.body_match.is_some(), call.body.is_some());
        }
    }
}

#[test]
fn many_supplied_values_are_still_counted() {
    let names: Vec<String> = (0..20).map(|index| format!("n{index}")).collect();
    let line = |value: &str, matching: usize| {
        let pairs: Vec<String> = names
            .iter()
            .enumerate()
            .map(|(index, name)| format!("{name}={}", if index < matching { value } else { "no" }))
            .collect();
        format!("/s?{}", pairs.join("&"))
    };
    let records: Vec<Record> = [3, 11, 11, 7].iter().map(|matching| record("GET", &line("yes", *matching))).collect();
    let query: Vec<&str> = names.iter().map(String::as_str).collect();
    let engine = engine(tool("GET", "/s", &query, None, 4), records);
    let call = Call {
        tool: 0,
        path: Vec::new(),
        query: names.iter().map(|name| (name.clone(), "yes".to_owned())).collect(),
        raw_query: None,
        body: None,
    };
    let reply = replayed(&engine, &call);
    assert_eq!((reply.replay.record_ordinal, reply.replay.exact_match), (1, false));
    let _: Value = reply.to_value();
}
