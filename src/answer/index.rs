//! The index of a tool's cited records, so that a call finds its recording without reading every record: posting lists
//! for path segments, query occurrences and request bodies. Paths are indexed when the engine is made; queries and
//! bodies when a call first needs them.

use super::postings::Ranks;
use crate::capture::{Body, Record, Request};
use crate::json::{Object, Value, parse};
use crate::manifest::{PathParameter, decode_once, split_path};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::OnceLock;

/// The index of one tool. Records are numbered by rank: those with an answer and a body first, then the others, each in
/// manifest order, so that the lowest rank of equal matches is the one that answers.
#[derive(Debug)]
pub(super) struct ToolIndex {
    /// Positions in the capture's records, in manifest order.
    pub(super) cited: Vec<usize>,
    /// Positions in the capture's records, by rank.
    pub(super) by_rank: Vec<usize>,
    /// One for each path parameter.
    segments: Vec<SegmentIndex>,
    query: OnceLock<QueryIndex>,
    bodies: OnceLock<BodyIndex>,
}

/// Which records have which segment at one place.
#[derive(Debug, Default)]
struct SegmentIndex {
    raw: HashMap<Box<str>, Vec<u32>>,
    decoded: HashMap<Box<str>, Vec<u32>>,
}

/// Which records have which query occurrences.
#[derive(Debug, Default)]
pub(super) struct QueryIndex {
    names: HashMap<Box<str>, NameIndex>,
    sequences: HashMap<u64, Vec<u32>>,
    raw: HashMap<Box<str>, Vec<u32>>,
    /// By rank: whether another record has the same path and the same values of every name in another order.
    reordered: Vec<bool>,
}

#[derive(Debug, Default)]
struct NameIndex {
    /// By occurrence: which records have which value there.
    occurrences: Vec<HashMap<Box<str>, Vec<u32>>>,
    /// Hash of all values of the name: which records have exactly these.
    complete: HashMap<u64, Vec<u32>>,
}

/// Which records were sent which body.
#[derive(Debug, Default)]
pub(super) struct BodyIndex {
    hashes: HashMap<u64, Vec<u32>>,
    sent: Vec<SentBody>,
}

/// A recorded request body as calls are compared with it.
#[derive(Debug, Default)]
enum SentBody {
    #[default]
    None,
    Json(Value),
    /// A form equals its fields as an object, and its text.
    Form(Value, Box<str>),
    Text(Box<str>),
}

impl ToolIndex {
    /// Indexes the records at the `cited` positions (in manifest order).
    pub(super) fn new(records: &[Record], cited: Vec<usize>, parameters: &[PathParameter]) -> Self {
        let answered = |position: &usize| {
            let answer = records.get(*position).and_then(|record| record.answer.as_ref());
            answer.is_some_and(|answer| answer.body.is_recorded())
        };
        let (mut by_rank, rest): (Vec<usize>, Vec<usize>) = cited.iter().partition(|position| answered(position));
        by_rank.extend(rest);
        let mut segments: Vec<SegmentIndex> = parameters.iter().map(|_| SegmentIndex::default()).collect();
        for (rank, request) in requests(&by_rank, records) {
            let path = split_path(&request.path);
            for (parameter, index) in parameters.iter().zip(&mut segments) {
                if let Some(segment) = path.get(parameter.segment) {
                    post(&mut index.raw, segment, rank);
                    post(&mut index.decoded, &decode_once(segment), rank);
                }
            }
        }
        Self { cited, by_rank, segments, query: OnceLock::new(), bodies: OnceLock::new() }
    }

    /// The record at a rank.
    pub(super) fn record<'a>(&self, rank: u32, records: &'a [Record]) -> Option<&'a Record> {
        records.get(*self.by_rank.get(rank as usize)?)
    }

    /// Records whose segment is `value` as written.
    pub(super) fn raw_segment(&self, parameter: usize, value: &str) -> Ranks<'_> {
        found(self.segments.get(parameter).and_then(|index| index.raw.get(value)))
    }

    /// Records whose segment is `value` as written or once decoded.
    pub(super) fn segment(&self, parameter: usize, value: &str) -> Ranks<'_> {
        let Some(index) = self.segments.get(parameter) else { return Cow::Borrowed(&[]) };
        let as_given = index.decoded.get(value);
        let decoded = decode_once(value);
        if decoded == value {
            return found(as_given);
        }
        match (as_given, index.decoded.get(decoded.as_ref())) {
            (one, None) | (None, one) => found(one),
            (Some(one), Some(other)) => {
                let mut both = [one.as_slice(), other.as_slice()].concat();
                both.sort_unstable();
                both.dedup();
                Cow::Owned(both)
            }
        }
    }

    /// The query index, made at its first use.
    pub(super) fn query(&self, records: &[Record]) -> &QueryIndex {
        self.query.get_or_init(|| QueryIndex::new(&self.by_rank, records))
    }

    /// The body index, made at its first use.
    pub(super) fn bodies(&self, records: &[Record]) -> &BodyIndex {
        self.bodies.get_or_init(|| BodyIndex::new(&self.by_rank, records))
    }
}

