//! What conventions of queries share: recording raw queries of the book list, and narrowing by plain comparisons.

use super::*;

/// Slots of a convention: it decides everything about the list of books.
pub const WHOLE_LIST: &[&str] =
    &["paging", "list", "keyed", "filter", "sort", "search", "routes_list", "item", "parent_shown"];

/// Sends the book list with each raw query: all of them in the reads and their probe, two after writes.
pub fn ask(phase: Phase, recorder: &mut Recorder, reads: &[&str], probes: &[&str]) {
    let path = recorder.main_list(BOOK);
    let queries = match phase {
        Phase::Reads => reads,
        Phase::ProbeReads => probes,
        Phase::Writes | Phase::ProbeCrud => &reads[..reads.len().min(2)],
    };
    for query in queries {
        let mut request = Request::get(&path);
        request.query = Some((*query).to_string());
        recorder.send(request);
    }
}

/// Asks between writes: what a query shows of a book that was created, changed and removed, and of a renamed shelf.
pub fn between_writes(recorder: &mut Recorder, ask: impl Fn(&mut Recorder)) {
    let Some((_, shelf)) = recorder.world.keys(SHELF).into_iter().nth(1) else { return };
    for (_, shelf) in recorder.world.keys(SHELF).into_iter().take(2) {
        let body = recorder.draft(BOOK, Some(&shelf));
        let Some(book) = recorder.create(BOOK, Some(&shelf), body) else { return };
        ask(recorder);
        let name = recorder.draft(BOOK, Some(&shelf)).get("name").cloned();
        recorder.update(BOOK, Some(&shelf), &book, obj! { "name" => name });
        ask(recorder);
    }
    let name = recorder.draft(SHELF, None).get("name").cloned();
    recorder.update(SHELF, None, &shelf, obj! { "name" => name });
    ask(recorder);
    if let Some((_, shelf, book)) = recorder.made.last().cloned() {
        recorder.delete(BOOK, shelf.as_deref(), &book);
        ask(recorder);
    }
}

/// Whether a member compares with a text: `eq`, `ne`, `gt`, `gte`, `lt`, `lte`, `in`, `contains`, `icontains`, `starts`,
/// `null`.
pub fn compares(book: &Entity, member: &str, test: &str, wanted: &str) -> bool {
    let held = if member == "id" { book.id.clone() } else { book.member(member) };
    let text = held.text();
    let number = |text: &str| text.parse::<f64>().ok();
    match test {
        "eq" => text == wanted,
        "ne" => text != wanted,
        "gt" => held.number() > number(wanted),
        "gte" => held.number() >= number(wanted),
        "lt" => held.number().is_some() && held.number() < number(wanted),
        "lte" => held.number().is_some() && held.number() <= number(wanted),
        "in" => wanted.split(',').any(|one| one.trim() == text),
        "contains" => held != Json::Null && text.contains(wanted),
        "icontains" => held != Json::Null && text.to_lowercase().contains(&wanted.to_lowercase()),
        "starts" => held != Json::Null && text.starts_with(wanted),
        "null" => (held == Json::Null) == (wanted == "true"),
        _ => false,
    }
}

/// Orders as `member,-other`.
pub fn dashed(text: &str) -> Vec<OrderKey> {
    text.split(',')
        .map(|word| match word.strip_prefix('-') {
            Some(member) => OrderKey::down(member),
            None => OrderKey::by(word),
        })
        .collect()
}

/// An order as `member desc`, with whatever stands between.
pub fn worded(text: &str, between: char) -> OrderKey {
    match text.split_once(between) {
        Some((member, "desc")) => OrderKey::down(member),
        Some((member, _)) => OrderKey::by(member),
        None => OrderKey::by(text),
    }
}

/// Pages without links, empty past the end.
pub fn paging(style: PagingStyle, size: &'static str, default_size: Option<usize>) -> Option<Paging> {
    Some(Paging { style, size, default_size, past_end: PastEnd::Empty, links: false })
}
