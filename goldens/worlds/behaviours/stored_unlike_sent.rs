//! `"a,b"` is stored as a list, an integer as a decimal.

use super::*;

/// `"a,b"` is stored as a list, an integer as a decimal.
pub struct StoredUnlikeSent;

impl Behaviour for StoredUnlikeSent {
    fn name(&self) -> &'static str {
        "stored_unlike_sent"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["stored", "forms"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].fields.push(field("labels", FieldKind::Texts));
        spec.types[BOOK].fields.push(field("price", FieldKind::Decimal));
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK {
            body.set("labels", ["red,blue", "green", "blue,grey"][at % 3]);
            body.set("price", 10 + at as i64 % 7);
        }
    }

    fn prepare(&self, _world: &mut World, write: &mut Write) {
        if let Some(Json::Str(labels)) = write.sent.get("labels").cloned() {
            write.sent.set("labels", Json::Arr(labels.split(',').map(Json::from).collect()));
        }
        if let Some(Json::Num(price)) = write.sent.get("price").cloned()
            && !price.contains('.')
        {
            write.sent.set("price", Json::Num(format!("{price}.0")));
        }
    }
}
