//! Words in names: how well a parameter's name fits a member's. Knows spellings only, no application.

use super::path::MemberPath;
use super::query::normal;

/// How well a key names a path: words of the key that are names along the path, singular and plural alike, the last
/// name counting most.
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
    if score > 0 && names.len() == 1 { score + 1 } else { score }
}

/// The words of a name, lower case: split at what is no letter or digit and where capitals begin.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    for character in text.chars() {
        if !character.is_alphanumeric()
            || character.is_uppercase() && word.chars().last().is_some_and(char::is_lowercase)
        {
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

/// A word without a plural's ending.
fn singular(word: &str) -> String {
    if let Some(stem) = word.strip_suffix("ies") {
        return format!("{stem}y");
    }
    word.strip_suffix('s').filter(|stem| stem.len() > 1).unwrap_or(word).to_owned()
}
