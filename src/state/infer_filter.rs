//! Finding filters: which parameter leaves out which entities, by a demand on their members, on the entity that a
//! reference names, or on any of several texts (a search).

use super::infer::{Inference, ListCall, same};
use super::infer_paging::{numeric, paging_hint};
use super::line::{Line, Param};
use super::lookup::Lookup;
use super::naming::{name_score, words};
use super::path::MemberPath;
use super::query::Role;
use super::store::Entity;
use super::term::{OPS, Op, Several, Term};
use crate::json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Values of a filter among which one that means something else is looked for.
const MAX_VALUES_WITH_A_SPECIAL_ONE: usize = 12;

/// One line of a filter's evidence.
pub(super) struct Test {
    pub(super) param: Param,
    pub(super) entities: Vec<(Arc<Value>, bool)>,
}

/// How simple a term is, the simplest first: its member is not named by the key, holds machine text, the reverse of the
/// name's score, rank of the operator, depth of the member.
type Place = (bool, bool, usize, usize, usize);

impl Inference<'_> {
    /// A bare list that leaves entities out: a member that a key names has one value in all that are listed, and
    /// another in all that are not.
    pub(super) fn default_filters(&mut self) {
        let bare: Vec<&ListCall> = self
            .calls
            .iter()
            .filter(|(line, _)| self.unknown(line).is_empty())
            .map(|(_, call)| *call)
            .filter(|call| call.listed.len() < call.scope.len() && !call.listed.is_empty())
            .collect();
        let Some(call) = bare.first() else { return };
        let keys: BTreeSet<String> =
            self.calls.iter().flat_map(|(line, _)| self.unknown(line).into_iter().map(|p| p.key.clone())).collect();
        for key in keys {
            for path in self.paths.iter().filter(|path| path.0.len() == 1) {
                if name_score(&key, path) == 0 {
                    continue;
                }
                let text = |entity: &Arc<Entity>| {
                    path.direct(&(self.around.fields)(entity)).and_then(super::line::scalar_text)
                };
                let Some(value) = text(&call.listed[0]) else { continue };
                let inside = call.listed.iter().all(|entity| text(entity).as_deref() == Some(&value));
                let outside = call
                    .scope
                    .iter()
                    .filter(|entity| !call.listed.iter().any(|listed| listed.id == entity.id))
                    .all(|entity| text(entity).is_some_and(|other| other != value));
                if inside && outside {
                    let term = Term {
                        targets: vec![path.clone()],
                        op: Op::Equal,
                        negate: false,
                        several: Several::Any,
                        lookup: None,
                    };
                    let mut model = self.model.clone();
                    model.roles.insert(key.clone(), Role::Filter(term));
                    model.defaults.push((key.clone(), value));
                    self.model = model;
                    return;
                }
            }
        }
    }

    /// Gives a filter's role to each key that alone explains what its lines leave out.
    pub(super) fn filters(&mut self) {
        for key in self.open_keys() {
            let evidence = self.evidence(&key);
            if evidence.is_empty() || evidence.iter().all(|(line, _)| line.get(&key).is_some_and(|p| p.text.is_empty()))
            {
                continue;
            }
            if numeric(&key, &evidence) && paging_hint(&key) {
                continue;
            }
            if let Some(term) = self.filter_term(&key, &evidence) {
                self.model.roles.insert(key, Role::Filter(term));
            } else if let Some((term, special)) = self.special_value(&key, &evidence) {
                self.model.special.insert(key.clone(), BTreeSet::from([special]));
                self.model.roles.insert(key, Role::Filter(term));
            }
        }
    }

    /// A demand that explains a key's lines but those with one value, which no entity holds: that value means something
    /// else. The key has to name the member.
    fn special_value(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<(Term, String)> {
        let values: BTreeSet<&str> =
            evidence.iter().filter_map(|(line, _)| Some(line.get(key)?.text.as_str())).collect();
        if !(2..=MAX_VALUES_WITH_A_SPECIAL_ONE).contains(&values.len()) {
            return None;
        }
        values.into_iter().find_map(|special| {
            let (without, with): (Vec<_>, Vec<_>) =
                evidence.iter().cloned().partition(|(line, _)| line.get(key).is_none_or(|param| param.text != special));
            let term = self.filter_term(key, &without)?;
            let telling: BTreeSet<&str> = without
                .iter()
                .filter(|(_, call)| !call.listed.is_empty())
                .filter_map(|(line, _)| Some(line.get(key)?.text.as_str()))
                .collect();
            let named = term.targets.iter().any(|path| name_score(key, path) > 0);
            let held = with.iter().any(|(line, call)| {
                line.get(key).is_some_and(|param| {
                    let holds =
                        |entity: &Arc<Entity>| term.holds(&(self.around.fields)(entity), param, self.around.referents);
                    call.scope.iter().any(holds)
                })
            });
            // A pattern's signs say that the value is none; otherwise two values have to say what the others are.
            let enough = if special.contains(['^', '$', '*', '|', '\\', '(']) { 1 } else { 2 };
            (named && telling.len() >= enough && !held).then(|| (term, special.to_owned()))
        })
    }

    /// The demand that explains a key's lines: a member that the key names first, then a reference, then a search.
    fn filter_term(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<Term> {
        // A filter's answer is a part of what is listed without it; whatever is not is no filter.
        let mut distinct: BTreeSet<&str> = BTreeSet::new();
        for (line, call) in evidence {
            let param = line.get(key)?;
            let all = self.select(&self.model, &line.without(key), call)?;
            if !all.listed().is_empty()
                && all.window.size.is_none()
                && !call.listed.iter().all(|e| all.listed().iter().any(|held| held.id == e.id))
            {
                return None;
            }
            if !same(all.listed(), &call.listed, false) {
                distinct.insert(&param.text);
            }
        }
        if distinct.is_empty() {
            return None;
        }
        let answered = evidence.iter().filter(|(_, call)| !call.listed.is_empty()).count();
        if answered == 0 {
            return None;
        }
        let severals: &[Several] = if evidence.iter().any(|(line, _)| line.get(key).is_some_and(|p| p.list.is_some())) {
            // `tags/all_`, `tags/any_`: the last word may say how several count.
            let words = super::naming::words(key);
            match words.last().map(String::as_str) {
                Some("all") => &[Several::All, Several::Any],
                // What contains a list contains all of it, unless the key says any.
                _ if words.iter().any(|word| word == "contains") && !words.iter().any(|word| word == "any") => {
                    &[Several::All, Several::Any]
                }
                _ => &[Several::Any, Several::All],
            }
        } else if evidence.iter().any(|(line, _)| line.get(key).is_some_and(|p| p.text.contains(','))) {
            &[Several::Any, Several::No]
        } else {
            &[Several::No, Several::Any]
        };
        let switch = |text: &str| matches!(text, "true" | "false" | "0" | "1" | "yes" | "no");
        let switches = evidence.iter().all(|(line, _)| line.get(key).is_some_and(|param| switch(&param.text)));
        let mut ops = ops_for(key);
        // Words that are no quantity are not compared where the key does not say so: `open` is not what comes after `new`.
        if ops == OPS && distinct.iter().all(|text| !text.bytes().any(|byte| byte.is_ascii_digit())) {
            ops.retain(|op| !matches!(op, Op::Less | Op::LessEqual | Op::Greater | Op::GreaterEqual));
        }
        let tests = self.tests(key, evidence)?;
        let mut best: Option<(Place, Term)> = None;
        // A switch says what to do more often than what a member is: only its name can tell.
        let strong = distinct.len() >= 2 && answered >= 2 && !switches;
        let scored: Vec<(&MemberPath, usize)> = self
            .paths
            .iter()
            .map(|path| (path, name_score(key, path)))
            .filter(|(_, score)| *score > 0 || strong)
            .collect();
        for (rank, op) in ops.iter().enumerate() {
            for &(path, score) in &scored {
                for several in severals {
                    for negate in [false, true] {
                        let place = |machine: bool| {
                            (score == 0, machine, usize::MAX - score, rank * 2 + usize::from(negate), path.0.len())
                        };
                        // What would not come before the best so far is not tried.
                        if best.as_ref().is_some_and(|(held, _)| place(false) >= *held) {
                            continue;
                        }
                        let term =
                            Term { targets: vec![path.clone()], op: *op, negate, several: *several, lookup: None };
                        if !self.explains(key, &term, &tests, evidence) {
                            continue;
                        }
                        let place = place(score == 0 && (path.0.len() > 1 || self.machine_text(path, &tests)));
                        if best.as_ref().is_none_or(|(held, _)| place < *held) {
                            best = Some((place, term));
                        }
                    }
                }
            }
        }
        if best.as_ref().is_some_and(|((unnamed, ..), _)| !unnamed) {
            return best.map(|(_, term)| term);
        }
        if let Some(term) = self.lookup_term(key, &tests, evidence, &ops, severals) {
            return Some(term);
        }
        if switches {
            return self.naming_term(key, &tests, evidence);
        }
        // A parameter called as searches are looks into every text that the recordings do not rule out.
        if searches(key)
            && let Some(term) = self.search_term(key, &tests, evidence, &ops)
            && term.targets.len() > 1
        {
            return Some(term);
        }
        // One member that explains everything is simpler than several, when it holds words.
        if let Some((_, term)) = &best
            && term.targets[0].0.len() == 1
            && !self.machine_text(&term.targets[0], &tests)
        {
            return best.map(|(_, term)| term);
        }
        self.search_term(key, &tests, evidence, &ops).or_else(|| best.map(|(_, term)| term))
    }

    /// The evidence of a filter as questions: the parameter, and each entity that is listed without it with whether it
    /// still was. Lines whose page may be cut are left to the selection.
    fn tests(&self, key: &str, evidence: &[(Line, ListCall)]) -> Option<Vec<Test>> {
        let mut tests = Vec::new();
        for (line, call) in evidence {
            let all = self.select(&self.model, &line.without(key), call)?;
            let whole = !all.paged && all.range.len() == all.matched;
            // A first page that is not full ends where the list does.
            let full = |size: u64| call.listed.len() as u64 >= size;
            let ends = all.paged && all.window.offset == 0 && all.window.size.is_some_and(|size| !full(size));
            if !whole && !ends {
                continue;
            }
            let listed: BTreeSet<(&str, &str)> =
                call.listed.iter().map(|e| (e.collection.as_ref(), e.id.as_ref())).collect();
            let entities = all
                .all
                .iter()
                .map(|entity| {
                    let held = listed.contains(&(entity.collection.as_ref(), entity.id.as_ref()));
                    ((self.around.fields)(entity), held)
                })
                .collect();
            tests.push(Test { param: line.get(key)?.clone(), entities });
        }
        Some(tests)
    }

    /// Whether a term tells listed from unlisted entities on every line, paging and all.
    pub(super) fn explains(&self, key: &str, term: &Term, tests: &[Test], evidence: &[(Line, ListCall)]) -> bool {
        let term = &*term.looked_up(self.around.referents);
        let quick = tests.iter().all(|test| {
            test.entities.iter().all(|(value, held)| term.holds(value, &test.param, self.around.referents) == *held)
        });
        quick && (tests.len() == evidence.len() || self.selects(key, term, evidence))
    }

    /// Whether a term reproduces its evidence, paging and all.
    fn selects(&self, key: &str, term: &Term, evidence: &[(Line, ListCall)]) -> bool {
        let mut model = self.model.clone();
        model.roles.insert(key.to_owned(), Role::Filter(term.clone()));
        evidence.iter().all(|(line, call)| {
            self.select(&model, line, call).is_some_and(|selection| same(selection.listed(), &call.listed, false))
        })
    }

    /// A search: several members may hold the text. Members that would list an entity that was not listed are out;
    /// those left that explain a listed one are in. Addresses and identifiers are searched only when texts do not
    /// explain the answers.
    fn search_term(&self, key: &str, tests: &[Test], evidence: &[(Line, ListCall)], ops: &[Op]) -> Option<Term> {
        const SEARCHES: [Op; 8] = [
            Op::ContainsFold,
            Op::Contains,
            // Where only whole texts were found, nothing says that their beginnings would be.
            Op::Equal,
            Op::EqualFold,
            Op::PrefixFold,
            Op::Prefix,
            Op::LikeFold,
            Op::Like,
        ];
        for op in SEARCHES.iter().filter(|op| ops.contains(op)) {
            let mut targets = Vec::new();
            for path in &self.paths {
                // A word that several entities share is searched where a line shows that it is; a text of one's own may be
                // wherever it fits.
                let own = distinct_texts(path, tests);
                let mut supports = false;
                let sound = tests.iter().all(|test| {
                    let tells = own || test.entities.iter().any(|(_, held)| !held);
                    test.entities.iter().all(|(value, held)| {
                        let holds = super::term::satisfied(*op, path, value, &test.param.text);
                        supports |= holds && *held && tells;
                        !holds || *held
                    })
                });
                if sound && supports {
                    targets.push(path.clone());
                }
            }
            let texts: Vec<MemberPath> =
                targets.iter().filter(|path| !self.machine_text(path, tests)).cloned().collect();
            // What an entity says itself comes before what is said of others in it.
            let own: Vec<MemberPath> = texts.iter().filter(|path| path.0.len() == 1).cloned().collect();
            for targets in [own, texts, targets] {
                if targets.is_empty() {
                    continue;
                }
                let term = Term { targets, op: *op, negate: false, several: Several::No, lookup: None };
                if self.explains(key, &term, tests, evidence) {
                    return Some(term);
                }
            }
        }
        None
    }

    /// Whether a member holds addresses, identifiers or clocks rather than words.
    fn machine_text(&self, path: &MemberPath, tests: &[Test]) -> bool {
        tests.iter().flat_map(|test| &test.entities).any(|(value, _)| {
            let mut machine = false;
            path.visit(value, &mut |scalar| {
                machine = scalar.as_str().is_some_and(|text| {
                    text.contains("://")
                        || text.starts_with('/')
                        || crate::manifest::SegmentFormat::of(text).is_some()
                        || crate::capture::RecordedTime::parse(text).is_some()
                });
                !machine
            });
            machine
        })
    }

    /// A demand on the entity that a reference names, where the key names the reference.
    fn lookup_term(
        &self,
        key: &str,
        tests: &[Test],
        evidence: &[(Line, ListCall)],
        ops: &[Op],
        severals: &[Several],
    ) -> Option<Term> {
        let mut best: Option<((usize, usize), Term)> = None;
        for (entity_type, targets) in self.around.others {
            for via in self.reference_paths(*entity_type, evidence) {
                if name_score(key, &via) == 0 {
                    continue;
                }
                for (rank, op) in ops.iter().enumerate().filter(|(_, op)| matches!(op, Op::Equal | Op::EqualFold)) {
                    for target in targets.iter().filter(|path| path.0.len() <= 2) {
                        for several in severals {
                            let term = Term {
                                targets: vec![target.clone()],
                                op: *op,
                                negate: false,
                                several: *several,
                                lookup: Some(Lookup::Named { via: via.clone(), entity_type: *entity_type }),
                            };
                            if self.explains(key, &term, tests, evidence) {
                                let score = name_score(key, &via) * 2 + name_score("name", target);
                                let place = (usize::MAX - score, rank);
                                if best.as_ref().is_none_or(|(held, _)| place < *held) {
                                    best = Some((place, term));
                                }
                            }
                        }
                    }
                }
            }
        }
        best.map(|(_, term)| term)
    }

    /// Paths whose every value is an identity of the other type.
    fn reference_paths(&self, entity_type: usize, evidence: &[(Line, ListCall)]) -> Vec<MemberPath> {
        let Some((_, call)) = evidence.iter().max_by_key(|(_, call)| call.scope.len()) else { return Vec::new() };
        self.paths
            .iter()
            .filter(|path| {
                let mut any = false;
                let all = call.scope.iter().all(|entity| {
                    let value = (self.around.fields)(entity);
                    path.visit(&value, &mut |scalar| {
                        if scalar.is_null() {
                            return true;
                        }
                        any = true;
                        super::line::scalar_text(scalar)
                            .is_some_and(|id| self.around.referents.referent(entity_type, &id).is_some())
                    })
                });
                any && all
            })
            .cloned()
            .collect()
    }
}

/// Whether a member's texts differ from entity to entity.
fn distinct_texts(path: &MemberPath, tests: &[Test]) -> bool {
    let Some(test) = tests.iter().max_by_key(|test| test.entities.len()) else { return false };
    let mut seen = BTreeSet::new();
    test.entities.iter().all(|(value, _)| {
        let text = path.direct(value).and_then(super::line::scalar_text).unwrap_or_default();
        text.is_empty() || text == "null" || seen.insert(text)
    })
}

/// Whether a key is called as searches over several members are.
fn searches(key: &str) -> bool {
    const WORDS: [&str; 9] = ["q", "query", "search", "s", "term", "text", "keyword", "keywords", "find"];
    words(key).last().is_some_and(|word| WORDS.contains(&word.as_str()))
}

/// The operators that a key's own spelling allows: `filter{name}LIKE` is a pattern, `filter{date}:>` a comparison, a
/// last word such as `gte` likewise; other keys may mean any.
fn ops_for(key: &str) -> Vec<Op> {
    let tail = key.rsplit('}').next().filter(|_| key.contains('}')).unwrap_or("");
    match tail {
        "LIKE" | "ILIKE" => return vec![Op::Like, Op::LikeFold],
        "contains" | "substringof" | "CONTAINS" => return vec![Op::Contains, Op::ContainsFold],
        "startswith" => return vec![Op::Prefix, Op::PrefixFold],
        "endswith" => return vec![Op::Suffix],
        "EQ" | "==" => return vec![Op::Equal, Op::EqualFold],
        "LT" => return vec![Op::Less],
        "LE" | "LTE" => return vec![Op::LessEqual],
        "GT" => return vec![Op::Greater],
        "GE" | "GTE" => return vec![Op::GreaterEqual],
        "=" | "IN" => return vec![Op::Equal, Op::EqualFold],
        "<" | ":<" => return vec![Op::Less],
        "<=" | ":<=" => return vec![Op::LessEqual],
        ">" | ":>" => return vec![Op::Greater],
        ">=" | ":>=" => return vec![Op::GreaterEqual],
        ":~" => return vec![Op::ContainsFold, Op::Contains, Op::Prefix],
        ":" | ":-" => return vec![Op::Equal, Op::EqualFold, Op::Contains, Op::ContainsFold],
        _ => {}
    }
    // `name(match=prefix)`: the mode's value is such a word.
    match words(key).last().map(String::as_str) {
        Some("prefix" | "startswith" | "starts") => vec![Op::Prefix, Op::PrefixFold],
        Some("suffix" | "endswith" | "ends") => vec![Op::Suffix],
        Some("exact" | "eq" | "equals") => vec![Op::Equal, Op::EqualFold],
        Some("contains" | "substring") => vec![Op::ContainsFold, Op::Contains],
        Some("gt" | "after") => vec![Op::Greater],
        Some("gte" | "ge" | "since" | "from" | "min") => vec![Op::GreaterEqual, Op::Greater],
        Some("lt" | "before") => vec![Op::Less],
        Some("lte" | "le" | "until" | "to" | "max") => vec![Op::LessEqual, Op::Less],
        Some("containsi" | "icontains" | "ic") => vec![Op::ContainsFold],
        Some("startswithi" | "istartswith" | "isw") => vec![Op::PrefixFold],
        Some("eqi" | "iexact") => vec![Op::EqualFold],
        Some("like" | "ilike") => {
            vec![
                Op::Like,
                Op::LikeFold,
                Op::Glob,
                Op::GlobFold,
                Op::ContainsFold,
                Op::Contains,
                Op::ContainsLoose,
                Op::AnchoredFold,
                Op::Anchored,
            ]
        }
        _ => OPS.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rstest::rstest;

    #[rstest]
    #[case("filter{name}LIKE", &[Op::Like, Op::LikeFold])]
    #[case("filter{size}>=", &[Op::GreaterEqual])]
    #[case("q{at}:<", &[Op::Less])]
    #[case("q{name}:~", &[Op::ContainsFold, Op::Contains, Op::Prefix])]
    #[case("created_at__gt", &[Op::Greater])]
    #[case("filters[created][$lte]", &[Op::LessEqual, Op::Less])]
    #[case("createdAfter", &[Op::Greater])]
    #[case("since", &[Op::GreaterEqual, Op::Greater])]
    #[case("name(match=prefix)", &[Op::Prefix, Op::PrefixFold])]
    #[case("filters[title][$eq]", &[Op::Equal, Op::EqualFold])]
    fn a_key_may_say_its_operator(#[case] key: &str, #[case] expected: &[Op]) {
        assert_eq!(ops_for(key), expected);
    }

    #[rstest]
    #[case("q", true)]
    #[case("body/searchText", true)]
    #[case("filters[search]", true)]
    #[case("status", false)]
    #[case("query_id", false)]
    fn keys_that_search(#[case] key: &str, #[case] expected: bool) {
        assert_eq!(searches(key), expected);
    }

    #[rstest]
    #[case("status")]
    #[case("q")]
    #[case("filters[title]")]
    fn other_keys_may_mean_any(#[case] key: &str) {
        assert_eq!(ops_for(key), OPS);
    }
}
