//! What lies under an entity and moves with it to its new name (a collection whose path has the name, and the member of
//! its entities that says it). Knows nothing of how a write renames.

use super::clock_format::ClockFormat;
use super::derived::Derived;
use super::effect::{Done, EffectRule, apply_effects, follow, put};
use super::effect_propose::Finder;
use super::effect_relation::{has_name, lies_under};
use super::identity::encoded_segment;
use super::line::scalar_text;
use super::path::{MemberPath, Step};
use super::slot::{Left, Slot, entity_with, merged};
use super::store::{Entity, World};
use super::write_apply::Maker;
use super::write_sample::{Fate, Sample, entity_of, shown_of};
use super::write_truth::Change;
use crate::json::Value;
use crate::manifest::{Segment, split_path};
use std::sync::Arc;

/// Entities that lie under another and follow it to a new name.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The type that lies under the other.
    pub holder: usize,
    /// The type that is renamed.
    pub of: usize,
    /// The segment of the collection's path that has the name.
    pub segment: usize,
    /// The member that says it, too.
    pub member: Option<Box<str>>,
    /// Clocks of what moves, which are set to the write's time.
    pub clocks: Vec<(Slot, ClockFormat)>,
}

impl Move {
    /// Whether a collection lies under the renamed entity.
    fn under(&self, derived: &Derived, path: &str, named: &Entity) -> bool {
        has_name(path, self.segment, &named.id)
            && lies_under(derived, (self.holder, path), self.segment, (self.of, &named.collection))
    }

    /// The same rule where two differ in what clocks they set: those that both do.
    pub(super) fn joined(&self, other: &Self) -> Option<Self> {
        let clocks: Vec<_> = self.clocks.iter().filter(|clock| other.clocks.contains(clock)).cloned().collect();
        let same = |rule: &Self| Self { clocks: clocks.clone(), ..rule.clone() };
        (same(self) == same(other)).then(|| same(self))
    }
}

/// A path with another name at a segment.
fn with_name(path: &str, segment: usize, name: &str) -> String {
    let renamed = encoded_segment(name);
    let parts = split_path(path).into_iter().enumerate();
    parts.map(|(at, part)| format!("/{}", if at == segment { &renamed } else { part })).collect()
}

/// Moves what lies under an entity that has another name since, with what that changes elsewhere.
pub(super) fn move_along(derived: &Derived, world: &mut World, rule: &Move, done: &Done<'_>) {
    let (Some(before), Some(after)) = (done.before, done.after) else { return };
    if before.id == after.id {
        return;
    }
    let homes = world.collections(rule.holder).filter(|(path, _)| rule.under(derived, path, before));
    let mut moved: Vec<Arc<Entity>> = Vec::new();
    let mut places: Vec<String> = Vec::new();
    for (path, held) in homes {
        moved.extend(held.iter().cloned());
        places.push(path.to_owned());
    }
    for path in places {
        world.note_moved(rule.holder, &path, &with_name(&path, rule.segment, &after.id));
    }
    // They keep their places among all of their type.
    let mut followed: Vec<(Arc<Entity>, Entity)> = Vec::new();
    for held in moved {
        let home = with_name(&held.collection, rule.segment, &after.id);
        if world.collection(rule.holder, &home).is_some_and(|there| there.get(&held.id).is_some()) {
            continue;
        }
        let said =
            rule.member.iter().filter(|name| held.fields.get(name).is_some_and(|value| value.as_str().is_some()));
        let slots =
            said.map(|name| (Slot { name: name.clone(), source: None }, Left::Value(Value::from(after.id.as_ref()))));
        let key = (Arc::from(home), Arc::clone(&held.id));
        let entity = entity_with(derived, rule.holder, key, Some(&held), slots.collect());
        world.move_entity(rule.holder, (&held.collection, &held.id), entity.clone());
        followed.push((held, entity));
    }
    let renamed = Some((before.id.as_ref(), after.id.as_ref()));
    for (held, entity) in &followed {
        let done =
            Done { kind: rule.holder, before: Some(held), after: Some(entity), is_target: false, renamed, ..*done };
        apply_effects(derived, world, &done);
    }
}

