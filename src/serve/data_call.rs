//! One call of the data plane as data: its method, its parameters, where its document comes from. Everything that the
//! parameters alone can be refused for is refused here, before anything is opened.

use super::jsonrpc::{INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, SERVER_ERROR, echo};
use crate::json::{Object, Text, Value};
use crate::state::format_pointer;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::Uri;
use percent_encoding::percent_decode_str;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use url::Url;

/// The methods, in the order in which the card declares them.
pub const DATA_METHODS: [&str; 3] = ["data/reset", "data/add", "data/get"];

/// What a call does.
#[derive(Debug, PartialEq)]
pub enum Operation {
    /// Back to the state at the start.
    Reset,
    /// Another state.
    Add(Source),
    /// The state, read.
    Get,
}

/// Where a document comes from.
#[derive(Debug, PartialEq)]
pub enum Source {
    /// It is in the request.
    Document(Value),
    /// Its bytes are in the request.
    Bytes(Vec<u8>),
    /// A file of this machine.
    File(PathBuf),
    /// A resource of the network.
    Download(Uri),
}

/// A call.
#[derive(Debug, PartialEq)]
pub struct DataCall {
    /// What it does.
    pub operation: Operation,
    /// The session whose state it means; `None` is the environment's.
    pub session: Option<String>,
}

impl DataCall {
    /// Reads a call. `repeated` are the pointers, from the parameters on, of names that their object holds twice.
    ///
    /// # Errors
    /// A method that is none of [`DATA_METHODS`], parameters that it does not take.
    pub fn read(method: &str, params: Option<Value>, repeated: &[&str]) -> Result<Self, RpcError> {
        let Some(method) = DATA_METHODS.iter().position(|known| *known == method) else {
            return Err(RpcError::new(
                METHOD_NOT_FOUND,
                format!("method not found: {}: the data plane has {}", echo(method), DATA_METHODS.join(", ")),
            ));
        };
        let mut params = match params.map(Value::into_plain) {
            Some(Value::Object(object)) => object,
            // By position there is nothing to take.
            Some(Value::Array(items)) if !items.is_empty() => return Err(invalid("", "must be an object")),
            _ => Object::new(),
        };
        let session = named_session(params.get("metadata"), "/metadata/session")?;
        let (operation, in_part) = match method {
            0 => (Operation::Reset, None),
            1 => {
                let mut part = only_part(params.remove("parts"))?;
                let in_part = named_session(part.get("metadata"), "/parts/0/metadata/session")?;
                (Operation::Add(source(&mut part, repeated)?), in_part)
            }
            _ => (Operation::Get, None),
        };
        match (&session, &in_part) {
            (Some(one), Some(other)) if one != other => {
                Err(invalid("/parts/0/metadata/session", "must name the session that the parameters name"))
            }
            _ => Ok(Self { operation, session: session.or(in_part) }),
        }
    }
}

/// Parameters, or a document, that are not taken: where, and what would be.
pub fn invalid(pointer: &str, problem: &str) -> RpcError {
    let place = if pointer.is_empty() { "the parameters" } else { pointer };
    RpcError {
        data: Some(Object::new().with("path", pointer).into()),
        ..RpcError::new(INVALID_PARAMS, format!("invalid params: {place}: {problem}"))
    }
}

/// A call that could not be done; the state is as it was.
pub fn failed(message: &str, reason: &str) -> RpcError {
    RpcError { data: Some(Object::new().with("reason", reason).into()), ..RpcError::new(SERVER_ERROR, message) }
}

/// `session` of a call's or a part's metadata; any other metadata is the caller's own.
fn named_session(metadata: Option<&Value>, pointer: &str) -> Result<Option<String>, RpcError> {
    match metadata.and_then(|metadata| metadata.get("session")).filter(|session| !session.is_null()) {
        None => Ok(None),
        Some(session) => match session.as_str() {
            Some(session) => Ok(Some(session.to_owned())),
            None => Err(invalid(pointer, "must be the Mcp-Session-Id of an open session")),
        },
    }
}

