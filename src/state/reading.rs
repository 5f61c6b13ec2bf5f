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
                if value.len() == rest.len() && rest.contains(['(', ')', '[', ']', '\'']) {
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

fn unquote(text: &str) -> &str {
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
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
