//! `rea` turns one recording of a web application into an agent environment: an MCP server whose tools answer as the
//! application did, and a measure of how well they do.
//!
//! A capture flows one way, and each module may use the ones before it and never one after it:
//!
//! ```text
//! json -> evidence -> capture -> manifest -> state -> answer -> serve
//!                                                       |-----> compare -> report
//!                                                       '-----> bundle
//! ```
//!
//! [`cli`] holds one file per command: it parses arguments, calls one library function and prints the result.

pub mod answer;
pub mod bundle;
pub mod capture;
pub mod cli;
pub mod compare;
pub mod evidence;
pub mod json;
pub mod manifest;
pub mod report;
pub mod serve;
pub mod state;
