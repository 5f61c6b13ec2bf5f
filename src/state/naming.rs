//! Words in names: how well a parameter's name fits a member's. Knows spellings only, no application.

use super::path::MemberPath;

/// How well a key names a path: words of the key that are names along the path, singular and plural alike, the last
/// name counting most. A member of the very name counts more than words found along a path (`postId` is `postId` before it
/// is `post.id`).
pub fn name_score(key: &str, path: &MemberPath) -> usize {
    let words: Vec<String> = words(key);
    let names: Vec<&str> = path.names().collect();
    let mut score = 0;
    for (at, name) in names.iter().enumerate() {
        let inner = self::words(name);
        let whole = singular(&normal(name));
        let named = words.iter().any(|word| singular(word) == whole)
            || singular(&normal(key)) == whole
            || !inner.is_empty() && inner.iter().all(|part| words.iter().any(|word| singular(word) == singular(part)));
        if named {
            score += if at + 1 == names.len() { 3 } else { 2 };
        }
    }
    match names.as_slice() {
        [only] if score > 0 && normal(key) == normal(only) => score + 3,
        [_] if score > 0 => score + 1,
        _ => score,
    }
}

/// A word for comparing names: letters and digits only, lower case (`updatedAt`, `UPDATED_AT`).
pub fn normal(word: &str) -> String {
    word.chars().filter(|character| character.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The last name of a key: behind its last `/`, `[` or `{`.
pub(super) fn last_name(key: &str) -> &str {
    key.rsplit(['/', '[', '{']).next().unwrap_or(key)
}

/// The words of a name, lower case: split at what is no letter or digit and where capitals begin.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut after_small = false;
    for character in text.chars() {
        let begins = character.is_uppercase() && after_small;
        after_small = character.is_lowercase() || character.is_numeric();
        if !character.is_alphanumeric() || begins {
            if !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !character.is_alphanumeric() {
                continue;
            }
        }
        word.extend(character.to_lowercase());
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

/// Whether a word is another one, or several of them: `shelves`, `boxes`, `categories`, `books`.
pub(super) fn is_plural_of(word: &str, one: &str) -> bool {
    let Some(rest) = word.strip_prefix(one) else {
        let ending = |ending: &str, last: &[&str]| {
            let stem = word.strip_suffix(ending).filter(|stem| !stem.is_empty());
            stem.is_some_and(|stem| last.iter().any(|last| one.strip_prefix(stem) == Some(*last)))
        };
        return ending("ies", &["y"]) || ending("ves", &["f", "fe"]);
    };
    let hisses = ["s", "x", "z", "ch", "sh", "o"].iter().any(|ending| one.ends_with(ending));
    matches!(rest, "" | "s") || rest == "es" && hisses
}

/// A word without a plural's ending.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    word.strip_suffix('s').filter(|stem| stem.len() > 1).unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::path::Step;
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("createdAt", &["created", "at"])]
    #[case("created_at__gte", &["created", "at", "gte"])]
    #[case("filters[title][$eq]", &["filters", "title", "eq"])]
    #[case("body/flows/name/any_", &["body", "flows", "name", "any"])]
    #[case("HTTPStatus", &["httpstatus"])]
    #[case("", &[])]
    fn words_of_a_name(#[case] name: &str, #[case] expected: &[&str]) {
        assert_eq!(words(name), expected);
    }

    #[rstest]
    #[case("categories", "category")]
    #[case("tags", "tag")]
    #[case("status", "statu")]
    #[case("s", "s")]
    #[case("is", "is")]
    #[case("data", "data")]
    fn plural_endings(#[case] word: &str, #[case] expected: &str) {
        assert_eq!(singular(word), expected);
    }

    fn path(names: &[&str]) -> MemberPath {
        MemberPath(names.iter().map(|name| Step::Member((*name).into())).collect())
    }

    #[rstest]
    #[case("status", &["status"], &["name"])]
    #[case("status", &["status"], &["state", "status"])]
    #[case("category_name", &["category", "name"], &["category", "id"])]
    #[case("tags", &["tag"], &["title"])]
    #[case("filters[title][$eq]", &["title"], &["name"])]
    #[case("createdAt", &["created_at"], &["updated_at"])]
    #[case("author__name", &["author", "name"], &["name"])]
    #[case("postId", &["postId"], &["post", "id"])]
    #[case("author_name", &["author_name"], &["author", "name"])]
    fn a_better_named_path_scores_more(#[case] key: &str, #[case] better: &[&str], #[case] worse: &[&str]) {
        assert!(name_score(key, &path(better)) > name_score(key, &path(worse)));
    }

    #[rstest]
    #[case("q", &["name"])]
    #[case("limit", &["size"])]
    fn unnamed_paths_score_nothing(#[case] key: &str, #[case] names: &[&str]) {
        assert_eq!(name_score(key, &path(names)), 0);
    }
}
