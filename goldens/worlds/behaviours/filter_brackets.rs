//! Filters in bracketed names: equal, one of, contains, more than.

use super::*;

/// Filters in bracketed names: equal, one of, contains, more than.
pub struct FilterBrackets;

impl Behaviour for FilterBrackets {
    fn name(&self) -> &'static str {
        "filter_brackets"
    }

    fn slots(&self) -> &'static [&'static str] {
        &["filter", "routes_list"]
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        if listing.of != BOOK {
            return;
        }
        for (name, value) in listing.pairs.clone() {
            let Some(rest) = name.strip_prefix("filters[").and_then(|rest| rest.strip_suffix(']')) else { continue };
            let Some((member, test)) = rest.split_once("][") else { continue };
            listing.retain(world, |book| {
                let held = book.member(member);
                match test {
                    "$eq" => held.text() == value,
                    "$ne" => held.text() != value,
                    "$containsi" => held.text().to_lowercase().contains(&value.to_lowercase()),
                    "$gt" => held.number() > value.parse().ok(),
                    _ => true,
                }
            });
        }
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let queries: &[&[(&str, &str)]] = match phase {
            Phase::Reads => &[
                &[("filters[status][$eq]", "open")],
                &[("filters[status][$eq]", "draft")],
                &[("filters[status][$ne]", "open")],
                &[("filters[status][$ne]", "closed")],
                &[("filters[name][$containsi]", "CASTLE")],
                &[("filters[name][$containsi]", "er")],
                &[("filters[pages][$gt]", "500")],
                &[("filters[pages][$gt]", "300")],
            ],
            Phase::ProbeReads => &[
                &[("filters[status][$eq]", "closed")],
                &[("filters[status][$ne]", "draft")],
                &[("filters[name][$containsi]", "River")],
                &[("filters[pages][$gt]", "700")],
            ],
            Phase::Writes | Phase::ProbeCrud => {
                &[&[("filters[status][$eq]", "open")], &[("filters[status][$eq]", "draft")]]
            }
        };
        let path = recorder.main_list(BOOK);
        for query in queries {
            recorder.query(&path, query);
        }
    }
}
