//! Which of the segments at one place are values of a parameter, and which are names of endpoints: the opt-in rules of
//! `decisions.md` 3, over the evidence that [`super::place`] gathered.

use super::facts::{Kind, Member, last_part, names_entity, text_digest};
use super::names::singular;
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
    let mut division = Division { place, known, kinds: vec![None; place.children.len()] };
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
enum Why {
    Format(SegmentFormat),
    Rule(TemplateRule),
    /// A key in parentheses after the first so many bytes of the child's text.
    Keyed(usize),
    /// Asked only for errors, or only written, where its siblings are values.
    Absorbed,
}

struct Division<'d, 'a, 'p> {
    place: &'d Place<'a, 'p>,
    known: &'d Known,
    kinds: Vec<Option<Why>>,
}

impl<'d, 'p> Division<'d, '_, 'p> {
    fn children(&self) -> impl Iterator<Item = (usize, &'d Child<'p>)> + use<'d, 'p> {
        self.place.children.iter().enumerate().filter(|(_, child)| !child.raw.is_empty())
    }

    fn undecided(&self) -> Vec<(usize, &'d Child<'p>)> {
        self.children().filter(|(index, _)| self.kinds[*index].is_none()).collect()
    }

    fn mark(&mut self, index: usize, rule: TemplateRule) {
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
    fn is_alias(&self, child: &Child<'p>) -> bool {
        if !child.of_self.is_empty() {
            return false;
        }
        let addressing: BTreeSet<Member> =
            self.children().flat_map(|(_, other)| other.of_self.iter().copied()).collect();
        self.place.own_reads(child).any(|facts| {
            matches!(facts.kind, Kind::Entity)
                && facts.has_identity
                && facts.members.iter().any(|member| addressing.contains(member))
        })
    }

    /// Whether the place has items: values that answer one entity each.
    fn has_items(&self) -> bool {
        self.children().any(|(index, child)| {
            (!child.of_self.is_empty() || self.kinds[index].is_some())
                && self.place.own_reads(child).any(|facts| facts.kind == Kind::Entity)
        })
    }

    /// How many undecided or decided children have one of these members in the same relation.
    fn sharing(&self, members: &[Member], relation: impl for<'c> Fn(&'c Child<'p>) -> &'c [Member]) -> usize {
        members
            .iter()
            .map(|member| self.children().filter(|(_, other)| relation(other).contains(member)).count())
            .max()
            .unwrap_or(0)
    }

    fn siblings(&mut self) {
        let has_items = self.has_items();
        let undecided = self.undecided();
        let mut values: Vec<usize> = Vec::new();
        for (index, child) in &undecided {
            if self.names_itself(child)
                || self.is_listed(child, has_items)
                || self.is_partition(child, has_items)
                || self.is_scope(child)
                || is_escaped(child)
            {
                values.push(*index);
            }
        }
        for index in values {
            self.mark(index, TemplateRule::SiblingVariance);
        }
        self.documents();
        self.keyed_documents();
        self.same_below();
        self.written();
        self.known_values();
    }

    /// Texts that are values elsewhere: after the same literal, or two of them at one place, or one beside values.
    fn known_values(&mut self) {
        if self.place.context.is_unnamed() {
            return;
        }
        let has_items = self.has_items();
        let beside_values = self.kinds.iter().any(Option::is_some);
        let candidates: Vec<(usize, &Child<'p>)> = self
            .undecided()
            .into_iter()
            .filter(|(_, child)| {
                !is_action(child.decoded)
                    && !self.is_alias(child)
                    && !(has_items && self.place.own_reads(child).any(|facts| facts.kind == Kind::List))
            })
            .collect();
        let after = |child: &Child<'p>| {
            self.place
                .context
                .before
                .is_some_and(|before| self.known.after.contains(&(before.to_owned(), text_digest(child.decoded))))
        };
        let held: Vec<usize> =
            candidates.iter().filter(|(_, child)| self.is_known(child)).map(|(index, _)| *index).collect();
        let mut found: Vec<usize> =
            candidates.iter().filter(|(_, child)| after(child)).map(|(index, _)| *index).collect();
        if beside_values || held.len() >= 2 || !found.is_empty() {
            found.extend(held);
        }
        for index in found {
            self.mark(index, TemplateRule::SiblingVariance);
        }
    }

    /// Its own answer is an entity with its text in it.
    fn names_itself(&self, child: &Child<'p>) -> bool {
        !child.of_self.is_empty()
            && (!self.place.context.is_unnamed() || self.sharing(&child.of_self, |other| &other.of_self) >= 2)
    }

    /// It is one member of an item of a list read at the parent.
    fn is_listed(&self, child: &Child<'p>, has_items: bool) -> bool {
        if child.in_list.is_empty() || self.is_alias(child) {
            return false;
        }
        let mut own =
            self.place.own_facts(child).filter(|facts| matches!(facts.kind, Kind::Entity | Kind::List)).peekable();
        if own.peek().is_some() {
            return own.any(|facts| facts.kind == Kind::Entity && self.place.listed_like(facts))
                || (!has_items && child.partition.iter().any(|member| child.in_list.contains(member)));
        }
        if self.place.context.is_unnamed() {
            return false;
        }
        // Read or written without an answer that shows it: the member must be one that names things, or one that
        // siblings are known by.
        !child.own_ok_by_text(self.place)
            && child.in_list.iter().any(|member| {
                let name = self.place.members.name(*member);
                name.is_empty()
                    || names_entity(last_part(name))
                    || self.names_parent(*member)
                    || self.sharing(&[*member], |other| &other.of_self) > 0
                    || child.below.contains(member)
            })
    }

    /// Its own answer is a list whose items all have its text.
    fn is_partition(&self, child: &Child<'p>, has_items: bool) -> bool {
        !child.partition.is_empty()
            && !has_items
            && (child.partition.iter().any(|member| child.in_list.contains(member) || child.below.contains(member))
                || self.sharing(&child.partition, |other| &other.partition) >= 2
                || self.is_known(child))
    }

    /// What lies below it carries its text: `/queues/{vhost}/{name}` answering both.
    fn is_scope(&self, child: &Child<'p>) -> bool {
        if child.below.is_empty() || self.place.own_reads(child).any(|facts| facts.kind == Kind::List) {
            return false;
        }
        if self.sharing(&child.below, |other| &other.below) >= 2
            || child.below.iter().any(|member| self.names_parent(*member))
        {
            return true;
        }
        let named = || child.below.iter().any(|member| names_entity(last_part(self.place.members.name(*member))));
        !self.place.context.is_unnamed()
            && !is_action(child.decoded)
            && (self.is_known(child)
                || child.below.iter().any(|member| child.in_list.contains(member))
                || (self.place.context.after_plural() && named()))
    }

    /// Whether its text is a value elsewhere in the capture.
    fn is_known(&self, child: &Child<'p>) -> bool {
        !is_action(child.decoded) && self.known.values.contains(&text_digest(child.decoded))
    }

    /// Whether a member is called as one of what the literal before the place names: `vhost` after `vhosts`, `project_id`
    /// after `projects`.
    fn names_parent(&self, member: Member) -> bool {
        let Some(before) = self.place.context.before else {
            return false;
        };
        let one = singular(before).to_ascii_lowercase().replace(['-', '_'], "");
        let name = self.place.members.name(member);
        let plain = |text: &str| text.to_ascii_lowercase().replace(['-', '_'], "");
        let matches = |text: &str| {
            let text = plain(text);
            text == one
                || text
                    .strip_prefix(one.as_str())
                    .is_some_and(|rest| matches!(rest, "id" | "name" | "key" | "slug" | "uid"))
        };
        matches(last_part(name)) || (name.contains('.') && name.split('.').next().is_some_and(matches))
    }

    /// Documents of one shape that name nothing: `/stats/daily`, `/stats/weekly`.
    fn documents(&mut self) {
        if self.place.context.is_unnamed() {
            return;
        }
        let documents: Vec<(usize, &Child<'p>)> = self
            .undecided()
            .into_iter()
            .filter(|(_, child)| {
                child.own.len() == child.paths.len()
                    && !self.place.query_identifies(child)
                    && self.place.own_reads(child).next().is_some()
                    && self
                        .place
                        .own_reads(child)
                        .all(|facts| facts.kind == Kind::Entity && !facts.has_identity && facts.members.len() >= 2)
            })
            .collect();
        let mut shapes: BTreeMap<&[Member], Vec<usize>> = BTreeMap::new();
        for (index, child) in &documents {
            if let Some(facts) = self.place.own_reads(child).next() {
                shapes.entry(&facts.members).or_default().push(*index);
            }
        }
        for same in shapes.into_values().filter(|same| same.len() >= 2) {
            for index in same {
                self.mark(index, TemplateRule::SiblingVariance);
            }
        }
    }

    /// Free documents kept under names: several are written, and a name that holds nothing reads as `{}`.
    fn keyed_documents(&mut self) {
        if self.place.context.is_unnamed() {
            return;
        }
        let leaves: Vec<(usize, &Child<'p>)> =
            self.undecided().into_iter().filter(|(_, child)| child.own.len() == child.paths.len()).collect();
        let document = |child: &Child<'p>| {
            let mut reads = self.place.own_reads(child).peekable();
            reads.peek().is_some()
                && reads.all(|facts| matches!(facts.kind, Kind::Entity | Kind::Empty) && !facts.has_identity)
        };
        let written = |child: &Child<'p>| child.ok_methods.iter().any(|method| matches!(*method, "PUT" | "PATCH"));
        let kept = leaves.iter().filter(|(_, child)| document(child) && written(child)).count();
        let empty = leaves.iter().any(|(_, child)| {
            document(child) && !written(child) && self.place.own_reads(child).all(|facts| facts.kind == Kind::Empty)
        });
        if kept >= 2 && empty {
            let found: Vec<usize> =
                leaves.iter().filter(|(_, child)| document(child)).map(|(index, _)| *index).collect();
            for index in found {
                self.mark(index, TemplateRule::SiblingVariance);
            }
        }
    }

    /// Siblings after a plural word with the same endpoints of the same shape below them: `/orgs/a/members`,
    /// `/orgs/b/members`.
    fn same_below(&mut self) {
        if !self.place.context.after_plural() || self.place.context.is_unnamed() {
            return;
        }
        let undecided = self.undecided();
        let mut found = Vec::new();
        for (index, child) in &undecided {
            if child.own_ok() && self.place.own_reads(child).any(|facts| facts.kind == Kind::List) {
                continue;
            }
            let alike = self.children().any(|(other_index, other)| {
                other_index != *index
                    && (self.kinds[other_index].is_some() || undecided.iter().any(|(i, _)| *i == other_index))
                    && self.alike_below(child, other)
            });
            if alike {
                found.push(*index);
            }
        }
        for index in found {
            self.mark(index, TemplateRule::SiblingVariance);
        }
    }

    fn alike_below(&self, a: &Child<'p>, b: &Child<'p>) -> bool {
        let depth = self.place.context.depth;
        let below = |child: &Child<'p>| -> Vec<usize> {
            child.paths.iter().copied().filter(|number| self.place.paths[*number].parts.len() > depth + 1).collect()
        };
        let b_paths = below(b);
        below(a).into_iter().take(16).any(|number| {
            let path = &self.place.paths[number];
            let tail: Vec<&str> = path.parts[depth + 1..].iter().map(|part| part.raw).collect();
            !tail.first().is_none_or(|first| first.is_empty())
                && path.reads.iter().chain(&path.posts).take(1).any(|facts| {
                    b_paths.iter().take(256).any(|other| {
                        let other = &self.place.paths[*other];
                        other.parts.len() == path.parts.len()
                            && other.parts[depth + 1..].iter().map(|part| part.raw).eq(tail.iter().copied())
                            && other.reads.iter().chain(&other.posts).any(|held| facts.resembles(held))
                    })
                })
        })
    }

    /// Siblings after a plural word that are deleted: what is deleted is an item.
    fn written(&mut self) {
        if !self.place.context.after_plural() || self.place.context.is_unnamed() {
            return;
        }
        let deleted: Vec<usize> = self
            .undecided()
            .into_iter()
            .filter(|(_, child)| {
                child.ok_methods.contains("DELETE") && child.ok_methods.len() >= 2 && !child.methods.contains("POST")
            })
            .map(|(index, _)| index)
            .collect();
        if deleted.len() >= 2 {
            for index in deleted {
                self.mark(index, TemplateRule::SiblingVariance);
            }
        }
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

    /// Literals beside values that were asked only to be refused, or only written as the values are.
    fn absorb(&mut self) {
        let is_value = |index: usize| self.kinds[index].is_some_and(|why| !matches!(why, Why::Keyed(_)));
        let values: Vec<&Child<'p>> =
            self.children().filter(|(index, _)| is_value(*index)).map(|(_, child)| child).collect();
        if values.is_empty() {
            return;
        }
        let methods: BTreeSet<&str> = values.iter().flat_map(|child| child.methods.iter().copied()).collect();
        let ok_methods: BTreeSet<&str> = values.iter().flat_map(|child| child.ok_methods.iter().copied()).collect();
        let suffixes: BTreeSet<&str> = values.iter().flat_map(|child| child.suffixes.iter().copied()).collect();
        let goes_on = suffixes.iter().any(|suffix| !suffix.is_empty());
        let lists = values.iter().any(|child| self.place.own_reads(child).any(|facts| facts.kind == Kind::List));
        let mut absorbed = Vec::new();
        for (index, child) in self.undecided() {
            let same_below = child.suffixes.is_subset(&suffixes);
            let shares_literal = child.suffixes.iter().any(|suffix| !suffix.is_empty() && suffixes.contains(suffix));
            let missing = child.statuses.contains(&404);
            let denied = child.statuses.iter().all(|status| matches!(status, 401 | 403 | 405));
            let fits = |within: &BTreeSet<&str>| {
                child.suffixes.iter().all(|suffix| suffix.is_empty() || within.contains(suffix))
            };
            // Asked only to be refused.
            let refused = !child.any_ok
                && (missing || !is_action(child.decoded))
                && (missing || child.methods.is_subset(&methods))
                && (!denied || shares_literal || child.own.is_empty())
                && (goes_on || fits(&suffixes));
            // Nothing of its own, and the endpoints below it are those of the values.
            let like_values = child.own.is_empty() && same_below && shares_literal && !is_action(child.decoded);
            // Only written, as an item is.
            let answers_nothing = || self.place.own_posts(child).all(|facts| facts.kind == Kind::Nothing);
            let written = child.own_ok()
                && !is_action(child.decoded)
                && fits(&suffixes)
                && child.ok_methods.iter().all(|method| {
                    matches!(*method, "PUT" | "PATCH" | "DELETE")
                        || (*method == "POST" && ok_methods.contains("POST") && answers_nothing())
                });
            // A scope that holds nothing.
            let empty = lists
                && child.own_ok()
                && child.ok_methods.iter().all(|method| super::observed::is_read(method))
                && !is_action(child.decoded)
                && self.place.own_reads(child).all(|facts| facts.kind == Kind::List && facts.items == 0);
            if refused || like_values || written || empty {
                absorbed.push(index);
            }
        }
        for index in absorbed {
            self.kinds[index] = Some(Why::Absorbed);
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
        for (index, why) in self.kinds.iter().enumerate() {
            if *why != Some(Why::Absorbed) {
                continue;
            }
            let own = &self.place.children[index].suffixes;
            let is_keyed = |kinds: &[Why]| matches!(kinds.first(), Some(Why::Keyed(_)));
            let shares = |children: &[usize]| self.suffixes(children).intersection(own).next().is_some();
            let home = groups
                .iter()
                .position(|(kinds, children)| !is_keyed(kinds) && shares(children))
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

impl<'p> Child<'p> {
    /// Whether its own reads were answered with text that shows nothing to look for.
    fn own_ok_by_text(&self, place: &Place<'_, 'p>) -> bool {
        place.own_reads(self).any(|facts| matches!(facts.kind, Kind::Scalar | Kind::Text))
    }
}

/// Whether a segment had to be percent-encoded for a character that no endpoint is named with.
fn is_escaped(child: &Child<'_>) -> bool {
    child.raw != child.decoded
        && child.decoded.chars().any(|c| matches!(c, '/' | ' ' | '@' | ':' | '#' | '?' | '%' | '|' | ',' | '&'))
}

/// Words that name an action on a collection: an endpoint even when it was only refused.
fn is_action(decoded: &str) -> bool {
    matches!(
        decoded.to_ascii_lowercase().as_str(),
        "search"
            | "query"
            | "filter"
            | "count"
            | "counts"
            | "paginate"
            | "batch"
            | "bulk"
            | "export"
            | "import"
            | "me"
            | "self"
            | "all"
            | "latest"
            | "current"
            | "login"
            | "logout"
            | "stats"
            | "health"
            | "status"
            | "new"
            | "validate"
            | "preview"
    )
}
