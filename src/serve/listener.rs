//! The listener: binds, accepts, drives one HTTP/1 connection a task, and closes them all in good time.

use super::error::ServeError;
use super::limits::{ACCEPT_PAUSE, HEAD_TIMEOUT, MAX_CONNECTIONS, SHUTDOWN_GRACE};
use super::router::{Server, handle};
use super::signals::{Signal, Stop};
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Where connections come from. The program's is a TCP listener; a test's may fail.
pub trait Accept: Send {
    /// A connection.
    type Stream: AsyncRead + AsyncWrite + Send + Unpin + 'static;

    /// The next connection.
    fn accept(&mut self) -> impl Future<Output = io::Result<Self::Stream>> + Send;
}

impl Accept for TcpListener {
    type Stream = TcpStream;

    async fn accept(&mut self) -> io::Result<TcpStream> {
        let (stream, _) = TcpListener::accept(self).await?;
        // Answers are written whole; waiting for more to send would only delay them.
        let _ = stream.set_nodelay(true);
        Ok(stream)
    }
}

/// Binds `host:port`; port 0 takes a free one.
///
/// # Errors
/// A host that is no address and no resolvable name, an address that is taken or cannot be bound, a signal that comes
/// first.
pub async fn bind(host: &str, port: u16, stop: &Stop) -> Result<TcpListener, ServeError> {
    tokio::select! {
        biased;
        signal = stop.wait() => Err(ServeError::Cancelled { signal }),
        bound = bind_any(host, port) => bound,
    }
}

async fn bind_any(host: &str, port: u16) -> Result<TcpListener, ServeError> {
    let mut last = None;
    for address in resolve(host, port).await? {
        match TcpListener::bind(address).await {
            Ok(listener) => return Ok(listener),
            Err(error) => last = Some(error),
        }
    }
    let address = if host.contains(':') { format!("[{}]:{port}", bare(host)) } else { format!("{host}:{port}") };
    Err(match last {
        Some(error) if error.kind() == io::ErrorKind::AddrInUse => ServeError::AddressInUse { address },
        Some(source) => ServeError::Bind { address, source },
        None => ServeError::Resolve { host: host.to_owned(), source: io::Error::other("the name has no address") },
    })
}

/// The addresses of `host`. An address and `localhost` need no resolver.
async fn resolve(host: &str, port: u16) -> Result<Vec<SocketAddr>, ServeError> {
    let name = bare(host);
    if name.trim().is_empty() {
        return Err(ServeError::setting("host", "an address or a name, such as 127.0.0.1"));
    }
    if let Ok(address) = name.parse::<IpAddr>() {
        return Ok(vec![(address, port).into()]);
    }
    if name.eq_ignore_ascii_case("localhost") {
        return Ok(vec![(Ipv4Addr::LOCALHOST, port).into()]);
    }
    match lookup_host((name, port)).await {
        Ok(addresses) => Ok(addresses.collect()),
        Err(source) => Err(ServeError::Resolve { host: host.to_owned(), source }),
    }
}

/// The host without the brackets of an IPv6 address.
fn bare(host: &str) -> &str {
    host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
}

/// Serves until `stop`, then closes: no new connection, answers in progress within [`SHUTDOWN_GRACE`], event streams at
/// once.
///
/// # Errors
/// The listener failed; its connections are closed the same way.
pub async fn serve_connections<A: Accept>(mut listener: A, server: &Arc<Server>, stop: &Stop) -> io::Result<Signal> {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    let mut connections = JoinSet::new();
    let sessions = Arc::clone(server);
    connections.spawn(async move { sessions.keep_sessions().await });
    let ended = loop {
        let accepted = tokio::select! {
            biased;
            signal = stop.wait() => break Ok(signal),
            Some(_) = connections.join_next(), if !connections.is_empty() => continue,
            accepted = next(&mut listener, &places) => accepted,
        };
        match accepted {
            Ok((stream, place)) => {
                let server = Arc::clone(server);
                connections.spawn(async move {
                    drive(stream, server).await;
                    drop(place);
                });
            }
            Err(error) if passing(&error) => tokio::time::sleep(ACCEPT_PAUSE).await,
            Err(error) => break Err(error),
        }
    };
    drop(listener);
    server.close();
    let finished = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(SHUTDOWN_GRACE, finished).await.is_err() {
        connections.shutdown().await;
    }
    ended
}

