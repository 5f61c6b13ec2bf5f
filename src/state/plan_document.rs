//! The render plan of each read tool as a document: its view, which entities it is about, what its parameters do, what
//! its envelope says, which recordings it reproduced. For people and programs that judge a state; the engine never reads
//! it.

use super::derived::Derived;
use super::envelope::{Envelope, Rule, Says};
use super::line::Line;
use super::link::Link;
use super::lookup::Lookup;
use super::observe::is_read;
use super::order::{Nulls, OrderKey, OrderStyle, OrderWord, Tie};
use super::paging::PagingRole;
use super::path::MemberPath;
use super::query::{QueryModel, Role};
use super::reading::Reading;
use super::scope::Scope;
use super::state_document::representation_name;
use super::term::{Op, Several, Term};
use super::text_rule::Piece;
use super::types::{Alternate, DocumentView, ItemView, ListView, MemberRule, Slot, View, pointer};
use super::write_by_read::{Set, Way, WriteByRead};
use crate::capture::Capture;
use crate::json::{Object, Value};
use crate::manifest::{Manifest, Tool};

/// The plans of all read tools, in manifest order: `{tool, view, …}`.
pub fn plans(derived: &Derived, capture: &Capture, manifest: &Manifest) -> Value {
    let scribe = Scribe { derived, capture, manifest };
    manifest
        .tools
        .iter()
        .enumerate()
        .filter(|(index, tool)| derived.only_reads(*index, tool))
        .map(|(index, tool)| Value::from(scribe.plan(index, tool)))
        .collect()
}

/// What the capture read in full, `{type, collection}`; outside it the world is unknown, not empty. A type that was read
/// in full has `null` for the collection.
pub fn known_in_full(derived: &Derived) -> Value {
    let name = |kind: usize| derived.types.get(kind).map(|kind| kind.collection_template.as_str());
    let types = derived.complete_types.iter().map(|kind| (*kind, None));
    let paths = derived.complete_paths.iter().map(|(kind, path)| (*kind, Some(path.as_str())));
    let mut known: Vec<(usize, Option<&str>)> = types.chain(paths).collect();
    known.sort_unstable();
    known
        .into_iter()
        .map(|(kind, path)| Value::from(Object::new().with("type", name(kind)).with("collection", path)))
        .collect()
}

/// What names in a plan are read from.
struct Scribe<'a> {
    derived: &'a Derived,
    capture: &'a Capture,
    manifest: &'a Manifest,
}

