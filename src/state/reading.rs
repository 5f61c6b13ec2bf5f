//! Readings: the small languages inside one parameter value (a JSON filter, `member:value`, `member = 'value'`), each
//! turned into parameters of their own, so that the query model has one kind of thing to reason about.

use super::line::{Line, Param, scalar_text};
use std::collections::BTreeMap;

/// How a parameter's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A JSON object.
    Json,
    /// `member:value`, joined by `+`, with `-` before a value for not, `~` for contains, `[a,b]` for any of.
    Colon,
    /// `member = 'value'`, joined by `AND`, with the comparisons of SQL.
    Comparison,
}

/// The reading of each key of a tool, found from all its recorded values: the first under which every value parses.
pub fn find_readings<'a>(lines: impl Iterator<Item = &'a Line>) -> BTreeMap<String, Reading> {
    let mut values: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for line in lines {
        for param in &line.params {
            if param.list.is_none() {
                values.entry(param.key.clone()).or_default().push(&param.text);
            }
        }
    }
    let mut readings = BTreeMap::new();
    for (key, texts) in values {
        let fits = |reading| texts.iter().all(|text| read("", reading, text).is_some_and(|terms| !terms.is_empty()));
        let direction = texts.iter().all(|text| {
            super::order::read_sort(text).is_some_and(|wanted| wanted.iter().any(|w| w.descending.is_some()))
        });
        let clock = texts.iter().any(|text| text.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
        let reading = if fits(Reading::Json) {
            Reading::Json
        } else if !direction && !clock && texts.iter().all(|text| !text.contains("://")) && fits(Reading::Colon) {
            Reading::Colon
        } else if fits(Reading::Comparison) {
            Reading::Comparison
        } else {
            continue;
        };
        readings.insert(key, reading);
    }
    readings
}

/// The line with every read parameter replaced by the parameters inside it. `None` when a value does not parse.
pub fn expand(line: &Line, readings: &BTreeMap<String, Reading>) -> Option<Line> {
    if readings.is_empty() {
        return Some(line.clone());
    }
    let mut params: BTreeMap<String, Param> = BTreeMap::new();
    let mut repeated = line.repeated;
    for param in &line.params {
        match readings.get(&param.key) {
            Some(reading) => {
                for inner in read(&param.key, *reading, &param.text)? {
                    repeated |= params.insert(inner.key.clone(), inner).is_some();
                }
            }
            None => {
                repeated |= params.insert(param.key.clone(), param.clone()).is_some();
            }
        }
    }
    Some(Line { params: params.into_values().collect(), repeated, in_order: line.in_order.clone() })
}

fn read(key: &str, reading: Reading, text: &str) -> Option<Vec<Param>> {
    match reading {
        Reading::Json => read_json(key, text),
        Reading::Colon => read_colon(key, text),
        Reading::Comparison => read_comparison(key, text),
    }
}

fn read_json(key: &str, text: &str) -> Option<Vec<Param>> {
    let value = crate::json::parse(text.as_bytes()).ok()?;
    let object = value.as_object()?;
    let mut params = Vec::new();
    for (name, inner) in object {
        let key = format!("{key}{{{}}}", name.as_str()?);
        if let Some(items) = inner.as_array() {
            let list: Vec<String> = items.iter().map(scalar_text).collect::<Option<_>>()?;
            params.push(Param { key, text: list.join(","), list: Some(list) });
        } else {
            params.push(Param { key, text: scalar_text(inner)?, list: None });
        }
    }
    Some(params)
}

fn read_colon(key: &str, text: &str) -> Option<Vec<Param>> {
    let mut params = Vec::new();
    for part in split_outside_quotes(text, '+')? {
        let (member, demand) = part.split_once(':')?;
        if member.is_empty() || !is_word(member) {
            return None;
        }
        let (mut op, mut rest) = (String::from(":"), demand);
        for mark in ["-", "~", ">=", "<=", ">", "<"] {
            if let Some(after) = rest.strip_prefix(mark) {
                op.push_str(mark);
                rest = after;
            }
        }
        if rest.is_empty() {
            return None;
        }
        let list = rest.strip_prefix('[').and_then(|inner| inner.strip_suffix(']'));
        let key = format!("{key}{{{member}}}{op}");
        match list {
            Some(inner) => {
                let list: Vec<String> =
                    split_outside_quotes(inner, ',')?.into_iter().map(|item| unquote(item).to_owned()).collect();
                params.push(Param { key, text: list.join(","), list: Some(list) });
            }
            None => {
                let value = unquote(rest);
                if value.len() == rest.len() && rest.contains(['(', ')', '[', ']', '\'', '"']) {
                    return None;
                }
                params.push(Param { key, text: value.to_owned(), list: None });
            }
        }
    }
    Some(params)
}

/// Comparisons, longest first.
const COMPARISONS: [&str; 10] = ["!=", "<>", "<=", ">=", "=", "<", ">", "ILIKE", "LIKE", "IN"];

fn read_comparison(key: &str, text: &str) -> Option<Vec<Param>> {
    let mut params = Vec::new();
    for part in split_and(text)? {
        let part = part.trim();
        let end = part.find(|character: char| character.is_whitespace() || "=!<>".contains(character))?;
        let (member, rest) = part.split_at(end);
        let rest = rest.trim_start();
        let upper = rest.to_ascii_uppercase();
        let op = COMPARISONS.iter().find(|op| upper.starts_with(**op))?;
        let value = rest.get(op.len()..)?.trim();
        let member = member.trim_matches(|character| matches!(character, '`' | '"'));
        if member.is_empty() || !is_word(member) || value.is_empty() {
            return None;
        }
        let key = format!("{key}{{{member}}}{op}");
        if *op == "IN" {
            let inner = value.strip_prefix('(')?.strip_suffix(')')?;
            let list: Vec<String> =
                split_outside_quotes(inner, ',')?.into_iter().map(|item| unquote(item.trim()).to_owned()).collect();
            params.push(Param { key, text: list.join(","), list: Some(list) });
        } else {
            let plain = unquote(value);
            if plain.len() == value.len() && value.parse::<f64>().is_err() {
                return None;
            }
            params.push(Param { key, text: plain.to_owned(), list: None });
        }
    }
    Some(params)
}

fn is_word(text: &str) -> bool {
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'`' | b'"'))
}

