//! Finding a tree in a recording: a root below which items are addressed by paths of any depth, a member that says each
//! item's whole path, and folders that list what is in them. What is found here is proposed only; `tree_replay.rs` keeps
//! it when it makes what was recorded.

use super::clock_format::ClockFormat;
use super::observe::{Observed, Seen};
use super::tree::{ChildOrder, Tree, folder_of, is_within, name_of, path_below};
use super::tree_rule::{How, Showing, ending};
use crate::capture::is_success;
use crate::json::{Object, Value};
use crate::manifest::{Manifest, Segment, Tool, decode_once, split_path};
use std::collections::{BTreeMap, BTreeSet};

/// Distinct paths that have to say themselves.
const MIN_PATHS: usize = 4;

/// A recorded call below the root.
#[derive(Clone, Debug)]
pub(super) struct Step<'a> {
    /// The call.
    pub seen: &'a Seen,
    /// Its method.
    pub method: &'a str,
    /// The path below the root.
    pub path: String,
    /// Whether the tree's tools made it.
    pub own: bool,
}

impl Step<'_> {
    pub(super) fn succeeded(&self) -> bool {
        is_success(self.seen.status)
    }

    pub(super) fn reads(&self) -> bool {
        self.method == "GET"
    }

    /// The query of a read.
    pub(super) fn line(&self) -> Option<Vec<(String, String)>> {
        let line = self.seen.line.as_ref().filter(|line| !line.repeated)?;
        Some(line.params.iter().map(|param| (param.key.clone(), param.text.clone())).collect())
    }

    pub(super) fn body(&self) -> Option<&Object> {
        self.seen.body.as_deref().and_then(Value::as_object)
    }

    /// The body of a read by the path alone.
    pub(super) fn plain(&self) -> Option<&Object> {
        if !self.own || !self.reads() || !self.succeeded() || !self.line()?.is_empty() {
            return None;
        }
        self.body()
    }
}

/// A tree that is being found, with the calls below its root.
pub(super) struct Ground<'a> {
    /// The tree so far.
    pub tree: Tree,
    /// Calls below the root, in timeline order.
    pub steps: Vec<Step<'a>>,
    /// Steps that succeeded and are no reads.
    pub writes: Vec<usize>,
}

/// The path that an item says it has.
pub(super) fn own_path(tree: &Tree, item: &Object) -> Option<String> {
    Some(item.get(&tree.path)?.as_str()?.trim_matches('/').to_owned())
}

/// What is below the root in a recording; `None` when it has no tree.
pub(super) fn find<'a>(manifest: &'a Manifest, observed: &'a Observed) -> Option<Ground<'a>> {
    let (root, path, slash) = find_root(manifest, observed)?;
    let mut tree = Tree {
        kind: 0,
        root: root.into(),
        slash,
        path: path.into(),
        name: None,
        word: "".into(),
        folder: Value::Null,
        children: "".into(),
        members: Vec::new(),
        clocks: Vec::new(),
        bumped: Vec::new(),
        order: ChildOrder::Oldest,
        unlisted: BTreeSet::new(),
        listed: Showing::default(),
        lines: BTreeMap::new(),
        parts: BTreeMap::new(),
        methods: BTreeMap::new(),
        hindered: BTreeMap::new(),
        copies: None,
        endings: BTreeMap::new(),
    };
    claim(manifest, observed, &mut tree);
    let steps: Vec<Step<'a>> = observed
        .seen
        .iter()
        .filter_map(|seen| {
            let path = path_below(&tree.root, &seen.path)?;
            let method = manifest.tools.get(seen.tool)?.method.as_str();
            Some(Step { seen, method, path, own: tree.methods.contains_key(&seen.tool) })
        })
        .collect();
    let writes = (0..steps.len()).filter(|index| steps[*index].succeeded() && !steps[*index].reads()).collect();
    let mut ground = Ground { tree, steps, writes };
    ground.anatomy()?;
    Some(ground)
}