/// Sets the clocks of what moved along, with what that changes elsewhere.
pub(super) fn move_clocks(derived: &Derived, world: &mut World, done: &Done<'_>, maker: &mut dyn Maker) {
    let (Some(before), Some(after)) = (done.before, done.after) else { return };
    for rule in &derived.effects {
        let EffectRule::Move(rule) = rule else { continue };
        if rule.of != done.kind || before.id == after.id || rule.clocks.is_empty() {
            continue;
        }
        let homes = done.was.collections(rule.holder).filter(|(path, _)| rule.under(derived, path, before));
        let moved: Vec<Arc<Entity>> = homes
            .flat_map(|(path, held)| {
                let there = world.collection(rule.holder, &with_name(path, rule.segment, &after.id));
                held.iter().filter_map(move |entity| there?.get(&entity.id).cloned())
            })
            .collect();
        for held in moved {
            let was = world.clone();
            set_clocks(derived, world, (rule.holder, &held), &rule.clocks, maker);
            follow(derived, world, rule.holder, (&was, &held), done);
        }
    }
}

/// Sets clocks of an entity to the write's time.
pub(super) fn set_clocks(
    derived: &Derived,
    world: &mut World,
    (kind, held): (usize, &Entity),
    clocks: &[(Slot, ClockFormat)],
    maker: &mut dyn Maker,
) {
    let clocks = clocks.iter().map(|(slot, format)| {
        let now = maker.clock(format, &format!("/{}\u{0}beside", slot.key()));
        (slot.clone(), now.map_or(Left::Unknown, Left::Value))
    });
    put(derived, world, kind, held, clocks.collect());
}

impl Finder<'_, '_> {
    /// The rule by which an entity that appeared is one that lay under another, which has a new name since.
    pub(super) fn moved(&self, change: &Change) -> Option<EffectRule> {
        let (holder, home, id) = &change.key;
        let kind = self.work.derived.types.get(*holder)?;
        let open = kind.template.segments.iter().enumerate();
        let open: Vec<usize> =
            open.filter(|(_, part)| !matches!(part, Segment::Literal(_))).map(|(index, _)| index).collect();
        for sample in change.writes.iter().rev().filter_map(|write| self.samples.get(write)) {
            let (of, _, old) = &sample.key;
            let Some(new) = sample.renamed.as_ref().filter(|_| sample.fate == Fate::Changed && of != holder) else {
                continue;
            };
            for (at, segment) in open.iter().enumerate().filter(|(_, segment)| has_name(home, **segment, new)) {
                let former = with_name(home, *segment, old);
                let Some(held) = entity_of(&sample.world, &(*holder, former, id.clone())) else { continue };
                let said = kind.parents.get(at).and_then(Option::as_ref);
                let says = |path: &&MemberPath| path.direct(&merged(&held)).and_then(scalar_text).as_ref() == Some(old);
                let member = said.filter(says).and_then(|path| match path.0.as_slice() {
                    [Step::Member(name)] => Some(name.clone()),
                    _ => None,
                });
                let clocks = self.stamped(change, &held, sample);
                let rule = Move { holder: *holder, of: *of, segment: *segment, member, clocks };
                return Some(EffectRule::Move(Box::new(rule)));
            }
        }
        None
    }

