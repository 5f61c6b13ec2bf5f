//! Patterns: texts of a capture that are read as regular expressions. They are untrusted, so a pattern is of limited size,
//! and a match takes time in proportion to pattern and text. What is not understood, or too large, is no pattern at all:
//! there is no guess. Nothing here knows of entities.

use std::iter::Peekable;
use std::str::Chars;

/// Bytes of a pattern, at the most.
const MAX_PATTERN: usize = 256;
/// Bytes of a text that is matched, at the most.
const MAX_TEXT: usize = 4096;
/// Steps of a program, at the most.
const MAX_STEPS: usize = 1024;
/// Groups in groups.
const MAX_DEPTH: usize = 16;
/// How often something is repeated by a number.
const MAX_TIMES: usize = 64;

/// A pattern that is understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    steps: Vec<Step>,
}

/// A step of the program that a pattern is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// Takes one character.
    Take(Set),
    /// Goes on at both.
    Both(usize, usize),
    /// Goes on where the text begins.
    Start,
    /// Goes on where the text ends.
    End,
    /// The whole pattern is matched.
    Matched,
}

/// Characters.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Set {
    /// Whether all others are meant.
    not: bool,
    ranges: Vec<(char, char)>,
}

/// What a pattern consists of.
#[derive(Clone, Debug)]
enum Node {
    Take(Set),
    Start,
    End,
    Chain(Vec<Node>),
    Either(Vec<Node>),
    Repeat(Box<Node>, usize, Option<usize>),
}

impl Pattern {
    /// A text as a pattern; `None` where it is none that is understood.
    pub fn of(text: &str) -> Option<Self> {
        if text.len() > MAX_PATTERN {
            return None;
        }
        let mut rest = text.chars().peekable();
        let node = either(&mut rest, 0)?;
        if rest.next().is_some() {
            return None;
        }
        let mut steps = Vec::new();
        put(&node, &mut steps)?;
        steps.push(Step::Matched);
        Some(Self { steps })
    }

    /// Whether the pattern is somewhere in a text; `None` where the text is too long to say.
    pub fn is_in(&self, text: &str) -> Option<bool> {
        if text.len() > MAX_TEXT {
            return None;
        }
        let mut now = Vec::new();
        let mut marks = vec![usize::MAX; self.steps.len()];
        let last = text.chars().count();
        for (at, next) in text.chars().map(Some).chain([None]).enumerate() {
            // A match may begin at every character.
            now.push(0);
            let mut after = Vec::new();
            while let Some(step) = now.pop() {
                if std::mem::replace(marks.get_mut(step)?, at) == at {
                    continue;
                }
                match &self.steps[step] {
                    Step::Matched => return Some(true),
                    Step::Both(one, other) => now.extend([*one, *other]),
                    Step::Start if at == 0 => now.push(step + 1),
                    Step::End if at == last => now.push(step + 1),
                    Step::Take(set) if next.is_some_and(|next| set.has(next)) => after.push(step + 1),
                    _ => {}
                }
            }
            now = after;
        }
        Some(false)
    }

    /// Whether a text says more as a pattern than as a plain text.
    pub fn is_telling(text: &str) -> bool {
        text.contains(['^', '$', '*', '+', '[', '(', '|', '\\'])
    }
}

impl Set {
    fn of(ranges: &[(char, char)]) -> Self {
        Self { not: false, ranges: ranges.to_vec() }
    }

    fn has(&self, next: char) -> bool {
        self.ranges.iter().any(|(from, to)| (*from..=*to).contains(&next)) != self.not
    }

