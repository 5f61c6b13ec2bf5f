//! Documents from outside the request: a file of this machine, a resource of the network. What fails is named by its
//! category, never by its address or content.

use super::data_call::{failed, invalid};
use super::jsonrpc::RpcError;
use super::limits::DOWNLOAD_TIMEOUT;
use crate::evidence::{FileError, read_stable};
use crate::state::MAX_STATE_DOCUMENT_BYTES;
use bytes::Bytes;
use hickory_resolver::TokioResolver;
use http::{Request, Uri, header};
use http_body_util::{BodyExt, Empty};
use hyper::body::{Body, Incoming};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use hyper_util::rt::TokioExecutor;
use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::pin::Pin;
use std::task::{Context, Poll};
use tower_service::Service;

/// Resident bytes for each byte of a document while it is read and loaded: its text, its tree, its world.
const DOCUMENT_MEMORY_FACTOR: u64 = 8;

/// Reads a regular file, on a thread of its own.
///
/// # Errors
/// Its category; a file over the limit is a document that is not taken.
pub async fn read_file(path: PathBuf) -> Result<Vec<u8>, RpcError> {
    let limit = MAX_STATE_DOCUMENT_BYTES as u64;
    let read = tokio::task::spawn_blocking(move || read_stable(&path, limit, DOCUMENT_MEMORY_FACTOR));
    match read.await {
        Ok(Ok(file)) => Ok(file.bytes),
        Ok(Err(FileError::TooLarge { .. })) => Err(too_large()),
        Ok(Err(error)) => {
            let (message, reason) = match error {
                FileError::Missing { .. } => ("there is no such file", "not-found"),
                FileError::AccessDenied { .. } => ("the file may not be read", "permission"),
                FileError::Symlink { .. } | FileError::NotRegular { .. } => {
                    ("it is a symbolic link, a folder or something else that is no regular file", "not-regular-file")
                }
                FileError::Changed { .. } => ("the file changed while it was read", "changed"),
                FileError::NotEnoughMemory { .. } => ("the memory to load the file is not free", "read-failed"),
                _ => ("the file could not be read", "read-failed"),
            };
            Err(failed(message, reason))
        }
        Err(_) => Err(failed("the file could not be read", "read-failed")),
    }
}

fn too_large() -> RpcError {
    invalid("/parts/0/file", &format!("must be at most {MAX_STATE_DOCUMENT_BYTES} bytes"))
}

/// Fetches documents over HTTPS: no redirect is followed, no proxy is asked, names are resolved here.
#[derive(Clone, Debug)]
pub struct Downloader {
    /// The connector of a test that trusts its own server; else one is made with the system's roots.
    connector: Option<Connector>,
}

type Connector = HttpsConnector<HttpConnector<Names>>;

impl Downloader {
    /// Trusts the system's roots.
    pub fn system() -> Self {
        Self { connector: None }
    }

    /// Trusts what `tls` trusts.
    #[cfg(test)]
    pub fn trusting(tls: tokio_rustls::rustls::ClientConfig) -> Self {
        let connector = HttpsConnectorBuilder::new().with_tls_config(tls).https_only().enable_http1();
        Self { connector: Some(connector.wrap_connector(tcp())) }
    }

    /// The body of a 2xx answer. The whole fetch ends after [`DOWNLOAD_TIMEOUT`]; dropping the future ends it at once.
    ///
    /// # Errors
    /// Its category; a body over the limit is a document that is not taken.
    pub async fn fetch(&self, uri: Uri) -> Result<Vec<u8>, RpcError> {
        match tokio::time::timeout(DOWNLOAD_TIMEOUT, self.fetched(uri)).await {
            Ok(fetched) => fetched,
            Err(_) => Err(failed("the download did not end in time", "timeout")),
        }
    }

    async fn fetched(&self, uri: Uri) -> Result<Vec<u8>, RpcError> {
        let network = || failed("the download failed: no connection, no trusted TLS, or it broke off", "network");
        let connector = match &self.connector {
            Some(connector) => connector.clone(),
            None => {
                // The roots are files.
                let made = tokio::task::spawn_blocking(system_connector).await;
                made.ok().and_then(Result::ok).ok_or_else(network)?
            }
        };
        let client = Client::builder(TokioExecutor::new()).pool_max_idle_per_host(0).build(connector);
        let request = Request::get(uri)
            .header(header::ACCEPT, "application/json")
            .header(header::USER_AGENT, concat!("rea/", env!("CARGO_PKG_VERSION")))
            .body(Empty::<Bytes>::new())
            .map_err(|_| network())?;
        let answer = client.request(request).await.map_err(|_| network())?;
        if answer.status().is_redirection() {
            return Err(failed("the download was redirected, which is not followed", "network"));
        }
        if !answer.status().is_success() {
            let status = answer.status().as_u16();
            return Err(failed(&format!("the download was answered with status {status}"), "http-status"));
        }
        collected(answer.into_body(), network).await
    }
}

async fn collected(mut body: Incoming, broken: impl Fn() -> RpcError) -> Result<Vec<u8>, RpcError> {
    if body.size_hint().lower() > MAX_STATE_DOCUMENT_BYTES as u64 {
        return Err(too_large());
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| broken())?.into_data() else { continue };
        if bytes.len() + data.len() > MAX_STATE_DOCUMENT_BYTES {
            return Err(too_large());
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

fn system_connector() -> io::Result<Connector> {
    let connector = HttpsConnectorBuilder::new().with_native_roots()?.https_only().enable_http1();
    Ok(connector.wrap_connector(tcp()))
}

fn tcp() -> HttpConnector<Names> {
    let mut tcp = HttpConnector::new_with_resolver(Names);
    // The scheme is the TLS connector's affair.
    tcp.enforce_http(false);
    tcp
}

/// Names by the system's resolver configuration and host file, without the C library: a static one cannot look up names.
#[derive(Clone, Debug)]
pub struct Names;

impl Service<Name> for Names {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, name: Name) -> Self::Future {
        Box::pin(async move {
            // `localhost` is this machine, whatever a name server says.
            if name.as_str().trim_end_matches('.').eq_ignore_ascii_case("localhost") {
                return Ok(
                    vec![SocketAddr::from(([127, 0, 0, 1], 0)), ([0_u16, 0, 0, 0, 0, 0, 0, 1], 0).into()].into_iter()
                );
            }
            let resolver =
                TokioResolver::builder_tokio().and_then(|builder| builder.build()).map_err(io::Error::other)?;
            let found = resolver.lookup_ip(name.as_str()).await.map_err(io::Error::other)?;
            Ok(found.iter().map(|address| SocketAddr::new(address, 0)).collect::<Vec<_>>().into_iter())
        })
    }
}