/// A text without the quotes around it; two quoted texts in a row are no quoted text.
fn unquote(text: &str) -> &str {
    for quote in ['\'', '"'] {
        let inner = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote));
        if let Some(inner) = inner.filter(|inner| !inner.contains(quote)) {
            return inner;
        }
    }
    text
}

fn split_outside_quotes(text: &str, separator: char) -> Option<Vec<&str>> {
    let mut parts = Vec::new();
    let (mut start, mut quote, mut depth) = (0, None, 0usize);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => depth = depth.checked_sub(1)?,
            (None, other) if other == separator && depth == 0 => {
                parts.push(&text[start..at]);
                start = at + character.len_utf8();
            }
            _ => {}
        }
    }
    if quote.is_some() || depth != 0 {
        return None;
    }
    parts.push(&text[start..]);
    Some(parts)
}

fn split_and(text: &str) -> Option<Vec<&str>> {
    let upper = text.to_ascii_uppercase();
    let mut parts = Vec::new();
    let mut start = 0;
    let mut from = 0;
    while let Some(at) = upper[from..].find(" AND ").map(|at| at + from) {
        if text[start..at].matches('\'').count().is_multiple_of(2) {
            parts.push(&text[start..at]);
            start = at + 5;
        }
        from = at + 5;
    }
    parts.push(&text[start..]);
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rstest::rstest;

    /// `key text` of each parameter inside a value, array items in brackets.
    fn inside(reading: Reading, text: &str) -> Option<Vec<String>> {
        let params = read("q", reading, text)?;
        Some(
            params
                .into_iter()
                .map(|param| match param.list {
                    Some(list) => format!("{} [{}]", param.key, list.join("|")),
                    None => format!("{} {}", param.key, param.text),
                })
                .collect(),
        )
    }

    #[rstest]
    #[case(r#"{"active":true,"n":1.0}"#, &["q{active} true", "q{n} 1.0"])]
    #[case(r#"{"id":["a","b,c"],"x":null}"#, &["q{id} [a|b,c]", "q{x} null"])]
    #[case("{}", &[])]
    fn json_filters(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Json, text).unwrap(), expected);
    }

    #[rstest]
    #[case("[1]")]
    #[case("1")]
    #[case("x")]
    #[case("")]
    #[case::inner_objects(r#"{"a":{"b":1}}"#)]
    #[case::objects_in_arrays(r#"{"a":[{"b":1}]}"#)]
    #[case::cut_off(r#"{"a":1"#)]
    fn no_json_filter(#[case] text: &str) {
        assert_eq!(inside(Reading::Json, text), None);
    }

    #[rstest]
    #[case("status:open", &["q{status}: open"])]
    #[case("status:open+kind:-draft", &["q{status}: open", "q{kind}:- draft"])]
    #[case("name:~'a b'", &["q{name}:~ a b"])]
    #[case("name:-~x", &["q{name}:-~ x"])]
    #[case("tag:[a,'b,c']", &["q{tag}: [a|b,c]"])]
    #[case("tag:-[a]", &["q{tag}:- [a]"])]
    #[case("at:>='2024-01-01T00:00:00'", &["q{at}:>= 2024-01-01T00:00:00"])]
    #[case("at:<5", &["q{at}:< 5"])]
    #[case("note:'a+b:c'", &["q{note}: a+b:c"])]
    #[case("tags.slug:x", &["q{tags.slug}: x"])]
    fn colon_filters(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Colon, text).unwrap(), expected);
    }

    #[rstest]
    #[case("plain")]
    #[case("")]
    #[case("a:")]
    #[case(":b")]
    #[case("a:~")]
    #[case("a b:c")]
    #[case::open_quote("a:'b")]
    #[case::open_bracket("a:[b")]
    #[case::groups("(a:b)")]
    #[case::calls("a:b(c)")]
    #[case::two_quoted_texts("a:'x','y'")]
    #[case::a_choice_of_quoted_terms("a:'x',b:'y'")]
    fn no_colon_filter(#[case] text: &str) {
        assert_eq!(inside(Reading::Colon, text), None);
    }

    #[rstest]
    #[case("name = 'x'", &["q{name}= x"])]
    #[case("name='x' AND size >= 5", &["q{name}= x", "q{size}>= 5"])]
    #[case("name LIKE '%a AND b%' and n != 2", &["q{name}LIKE %a AND b%", "q{n}!= 2"])]
    #[case("name ilike \"x\"", &["q{name}ILIKE x"])]
    #[case("metrics.loss < 0.5", &["q{metrics.loss}< 0.5"])]
    #[case("`tags.a b` = 'x'", &[])]
    #[case("id IN ('a','b, c')", &["q{id}IN [a|b, c]"])]
    #[case("n <> 3", &["q{n}<> 3"])]
    fn comparisons(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Comparison, text).unwrap_or_default(), expected);
    }

    #[rstest]
    #[case("")]
    #[case("name")]
    #[case("name =")]
    #[case("= 'x'")]
    #[case("name = x")]
    #[case("name ~ 'x'")]
    #[case::open_quote("name = 'x")]
    #[case::in_without_brackets("id IN 'a'")]
    #[case::a_choice("name = 'x' OR name = 'y'")]
    #[case::dangling_and("name = 'x' AND ")]
    fn no_comparison(#[case] text: &str) {
        assert_eq!(inside(Reading::Comparison, text), None);
    }

    fn line(pairs: &[(&str, &str)]) -> Line {
        let pairs: Vec<(String, String)> = pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        Line::new(&pairs, None).unwrap()
    }

    #[rstest]
    #[case::json(&[r#"{"a":1}"#, r#"{"b":"x"}"#], Some(Reading::Json))]
    #[case::colon(&["a:x", "a:x+b:y"], Some(Reading::Colon))]
    #[case::comparison(&["a = 'x'", "b > 1"], Some(Reading::Comparison))]
    #[case::one_value_is_plain(&["a:x", "word"], None)]
    #[case::empty_objects_say_nothing(&["{}"], None)]
    #[case::directions_are_orders(&["name:asc", "created:desc"], None)]
    #[case::clocks(&["10:30"], None)]
    #[case::addresses(&["http://host/x"], None)]
    #[case::texts(&["x", "y"], None)]
    fn a_reading_fits_every_value(#[case] values: &[&str], #[case] expected: Option<Reading>) {
        let lines: Vec<Line> = values.iter().map(|text| line(&[("q", text)])).collect();
        assert_eq!(find_readings(lines.iter()).get("q").copied(), expected);
    }

    #[test]
    fn a_read_line_holds_what_was_inside() {
        let readings = BTreeMap::from([("q".to_owned(), Reading::Colon)]);
        let expanded = expand(&line(&[("q", "a:x+b:y"), ("limit", "2")]), &readings).unwrap();
        let keys: Vec<&str> = expanded.params.iter().map(|param| param.key.as_str()).collect();
        assert_eq!(keys, ["limit", "q{a}:", "q{b}:"]);
        assert!(!expanded.repeated);
        assert!(expand(&line(&[("q", "a:x+a:y")]), &readings).unwrap().repeated);
        assert_eq!(expand(&line(&[("q", "word")]), &readings), None);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z:'\"\\[\\](),+=<>%{}é AND-]{0,24}") {
            for reading in [Reading::Json, Reading::Colon, Reading::Comparison] {
                let _ = read("q", reading, &text);
            }
        }

        #[test]
        fn quoted_texts_come_out_as_they_are(text in "[a-z +:,()=<>é]{1,12}") {
            let colon = read("q", Reading::Colon, &format!("a:'{text}'")).unwrap();
            prop_assert_eq!(&colon[0].text, &text);
            let comparison = read("q", Reading::Comparison, &format!("a = '{text}'")).unwrap();
            prop_assert_eq!(&comparison[0].text, &text);
        }
    }
}
