//! The Host rule: a server on loopback answers only requests that name loopback, so that a web page whose name was
//! re-bound to 127.0.0.1 cannot reach it. A server on any other address accepts every name (in a container network it is
//! called by the service's name).

use http::HeaderMap;
use http::header::{HOST, ORIGIN};
use std::net::{Ipv4Addr, Ipv6Addr};

/// Whether a request with these headers may be answered by a server that is bound to loopback (`loopback`) or to another
/// address.
pub fn admitted(headers: &HeaderMap, loopback: bool) -> bool {
    if !loopback {
        return true;
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    if !host.is_some_and(names_loopback) {
        return false;
    }
    // A browser says from which page a request comes; only pages of this machine may call a server of this machine.
    match headers.get(ORIGIN) {
        None => true,
        Some(origin) => origin
            .to_str()
            .ok()
            .and_then(|origin| origin.split_once("://"))
            .is_some_and(|(_, authority)| names_loopback(authority)),
    }
}

/// Whether `host`, with or without a port, is a name or an address of loopback.
fn names_loopback(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => match rest.split_once(']') {
            Some((address, port)) if port.is_empty() || port.starts_with(':') => {
                return address.parse::<Ipv6Addr>().is_ok_and(|address| address.is_loopback());
            }
            _ => return false,
        },
        None => host.rsplit_once(':').map_or(host, |(name, _)| name),
    };
    name.eq_ignore_ascii_case("localhost") || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;
    use rstest::rstest;

    fn headers(host: Option<&str>, origin: Option<&str>) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in [(HOST, host), (ORIGIN, origin)] {
            if let Some(value) = value {
                headers.insert(name, HeaderValue::from_str(value).unwrap());
            }
        }
        headers
    }

    #[rstest]
    #[case(Some("127.0.0.1:8765"), true)]
    #[case(Some("127.0.0.1"), true)]
    #[case(Some("127.8.9.1:1"), true)]
    #[case(Some("localhost"), true)]
    #[case(Some("LocalHost:80"), true)]
    #[case(Some("[::1]:80"), true)]
    #[case(Some("[::1]"), true)]
    #[case(Some("[::2]"), false)]
    #[case(Some("[::1]x"), false)]
    #[case(Some("example.test"), false)]
    #[case(Some("localhost.example.test"), false)]
    #[case(Some("127.0.0.1.example.test:80"), false)]
    #[case(Some("0.0.0.0"), false)]
    #[case(Some("10.0.0.1:80"), false)]
    #[case(Some(""), false)]
    #[case(None, false)]
    fn on_loopback_the_host_must_name_loopback(#[case] host: Option<&str>, #[case] admits: bool) {
        assert_eq!(admitted(&headers(host, None), true), admits);
        assert!(admitted(&headers(host, None), false), "any other bind takes every host");
    }

    #[rstest]
    #[case("http://localhost:6274", true)]
    #[case("http://127.0.0.1", true)]
    #[case("https://[::1]:1", true)]
    #[case("https://example.test", false)]
    #[case("null", false)]
    fn on_loopback_a_page_must_be_of_this_machine(#[case] origin: &str, #[case] admits: bool) {
        assert_eq!(admitted(&headers(Some("localhost"), Some(origin)), true), admits);
        assert!(admitted(&headers(Some("env"), Some(origin)), false));
    }
}
