//! The replies of one response, measured as they are produced: each is written into what room is left, with room kept for
//! the budget error of every later one. A reply that does not fit is never held whole; its error says what it would have
//! taken.

use super::jsonrpc::{self, Id, Message, RpcError, SERVER_ERROR};
use crate::json::{Object, Sink};

/// Writes what fits, and counts the rest.
#[derive(Debug)]
pub struct Measured {
    out: Vec<u8>,
    start: usize,
    room: usize,
    length: usize,
}

impl Sink for Measured {
    fn put(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if self.length <= self.room {
            self.out.extend_from_slice(bytes);
        }
    }
}

/// The replies of one response.
#[derive(Debug)]
pub struct Replies {
    out: Vec<u8>,
    limit: usize,
    batch: bool,
    /// Replies so far.
    count: usize,
    /// Bytes that the replies still to come may take at the least, with their commas and the closing bracket.
    kept: usize,
}

impl Replies {
    /// Room for the replies of `messages` in `limit` bytes.
    pub fn new<'a>(messages: impl Iterator<Item = &'a Message>, batch: bool, limit: usize) -> Self {
        let errors: usize = messages.filter_map(replied).map(|id| error_length(&id, usize::MAX) + 1).sum();
        Self { out: Vec::with_capacity(256), limit, batch, count: 0, kept: errors + usize::from(batch) }
    }

    /// Begins the next reply, whose id is `id`. What is written into the result ends with [`Replies::end`].
    pub fn begin(&mut self, id: &Id) -> Measured {
        if self.batch {
            self.out.push(if self.out.is_empty() { b'[' } else { b',' });
        }
        self.count += 1;
        let own = error_length(id, usize::MAX);
        self.kept = self.kept.saturating_sub(own + 1);
        let out = std::mem::take(&mut self.out);
        let start = out.len();
        // One no larger than its own error is always kept: room for that was left.
        let room = self.limit.saturating_sub(start).saturating_sub(self.kept).max(own);
        Measured { out, start, room, length: 0 }
    }

    /// Ends a reply: keeps it, or puts the budget error in its place.
    pub fn end(&mut self, id: &Id, reply: Measured) {
        self.out = reply.out;
        if reply.length > reply.room {
            self.out.truncate(reply.start);
            jsonrpc::write_error(&mut self.out, id, &over_budget(self.limit, reply.length));
        }
    }

    /// The response's body; `None` when there was nothing to reply.
    pub fn finish(mut self) -> Option<Vec<u8>> {
        if self.count == 0 {
            return None;
        }
        if self.batch {
            self.out.push(b']');
        }
        Some(self.out)
    }
}

/// The id of a message's reply; `None` for a notification.
fn replied(message: &Message) -> Option<Id> {
    match message {
        Message::Request { id, .. } | Message::Invalid { id, .. } => Some(id.clone()),
        Message::Response => Some(Id::Null),
        Message::Notification { .. } => None,
    }
}

fn over_budget(limit: usize, length: usize) -> RpcError {
    let data = Object::new().with("max_response_bytes", limit).with("reply_bytes", length);
    let message = "the reply is over what one response may carry; the call ran: repeat a read in another request";
    RpcError { data: Some(data.into()), ..RpcError::new(SERVER_ERROR, message) }
}

fn error_length(id: &Id, length: usize) -> usize {
    jsonrpc::error_body(id, &over_budget(length, length)).len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Value, parse};
    use proptest::prelude::*;

    fn request(id: &str) -> Message {
        Message::Request { id: Id::Text(id.into()), method: "data/get".into(), params: None }
    }

    fn answer(lengths: &[usize], limit: usize) -> Vec<u8> {
        let messages: Vec<Message> = (0..lengths.len()).map(|index| request(&format!("r{index}"))).collect();
        let mut replies = Replies::new(messages.iter(), true, limit);
        for (index, length) in lengths.iter().enumerate() {
            let id = Id::Text(format!("r{index}").into());
            let mut reply = replies.begin(&id);
            // A reply as it is produced: in pieces.
            let text = format!("\"{}\"", "x".repeat(length.saturating_sub(2)));
            text.as_bytes().chunks(7).for_each(|piece| reply.put(piece));
            replies.end(&id, reply);
        }
        replies.finish().unwrap_or_default()
    }

    #[test]
    fn what_does_not_fit_says_how_large_it_is_and_later_ones_still_fit() {
        let body = parse(&answer(&[300, 2000, 40], 1200)).unwrap();
        let [first, second, third] = body.as_array().unwrap() else { panic!("{body:?}") };
        assert_eq!(first.as_str().map(str::len), Some(298));
        let data = second.get("error").and_then(|error| error.get("data")).unwrap();
        assert_eq!(data.to_compact(), r#"{"max_response_bytes":1200,"reply_bytes":2000}"#);
        assert_eq!(second.get("id"), Some(&Value::from("r1")));
        assert_eq!(third.as_str().map(str::len), Some(38));
    }

    proptest! {
        #[test]
        fn a_response_is_within_its_budget_and_holds_every_small_reply(
            lengths in proptest::collection::vec(2usize..3000, 1..12),
            limit in 3500usize..9000,
        ) {
            let bytes = answer(&lengths, limit);
            prop_assert!(bytes.len() <= limit, "{} of {limit}", bytes.len());
            let body = parse(&bytes).unwrap();
            let replies = body.as_array().unwrap();
            prop_assert_eq!(replies.len(), lengths.len());
            for (index, (reply, length)) in replies.iter().zip(&lengths).enumerate() {
                let kept = reply.as_str().is_some_and(|text| text.len() + 2 == *length);
                let told = reply.get("error").and_then(|error| error.get("data")?.get("reply_bytes")?.as_number()?.as_u64());
                prop_assert!(kept || told == Some(*length as u64));
                let error = error_length(&Id::Text(format!("r{index}").into()), 1000);
                prop_assert!(kept || *length > error);
            }
        }
    }
}
