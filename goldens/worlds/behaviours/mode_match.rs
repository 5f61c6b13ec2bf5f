//! A name filter whose way of comparing is another parameter.

use super::*;

/// A name filter whose way of comparing is another parameter.
pub struct ModeMatch;

impl Behaviour for ModeMatch {
    fn name(&self) -> &'static str {
        "mode_match"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["search"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(text) = listing.parameter("name").map(str::to_string) else { return };
        let test = match listing.parameter("match") {
            Some("prefix") => "starts",
            Some("contains") => "contains",
            _ => "eq",
        };
        listing.retain(world, |book| asking::compares(book, "name", test, &text));
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"name=Narrow castle&match=exact"#,
            r#"name=Olive kettle&match=exact"#,
            r#"name=Narrow&match=exact"#,
            r#"name=O&match=prefix"#,
            r#"name=Nar&match=prefix"#,
            r#"name=er&match=contains"#,
            r#"name=castle&match=contains"#,
            r#"name=Castle&match=contains"#,
        ];
        let probes = &[
            r#"name=Linen timber&match=exact"#,
            r#"name=Co&match=prefix"#,
            r#"name=an&match=contains"#,
            r#"name=timber&match=contains"#,
            r#"name=er&match=prefix"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
