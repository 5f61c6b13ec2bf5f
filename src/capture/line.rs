//! The request line of a recorded URL: origin, raw path, raw query. Splits the text as it was recorded; nothing is decoded
//! or repaired. Knows nothing of HAR or records.

/// What a recorded URL says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    /// `scheme://host[:port]`, lower case, default port removed; `None` for a URL that is only a path.
    pub(super) origin: Option<String>,
    /// Raw path, starting with `/`.
    pub(super) path: String,
    /// Raw query without `?`.
    pub(super) query: Option<String>,
}

/// Why a URL is not a request line of HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotALine {
    /// Empty text.
    Empty,
    /// Another scheme: `data:`, `blob:`, `about:`, an extension's, a web socket's.
    Scheme,
    /// Neither a scheme nor a path.
    Relative,
    /// `http:` without a host.
    NoHost,
}

/// Splits `url`. A URL that is only a path has no origin; the caller knows the Host header.
pub(super) fn split(url: &str) -> Result<Line, NotALine> {
    let url = url.trim();
    if url.is_empty() {
        return Err(NotALine::Empty);
    }
    let (scheme, rest) = match scheme_of(url) {
        Some((scheme, rest)) => (scheme, rest),
        None if url.starts_with('/') && !url.starts_with("//") => {
            let (path, query) = path_and_query(url);
            return Ok(Line { origin: None, path, query });
        }
        None => return Err(NotALine::Relative),
    };
    if !scheme.eq_ignore_ascii_case("http") && !scheme.eq_ignore_ascii_case("https") {
        return Err(NotALine::Scheme);
    }
    let rest = rest.strip_prefix("//").ok_or(NotALine::NoHost)?;
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let (authority, tail) = rest.split_at(end);
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let origin = origin_of(&scheme.to_ascii_lowercase(), authority).ok_or(NotALine::NoHost)?;
    let (path, query) = path_and_query(tail);
    Ok(Line { origin: Some(origin), path, query })
}

/// The origin of a scheme and an authority (`host`, `host:port`); `None` without a host.
pub(super) fn origin_of(scheme: &str, authority: &str) -> Option<String> {
    let authority = authority.trim();
    if authority.is_empty() || authority.starts_with(':') {
        return None;
    }
    // The URL standard's spelling where it has one (punycode, IPv4 forms, IPv6 brackets) ...
    if let Ok(url) = url::Url::parse(&format!("{scheme}://{authority}/")) {
        let origin = url.origin();
        if origin.is_tuple() {
            return Some(origin.ascii_serialization());
        }
    }
    // ... and the recorded one, lower case, where it has none, such as a placeholder.
    let default = if scheme == "https" { ":443" } else { ":80" };
    let authority = authority.to_lowercase();
    Some(format!("{scheme}://{}", authority.strip_suffix(default).unwrap_or(&authority)))
}

/// The scheme before `:`, when the text starts with one.
fn scheme_of(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let mut characters = scheme.bytes();
    let starts = characters.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let goes_on = characters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    // `localhost:8080/x` is a host and a port, not a scheme.
    let port = rest.starts_with(|character: char| character.is_ascii_digit());
    (starts && goes_on && !port).then_some((scheme, rest))
}

fn path_and_query(text: &str) -> (String, Option<String>) {
    let text = text.split_once('#').map_or(text, |(before, _)| before);
    let (path, query) = match text.split_once('?') {
        Some((path, query)) => (path, Some(query.to_owned())),
        None => (text, None),
    };
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    (path, query)
}

/// The URL without its userinfo: what stands between `//` and the last `@` before the first `/`, `?` or `#` is cut out.
/// `None` when there is none.
pub(super) fn without_userinfo(url: &str) -> Option<String> {
    let start = url.find("//")? + 2;
    let (head, rest) = url.split_at(start);
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let at = rest.get(..end)?.rfind('@')?;
    Some(format!("{head}{}", rest.get(at + 1..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("http://Example.com:80/a/b?x=1&y#z", "http://example.com", "/a/b", Some("x=1&y"))]
    #[case("https://example.com:443", "https://example.com", "/", None)]
    #[case("https://example.com?", "https://example.com", "/", Some(""))]
    #[case("http://u:p@h:8080/x", "http://h:8080", "/x", None)]
    #[case("HTTP://h/%2Fa b|c{d}é", "http://h", "/%2Fa b|c{d}é", None)]
    #[case("http://[::1]:5000/#frag?no", "http://[::1]:5000", "/", None)]
    #[case("https://münchen.example/x", "https://xn--mnchen-3ya.example", "/x", None)]
    #[case("http://${HOST}/x", "http://${host}", "/x", None)]
    fn splits(#[case] url: &str, #[case] origin: &str, #[case] path: &str, #[case] query: Option<&str>) {
        let line = Line { origin: Some(origin.into()), path: path.into(), query: query.map(Into::into) };
        assert_eq!(split(url), Ok(line));
    }

    #[test]
    fn a_path_alone_has_no_origin() {
        let line = Line { origin: None, path: "/api/x".into(), query: Some("a=b:c".into()) };
        assert_eq!(split("/api/x?a=b:c"), Ok(line));
    }

    #[rstest]
    #[case("", NotALine::Empty)]
    #[case("data:text/plain,hi", NotALine::Scheme)]
    #[case("chrome-extension://abc/x.js", NotALine::Scheme)]
    #[case("ws://h/socket", NotALine::Scheme)]
    #[case("about:blank", NotALine::Scheme)]
    #[case("h:443", NotALine::Relative)]
    #[case("//h/x", NotALine::Relative)]
    #[case("x/y", NotALine::Relative)]
    #[case("http:///x", NotALine::NoHost)]
    #[case("http:x", NotALine::NoHost)]
    fn refuses(#[case] url: &str, #[case] why: NotALine) {
        assert_eq!(split(url), Err(why));
    }

    #[rstest]
    #[case("http://u:p@h/x@y", Some("http://h/x@y"))]
    #[case("//u@h", Some("//h"))]
    #[case("http://a@b@h?x=@", Some("http://h?x=@"))]
    #[case("http://h/x@y", None)]
    #[case("mailto:a@b", None)]
    fn cuts_userinfo(#[case] url: &str, #[case] left: Option<&str>) {
        assert_eq!(without_userinfo(url).as_deref(), left);
    }
}
