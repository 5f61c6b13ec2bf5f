//! A star stands for any text.

use super::*;

/// A star stands for any text.
pub struct Wildcards;

impl Behaviour for Wildcards {
    fn name(&self) -> &'static str {
        "wildcards"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["search"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(pattern) = listing.parameter("name").map(str::to_string) else { return };
        listing.retain(world, |book| {
            let name = book.member("name").text();
            match (pattern.strip_prefix('*'), pattern.strip_suffix('*')) {
                (Some(_), Some(_)) => name.contains(pattern.trim_matches('*')),
                (Some(end), None) => name.ends_with(end),
                (None, Some(start)) => name.starts_with(start),
                (None, None) => name == pattern,
            }
        });
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[r#"name=*er*"#, r#"name=*castle"#, r#"name=O*"#, r#"name=Narrow castle"#, r#"name=*zz*"#];
        let probes = &[r#"name=*an*"#, r#"name=*timber"#, r#"name=C*"#, r#"name=Linen timber"#];
        asking::ask(phase, recorder, reads, probes);
    }
}