impl Scribe<'_> {
    fn plan(&self, index: usize, tool: &Tool) -> Object {
        let plan = Object::new().with("tool", tool.name.as_str());
        if !is_read(tool) {
            return plan.with("view", "recorded").with("reason", "query-body");
        }
        match self.derived.views.get(index) {
            Some(View::Item(view)) => self.item(plan.with("view", "item"), view, index, tool),
            Some(View::List(view)) => self.list(plan.with("view", "list"), view, tool),
            Some(View::Count(view)) => plan
                .with("view", "count")
                .with("list", self.manifest.tools.get(view.list_tool).map(|tool| tool.name.as_str()))
                .with("place", pointer(&view.place))
                .with("base_record_ordinal", self.ordinal(view.base_record)),
            Some(View::Part(view)) => plan
                .with("view", "part")
                .with("type", self.type_name(view.entity_type))
                .with("member", view.member.as_ref())
                .with("place", pointer(&view.place))
                .with("base_record_ordinal", self.ordinal(view.base_record)),
            Some(View::Document(view)) => self.document(plan.with("view", "document"), view),
            Some(View::Tree) => {
                plan.with("view", "tree").with("type", self.derived.tree.as_ref().map(|tree| tree.root.as_ref()))
            }
            Some(View::Recorded { reason }) => plan.with("view", "recorded").with("reason", *reason),
            Some(View::Write) | None => plan.with("view", "recorded").with("reason", "no-view"),
        }
    }

    fn item(&self, plan: Object, view: &ItemView, index: usize, tool: &Tool) -> Object {
        let absences = self.derived.absences.get(index).into_iter().flatten();
        let absences = absences.map(|absence| Value::from(self.ordinal(absence.record)));
        let address = view.address.iter().map(|(slot, member)| {
            let argument = match slot {
                Slot::Path(parameter) => tool.parameters.get(*parameter).map(|parameter| parameter.argument.as_str()),
                Slot::Key(key) => Some(key.as_str()),
            };
            Value::from(Object::new().with("argument", argument).with("member", spelled(member)))
        });
        let plan = plan
            .with("type", self.type_name(view.entity_type))
            .with("place", pointer(&view.place))
            .with("one_element", view.one_element)
            .with("address", address.collect::<Value>())
            .with("parameters", self.parameters(&view.query))
            .with("representations", self.representations(&view.representations))
            .with("base_record_ordinal", self.ordinal(view.base_record))
            .with("absence_record_ordinals", absences.collect::<Value>())
            .with(
                "contradicted_lines",
                view.contradicted.iter().map(|(path, line)| Value::from(line_document(path, line))).collect::<Value>(),
            );
        let plan = match &view.shows_only {
            Some((path, value)) => {
                plan.with("shows_only", Object::new().with("member", spelled(path)).with("value", value.as_str()))
            }
            None => plan,
        };
        let writes = self.derived.by_reads.iter().filter(|rule| rule.tool == index);
        let writes: Vec<Value> = writes.flat_map(|rule| self.written_by(rule)).collect();
        if writes.is_empty() { plan } else { plan.with("writes", Value::from(writes)) }
    }

    /// What values of a parameter change.
    fn written_by(&self, rule: &WriteByRead) -> Vec<Value> {
        let member = |(name, set): &(Box<str>, Set)| -> Value {
            let document = Object::new().with("member", name.as_ref());
            match set {
                Set::To(value) => document.with("value", value.clone()),
                Set::Clock(_) => document.with("clock", true),
                Set::Unknown => document.with("unknown", true),
            }
            .into()
        };
        let way = |way: &Way| -> Value {
            Object::new()
                .with("parameter", rule.key.as_str())
                .with("value", way.text.as_str())
                .with("sets", way.sets.iter().map(member).collect::<Value>())
                .with("record_ordinal", self.ordinal(way.record))
                .with("confirmed_by", way.confirmed_by.iter().map(|ordinal| Value::from(*ordinal)).collect::<Value>())
                .into()
        };
        rule.ways.iter().map(way).collect()
    }

    fn list(&self, plan: Object, view: &ListView, tool: &Tool) -> Object {
        let checked = view.checked_bodies.iter().map(|(path, line, record)| {
            Value::from(line_document(path, line).with("record_ordinal", self.ordinal(*record)))
        });
        let contradicted = view.contradicted.iter().map(|(path, line)| Value::from(line_document(path, line)));
        // What few lists have is named where they have it.
        let words = view.scope_words.iter().map(|(key, text, scope)| {
            let word = Object::new().with("parameter", key.as_str()).with("value", text.as_str());
            Value::from(word.with("scope", self.scope(scope, tool)))
        });
        let words = (!view.scope_words.is_empty()).then(|| words.collect::<Value>());
        let rare = [("page_size", view.query.page_size.map(Value::from)), ("other_scopes", words)];
        let plan = plan
            .with("type", self.type_name(view.entity_type))
            .with("place", pointer(&view.place))
            .with("keyed", view.keyed)
            .with("scope", self.scope(&view.scope, tool))
            .with("parameters", self.parameters(&view.query))
            .with("order", order(&view.query.order, view.query.style))
            .with("default_size", view.query.default_size)
            .with("envelope", envelope(&view.envelope))
            .with("varying", view.envelope.unexplained.iter().map(|place| pointer(place).into()).collect::<Value>())
            .with("other_envelope", view.alternate.as_ref().map(|other| self.alternate(other)))
            .with("missing_when_empty", view.missing_when_empty)
            .with("representations", self.representations(&view.representations))
            .with("base_record_ordinal", self.ordinal(view.base_record))
            .with("past_end_record_ordinal", view.past_end.map(|record| self.ordinal(record)))
            .with("known_paths", view.complete.as_ref().map(|paths| paths.iter().map(Value::from).collect::<Value>()))
            .with("checked_lines", checked.collect::<Value>())
            .with("contradicted_lines", contradicted.collect::<Value>());
        rare.into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .fold(plan, |plan, (name, value)| plan.with(name, value))
    }

    /// The envelope of lines that hold certain parameters.
    fn alternate(&self, other: &Alternate) -> Object {
        Object::new()
            .with("when", other.when.iter().map(Value::from).collect::<Value>())
            .with("place", pointer(&other.place))
            .with("envelope", envelope(&other.envelope))
            .with("varying", other.envelope.unexplained.iter().map(|place| pointer(place).into()).collect::<Value>())
            .with("base_record_ordinal", self.ordinal(other.base_record))
    }

    fn document(&self, plan: Object, view: &DocumentView) -> Object {
        let document = |(path, line, record): &(String, Line, usize)| {
            Value::from(line_document(path, line).with("record_ordinal", self.ordinal(*record)))
        };
        let plan = plan.with("checked_lines", view.lines.iter().map(document).collect::<Value>());
        let plan = match view.moving.as_slice() {
            [] => plan,
            moving => plan.with("moves_by_itself", moving.iter().map(|place| pointer(place).into()).collect::<Value>()),
        };
        if view.later.is_empty() {
            return plan;
        }
        plan.with("later_lines", view.later.iter().map(document).collect::<Value>())
    }

    fn ordinal(&self, record: usize) -> Option<usize> {
        self.capture.records.get(record).map(|record| record.ordinal)
    }

    fn type_name(&self, kind: usize) -> Option<&str> {
        self.derived.types.get(kind).map(|kind| kind.collection_template.as_str())
    }

    fn scope(&self, scope: &Scope, tool: &Tool) -> Object {
        let argument =
            |index: usize| tool.parameters.get(index).map(|parameter| parameter.argument.as_str()).unwrap_or_default();
        match scope {
            Scope::Home => Object::new().with("entities", "of the collection at the path"),
            Scope::All => Object::new().with("entities", "all of the type"),
            Scope::Constant(path, text) => Object::new()
                .with("entities", "whose member is a constant")
                .with("member", spelled(path))
                .with("value", text.as_str()),
            Scope::Member(checks) => {
                let equal = checks.iter().map(|(parameter, path)| {
                    Value::from(Object::new().with("member", spelled(path)).with("argument", argument(*parameter)))
                });
                Object::new()
                    .with("entities", "whose members equal the arguments")
                    .with("equal", equal.collect::<Value>())
            }
            Scope::Listed { parameter, entity_type, path } => Object::new()
                .with("entities", "that another entity lists, in its order")
                .with("argument", argument(*parameter))
                .with("type", self.type_name(*entity_type))
                .with("member", spelled(path)),
            Scope::Of { parameter, entity_type, by, via } => Object::new()
                .with("entities", "of the entity that the argument names")
                .with("argument", argument(*parameter))
                .with("type", self.type_name(*entity_type))
                .with("named_by", spelled(by))
                .with("member", spelled(via)),
            Scope::Recorded(paths) => {
                let listed = paths.iter().map(|(path, ids)| {
                    let ids = ids.iter().map(|(collection, id)| {
                        Value::from(Object::new().with("collection", collection.as_str()).with("id", id.as_str()))
                    });
                    Value::from(Object::new().with("path", path.as_str()).with("ids", ids.collect::<Value>()))
                });
                Object::new().with("entities", "that the recordings listed").with("listed", listed.collect::<Value>())
            }
        }
    }

    /// Which representations a view shows: their parameters, members, where values come from beside the stored fields.
    fn representations(&self, indices: &[usize]) -> Value {
        let ways = indices.iter().filter_map(|index| Some((*index, self.derived.representations.get(*index)?)));
        ways.map(|(index, way)| {
            let members = way.members.iter().map(|member| Value::from(member.name.as_ref()));
            let own: Object = way
                .members
                .iter()
                .filter(|member| !member.stored)
                .map(|member| (member.name.as_ref().into(), self.name(member.source).into()))
                .collect();
            let sorted: Value = way
                .members
                .iter()
                .filter(|member| member.sorted)
                .map(|member| Value::from(member.name.as_ref()))
                .collect();
            let ordered: Object = way
                .members
                .iter()
                .filter_map(|member| {
                    let named = self.derived.types.get(member.named_order?)?;
                    Some((member.name.as_ref().into(), named.collection_template.as_str().into()))
                })
                .collect();
            let rules: Object = way
                .members
                .iter()
                .filter_map(|member| Some((member.name.as_ref().into(), member_rule(member.rule.as_ref()?))))
                .collect();
            let mut shown = Object::new()
                .with("name", self.name(index))
                .with("members", members.collect::<Value>())
                .with("view_fields", own)
                .with("sorted_arrays", sorted)
                .with("unobserved", rules);
            if !ordered.is_empty() {
                shown.push("in_order_of", ordered);
            }
            Value::from(shown)
        })
        .collect()
    }

    fn name(&self, representation: usize) -> String {
        representation_name(self.derived, self.manifest, representation).unwrap_or_default()
    }

    fn parameters(&self, query: &QueryModel) -> Value {
        let roles = query.roles.iter().map(|(key, role)| {
            let mut parameter = Object::new().with("parameter", key.as_str());
            self.role(&mut parameter, role);
            if let Some((_, value)) = query.defaults.iter().find(|(held, _)| held == key) {
                parameter.push("when_absent", value.as_str());
            }
            if let Some(values) = query.partitions.as_ref().and_then(|partitions| partitions.get(key)) {
                parameter.push("known_values", values.iter().map(Value::from).collect::<Value>());
            }
            Value::from(parameter)
        });
        let readings = query.readings.iter().map(|(key, reading)| {
            let language = match reading {
                Reading::Json => "a JSON object",
                Reading::Colon => "member:value terms",
                Reading::Comparison => "member = 'value' terms joined by AND",
                Reading::Dotted => "a comparison before the value",
            };
            Value::from(Object::new().with("parameter", key.as_str()).with("role", "language").with("reads", language))
        });
        readings.chain(roles).collect()
    }

    fn role(&self, parameter: &mut Object, role: &Role) {
        let texts = |values: &std::collections::BTreeSet<String>| values.iter().map(Value::from).collect::<Value>();
        match role {
            Role::Unchanging(values) => {
                parameter.push("role", "unchanging");
                parameter.push("values", texts(values));
            }
            Role::Paging(PagingRole::Size) => parameter.push("role", "size"),
            Role::Paging(PagingRole::Offset) => parameter.push("role", "offset"),
            Role::Paging(PagingRole::End { inclusive }) => {
                parameter.push("role", "end");
                parameter.push("inclusive", *inclusive);
            }
            Role::Paging(PagingRole::Page { first }) => {
                parameter.push("role", "page");
                parameter.push("first", *first);
            }
            Role::Cursor(cursor) => {
                parameter.push("role", "cursor");
                parameter.push("base64", cursor.base64);
                parameter.push("text", cursor.pattern.as_str());
            }
            Role::Sort(words) => {
                parameter.push("role", "sort");
                // A member's own name is held in one spelling for all its cases (`order_of`), other words as they were recorded.
                let (names, words): (Vec<_>, Vec<_>) = words.iter().partition(|(word, _)| word.starts_with('='));
                let members = names.iter().map(|(_, named)| Value::from(spelled(&named.path)));
                parameter.push("members", members.collect::<Value>());
                let spelled_word = |word: &OrderWord| {
                    let member = spelled(&word.path)?;
                    Some(if word.descending { format!("{member}, descending") } else { member })
                };
                let words: Object =
                    words.iter().map(|(word, named)| (word.as_str().into(), spelled_word(named).into())).collect();
                parameter.push("words", words);
            }
            Role::Direction(values) => {
                parameter.push("role", "direction");
                parameter.push("descending", texts(values));
            }
            Role::Filter(term) => self.filter(parameter, term),
            Role::Projection(always) => {
                parameter.push("role", "projection");
                parameter.push("kept", always.iter().map(|name| Value::from(name.as_ref())).collect::<Value>());
            }
            Role::Variant(values) => {
                parameter.push("role", "variant");
                parameter.push("values", texts(values));
            }
        }
    }

    fn filter(&self, parameter: &mut Object, term: &Term) {
        let searches = matches!(term.op, Op::Contains | Op::ContainsFold);
        parameter.push("role", if searches { "search" } else { "filter" });
        parameter.push("members", term.targets.iter().map(|path| Value::from(spelled(path))).collect::<Value>());
        parameter.push("comparison", comparison(term.op));
        if term.negate {
            parameter.push("negated", true);
        }
        match term.several {
            Several::No => {}
            Several::Any => parameter.push("several", "any"),
            Several::All => parameter.push("several", "all"),
        }
        match &term.lookup {
            Some(Lookup::Named { via, entity_type }) => {
                parameter.push("through", spelled(via));
                parameter.push("through_type", self.type_name(*entity_type));
            }
            Some(Lookup::Naming(naming)) => parameter.push("named_by", self.type_name(naming.entity_type)),
            None => {}
        }
    }
}

