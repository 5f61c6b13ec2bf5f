//! A parameter that never changes an answer.

use super::*;

/// A parameter that never changes an answer.
pub struct IgnoredParameter;

impl Behaviour for IgnoredParameter {
    fn name(&self) -> &'static str {
        "ignored_parameter"
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[&[("pretty", "1")], &[("pretty", "0")]],
            Phase::ProbeReads => &[&[("pretty", "1")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("pretty", "1")], &[("pretty", "0")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
