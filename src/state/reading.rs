//! Readings: the small languages inside one parameter value (a JSON filter, `member:value`, `member = 'value'`,
//! `gt.5`), each turned into parameters of their own, so that the query model has one kind of thing to reason about.

use super::line::{Line, Param};
use std::collections::BTreeMap;

/// How a parameter's values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A JSON object, its inner objects and lists of conditions.
    Json,
    /// `member:value`, joined by `+` or a space, with `-` before a member or a value for not, `~` for contains, `[a,b]` for
    /// any of.
    Colon,
    /// `member = 'value'` or `member eq 'value'`, joined by `AND` or `&&`, with the comparisons of SQL and OData, in
    /// brackets or not; a choice (`OR`, `||`) between values of one member.
    Comparison,
    /// `eq.value`: the comparison before the value.
    Dotted,
}

/// Values that a reading must make sense of where it does not of all.
const MIN_READ: usize = 4;

/// The reading of each key of a tool, found from all its recorded values: the first under which every value parses (or
/// nearly every expression: a line with another one is left to its recording).
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
        // An empty filter among others asks for nothing.
        let fits = |reading| {
            let mut telling = false;
            let read = texts.iter().all(|text| {
                read("", reading, text).is_some_and(|terms| {
                    telling |= !terms.is_empty();
                    true
                })
            });
            read && telling
        };
        // An expression may say more than this reads, beside others that are read.
        let mostly = |reading| {
            let known: Vec<bool> =
                texts.iter().map(|text| read("", reading, text).is_some_and(|t| !t.is_empty())).collect();
            let read = known.iter().filter(|known| **known).count();
            read >= MIN_READ && (known.len() - read) * 4 <= known.len()
        };
        let direction = texts.iter().all(|text| {
            super::order::read_sort(text).is_some_and(|wanted| wanted.iter().any(|w| w.descending.is_some()))
        });
        let clock = texts.iter().any(|text| text.bytes().next().is_some_and(|byte| byte.is_ascii_digit()));
        let reading = if fits(Reading::Json) {
            Reading::Json
        } else if !direction && !clock && texts.iter().all(|text| !text.contains("://")) && fits(Reading::Colon) {
            Reading::Colon
        } else if fits(Reading::Comparison) || mostly(Reading::Comparison) {
            Reading::Comparison
        } else if fits(Reading::Dotted) {
            Reading::Dotted
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
        Reading::Dotted => read_dotted(key, text),
    }
}

fn read_json(key: &str, text: &str) -> Option<Vec<Param>> {
    let value = crate::json::parse(text.as_bytes()).ok()?;
    let mut params = Vec::new();
    if let Some(text) = super::condition::sort_text(key, &value) {
        return Some(vec![Param { key: key.to_owned(), text, list: None }]);
    }
    // `[0,24]`: the first and the last that are asked for.
    if key.to_ascii_lowercase().contains("range")
        && let Some([first, last]) = value.as_array()
        && let (Some(first), Some(last)) = (first.as_number(), last.as_number())
    {
        let bound = |name: &str, number: &crate::json::Number| Param {
            key: format!("{key}{{{name}}}"),
            text: number.as_str().to_owned(),
            list: None,
        };
        return Some(vec![bound("start", first), bound("end", last)]);
    }
    // `["a","b"]`: several values.
    if let Some(items) = value.as_array() {
        let list: Vec<String> = items.iter().map(super::line::scalar_text).collect::<Option<_>>()?;
        return Some(vec![Param { key: key.to_owned(), text: list.join(","), list: Some(list) }]);
    }
    for (name, inner) in value.as_object()? {
        super::condition::json_params(&format!("{key}{{{}}}", name.as_str()?), inner, &mut params)?;
    }
    Some(params)
}

/// Comparisons that stand before a value, such as `gte.5` or `not.eq.x`.
const DOTTED: [&str; 13] =
    ["eq", "neq", "ne", "gt", "gte", "lt", "lte", "like", "ilike", "in", "is", "contains", "startswith"];

fn read_dotted(key: &str, text: &str) -> Option<Vec<Param>> {
    let (negated, text) = match text.strip_prefix("not.") {
        Some(rest) => ("not.", rest),
        None => ("", text),
    };
    let (op, value) = text.split_once('.')?;
    if !DOTTED.contains(&op) || value.is_empty() {
        return None;
    }
    let key = format!("{key}.{negated}{op}");
    if op == "in" {
        let inner = value.strip_prefix('(')?.strip_suffix(')')?;
        let list: Vec<String> =
            split_outside_quotes(inner, ',')?.into_iter().map(|item| unquote(item.trim()).to_owned()).collect();
        return Some(vec![Param { key, text: list.join(","), list: Some(list) }]);
    }
    Some(vec![Param { key, text: value.to_owned(), list: None }])
}