impl QueryIndex {
    fn new(by_rank: &[usize], records: &[Record]) -> Self {
        let mut index = Self { reordered: vec![false; by_rank.len()], ..Self::default() };
        let mut orders: HashMap<u64, Vec<(u64, u32)>> = HashMap::new();
        for (rank, request) in requests(by_rank, records) {
            let Some(raw) = &request.query else { continue };
            post(&mut index.raw, raw, rank);
            let pairs = query_pairs(raw);
            let sequence = hash_of(&pairs);
            index.sequences.entry(sequence).or_default().push(rank);
            let mut by_name = pairs;
            by_name.sort_by(|(one, _), (other, _)| one.cmp(other));
            orders.entry(hash_of(&(&request.path, &by_name))).or_default().push((sequence, rank));
            for group in by_name.chunk_by(|(one, _), (other, _)| one == other) {
                let Some((name, _)) = group.first() else { continue };
                let name = index.names.entry(name.as_ref().into()).or_default();
                for (occurrence, (_, value)) in group.iter().enumerate() {
                    if name.occurrences.len() <= occurrence {
                        name.occurrences.push(HashMap::new());
                    }
                    post(&mut name.occurrences[occurrence], value, rank);
                }
                let values = hash_of_values(group.iter().map(|(_, value)| value.as_ref()));
                name.complete.entry(values).or_default().push(rank);
            }
        }
        for group in orders.values().filter(|group| group.iter().any(|(sequence, _)| *sequence != group[0].0)) {
            for (_, rank) in group {
                index.reordered[*rank as usize] = true;
            }
        }
        index
    }

    /// Records that have `value` as the given occurrence of `name`.
    pub(super) fn occurrence(&self, name: &str, occurrence: usize, value: &str) -> Ranks<'_> {
        let at = self.names.get(name).and_then(|name| name.occurrences.get(occurrence));
        found(at.and_then(|values| values.get(value)))
    }

    /// Records that have exactly these values of `name`, in this order.
    pub(super) fn complete<'a>(&self, name: &str, values: impl Iterator<Item = &'a str>) -> Ranks<'_> {
        found(self.names.get(name).and_then(|name| name.complete.get(&hash_of_values(values))))
    }

    /// Records whose pairs are these, in this order.
    pub(super) fn sequence(&self, pairs: &[(String, String)]) -> Ranks<'_> {
        let pairs: Vec<(&str, &str)> = pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        found(self.sequences.get(&hash_of(&pairs)))
    }

    /// Records whose query is spelled so.
    pub(super) fn raw(&self, raw: &str) -> Ranks<'_> {
        found(self.raw.get(raw))
    }

    /// Whether another record differs from this one only in the order of its names.
    pub(super) fn is_reordered(&self, rank: u32) -> bool {
        self.reordered.get(rank as usize).copied().unwrap_or(false)
    }
}

impl BodyIndex {
    fn new(by_rank: &[usize], records: &[Record]) -> Self {
        let mut index = Self::default();
        index.sent.resize_with(by_rank.len(), SentBody::default);
        for (rank, request) in requests(by_rank, records) {
            let sent = SentBody::of(request);
            match &sent {
                SentBody::None => continue,
                SentBody::Json(value) => post_hash(&mut index.hashes, structural_hash(value), rank),
                SentBody::Form(fields, text) => {
                    post_hash(&mut index.hashes, structural_hash(fields), rank);
                    post_hash(&mut index.hashes, hash_of(text.as_ref()), rank);
                }
                SentBody::Text(text) => post_hash(&mut index.hashes, hash_of(text.as_ref()), rank),
            }
            index.sent[rank as usize] = sent;
        }
        index
    }