/// The root, the member that says the path below it, and whether that has a slash in front.
fn find_root(manifest: &Manifest, observed: &Observed) -> Option<(String, String, bool)> {
    #[derive(Default)]
    struct Evidence {
        paths: BTreeSet<String>,
        depths: BTreeSet<usize>,
        lists: bool,
        slash: bool,
    }
    let mut found: BTreeMap<(String, String), Evidence> = BTreeMap::new();
    for seen in observed.seen.iter().filter(|seen| is_success(seen.status)) {
        if manifest.tools.get(seen.tool).is_none_or(|tool| tool.method != "GET") {
            continue;
        }
        let Some(body) = seen.body.as_deref().and_then(Value::as_object) else { continue };
        let segments = split_path(&seen.path);
        for (member, value) in body {
            let (Some(member), Some(text)) = (member.as_str(), value.as_str()) else { continue };
            let path = text.trim_matches('/');
            let depth = path.split('/').count();
            if path.is_empty() || depth >= segments.len() {
                continue;
            }
            let (above, below) = segments.split_at(segments.len() - depth);
            if !below.iter().zip(path.split('/')).all(|(raw, segment)| decode_once(raw) == segment) {
                continue;
            }
            let evidence = found.entry((format!("/{}", above.join("/")), member.to_owned())).or_default();
            evidence.slash |= text.starts_with('/');
            evidence.depths.insert(depth);
            evidence.paths.insert(path.to_owned());
            let holds = |item: &Value| {
                let own = item.get(member).and_then(Value::as_str).map(|text| text.trim_matches('/'));
                own.is_some_and(|own| own.contains('/') && folder_of(own) == path)
            };
            evidence.lists |= body
                .iter()
                .any(|(_, value)| value.as_array().is_some_and(|items| !items.is_empty() && items.iter().all(holds)));
        }
    }
    let fits = found.into_iter().filter(|(_, evidence)| {
        evidence.lists && evidence.paths.len() >= MIN_PATHS && evidence.depths.iter().any(|depth| *depth > 1)
    });
    let best = fits.max_by_key(|(_, evidence)| evidence.paths.len());
    best.map(|((root, member), evidence)| (root, member, evidence.slash))
}

/// The tools that the tree answers: reads whose answers all say their own path, writes at the same places.
fn claim(manifest: &Manifest, observed: &Observed, tree: &mut Tree) {
    let below = |tool: usize| observed.of_tool(tool).all(|seen| path_below(&tree.root, &seen.path).is_some());
    let depth = split_path(&tree.root).len();
    let open = |tool: &Tool| {
        let segments = super::derive::trimmed(tool);
        segments.iter().skip(depth).all(|segment| !matches!(segment, Segment::Literal(_)))
    };
    let says_path = |seen: &Seen| {
        let item = seen.body.as_deref().and_then(Value::as_object)?;
        let own = own_path(tree, item)?;
        Some(path_below(&tree.root, &seen.path)? == own)
    };
    let mut reads: Vec<usize> = Vec::new();
    for (index, tool) in manifest.tools.iter().enumerate() {
        if tool.method != "GET" || !below(index) {
            continue;
        }
        let mut answers = observed.of_tool(index).filter(|seen| is_success(seen.status)).peekable();
        let shown = answers.peek().is_some();
        if shown && answers.all(|seen| says_path(seen) == Some(true)) || !shown && open(tool) {
            reads.push(index);
        }
    }
    let at_read = |tool: &Tool| {
        let segments = super::derive::trimmed(tool);
        reads.iter().any(|read| super::derive::trimmed(&manifest.tools[*read]) == segments)
    };
    let writes: Vec<usize> = (0..manifest.tools.len())
        .filter(|index| {
            let tool = &manifest.tools[*index];
            matches!(tool.method.as_str(), "PUT" | "POST" | "PATCH" | "DELETE")
                && below(*index)
                && (open(tool) || at_read(tool))
        })
        .collect();
    for tool in reads.iter().chain(&writes) {
        tree.methods.insert(*tool, manifest.tools[*tool].method.clone());
    }
}

