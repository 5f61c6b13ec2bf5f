//! Finding switches that ask whether anything names an entity (`has_books=true`): no member says it, the entities of another
//! type do, by a member or by where they are.

use super::derive::Derivation;
use super::effect_relation::Relation;
use super::infer::{Inference, ListCall};
use super::infer_filter::Test;
use super::line::{Line, scalar_text};
use super::lookup::{Lookup, Naming};
use super::naming::{name_score, words};
use super::path::MemberPath;
use super::term::{Op, Several, Term, switched};
use crate::manifest::Segment;
use std::collections::BTreeSet;

/// A type and how its entities may name others.
pub(super) struct NamingType {
    entity_type: usize,
    /// What its collection is called.
    word: MemberPath,
    relations: Vec<Relation>,
}

/// Entities that a switch has to part where its name says nothing.
const MIN_PARTED: usize = 8;
/// Of these, the fewest that may be on one side.
const MIN_SIDE: usize = 3;

impl Derivation<'_> {
    /// What may name entities, by type.
    pub(super) fn naming_types(&self) -> &[NamingType] {
        self.namings.get_or_init(|| {
            let of = |(entity_type, members): &(usize, Vec<MemberPath>)| {
                let kind = self.derived.types.get(*entity_type)?;
                let segments = &kind.template.segments;
                let word = segments.iter().rev().find_map(Segment::literal)?;
                let varying = segments.iter().enumerate().filter(|(_, segment)| segment.literal().is_none());
                let members = members.iter().filter(|path| **path != kind.identity && path.0.len() <= 2);
                let relations = varying.map(|(at, _)| Relation::Segment(at));
                let relations = relations.chain(members.cloned().map(Relation::Member)).collect();
                Some(NamingType { entity_type: *entity_type, word: MemberPath::member(word), relations })
            };
            self.scalars_of_types().iter().filter_map(of).collect()
        })
    }
}

impl Inference<'_> {
    /// A demand that something names the entity. The key names what does, or both of its values part many entities.
    pub(super) fn naming_term(&self, key: &str, tests: &[Test], evidence: &[(Line, ListCall)]) -> Option<Term> {
        let identity = self.around.identity;
        let parted = tests.iter().flat_map(|test| &test.entities);
        let ids: BTreeSet<String> =
            parted.filter_map(|(value, _)| identity.direct(value).and_then(scalar_text)).collect();
        let says: BTreeSet<Option<bool>> = tests.iter().map(|test| switched(&test.param.text)).collect();
        let many = ids.len() >= MIN_PARTED && says.len() > 1;
        let called = |word: &MemberPath| name_score(key, word) > 0;
        let own = words(key).iter().any(|word| matches!(word.as_str(), "children" | "child" | "descendants"));
        let told = |naming: &&&NamingType| called(&naming.word) || own || many;
        let mut types: Vec<&NamingType> = self.around.namings.iter().filter(|naming| told(&naming)).collect();
        types.sort_by_key(|naming| !called(&naming.word));
        for naming in types {
            for by in &naming.relations {
                let named = self.around.referents.named_by(naming.entity_type, by);
                if named.is_empty() || !named.is_subset(&ids) {
                    continue;
                }
                // One or two of many are named by something by chance.
                let fewer = named.len().min(ids.len() - named.len());
                if fewer < MIN_SIDE && !own && !called(&naming.word) {
                    continue;
                }
                for negate in [false, true] {
                    let naming = Naming {
                        entity_type: naming.entity_type,
                        by: by.clone(),
                        identity: identity.clone(),
                        named: None,
                    };
                    let lookup = Some(Lookup::Naming(naming));
                    let term = Term { targets: Vec::new(), op: Op::Exists, negate, several: Several::No, lookup };
                    if self.explains(key, &term, tests, evidence) {
                        return Some(term);
                    }
                }
            }
        }
        None
    }
}
