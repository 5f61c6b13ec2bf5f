//! Names that look like credentials: whole segments of a name, never parts of a word, and never a value.

/// Segments that name a credential by themselves.
const WORDS: [&str; 26] = [
    "token",
    "tokens",
    "secret",
    "secrets",
    "password",
    "passwords",
    "passwd",
    "pwd",
    "passphrase",
    "passcode",
    "apikey",
    "apikeys",
    "accesskey",
    "privatekey",
    "authorization",
    "session",
    "sessions",
    "sessionid",
    "phpsessid",
    "jsessionid",
    "credential",
    "credentials",
    "cookie",
    "cookies",
    "jwt",
    "bearer",
];
/// Segments that name one together.
const PAIRS: [(&str, &str); 9] = [
    ("api", "key"),
    ("api", "keys"),
    ("access", "key"),
    ("private", "key"),
    ("signing", "key"),
    ("encryption", "key"),
    ("pass", "word"),
    ("pass", "phrase"),
    ("auth", "key"),
];

/// Whether a name looks like a credential's.
pub(super) fn is_credential(name: &str) -> bool {
    let segments = segments(name);
    let words = segments.iter().any(|segment| WORDS.contains(&segment.as_str()));
    words || segments.windows(2).any(|pair| matches!(pair, [a, b] if PAIRS.contains(&(a.as_str(), b.as_str()))))
}

/// The segments of a name in lower case: split at everything that is no letter or digit, and where a capital begins a word
/// (`accessToken`, `APIKey`).
fn segments(name: &str) -> Vec<String> {
    let mut segments = vec![String::new()];
    let characters: Vec<char> = name.chars().collect();
    for (index, &character) in characters.iter().enumerate() {
        if !character.is_alphanumeric() {
            segments.push(String::new());
            continue;
        }
        let before = index.checked_sub(1).and_then(|index| characters.get(index));
        let after = characters.get(index + 1);
        let begins = character.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_numeric())
                || (before.is_some_and(|before| before.is_uppercase())
                    && after.is_some_and(|after| after.is_lowercase())));
        if begins {
            segments.push(String::new());
        }
        if let Some(segment) = segments.last_mut() {
            segment.extend(character.to_lowercase());
        }
    }
    segments.retain(|segment| !segment.is_empty());
    segments
}

#[cfg(test)]
mod tests {
    use super::is_credential;
    use rstest::rstest;

    #[rstest]
    #[case("token", true)]
    #[case("csrf-token", true)]
    #[case("accessToken", true)]
    #[case("X-Api-Key", true)]
    #[case("api_key", true)]
    #[case("APIKey", true)]
    #[case("client_secret", true)]
    #[case("Authorization", true)]
    #[case("user[password]", true)]
    #[case("session_id", true)]
    #[case("tokenizer", false)]
    #[case("secretary", false)]
    #[case("key", false)]
    #[case("keyboard", false)]
    #[case("max_tokens_used", true)]
    #[case("monkey", false)]
    #[case("apis_keyed", false)]
    #[case("obsession", false)]
    #[case("", false)]
    fn whole_segments_only(#[case] name: &str, #[case] expected: bool) {
        assert_eq!(is_credential(name), expected);
    }
}
