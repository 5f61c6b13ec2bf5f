//! A parameter that asks for another representation of the items and lists.

use super::*;

/// A parameter that asks for another representation of the items and lists.
pub struct Variant;

impl Behaviour for Variant {
    fn name(&self) -> &'static str {
        "variant"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["variant", "projection"]
    }

    fn trim(&self, _world: &World, pairs: &[(String, String)], _view: View, shown: &mut Json) {
        if pairs.iter().any(|(name, value)| name == "view" && value == "brief")
            && let Json::Obj(members) = shown
        {
            members.truncate(2);
            members.push(("brief".into(), true.into()));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[&[("view", "brief")], &[("view", "full")]],
            Phase::ProbeReads => &[&[("view", "brief")], &[("view", "full")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("view", "brief")], &[("view", "full")]],
        };
        let ask = |recorder: &mut Recorder| {
            let path = recorder.main_list(BOOK);
            for query in queries {
                recorder.query(&path, query);
            }
        };
        ask(recorder);
        if phase == Phase::Writes {
            asking::between_writes(recorder, ask);
        }
    }
}
