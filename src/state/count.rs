//! Counts: reads whose answer is how many entities a list would list (`POST /flows/count`, `GET /books/count?status=open`).
//! Their lines mean what they mean on the list beside them.

use super::derive::{Derivation, trimmed};
use super::derived::Derived;
use super::entity::at_place;
use super::envelope::set_at;
use super::evaluate::{Read, ReadAnswer, StateTarget, select_list};
use super::observe::{Seen, asks, is_read, trim_slash};
use super::store::World;
use super::types::{CountView, Place, Shape, View};
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::Segment;

/// Words that say that an answer is a number of entities.
const COUNTING: [&str; 4] = ["count", "total", "size", "cardinality"];

/// Answers a count from the list beside it.
///
/// # Errors
/// Why the list does not cover the line.
pub fn answer_count(
    derived: &Derived,
    world: &World,
    view: &CountView,
    read: Read<'_>,
) -> Result<ReadAnswer, &'static str> {
    let line = read.line.ok_or("unrecorded-request")?;
    let Some(View::List(list)) = derived.views.get(view.list_tool) else { return Err("no-view") };
    let path = trim_slash(read.path);
    let beside = path.rfind('/').map_or(path, |cut| &path[..cut]);
    let list_path = format!("{beside}{}", view.list_word);
    let of_list = Read { tool: view.list_tool, parameters: read.parameters, path: &list_path, line: Some(line) };
    let selection = select_list(derived, world, list, of_list, line)?;
    let mut body = derived.envelope_of(view.base_record).cloned().unwrap_or_default();
    set_at(&mut body, &view.place, Some(Value::from(selection.matched as u64)));
    let entity_type = derived.types.get(list.entity_type).ok_or("no-view")?;
    Ok(ReadAnswer::State {
        record: view.base_record,
        body,
        target: StateTarget::List { entity_type: entity_type.collection_template.clone(), collection: list_path },
        per_response: derived.per_response(read.tool).to_vec(),
    })
}

impl Derivation<'_> {
    /// Gives each counting read the view of the list beside it, where every clean call that the list covers was answered
    /// with its number. Where a count was only read after a change, two others of the same word have to be proved.
    pub(super) fn counts(&mut self) {
        let mut late: Vec<(usize, CountView)> = Vec::new();
        let mut proved = 0;
        for tool in 0..self.shapes.len() {
            if !is_read(&self.manifest.tools[tool])
                || matches!(self.shapes[tool], Shape::Item { .. } | Shape::List { .. })
            {
                continue;
            }
            let [.., Segment::Literal(word)] = trimmed(&self.manifest.tools[tool]) else { continue };
            let lower = word.to_ascii_lowercase();
            if !lower.split(|part: char| !part.is_ascii_alphanumeric()).any(|part| COUNTING.contains(&part)) {
                continue;
            }
            let Some(view) = self.list_beside(tool) else { continue };
            self.remember(view.base_record);
            match self.check_count(tool, &view) {
                Some(true) => {
                    proved += 1;
                    self.derived.views[tool] = View::Count(Box::new(view));
                }
                Some(false) => {}
                None => late.push((tool, view)),
            }
        }
        if proved >= 2 {
            for (tool, view) in late {
                let whole = match &self.derived.views[view.list_tool] {
                    View::List(list) => self.derived.is_complete(list.entity_type, None),
                    _ => false,
                };
                if !whole {
                    continue;
                }
                self.derived.views[tool] = View::Count(Box::new(view));
            }
        }
    }

    /// The list whose entities a tool may count: at the path above its last word, or behind another word for asking there.
    fn list_beside(&self, tool: usize) -> Option<CountView> {
        let segments = trimmed(&self.manifest.tools[tool]);
        let above = &segments[..segments.len().checked_sub(1)?];
        let answered: Vec<&Seen> =
            self.observed.of_tool(tool).filter(|seen| is_success(seen.status) && seen.body.is_some()).collect();
        let place = number_place(answered.first()?.body.as_deref()?)?;
        let base_record = answered.first()?.record;
        let beside = |list: usize| -> Option<String> {
            let own = trimmed(&self.manifest.tools[list]);
            if own == above {
                return Some(String::new());
            }
            match own.split_last() {
                Some((Segment::Literal(word), rest)) if rest == above && asks(word) => Some(format!("/{word}")),
                _ => None,
            }
        };
        (0..self.shapes.len())
            .filter(|list| matches!(self.derived.views[*list], View::List(_)))
            .filter_map(|list| Some((list, beside(list)?)))
            // The list that is asked the same way first.
            .min_by_key(|(list, _)| (self.manifest.tools[*list].method != self.manifest.tools[tool].method, *list))
            .map(|(list_tool, list_word)| CountView { list_tool, list_word, place, base_record })
    }

    /// Whether the clean calls of a count say what the list would list; `None` when there is no such call.
    fn check_count(&self, tool: usize, view: &CountView) -> Option<bool> {
        let View::List(list) = &self.derived.views[view.list_tool] else { return Some(false) };
        let calls = self.clean_calls(tool, list.entity_type);
        let (mut held, mut telling) = (0, false);
        for seen in &calls {
            let path = self.raw_path(seen);
            let read = Read { tool, parameters: &seen.parameters, path: &path, line: seen.line.as_ref() };
            match answer_count(&self.derived, &self.derived.world, view, read) {
                Ok(ReadAnswer::State { body, .. }) => {
                    let recorded = seen.body.as_deref()?;
                    let number = |body: &Value| at_place(body, &view.place).cloned();
                    match (number(&body), number(recorded)) {
                        (Some(said), Some(recorded)) if said.same_as(&recorded) => {
                            held += 1;
                            telling |= recorded
                                .as_number()
                                .is_some_and(|number| number.as_str().len() > 1 || number.as_str() > "1");
                        }
                        _ => return Some(false),
                    }
                }
                Ok(ReadAnswer::Absent { .. } | ReadAnswer::Refused { .. } | ReadAnswer::Recording { .. }) | Err(_) => {}
            }
        }
        if calls.is_empty() { None } else { Some(held > 0 && telling) }
    }
}

/// Where an answer holds its only number: the root, or one member.
fn number_place(body: &Value) -> Option<Place> {
    if body.as_number().is_some() {
        return Some(Vec::new());
    }
    let mut numbers = body.as_object()?.iter().filter(|(_, value)| value.as_number().is_some());
    let (name, _) = numbers.next()?;
    numbers.next().is_none().then(|| name.as_str().map(|name| vec![name.into()]))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("7", Some(0))]
    #[case(r#"{"count":7}"#, Some(1))]
    #[case(r#"{"ok":true,"count":7}"#, Some(1))]
    #[case(r#"{"count":7,"pages":2}"#, None)]
    #[case(r#"[7]"#, None)]
    fn where_the_number_is(#[case] text: &str, #[case] depth: Option<usize>) {
        assert_eq!(number_place(&crate::json::parse(text.as_bytes()).unwrap()).map(|place| place.len()), depth);
    }
}