fn read_colon(key: &str, text: &str) -> Option<Vec<Param>> {
    let mut params = Vec::new();
    let separator = if text.contains('+') { '+' } else { ' ' };
    for part in split_outside_quotes(text, separator)? {
        let (not, part) = match part.strip_prefix(['-', '!']) {
            Some(rest) => ("-", rest),
            None => ("", part),
        };
        let (member, demand) = part.split_once(':')?;
        if member.is_empty() || !is_word(member) {
            return None;
        }
        let (mut op, mut rest) = (format!("{not}:"), demand);
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

/// Comparisons by signs, longest first.
const SIGNS: [&str; 10] = ["!=", "!~", "<>", "<=", ">=", "==", "=", "<", ">", "~"];
/// Comparisons by words, as they are keyed.
const WORDS: [&str; 12] = ["ILIKE", "LIKE", "IN", "EQ", "NE", "GT", "GE", "LT", "LE", "GTE", "LTE", "CONTAINS"];
/// Comparisons spelled as a call: `contains(name,'x')`.
const CALLS: [&str; 5] = ["contains", "startswith", "endswith", "substringof", "like"];

fn read_comparison(key: &str, text: &str) -> Option<Vec<Param>> {
    let mut params = Vec::new();
    for part in split_joined(unbracketed(text), &[" AND ", "&&"])? {
        params.push(read_choice(key, unbracketed(part))?);
    }
    Some(params)
}

/// One comparison, or a choice between values that one member may equal.
fn read_choice(key: &str, part: &str) -> Option<Param> {
    let terms = split_joined(part, &[" OR ", "||"])?;
    let term = |text: &str| {
        let text = unbracketed(text);
        read_called(key, text).or_else(|| read_compared(key, text))
    };
    if let [only] = terms.as_slice() {
        return term(only);
    }
    let terms: Vec<Param> = terms.into_iter().map(term).collect::<Option<_>>()?;
    let first = terms.first()?;
    let equal = first.key.ends_with("}=") || first.key.ends_with("}==") || first.key.ends_with("}EQ");
    if !equal || terms.iter().any(|other| other.key != first.key || other.list.is_some()) {
        return None;
    }
    let list: Vec<String> = terms.iter().map(|term| term.text.clone()).collect();
    Some(Param { key: first.key.clone(), text: list.join(","), list: Some(list) })
}

/// A text without the brackets around all of it, and without the space around.
fn unbracketed(text: &str) -> &str {
    let mut text = text.trim();
    while let Some(inner) = text.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) {
        // The first bracket closes with the last one: what is between is whole by itself.
        if split_outside_quotes(inner, '\0').is_none() {
            break;
        }
        text = inner.trim();
    }
    text
}

/// `contains(name,'x')`.
fn read_called(key: &str, part: &str) -> Option<Param> {
    let (call, inner) = part.strip_suffix(')')?.split_once('(')?;
    let call = CALLS.iter().find(|known| known.eq_ignore_ascii_case(call.trim()))?;
    let arguments = split_outside_quotes(inner, ',')?;
    let [first, second] = arguments.as_slice() else { return None };
    let (member, value) = if *call == "substringof" { (second, first) } else { (first, second) };
    let (member, value) = (member.trim(), value.trim());
    let plain = unquote(value);
    if !is_word(member) || plain.len() == value.len() {
        return None;
    }
    Some(Param { key: format!("{key}{{{member}}}{call}"), text: plain.to_owned(), list: None })
}

/// `name = 'x'`, `size ge 5`, `id IN ('a','b')`.
fn read_compared(key: &str, part: &str) -> Option<Param> {
    let end = part.find(|character: char| character.is_whitespace() || "=!<>~".contains(character))?;
    let (member, rest) = part.split_at(end);
    let spaced = rest.starts_with(char::is_whitespace);
    let rest = rest.trim_start();
    let word_end = rest.find(|character: char| !character.is_ascii_alphabetic()).unwrap_or(rest.len());
    let word = rest.get(..word_end)?.to_ascii_uppercase();
    let op: &str = match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
        Some(sign) => sign,
        None => WORDS.iter().find(|known| spaced && **known == word)?,
    };
    let value = rest.get(op.len()..)?.trim();
    let member = member.trim_matches(|character| matches!(character, '`' | '"'));
    if member.is_empty() || !is_word(member) || value.is_empty() {
        return None;
    }
    let key = format!("{key}{{{member}}}{op}");
    if op == "IN" {
        let inner = value.strip_prefix('(')?.strip_suffix(')')?;
        let list: Vec<String> =
            split_outside_quotes(inner, ',')?.into_iter().map(|item| unquote(item.trim()).to_owned()).collect();
        return Some(Param { key, text: list.join(","), list: Some(list) });
    }
    let plain = unquote(value);
    let bare = value.parse::<f64>().is_ok() || matches!(value, "true" | "false" | "null");
    // Clocks stand bare in OData.
    let clock = crate::capture::RecordedTime::parse(value).is_some();
    if plain.len() == value.len() && !bare && !clock {
        return None;
    }
    Some(Param { key, text: plain.to_owned(), list: None })
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

/// The parts of a text between any of the joining words, outside quotes and brackets.
fn split_joined<'a>(text: &'a str, words: &[&str]) -> Option<Vec<&'a str>> {
    let upper = text.to_ascii_uppercase();
    let mut parts = Vec::new();
    let (mut start, mut quote, mut depth) = (0, None, 0usize);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            (None, '\'' | '"') => quote = Some(character),
            (Some(open), close) if open == close => quote = None,
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.checked_sub(1)?,
            _ if quote.is_some() || depth > 0 || at < start => {}
            _ => {
                if let Some(word) = words.iter().find(|word| upper[at..].starts_with(**word)) {
                    parts.push(&text[start..at]);
                    start = at + word.len();
                }
            }
        }
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
    #[case::several(r#"["a",1]"#, &["q [a|1]"])]
    #[case::inner_objects(r#"{"a":{"$gt":1},"b":{}}"#, &["q{a}{$gt} 1"])]
    #[case::conditions(r#"{"all":[{"field":"a","operator":"eq","value":"x"}]}"#, &["q{all}{a}[eq] x"])]
    fn json_filters(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Json, text).unwrap(), expected);
    }

    #[rstest]
    #[case("1")]
    #[case("[[1]]")]
    #[case("x")]
    #[case("")]
    #[case::two_objects_in_an_array(r#"{"a":[{"b":1},{"c":1}]}"#)]
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
    #[case("-status:open kind:a", &["q{status}-: open", "q{kind}: a"])]
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
    #[case("(name ~ 'x')", &["q{name}~ x"])]
    #[case("name!~'x' && (n>3)", &["q{name}!~ x", "q{n}> 3"])]
    #[case("(a='x')&&(b='y')", &["q{a}= x", "q{b}= y"])]
    #[case("n>1 && (name='x' || name='y or z')", &["q{n}> 1", "q{name}= [x|y or z]"])]
    #[case("status eq 'a' or status eq 'b'", &["q{status}EQ [a|b]"])]
    #[case("status eq 'open' and n gt 3", &["q{status}EQ open", "q{n}GT 3"])]
    #[case("contains(name,'a b') and done eq true", &["q{name}contains a b", "q{done}EQ true"])]
    #[case("substringof('x', name)", &["q{name}substringof x"])]
    #[case("at ge 2024-01-01T00:00:00Z", &["q{at}GE 2024-01-01T00:00:00Z"])]
    fn comparisons(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Comparison, text).unwrap_or_default(), expected);
    }

    #[rstest]
    #[case("")]
    #[case("name")]
    #[case("name =")]
    #[case("= 'x'")]
    #[case("name = x")]
    #[case::open_quote("name = 'x")]
    #[case::in_without_brackets("id IN 'a'")]
    #[case::a_choice_of_members("name = 'x' OR kind = 'y'")]
    #[case::a_choice_of_bounds("n > 1 OR n > 2")]
    #[case::dangling_and("name = 'x' AND ")]
    fn no_comparison(#[case] text: &str) {
        assert_eq!(inside(Reading::Comparison, text), None);
    }

    #[rstest]
    #[case("eq.open", &["q.eq open"])]
    #[case("not.eq.open", &["q.not.eq open"])]
    #[case("in.(a,\"b,c\")", &["q.in [a|b,c]"])]
    #[case("is.null", &["q.is null"])]
    fn dotted(#[case] text: &str, #[case] expected: &[&str]) {
        assert_eq!(inside(Reading::Dotted, text).unwrap(), expected);
    }

    #[rstest]
    #[case("open")]
    #[case("a.b")]
    #[case("eq.")]
    #[case("in.a")]
    fn not_dotted(#[case] text: &str) {
        assert_eq!(inside(Reading::Dotted, text), None);
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
    #[case::nearly_all(&["a = 1", "b = 2", "c = 3", "d = 4", "a = 1 or b = 2"], Some(Reading::Comparison))]
    #[case::not_nearly_all(&["a = 1", "b = 2", "c = 3", "x", "y"], None)]
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
            for reading in [Reading::Json, Reading::Colon, Reading::Comparison, Reading::Dotted] {
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
