//! What actions on books share: calls under a book's path, before or after which everything is read again.

use super::*;

/// A book as a script calls it.
pub struct Called {
    pub parent: Option<String>,
    pub key: String,
    pub id: Json,
    pub path: String,
}

/// The book before a word that ends the path: its index, or the answer where there is none.
pub fn book(world: &mut World, request: &Request, method: &str, word: &str) -> Option<Result<usize, Response>> {
    let item = request.path.strip_suffix(word)?.strip_suffix('/').filter(|_| request.method == method)?;
    book_at(world, method, item)
}

/// The book of a path.
pub fn book_at(world: &mut World, method: &str, item: &str) -> Option<Result<usize, Response>> {
    let Route::Item(BOOK, parent, key) = world.route(item) else { return None };
    Some(world.visible(BOOK, parent.as_deref(), &key).ok_or_else(|| world.absent(method, BOOK, &key)))
}

/// What a phase of writes is about: the capture's, the probe's, or nothing.
pub fn of_phase<'a, T>(phase: Phase, capture: &'a [T], probe: &'a [T]) -> &'a [T] {
    match phase {
        Phase::Writes => capture,
        Phase::ProbeCrud => probe,
        Phase::Reads | Phase::ProbeReads => &[],
    }
}

/// The visible books at these places.
pub fn books(recorder: &Recorder, places: &[usize]) -> Vec<Called> {
    let keys = recorder.world.keys(BOOK);
    let held = places.iter().filter_map(|at| keys.get(*at));
    let called = held.filter_map(|(parent, key)| {
        let at = recorder.world.find(BOOK, parent.as_deref(), key)?;
        let id = recorder.world.entities[BOOK][at].id.clone();
        let path = recorder.world.item_path(BOOK, parent.as_deref(), key);
        Some(Called { parent: parent.clone(), key: key.clone(), id, path })
    });
    called.collect()
}

/// Sends a call under a book's path and looks at the book.
pub fn call(recorder: &mut Recorder, book: &Called, method: &str, word: &str, body: Option<Json>) -> Response {
    recorder.wait(1_500);
    let request = Request::new(method, &format!("{}/{word}", book.path));
    let response = recorder.send(match body {
        Some(body) => request.with_json(body),
        None => request,
    });
    recorder.look(BOOK, book.parent.as_deref(), &book.key);
    response
}

/// Sends a call under the path of a book that is not there.
pub fn call_missing(recorder: &mut Recorder, method: &str, word: &str, body: Option<Json>) {
    let missing = recorder.missing_key(BOOK);
    let parent = recorder.world.keys(BOOK).into_iter().next().and_then(|(parent, _)| parent);
    let path = recorder.world.item_path(BOOK, parent.as_deref(), &missing);
    let request = Request::new(method, &format!("{path}/{word}"));
    recorder.send(match body {
        Some(body) => request.with_json(body),
        None => request,
    });
}

/// Sets a stored member of a book that was just created.
pub fn at_create(world: &mut World, write: &Write, member: &str, value: impl Into<Json>) {
    if write.of == BOOK
        && write.kind == WriteKind::Create
        && let Some(at) = world.find(BOOK, write.parent.as_deref(), &write.key)
    {
        world.entities[BOOK][at].fields.set(member, value);
    }
}
