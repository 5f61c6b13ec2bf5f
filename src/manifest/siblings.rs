//! Which of the segments at one place are values of a parameter, and which are names of endpoints: the rules in their
//! order, over the evidence that [`super::place`] gathered, and the parameters that the values make. The evidence of
//! `sibling-variance` is weighed in [`super::variance`].

use super::facts::{Kind, Member};
use super::place::{Child, Place};
use super::rules::TemplateRule;
use super::segment::SegmentFormat;
use super::template::Segment;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Values of one parameter, as indexes of the place's children.
#[derive(Debug)]
pub(super) struct Group {
    /// How the parameter is spelled.
    pub segment: Segment,
    /// The children that are its values, in order of first observation.
    pub children: Vec<usize>,
}

/// Texts that an earlier walk over the same capture found to be values.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// Anywhere: digests of the texts.
    pub values: HashSet<u64>,
    /// Right after a literal.
    pub after: HashSet<(String, u64)>,
}

/// Divides the children of a place into parameters; a child in none of them is a literal.
pub(super) fn divide(place: &Place<'_, '_>, rules: &[TemplateRule], known: &Known) -> Vec<Group> {
    let mut division = Division { place, known, counts: Counts::of(place), kinds: vec![None; place.children.len()] };
    division.formats();
    if rules.contains(&TemplateRule::AfterUidLiteral) {
        division.after_uid();
    }
    if rules.contains(&TemplateRule::OpaqueToken) {
        division.opaque();
    }
    if rules.contains(&TemplateRule::PrefixVariance) {
        division.keyed();
    }
    let varies = rules.contains(&TemplateRule::SiblingVariance);
    if varies {
        division.siblings();
    }
    if rules.contains(&TemplateRule::PrefixVariance) {
        division.prefixes();
    }
    if varies {
        division.absorb();
    }
    division.groups(varies)
}

/// Why a child is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    Format(SegmentFormat),
    Rule(TemplateRule),
    /// A key in parentheses after the first so many bytes of the child's text.
    Keyed(usize),
    /// Asked only for errors, or only written, where its siblings are values.
    Absorbed,
}

/// How many children of a place have each member in a relation to their text.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub of_self: BTreeMap<Member, usize>,
    pub partition: BTreeMap<Member, usize>,
    pub below: BTreeMap<Member, usize>,
}

impl Counts {
    fn of(place: &Place<'_, '_>) -> Self {
        let mut counts = Self::default();
        for child in &place.children {
            for (held, members) in [
                (&mut counts.of_self, &child.of_self),
                (&mut counts.partition, &child.partition),
                (&mut counts.below, &child.below),
            ] {
                for member in members {
                    *held.entry(*member).or_default() += 1;
                }
            }
        }
        counts
    }
}

/// Whether several children have one of these members in the same relation.
pub(super) fn is_shared(members: &[Member], counts: &BTreeMap<Member, usize>) -> bool {
    members.iter().any(|member| counts.get(member).is_some_and(|count| *count >= 2))
}

/// A place while it is divided.
pub(super) struct Division<'d, 'a, 'p> {
    pub place: &'d Place<'a, 'p>,
    pub known: &'d Known,
    /// How many children have a member in each relation.
    pub counts: Counts,
    /// Why each child is a value; `None` while it is a literal.
    pub kinds: Vec<Option<Why>>,
}

