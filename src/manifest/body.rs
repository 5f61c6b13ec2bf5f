//! Value-free shapes of request bodies: top-level member names and JSON types, never a value.

use super::types::BodyShape;
use crate::capture::Request;
use crate::json::Value;
use std::collections::HashMap;

/// Collects the shape of several recorded bodies.
#[derive(Debug, Default)]
pub(super) struct BodyCollector {
    shape: BodyShape,
    index: HashMap<String, usize>,
    recorded: bool,
}

impl BodyCollector {
    /// Takes one request's body.
    pub fn take(&mut self, request: &Request) {
        let Some(text) = request.body.text() else {
            if request.body.is_recorded() {
                self.recorded = true;
                self.shape.texts = true;
            }
            return;
        };
        if text.is_empty() {
            return;
        }
        self.recorded = true;
        let media =
            request.content_type.as_deref().unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
        let trimmed = text.strip_prefix('\u{feff}').unwrap_or(text);
        // A JSON body that is labelled as a form is JSON: its text decides.
        if let Ok(value) = crate::json::parse(trimmed.as_bytes()) {
            let form_scalar = media == "application/x-www-form-urlencoded"
                && !matches!(value.plain(), Value::Object(_) | Value::Array(_));
            if !form_scalar {
                return self.take_json(&value);
            }
        }
        if media == "application/x-www-form-urlencoded" || (media.is_empty() && looks_like_form(trimmed)) {
            self.shape.forms = true;
            for (name, _) in form_urlencoded::parse(trimmed.as_bytes()) {
                self.member(&name, "string");
            }
        } else if media == "multipart/form-data" {
            self.shape.forms = true;
            for name in multipart_names(trimmed) {
                self.member(name, "string");
            }
        } else {
            self.shape.texts = true;
        }
    }

    fn take_json(&mut self, value: &Value) {
        match value.plain() {
            Value::Object(object) => {
                for (name, value) in object {
                    self.member(&name.to_display(), value.type_name());
                }
            }
            Value::Array(_) => self.shape.arrays = true,
            _ => self.shape.texts = true,
        }
    }

    fn member(&mut self, name: &str, kind: &'static str) {
        let index = match self.index.get(name) {
            Some(index) => *index,
            None => {
                self.shape.members.push((name.to_owned(), Vec::new()));
                self.index.insert(name.to_owned(), self.shape.members.len() - 1);
                self.shape.members.len() - 1
            }
        };
        if let Some((_, kinds)) = self.shape.members.get_mut(index).filter(|(_, kinds)| !kinds.contains(&kind)) {
            kinds.push(kind);
        }
    }

    /// The shape: of a write method always, of another one when it had a body.
    pub fn finish(self, method: &str) -> Option<BodyShape> {
        (self.recorded || matches!(method, "POST" | "PUT" | "PATCH")).then_some(self.shape)
    }
}

/// Whether text without a media type is form fields: `name=value` pairs and no white space.
fn looks_like_form(text: &str) -> bool {
    !text.contains(char::is_whitespace)
        && text.split('&').all(|pair| pair.split_once('=').is_some_and(|(name, _)| !name.is_empty()))
}

/// The field names of a multipart body, as its part headers give them.
fn multipart_names(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (header, rest) = line.split_once(':')?;
        if !header.eq_ignore_ascii_case("content-disposition") {
            return None;
        }
        rest.split(';').find_map(|part| part.trim().strip_prefix("name=").map(|name| name.trim_matches('"')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::Body;
    use rstest::rstest;

    fn shape(bodies: &[(&str, &str)]) -> Option<BodyShape> {
        let mut collector = BodyCollector::default();
        for (media, text) in bodies {
            collector.take(&Request {
                method: "POST".into(),
                origin: "http://a".into(),
                path: "/".into(),
                query: None,
                content_type: (!media.is_empty()).then(|| (*media).to_owned()),
                body: Body::Text((*text).into()),
            });
        }
        collector.finish("DELETE")
    }

    fn members(shape: &BodyShape) -> Vec<(&str, &[&str])> {
        shape.members.iter().map(|(name, kinds)| (name.as_str(), kinds.as_slice())).collect()
    }

    #[test]
    fn members_and_types_in_order_of_observation() {
        let shape = shape(&[
            ("application/json", r#"{"b":1,"a":"x"}"#),
            ("application/json", r#"{"a":null,"c":[1],"d":{"e":true}}"#),
        ])
        .unwrap();
        let expected: [(&str, &[&str]); 4] =
            [("b", &["number"]), ("a", &["string", "null"]), ("c", &["array"]), ("d", &["object"])];
        assert_eq!(members(&shape), expected);
        assert!(!shape.arrays && !shape.texts && !shape.forms);
    }

    #[rstest]
    #[case("application/json", "[1]", (true, false, false))]
    #[case("application/json", "\"x\"", (false, true, false))]
    #[case("text/plain", "hello", (false, true, false))]
    #[case("application/x-www-form-urlencoded", "a=1&b=2", (false, false, true))]
    #[case("application/x-www-form-urlencoded", "{\"a\":1}", (false, false, false))]
    #[case("", "a=1", (false, false, true))]
    #[case("", "a = 1", (false, true, false))]
    #[case("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\n1\r\n--x--", (false, false, true))]
    fn kinds(#[case] media: &str, #[case] text: &str, #[case] expected: (bool, bool, bool)) {
        let shape = shape(&[(media, text)]).unwrap();
        assert_eq!((shape.arrays, shape.texts, shape.forms), expected);
    }

    #[test]
    fn a_delete_has_a_body_only_where_one_was_recorded() {
        assert_eq!(shape(&[]), None);
        assert_eq!(shape(&[("application/json", "")]), None);
        assert!(shape(&[("application/json", r#"{"ids":[1]}"#)]).is_some());
        assert!(BodyCollector::default().finish("PUT").is_some());
    }
}
