//! MCP over JSON-RPC: the methods of `/mcp`, as messages in and bytes out. Sessions are optional: a request without an id
//! calls the shared world, so that one `curl` line is enough to try a tool.

use super::card::PROTOCOL_VERSIONS;
use super::environment::{CallerWorld, Environment};
use super::jsonrpc::{self, INVALID_PARAMS, INVALID_REQUEST, Id, Message, RpcError, echo};
use super::session::{Session, SessionState, Sessions};
use crate::json::{Text, Value};
use std::sync::Arc;

/// What a body of `/mcp` is answered with.
#[derive(Debug, PartialEq, Eq)]
pub enum McpAnswer {
    /// A reply, or the replies of a batch.
    Reply(Vec<u8>),
    /// The reply of `initialize` and the id of the session it opened.
    Opened {
        /// The reply.
        reply: Vec<u8>,
        /// The session.
        session: Arc<str>,
    },
    /// Nothing to say: notifications and responses only.
    Accepted,
}

/// Whose calls these are.
#[derive(Debug)]
pub struct Caller<'a> {
    /// The environment.
    pub environment: &'a Environment,
    /// The open sessions.
    pub sessions: &'a Sessions,
    /// The caller's session, when it has one.
    pub session: Option<&'a Session>,
}

impl Caller<'_> {
    /// Answers one message.
    pub fn one(&self, message: Message) -> McpAnswer {
        match message {
            Message::Request { id, method, params } if method == "initialize" => self.initialize(&id, params.as_ref()),
            message => {
                let mut reply = Vec::with_capacity(512);
                if self.write_reply(message, &mut reply) { McpAnswer::Reply(reply) } else { McpAnswer::Accepted }
            }
        }
    }

    /// Answers a batch, in its order. `initialize` stands alone, as the protocol wants.
    pub fn batch(&self, messages: Vec<Message>) -> McpAnswer {
        let mut replies = vec![b'['];
        for message in messages {
            let before = replies.len();
            if before > 1 {
                replies.push(b',');
            }
            if !self.write_reply(message, &mut replies) {
                replies.truncate(before);
            }
        }
        if replies.len() == 1 {
            return McpAnswer::Accepted;
        }
        replies.push(b']');
        McpAnswer::Reply(replies)
    }

    /// Writes the reply of a message; `false` when it has none.
    fn write_reply(&self, message: Message, out: &mut Vec<u8>) -> bool {
        match message {
            Message::Request { id, method, params } => {
                let start = out.len();
                jsonrpc::begin_result(out, &id);
                match self.write_result(&method, params.as_ref(), out) {
                    Ok(()) => jsonrpc::end_result(out),
                    Err(error) => {
                        out.truncate(start);
                        jsonrpc::write_error(out, &id, &error);
                    }
                }
                true
            }
            // `notifications/cancelled` finds nothing to cancel: a call is answered before the next message is read.
            Message::Notification { .. } | Message::Response => false,
            Message::Invalid { id, problem } => {
                jsonrpc::write_invalid(out, &id, problem);
                true
            }
        }
    }

    fn write_result(&self, method: &str, params: Option<&Value>, out: &mut Vec<u8>) -> Result<(), RpcError> {
        match method {
            "tools/call" => {
                let isolated = self.sessions.options().state == SessionState::Isolated;
                let caller = match self.session {
                    Some(session) => CallerWorld { store: &session.store, session: isolated.then_some(&*session.id) },
                    None if isolated => {
                        return Err(RpcError::new(
                            INVALID_REQUEST,
                            "sessions are isolated here: call initialize and send the Mcp-Session-Id it answers",
                        ));
                    }
                    None => CallerWorld { store: self.environment.shared(), session: None },
                };
                self.environment.call_tool(caller, params, out)
            }
            "tools/list" => {
                let cursor = params.and_then(|params| params.get("cursor")).filter(|cursor| !cursor.is_null());
                if cursor.is_some() {
                    return Err(RpcError::new(INVALID_PARAMS, "there is no such page: all tools are on the first"));
                }
                out.extend_from_slice(self.environment.tool_list());
                Ok(())
            }
            "ping" => {
                out.extend_from_slice(b"{}");
                Ok(())
            }
            "initialize" => Err(RpcError::new(INVALID_REQUEST, "invalid request: initialize must not be in a batch")),
            other => Err(RpcError::method_not_found(other)),
        }
    }

    fn initialize(&self, id: &Id, params: Option<&Value>) -> McpAnswer {
        let asked =
            params.and_then(|params| params.get("protocolVersion")).and_then(Value::as_text).and_then(Text::as_str);
        let Some(asked) = asked else {
            let error = RpcError::new(INVALID_PARAMS, "initialize takes an object with the text protocolVersion");
            return McpAnswer::Reply(jsonrpc::error_body(id, &error));
        };
        let session = match self.sessions.open(self.environment) {
            Ok(session) => session,
            Err(error) => return McpAnswer::Reply(jsonrpc::error_body(id, &error)),
        };
        let mut reply = Vec::with_capacity(2048);
        jsonrpc::begin_result(&mut reply, id);
        reply.extend_from_slice(b"{\"protocolVersion\":\"");
        reply.extend_from_slice(negotiated(asked).as_bytes());
        reply.extend_from_slice(b"\",");
        reply.extend_from_slice(self.environment.introduction());
        jsonrpc::end_result(&mut reply);
        McpAnswer::Opened { reply, session }
    }
}

/// The version to speak with a client that asks for `asked`.
fn negotiated(asked: &str) -> &'static str {
    let [.., latest] = PROTOCOL_VERSIONS;
    PROTOCOL_VERSIONS.iter().find(|version| **version == asked).unwrap_or(&latest)
}

/// Refuses a protocol version header that names no spoken version.
///
/// # Errors
/// The versions that are spoken.
pub fn check_version(header: &str) -> Result<(), RpcError> {
    if PROTOCOL_VERSIONS.contains(&header) {
        return Ok(());
    }
    Err(RpcError::new(
        INVALID_REQUEST,
        format!("the protocol version {} is not spoken here; {} are", echo(header), PROTOCOL_VERSIONS.join(", ")),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("2024-11-05", "2024-11-05")]
    #[case("2025-06-18", "2025-06-18")]
    #[case("2025-11-25", "2025-11-25")]
    #[case("2099-01-01", "2025-11-25")]
    #[case("", "2025-11-25")]
    fn a_client_gets_the_version_it_asks_for_or_the_latest(#[case] asked: &str, #[case] spoken: &str) {
        assert_eq!(negotiated(asked), spoken);
    }

    #[test]
    fn a_version_header_must_name_a_spoken_version() {
        assert!(check_version("2025-03-26").is_ok());
        let refused = check_version("1.0").unwrap_err();
        assert!(refused.message.contains("2025-11-25"), "{}", refused.message);
    }
}
