//! A small language in one value: `member:value`, joined by `+` for and, `-` before it for not, `>` for more.

use super::*;

/// A small language in one value: `member:value`, joined by `+` for and, `-` before it for not, `>` for more.
pub struct FilterLanguage;

impl Behaviour for FilterLanguage {
    fn name(&self) -> &'static str {
        "filter_language"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        let Some(text) = listing.parameter("filter").map(str::to_string) else { return };
        for term in text.split('+') {
            let (negated, term) = match term.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, term),
            };
            let Some((member, value)) = term.split_once(':') else { continue };
            listing.retain(world, |book| {
                let held = book.member(member);
                let fits = match (value.strip_prefix('>'), value.strip_prefix('<')) {
                    (Some(limit), _) => held.number() > limit.parse().ok(),
                    (_, Some(limit)) => held.number() < limit.parse().ok(),
                    _ => value.trim_matches(['[', ']']).split(',').any(|one| held.text() == one),
                };
                fits != negated
            });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("filter", "status:open")],
                &[("filter", "status:closed")],
                &[("filter", "author:Mora")],
                &[("filter", "status:open+author:Ibsen")],
                &[("filter", "status:[open,draft]")],
                &[("filter", "-status:open")],
                &[("filter", "pages:>500")],
                &[("filter", "pages:<400")],
            ],
            Phase::ProbeReads => &[
                &[("filter", "status:draft")],
                &[("filter", "author:Chen")],
                &[("filter", "status:open+author:Mora")],
                &[("filter", "status:[closed,draft]")],
                &[("filter", "-status:closed")],
                &[("filter", "pages:>700")],
                &[("filter", "pages:<300")],
            ],
            Phase::Writes | Phase::ProbeCrud => &[&[("filter", "status:open")], &[("filter", "status:closed")]],
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
