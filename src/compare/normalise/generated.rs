//! Generated texts: compared by their format, only at the pointers where the served write's rules say that the
//! application generates, and only while equal stays equal and different stays different within one answer.

use std::collections::HashMap;

use crate::compare::limits::MIN_TOKEN_CHARS;

/// How a member is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GeneratedKind {
    /// A UUID of a new entity (`unique`, `uuid`).
    Uuid,
    /// A new UUID or token at every write (`renewed`).
    Renewed,
    /// A token or a text sequence (`token`, `sequence`).
    Token,
}

/// One step of a pointer, knowing whether it goes into an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathStep<'a> {
    /// A member of an object.
    Member(&'a str),
    /// An item of an array.
    Item(usize),
}

/// The generation facts of one answer and the correspondences met so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Generated {
    rules: Vec<(Vec<String>, GeneratedKind)>,
    by_live: HashMap<String, String>,
    by_environment: HashMap<String, String>,
    log: Vec<(String, String)>,
}

/// What the rules say about two values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// No rule covers the place: compare literally.
    NoRule,
    /// Both are generated values of one format that correspond.
    Admitted(GeneratedKind),
    /// A rule covers the place and the values do not fit it, or an alias or a distinction was lost.
    Refused,
}

impl Generated {
    /// The facts of a reply: pointer patterns, where `*` matches an item of an array, and the word of the kind. Words that
    /// name no generation of texts are ignored.
    pub(crate) fn new(facts: &[(String, &'static str)]) -> Self {
        let rules = facts
            .iter()
            .filter_map(|(pointer, kind)| {
                let kind = match *kind {
                    "unique" | "uuid" => GeneratedKind::Uuid,
                    "renewed" => GeneratedKind::Renewed,
                    "token" | "sequence" => GeneratedKind::Token,
                    _ => return None,
                };
                Some((pointer_tokens(pointer)?, kind))
            })
            .collect();
        Self { rules, ..Self::default() }
    }

    /// Whether no place is generated.
    pub(crate) fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// Judges two texts at a place, and remembers the correspondence of those it admits.
    pub(crate) fn admit(&mut self, path: &[PathStep<'_>], live: &str, environment: &str) -> Admission {
        let Some(kind) = self.rules.iter().find(|(tokens, _)| covers(tokens, path)).map(|(_, kind)| *kind) else {
            return Admission::NoRule;
        };
        let uuids = is_uuid(live) && is_uuid(environment);
        let fits = match kind {
            GeneratedKind::Uuid => uuids,
            GeneratedKind::Renewed => {
                uuids || (!is_uuid(live) && !is_uuid(environment) && same_token_format(live, environment))
            }
            GeneratedKind::Token => same_token_format(live, environment),
        };
        // Equal texts agree whatever their format; they still take part in aliases.
        if !fits && live != environment {
            return Admission::Refused;
        }
        let (ours, theirs) = if uuids {
            (live.to_ascii_lowercase(), environment.to_ascii_lowercase())
        } else {
            (live.to_owned(), environment.to_owned())
        };
        let known = (self.by_live.get(&ours), self.by_environment.get(&theirs));
        match known {
            (None, None) => {
                self.by_live.insert(ours.clone(), theirs.clone());
                self.by_environment.insert(theirs.clone(), ours.clone());
                self.log.push((ours, theirs));
            }
            (Some(held), _) if *held == theirs => {}
            _ => return Admission::Refused,
        }
        Admission::Admitted(if uuids { GeneratedKind::Uuid } else { GeneratedKind::Token })
    }

    /// A point to come back to with [`Self::rollback`].
    pub(crate) fn mark(&self) -> usize {
        self.log.len()
    }

    /// Forgets the correspondences made since `mark`.
    pub(crate) fn rollback(&mut self, mark: usize) {
        while self.log.len() > mark {
            if let Some((ours, theirs)) = self.log.pop() {
                self.by_live.remove(&ours);
                self.by_environment.remove(&theirs);
            }
        }
    }
}

fn pointer_tokens(pointer: &str) -> Option<Vec<String>> {
    if pointer.is_empty() {
        return Some(Vec::new());
    }
    let tokens = pointer.strip_prefix('/')?;
    Some(tokens.split('/').map(|token| token.replace("~1", "/").replace("~0", "~")).collect())
}

fn covers(tokens: &[String], path: &[PathStep<'_>]) -> bool {
    tokens.len() == path.len()
        && tokens.iter().zip(path).all(|(token, step)| match step {
            PathStep::Member(name) => token == name,
            PathStep::Item(index) => token == "*" || token.parse() == Ok(*index),
        })
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Equal length of at least eight characters, the same classes of characters (small letters, capitals, digits, others),
/// and a digit.
fn same_token_format(live: &str, environment: &str) -> bool {
    let classes = |text: &str| {
        text.chars().fold([false; 4], |mut classes, character| {
            let class = match character {
                character if character.is_lowercase() => 0,
                character if character.is_uppercase() => 1,
                character if character.is_ascii_digit() => 2,
                _ => 3,
            };
            classes[class] = true;
            classes
        })
    };
    let length = live.chars().count();
    length >= MIN_TOKEN_CHARS
        && length == environment.chars().count()
        && classes(live) == classes(environment)
        && classes(live)[2]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    const A: &str = "0b2f41de-1111-4aaa-8bbb-000000000001";
    const B: &str = "9c3e52cf-2222-4ccc-9ddd-000000000002";
    const C: &str = "11111111-2222-4ccc-9ddd-000000000003";

    fn at(name: &str) -> [PathStep<'_>; 1] {
        [PathStep::Member(name)]
    }

    fn facts(kind: &'static str) -> Generated {
        Generated::new(&[("/x".to_owned(), kind), ("/y".to_owned(), kind)])
    }

    #[rstest]
    #[case::uuids("unique", A, B, Admission::Admitted(GeneratedKind::Uuid))]
    #[case::identity_rule("uuid", A, B, Admission::Admitted(GeneratedKind::Uuid))]
    #[case::a_unique_rule_needs_two_uuids("unique", A, "abc12345", Admission::Refused)]
    #[case::a_unique_rule_takes_no_tokens("unique", "abc12345", "xyz98765", Admission::Refused)]
    #[case::renewed_uuid("renewed", A, B, Admission::Admitted(GeneratedKind::Uuid))]
    #[case::renewed_token("renewed", "abc12345", "xyz98765", Admission::Admitted(GeneratedKind::Token))]
    #[case::renewed_mixes_nothing("renewed", A, "abc12345", Admission::Refused)]
    #[case::token("token", "abc12345", "xyz98765", Admission::Admitted(GeneratedKind::Token))]
    #[case::sequence_text("sequence", "INV-0001", "INV-0002", Admission::Admitted(GeneratedKind::Token))]
    #[case::too_short("token", "abc1234", "xyz9876", Admission::Refused)]
    #[case::other_length("token", "abc12345", "xyz987654", Admission::Refused)]
    #[case::other_classes("token", "abc12345", "XYZ98765", Admission::Refused)]
    #[case::no_digit("token", "abcdefgh", "ijklmnop", Admission::Refused)]
    #[case::no_text_generation("clock", "abc12345", "xyz98765", Admission::NoRule)]
    fn formats(#[case] kind: &'static str, #[case] live: &str, #[case] environment: &str, #[case] expected: Admission) {
        assert_eq!(facts(kind).admit(&at("x"), live, environment), expected);
    }

    #[test]
    fn elsewhere_nothing_is_generated() {
        assert_eq!(facts("token").admit(&at("token"), "abc12345", "xyz98765"), Admission::NoRule);
    }

    #[test]
    fn aliases_and_distinctions_are_kept() {
        let mut lost_alias = facts("unique");
        assert!(matches!(lost_alias.admit(&at("x"), A, B), Admission::Admitted(_)));
        assert_eq!(lost_alias.admit(&at("y"), A, C), Admission::Refused);
        let mut lost_distinction = facts("unique");
        assert!(matches!(lost_distinction.admit(&at("x"), A, B), Admission::Admitted(_)));
        assert_eq!(lost_distinction.admit(&at("y"), C, B), Admission::Refused);
        let mut kept = facts("unique");
        assert!(matches!(kept.admit(&at("x"), A, B), Admission::Admitted(_)));
        assert!(matches!(kept.admit(&at("y"), &A.to_uppercase(), B), Admission::Admitted(_)), "UUIDs ignore case");
        let mut token_case = facts("token");
        assert!(matches!(token_case.admit(&at("x"), "abcD1234", "efgH5678"), Admission::Admitted(_)));
        assert_eq!(token_case.admit(&at("y"), "abCd1234", "efgH5678"), Admission::Refused, "tokens do not");
    }

    #[test]
    fn a_star_matches_items_and_no_member() {
        let mut generated = Generated::new(&[("/nodes/*/id".to_owned(), "renewed")]);
        let item = [PathStep::Member("nodes"), PathStep::Item(3), PathStep::Member("id")];
        let member = [PathStep::Member("nodes"), PathStep::Member("3"), PathStep::Member("id")];
        assert!(matches!(generated.admit(&item, A, B), Admission::Admitted(_)));
        assert_eq!(generated.admit(&member, A, B), Admission::NoRule);
    }

    #[test]
    fn a_rollback_forgets_correspondences() {
        let mut generated = facts("unique");
        let mark = generated.mark();
        assert!(matches!(generated.admit(&at("x"), A, B), Admission::Admitted(_)));
        generated.rollback(mark);
        assert!(matches!(generated.admit(&at("x"), A, C), Admission::Admitted(_)));
    }
}
