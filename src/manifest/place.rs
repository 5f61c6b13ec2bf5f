//! One place of a path tree: the segments that were observed after one common prefix, and what speaks for each of them
//! being a value (an item, a scope) rather than an endpoint's name. Gathers evidence; [`super::siblings`] decides.

use super::facts::{Facts, Kind, Member, Members, last_part, names_entity, text_digest};
use super::observed::{ObservedPath, is_ok, is_read};
use super::segment::SegmentFormat;
use super::token::is_opaque_token;
use std::collections::{BTreeMap, BTreeSet};

/// Where a place is: how deep, and what stands before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context<'a> {
    /// Index of the segment.
    pub depth: usize,
    /// The literal segment before it; `None` at the root and after a parameter.
    pub before: Option<&'a str>,
}

impl Context<'_> {
    /// Whether nothing before the place names a collection: the root, `api`, `rest`, a version. Segments here are
    /// endpoints unless several of them show the same.
    pub fn is_unnamed(&self) -> bool {
        self.depth == 0 || self.before.is_some_and(|before| is_api_word(before) || is_version(before))
    }

    /// Whether the literal before the place is a plural word.
    pub fn after_plural(&self) -> bool {
        self.before.is_some_and(|before| before.len() > 2 && before.ends_with('s') && !before.ends_with("ss"))
    }
}

/// Whether a literal is one of the words that introduce an interface.
pub(super) fn is_api_word(literal: &str) -> bool {
    literal.eq_ignore_ascii_case("api") || literal.eq_ignore_ascii_case("rest")
}

/// Whether a literal is a version: `v1`, `v2.1`, `2.0`, `v1beta1`.
pub(super) fn is_version(literal: &str) -> bool {
    let digits = literal.strip_prefix(['v', 'V']).unwrap_or(literal);
    let number = digits.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(digits.len());
    let (number, rest) = digits.split_at(number);
    let stage = rest.strip_prefix("alpha").or_else(|| rest.strip_prefix("beta")).or_else(|| rest.strip_prefix("rc"));
    let rest_ok = rest.is_empty() || stage.is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit()));
    number.starts_with(|c: char| c.is_ascii_digit())
        && rest_ok
        && (digits.len() < literal.len() || number.contains('.'))
}

/// One segment text of a place.
#[derive(Debug)]
pub(super) struct Child<'a> {
    /// The raw text, as first recorded.
    pub raw: &'a str,
    /// The text, decoded once.
    pub decoded: &'a str,
    /// Every format it fits.
    pub formats: Vec<SegmentFormat>,
    /// Whether it looks like a token.
    pub opaque: bool,
    /// All paths through it.
    pub paths: Vec<usize>,
    /// Paths that end here (with or without a trailing slash).
    pub own: Vec<usize>,
    /// What follows: `""` when a path ends here, the next literal, `*` for a next segment with a format.
    pub suffixes: BTreeSet<&'a str>,
    /// Members of its own entity that equal its text.
    pub of_self: Vec<Member>,
    /// Members of a list read at the parent that equal its text in some item.
    pub in_list: Vec<Member>,
    /// Members that equal its text in every item of its own list.
    pub partition: Vec<Member>,
    /// Members of entities below it (or of every item of lists below it) that equal its text.
    pub below: Vec<Member>,
    /// Methods, of all own paths.
    pub methods: BTreeSet<&'a str>,
    /// Methods with a 2xx answer that says something.
    pub ok_methods: BTreeSet<&'a str>,
    /// All own statuses.
    pub statuses: BTreeSet<u16>,
    /// Whether some path through it was answered 2xx.
    pub any_ok: bool,
}

impl<'a> Child<'a> {
    /// Whether its own paths were answered 2xx.
    pub fn own_ok(&self) -> bool {
        !self.ok_methods.is_empty()
    }
}

/// A place with all its evidence.
pub(super) struct Place<'a, 'p> {
    pub context: Context<'a>,
    pub paths: &'p [ObservedPath<'a>],
    pub members: &'p Members,
    pub children: Vec<Child<'p>>,
    /// Lists read at the parent: by GET, or by POST to it or to a literal child such as `filter`.
    lists: Vec<&'p Facts>,
}