impl<'d, 'p> Division<'d, '_, 'p> {
    pub fn children(&self) -> impl Iterator<Item = (usize, &'d Child<'p>)> + use<'d, 'p> {
        self.place.children.iter().enumerate().filter(|(_, child)| !child.raw.is_empty())
    }

    pub fn undecided(&self) -> Vec<(usize, &'d Child<'p>)> {
        self.children().filter(|(index, _)| self.kinds[*index].is_none()).collect()
    }

    pub fn mark(&mut self, index: usize, rule: TemplateRule) {
        self.kinds[index] = Some(Why::Rule(rule));
    }

    /// The format rules. A text that fits two formats takes the one that a sibling needs.
    fn formats(&mut self) {
        let needed: BTreeSet<SegmentFormat> = self
            .children()
            .filter(|(_, c)| c.formats.len() == 1)
            .filter_map(|(_, c)| c.formats.first().copied())
            .collect();
        for (index, child) in self.children() {
            let format = child.formats.iter().filter(|format| needed.contains(format)).max().or(child.formats.first());
            self.kinds[index] = format.map(|format| Why::Format(*format));
        }
        if self.is_version_place() {
            self.kinds.fill(None);
        }
    }

    /// A short number right after `api` or `rest` that never varies is a version.
    fn is_version_place(&self) -> bool {
        let numbers: Vec<_> =
            self.children().filter(|(_, child)| child.formats.contains(&SegmentFormat::Numeric)).collect();
        let after_api = self.place.context.before.is_some_and(super::place::is_api_word);
        matches!(numbers.as_slice(), [(_, only)] if after_api && only.decoded.len() <= super::limits::MAX_VERSION_DIGITS)
    }

    fn after_uid(&mut self) {
        let introduces = |before: &str| matches!(before.to_ascii_lowercase().as_str(), "uid" | "uuid" | "id");
        if self.place.context.before.is_some_and(introduces) {
            for (index, _) in self.undecided() {
                self.mark(index, TemplateRule::AfterUidLiteral);
            }
        }
    }

    fn opaque(&mut self) {
        for (index, child) in self.undecided() {
            if child.opaque && !self.is_alias(child) {
                self.mark(index, TemplateRule::OpaqueToken);
            }
        }
    }

    /// Whether a child answers an entity that its siblings address by a member of it, while this text is not that
    /// member's value: `/users/me` beside `/users/7`.
    pub fn is_alias(&self, child: &Child<'p>) -> bool {
        if !child.of_self.is_empty() {
            return false;
        }
        self.place.own_reads(child).any(|facts| {
            matches!(facts.kind, Kind::Entity)
                && facts.has_identity
                && facts.members.iter().any(|member| self.counts.of_self.contains_key(member))
        })
    }

    /// Whether the place has items: values that answer one entity each.
    pub fn has_items(&self) -> bool {
        self.children().any(|(index, child)| {
            (!child.of_self.is_empty() || self.kinds[index].is_some())
                && self.place.own_reads(child).any(|facts| facts.kind == Kind::Entity)
        })
    }

    /// A key in parentheses after a name: the name is the prefix.
    fn keyed(&mut self) {
        for (index, child) in self.undecided() {
            if let Some(at) = child.decoded.find('(').filter(|at| *at > 0 && child.decoded.ends_with(')')) {
                self.kinds[index] = Some(Why::Keyed(at + 1));
            }
        }
    }

    /// Siblings that share a prefix up to a separator and differ in something with a digit: `user-1`, `cus_8Fj2`.
    fn prefixes(&mut self) {
        let mut prefixes: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (index, child) in self.undecided() {
            if let Some(at) = child.decoded.rfind(['-', '_', ':', '.']) {
                let (prefix, rest) = child.decoded.split_at(at + 1);
                if prefix.len() > 1 && rest.bytes().any(|byte| byte.is_ascii_digit()) && !self.is_alias(child) {
                    prefixes.entry(prefix).or_default().push(index);
                }
            }
        }
        for same in prefixes.into_values().filter(|same| same.len() >= 2) {
            for index in same {
                self.mark(index, TemplateRule::PrefixVariance);
            }
        }
    }

    /// Values of one kind are one parameter; kinds that lead to the same endpoints are one parameter too.
    fn groups(&self, merge: bool) -> Vec<Group> {
        let mut groups: Vec<(Vec<Why>, Vec<usize>)> = Vec::new();
        for (index, why) in self.kinds.iter().enumerate() {
            let Some(why) = why.filter(|why| *why != Why::Absorbed) else {
                continue;
            };
            match groups
                .iter_mut()
                .find(|(kinds, children)| kinds.contains(&why) && self.same_set(why, children, index))
            {
                Some((_, children)) => children.push(index),
                None => groups.push((vec![why], vec![index])),
            }
        }
        // By kind, so that what is one parameter does not depend on the order of records.
        groups.sort_by(|(a, _), (b, _)| a.cmp(b));
        if merge {
            self.merge(&mut groups);
        }
        let held: Vec<BTreeSet<&str>> = groups.iter().map(|(_, children)| self.suffixes(children)).collect();
        for (index, why) in self.kinds.iter().enumerate() {
            if *why != Some(Why::Absorbed) {
                continue;
            }
            let own = &self.place.children[index].suffixes;
            let is_keyed = |kinds: &[Why]| matches!(kinds.first(), Some(Why::Keyed(_)));
            let home = groups
                .iter()
                .zip(&held)
                .position(|((kinds, _), held)| !is_keyed(kinds) && held.intersection(own).next().is_some())
                .or_else(|| groups.iter().position(|(kinds, _)| !is_keyed(kinds)));
            if let Some((kinds, children)) = home.and_then(|home| groups.get_mut(home)) {
                kinds.push(Why::Absorbed);
                children.push(index);
            }
        }
        groups
            .into_iter()
            .map(|(kinds, mut children)| {
                children.sort_unstable();
                Group { segment: self.segment(&kinds, &children), children }
            })
            .collect()
    }

    /// Whether a keyed child has the name that the keyed children of a group have.
    fn same_set(&self, why: Why, children: &[usize], index: usize) -> bool {
        let Why::Keyed(length) = why else {
            return true;
        };
        let name = |index: usize| self.place.children[index].decoded.get(..length);
        children.first().is_none_or(|first| name(*first) == name(index))
    }

    fn suffixes(&self, children: &[usize]) -> BTreeSet<&'p str> {
        children.iter().flat_map(|index| self.place.children[*index].suffixes.iter().copied()).collect()
    }

    fn merge(&self, groups: &mut Vec<(Vec<Why>, Vec<usize>)>) {
        let mut first = 0;
        while first < groups.len() {
            let mut second = first + 1;
            while second < groups.len() {
                let joins = {
                    let (a, b) = (&groups[first].1, &groups[second].1);
                    let keyed = |at: usize| groups[at].0.iter().any(|why| matches!(why, Why::Keyed(_)));
                    !keyed(first)
                        && !keyed(second)
                        && self.suffixes(a).intersection(&self.suffixes(b)).next().is_some()
                        && self.compatible(a, b)
                };
                if joins {
                    let (kinds, children) = groups.remove(second);
                    groups[first].0.extend(kinds);
                    groups[first].1.extend(children);
                    second = first + 1;
                } else {
                    second += 1;
                }
            }
            first += 1;
        }
    }

    /// Whether two groups may be one: not when one answers entities and the other lists.
    fn compatible(&self, a: &[usize], b: &[usize]) -> bool {
        let kinds = |children: &[usize]| -> BTreeSet<bool> {
            children
                .iter()
                .flat_map(|index| self.place.own_reads(&self.place.children[*index]))
                .filter_map(|facts| match facts.kind {
                    Kind::Entity => Some(true),
                    Kind::List if facts.items != 1 => Some(false),
                    _ => None,
                })
                .collect()
        };
        let (a, b) = (kinds(a), kinds(b));
        a.is_empty() || b.is_empty() || a.intersection(&b).next().is_some()
    }

    fn segment(&self, kinds: &[Why], children: &[usize]) -> Segment {
        let shared = SegmentFormat::ALL.into_iter().find(|format| {
            kinds.contains(&Why::Format(*format))
                && children.iter().all(|index| self.place.children[*index].formats.contains(format))
        });
        if let Some(format) = shared {
            return Segment::Format(format);
        }
        if let (Some(Why::Keyed(length)), Some(child)) =
            (kinds.first(), children.first().and_then(|index| self.place.children.get(*index)))
        {
            return Segment::Keyed(child.decoded.get(..*length).unwrap_or(child.decoded).to_owned());
        }
        let mut rules = kinds.iter().filter(|why| **why != Why::Absorbed).map(|why| match why {
            Why::Rule(rule) => *rule,
            _ => TemplateRule::SiblingVariance,
        });
        let first = rules.next().unwrap_or(TemplateRule::SiblingVariance);
        let same = rules.all(|rule| rule == first);
        Segment::Rule(if same || first == TemplateRule::AfterUidLiteral {
            first
        } else {
            TemplateRule::SiblingVariance
        })
    }
}
