//! Runs cases on all cores and reports them as cargo's own tests are reported.

use super::difference::{difference, pointer_at};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// What was asked of this run. Options of cargo's own harness are accepted and mean nothing here.
pub struct Arguments {
    accept: bool,
    list: bool,
    filters: Vec<String>,
}

impl Arguments {
    /// The arguments of this process.
    pub fn of_process() -> Self {
        let mut arguments = Self { accept: false, list: false, filters: Vec::new() };
        let mut words = std::env::args().skip(1);
        while let Some(argument) = words.next() {
            match argument.as_str() {
                "--accept" => arguments.accept = true,
                "--list" => arguments.list = true,
                "--test-threads" | "--color" | "--format" | "--skip" | "--logfile" | "-Z" => drop(words.next()),
                option if option.starts_with('-') => {}
                filter => arguments.filters.push(filter.to_owned()),
            }
        }
        arguments
    }
}

/// How a case ends when it does not fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// As it should be.
    Equal,
    /// The golden was written.
    Accepted,
}

type Check<'a> = Box<dyn Fn(bool) -> Result<Settled, String> + Send + Sync + 'a>;

/// One thing that is checked.
pub struct Case<'a> {
    name: String,
    check: Check<'a>,
}

impl<'a> Case<'a> {
    /// A case; the check is told whether changes are accepted, and returns what is wrong.
    pub fn new(name: impl Into<String>, check: impl Fn(bool) -> Result<Settled, String> + Send + Sync + 'a) -> Self {
        Self { name: name.into(), check: Box::new(check) }
    }
}

/// Runs the cases and prints what cargo prints.
pub fn run(arguments: &Arguments, cases: Vec<Case<'_>>) -> ExitCode {
    let all = cases.len();
    let chosen = |case: &Case<'_>| {
        arguments.filters.is_empty() || arguments.filters.iter().any(|filter| case.name.contains(filter))
    };
    let cases: Vec<_> = cases.into_iter().filter(chosen).collect();
    if arguments.list {
        for case in &cases {
            println!("{}: test", case.name);
        }
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", cases.len());
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<Settled, String>>>> = cases.iter().map(|_| Mutex::new(None)).collect();
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, Into::into) {
            scope.spawn(|| {
                while let Some((case, place)) = Some(next.fetch_add(1, Ordering::Relaxed))
                    .and_then(|index| cases.get(index).zip(results.get(index)))
                {
                    let result =
                        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (case.check)(arguments.accept)))
                            .unwrap_or_else(|_| Err("the check panicked; see above".to_owned()));
                    *place.lock().unwrap() = Some(result);
                }
            });
        }
    });
    let mut failures = Vec::new();
    for (case, result) in cases.iter().zip(results) {
        let result = result.into_inner().unwrap().unwrap_or_else(|| Err("never ran".to_owned()));
        let word = match &result {
            Ok(Settled::Equal) => "ok",
            Ok(Settled::Accepted) => "ok (accepted)",
            Err(_) => "FAILED",
        };
        println!("test {} ... {word}", case.name);
        if let Err(what) = result {
            failures.push((&case.name, what));
        }
    }
    if !failures.is_empty() {
        println!("\nfailures:");
        for (name, what) in &failures {
            println!("\n---- {name} ----\n{what}");
        }
        println!("\nA change that is meant is accepted with: cargo test --test goldens -- --accept");
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; 0 ignored; 0 measured; {} filtered out",
        if failures.is_empty() { "ok" } else { "FAILED" },
        cases.len() - failures.len(),
        failures.len(),
        all - cases.len()
    );
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

/// The runner's own tests: that a difference is found and described.
pub fn own_tests() -> Vec<Case<'static>> {
    let expect = |holds: bool, what: &str| if holds { Ok(Settled::Equal) } else { Err(what.to_owned()) };
    vec![
        Case::new("runner: equal bytes are no difference", move |_| {
            expect(difference(b"{\"a\":1}\n", b"{\"a\":1}\n").is_none(), "a difference was found")
        }),
        Case::new("runner: a difference names byte, pointer and both sides", move |_| {
            let found = difference(b"{\"a\":[1,{\"b/c\":\"x\"}]}", b"{\"a\":[1,{\"b/c\":\"y\"}]}").unwrap_or_default();
            let told = ["first differing byte: 16", "\"/a/1/b~1c\"", "-  \"b/c\": \"x\"", "+  \"b/c\": \"y\""];
            expect(told.iter().all(|part| found.contains(part)), &found)
        }),
        Case::new("runner: a difference in one line of many names the line", move |_| {
            let found = difference(b"{\"a\":1}\n{\"a\":2}\n", b"{\"a\":1}\n{\"a\":3}\n").unwrap_or_default();
            expect(found.contains("line 2") && found.contains("\"/a\""), &found)
        }),
        Case::new("runner: a pointer is found inside strings and after containers", move |_| {
            let text = br#"{"x":{"y":[]},"k\"":["a,]","b"]}"#;
            let at = text.windows(3).position(|window| window == b"\"b\"").unwrap_or(0) + 1;
            let found = pointer_at(text, at);
            expect(found == "/k\"/1", &found)
        }),
    ]
}