impl<'a, 'p> Place<'a, 'p> {
    /// Groups `numbers` (paths that share everything before the place, in order of first observation) and gathers evidence.
    pub fn new(context: Context<'a>, paths: &'p [ObservedPath<'a>], numbers: &[usize], members: &'p Members) -> Self {
        let depth = context.depth;
        let mut index: BTreeMap<&str, usize> = BTreeMap::new();
        let mut children: Vec<Child<'p>> = Vec::new();
        let mut place_paths = Vec::new();
        for number in numbers {
            let path = &paths[*number];
            let Some(part) = path.parts.get(depth) else {
                place_paths.push(path);
                continue;
            };
            if part.raw.is_empty() && path.parts.len() == depth + 1 {
                place_paths.push(path);
            }
            let child = *index.entry(&part.decoded).or_insert_with(|| {
                children.push(Child::new(part.raw, &part.decoded));
                children.len() - 1
            });
            children[child].add(*number, path, depth);
        }
        let lists = place_paths
            .iter()
            .flat_map(|path| path.reads.iter().chain(&path.posts))
            .filter(|facts| facts.kind == Kind::List)
            .collect();
        let mut place = Self { context, paths, members, children, lists };
        place.gather();
        place
    }

    fn gather(&mut self) {
        let depth = self.context.depth;
        for child in &mut self.children {
            if child.raw.is_empty() {
                continue;
            }
            // As written, decoded, and with `+` for a space, as some clients write it in paths too.
            let mut spelled = vec![text_digest(child.decoded)];
            if child.raw != child.decoded {
                spelled.push(text_digest(child.raw));
            }
            if child.decoded.contains('+') {
                spelled.push(text_digest(&child.decoded.replace('+', " ")));
            }
            let mut of_self = BTreeSet::new();
            let mut partition = BTreeSet::new();
            let mut below = BTreeSet::new();
            for number in &child.paths {
                let path = &self.paths[*number];
                let own = path.parts.len() == depth + 1
                    || (path.parts.len() == depth + 2 && path.parts[depth + 1].raw.is_empty());
                for facts in
                    path.reads.iter().chain(&path.writes).chain(if own { [].iter() } else { path.posts.iter() })
                {
                    for digest in spelled.iter().copied() {
                        match (own, facts.kind) {
                            (true, Kind::Entity) => {
                                of_self.extend(facts.with_text(digest));
                                // `metadata.name`, `attributes.slug`: the entity's own, one level down.
                                of_self.extend(
                                    facts
                                        .nested_with_text(digest)
                                        .filter(|member| self.members.is_wrapped_name(*member)),
                                );
                            }
                            (true, Kind::List) if facts.items == 1 => {
                                let found = facts.common_with_text(digest);
                                of_self.extend(found.iter().filter(|member| names_entity(self.members.name(**member))));
                                partition.extend(found);
                            }
                            (true, Kind::List) => partition.extend(facts.common_with_text(digest)),
                            (false, Kind::Entity) => {
                                below.extend(facts.with_text(digest));
                                below.extend(facts.nested_with_text(digest));
                            }
                            (false, Kind::List) => {
                                below.extend(facts.common_with_text(digest));
                                below.extend(facts.nested_common_with_text(digest));
                            }
                            _ => {}
                        }
                    }
                }
            }
            let mut in_list = BTreeSet::new();
            for facts in &self.lists {
                for digest in spelled.iter().copied() {
                    in_list.extend(facts.with_text(digest));
                    in_list.extend(
                        facts
                            .nested_with_text(digest)
                            .filter(|member| names_entity(last_part(self.members.name(*member)))),
                    );
                }
            }
            let which = |found: BTreeSet<Member>| -> Vec<Member> {
                found.into_iter().filter(|member| !self.members.is_discriminator(*member)).collect()
            };
            child.of_self = which(of_self);
            child.partition = which(partition);
            child.below = which(below);
            child.in_list = which(in_list);
        }
    }

    /// The facts of a child's own reads and updates.
    pub fn own_facts(&self, child: &Child<'p>) -> impl Iterator<Item = &'p Facts> + use<'a, 'p> {
        let paths = self.paths;
        let own = child.own.clone();
        own.into_iter().flat_map(move |number| paths[number].reads.iter().chain(&paths[number].writes))
    }

    /// The facts of a child's own reads.
    pub fn own_reads(&self, child: &Child<'p>) -> impl Iterator<Item = &'p Facts> + use<'a, 'p> {
        let paths = self.paths;
        let own = child.own.clone();
        own.into_iter().flat_map(move |number| paths[number].reads.iter())
    }

    /// The facts of answers to a child's own POST calls.
    pub fn own_posts(&self, child: &Child<'p>) -> impl Iterator<Item = &'p Facts> + use<'a, 'p> {
        let paths = self.paths;
        let own = child.own.clone();
        own.into_iter().flat_map(move |number| paths[number].posts.iter())
    }

    /// Whether one of a child's reads was answered according to its query.
    pub fn query_identifies(&self, child: &Child<'p>) -> bool {
        child.own.iter().any(|number| self.paths[*number].query_identifies)
    }

    /// Whether a list read at the parent has items like this.
    pub fn listed_like(&self, facts: &Facts) -> bool {
        self.lists.iter().any(|list| list.similarity(facts) >= 0.3)
    }
}

impl<'p> Child<'p> {
    fn new(raw: &'p str, decoded: &'p str) -> Self {
        Self {
            raw,
            decoded,
            formats: SegmentFormat::ALL.into_iter().filter(|format| format.fits(decoded)).collect(),
            opaque: is_opaque_token(decoded),
            paths: Vec::new(),
            own: Vec::new(),
            suffixes: BTreeSet::new(),
            of_self: Vec::new(),
            in_list: Vec::new(),
            partition: Vec::new(),
            below: Vec::new(),
            methods: BTreeSet::new(),
            ok_methods: BTreeSet::new(),
            statuses: BTreeSet::new(),
            any_ok: false,
        }
    }

    fn add(&mut self, number: usize, path: &'p ObservedPath<'_>, depth: usize) {
        self.paths.push(number);
        let next = path.parts.get(depth + 1);
        self.suffixes.insert(match next {
            None => "",
            Some(part) if SegmentFormat::of(&part.decoded).is_some() => "*",
            Some(part) => part.raw,
        });
        self.any_ok |= path.is_ok();
        let ends = next.is_none_or(|part| part.raw.is_empty() && path.parts.len() == depth + 2);
        if !ends {
            return;
        }
        self.own.push(number);
        let nothing = path.reads_nothing();
        for (method, statuses) in &path.statuses {
            self.methods.insert(method);
            self.statuses.extend(statuses);
            if statuses.iter().any(|status| is_ok(*status)) && !(is_read(method) && nothing) {
                self.ok_methods.insert(method);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("v1", true)]
    #[case("v2.1", true)]
    #[case("2.0", true)]
    #[case("v1beta1", true)]
    #[case("v1alpha", true)]
    #[case("2", false)]
    #[case("v", false)]
    #[case("version", false)]
    #[case("v1x", false)]
    #[case("videos", false)]
    fn versions(#[case] literal: &str, #[case] expected: bool) {
        assert_eq!(is_version(literal), expected);
    }
}
