//! Tool, parameter and argument names (`decisions.md` 3).

use super::limits::MAX_NAME_CHARS;
use super::place::{is_api_word, is_version};
use super::template::{Segment, Template};
use std::collections::{HashMap, HashSet};

/// The singular of an English plural, as far as endings tell.
pub(super) fn singular(word: &str) -> String {
    let lower = word.to_ascii_lowercase();
    let cut = |end: &str, put: &str| {
        lower.ends_with(end).then(|| word.get(..word.len() - end.len()).map(|stem| format!("{stem}{put}"))).flatten()
    };
    if lower.len() <= 3 || lower.ends_with("ss") || lower.ends_with("us") || lower.ends_with("is") {
        return if lower.len() == 3 { cut("s", "").unwrap_or_else(|| word.to_owned()) } else { word.to_owned() };
    }
    cut("people", "person")
        .or_else(|| cut("children", "child"))
        .or_else(|| cut("indices", "index"))
        .or_else(|| cut("statuses", "status"))
        .or_else(|| cut("ies", "y"))
        .or_else(|| cut("sses", "ss"))
        .or_else(|| cut("shes", "sh"))
        .or_else(|| cut("ches", "ch"))
        .or_else(|| cut("xes", "x"))
        .or_else(|| cut("s", ""))
        .unwrap_or_else(|| word.to_owned())
}

/// `snake_case` of any text: letters and digits of ASCII, `_` for everything else and before a capital in camel case.
pub(super) fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut before: Option<char> = None;
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            let hump = c.is_ascii_uppercase() && before.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
            if hump && !out.ends_with('_') {
                out.push('_');
            }
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        before = Some(c);
    }
    out.truncate(out.trim_end_matches('_').len());
    out
}

/// The natural names of a template's parameters, in path order. `found` holds the member that each one's values equal.
/// Of two parameters with one name the earlier is called after the literal before it (`project_id`).
pub(super) fn parameter_names(template: &Template, found: &[Option<String>]) -> Vec<String> {
    let places: Vec<usize> =
        template.segments.iter().enumerate().filter(|(_, s)| s.word().is_some()).map(|(index, _)| index).collect();
    let one_before = |index: usize| {
        template.segments[..index].iter().rev().find_map(|segment| match segment {
            Segment::Literal(text) if !is_version(text) => Some(snake(&singular(text))),
            Segment::Keyed(text) => Some(snake(&singular(text.trim_end_matches('(')))),
            _ => None,
        })
    };
    let mut names = vec![String::new(); places.len()];
    let mut used: HashSet<String> = HashSet::new();
    for (at, index) in places.iter().enumerate().rev() {
        let last = at + 1 == places.len();
        let one = one_before(*index).filter(|one| !one.is_empty());
        let natural = found.get(at).cloned().flatten().filter(|name| !snake(name).is_empty());
        let mut name = match (&natural, &one) {
            (Some(name), _) => name.clone(),
            (None, Some(one)) if !last => format!("{one}_id"),
            _ => "id".to_owned(),
        };
        if used.contains(&name) {
            let generic = natural.as_deref().unwrap_or("id");
            name = one.map_or_else(|| name.clone(), |one| format!("{one}_{generic}"));
        }
        let base = name.clone();
        let mut count = 2;
        while used.contains(&name) {
            name = format!("{base}_{count}");
            count += 1;
        }
        used.insert(name.clone());
        names[at] = name;
    }
    names
}

/// Whether a name can be an argument's: the framework's gateway loses a leading underscore and `model_config`.
fn is_usable(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('_') && name != "model_config" && name.chars().count() <= MAX_NAME_CHARS
}

/// The argument names of one tool's inputs: path parameters first, then query parameters, then the body. `path` gives
/// segment index and natural name.
pub(super) fn argument_names(path: &[(usize, String)], query: &[String]) -> (Vec<String>, Vec<String>, String) {
    let mut used: HashSet<String> = HashSet::new();
    let mut free = |wanted: &[String]| {
        let mut name = wanted.iter().find(|name| is_usable(name) && !used.contains(*name)).cloned();
        let mut count = 2;
        while name.is_none() {
            let base = wanted.last().cloned().unwrap_or_default();
            let next = format!("{base}_{count}");
            name = (!used.contains(&next)).then_some(next);
            count += 1;
        }
        let name = name.unwrap_or_default();
        used.insert(name.clone());
        name
    };
    let path: Vec<String> =
        path.iter().map(|(segment, name)| free(&[name.clone(), format!("path_{segment}")])).collect();
    let query: Vec<String> = query
        .iter()
        .enumerate()
        .map(|(position, name)| {
            let mut wanted = vec![name.clone()];
            if is_usable(name) {
                wanted.push(format!("query_{name}"));
            }
            wanted.push(format!("query_{position}"));
            free(&wanted)
        })
        .collect();
    let body = free(&["body".to_owned(), "request_body".to_owned()]);
    (path, query, body)
}

/// One tool's parts that its name is made of.
pub(super) struct Named<'a> {
    pub method: &'a str,
    pub template: &'a Template,
    pub parameters: &'a [String],
}

