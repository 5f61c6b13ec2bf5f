//! The simplest rule of one member of a tree's item, and of the names of what is made, from recorded writes that did the same.

use super::clock_format::ClockFormat;
use super::tree::{Tree, name_of};
use super::tree_fit::Done;
use super::tree_rule::{Act, Naming, TreeRule, by_ending};
use crate::json::{Object, Value};

/// Sent members with one value in all of several calls: what another does is not known. But what names an item, the one to
/// copy or the place to move to is free, as a path is.
pub(super) fn only_values(done: &[&Done<'_>], act: &Act, naming: Option<&Naming>) -> Vec<(Box<str>, Value)> {
    let Some(first) = done.first().and_then(|one| one.sent).and_then(Value::as_object).filter(|_| done.len() > 1)
    else {
        return Vec::new();
    };
    let one = |name: &str, value: &Value| {
        done.iter().all(|one| one.sent.and_then(|sent| sent.get(name)).is_some_and(|sent| sent.same_as(value)))
    };
    let found = first.iter().filter_map(|(name, value)| Some((name.as_str()?, value)));
    let free = |name: &str| {
        let moves = matches!(act, Act::Move(member) if **member == *name);
        let names = naming.into_iter().flat_map(|naming| [&naming.source, &naming.tail_sent]).flatten();
        moves || names.into_iter().any(|member| **member == *name)
    };
    let found = found.filter(|(name, value)| !free(name) && one(name, value));
    found.map(|(name, value)| (Box::from(name), value.clone())).collect()
}

/// The rule that gives a member in every recorded call of a form.
pub(super) fn rule_of(
    tree: &Tree,
    spans: &[Option<(f64, f64)>],
    act: &Act,
    copies: bool,
    member: &str,
    done: &[&Done<'_>],
) -> Option<TreeRule> {
    if *member == *tree.path {
        return Some(TreeRule::Path);
    }
    if tree.name.as_deref() == Some(member) {
        return Some(TreeRule::Name);
    }
    let all = |holds: &dyn Fn(&Done<'_>, &Value) -> bool| {
        !done.is_empty() && done.iter().all(|one| one.after.get(member).is_some_and(|after| holds(one, after)))
    };
    let sent = all(&|one, after| one.sent.and_then(|sent| sent.get(member)).is_some_and(|sent| sent.same_as(after)));
    let held =
        all(&|one, after| one.before.as_ref().and_then(|held| held.get(member)).is_some_and(|h| h.same_as(after)));
    let source = copies
        && all(&|one, after| one.source.as_ref().and_then(|(_, s)| s.get(member)).is_some_and(|s| s.same_as(after)));
    let bytes = tree.members.iter().find(|of| {
        all(&|one, after| {
            let sent = || one.sent.and_then(|sent| sent.get(of));
            let text = one.after.get(of).or_else(sent).and_then(Value::as_str);
            text.is_some_and(|text| after.as_number().and_then(|number| number.as_u64()) == Some(text.len() as u64))
        })
    });
    let clock = done.iter().zip(spans).map(|(one, span)| {
        let before = one.before.as_ref().or(one.source.as_ref().map(|(_, source)| source));
        let same =
            before.and_then(|held| held.get(member)).zip(one.after.get(member)).is_some_and(|(a, b)| a.same_as(b));
        if same { None } else { ClockFormat::stamped(one.after.get(member)?, *span) }
    });
    let clock = clock.collect::<Option<Vec<_>>>().and_then(|formats| formats.into_iter().next());
    if matches!(act, Act::Move(_)) && held {
        return Some(TreeRule::Held);
    }
    if source {
        return Some(TreeRule::Source);
    }
    if sent {
        return Some(TreeRule::Sent(member.into()));
    }
    if let Some(of) = bytes {
        return Some(TreeRule::Bytes(of.clone()));
    }
    if held {
        return Some(TreeRule::Held);
    }
    if let Some(format) = clock {
        return Some(TreeRule::Clock(format));
    }
    let ends = tree.endings.get(member).is_some_and(|seen| {
        all(&|one, after| by_ending(seen, name_of(&one.path)).is_some_and(|value| value.same_as(after)))
    });
    if ends {
        return Some(TreeRule::Ending);
    }
    let first = done.first()?.after.get(member)?;
    all(&|_, after| after.same_as(first)).then(|| TreeRule::Fixed(first.clone()))
}

/// How a folder names what calls of one form make in it.
pub(super) fn naming(tree: &Tree, done: &[&Done<'_>], copies: bool) -> Option<Naming> {
    let mut naming =
        Naming { stem: None, tail_sent: None, tail: "".into(), before_number: None, first: 1, source: None };
    if copies {
        naming.source = done.first()?.source.as_ref().map(|(member, _)| member.as_str().into());
    } else {
        let shortest = done.iter().map(|one| name_of(&one.path)).min_by_key(|name| name.len())?;
        let sent = done.first()?.sent.and_then(Value::as_object);
        naming.tail_sent = sent.into_iter().flat_map(Object::iter).find_map(|(name, _)| {
            let ends = |one: &&Done<'_>| {
                let tail = one.sent.and_then(|sent| sent.get(name.as_str()?)).and_then(Value::as_str);
                tail.is_some_and(|tail| tail.len() > 1 && name_of(&one.path).ends_with(tail))
            };
            done.iter().all(ends).then(|| name.as_str().map(Box::from))?
        });
        let cut = match &naming.tail_sent {
            Some(member) => {
                let one = done.iter().find(|one| name_of(&one.path) == shortest)?;
                shortest.len() - one.sent.and_then(|sent| sent.get(member)).and_then(Value::as_str)?.len()
            }
            None => match super::tree_rule::ending(shortest) {
                "" => shortest.len(),
                ending => shortest.len() - ending.len() - 1,
            },
        };
        naming.stem = Some(shortest[..cut].into());
        if naming.tail_sent.is_none() {
            naming.tail = shortest[cut..].into();
        }
    }
    let copied = |one: &Done<'_>| -> Option<String> {
        let (_, source) = one.source.as_ref()?;
        Some(name_of(source.get(&tree.path)?.as_str()?.trim_matches('/')).to_owned())
    };
    for one in done {
        let copied = if copies { copied(one) } else { None };
        let (stem, tail) = naming.pieces(one.sent, copied.as_deref())?;
        let name = name_of(&one.path);
        let middle = name.strip_prefix(stem.as_str())?.strip_suffix(tail.as_str())?;
        let before = middle.trim_end_matches(|character: char| character.is_ascii_digit());
        if before.len() < middle.len() {
            naming.before_number = Some(before.into());
        }
    }
    let fits = |naming: &Naming| {
        done.iter().all(|one| {
            let copied = if copies { copied(one) } else { None };
            let name = naming.name(one.sent, copied.as_deref(), |name| one.taken.contains(name));
            name.as_deref() == Some(name_of(&one.path))
        })
    };
    [1, 2, 0].into_iter().map(|first| Naming { first, ..naming.clone() }).find(fits)
}
