//! Stored words that only another spelling was shown of (`running` in the list is `open` in the item): entities that were
//! never read in the spelling of the stored fields hold what the proven words say. Filters, searches and orders see stored
//! fields, and of two spellings in one place they would make no sense. Filled once, before views are proposed, and for all
//! entities or none: what a word means that no recording showed in both spellings is not known.

use super::derive::Derivation;
use super::reference_fill::with_member;
use super::store::Entity;
use super::types::MemberRule;
use std::sync::Arc;

impl Derivation<'_> {
    /// Fills stored members that other representations spell with other words.
    pub(super) fn fill_spellings(&mut self) {
        for kind in 0..self.derived.types.len() {
            let ways = self.derived.types[kind].representations.iter();
            let members = ways.flat_map(|way| &self.derived.representations[*way].members);
            let spelled = members.filter(|member| member.stored);
            let mut rules: Vec<(Box<str>, usize, MemberRule)> = spelled
                .filter_map(|member| match &member.rule {
                    Some(rule @ MemberRule::Words(_)) => Some((member.name.clone(), member.source, rule.clone())),
                    _ => None,
                })
                .collect();
            rules.dedup_by(|one, other| one.0 == other.0);
            for (name, source, rule) in rules {
                let held = self.derived.world.collections(kind).flat_map(|(_, held)| held.iter());
                let missing = held.filter(|entity| {
                    entity.fields.get(&name).is_none() && !self.derived.shown_without(entity, kind, &name, source)
                });
                let fill = |entity: &Arc<Entity>| {
                    let value = rule.value(&name, entity.whole())?;
                    Some(with_member(entity, &(None, name.clone()), value))
                };
                let filled: Option<Vec<Entity>> = missing.map(fill).collect();
                filled.into_iter().flatten().for_each(|entity| self.derived.world.set_entity(kind, entity));
            }
        }
    }
}
