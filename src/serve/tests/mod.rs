//! The server over real sockets and real requests.
