//! Gathered members: what an entity shows of all entities that name it (their identities, a sum, copies of them). A
//! write of one of those is followed in its holder. Found in `effect_gather_propose.rs`.

use super::clock_format::clock_seconds;
use super::derived::Derived;
use super::effect::{Done, follow, put, set_path, slot_of_key};
use super::effect_relation::{Relation, named_entities, names_entity};
use super::generate::{count_value, counted};
use super::line::scalar_text;
use super::member_cast::Cast;
use super::path::{MemberPath, Step};
use super::slot::{Left, merged};
use super::store::{Entity, World};
use super::text_rule::{Piece, make_text};
use crate::json::{Number, Object, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A member that is made of the entities that name its holder.
#[derive(Clone, Debug, PartialEq)]
pub struct Gather {
    /// The type that holds it.
    pub holder: usize,
    /// Where, by slot key.
    pub path: MemberPath,
    /// The type of the gathered entities.
    pub of: usize,
    /// How they name the holder.
    pub by: Relation,
    /// Only entities whose member has this value.
    pub only: Option<(MemberPath, Value)>,
    /// What is made of them.
    pub made: Gathered,
    /// Their order.
    pub order: GatherOrder,
    /// What the member is where there are none; `None` where no recording shows it, `Some(None)` where it is left out.
    pub empty: Option<Option<Value>>,
}

/// The order in which entities are gathered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GatherOrder {
    /// As they are held: as the list of them shows them.
    Held,
    /// The last of them first.
    Reversed,
    /// By the numbers that identify them: in the order in which they were made, however a list sorts them.
    Number,
}

impl GatherOrder {
    /// All, the plainest first.
    pub(super) const ALL: [Self; 3] = [Self::Held, Self::Reversed, Self::Number];

    /// Puts entities into the order.
    pub(super) fn arrange(self, found: &mut [(Arc<str>, Value)]) {
        match self {
            Self::Held => {}
            Self::Reversed => found.reverse(),
            // What has no number comes last, as it is held.
            Self::Number => found.sort_by_key(|(id, _)| id.parse::<u64>().unwrap_or(u64::MAX)),
        }
    }
}

/// What is made of the gathered entities.
#[derive(Clone, Debug, PartialEq)]
pub enum Gathered {
    /// How many there are.
    Number,
    /// The values of a member, as a list.
    Each(MemberPath),
    /// The same, spelled otherwise: identities that are texts, as numbers.
    EachAs(MemberPath, Cast),
    /// The texts of a member in one text, with this between them.
    Joined(MemberPath, Box<str>),
    /// The sum of a member.
    Sum(MemberPath),
    /// The mean of a member.
    Mean(MemberPath),
    /// A list of objects, each with copies of an entity's members.
    Items(Items),
    /// A text of the holder's own members, as long as there is one.
    While(Vec<Piece>),
    /// One value, as long as there is one.
    Fixed(Value),
    /// How many different values of a member there are.
    Different(MemberPath),
    /// The value of a member of the only one; of several it is not known.
    Only(MemberPath),
    /// The latest clock of a member.
    Newest(MemberPath),
}

/// A list of objects that show entities.
#[derive(Clone, Debug, PartialEq)]
pub struct Items {
    /// The member that holds the identity.
    pub key: Box<str>,
    /// Members that are copies, with the slot they are copies of.
    pub copies: Vec<(Box<str>, MemberPath)>,
    /// What other members are in an item that is new.
    pub born: Vec<(Box<str>, Value)>,
    /// All members in their order; what is neither copied nor born is not known.
    pub names: Vec<Box<str>>,
    /// Which of the entities are shown.
    pub shown: Picked,
}

/// Which of several entities a list shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Picked {
    /// All of them.
    All,
    /// The last.
    Last,
    /// The one whose identity is the greatest number.
    Greatest,
}

impl Picked {
    /// The entities that are shown of those found.
    pub(super) fn of(self, found: &[(Arc<str>, Value)]) -> &[(Arc<str>, Value)] {
        let last = found.len().saturating_sub(1);
        match self {
            Self::All => found,
            Self::Last => &found[last..],
            Self::Greatest => {
                let number = |at: &usize| found.get(*at).and_then(|(id, _)| id.parse::<u64>().ok());
                let at = (0..found.len()).max_by_key(number).unwrap_or(last);
                found.get(at..=at).unwrap_or_default()
            }
        }
    }
}

