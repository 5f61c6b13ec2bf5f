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
pub const DEFAULT_BUILD_RULES: [TemplateRule; 4] = TemplateRule::ALL;

impl TemplateRule {
    /// All rules in their fixed order.
    pub const ALL: [Self; 4] = [Self::AfterUidLiteral, Self::OpaqueToken, Self::SiblingVariance, Self::PrefixVariance];

    /// The rule's name: `after-uid-literal`, …
    pub fn word(self) -> &'static str {
        match self {
            Self::AfterUidLiteral => "after-uid-literal",
            Self::OpaqueToken => "opaque-token",
            Self::SiblingVariance => "sibling-variance",
            Self::PrefixVariance => "prefix-variance",
        }
    }

    /// The rule called `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.word() == word)
    }
}

/// Reads a list of rule names. A repeated rule is refused; any order is accepted and the fixed order is returned.
///
/// # Errors
/// An unknown or repeated rule, named.
pub fn parse_rules<'a>(words: impl IntoIterator<Item = &'a str>) -> Result<Vec<TemplateRule>, ManifestError> {
    let mut rules = Vec::new();
    for word in words {
        let rule = TemplateRule::from_word(word).ok_or_else(|| ManifestError::UnknownRule { rule: word.to_owned() })?;
        if rules.contains(&rule) {
            return Err(ManifestError::RepeatedRule { rule: word.to_owned() });
        }
        rules.push(rule);
    }
    rules.sort();
    Ok(rules)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_order_becomes_the_fixed_one() {
        let rules = parse_rules(["prefix-variance", "opaque-token", "after-uid-literal"]).unwrap();
        assert_eq!(rules, [TemplateRule::AfterUidLiteral, TemplateRule::OpaqueToken, TemplateRule::PrefixVariance]);
        assert_eq!(parse_rules([]).unwrap(), []);
    }

    #[test]
    fn refuses_what_it_does_not_know_and_what_is_repeated() {
        assert!(matches!(
            parse_rules(["opaque-token", "opaque-token"]),
            Err(ManifestError::RepeatedRule { rule }) if rule == "opaque-token"
        ));
        assert!(matches!(
            parse_rules(["numeric"]),
            Err(ManifestError::UnknownRule { rule }) if rule == "numeric"
        ));
    }
}
