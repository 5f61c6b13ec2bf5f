//! A list of the members to show.

use super::*;

/// A list of the members to show.
pub struct Projection;

impl Behaviour for Projection {
    fn name(&self) -> &'static str {
        "projection"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["projection"]
    }

    fn trim(&self, world: &World, pairs: &[(String, String)], _view: View, shown: &mut Json) {
        let Some((_, fields)) = pairs.iter().find(|(name, _)| name == "fields") else { return };
        if let Json::Obj(members) = shown {
            let id = world.spec.types[BOOK].id_member;
            members.retain(|(name, _)| name == id || fields.split(',').any(|field| field == name));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[&[("fields", "name")], &[("fields", "name,status")], &[("fields", "pages,author")]],
            Phase::ProbeReads => &[&[("fields", "status")], &[("fields", "name,pages")], &[("fields", "author")]],
            Phase::Writes | Phase::ProbeCrud => &[&[("fields", "name")], &[("fields", "name,status")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