/// Unique names for all tools, in their order.
pub(super) fn tool_names(tools: &[Named<'_>]) -> Vec<String> {
    let short: Vec<String> = tools.iter().map(|tool| tool_name(tool, false)).collect();
    let mut counts: HashMap<&str, usize> = HashMap::new();
    // Of the tools that would collide: the whole name when they share it too, so that it tells nothing apart.
    let mut shared: HashMap<&str, Option<String>> = HashMap::new();
    for (tool, name) in tools.iter().zip(&short) {
        *counts.entry(name).or_default() += 1;
        let whole = tool_name(tool, true);
        let held = shared.entry(name).or_insert_with(|| Some(whole.clone()));
        if held.as_ref() != Some(&whole) {
            *held = None;
        }
    }
    let mut used: HashSet<String> = HashSet::new();
    tools
        .iter()
        .zip(&short)
        .map(|(tool, short)| {
            let told_apart = matches!(shared.get(short.as_str()), Some(None));
            let name = if told_apart { tool_name(tool, true) } else { short.clone() };
            let name = cut(&name, MAX_NAME_CHARS);
            let mut unique = name.clone();
            let mut count = 2;
            // A name of another tool is not taken even when that tool comes later.
            while used.contains(&unique)
                || (unique != *short && counts.get(unique.as_str()) == Some(&1))
                || is_reserved(&unique)
            {
                let end = format!("_{count}");
                unique = format!("{}{end}", cut(&name, MAX_NAME_CHARS - end.len()));
                count += 1;
            }
            used.insert(unique.clone());
            unique
        })
        .collect()
}

/// A name that the framework's gateway keeps for itself.
fn is_reserved(name: &str) -> bool {
    name == "list_website_urls"
}

fn tool_name(tool: &Named<'_>, whole: bool) -> String {
    let mut parts = vec![snake(tool.method)];
    let literals = || {
        tool.template.segments.iter().enumerate().filter_map(|(index, segment)| match segment {
            Segment::Literal(text) | Segment::Keyed(text) => Some((index, text.as_str())),
            Segment::Format(_) | Segment::Rule(_) => None,
        })
    };
    let introduces = |index: usize, text: &str| {
        is_api_word(text)
            || is_version(text)
            || (index > 0
                && text.bytes().all(|byte| byte.is_ascii_digit())
                && matches!(tool.template.segments.get(index - 1), Some(Segment::Literal(before)) if is_api_word(before)))
    };
    parts.extend(literals().filter(|(index, text)| whole || !introduces(*index, text)).map(|(_, text)| snake(text)));
    if parts.iter().skip(1).all(String::is_empty) {
        parts.extend(literals().map(|(_, text)| snake(text)));
        if parts.iter().skip(1).all(String::is_empty) && tool.parameters.is_empty() {
            parts.push("root".to_owned());
        }
    }
    for parameter in tool.parameters {
        parts.push("by".to_owned());
        parts.push(snake(parameter));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("_")
}

/// At most `limit` characters, cut at a word where that keeps most of it.
fn cut(name: &str, limit: usize) -> String {
    if name.len() <= limit {
        return name.to_owned();
    }
    let head = name.get(..limit).unwrap_or(name);
    let end = head.rfind('_').filter(|at| *at * 2 > limit).unwrap_or(head.len());
    head[..end].to_owned()
}

/// The name of an application by the host of its origin: kebab-case, at most 64 characters.
pub(super) fn application_name(origin: &str) -> String {
    let host = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    let host = match host.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => host,
    };
    let mut out = String::new();
    for c in host.trim_end_matches('.').chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('-') {
            out.push('-');
        }
    }
    out.truncate(MAX_NAME_CHARS);
    let name = out.trim_matches('-');
    if name.is_empty() { "application".to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("users", "user")]
    #[case("policies", "policy")]
    #[case("statuses", "status")]
    #[case("boxes", "box")]
    #[case("branches", "branch")]
    #[case("address", "address")]
    #[case("status", "status")]
    #[case("analysis", "analysis")]
    #[case("people", "person")]
    #[case("work_pools", "work_pool")]
    #[case("bus", "bu")]
    #[case("news", "new")]
    #[case("s", "s")]
    fn singulars(#[case] word: &str, #[case] expected: &str) {
        assert_eq!(singular(word), expected);
    }

    #[rstest]
    #[case("userGroups", "user_groups")]
    #[case("HTTPServer", "httpserver")]
    #[case("admin-ajax.php", "admin_ajax_php")]
    #[case("--x--y--", "x_y")]
    #[case("käse", "k_se")]
    #[case("v2Beta", "v2_beta")]
    #[case("%20", "20")]
    fn snake_case(#[case] text: &str, #[case] expected: &str) {
        assert_eq!(snake(text), expected);
    }

    #[rstest]
    #[case("https://Shop.Example.com", "shop-example-com")]
    #[case("http://127.0.0.1:9106", "127-0-0-1")]
    #[case("http://[::1]:80", "1")]
    #[case("http://localhost:3000", "localhost")]
    #[case("http://", "application")]
    fn application_names(#[case] origin: &str, #[case] expected: &str) {
        assert_eq!(application_name(origin), expected);
    }
}
