//! Running the program and reading what it printed.

use assert_cmd::Command;
use rea::json::{Value, parse};
use std::path::{Path, PathBuf};

/// The program, without settings of the machine that runs the tests.
pub fn rea() -> Command {
    let mut command = Command::new(program());
    for variable in ["REA_LOG_LEVEL", "ENVIRONMENT_NAME", "MCP_HOST", "MCP_PORT", "REA_MEMORY_LIMIT_BYTES"] {
        command.env_remove(variable);
    }
    command
}

/// The program's file.
pub fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_rea"))
}

/// A file of the project.
pub fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// A folder for one test, holding the named files.
pub fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        std::fs::write(folder.path().join(name), bytes).unwrap();
    }
    folder
}

/// How the program ended.
pub struct Ended {
    /// The exit status; `None` when a signal killed it.
    pub status: Option<i32>,
    /// The one document of standard output.
    pub document: Value,
    /// Standard output as it is.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: String,
}

impl Ended {
    /// Reads the output of a program that ended; standard output must be one compact document and a newline.
    pub fn of(output: std::process::Output) -> Self {
        let stderr = String::from_utf8(output.stderr).unwrap();
        let text = output.stdout.strip_suffix(b"\n").unwrap_or_else(|| panic!("no final newline; {stderr}"));
        assert!(!text.contains(&b'\n'), "more than one line");
        let document = parse(text).unwrap();
        Self { status: output.status.code(), document, stdout: output.stdout, stderr }
    }

    /// A text member of the document.
    pub fn text(&self, name: &str) -> &str {
        self.document.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// The whole document as text.
    pub fn all(&self) -> String {
        self.document.to_compact()
    }

    /// Checks that this is the error document of `code` with exit status 1, and that it says each of `told` somewhere.
    #[track_caller]
    pub fn refuses(&self, code: &str, told: &[&str]) {
        assert_eq!(self.status, Some(1), "{}", self.all());
        assert_eq!(self.text("code"), code, "{}", self.all());
        for name in ["category", "message"] {
            assert!(!self.text(name).is_empty(), "{name} is empty: {}", self.all());
        }
        let action = self.document.get("remediation").and_then(|remediation| remediation.get("action"));
        assert!(action.and_then(Value::as_str).is_some_and(|action| !action.is_empty()), "{}", self.all());
        assert!(self.document.get("retryable").and_then(Value::as_bool).is_some());
        for part in told {
            assert!(self.all().contains(part), "{part:?} is not told: {}", self.all());
        }
    }
}

/// Runs the program to its end.
pub fn run<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Ended {
    Ended::of(rea().args(arguments).output().unwrap())
}

/// Runs the program in a folder to its end.
pub fn run_in<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Ended {
    Ended::of(rea().current_dir(folder).args(arguments).output().unwrap())
}