/// `{path, line}`: a line's parameters as `key=text`, sorted.
fn line_document(path: &str, line: &Line) -> Object {
    let params = line.params.iter().map(|param| Value::from(format!("{}={}", param.key, param.text)));
    Object::new().with("path", path).with("line", params.collect::<Value>())
}

/// A member path, or nothing where the identity is no member.
fn spelled(path: &MemberPath) -> Option<String> {
    let text = path.spelling();
    (!text.is_empty()).then_some(text)
}

fn comparison(op: Op) -> &'static str {
    match op {
        Op::Equal => "equal",
        Op::EqualFold => "equal in any case",
        Op::Contains => "contains",
        Op::ContainsFold => "contains in any case",
        Op::Prefix => "starts with",
        Op::PrefixFold => "starts with in any case",
        Op::Suffix => "ends with",
        Op::Like => "like, with % and _",
        Op::LikeFold => "like in any case, with % and _",
        Op::Glob => "like, with * and ?",
        Op::GlobFold => "like in any case, with * and ?",
        Op::ContainsLoose => "contains in any case, without * at the ends",
        Op::Anchored => "plain text between ^ and $",
        Op::AnchoredFold => "plain text between ^ and $ in any case",
        Op::Less => "less",
        Op::LessEqual => "less or equal",
        Op::Greater => "greater",
        Op::GreaterEqual => "greater or equal",
        Op::IsNull => "is null or missing",
        Op::Exists => "has a value",
    }
}

