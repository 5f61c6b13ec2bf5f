//! The opt-in template rules, their order, and how a list of them is read.

use super::ManifestError;

/// An opt-in template rule (`decisions.md` 3), in the fixed order in which rules apply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TemplateRule {
    /// The segment after a literal `uid`, `uuid` or `id`.
    AfterUidLiteral,
    /// Eight or more characters, letters and digits mixed so that it is not words and a small number.
    OpaqueToken,
    /// Different literals at one place whose answers have the same shape, or that are one member of a list read at the
    /// parent.
    SiblingVariance,
    /// Siblings that share a prefix up to a separator.
    PrefixVariance,
}

/// The rules that `environment-build` and a capture given alone apply.
pub const DEFAULT_BUILD_RULES: [TemplateRule; 4] = [
    TemplateRule::AfterUidLiteral,
    TemplateRule::OpaqueToken,
    TemplateRule::SiblingVariance,
    TemplateRule::PrefixVariance,
];

impl TemplateRule {
    /// The rule's name: `after-uid-literal`, …
    pub fn word(self) -> &'static str {
        match self {
            Self::AfterUidLiteral => "after-uid-literal",
            Self::OpaqueToken => "opaque-token",
            Self::SiblingVariance => "sibling-variance",
            Self::PrefixVariance => "prefix-variance",
        }
    }
}

/// Reads a list of rule names. A repeated rule is refused; any order is accepted and the fixed order is returned.
///
/// # Errors
/// An unknown or repeated rule, named.
pub fn parse_rules<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Vec<TemplateRule>, ManifestError> {
    todo!("{:?}", words.into_iter().collect::<Vec<_>>())
}