    /// The clocks that tell the write's time since, and did not before.
    fn stamped(&self, change: &Change, held: &Entity, sample: &Sample<'_>) -> Vec<(Slot, ClockFormat)> {
        let Some(shown) = entity_of(&change.world, &change.key) else { return Vec::new() };
        let (was, is) = (shown_of(&self.work.derived, change.key.0, held), merged(&shown));
        let moved = was.into_iter().filter_map(|(slot, was)| {
            let (was, is) = (was?, is.get(&slot.key())?);
            let format = ClockFormat::stamped(is, sample.call.span).filter(|_| !was.same_as(is))?;
            Some((slot, format))
        });
        moved.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("/shelves/a/books", "/shelves/b%20c/books")]
    #[case("/shelves/other/books", "/shelves/other/books")]
    fn what_lies_under_it_moves_along(#[case] home: &str, #[case] expected: &str) {
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let mut world = World::default();
        world.set_entity(1, Entity::new(home, "7", value(r#"{"id":7,"shelf":"a"}"#)));
        let (before, after) =
            (Entity::new("/shelves", "a", value(r#"{"name":"a"}"#)), Entity::new("/shelves", "b c", value("{}")));
        let was = world.clone();
        let done = Done::by((0, 0), Some(&before), Some(&after), &was);
        let rule = Move { holder: 1, of: 0, segment: 1, member: Some("shelf".into()), clocks: Vec::new() };
        let derived = Derived { effects: vec![EffectRule::Move(Box::new(rule))], ..Derived::default() };
        apply_effects(&derived, &mut world, &done);
        let held = world.collection(1, expected).and_then(|held| held.get("7")).unwrap();
        let shelf = if home == expected { "a" } else { "b c" };
        assert_eq!(held.fields.get("shelf"), Some(&Value::from(shelf)));
        assert_eq!(world.collections(1).flat_map(|(_, held)| held.iter()).count(), 1);
    }

    #[test]
    fn what_is_made_of_those_that_move_and_their_clocks_follow() {
        use super::super::effect_gather::{Gather, GatherOrder, Gathered};
        use super::super::write_maker::LiveMaker;
        let value = |text: &str| crate::json::parse(text.as_bytes()).unwrap();
        let mut world = World::default();
        for id in ["7", "8"] {
            let book = value(&format!(r#"{{"id":{id},"changed":"2026-01-01T00:00:00Z"}}"#));
            world.set_entity(1, Entity::new("/shelves/a/books", id, book));
        }
        let before = Entity::new("/shelves", "a", value(r#"{"name":"a","first":"2026-01-01T00:00:00Z","books":2}"#));
        let after = Entity::new("/shelves", "b", value(r#"{"name":"b","first":"2026-01-01T00:00:00Z","books":2}"#));
        let (changed, first) = (Slot { name: "changed".into(), source: None }, MemberPath::member("first"));
        let clock = ClockFormat::of(&Value::from("2026-01-01T00:00:00Z")).unwrap();
        let rule = Move { holder: 1, of: 0, segment: 1, member: None, clocks: vec![(changed, clock)] };
        let gather = |path: MemberPath, made: Gathered| {
            let by = super::super::effect_relation::Relation::Segment(1);
            EffectRule::Gather(Box::new(Gather {
                holder: 0,
                path,
                of: 1,
                by,
                only: None,
                made,
                order: GatherOrder::Held,
                empty: Some(None),
            }))
        };
        let newest = gather(first, Gathered::Newest(MemberPath::member("changed")));
        let effects =
            vec![EffectRule::Move(Box::new(rule)), newest, gather(MemberPath::member("books"), Gathered::Number)];
        let derived = Derived { effects, write_clock: Some(1_800_000_000), ..Derived::default() };
        world.set_entity(0, before.clone());
        let was = world.clone();
        world.rename_entity(0, "a", after.clone());
        let done = Done::by((0, 0), Some(&before), Some(&after), &was);
        apply_effects(&derived, &mut world, &done);
        let shelf = world.named(0, "b").next().unwrap();
        assert_eq!(shelf.fields.as_ref(), after.fields.as_ref());
        move_clocks(&derived, &mut world, &done, &mut LiveMaker::new(&derived, &was, ("state", "tool")));
        let shelf = world.named(0, "b").next().unwrap();
        let now = world.named(1, "8").next().and_then(|book| book.fields.get("changed")).unwrap();
        assert_ne!(now.as_str(), Some("2026-01-01T00:00:00Z"));
        assert_eq!(shelf.fields.get("first"), Some(now));
        assert_eq!(shelf.fields.get("books"), Some(&Value::from(2)));
    }
}