async fn next<A: Accept>(
    listener: &mut A,
    places: &Arc<Semaphore>,
) -> io::Result<(A::Stream, tokio::sync::OwnedSemaphorePermit)> {
    let place = Arc::clone(places).acquire_owned().await.map_err(io::Error::other)?;
    Ok((listener.accept().await?, place))
}

/// Whether the next accept may succeed: the error is of one connection, or of a shortage that may pass.
fn passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let kind = error.kind();
    let of_the_connection =
        matches!(kind, io::ErrorKind::ConnectionAborted | io::ErrorKind::ConnectionReset | io::ErrorKind::Interrupted);
    let shortage = error.raw_os_error().is_some_and(|code| {
        [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM].iter().any(|errno| errno.raw_os_error() == code)
    });
    of_the_connection || shortage
}

/// Drives one connection to its end, or to the end of its present answer once the server closes.
async fn drive<S>(stream: S, server: Arc<Server>)
where
    S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
{
    let answering = Arc::clone(&server);
    let service = service_fn(move |request: Request<Incoming>| {
        let server = Arc::clone(&answering);
        async move { Ok::<_, Infallible>(handle(&server, request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    // A connection that breaks is its client's affair; whatever it was answered stands.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = server.closed() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case(io::Error::from(io::ErrorKind::ConnectionAborted), true)]
    #[case(io::Error::from_raw_os_error(24), true)]
    #[case(io::Error::from_raw_os_error(23), true)]
    #[case(io::Error::from_raw_os_error(9), false)]
    #[case(io::Error::other("broken"), false)]
    fn a_shortage_passes_and_a_broken_listener_does_not(#[case] error: io::Error, #[case] passes: bool) {
        assert_eq!(passing(&error), passes);
    }

    #[rstest]
    #[case("127.0.0.1", "127.0.0.1")]
    #[case("[::1]", "::1")]
    #[case("::1", "::1")]
    #[tokio::test]
    async fn an_address_is_bound_as_it_is(#[case] host: &str, #[case] bound: &str) {
        let (_stopper, stop) = Stop::by_hand();
        match bind(host, 0, &stop).await {
            Ok(listener) => assert_eq!(listener.local_addr().unwrap().ip().to_string(), bound),
            // A machine without IPv6 cannot bind it.
            Err(error) => assert!(bound == "::1" && matches!(error, ServeError::Bind { .. }), "{error}"),
        }
    }

    #[tokio::test]
    async fn localhost_needs_no_resolver() {
        let (_stopper, stop) = Stop::by_hand();
        assert!(bind("localhost", 0, &stop).await.unwrap().local_addr().unwrap().ip().is_loopback());
    }

    #[tokio::test]
    async fn a_taken_port_and_an_unusable_host_are_told_apart() {
        let (_stopper, stop) = Stop::by_hand();
        let taken = bind("127.0.0.1", 0, &stop).await.unwrap();
        let port = taken.local_addr().unwrap().port();
        let error = bind("127.0.0.1", port, &stop).await.unwrap_err();
        assert!(matches!(&error, ServeError::AddressInUse { address } if *address == format!("127.0.0.1:{port}")));
        assert!(matches!(bind(" ", 0, &stop).await.unwrap_err(), ServeError::Setting { .. }));
        assert!(matches!(bind("203.0.113.1", 0, &stop).await.unwrap_err(), ServeError::Bind { .. }));
    }

    #[tokio::test]
    async fn a_signal_comes_before_a_bind() {
        let (stopper, stop) = Stop::by_hand();
        stopper.stop(Signal::Interrupt);
        let error = bind("127.0.0.1", 0, &stop).await.unwrap_err();
        assert!(matches!(error, ServeError::Cancelled { signal: Signal::Interrupt }));
        assert_eq!(error.exit_status(), 130);
    }
}