/// An order's keys and, when there is one, its style.
fn order(keys: &[OrderKey], style: OrderStyle) -> Value {
    if keys.is_empty() {
        return Value::from("state order");
    }
    let keys = keys
        .iter()
        .map(|key| Value::from(Object::new().with("member", spelled(&key.path)).with("descending", key.descending)));
    let nulls = match style.nulls {
        Nulls::Small => "smallest",
        Nulls::Great => "greatest",
        Nulls::First => "first",
        Nulls::Last => "last",
    };
    let ties = match style.tie {
        Tie::Before => "state order",
        Tie::Reverse => "reverse state order",
        Tie::ReverseDescending => "reverse state order when descending",
    };
    let keys: Value = keys.collect();
    Object::new()
        .with("keys", keys)
        .with("any_case", style.fold)
        .with("digits_as_numbers", style.digits)
        .with("nulls", nulls)
        .with("ties", ties)
        .into()
}

fn envelope(envelope: &Envelope) -> Value {
    envelope
        .rules
        .iter()
        .map(|(place, rule)| {
            let mut member = Object::new().with("member", pointer(place)).with("says", says(&rule.says));
            modifiers(&mut member, rule);
            Value::from(member)
        })
        .collect()
}

fn modifiers(member: &mut Object, rule: &Rule) {
    if let Some(width) = rule.digits {
        member.push("digits", width);
    }
    if rule.absent {
        member.push("left_out", "when there is nothing to say");
    }
    let names = |keys: &[String]| keys.iter().map(|key| Value::from(key.as_str())).collect::<Value>();
    if !rule.not_with.is_empty() {
        member.push("left_out_with", names(&rule.not_with));
    }
    if !rule.only_with.is_empty() {
        member.push("shown_with", names(&rule.only_with));
    }
}

