//! A book has properties under their keys: a list, one by its key, put and taken away.

use super::*;

/// A book has properties under their keys: a list, one by its key, put and taken away.
pub struct KeyValues;

impl Behaviour for KeyValues {
    fn name(&self) -> &'static str {
        "key_values"
    }

    fn needs_writes(&self) -> bool {
        true
    }

    fn slots(&self) -> &'static [&'static str] {
        &["sub_list", "plain_routes", "update_method", "routes", "plain_paths"]
    }

    fn seed(&self, world: &mut World) {
        for (at, book) in world.entities[BOOK].iter_mut().enumerate() {
            let mut held = Json::Obj(Vec::new());
            for key in ["color", "size"].iter().take(at % 3) {
                held.set(key, format!("{key} {at}"));
            }
            book.fields.set("@properties", held);
        }
    }

    fn show(&self, _world: &World, _entity: &Entity, _view: View, shown: &mut Json) {
        shown.take("@properties");
    }

    fn intercept(&self, world: &mut World, request: &Request) -> Option<Response> {
        let (item, key) = request.path.split_once("/properties")?;
        let at = match acting::book_at(world, &request.method, item)? {
            Ok(at) => at,
            Err(absent) => return Some(absent),
        };
        let key = key.trim_matches('/').to_string();
        let mut held = Json::Obj(world.entities[BOOK][at].member("@properties").members().to_vec());
        let pair = |key: &str, value: &Json| obj! { "key" => key, "value" => value.clone() };
        Some(match (request.method.as_str(), key.as_str(), held.get(&key).cloned()) {
            ("GET", "", _) => {
                Response::json(200, &Json::Arr(held.members().iter().map(|(key, value)| pair(key, value)).collect()))
            }
            ("PUT", key, before) if !key.is_empty() => {
                let value = request.json()?.get("value")?.clone();
                held.set(key, value.clone());
                world.entities[BOOK][at].fields.set("@properties", held);
                Response::json(if before.is_some() { 200 } else { 201 }, &pair(key, &value))
            }
            (_, key, None) => world.error(404, "property not found", key),
            ("GET", key, Some(value)) => Response::json(200, &pair(key, &value)),
            ("DELETE", key, Some(_)) => {
                held.take(key);
                world.entities[BOOK][at].fields.set("@properties", held);
                Response::empty(204)
            }
            _ => world.error(405, "method not allowed", ""),
        })
    }

    fn record(&self, phase: Phase, recorder: &mut Recorder) {
        let read: &[usize] = match phase {
            Phase::Reads => &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            Phase::ProbeReads => &[3, 4, 5],
            _ => &[],
        };
        for book in acting::books(recorder, read) {
            recorder.get(&format!("{}/properties", book.path));
            recorder.get(&format!("{}/properties/color", book.path));
        }
        let capture = [
            (1, "color", Some("red")),
            (2, "shape", Some("square")),
            (1, "weight", Some("light")),
            (2, "color", None),
            (1, "weight", None),
            (1, "weight", None),
        ];
        let probe =
            [(2, "color", Some("blue")), (1, "origin", Some("Ghent")), (1, "origin", None), (2, "color", Some("grey"))];
        for (at, key, value) in acting::of_phase(phase, &capture, &probe) {
            for book in acting::books(recorder, &[*at]) {
                let list = format!("{}/properties", book.path);
                let path = format!("{list}/{key}");
                recorder.wait(1_500);
                recorder.send(match value {
                    Some(value) => Request::new("PUT", &path).with_json(obj! { "value" => *value }),
                    None => Request::new("DELETE", &path),
                });
                recorder.get(&list);
                recorder.get(&path);
            }
        }
    }
}