impl<'a> Ground<'a> {
    /// Which members say what; `None` when nothing tells folders from other items.
    fn anatomy(&mut self) -> Option<()> {
        let plain: Vec<(&str, &Object)> =
            self.steps.iter().filter_map(|step| Some((step.path.as_str(), step.plain()?))).collect();
        let path = self.tree.path.clone();
        let lists = |folder: &str, items: &[Value]| {
            items.iter().all(|item| {
                let own = item.get(&path).and_then(Value::as_str).map(|own| own.trim_matches('/'));
                own.is_some_and(|own| !own.is_empty() && folder_of(own) == folder && own != folder)
            })
        };
        let children = plain.iter().find_map(|(folder, item)| {
            let full = |value: &Value| value.as_array().is_some_and(|items| !items.is_empty() && lists(folder, items));
            item.iter().find(|(_, value)| full(value)).and_then(|(name, _)| name.as_str())
        })?;
        let children: Box<str> = children.into();
        let is_list = |folder: &str, item: &Object| {
            item.get(&children).and_then(Value::as_array).is_some_and(|items| lists(folder, items))
        };
        type Plain<'p> = Vec<(&'p str, &'p Object)>;
        let (folders, others): (Plain<'_>, Plain<'_>) =
            plain.iter().copied().partition(|(path, item)| is_list(path, item));
        let first = folders.first()?.1;
        let word = first.iter().find(|(name, value)| {
            let Some(name) = name.as_str().filter(|name| *name != &*path && *name != &*children) else { return false };
            let same = |item: &Object| item.get(name).is_some_and(|held| held.same_as(value));
            let told = others.iter().all(|(_, item)| item.get(name).is_some_and(|held| held.as_str().is_some()));
            value.as_str().is_some()
                && told
                && !others.is_empty()
                && folders.iter().all(|(_, item)| same(item))
                && !others.iter().any(|(_, item)| same(item))
        })?;
        let (word, folder) = (word.0.as_str()?, word.1.clone());
        let named = |name: &str| {
            plain
                .iter()
                .filter(|(path, _)| !path.is_empty())
                .all(|(path, item)| item.get(name).and_then(Value::as_str).is_some_and(|text| text == name_of(path)))
        };
        let name = first.iter().filter_map(|(name, _)| name.as_str()).find(|name| **name != *path && named(name));
        let mut members: Vec<Box<str>> = Vec::new();
        for member in plain.iter().flat_map(|(_, item)| item.iter()).filter_map(|(name, _)| name.as_str()) {
            if !members.iter().any(|held| **held == *member) {
                members.push(member.into());
            }
        }
        let is_clock = |member: &str| {
            let mut values = plain.iter().filter_map(|(_, item)| item.get(member)).filter(|value| !value.is_null());
            let shown = values.clone().next().is_some();
            shown && values.all(|value| value.as_str().is_some() && ClockFormat::of(value).is_some())
        };
        let clocks: Vec<Box<str>> = members.iter().filter(|member| is_clock(member)).cloned().collect();
        let (word, name) = (Box::from(word), name.map(Box::from));
        let tree = &mut self.tree;
        (tree.word, tree.folder, tree.name, tree.children) = (word, folder, name, children);
        (tree.members, tree.clocks) = (members, clocks);
        Some(())
    }

    /// Whether a write may have changed what is at a path.
    pub(super) fn touches(&self, write: usize, path: &str) -> bool {
        let step = &self.steps[write];
        if is_within(&step.path, path) || is_within(path, &step.path) && matches!(step.method, "DELETE" | "PATCH") {
            return true;
        }
        if let Some(own) = step.body().and_then(|item| own_path(&self.tree, item))
            && (is_within(&own, path) || path == own)
        {
            return true;
        }
        let sent = step.seen.sent.as_deref().and_then(Value::as_object);
        sent.into_iter().flat_map(Object::iter).filter_map(|(_, value)| value.as_str()).any(|text| {
            let text = text.trim_matches('/');
            !text.is_empty() && (is_within(text, path) || is_within(path, text) && step.method == "PATCH")
        })
    }

    /// Whether anything between two steps may have changed what is at a path.
    pub(super) fn untouched(&self, path: &str, from: usize, to: usize) -> bool {
        let (from, to) = (from.min(to), from.max(to));
        let first = self.writes.partition_point(|write| *write <= from);
        self.writes[first..].iter().take_while(|write| **write < to).all(|write| !self.touches(*write, path))
    }

    /// Plain reads, by path.
    pub(super) fn plain_reads(&self) -> BTreeMap<&str, Vec<(usize, &Object)>> {
        let mut reads: BTreeMap<&str, Vec<(usize, &Object)>> = BTreeMap::new();
        for (index, step) in self.steps.iter().enumerate() {
            if let Some(item) = step.plain() {
                reads.entry(step.path.as_str()).or_default().push((index, item));
            }
        }
        reads
    }

