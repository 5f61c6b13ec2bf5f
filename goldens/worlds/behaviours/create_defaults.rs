//! Members a create does not send get defaults; counters are null in its answer and 0 on the next read.

use super::*;

/// Members a create does not send get defaults; counters are null in its answer and 0 on the next read.
pub struct CreateDefaults;

impl Behaviour for CreateDefaults {
    fn name(&self) -> &'static str {
        "create_defaults"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["defaults"]
    }

    fn shape(&self, spec: &mut WorldSpec) {
        let fields = &mut spec.types[BOOK].fields;
        fields.push(Field { name: "colour", kind: FieldKind::Text, default: "plain".into() });
        fields.push(Field { name: "copies", kind: FieldKind::Number, default: 1_i64.into() });
        fields.push(Field { name: "archived", kind: FieldKind::Flag, default: false.into() });
    }

    fn draft(&self, _world: &World, of: usize, at: usize, body: &mut Json) {
        if of == BOOK && !at.is_multiple_of(3) {
            body.take("colour");
            body.take("copies");
            body.take("archived");
        }
    }

    fn show(&self, _world: &World, entity: &Entity, view: View, shown: &mut Json) {
        if entity.of == BOOK {
            shown.set("loans", if view == View::Created { Json::Null } else { 0_i64.into() });
        }
    }
}
