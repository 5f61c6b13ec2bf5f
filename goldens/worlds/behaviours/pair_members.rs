//! Members in a list of pairs, filtered and ordered by their keys.

use super::*;

/// Members in a list of pairs, filtered and ordered by their keys.
pub struct PairMembers;

impl Behaviour for PairMembers {
    fn name(&self) -> &'static str {
        "pair_members"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let pages = shown.take("pages");
            let author = shown.take("author");
            let pair = |key: &str, value: Option<Json>| obj! { "key" => key, "value" => value, "step" => 0_usize };
            shown.set("props", Json::Arr(vec![pair("weight", pages), pair("house", author)]));
        }
    }

    fn narrow(&self, world: &World, listing: &mut Listing) {
        let Some(filter) = listing.parameter("filter").map(str::to_string).filter(|_| listing.of == BOOK) else {
            return;
        };
        let words: Vec<&str> = filter.splitn(3, ' ').collect();
        let [member, sign, value] = words.as_slice() else { return };
        let member = if *member == "props.weight" { "pages" } else { "author" };
        let test = match *sign {
            ">" => "gt",
            "<" => "lt",
            _ => "eq",
        };
        listing.retain(world, |book| asking::compares(book, member, test, value.trim_matches('\'')));
    }

    fn arrange(&self, _world: &World, listing: &Listing) -> Option<Vec<OrderKey>> {
        let asked = listing.parameter("order_by").filter(|_| listing.of == BOOK)?;
        let member = if asked.starts_with("props.weight") { "pages" } else { "author" };
        Some(vec![if asked.ends_with("DESC") { OrderKey::down(member) } else { OrderKey::by(member) }])
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let reads = &[
            "filter=props.weight > 500",
            "filter=props.weight > 300",
            "filter=props.weight < 400",
            "filter=props.house = 'Mora'",
            "filter=props.house = 'Chen'",
            "order_by=props.weight DESC",
            "order_by=props.weight ASC",
        ];
        let probes = &[
            "filter=props.weight > 700",
            "filter=props.weight < 800",
            "filter=props.house = 'Ibsen'",
            "order_by=props.weight DESC",
        ];
        asking::ask(phase, recorder, reads, probes);
    }
}