    /// Finds how each line shows items, and how folders show their children.
    pub(super) fn showings(&mut self) {
        let reads = self.plain_reads();
        let beside = |index: usize, path: &str| {
            let at = reads.get(path)?.iter().find(|(read, _)| self.untouched(path, index, *read))?;
            Some(at.1)
        };
        let mut lines: BTreeMap<Vec<(String, String)>, Vec<Sample<'_>>> = BTreeMap::new();
        let mut listed: Vec<Sample<'_>> = Vec::new();
        for (index, step) in self.steps.iter().enumerate().filter(|(_, step)| step.own && step.reads()) {
            let (Some(line), Some(item), true) = (step.line(), step.body(), step.succeeded()) else { continue };
            let samples = lines.entry(line).or_default();
            samples.push(Sample { shown: item, plain: beside(index, &step.path), record: step.seen.record });
            let inside = item.get(&self.tree.children).and_then(Value::as_array).unwrap_or_default();
            for child in inside.iter().filter_map(Value::as_object) {
                let Some(path) = own_path(&self.tree, child) else { continue };
                listed.push(Sample { shown: child, plain: beside(index, &path), record: step.seen.record });
            }
        }
        let lines: BTreeMap<_, _> =
            lines.into_iter().filter_map(|(line, samples)| Some((line, showing_of(&self.tree, &samples)?))).collect();
        let listed = showing_of(&self.tree, &listed).unwrap_or_default();
        (self.tree.lines, self.tree.listed) = (lines, listed);
    }

    /// Finds members that a name's ending decides.
    pub(super) fn endings(&mut self) {
        let mut items: Vec<(String, &Object)> = Vec::new();
        for step in self.steps.iter().filter(|step| step.own && step.succeeded()) {
            let Some(item) = step.body() else { continue };
            let inside = item.get(&self.tree.children).and_then(Value::as_array).unwrap_or_default();
            items.extend(
                [item]
                    .into_iter()
                    .chain(inside.iter().filter_map(Value::as_object))
                    .filter_map(|item| Some((own_path(&self.tree, item)?, item))),
            );
        }
        let is_folder = |item: &Object| item.get(&self.tree.word).is_some_and(|word| word.same_as(&self.tree.folder));
        items.retain(|(path, item)| !path.is_empty() && !is_folder(item));
        for member in &self.tree.members {
            let mut seen: BTreeMap<String, Value> = BTreeMap::new();
            let decided =
                items.iter().filter_map(|(path, item)| Some((path, item.get(member)?))).all(|(path, value)| {
                    let held = seen.entry(ending(name_of(path)).to_owned()).or_insert_with(|| value.clone());
                    held.same_as(value)
                });
            let first = seen.values().find(|value| value.as_str().is_some()).cloned();
            let several = first.is_some_and(|first| seen.values().any(|value| !value.same_as(&first)));
            if decided && several && *member != self.tree.word {
                self.tree.endings.insert(member.clone(), seen);
            }
        }
    }
}

/// One showing of an item, and the item as a read by its path alone shows it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    pub shown: &'a Object,
    pub plain: Option<&'a Object>,
    pub record: usize,
}

/// The showing that makes all samples; `None` when a member is shown in no way that is known.
pub(super) fn showing_of(tree: &Tree, samples: &[Sample<'_>]) -> Option<Showing> {
    let mut showing = Showing { record: samples.first()?.record, ..Showing::default() };
    let words = samples.iter().filter_map(|sample| sample.shown.get(&tree.word)?.as_str().map(str::to_owned));
    showing.words = words.collect();
    let pairs: Vec<(&Object, &Object)> =
        samples.iter().filter_map(|sample| Some((sample.shown, sample.plain?))).collect();
    if pairs.is_empty() {
        return None;
    }
    for member in &tree.members {
        if samples.iter().all(|sample| !sample.shown.contains(member)) {
            showing.others.insert(member.clone(), How::Left);
            continue;
        }
        let clock = tree.clocks.contains(member);
        let held = pairs.iter().all(|(shown, plain)| match (shown.get(member), plain.get(member)) {
            (Some(shown), Some(plain)) => shown.same_as(plain) || clock,
            (None, None) => true,
            _ => false,
        });
        if held {
            continue;
        }
        let first = samples.first()?.shown.get(member)?;
        let one = samples.iter().all(|sample| sample.shown.get(member).is_some_and(|value| value.same_as(first)));
        let bare = first.is_null() || first.as_bool().is_some();
        let paths: BTreeSet<Option<&str>> =
            samples.iter().map(|sample| sample.shown.get(&tree.path).and_then(Value::as_str)).collect();
        if one && (bare || paths.len() > 1) {
            showing.others.insert(member.clone(), How::Fixed(first.clone()));
            continue;
        }
        let encodes = pairs.iter().all(|(shown, plain)| {
            let held = plain.get(member).and_then(Value::as_str);
            held.zip(shown.get(member).and_then(Value::as_str))
                .is_some_and(|(held, shown)| super::tree_rule::encoded(held) == shown)
        });
        if !encodes {
            return None;
        }
        showing.others.insert(member.clone(), How::Encoded);
    }
    Some(showing)
}
