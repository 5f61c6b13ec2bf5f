//! Which recording answers: of a tool's cited records, the one that has the most of what the call supplies.

use super::Call;
use super::index::{QueryIndex, ToolIndex, query_pairs};
use super::postings::Field;
use crate::capture::Record;
use crate::manifest::{PathParameter, decode_once, split_path};

/// The recording that was chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Selected {
    /// Position in the capture's records.
    pub(super) position: usize,
    /// Whether everything that the call supplies equals what was recorded.
    pub(super) exact_match: bool,
    /// Whether the recorded request body equals the call's; `None` when the call has none.
    pub(super) body_match: Option<bool>,
}

/// Chooses by, in this order: matching path parameters, those of them that match as written, matching query
/// occurrences, names whose occurrences all match, for a probe the order of its pairs and the spelling of its query, the
/// request body, an answer with a body, and the order of the manifest. `None` only for a tool without records.
pub(super) fn select(
    index: &ToolIndex,
    parameters: &[PathParameter],
    call: &Call,
    records: &[Record],
) -> Option<Selected> {
    let mut field = Field::all(u32::try_from(index.by_rank.len()).unwrap_or(u32::MAX));
    let path = || call.path.iter().enumerate();
    field.narrow(path().map(|(parameter, value)| index.segment(parameter, value)).collect());
    field.narrow(path().map(|(parameter, value)| index.raw_segment(parameter, value)).collect());
    let names = supplied_names(&call.query);
    let mut query_match = true;
    if !names.is_empty() || call.raw_query.is_some() {
        query_match = narrow_by_query(&mut field, index, &names, call, records);
    }
    let mut equal_bodies = None;
    if let Some(body) = &call.body {
        let equal = index.bodies(records).equal(body);
        field.narrow(vec![equal.clone()]);
        equal_bodies = Some(equal);
    }
    let rank = field.first()?;
    if call.raw_query.is_none() && !names.is_empty() {
        // Arguments give values name by name: they cannot say which of two orders across names is meant.
        query_match &= !index.query(records).is_reordered(rank);
    }
    Some(Selected {
        position: *index.by_rank.get(rank as usize)?,
        exact_match: query_match && path_matches(parameters, call, index.record(rank, records)?),
        body_match: equal_bodies.map(|ranks| ranks.binary_search(&rank).is_ok()),
    })
}

/// A supplied query name and its values in order.
type Supplied<'a> = (&'a str, Vec<&'a str>);

fn supplied_names(query: &[(String, String)]) -> Vec<Supplied<'_>> {
    let mut names: Vec<Supplied<'_>> = Vec::new();
    for (name, value) in query {
        match names.iter_mut().find(|(held, _)| held == name) {
            Some((_, values)) => values.push(value),
            None => names.push((name, vec![value])),
        }
    }
    names
}

/// Narrows by the query, and says whether what is left in play has every supplied value (for a probe, in its order).
fn narrow_by_query<'a>(
    field: &mut Field<'a>,
    index: &'a ToolIndex,
    names: &[Supplied<'_>],
    call: &Call,
    records: &[Record],
) -> bool {
    let query = index.query(records);
    let occurrences = names.iter().flat_map(|(name, values)| {
        values.iter().enumerate().map(|(occurrence, value)| query.occurrence(name, occurrence, value))
    });
    field.narrow(occurrences.collect());
    field.narrow(names.iter().map(|(name, values)| query.complete(name, values.iter().copied())).collect());
    let is_complete = field.first().is_some_and(|rank| is_complete(query, rank, names));
    let Some(raw) = &call.raw_query else { return is_complete };
    field.narrow(vec![query.sequence(&call.query)]);
    field.narrow(vec![query.raw(raw)]);
    is_complete && narrow_to_order(field, index, call, records)
}

/// Whether the record has exactly the supplied values of every supplied name.
fn is_complete(query: &QueryIndex, rank: u32, names: &[Supplied<'_>]) -> bool {
    names.iter().all(|(name, values)| query.complete(name, values.iter().copied()).binary_search(&rank).is_ok())
}

/// Keeps the records whose pairs of the supplied names come in the probe's order; false (and nothing changed) when there
/// is none. Records with the probe's whole query need no look: only a probe of a query that was never recorded reads the
/// records in play.
fn narrow_to_order(field: &mut Field<'_>, index: &ToolIndex, call: &Call, records: &[Record]) -> bool {
    let ordered = |rank: &u32| index.record(*rank, records).is_some_and(|record| in_order(&call.query, record));
    let Some(first) = field.first() else { return false };
    if call.query.is_empty() || index.query(records).sequence(&call.query).binary_search(&first).is_ok() {
        return true;
    }
    let ranks: Vec<u32> = field.ranks().into_iter().filter(ordered).collect();
    let found = !ranks.is_empty();
    field.narrow(vec![ranks.into()]);
    found
}

/// Whether the record's pairs of the supplied names are exactly the supplied pairs, in their order.
fn in_order(supplied: &[(String, String)], record: &Record) -> bool {
    let raw = record.request.as_ref().and_then(|request| request.query.as_deref()).unwrap_or_default();
    let recorded = query_pairs(raw);
    let named = recorded.iter().filter(|(name, _)| supplied.iter().any(|(held, _)| held == name));
    named
        .map(|(name, value)| (name.as_ref(), value.as_ref()))
        .eq(supplied.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn path_matches(parameters: &[PathParameter], call: &Call, record: &Record) -> bool {
    let Some(request) = &record.request else { return false };
    let segments = split_path(&request.path);
    parameters.iter().zip(&call.path).all(|(parameter, value)| {
        segments.get(parameter.segment).is_some_and(|segment| segment_matches(segment, value))
    })
}

/// Whether a supplied value names a recorded segment: as written, or once percent-decoded (on either side, so that a
/// probe's spelling of the same character matches).
pub(super) fn segment_matches(recorded: &str, value: &str) -> bool {
    recorded == value || {
        let decoded = decode_once(recorded);
        decoded == value || decoded == decode_once(value)
    }
}
