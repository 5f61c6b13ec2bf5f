//! One-of and exclusion lists of identities beside plain sizes.

use super::*;

/// One-of and exclusion lists of identities beside plain sizes.
pub struct IdList;

impl Behaviour for IdList {
    fn name(&self) -> &'static str {
        "id_list"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].paging = asking::paging(PagingStyle::Offset("offset"), "max", None);
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        if let Some(ids) = listing.parameter("ids").map(str::to_string) {
            listing.retain(world, |book| asking::compares(book, "id", "in", &ids));
        }
        if let Some(ids) = listing.parameter("exclude_ids").map(str::to_string) {
            listing.retain(world, |book| !asking::compares(book, "id", "in", &ids));
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"ids=1,3"#,
            r#"ids=2,5,9"#,
            r#"ids=4"#,
            r#"exclude_ids=1,2"#,
            r#"exclude_ids=5"#,
            r#"max=3"#,
            r#"max=2&offset=2"#,
            r#"ids=1,77"#,
        ];
        let probes = &[
            r#"ids=3,6"#,
            r#"ids=8"#,
            r#"exclude_ids=3,9"#,
            r#"ids=1,2,3&max=2"#,
            r#"max=4&offset=4"#,
            r#"exclude_ids=7"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