impl Gather {
    /// All values of the entities that are gathered for a holder, in the order in which they are shown.
    fn gathered(&self, derived: &Derived, world: &World, (home, id): (&str, &str)) -> Vec<(Arc<str>, Value)> {
        let holder = (self.holder, home, id);
        let entities = world.collections(self.of).flat_map(|(_, collection)| collection.iter());
        let mut found: Vec<(Arc<str>, Value)> = entities
            .filter(|entity| names_entity(derived, &self.by, (self.of, entity), holder))
            .map(|entity| (Arc::clone(&entity.id), merged(entity)))
            .filter(|(_, values)| self.counts(values))
            .collect();
        self.order.arrange(&mut found);
        found
    }

    fn counts(&self, values: &Value) -> bool {
        self.only.as_ref().is_none_or(|(path, value)| path.direct(values).is_some_and(|held| held.same_as(value)))
    }

    /// What stands between identities, where the member has this name and joins those.
    pub(super) fn joins_ids(&self, name: &str, identity: &MemberPath) -> Option<&str> {
        match &self.made {
            Gathered::Joined(path, between) if self.path == MemberPath::member(name) && path == identity => {
                Some(between)
            }
            _ => None,
        }
    }

    /// Whether the member has this name and lists identities.
    pub(super) fn lists_ids(&self, name: &str, identity: &MemberPath) -> bool {
        matches!(&self.made, Gathered::Each(path) if path == identity) && self.path == MemberPath::member(name)
    }

    /// What the member is, `Some(None)` for one that is left out; `None` where the rule does not tell.
    pub(super) fn value(
        &self,
        found: &[(Arc<str>, Value)],
        present: Option<&Value>,
        holder: &Value,
    ) -> Option<Option<Value>> {
        if found.is_empty() && !matches!(self.made, Gathered::Number | Gathered::Different(_)) {
            return self.empty.clone();
        }
        let numbers = |path: &MemberPath| -> Option<Vec<f64>> {
            found
                .iter()
                .filter_map(|(_, values)| path.direct(values).filter(|value| !value.is_null()))
                .map(|value| value.as_number().map(Number::to_f64))
                .collect()
        };
        let texts = |path: &MemberPath| -> Option<Vec<String>> {
            found.iter().map(|(_, values)| path.direct(values).and_then(scalar_text)).collect()
        };
        match &self.made {
            Gathered::Number => {
                let digits = present.and_then(counted).and_then(|(_, digits)| digits);
                Some(Some(count_value(i64::try_from(found.len()).ok()?, digits)))
            }
            Gathered::Each(path) => {
                let list: Option<Vec<Value>> = found.iter().map(|(_, values)| path.direct(values).cloned()).collect();
                Some(Some(Value::Array(list?)))
            }
            Gathered::EachAs(path, cast) => {
                let list: Option<Vec<Value>> =
                    found.iter().map(|(_, values)| path.direct(values).and_then(|value| cast.apply(value))).collect();
                Some(Some(Value::Array(list?)))
            }
            Gathered::Joined(path, between) => Some(Some(Value::from(texts(path)?.join(between)))),
            Gathered::Sum(path) => number(numbers(path)?.iter().sum()).map(Some),
            Gathered::Mean(path) => {
                let all = numbers(path)?;
                if all.is_empty() {
                    return self.empty.clone();
                }
                // A mean is no sum of decimals: all its digits are shown.
                Number::from_f64(all.iter().sum::<f64>() / all.len() as f64).map(|mean| Some(Value::Number(mean)))
            }
            Gathered::Items(items) => items.list(found, present).map(Some),
            Gathered::While(pieces) => make_text(pieces, holder).map(Value::from).map(Some),
            Gathered::Fixed(value) => Some(Some(value.clone())),
            Gathered::Different(path) => {
                let different: BTreeSet<String> = texts(path)?.into_iter().collect();
                let digits = present.and_then(counted).and_then(|(_, digits)| digits);
                Some(Some(count_value(i64::try_from(different.len()).ok()?, digits)))
            }
            Gathered::Newest(path) => {
                let clocks = found.iter().map(|(_, values)| path.direct(values).filter(|value| !value.is_null()));
                let clocks: Vec<&Value> = clocks.collect::<Option<_>>()?;
                let newest = clocks.into_iter().max_by(|one, other| {
                    let seconds = |value: &Value| clock_seconds(value).unwrap_or_default();
                    let order = seconds(one).total_cmp(&seconds(other));
                    // Of one second the fraction tells, which is spelled alike.
                    order.then_with(|| one.as_str().cmp(&other.as_str()))
                });
                newest.cloned().map(Some)
            }
            Gathered::Only(path) => match found {
                [(_, values)] => path.direct(values).cloned().map(Some),
                _ => None,
            },
        }
    }
}

