//! Finding bulk calls: which tools' bodies fall apart, what the single calls are about, and what each of them would have
//! looked like. What they do is then found as for any call.

use super::derive::Derivation;
use super::entity::at_place;
use super::line::scalar_text;
use super::observe::Seen;
use super::types::{ItemView, Slot as AddressSlot};
use super::write_bulk::{Bulk, Joined, Split, among, joined, with};
use super::write_history::History;
use super::write_place::TELLING;
use super::write_plan::{EntityAddress, Target, TargetPlace};
use crate::capture::is_success;
use crate::json::Value;
use crate::manifest::Segment;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The single calls of each bulk call, by its index among the observed ones.
pub(super) type Singles = BTreeMap<usize, Vec<Seen>>;

impl Derivation<'_> {
    /// How the bodies of a tool's calls fall apart, and what the single calls are about. `known` is the target that its
    /// place tells.
    pub(super) fn bulk_target(
        &self,
        tool: usize,
        known: Option<&Target>,
        history: &History<'_>,
    ) -> Option<(Target, Bulk)> {
        let calls: Vec<&Seen> = self.observed.of_tool(tool).filter(|seen| is_success(seen.status)).collect();
        let sent: Vec<&Value> = calls.iter().filter_map(|seen| seen.sent.as_deref()).collect();
        if calls.is_empty() || sent.is_empty() {
            return None;
        }
        let (target, split) = match self.of_items(tool, known, &sent, history) {
            Some(found) => found,
            None if known.is_none() && sent.len() == calls.len() => {
                self.of_bare(tool, &sent, history).or_else(|| self.of_ids(tool, &sent, history))?
            }
            None => return None,
        };
        let apart: Vec<(&Seen, usize)> =
            calls.iter().filter_map(|seen| Some((*seen, split.parts(seen.sent.as_deref()?)?.len()))).collect();
        let answers: Vec<(usize, Option<&Value>)> =
            apart.iter().map(|(seen, count)| (*count, seen.body.as_deref())).collect();
        let joined = joined(&answers).or_else(|| {
            let TargetPlace::Entity(address) = &target.place else { return None };
            let (AddressSlot::Key(key), _) = address.view.address.last()? else { return None };
            let parts = apart.iter().zip(&answers);
            let calls = parts.map(|((seen, _), (_, body))| Some((split.parts(seen.sent.as_deref()?)?, *body)));
            among(&calls.collect::<Option<Vec<_>>>()?, key.strip_prefix("body/")?)
        })?;
        let joined = match joined {
            Joined::Each(place, frame, _) => {
                let single = |seen: &&Seen| seen.sent.as_deref().is_some_and(|body| split.parts(body).is_none());
                let wraps = |seen: &Seen| at_place(seen.body.as_deref()?, &place)?.as_object().map(|_| ());
                let wrapped =
                    !place.is_empty() && calls.iter().copied().filter(single).any(|seen| wraps(seen).is_some());
                Joined::Each(place, frame, wrapped)
            }
            other => other,
        };
        let record = apart.first()?.0.record;
        Some((target, Bulk { split, joined, record }))
    }

    /// A list of objects: in the place of one, or each with its identity.
    fn of_items(
        &self,
        tool: usize,
        known: Option<&Target>,
        sent: &[&Value],
        history: &History<'_>,
    ) -> Option<(Target, Split)> {
        let whole = sent.iter().any(|body| Split::Items(None).parts(body).is_some());
        let split = if whole {
            Split::Items(None)
        } else {
            let object = sent.first()?.as_object().filter(|object| object.len() == 1)?;
            let name = object.iter().next()?.0.as_str()?;
            let split = Split::Items(Some(name.into()));
            let parts: Vec<Vec<Value>> = sent.iter().map(|body| split.parts(body)).collect::<Option<_>>()?;
            // A list of one in every call is an envelope of one entity.
            parts.iter().any(|parts| parts.len() > 1).then_some(split)?
        };
        match known {
            Some(target) => (target.place == TargetPlace::Collection).then(|| (target.clone(), split)),
            None => {
                let items: Vec<Value> = sent.iter().filter_map(|body| split.parts(body)).flatten().collect();
                let segments = super::derive::trimmed(&self.manifest.tools[tool]);
                let of_place = self.collection_at(segments);
                let named = |kind: usize, name: &str| {
                    items.iter().all(|item| {
                        let text = item.get(name).and_then(scalar_text);
                        text.is_some_and(|text| history.homes.contains_key(&(kind, text)))
                    })
                };
                let name_of = |kind: usize| {
                    self.derived.types[kind].identity.last_name().filter(|name| named(kind, name)).map(str::to_owned)
                };
                let kind = of_place.or_else(|| self.only_type(|kind| name_of(*kind).is_some(), segments))?;
                match name_of(kind) {
                    Some(name) => Some((self.keyed_by(tool, kind, &name), split)),
                    None if self.manifest.tools[tool].method == "POST" => {
                        Some((Target { entity_type: kind, place: TargetPlace::Collection }, split))
                    }
                    None => None,
                }
            }
        }
    }

    /// A list of identities alone.
    fn of_bare(&self, tool: usize, sent: &[&Value], history: &History<'_>) -> Option<(Target, Split)> {
        let segments = super::derive::trimmed(&self.manifest.tools[tool]);
        let lists: Vec<&[Value]> = sent.iter().map(|body| body.as_array()).collect::<Option<_>>()?;
        let ids: Vec<String> = lists.into_iter().flatten().map(scalar_text).collect::<Option<_>>()?;
        let held = |kind: &usize| {
            self.is_called(*kind, segments) && ids.iter().all(|id| history.homes.contains_key(&(*kind, id.clone())))
        };
        let kind = if ids.is_empty() { None } else { self.only_type(held, segments) }?;
        let name = self.derived.types[kind].identity.last_name()?.to_owned();
        Some((self.keyed_by(tool, kind, &name), Split::Bare(name.into())))
    }

    /// A list of identities beside what is done to each.
    fn of_ids(&self, tool: usize, sent: &[&Value], history: &History<'_>) -> Option<(Target, Split)> {
        let segments = super::derive::trimmed(&self.manifest.tools[tool]);
        let names = sent.first()?.as_object()?.iter().filter_map(|(name, _)| name.as_str());
        for name in names {
            let lists: Option<Vec<&[Value]>> = sent.iter().map(|body| body.get(name)?.as_array()).collect();
            let Some(lists) = lists else { continue };
            let ids: Option<Vec<String>> = lists.into_iter().flatten().map(scalar_text).collect();
            let Some(ids) = ids.filter(|ids| !ids.is_empty()) else { continue };
            let fits = |kind: &usize| {
                ids.iter().all(|id| history.homes.contains_key(&(*kind, id.clone())))
                    && (self.is_called(*kind, segments) || ids.iter().all(|id| id.len() >= TELLING))
            };
            if let Some(kind) = self.only_type(fits, segments) {
                return Some((self.keyed_by(tool, kind, name), Split::Ids(name.into())));
            }
        }
        None
    }

    /// The entity of a type whose identity the body holds under a name.
    fn keyed_by(&self, tool: usize, entity_type: usize, name: &str) -> Target {
        let segments: &[Segment] = super::derive::trimmed(&self.manifest.tools[tool]);
        let identity = self.derived.types[entity_type].identity.clone();
        let view = ItemView::addressing(entity_type, vec![(AddressSlot::Key(format!("body/{name}")), identity)]);
        let parameters = self.manifest.tools[tool].parameters.len();
        let address = EntityAddress { item_tool: tool, segments: segments.len(), parameters, view };
        Target { entity_type, place: TargetPlace::Entity(Box::new(address)) }
    }

    /// The single calls of all bulk calls.
    pub(super) fn singles(&self, bulks: &BTreeMap<usize, Bulk>) -> Singles {
        let mut singles = Singles::new();
        for (tool, bulk) in bulks {
            for at in self.observed.by_tool.get(*tool).into_iter().flatten() {
                let seen = &self.observed.seen[*at];
                let Some(parts) = seen.sent.as_deref().and_then(|body| bulk.split.parts(body)) else { continue };
                let answer = |index: usize| match &bulk.joined {
                    Joined::Each(place, frame, wrapped) => {
                        let item = at_place(seen.body.as_deref()?, place)?.as_array()?.get(index)?;
                        Some(if *wrapped { with(frame, std::slice::from_ref(place), item) } else { item.clone() })
                    }
                    Joined::Recorded | Joined::Counted(..) | Joined::Among(..) => None,
                };
                let single = |(index, part): (usize, Value)| Seen {
                    sent: Some(Arc::new(part)),
                    body: answer(index).map(Arc::new),
                    ..seen.clone()
                };
                singles.insert(*at, parts.into_iter().enumerate().map(single).collect());
            }
        }
        singles
    }
}

/// Whether a body names an identity in a list, or in the objects of one.
pub(super) fn lists_identity(body: &Value, id: &str) -> bool {
    let named = |items: &[Value]| {
        items.iter().any(|item| match item.as_object() {
            Some(members) => members.iter().any(|(_, value)| scalar_text(value).as_deref() == Some(id)),
            None => scalar_text(item).as_deref() == Some(id),
        })
    };
    let members = body.as_object().into_iter().flatten().filter_map(|(_, value)| value.as_array());
    body.as_array().into_iter().chain(members).any(named)
}
