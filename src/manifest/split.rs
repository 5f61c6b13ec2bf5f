//! From distinct paths to templates: walks the path tree place by place, so that every path through one place and every
//! method on it gets the same spelling.

use super::facts::{Member, Members, is_wrapper, last_part, names_entity, text_digest};
use super::observed::ObservedPath;
use super::place::{Context, Place};
use super::rules::TemplateRule;
use super::siblings::{Group, Known, divide};
use super::template::{Segment, Template};
use std::collections::BTreeMap;

/// The template of one observed path.
#[derive(Clone, Debug)]
pub(super) struct Templated {
    pub template: Template,
    /// For each parameter segment in order: the member that its values equal, when one was found.
    pub names: Vec<Option<String>>,
}

/// Templates all paths; the result is parallel to `paths`. The tree is walked twice: what the first walk found to be a
/// value at one place (a name of a queue, say) is evidence at others, where nothing was read that shows it.
pub(super) fn template_paths(paths: &[ObservedPath<'_>], members: &Members, rules: &[TemplateRule]) -> Vec<Templated> {
    let mut known = Known::default();
    let first = walk(paths, members, rules, &Known::default(), &mut known);
    if !rules.contains(&TemplateRule::SiblingVariance) || known.values.is_empty() {
        return first;
    }
    walk(paths, members, rules, &known, &mut Known::default())
}

fn walk(
    paths: &[ObservedPath<'_>],
    members: &Members,
    rules: &[TemplateRule],
    known: &Known,
    found: &mut Known,
) -> Vec<Templated> {
    let empty = Templated { template: Template { segments: Vec::new() }, names: Vec::new() };
    let mut out = vec![empty; paths.len()];
    // A stack of places instead of recursion: a path may have any number of segments.
    let mut places: Vec<(usize, Option<String>, Vec<usize>)> = vec![(0, None, (0..paths.len()).collect())];
    while let Some((depth, before, numbers)) = places.pop() {
        let context = Context { depth, before: before.as_deref() };
        let place = Place::new(context, paths, &numbers, members);
        let groups = divide(&place, rules, known);
        let mut grouped = vec![false; place.children.len()];
        for group in &groups {
            let name = value_name(&place, group, members);
            let mut below = Vec::new();
            for child in group.children.iter().filter_map(|index| {
                grouped[*index] = true;
                place.children.get(*index)
            }) {
                if !matches!(group.segment, Segment::Format(_)) && child.formats.is_empty() {
                    found.values.insert(text_digest(child.decoded));
                    found.after.extend(before.iter().map(|before| (before.clone(), text_digest(child.decoded))));
                }
                for number in &child.paths {
                    out[*number].template.segments.push(group.segment.clone());
                    out[*number].names.push(name.clone());
                    below.push(*number);
                }
            }
            below.sort_unstable();
            places.push((depth + 1, None, deeper(paths, below, depth + 1)));
        }
        for (child, _) in place.children.iter().zip(&grouped).filter(|(_, grouped)| !**grouped) {
            for number in &child.paths {
                out[*number].template.segments.push(Segment::Literal(child.raw.to_owned()));
            }
            places.push((depth + 1, Some(child.decoded.to_owned()), deeper(paths, child.paths.clone(), depth + 1)));
        }
        places.retain(|(_, _, numbers)| !numbers.is_empty());
    }
    out
}

/// The paths when some of them go on at `depth`; none when all have ended.
fn deeper(paths: &[ObservedPath<'_>], numbers: Vec<usize>, depth: usize) -> Vec<usize> {
    if numbers.iter().any(|number| paths[*number].parts.len() > depth) { numbers } else { Vec::new() }
}

/// The member that most values of a parameter equal: of their own entities first, then of list items, then of what lies
/// below.
fn value_name(place: &Place<'_, '_>, group: &Group, members: &Members) -> Option<String> {
    let children = || group.children.iter().filter_map(|index| place.children.get(*index));
    let relations: [for<'c, 'p> fn(&'c super::place::Child<'p>) -> &'c [Member]; 4] =
        [|child| &child.of_self, |child| &child.in_list, |child| &child.partition, |child| &child.below];
    for relation in relations {
        let mut counts: BTreeMap<Member, usize> = BTreeMap::new();
        for member in children().flat_map(|child| relation(child).iter().copied()) {
            *counts.entry(member).or_default() += 1;
        }
        let best = counts
            .into_iter()
            .filter_map(|(member, count)| display_name(members.name(member)).map(|name| (count, member, name)))
            .max_by_key(|(count, member, name)| (*count, preference(name), std::cmp::Reverse(*member)));
        if let Some((_, _, name)) = best {
            return Some(name.to_owned());
        }
    }
    None
}

/// How much a name is preferred among members that explain equally many values.
fn preference(name: &str) -> usize {
    const ORDER: [&str; 9] = ["id", "uid", "uuid", "guid", "_id", "slug", "key", "name", "login"];
    ORDER.iter().position(|word| *word == name).map_or(usize::from(names_entity(name)), |at| 1 + ORDER.len() - at)
}

/// The part of a member name that a parameter is called by: `owner.login` is an `owner`, `metadata.namespace` a
/// `namespace`.
fn display_name(name: &str) -> Option<&str> {
    let name = match name.split_once('.') {
        Some((outer, inner)) if names_entity(inner) && !is_wrapper(outer) => outer,
        Some(_) => last_part(name),
        None => name,
    };
    (!name.is_empty()).then_some(name)
}