    /// Records whose request body equals `body`: as JSON, or as text.
    pub(super) fn equal(&self, body: &Value) -> Ranks<'_> {
        let as_text = body.as_str();
        let parsed = as_text.and_then(|text| parse(text.as_bytes()).ok());
        let mut ranks: Vec<u32> = Vec::new();
        for value in [Some(body), parsed.as_ref()].into_iter().flatten() {
            let candidates = self.hashes.get(&structural_hash(value)).into_iter().flatten();
            ranks.extend(candidates.filter(|rank| match self.sent.get(**rank as usize) {
                Some(SentBody::Json(sent) | SentBody::Form(sent, _)) => sent.same_as(value),
                _ => false,
            }));
        }
        if let Some(text) = as_text {
            let candidates = self.hashes.get(&hash_of(text)).into_iter().flatten();
            ranks.extend(candidates.filter(|rank| match self.sent.get(**rank as usize) {
                Some(SentBody::Text(sent) | SentBody::Form(_, sent)) => sent.as_ref() == text,
                _ => false,
            }));
        }
        ranks.sort_unstable();
        ranks.dedup();
        Cow::Owned(ranks)
    }
}

impl SentBody {
    fn of(request: &Request) -> Self {
        let Body::Text(text) = &request.body else { return Self::None };
        if let Ok(value) = parse(text.trim_start_matches('\u{feff}').as_bytes()) {
            return Self::Json(value);
        }
        let form = request.content_type.as_deref().is_some_and(is_form);
        if form { Self::Form(form_object(text), text.as_ref().into()) } else { Self::Text(text.as_ref().into()) }
    }
}

fn is_form(content_type: &str) -> bool {
    let essence = content_type.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}

/// A form as an object: a text for each field, an array of texts for a repeated one.
fn form_object(text: &str) -> Value {
    let mut fields = Object::new();
    for (name, value) in query_pairs(text) {
        let value = Value::from(value.as_ref());
        match fields.get_mut(&name) {
            None => fields.push(name.as_ref(), value),
            Some(Value::Array(values)) => values.push(value),
            Some(held) => *held = Value::Array(vec![std::mem::take(held), value]),
        }
    }
    Value::Object(fields)
}

/// The decoded pairs of a raw query, in order; `+` is a space.
pub(super) fn query_pairs(raw: &str) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    form_urlencoded::parse(raw.as_bytes()).collect()
}

fn requests<'a>(by_rank: &'a [usize], records: &'a [Record]) -> impl Iterator<Item = (u32, &'a Request)> {
    let ranked = (0_u32..).zip(by_rank);
    ranked.filter_map(|(rank, position)| Some((rank, records.get(*position)?.request.as_ref()?)))
}

fn found(ranks: Option<&Vec<u32>>) -> Ranks<'_> {
    Cow::Borrowed(ranks.map_or(&[], Vec::as_slice))
}

fn post(index: &mut HashMap<Box<str>, Vec<u32>>, key: &str, rank: u32) {
    match index.get_mut(key) {
        Some(ranks) => ranks.push(rank),
        None => {
            index.insert(key.into(), vec![rank]);
        }
    }
}

fn post_hash(index: &mut HashMap<u64, Vec<u32>>, key: u64, rank: u32) {
    index.entry(key).or_default().push(rank);
}

fn hash_of<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

fn hash_of_values<'a>(values: impl Iterator<Item = &'a str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for value in values {
        value.hash(&mut hasher);
    }
    hasher.finish()
}

/// A hash that is equal for values that are the same but for member order and number spelling.
fn structural_hash(value: &Value) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.type_name().hash(&mut hasher);
    match value.plain() {
        Value::Bool(value) => value.hash(&mut hasher),
        Value::Number(number) => {
            // Zero has two signs in a double; both are the number zero.
            let double = number.to_f64();
            (if double == 0.0 { 0 } else { double.to_bits() }).hash(&mut hasher);
        }
        Value::String(text) => text.hash(&mut hasher),
        Value::Array(items) => items.iter().for_each(|item| structural_hash(item).hash(&mut hasher)),
        Value::Object(object) => {
            let members = object.iter().map(|(name, value)| hash_of(&(name, structural_hash(value))));
            members.fold(0_u64, u64::wrapping_add).hash(&mut hasher);
        }
        Value::Null | Value::Shared(_) | Value::Rendered(_) => {}
    }
    hasher.finish()
}
