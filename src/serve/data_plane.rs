//! The data plane: JSON-RPC on `/agentenv`. Replay offers no operation, so every method is unknown here, by name.
//!
//! A request is read, its messages are run one after the other in [`DataPlane::run`], and their replies are written in
//! order. An operation that may wait (a download) waits there; the queue that gives each request its turn belongs around
//! the loop of [`DataPlane::answer`], so that no other request's message lands inside a batch.

use super::jsonrpc::{self, INVALID_REQUEST, METHOD_NOT_FOUND, Message, PARSE_ERROR, Payload, RpcError, echo};
use crate::json::Value;

/// The data plane of one environment.
#[derive(Debug, Default)]
pub struct DataPlane {}

/// What a body of `/agentenv` is answered with.
#[derive(Debug, PartialEq, Eq)]
pub enum DataAnswer {
    /// A reply, the replies of a batch, or the error of a body that holds no message.
    Reply(Vec<u8>),
    /// The error of a body that is not JSON.
    NotJson(Vec<u8>),
    /// Notifications only.
    Accepted,
}

impl DataPlane {
    /// Answers one request body.
    pub async fn answer(&self, body: &[u8]) -> DataAnswer {
        let payload = match jsonrpc::read(body) {
            Ok(payload) => payload,
            Err(error) if error.code == PARSE_ERROR => {
                return DataAnswer::NotJson(jsonrpc::error_body(&jsonrpc::Id::Null, &error));
            }
            Err(error) => return DataAnswer::Reply(jsonrpc::error_body(&jsonrpc::Id::Null, &error)),
        };
        let mut replies = Vec::with_capacity(256);
        match payload {
            Payload::One(message) => {
                self.write_reply(message, &mut replies).await;
            }
            Payload::Batch(messages) => {
                for message in messages {
                    let before = replies.len();
                    replies.push(if before == 0 { b'[' } else { b',' });
                    if !self.write_reply(message, &mut replies).await {
                        replies.truncate(before);
                    }
                }
                if !replies.is_empty() {
                    replies.push(b']');
                }
            }
        }
        if replies.is_empty() { DataAnswer::Accepted } else { DataAnswer::Reply(replies) }
    }

    /// Runs a message and writes its reply; `false` when it has none.
    async fn write_reply(&self, message: Message, out: &mut Vec<u8>) -> bool {
        match message {
            Message::Request { id, method, params } => {
                match self.run(&method, params).await {
                    Ok(result) => jsonrpc::write_result(out, &id, result.to_compact().as_bytes()),
                    Err(error) => jsonrpc::write_error(out, &id, &error),
                }
                true
            }
            Message::Notification { method, params } => {
                let _ = self.run(&method, params).await;
                false
            }
            Message::Response => {
                let problem = "the member method is missing";
                let error = RpcError::new(INVALID_REQUEST, format!("invalid request: {problem}"));
                jsonrpc::write_error(out, &jsonrpc::Id::Null, &error);
                true
            }
            Message::Invalid { id, problem } => {
                jsonrpc::write_invalid(out, &id, problem);
                true
            }
        }
    }

    async fn run(&self, method: &str, _params: Option<Value>) -> Result<Value, RpcError> {
        Err(RpcError::new(
            METHOD_NOT_FOUND,
            format!(
                "method not found: {}: this environment replays a recording and has no data to load or read",
                echo(method)
            ),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    async fn reply(body: &str) -> serde_json::Value {
        match DataPlane::default().answer(body.as_bytes()).await {
            DataAnswer::Reply(bytes) => serde_json::from_slice(&bytes).unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[rstest]
    #[case("data/reset", "{}")]
    #[case("data/add", r#"{"parts":[]}"#)]
    #[case("data/get", "[]")]
    #[case("", "{}")]
    #[tokio::test]
    async fn replay_serves_no_method_and_names_the_one_that_was_asked(#[case] method: &str, #[case] params: &str) {
        let reply = reply(&format!(r#"{{"jsonrpc":"2.0","id":"verify","method":"{method}","params":{params}}}"#)).await;
        assert_eq!(reply["id"], "verify");
        assert_eq!(reply["error"]["code"], METHOD_NOT_FOUND);
        assert!(reply["error"]["message"].as_str().unwrap().contains(&format!("method not found: {method}")));
    }

    #[tokio::test]
    async fn a_batch_has_one_reply_for_each_request_and_none_for_notifications() {
        let batch = r#"[
            {"jsonrpc":"2.0","method":"data/reset"},
            {"jsonrpc":"2.0","id":1,"method":"data/get"},
            {"jsonrpc":"2.0","id":9007199254740993,"method":"data/get"},
            7,
            {"jsonrpc":"2.0","id":2,"result":{}},
            {"jsonrpc":"2.0","method":"x"}
        ]"#;
        let replies = reply(batch).await;
        let codes: Vec<_> =
            replies.as_array().unwrap().iter().map(|reply| reply["error"]["code"].as_i64().unwrap()).collect();
        assert_eq!(codes, [-32601, -32600, -32600, -32600]);
        assert_eq!(replies[0]["id"], 1);
        assert_eq!(replies[1]["id"], serde_json::Value::Null);
    }

    #[rstest]
    #[case("[]")]
    #[case("5")]
    #[case(r#"{"jsonrpc":"2.0","id":1}"#)]
    #[case(r#"{"id":1,"method":"data/get"}"#)]
    #[tokio::test]
    async fn what_is_no_request_is_invalid(#[case] body: &str) {
        assert_eq!(reply(body).await["error"]["code"], INVALID_REQUEST);
    }

    #[rstest]
    #[case("")]
    #[case("{")]
    #[case("hello")]
    #[tokio::test]
    async fn what_is_no_json_is_told_apart(#[case] body: &str) {
        let DataAnswer::NotJson(bytes) = DataPlane::default().answer(body.as_bytes()).await else { panic!() };
        let reply: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(reply["error"]["code"], PARSE_ERROR);
        assert_eq!(reply["id"], serde_json::Value::Null);
    }

    #[rstest]
    #[case(r#"{"jsonrpc":"2.0","method":"data/reset"}"#)]
    #[case(r#"[{"jsonrpc":"2.0","method":"data/reset"},{"jsonrpc":"2.0","method":"x"}]"#)]
    #[tokio::test]
    async fn notifications_have_no_reply(#[case] body: &str) {
        assert_eq!(DataPlane::default().answer(body.as_bytes()).await, DataAnswer::Accepted);
    }
}
