//! The server as its clients see it: bytes over loopback sockets, and requests handed to the router.

mod calling;
mod connecting;
mod data;
mod data_files;
mod data_sessions;
mod data_writes;
pub mod fixture;
mod listing;
