//! A search by the whole name, or by a part of it when another parameter says so.

use super::*;

/// A search by the whole name, or by a part of it when another parameter says so.
pub struct ModePartial;

impl Behaviour for ModePartial {
    fn name(&self) -> &'static str {
        "mode_partial"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["search"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(text) = listing.parameter("q").map(str::to_string) else { return };
        let test = if listing.parameter("partial") == Some("true") { "icontains" } else { "eq" };
        listing.retain(world, |book| asking::compares(book, "name", test, &text));
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            r#"q=Narrow castle"#,
            r#"q=narrow"#,
            r#"q=Olive kettle"#,
            r#"q=er&partial=true"#,
            r#"q=OLIVE&partial=true"#,
            r#"q=castle&partial=true"#,
            r#"q=zebra&partial=true"#,
            r#"q=er&partial=false"#,
        ];
        let probes = &[
            r#"q=Linen timber"#,
            r#"q=linen"#,
            r#"q=an&partial=true"#,
            r#"q=TIMBER&partial=true"#,
            r#"q=nothing&partial=true"#,
            r#"q=Copper anchor&partial=false"#,
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
