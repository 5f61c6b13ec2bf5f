//! Bodies: a request's, read within the bound, and a response's, which is bytes or an event stream.

use super::limits::{BODY_TIMEOUT, MAX_DISCARDED_BODY_BYTES, MAX_REQUEST_BODY_BYTES};
use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use tokio::sync::mpsc;

/// A response body.
#[derive(Debug)]
pub enum Answer {
    /// Bytes, written once; `None` once they are sent.
    Whole(Option<Bytes>),
    /// An event stream: what arrives is sent, and the stream ends when the sender is gone.
    Events(mpsc::Receiver<Bytes>),
}

impl Answer {
    /// No body.
    pub fn empty() -> Self {
        Answer::Whole(None)
    }

    /// The bytes of a body that is not a stream.
    pub fn into_bytes(self) -> Option<Bytes> {
        match self {
            Answer::Whole(bytes) => Some(bytes.unwrap_or_default()),
            Answer::Events(_) => None,
        }
    }
}

impl From<Bytes> for Answer {
    fn from(bytes: Bytes) -> Self {
        Answer::Whole((!bytes.is_empty()).then_some(bytes))
    }
}

impl From<Vec<u8>> for Answer {
    fn from(bytes: Vec<u8>) -> Self {
        Bytes::from(bytes).into()
    }
}

impl Body for Answer {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Answer::Whole(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Answer::Events(events) => events.poll_recv(context).map(|event| event.map(|bytes| Ok(Frame::data(bytes)))),
        }
    }

    fn is_end_stream(&self) -> bool {
        matches!(self, Answer::Whole(None))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Answer::Whole(bytes) => SizeHint::with_exact(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Answer::Events(_) => SizeHint::default(),
        }
    }
}

/// Why a request body was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyProblem {
    /// Over [`MAX_REQUEST_BODY_BYTES`]; nothing of it is parsed.
    TooLarge,
    /// It did not arrive in time.
    TimedOut,
    /// The connection ended in the middle of it, or its framing is broken.
    Broken,
}

/// Reads a request body within the bound and the time.
///
/// # Errors
/// As [`BodyProblem`] says. A body over the bound is read on and thrown away first, as far as
/// [`MAX_DISCARDED_BODY_BYTES`]: a sender that is still writing would not see an answer that came earlier.
pub async fn read_body<B>(body: B) -> Result<Bytes, BodyProblem>
where
    B: Body<Data = Bytes>,
{
    match tokio::time::timeout(BODY_TIMEOUT, collect(body)).await {
        Ok(read) => read,
        Err(_) => Err(BodyProblem::TimedOut),
    }
}

async fn collect<B>(body: B) -> Result<Bytes, BodyProblem>
where
    B: Body<Data = Bytes>,
{
    if body.size_hint().lower() > MAX_DISCARDED_BODY_BYTES as u64 {
        return Err(BodyProblem::TooLarge);
    }
    let mut body = std::pin::pin!(body);
    let mut first = Bytes::new();
    let mut rest: Vec<u8> = Vec::new();
    let mut length = 0_usize;
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyProblem::Broken)?.into_data() else { continue };
        length += data.len();
        if length > MAX_DISCARDED_BODY_BYTES {
            break;
        }
        if length > MAX_REQUEST_BODY_BYTES {
            rest = Vec::new();
        } else if first.is_empty() {
            // Most bodies are one frame, which is taken as it is.
            first = data;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&first);
            }
            rest.extend_from_slice(&data);
        }
    }
    if length > MAX_REQUEST_BODY_BYTES {
        return Err(BodyProblem::TooLarge);
    }
    Ok(if rest.is_empty() { first } else { rest.into() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{Full, channel::Channel};
    use rstest::rstest;

    #[rstest]
    #[case(0, Ok(0))]
    #[case(MAX_REQUEST_BODY_BYTES, Ok(MAX_REQUEST_BODY_BYTES))]
    #[case(MAX_REQUEST_BODY_BYTES + 1, Err(BodyProblem::TooLarge))]
    #[case(MAX_DISCARDED_BODY_BYTES + 1, Err(BodyProblem::TooLarge))]
    #[tokio::test]
    async fn a_body_is_read_up_to_the_bound(#[case] length: usize, #[case] expected: Result<usize, BodyProblem>) {
        let read = read_body(Full::new(Bytes::from(vec![b' '; length]))).await;
        assert_eq!(read.map(|bytes| bytes.len()), expected);
    }

    #[tokio::test]
    async fn frames_are_joined_in_order_and_a_long_stream_is_refused_after_it_was_read() {
        let (mut sender, body) = Channel::<Bytes>::new(8);
        let reading = tokio::spawn(read_body(body));
        for part in ["a", "", "bc", "d"] {
            sender.send_data(Bytes::from(part)).await.unwrap();
        }
        drop(sender);
        assert_eq!(reading.await.unwrap(), Ok(Bytes::from("abcd")));

        let (mut sender, body) = Channel::<Bytes>::new(1);
        let reading = tokio::spawn(read_body(body));
        for _ in 0..5 {
            sender.send_data(Bytes::from(vec![0; 1024 * 1024])).await.unwrap();
        }
        drop(sender);
        assert_eq!(reading.await.unwrap(), Err(BodyProblem::TooLarge));
    }

    #[tokio::test]
    async fn a_body_that_breaks_off_is_broken() {
        struct Breaks;
        impl Body for Breaks {
            type Data = Bytes;
            type Error = std::io::Error;
            fn poll_frame(
                self: Pin<&mut Self>,
                _: &mut Context<'_>,
            ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
                Poll::Ready(Some(Err(std::io::Error::other("gone"))))
            }
        }
        assert_eq!(read_body(Breaks).await, Err(BodyProblem::Broken));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_comes_ends_in_time() {
        let (_sender, body) = Channel::<Bytes>::new(1);
        assert_eq!(read_body(body).await, Err(BodyProblem::TimedOut));
    }
}
