//! The captures of the benches: many records, many tools, many bytes. Worlds without behaviours but with many types,
//! driven until the capture is as large as asked.

use super::clock::ClockFormat;
use super::json::obj;
use super::recorder::Recorder;
use super::spec::{ClockMember, FieldKind, ListEnvelope, Tick, TypeSpec, WorldSpec, field};
use super::world::World;

/// Plurals and singulars of the types of a big world.
const TYPES: [(&str, &str); 40] = [
    ("anchors", "anchor"),
    ("baskets", "basket"),
    ("candles", "candle"),
    ("desks", "desk"),
    ("engines", "engine"),
    ("flowers", "flower"),
    ("gardens", "garden"),
    ("hammers", "hammer"),
    ("islands", "island"),
    ("jackets", "jacket"),
    ("kettles", "kettle"),
    ("ladders", "ladder"),
    ("mirrors", "mirror"),
    ("needles", "needle"),
    ("orders", "order"),
    ("parcels", "parcel"),
    ("quills", "quill"),
    ("ropes", "rope"),
    ("signals", "signal"),
    ("tickets", "ticket"),
    ("users", "user"),
    ("vessels", "vessel"),
    ("wagons", "wagon"),
    ("yards", "yard"),
    ("zones", "zone"),
    ("alarms", "alarm"),
    ("barrels", "barrel"),
    ("carts", "cart"),
    ("drums", "drum"),
    ("events", "event"),
    ("folders", "folder"),
    ("groups", "group"),
    ("hosts", "host"),
    ("items", "item"),
    ("jobs", "job"),
    ("keys", "key"),
    ("labels", "label"),
    ("models", "model"),
    ("notes", "note"),
    ("owners", "owner"),
];

/// What a big capture has at least.
#[derive(Clone, Copy, Debug)]
pub struct Big {
    /// Types; each has five tools.
    pub types: usize,
    /// Entities of each type.
    pub entities: usize,
    /// Records.
    pub records: usize,
    /// Bytes of answers.
    pub bytes: usize,
}

/// 10,000 records.
pub const RECORDS: Big = Big { types: 5, entities: 20, records: 10_000, bytes: 0 };
/// 200 tools.
pub const TOOLS: Big = Big { types: 40, entities: 6, records: 0, bytes: 0 };
/// 30 MB.
pub const BYTES: Big = Big { types: 10, entities: 250, records: 0, bytes: 30_000_000 };

/// The world of a big capture.
pub fn spec(big: &Big) -> WorldSpec {
    let mut spec = WorldSpec::plain(7);
    spec.name = format!("big-{}-{}", big.types, big.entities);
    let fields = vec![
        field("name", FieldKind::Text),
        field("status", FieldKind::Text),
        field("pages", FieldKind::Number),
        field("author", FieldKind::Text),
        field("note", FieldKind::Text),
    ];
    spec.types = TYPES
        .iter()
        .take(big.types)
        .enumerate()
        .map(|(at, (plural, singular))| {
            let mut held = TypeSpec::new(plural, singular, fields.clone(), big.entities);
            if at % 2 == 1 {
                held.list = ListEnvelope::Counted;
            }
            held.clocks = [("created_at", Tick::Created), ("updated_at", Tick::Updated)]
                .map(|(member, tick)| ClockMember { member, tick, format: ClockFormat::Millis })
                .to_vec();
            held
        })
        .collect();
    spec
}

/// The capture: reads and writes of every type, then reads until it is as large as asked.
pub fn capture(big: &Big) -> Vec<u8> {
    let mut recorder = Recorder::new(World::new(&spec(big), 0), 5_000);
    for of in 0..big.types {
        recorder.lists(of);
        for (_, key) in recorder.world.keys(of).into_iter().take(2) {
            recorder.item(of, None, &key);
        }
        let body = recorder.draft(of, None);
        if let Some(key) = recorder.create(of, None, body) {
            recorder.update(of, None, &key, obj! { "status" => "closed" });
            recorder.update(of, None, &key, obj! { "pages" => 77_i64 });
            recorder.delete(of, None, &key);
        }
    }
    let mut bytes: usize = recorder.entries.iter().map(|entry| entry.response.body.len()).sum();
    let mut round = 0;
    while recorder.entries.len() < big.records || bytes < big.bytes {
        let of = round % big.types;
        let keys = recorder.world.keys(of);
        let answer = if round % 7 == 0 {
            recorder.get(&recorder.main_list(of))
        } else {
            recorder.item(of, None, &keys[round * 13 % keys.len()].1)
        };
        bytes += answer.body.len();
        round += 1;
    }
    recorder.har()
}
