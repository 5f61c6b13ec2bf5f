//! Path templates: literal and parameter segments, spelled `/api/users/{numeric}` everywhere.

use super::rules::TemplateRule;
use super::segment::SegmentFormat;

/// One segment of a template.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Segment {
    /// The raw text, as recorded.
    Literal(String),
    /// A parameter found by a format rule: its values must fit the format once decoded.
    Format(SegmentFormat),
    /// A parameter found by an opt-in rule: any non-empty segment fits.
    Rule(TemplateRule),
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
        todo!()
    }

    /// The raw parameter segments when `path` fits: the number of segments is equal, literals are equal (as written or
    /// decoded), format parameters fit once decoded. `None` when it does not fit.
    pub fn matches<'a>(&self, path: &'a str) -> Option<Vec<&'a str>> {
        todo!("{path}")
    }

    /// Number of literal segments: the measure of a better match.
    pub fn literal_count(&self) -> usize {
        self.segments.iter().filter(|segment| matches!(segment, Segment::Literal(_))).count()
    }
}
