//! Creates of one type by several routes: what nothing shows of the one, and is empty after every other, is empty after it,
//! too. An entity is the same whichever route made it.

use super::coverage::Effect;
use super::member_rule::MemberExpr;
use super::slot::Slot;
use super::write_plan::WritePlan;
use super::write_sample::{Fate, Sample};
use crate::json::Value;
use std::collections::BTreeMap;

/// Gives creates what the others of their type leave in a slot that nothing explains of them.
pub(super) fn leave_alike(plans: &mut BTreeMap<usize, WritePlan>, samples: &BTreeMap<usize, Vec<Sample<'_>>>) {
    let mut left: BTreeMap<(usize, Slot), Vec<Option<Value>>> = BTreeMap::new();
    for (kind, slot, rule) in creates(plans) {
        let value = match rule {
            MemberExpr::Unknown => continue,
            MemberExpr::Fixed(value) if is_empty(value) => Some(value.clone()),
            _ => None,
        };
        left.entry((kind, slot.clone())).or_default().push(value);
    }
    for (tool, plan) in plans.iter_mut() {
        let kind = plan.target.entity_type;
        let of_tool = samples.get(tool).map(Vec::as_slice).unwrap_or_default();
        for part in plan.parts.iter_mut().filter(|part| part.effect == Effect::Create) {
            for (slot, rule) in part.slots.iter_mut().filter(|(_, rule)| *rule == MemberExpr::Unknown) {
                let Some(values) = left.get(&(kind, slot.clone())) else { continue };
                let Some(Some(first)) = values.first() else { continue };
                let agree = values.iter().all(|value| value.as_ref().is_some_and(|value| value.same_as(first)));
                let mut made = of_tool.iter().filter(|sample| sample.fate == Fate::Created);
                let shown = |sample: &Sample<'_>| match sample.after.get(slot) {
                    Some(value) => value.as_ref().is_some_and(|value| value.same_as(first)),
                    None => true,
                };
                if agree && made.all(shown) {
                    *rule = MemberExpr::Fixed(first.clone());
                }
            }
        }
    }
}

/// What creates leave in the slots of their types.
fn creates(plans: &BTreeMap<usize, WritePlan>) -> impl Iterator<Item = (usize, &Slot, &MemberExpr)> {
    plans.values().flat_map(|plan| {
        let parts = plan.parts.iter().filter(|part| part.effect == Effect::Create);
        let kind = plan.target.entity_type;
        parts.flat_map(move |part| part.slots.iter().map(move |(slot, rule)| (kind, slot, rule)))
    })
}

/// Whether a value says that there is nothing yet.
pub(super) fn is_empty(value: &Value) -> bool {
    match value.plain() {
        Value::Null => true,
        Value::Bool(flag) => !flag,
        Value::Number(number) => number.to_f64() == 0.0,
        Value::Array(items) => items.is_empty(),
        Value::Object(object) => object.is_empty(),
        _ => value.as_str().is_some_and(str::is_empty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::write_plan::{Part, Target, TargetPlace};
    use rstest::rstest;

    fn plan(tool: usize, rule: MemberExpr) -> (usize, WritePlan) {
        let slot = Slot { name: "uses".into(), source: None };
        let part = Part { slots: vec![(slot, rule)], ..Part::new(Effect::Create, 0, 0) };
        let plan = WritePlan::new(tool, Target { entity_type: 0, place: TargetPlace::Collection }, vec![part]);
        (tool, plan)
    }

    #[rstest]
    #[case::empty_after_the_other(&[MemberExpr::Fixed(Value::from(0usize))], Some(Value::from(0usize)))]
    #[case::a_value_may_be_the_others_own(&[MemberExpr::Fixed(Value::from(3usize))], None)]
    #[case::others_disagree(&[MemberExpr::Fixed(Value::from(0usize)), MemberExpr::Fixed(Value::Null)], None)]
    #[case::one_is_made(&[MemberExpr::Fixed(Value::from(0usize)), MemberExpr::HereAfter], None)]
    fn what_is_unknown_is_as_after_other_routes(#[case] others: &[MemberExpr], #[case] expected: Option<Value>) {
        let others = others.iter().enumerate().map(|(tool, rule)| plan(tool + 1, rule.clone()));
        let mut plans: BTreeMap<usize, WritePlan> = others.chain([plan(0, MemberExpr::Unknown)]).collect();
        leave_alike(&mut plans, &BTreeMap::new());
        assert_eq!(plans[&0].parts[0].slots[0].1, expected.map_or(MemberExpr::Unknown, MemberExpr::Fixed));
    }
}