/// A number in its shortest spelling.
fn number(value: f64) -> Option<Value> {
    // Sums of decimals are compared and shown without what binary fractions leave over.
    let rounded = (value * 1e9).round() / 1e9;
    Number::from_f64(rounded).map(Value::Number)
}

impl Items {
    fn list(&self, found: &[(Arc<str>, Value)], present: Option<&Value>) -> Option<Value> {
        let held = present.and_then(Value::as_array).unwrap_or_default();
        let list: Option<Vec<Value>> = self
            .shown
            .of(found)
            .iter()
            .map(|(id, values)| {
                let same = |item: &&Value| item.get(&self.key).and_then(scalar_text).as_deref() == Some(id);
                self.item(values, held.iter().find(same))
            })
            .collect();
        list.map(Value::Array)
    }

    fn item(&self, values: &Value, present: Option<&Value>) -> Option<Value> {
        let mut object = Object::new();
        for name in &self.names {
            let copied = self.copies.iter().find(|(held, _)| held == name);
            match copied {
                Some((_, path)) => {
                    if let Some(value) = path.direct(values) {
                        object.push(name.as_ref(), value.clone());
                    }
                }
                None => {
                    let born = || self.born.iter().find(|(held, _)| held == name).map(|(_, value)| value);
                    let value = match present {
                        Some(item) => item.get(name),
                        None => Some(born()?),
                    };
                    if let Some(value) = value {
                        object.push(name.as_ref(), value.clone());
                    }
                }
            }
        }
        Some(Value::Object(object))
    }
}

/// Follows a write of a gathered entity in its holders: those that showed what the rule says show what it says now;
/// others are not known from there on.
pub(super) fn gather(derived: &Derived, world: &mut World, rule: &Gather, done: &Done<'_>) {
    let mut named: BTreeMap<(Arc<str>, Arc<str>), Arc<Entity>> = BTreeMap::new();
    for entity in done.before.iter().chain(&done.after) {
        let holders = named_entities(derived, world, &rule.by, (rule.of, entity), rule.holder);
        named.extend(holders.into_iter().map(|held| ((Arc::clone(&held.collection), Arc::clone(&held.id)), held)));
    }
    for ((home, id), held) in named {
        let all = merged(&held);
        let present = rule.path.direct(&all);
        let former = done.renamed.filter(|(_, new)| **new == *id).map(|(old, _)| old);
        let before = rule.gathered(derived, done.was, (&home, former.unwrap_or(&id)));
        let after = rule.gathered(derived, world, (&home, &id));
        let Some(Step::Member(key)) = rule.path.0.first() else { continue };
        let known = present.is_some() || rule.empty == Some(None) && before.is_empty();
        if !known {
            continue;
        }
        let ruled = |found: &[(Arc<str>, Value)]| rule.value(found, present, &all);
        // What moved with its holder was followed with the first of them.
        if former.is_some() && ruled(&after).is_some_and(|ruled| ruled.as_ref() == present) {
            continue;
        }
        // A state of the holder that is entered twice is entered once.
        if let (Gathered::While(_), Some(Some(new)), Some(present)) = (&rule.made, ruled(&after), present)
            && new.same_as(present)
        {
            continue;
        }
        let as_ruled = match (ruled(&before), present) {
            (Some(Some(ruled)), Some(present)) => ruled.same_as(present),
            (Some(None), None) => true,
            _ => false,
        };
        // What an effect changed in the gathered entity may be nothing that is shown here, or be shown already.
        if done.depth > 0 && !as_ruled {
            continue;
        }
        let new = if as_ruled { ruled(&after) } else { rule.stepped(&before, &after, present) };
        let follows = ruled(&before) != ruled(&after);
        let was = world.clone();
        match new {
            Some(Some(value)) => set_path(derived, world, rule.holder, &held, &rule.path, value),
            other => {
                let Some(slot) = slot_of_key(key).filter(|_| rule.path.0.len() == 1 || other.is_none()) else {
                    continue;
                };
                let left = if other.is_some() { Left::Absent } else { Left::Unknown };
                put(derived, world, rule.holder, &held, vec![(slot, left)]);
            }
        }
        if follows {
            follow(derived, world, rule.holder, (&was, &held), done);
        }
    }
}

