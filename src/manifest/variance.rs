//! The rule `sibling-variance`: what speaks for a literal being a value although its text alone does not say so, and which
//! refused or written literals go with the values beside them.

use super::facts::{Facts, Kind, Member, last_part, names_entity, text_digest};
use super::limits::MAX_SHAPES;
use super::names::singular;
use super::place::{Child, Place};
use super::rules::TemplateRule;
use super::siblings::{Division, Why, is_shared};
use std::collections::{BTreeMap, BTreeSet};

impl<'p> Division<'_, '_, 'p> {
    pub fn siblings(&mut self) {
        let has_items = self.has_items();
        let undecided = self.undecided();
        let names_kinds = self.names_kinds();
        let mut values: Vec<usize> = Vec::new();
        for (index, child) in &undecided {
            if self.names_itself(child)
                || self.is_listed(child, has_items)
                || self.is_partition(child, has_items)
                || (!names_kinds && self.is_scope(child))
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
        if !names_kinds {
            self.same_below();
        }
        self.written();
        if !names_kinds {
            self.known_values();
        }
    }

    /// Whether the texts say which kind of thing lies below them, as names of endpoints do, though all are asked alike:
    /// `/collections/tasks/records` and `/collections/labels/records` list things that have little in common, and no list
    /// shows the texts themselves. Scopes (`/vhosts/a/queues`) hold things of one kind.
    fn names_kinds(&self) -> bool {
        let mut below: BTreeMap<Vec<&str>, Vec<&Facts>> = BTreeMap::new();
        for (index, child) in self.children() {
            if self.kinds[index].is_some() {
                continue;
            }
            if !child.in_list.is_empty() || !child.of_self.is_empty() {
                return false;
            }
            for number in &child.paths {
                let path = &self.place.paths[*number];
                let rest = path.parts.get(self.place.context.depth + 1..).unwrap_or_default();
                let list = path.reads.iter().filter(|facts| facts.kind == Kind::List && facts.items >= 2);
                if let Some(facts) = list.max_by_key(|facts| facts.items)
                    && rest.first().is_some_and(|first| !first.raw.is_empty())
                {
                    below.entry(rest.iter().map(|part| part.raw).collect()).or_default().push(facts);
                }
            }
        }
        below.values().any(|lists| {
            lists.iter().enumerate().any(|(at, one)| lists[at + 1..].iter().any(|other| one.is_another_kind(other)))
        })
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
                let lists = || self.place.own_reads(child).any(|facts| facts.kind == Kind::List);
                !is_action(child.decoded) && !self.is_alias(child) && (!has_items || !lists())
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
            && (!self.place.context.is_unnamed() || is_shared(&child.of_self, &self.counts.of_self))
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
                    || self.counts.of_self.contains_key(member)
                    || child.below.contains(member)
            })
    }

    /// Its own answer is a list whose items all have its text.
    fn is_partition(&self, child: &Child<'p>, has_items: bool) -> bool {
        !child.partition.is_empty()
            && !has_items
            && (child.partition.iter().any(|member| child.in_list.contains(member) || child.below.contains(member))
                || is_shared(&child.partition, &self.counts.partition)
                || self.is_known(child))
    }

    /// What lies below it carries its text: `/queues/{vhost}/{name}` answering both.
    fn is_scope(&self, child: &Child<'p>) -> bool {
        if child.below.is_empty() || self.place.own_reads(child).any(|facts| facts.kind == Kind::List) {
            return false;
        }
        if is_shared(&child.below, &self.counts.below) || child.below.iter().any(|member| self.names_parent(*member)) {
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
        // What was answered below, by the rest of the path and by shape; each shape with the children that show it.
        let mut below: BTreeMap<Vec<&str>, Vec<(&Facts, BTreeSet<usize>)>> = BTreeMap::new();
        for (index, child) in self.children() {
            for number in &child.paths {
                let path = &self.place.paths[*number];
                let rest = path.parts.get(self.place.context.depth + 1..).unwrap_or_default();
                let Some(facts) = path.reads.iter().chain(&path.posts).next() else {
                    continue;
                };
                if rest.first().is_none_or(|first| first.raw.is_empty()) {
                    continue;
                }
                let shapes = below.entry(rest.iter().map(|part| part.raw).collect()).or_default();
                match shapes.iter().position(|(held, _)| held.resembles(facts)) {
                    Some(at) => {
                        shapes[at].1.insert(index);
                    }
                    None if shapes.len() < MAX_SHAPES => shapes.push((facts, BTreeSet::from([index]))),
                    None => {}
                }
            }
        }
        let alike: BTreeSet<usize> = below
            .into_values()
            .flatten()
            .map(|(_, children)| children)
            .filter(|same| same.len() >= 2)
            .flatten()
            .collect();
        let found: Vec<usize> = self
            .undecided()
            .into_iter()
            .filter(|(index, child)| {
                alike.contains(index)
                    && !is_action(child.decoded)
                    && !self.is_alias(child)
                    && !self.place.own_reads(child).any(|facts| facts.kind == Kind::List)
            })
            .map(|(index, _)| index)
            .collect();
        for index in found {
            self.mark(index, TemplateRule::SiblingVariance);
        }
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

    /// Literals beside values that were asked only to be refused, or only written as the values are.
    pub fn absorb(&mut self) {
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