fn only_part(parts: Option<Value>) -> Result<Object, RpcError> {
    let part = match parts.map(Value::into_plain) {
        Some(Value::Array(mut parts)) if parts.len() == 1 => parts.pop(),
        _ => None,
    };
    let part = part.ok_or_else(|| invalid("/parts", "must be an array of exactly one part"))?;
    match part.into_plain() {
        Value::Object(part) => Ok(part),
        _ => Err(invalid("/parts/0", "must be an object")),
    }
}

fn source(part: &mut Object, repeated: &[&str]) -> Result<Source, RpcError> {
    match part.get("kind").and_then(Value::as_str) {
        Some("data") => {
            let document = part.remove("data").filter(|data| data.as_object().is_some());
            let document = document.ok_or_else(|| invalid("/parts/0/data", "must be the state document, an object"))?;
            match repeated.iter().find_map(|pointer| pointer.strip_prefix("/parts/0/data")) {
                Some(pointer) => Err(repeated_name(pointer)),
                None => Ok(Source::Document(document)),
            }
        }
        Some("file") => {
            let file = part.get("file").and_then(Value::as_object);
            file_source(file.ok_or_else(|| invalid("/parts/0/file", "must be an object"))?)
        }
        _ => Err(invalid("/parts/0/kind", "must be data or file")),
    }
}

/// A document that holds a name twice in one object: holding one value of the two would alter it.
pub fn repeated_name(pointer: &str) -> RpcError {
    invalid(&format_pointer(pointer), "must not hold a member name twice in one object")
}

fn file_source(file: &Object) -> Result<Source, RpcError> {
    let given = |name: &str| file.get(name).filter(|value| !value.is_null());
    if let Some(media_type) = given("mimeType") {
        let essence = media_type.as_str().and_then(|text| text.split(';').next()).map(str::trim);
        if !essence.is_some_and(|essence| essence.eq_ignore_ascii_case("application/json")) {
            return Err(invalid("/parts/0/file/mimeType", "must be application/json, or be left out"));
        }
    }
    // As the framework's own model reads a file that holds both.
    if let Some(bytes) = given("bytes") {
        let decoded = bytes.as_text().and_then(Text::as_str).and_then(|text| STANDARD.decode(text).ok());
        return decoded
            .map(Source::Bytes)
            .ok_or_else(|| invalid("/parts/0/file/bytes", "must be the base64 of a state document"));
    }
    match given("uri") {
        Some(uri) => uri.as_str().and_then(uri_source).ok_or_else(|| {
            let forms = "must be a file:// URL of a file of this machine, or an https:// URL without credentials";
            invalid("/parts/0/file/uri", forms)
        }),
        None => Err(invalid("/parts/0/file", "must hold bytes or uri")),
    }
}

/// The source that a URI names; `None` for one that is not read. Nothing is opened.
fn uri_source(uri: &str) -> Option<Source> {
    let scheme = uri.get(..8).unwrap_or(uri).to_ascii_lowercase();
    if scheme.starts_with("file://") {
        return local_path(uri).map(Source::File);
    }
    let mut url = Url::parse(uri).ok().filter(|url| url.scheme() == "https" && scheme == "https://")?;
    if !url.username().is_empty() || url.password().is_some() {
        return None;
    }
    url.set_fragment(None);
    Uri::try_from(url.as_str()).ok().map(Source::Download)
}

/// The path of a file URL without a host (or with `localhost`) whose path is no network share.
fn local_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.get("file://".len()..)?;
    let (host, path) = rest.split_at(rest.find('/')?);
    let local = host.is_empty() || host.eq_ignore_ascii_case("localhost");
    // A second slash, or a separator behind an escape, would name another machine or another folder than it shows; white
    // space and backslashes are rewritten by some readers of URLs.
    let escapes = path.to_ascii_lowercase();
    let hidden = path.starts_with("//") || ["%2f", "%5c", "%00"].iter().any(|escape| escapes.contains(escape));
    let plain = !path.bytes().any(|byte| byte <= b' ' || matches!(byte, b'\\' | b'?' | b'#'));
    let bytes = || percent_decode_str(path).collect();
    (local && plain && !hidden).then(|| PathBuf::from(OsString::from_vec(bytes())))
}