impl Gather {
    /// The present value with what one write changes, where the entities that it was made of are not all held.
    fn stepped(
        &self,
        before: &[(Arc<str>, Value)],
        after: &[(Arc<str>, Value)],
        present: Option<&Value>,
    ) -> Option<Option<Value>> {
        let present = present?;
        match &self.made {
            Gathered::Number => {
                let (held, digits) = counted(present)?;
                let change = i64::try_from(after.len()).ok()? - i64::try_from(before.len()).ok()?;
                Some(Some(count_value(held.checked_add(change)?, digits)))
            }
            Gathered::Sum(_) => {
                let held = present.as_number()?.to_f64();
                let of = |found: &[(Arc<str>, Value)]| match self.value(found, None, &Value::Null) {
                    Some(Some(value)) => value.as_number().map(Number::to_f64),
                    _ => found.is_empty().then_some(0.0),
                };
                number(held + of(after)? - of(before)?).map(Some)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    fn value(text: &str) -> Value {
        crate::json::parse(text.as_bytes()).unwrap()
    }

    fn rule(made: Gathered, empty: &str) -> Gather {
        let by = Relation::Member(MemberPath::member("shelf"));
        let path = MemberPath::member("shown");
        let empty = (!empty.is_empty()).then(|| Some(value(empty)));
        Gather { holder: 0, path, of: 1, by, only: None, made, order: GatherOrder::Held, empty }
    }

    fn items() -> Gathered {
        Gathered::Items(Items {
            key: "id".into(),
            copies: vec![("id".into(), MemberPath::member("id")), ("n".into(), MemberPath::member("name"))],
            born: vec![("fresh".into(), Value::Bool(true))],
            names: ["id", "n", "fresh"].map(Into::into).to_vec(),
            shown: Picked::All,
        })
    }

    fn world(shown: &str, books: &[&str]) -> World {
        let mut world = World::default();
        let shelf = format!(r#"{{"id":7,"shown":{shown}}}"#);
        world.set_entity(0, Entity::new("/shelves", "7", value(&shelf)));
        for book in books {
            let book = value(book);
            world.set_entity(1, Entity::new("/books", &scalar_text(book.get("id").unwrap()).unwrap(), book));
        }
        world
    }

    const ONE: &str = r#"{"id":1,"name":"a","pages":10,"shelf":7}"#;
    const TWO: &str = r#"{"id":2,"name":"b","pages":30,"shelf":7}"#;
    const EARLY: &str = r#"{"id":3,"name":"c","at":"2026-03-04T10:00:05.250Z","shelf":7}"#;
    const LATE: &str = r#"{"id":2,"name":"a","at":"2026-03-04T10:00:05.500Z","shelf":7}"#;
    const ELSEWHERE: &str = r#"{"id":2,"name":"b","pages":30,"shelf":8}"#;

    #[rstest]
    #[case::identities(Gathered::Each(MemberPath::member("id")), "[1]", &[ONE], &[ONE, TWO], "[1,2]")]
    #[case::it_leaves(Gathered::Each(MemberPath::member("id")), "[1,2]", &[ONE, TWO], &[ONE], "[1]")]
    #[case::it_moves_away(Gathered::Each(MemberPath::member("id")), "[1,2]", &[ONE, TWO], &[ONE, ELSEWHERE], "[1]")]
    #[case::the_last_leaves(Gathered::Each(MemberPath::member("id")), "[2]", &[TWO], &[], "[]")]
    #[case::as_texts(Gathered::EachAs(MemberPath::member("id"), Cast::ToText), r#"["1"]"#, &[ONE], &[ONE, TWO], r#"["1","2"]"#)]
    #[case::joined(Gathered::Joined(MemberPath::member("id"), ",".into()), r#""1""#, &[ONE], &[ONE, TWO], r#""1,2""#)]
    #[case::sum(Gathered::Sum(MemberPath::member("pages")), "10", &[ONE], &[ONE, TWO], "40")]
    #[case::sum_of_more_than_is_held(Gathered::Sum(MemberPath::member("pages")), "110", &[ONE], &[ONE, TWO], "140")]
    #[case::newest(Gathered::Newest(MemberPath::member("at")), r#""2026-03-04T10:00:05.250Z""#, &[EARLY], &[LATE, EARLY], r#""2026-03-04T10:00:05.500Z""#)]
    #[case::newest_leaves(Gathered::Newest(MemberPath::member("at")), r#""2026-03-04T10:00:05.500Z""#, &[LATE, EARLY], &[EARLY], r#""2026-03-04T10:00:05.250Z""#)]
    #[case::mean(Gathered::Mean(MemberPath::member("pages")), "10", &[ONE], &[ONE, TWO], "20")]
    #[case::count(Gathered::Number, "1", &[ONE], &[ONE, TWO], "2")]
    #[case::count_of_more_than_is_held(Gathered::Number, "5", &[ONE], &[ONE, TWO], "6")]
    #[case::begins(Gathered::While(vec![Piece::Whole(MemberPath::member("id"))]), "[]", &[], &[TWO], r#""7""#)]
    #[case::goes_on(Gathered::While(vec![Piece::Whole(MemberPath::member("id"))]), r#""7""#, &[ONE], &[ONE, TWO], r#""7""#)]
    #[case::ends(Gathered::While(vec![Piece::Whole(MemberPath::member("id"))]), r#""7""#, &[TWO], &[], "[]")]
    #[case::fixed_begins(Gathered::Fixed(Value::Bool(true)), "[]", &[], &[TWO], "true")]
    #[case::fixed_ends(Gathered::Fixed(Value::Bool(true)), "true", &[TWO], &[], "[]")]
    #[case::different(Gathered::Different(MemberPath::member("shelf")), "1", &[ONE], &[ONE, TWO], "1")]
    #[case::different_names(Gathered::Different(MemberPath::member("name")), "1", &[ONE], &[ONE, TWO], "2")]
    #[case::the_only_one(Gathered::Only(MemberPath::member("name")), "[]", &[], &[TWO], r#""b""#)]
    #[case::items(items(), r#"[{"id":1,"n":"a","fresh":false}]"#, &[ONE], &[ONE, TWO],
        r#"[{"id":1,"n":"a","fresh":false},{"id":2,"n":"b","fresh":true}]"#)]
    fn a_holder_follows(
        #[case] made: Gathered,
        #[case] shown: &str,
        #[case] before: &[&str],
        #[case] after: &[&str],
        #[case] expected: &str,
    ) {
        let derived = Derived::default();
        let (was, mut world) = (world(shown, before), world(shown, after));
        let held = |world: &World| world.collection(1, "/books").and_then(|books| books.get("2")).cloned();
        let (old, new) = (held(&was), held(&world));
        let done = Done::by((0, 1), old.as_deref(), new.as_deref(), &was);
        gather(&derived, &mut world, &rule(made, "[]"), &done);
        let shelf = world.collection(0, "/shelves").unwrap().get("7").unwrap();
        assert_eq!(shelf.fields.get("shown").map(Value::to_compact).as_deref(), Some(expected));
    }

    #[rstest]
    #[case::all(Picked::All, "9,10,2")]
    #[case::last(Picked::Last, "2")]
    #[case::greatest(Picked::Greatest, "10")]
    fn some_of_the_entities_are_shown(#[case] picked: Picked, #[case] expected: &str) {
        let found: Vec<(Arc<str>, Value)> = ["9", "10", "2"].map(|id| (Arc::from(id), Value::Null)).to_vec();
        let shown: Vec<&str> = picked.of(&found).iter().map(|(id, _)| id.as_ref()).collect();
        assert_eq!(shown.join(","), expected);
        assert!(picked.of(&[]).is_empty());
    }

    #[rstest]
    #[case::as_held(GatherOrder::Held, "9,10,2,x")]
    #[case::reversed(GatherOrder::Reversed, "x,2,10,9")]
    #[case::by_number(GatherOrder::Number, "2,9,10,x")]
    fn entities_are_gathered_in_an_order(#[case] order: GatherOrder, #[case] expected: &str) {
        let mut found: Vec<(Arc<str>, Value)> = ["9", "10", "2", "x"].map(|id| (Arc::from(id), Value::Null)).to_vec();
        order.arrange(&mut found);
        let ids: Vec<&str> = found.iter().map(|(id, _)| id.as_ref()).collect();
        assert_eq!(ids.join(","), expected);
    }

    /// What showed something else before is not known after, nor is a number that cannot be said.
    #[rstest]
    #[case::a_list(Gathered::Each(MemberPath::member("id")), "[9]")]
    #[case::more_than_a_number_holds(Gathered::Number, "9223372036854775807")]
    fn what_the_rule_did_not_say_before_is_forgotten(#[case] made: Gathered, #[case] shown: &str) {
        let derived = Derived::default();
        let (was, mut world) = (world(shown, &[ONE]), world(shown, &[ONE, TWO]));
        let new = world.collection(1, "/books").unwrap().get("2").cloned();
        let done = Done::by((0, 1), None, new.as_deref(), &was);
        gather(&derived, &mut world, &rule(made, "[]"), &done);
        let shelf = world.collection(0, "/shelves").unwrap().get("7").unwrap();
        assert_eq!(shelf.fields.get("shown"), None);
    }
}
