//! Members that hold a made identifier beside the identity: a `uid` next to a numeric `id`, a message's own number.
//! Another installation of the same application makes other ones, so a comparison has to know which members they are.
//! Knows nothing of comparisons.

use super::derived::Derived;
use super::generate::Generator;
use super::member_rule::MemberExpr;
use super::naming::words;
use super::write_plan::WriteState;
use crate::manifest::is_made_token;
use std::collections::{BTreeMap, BTreeSet};

/// Words at the end of a name that say it identifies.
const ENDINGS: [&str; 4] = ["id", "uid", "uuid", "guid"];

/// Names of members whose last word identifies, that hold another text in each entity of some type (two at the least),
/// and texts that a program makes: identifiers of a known format, or tokens of one length, most of them telling.
pub fn made_id_names(derived: &Derived) -> BTreeSet<Box<str>> {
    let mut names = BTreeSet::new();
    for kind in 0..derived.types.len() {
        let mut texts: BTreeMap<Box<str>, Vec<String>> = BTreeMap::new();
        for (_, collection) in derived.world.collections(kind) {
            for entity in collection.iter() {
                let fields = derived.filter_fields(entity);
                for (name, value) in fields.as_object().into_iter().flatten() {
                    if let (Some(name), Some(text)) = (name.as_str(), value.as_str())
                        && identifies(name)
                    {
                        texts.entry(name.into()).or_default().push(text.to_owned());
                    }
                }
            }
        }
        names.extend(texts.into_iter().filter(|(_, texts)| are_made(texts)).map(|(name, _)| name));
    }
    names.extend(framed_names(derived));
    names
}

/// Names of members in which served creates make a token: another installation has another one there.
fn framed_names(derived: &Derived) -> impl Iterator<Item = Box<str>> + '_ {
    let plans = derived.writes.iter().flatten().filter_map(|state| match state {
        WriteState::Served(plan) => Some(plan),
        WriteState::Withheld { .. } => None,
    });
    let slots = plans.flat_map(|plan| &plan.parts).flat_map(|part| &part.slots);
    slots
        .filter(|(_, rule)| matches!(rule, MemberExpr::Made(Generator::Framed { .. }, _)))
        .map(|(slot, _)| slot.name.clone())
}

fn identifies(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    ENDINGS.contains(&lower.as_str()) || words(name).last().is_some_and(|word| ENDINGS.contains(&word.as_str()))
}

fn are_made(texts: &[String]) -> bool {
    let distinct: BTreeSet<&String> = texts.iter().collect();
    let telling = texts.iter().filter(|text| is_made_token(text)).count();
    let lengths: BTreeSet<usize> = texts.iter().map(|text| text.len()).collect();
    texts.len() >= 2 && distinct.len() == texts.len() && telling * 2 > texts.len() && lengths.len() == 1
}