fn says(said: &Says) -> String {
    match said {
        Says::Matched => "how many match".to_owned(),
        Says::Listed => "how many are listed".to_owned(),
        Says::Scope => "how many there are without filters".to_owned(),
        Says::Size(None) => "the size asked for".to_owned(),
        Says::Size(Some(value)) => format!("the size asked for, else {}", value.to_compact()),
        Says::Page => "the page's number".to_owned(),
        Says::Pages => "how many pages, at least one".to_owned(),
        Says::PagesOrNone => "how many pages".to_owned(),
        Says::Offset => "how many come before the page".to_owned(),
        Says::NextPage => "the next page's number".to_owned(),
        Says::NextUnlessLast => "the page's number and one, except on the last page".to_owned(),
        Says::PreviousPage => "the previous page's number".to_owned(),
        Says::More => "whether more follow".to_owned(),
        Says::Last => "whether nothing follows".to_owned(),
        Says::First => "whether it is the first page".to_owned(),
        Says::Sum(path) => format!("the sum of {} over what matches", path.spelling()),
        Says::Link(link) => link_words(link),
        Says::Cursor { key } => format!("the value of {key} for the next page"),
        Says::NothingAtTheEnd { last: true } => "nothing on the last page, else what was recorded".to_owned(),
        Says::NothingAtTheEnd { last: false } => "nothing on the first page, else what was recorded".to_owned(),
        Says::From => "the number of the first that is listed".to_owned(),
        Says::To => "the number of the last that is listed".to_owned(),
        Says::Empty => "whether nothing is listed".to_owned(),
        Says::Echo { key, without: None, .. } => format!("what {key} says"),
        Says::Echo { key, without: Some(value), .. } => format!("what {key} says, else {}", value.to_compact()),
        Says::Presence { key, values } => {
            format!("{} with {key}, else {}", values.0.to_compact(), values.1.to_compact())
        }
        Says::Except { key, value, else_says } => {
            format!("{} with {key}, else {}", value.to_compact(), says(else_says))
        }
        Says::Constant(value) => format!("always {}", value.to_compact()),
    }
}

