//! The collection that a path names: where its entities' identities live.

use crate::manifest::{Segment, Template, decode_once};

/// The collections of one request line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The collection whose entities the answer shows: the path itself, or the path before a last parameter.
    pub(crate) collection: String,
    /// For each path parameter, in template order: the collection it is an identity of, and its decoded value.
    pub(crate) parameters: Vec<(String, String)>,
    /// Whether the last segment is a parameter: the call names one entity.
    pub(crate) is_item: bool,
}

/// Reads the collections of a live path. Literal segments stay as the route writes them; parent values are decoded once;
/// one trailing slash is not part of a collection's name.
pub(crate) fn place(template: &Template, segments: &[&str]) -> Place {
    let mut path = String::new();
    let mut parameters = Vec::new();
    let mut values = segments.iter();
    let mut before_last_parameter = None;
    for (index, segment) in template.segments.iter().enumerate() {
        let last = index + 1 == template.segments.len();
        match segment {
            Segment::Literal(literal) if last && literal.is_empty() => {}
            Segment::Literal(literal) => {
                path.push('/');
                path.push_str(literal);
                before_last_parameter = None;
            }
            Segment::Format(_) | Segment::Rule(_) | Segment::Keyed(_) => {
                let decoded = values.next().map(|raw| decode_once(raw).into_owned()).unwrap_or_default();
                before_last_parameter = Some(path.len());
                parameters.push((path.clone(), decoded.clone()));
                path.push('/');
                path.push_str(&decoded);
            }
        }
    }
    let is_item = before_last_parameter.is_some();
    path.truncate(before_last_parameter.unwrap_or(path.len()));
    Place { collection: path, parameters, is_item }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::{SegmentFormat, TemplateRule};

    fn literal(text: &str) -> Segment {
        Segment::Literal(text.to_owned())
    }

    #[test]
    fn a_nested_collection_keeps_its_decoded_parents() {
        let template = Template {
            segments: vec![
                literal("api"),
                literal("vhosts"),
                Segment::Rule(TemplateRule::SiblingVariance),
                literal("queues"),
                Segment::Format(SegmentFormat::Numeric),
                literal(""),
            ],
        };
        let place = place(&template, &["%2Fa", "5"]);
        assert_eq!(place.collection, "/api/vhosts//a/queues");
        assert_eq!(
            place.parameters,
            [("/api/vhosts".to_owned(), "/a".to_owned()), ("/api/vhosts//a/queues".to_owned(), "5".to_owned())]
        );
        assert!(place.is_item);
    }

    #[test]
    fn a_list_names_itself() {
        let template = Template { segments: vec![literal("api"), literal("users"), literal("")] };
        let place = place(&template, &[]);
        assert_eq!((place.collection.as_str(), place.is_item), ("/api/users", false));
    }
}