    /// What a backslash and a character mean.
    fn escaped(next: char) -> Option<Self> {
        let set = match next {
            'd' | 'D' => Self::of(&[('0', '9')]),
            'w' | 'W' => Self::of(&[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')]),
            's' | 'S' => Self::of(&[('\t', '\r'), (' ', ' ')]),
            _ if next.is_ascii_punctuation() => Self::of(&[(next, next)]),
            _ => return None,
        };
        Some(Self { not: next.is_ascii_uppercase(), ..set })
    }
}

fn either(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Option<Node> {
    if depth > MAX_DEPTH {
        return None;
    }
    let mut ways = vec![chain(rest, depth)?];
    while rest.next_if_eq(&'|').is_some() {
        ways.push(chain(rest, depth)?);
    }
    Some(if ways.len() == 1 { ways.remove(0) } else { Node::Either(ways) })
}

fn chain(rest: &mut Peekable<Chars<'_>>, depth: usize) -> Option<Node> {
    let mut nodes = Vec::new();
    while let Some(next) = rest.next_if(|next| !matches!(next, '|' | ')')) {
        let node = match next {
            '^' => Node::Start,
            '$' => Node::End,
            '.' => Node::Take(Set { not: true, ranges: vec![('\n', '\n')] }),
            '[' => Node::Take(class(rest)?),
            '\\' => Node::Take(Set::escaped(rest.next()?)?),
            '(' => {
                if rest.next_if_eq(&'?').is_some() && rest.next() != Some(':') {
                    return None;
                }
                let inner = either(rest, depth + 1)?;
                rest.next_if_eq(&')')?;
                inner
            }
            '*' | '+' | '?' | '{' | '}' | ']' => return None,
            _ => Node::Take(Set::of(&[(next, next)])),
        };
        let Some((least, most)) = times(rest)? else {
            nodes.push(node);
            continue;
        };
        // Taking as few as possible matches the same texts; what would never give back does not.
        rest.next_if_eq(&'?');
        if matches!(rest.peek(), Some('*' | '+' | '?' | '{')) || matches!(node, Node::Start | Node::End) {
            return None;
        }
        nodes.push(Node::Repeat(Box::new(node), least, most));
    }
    Some(Node::Chain(nodes))
}

/// How often what stands before is repeated: the outer `None` is what is not understood.
#[allow(clippy::option_option)]
fn times(rest: &mut Peekable<Chars<'_>>) -> Option<Option<(usize, Option<usize>)>> {
    let Some(next) = rest.next_if(|next| matches!(next, '*' | '+' | '?' | '{')) else { return Some(None) };
    Some(Some(match next {
        '*' => (0, None),
        '+' => (1, None),
        '?' => (0, Some(1)),
        _ => {
            let least = number(rest)?;
            let most = match rest.next_if_eq(&',') {
                None => Some(least),
                Some(_) if rest.peek() == Some(&'}') => None,
                Some(_) => Some(number(rest)?),
            };
            rest.next_if_eq(&'}')?;
            if most.is_some_and(|most| most < least) {
                return None;
            }
            (least, most)
        }
    }))
}

fn number(rest: &mut Peekable<Chars<'_>>) -> Option<usize> {
    let mut digits = String::new();
    while let Some(digit) = rest.next_if(char::is_ascii_digit) {
        digits.push(digit);
    }
    digits.parse().ok().filter(|times| *times <= MAX_TIMES)
}

fn class(rest: &mut Peekable<Chars<'_>>) -> Option<Set> {
    let not = rest.next_if_eq(&'^').is_some();
    let mut ranges: Vec<(char, char)> = Vec::new();
    loop {
        let from = match rest.next()? {
            ']' if ranges.is_empty() => return None,
            ']' => return Some(Set { not, ranges }),
            // Named classes and sets in sets.
            '[' => return None,
            '\\' => {
                let set = Set::escaped(rest.next()?).filter(|set| !set.not)?;
                if set.ranges.len() > 1 || set.ranges.iter().any(|(from, to)| from != to) {
                    ranges.extend(set.ranges);
                    continue;
                }
                set.ranges.first()?.0
            }
            next => next,
        };
        let mut ahead = rest.clone();
        let to = match (ahead.next(), ahead.next()) {
            (Some('-'), Some(to)) if to != ']' => {
                rest.nth(1);
                if to == '\\' { rest.next().filter(char::is_ascii_punctuation)? } else { to }
            }
            _ => from,
        };
        if to < from {
            return None;
        }
        ranges.push((from, to));
    }
}

/// Puts a node behind the steps; `None` where there are too many.
fn put(node: &Node, steps: &mut Vec<Step>) -> Option<()> {
    if steps.len() >= MAX_STEPS {
        return None;
    }
    match node {
        Node::Take(set) => steps.push(Step::Take(set.clone())),
        Node::Start => steps.push(Step::Start),
        Node::End => steps.push(Step::End),
        Node::Chain(nodes) => nodes.iter().try_for_each(|node| put(node, steps))?,
        Node::Either(ways) => {
            let mut ends = Vec::new();
            for (index, way) in ways.iter().enumerate() {
                let fork = steps.len();
                steps.push(Step::Both(fork + 1, fork + 1));
                put(way, steps)?;
                if index + 1 < ways.len() {
                    ends.push(steps.len());
                    steps.push(Step::Both(0, 0));
                    steps[fork] = Step::Both(fork + 1, steps.len());
                }
            }
            let end = steps.len();
            ends.into_iter().for_each(|at| steps[at] = Step::Both(end, end));
        }
        Node::Repeat(inner, least, most) => {
            for _ in 0..*least {
                let before = steps.len();
                put(inner, steps)?;
                // What takes nothing takes nothing however often.
                if steps.len() == before {
                    return Some(());
                }
            }
            match most {
                None => {
                    let fork = steps.len();
                    steps.push(Step::Both(fork + 1, fork + 1));
                    put(inner, steps)?;
                    steps.push(Step::Both(fork, fork));
                    steps[fork] = Step::Both(fork + 1, steps.len());
                }
                Some(most) => {
                    let mut forks = Vec::new();
                    for _ in *least..*most {
                        forks.push(steps.len());
                        steps.push(Step::Both(0, 0));
                        put(inner, steps)?;
                    }
                    let end = steps.len();
                    forks.into_iter().for_each(|fork| steps[fork] = Step::Both(fork + 1, end));
                }
            }
        }
    }
    (steps.len() < MAX_STEPS).then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[rstest::rstest]
    #[case::start("^order", "orders", true)]
    #[case::not_at_the_start("^order", "reorders", false)]
    #[case::anywhere("order", "reorders", true)]
    #[case::whole("^orders$", "orders.late", false)]
    #[case::anything(".*", "", true)]
    #[case::plain_dot(r"^a\.b$", "a.b", true)]
    #[case::no_plain_dot(r"^a\.b$", "axb", false)]
    #[case::either("^(amq|dead)\\.", "dead.orders", true)]
    #[case::neither("^(amq|dead)\\.", "orders.dead", false)]
    #[case::either_at_the_top("^a$|^b$", "b", true)]
    #[case::class("^[a-c_]+$", "a_c", true)]
    #[case::not_in_class("^[^0-9]+$", "a1", false)]
    #[case::digits(r"-\d{2,3}$", "mail-123", true)]
    #[case::too_many_digits(r"-\d{2,3}$", "mail-1234", false)]
    #[case::at_least("^x{2,}$", "xxx", true)]
    #[case::maybe("^colou?r$", "color", true)]
    #[case::group("^(?:ab)*$", "abab", true)]
    #[case::lazy("^a+?b$", "aab", true)]
    fn a_pattern_is_in_a_text_or_not(#[case] pattern: &str, #[case] text: &str, #[case] expected: bool) {
        assert_eq!(Pattern::of(pattern).unwrap().is_in(text), Some(expected));
    }

    #[rstest::rstest]
    #[case::look_ahead("^(?!amq)")]
    #[case::back_reference(r"(a)\1")]
    #[case::never_gives_back("a++")]
    #[case::nothing_to_repeat("*")]
    #[case::open_group("(a")]
    #[case::closed_group("a)")]
    #[case::open_class("[a")]
    #[case::word_end(r"a\b")]
    #[case::too_often("(((a{60}){60}){60}){60}")]
    #[case::too_long(&"a".repeat(300))]
    #[case::too_deep(&format!("{}a{}", "(".repeat(40), ")".repeat(40)))]
    fn what_is_not_understood_is_no_pattern(#[case] pattern: &str) {
        assert_eq!(Pattern::of(pattern), None);
    }

    #[test]
    fn a_match_takes_time_in_proportion() {
        let pattern = Pattern::of("^((a*)*)*((a*)*)*b$").unwrap();
        assert_eq!(pattern.is_in(&"a".repeat(4000)), Some(false));
        assert_eq!(pattern.is_in(&"a".repeat(5000)), None);
        let nothing = format!("{}{}", "(".repeat(15), "){60}".repeat(15));
        assert_eq!(Pattern::of(&nothing).unwrap().is_in("a"), Some(true));
    }
}
