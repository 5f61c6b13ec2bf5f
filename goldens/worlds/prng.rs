//! A tiny deterministic source of numbers (SplitMix64) and of the ids and words that worlds are made of.

/// The source. The same seed gives the same numbers on every platform.
#[derive(Clone, Debug)]
pub struct Prng(u64);

impl Prng {
    /// A source for a seed and a run: another run of the same seed gives other numbers.
    pub fn new(seed: u64, run: u64) -> Self {
        let mut prng = Prng(seed ^ run.wrapping_mul(0xa076_1d64_78bd_642f));
        prng.next();
        prng
    }

    /// The next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 for a limit of 0.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.next() % limit as u64) as usize }
    }

    /// One of the values.
    pub fn pick<'a, T>(&mut self, values: &'a [T]) -> &'a T {
        &values[self.below(values.len())]
    }

    /// `length` lower-case hex digits.
    pub fn hex(&mut self, length: usize) -> String {
        (0..length).map(|_| char::from(b"0123456789abcdef"[self.below(16)])).collect()
    }

    /// `length` letters and digits, the first a letter and the second a digit, so that it never looks like a word.
    pub fn token(&mut self, length: usize) -> String {
        let alphabet = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
        (0..length)
            .map(|at| match at {
                0 => char::from(alphabet[self.below(52)]),
                1 => char::from(alphabet[52 + self.below(10)]),
                _ => char::from(alphabet[self.below(62)]),
            })
            .collect()
    }

    /// A UUID of version 4.
    pub fn uuid(&mut self) -> String {
        let variant = char::from(b"89ab"[self.below(4)]);
        format!("{}-{}-4{}-{variant}{}-{}", self.hex(8), self.hex(4), self.hex(3), self.hex(3), self.hex(12))
    }
}

const FIRST: [&str; 16] = [
    "Amber", "Brass", "Copper", "Dusty", "Early", "Faded", "Golden", "Hollow", "Ivory", "Jolly", "Keen", "Linen",
    "Misty", "Narrow", "Olive", "Pale",
];
const SECOND: [&str; 17] = [
    "kettle", "lantern", "meadow", "notebook", "orchard", "pencil", "quarry", "river", "saddle", "timber", "umbrella",
    "valley", "window", "yard", "anchor", "bridge", "castle",
];

/// The name of the `at`-th thing of a world: unique for the first 272 and not in order of the alphabet.
pub fn name_of(seed: u64, at: usize) -> String {
    let mixed = at * 7 + (seed % 11) as usize;
    let round = at / 272;
    let suffix = if round == 0 { String::new() } else { format!(" {}", round + 1) };
    format!("{} {}{suffix}", FIRST[mixed % 16], SECOND[(at * 5 + (seed % 13) as usize) % 17])
}

/// A name as a slug.
pub fn slug(name: &str) -> String {
    let mut out = String::new();
    for character in name.chars() {
        if character.is_ascii_alphanumeric() {
            out.push(character.to_ascii_lowercase());
        } else if !out.ends_with('-') && !out.is_empty() {
            out.push('-');
        }
    }
    out.trim_end_matches('-').to_string()
}
