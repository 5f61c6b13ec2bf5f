//! Member names that an object holds more than once, found without comparing every name with every other.

use super::Text;

/// Objects up to this size are searched for repeated names in place.
const SMALL_OBJECT: usize = 12;

/// The indexes of the names that occurred before, ascending, each with the index of the first occurrence.
pub(super) fn repeats(names: &[(Text, usize)]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    if names.len() <= SMALL_OBJECT {
        for (index, (name, _)) in names.iter().enumerate().skip(1) {
            if let Some(first) = names[..index].iter().position(|(earlier, _)| earlier == name) {
                found.push((index, first));
            }
        }
        return found;
    }
    let mut order: Vec<usize> = (0..names.len()).collect();
    let bytes = |index: usize| names.get(index).map_or(&[][..], |(name, _)| name.as_bytes());
    // Stable, so that equal names stay in document order.
    order.sort_by(|&a, &b| bytes(a).cmp(bytes(b)));
    let mut first = order.first().copied().unwrap_or_default();
    for &index in order.iter().skip(1) {
        if bytes(index) == bytes(first) {
            found.push((index, first));
        } else {
            first = index;
        }
    }
    found.sort_unstable();
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn small_and_large_objects_agree_with_the_definition(letters in prop::collection::vec(0u8..20, 0..30)) {
            let names: Vec<_> = letters.iter().map(|letter| (Text::from(letter.to_string()), 0)).collect();
            let first = |index: usize| letters.iter().position(|letter| *letter == letters[index]).unwrap();
            let expected: Vec<_> =
                (0..letters.len()).map(|index| (index, first(index))).filter(|(index, first)| index != first).collect();
            prop_assert_eq!(repeats(&names), expected);
        }
    }
}