fn link_words(link: &Link) -> String {
    format!("a link to the {} page, the line with another {}", link.to.word(), link.key)
}

/// What fills a member that was never observed for an entity.
fn member_rule(rule: &MemberRule) -> Value {
    match rule {
        MemberRule::LeftOut => Value::from("left out"),
        MemberRule::Constant(value) => Object::new().with("constant", value.clone()).into(),
        MemberRule::Parts(names) => {
            let names: Value = names.iter().map(|name| Value::from(name.as_ref())).collect();
            Object::new().with("members_of_items", names).into()
        }
        MemberRule::Words(words) => {
            let pair = |(from, to): &(Value, Value)| -> Value {
                Object::new().with("elsewhere", from.clone()).with("here", to.clone()).into()
            };
            Object::new().with("words", words.iter().map(pair).collect::<Value>()).into()
        }
        MemberRule::Clock(format) => Object::new().with("clock_format", format.words()).into(),
        MemberRule::Copy(path) => Object::new().with("copy_of", spelled(path)).into(),
        MemberRule::Text(pieces) => Object::new().with("text", pieces.iter().map(piece).collect::<Value>()).into(),
    }
}

pub(super) fn piece(piece: &Piece) -> Value {
    match piece {
        Piece::Fixed(text) => Object::new().with("fixed", text.as_str()),
        Piece::Whole(path) => Object::new().with("member", spelled(path)),
        Piece::Slug(path) => Object::new().with("slug_of", spelled(path)),
        Piece::Lower(path) => Object::new().with("lower_case_of", spelled(path)),
        Piece::Head(path, characters) => {
            Object::new().with("member", spelled(path)).with("first_characters", *characters)
        }
        Piece::Inner(path) => Object::new().with("text_inside", spelled(path)),
        Piece::Trimmed(path) => Object::new().with("trimmed", spelled(path)),
        Piece::Without(path, ending) => Object::new().with("without_ending", ending.as_str()).with("of", spelled(path)),
        Piece::Held => Object::new().with("kept", "what the text begins with"),
    }
    .into()
}
