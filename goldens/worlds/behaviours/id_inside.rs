//! Books whose identity stands one level down, beside their data.

use super::*;

/// Books whose identity stands one level down, beside their data.
pub struct IdInside;

impl Behaviour for IdInside {
    fn name(&self) -> &'static str {
        "id_inside"
    }

    fn slots(&self) -> &'static [&'static str] {
        asking::WHOLE_LIST
    }

    fn shape(&self, spec: &mut WorldSpec) {
        spec.types[BOOK].id = IdKind::Hex;
        spec.types[BOOK].item = ItemEnvelope::OneKey;
        spec.types[BOOK].list = ListEnvelope::OneKey;
    }

    fn show(&self, _world: &World, entity: &Entity, _view: View, shown: &mut Json) {
        if entity.of == BOOK {
            let mut info = Json::Obj(Vec::new());
            for name in ["id", "name", "status", "shelf_id"] {
                info.set(name, shown.take(name));
            }
            *shown = obj! { "info" => info, "data" => shown.clone() };
        }
    }
}
