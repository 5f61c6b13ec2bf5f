//! Path templates: literal and parameter segments, spelled `/api/users/{numeric}` everywhere.

use super::rules::TemplateRule;
use super::segment::{SegmentFormat, decode_once, split_path};

/// One segment of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The raw text, as recorded.
    Literal(String),
    /// A parameter found by a format rule: its values must fit the format once decoded.
    Format(SegmentFormat),
    /// A parameter found by an opt-in rule: any non-empty segment fits.
    Rule(TemplateRule),
    /// A key in parentheses after the name of a set, found by `prefix-variance`: `Users('anna')` is spelled
    /// `Users({prefix-variance})`. The whole segment is the parameter's value; it must start with the name (held here
    /// decoded, with its parenthesis) and end with a parenthesis.
    Keyed(String),
}

impl Segment {
    /// The text of a literal that is not empty; `None` for a parameter.
    pub fn literal(&self) -> Option<&str> {
        match self {
            Self::Literal(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// The word of a parameter segment (`numeric`, `sibling-variance`); `None` for a literal.
    pub fn word(&self) -> Option<&'static str> {
        match self {
            Self::Literal(_) => None,
            Self::Format(format) => Some(format.word()),
            Self::Rule(rule) => Some(rule.word()),
            Self::Keyed(_) => Some(TemplateRule::PrefixVariance.word()),
        }
    }

    /// The parameter segment called `word`.
    pub fn from_word(word: &str) -> Option<Self> {
        SegmentFormat::from_word(word).map(Self::Format).or_else(|| TemplateRule::from_word(word).map(Self::Rule))
    }

    /// Whether a raw segment fits.
    pub fn fits(&self, raw: &str) -> bool {
        match self {
            Self::Literal(text) => text == raw || decode_once(text) == decode_once(raw),
            Self::Format(format) => format.fits(&decode_once(raw)),
            Self::Rule(_) => !raw.is_empty(),
            Self::Keyed(prefix) => {
                let decoded = decode_once(raw);
                decoded.len() > prefix.len() && decoded.starts_with(prefix.as_str()) && decoded.ends_with(')')
            }
        }
    }
}

/// A path template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Template {
    /// Segments in path order; a trailing slash is a last empty literal.
    pub segments: Vec<Segment>,
}

impl Template {
    /// The spelling, such as `/api/users/{numeric}`; opt-in rules are spelled by their name (`{sibling-variance}`).
    pub fn spelling(&self) -> String {
        let mut out = String::new();
        for segment in &self.segments {
            out.push('/');
            let word = segment.word().unwrap_or_default();
            match segment {
                Segment::Literal(text) => out.push_str(text),
                Segment::Format(_) | Segment::Rule(_) => out.extend(["{", word, "}"]),
                Segment::Keyed(prefix) => out.extend([prefix, "{", word, "})"]),
            }
        }
        out
    }

    /// The raw parameter segments when `path` fits: the number of segments is equal, literals are equal (as written or
    /// decoded), format parameters fit once decoded. `None` when it does not fit.
    pub fn matches<'a>(&self, path: &'a str) -> Option<Vec<&'a str>> {
        let raw = split_path(path);
        if raw.len() != self.segments.len() {
            return None;
        }
        let mut parameters = Vec::new();
        for (segment, raw) in self.segments.iter().zip(raw) {
            if !segment.fits(raw) {
                return None;
            }
            if segment.word().is_some() {
                parameters.push(raw);
            }
        }
        Some(parameters)
    }

    /// Number of literal segments: the measure of a better match.
    pub fn literal_count(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment, Segment::Literal(_))).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn template(words: &[&str]) -> Template {
        let segment = |word: &&str| match word.strip_suffix("{key}") {
            Some(prefix) => Segment::Keyed(prefix.to_owned()),
            None => plain(word),
        };
        fn plain(word: &str) -> Segment {
            match word.strip_prefix('{').and_then(|word| word.strip_suffix('}')) {
                Some(word) => Segment::from_word(word).unwrap(),
                None => Segment::Literal(word.to_owned()),
            }
        }
        Template { segments: words.iter().map(segment).collect() }
    }

    #[rstest]
    #[case(&["api", "users", "{numeric}"], "/api/users/{numeric}")]
    #[case(&["api", "dashboards", "uid", "{after-uid-literal}"], "/api/dashboards/uid/{after-uid-literal}")]
    #[case(&["posts", "{hex}", ""], "/posts/{hex}/")]
    #[case(&["", "api"], "//api")]
    #[case(&["odata", "Users({key}", "Orders"], "/odata/Users({prefix-variance})/Orders")]
    #[case(&[""], "/")]
    fn spellings(#[case] words: &[&str], #[case] spelling: &str) {
        assert_eq!(template(words).spelling(), spelling);
    }

    #[rstest]
    #[case(&["api", "users", "{numeric}"], "/api/users/7", Some(vec!["7"]))]
    #[case(&["api", "users", "{numeric}"], "/api/users/%37", Some(vec!["%37"]))]
    #[case(&["api", "users", "{numeric}"], "/api/users/me", None)]
    #[case(&["api", "users", "{numeric}"], "/api/users/7/", None)]
    #[case(&["api", "users", "{sibling-variance}"], "/api/users/", None)]
    #[case(&["api", "users", "{sibling-variance}"], "/api/users/%2F", Some(vec!["%2F"]))]
    #[case(&["odata", "Users({key}"], "/odata/Users('anna')", Some(vec!["Users('anna')"]))]
    #[case(&["odata", "Users({key}"], "/odata/Users(%27anna%27)", Some(vec!["Users(%27anna%27)"]))]
    #[case(&["odata", "Users({key}"], "/odata/Users", None)]
    #[case(&["odata", "Users({key}"], "/odata/Products(1)", None)]
    #[case(&["a%20b"], "/a b", Some(vec![]))]
    #[case(&["a", "b"], "/a//b", None)]
    fn matching(#[case] words: &[&str], #[case] path: &str, #[case] expected: Option<Vec<&str>>) {
        assert_eq!(template(words).matches(path), expected);
    }
}
