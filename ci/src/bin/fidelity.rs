//! `ci/fidelity`: the fidelity table over every application, or the disagreements of one.
//!
//! ```text
//! ci/fidelity                         the table, and target/ci/fidelity.json
//! ci/fidelity <application>…          the table of these
//! ci/fidelity --steps <app> [<probe>] each disagreement, with both values
//! ci/fidelity --steps <app> capture   the same against its own capture (`capture-beginning`: up to its first write)
//! ci/fidelity --all <app> [<probe>]   each step
//! ci/fidelity --only reads [<application>…]  the table of one probe of each application
//! ci/fidelity --root <folder> …      any of these over `<folder>/scenarios` and `<folder>/probes`
//! ci/fidelity --only capture-beginning  the table of each application's own capture up to its first write
//! ci/fidelity --own [<application>…]  each application against its own capture: why replay disagrees with it
//! ```

use rea_ci::fidelity::{PROBES, applications, markdown, own_capture, receipt, receipt_path, run, steps_text};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    match work(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(text) => {
            let _ = std::io::stdout().write_all(text.as_bytes());
            ExitCode::SUCCESS
        }
        Err(message) => {
            let _ = writeln!(std::io::stderr(), "fidelity: {message}");
            ExitCode::FAILURE
        }
    }
}

fn work(arguments: &[String]) -> Result<String, String> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("no project root")?;
    let (root, arguments) = match arguments {
        [flag, folder, rest @ ..] if flag == "--root" => (Path::new(folder), rest),
        _ => (project, arguments),
    };
    if let Some(mode) = arguments.first().filter(|mode| ["--steps", "--all"].contains(&mode.as_str())) {
        let name = arguments.get(1).ok_or("name an application")?;
        let probes: Vec<&str> = match arguments.get(2) {
            Some(probe) => vec![probe],
            None => PROBES.to_vec(),
        };
        return Ok(steps_text(&run(root, name, &probes)?, mode == "--all"));
    }
    if arguments.first().map(String::as_str) == Some("--own") {
        let names = if arguments.len() == 1 { applications(root) } else { arguments[1..].to_vec() };
        return own_table(root, &names);
    }
    if let Some((mode, [probe, names @ ..])) = arguments.split_first()
        && mode == "--only"
    {
        let names = if names.is_empty() { applications(root) } else { names.to_vec() };
        let probes = [probe.as_str()];
        let rows: Result<Vec<_>, String> = names.iter().map(|name| Ok(run(root, name, &probes)?.row())).collect();
        return Ok(markdown(&rows?));
    }
    if let Some(unknown) = arguments.iter().find(|argument| argument.starts_with('-')) {
        return Err(format!("unknown option {unknown}; use --steps or --all with an application"));
    }
    let names = if arguments.is_empty() { applications(root) } else { arguments.to_vec() };
    let mut rows = Vec::new();
    for name in &names {
        rows.push(run(root, name, &PROBES)?.row());
    }
    if arguments.is_empty() {
        let path = receipt_path(root);
        let written = path.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| {
            let mut bytes = receipt(&rows).to_compact().into_bytes();
            bytes.push(b'\n');
            std::fs::write(&path, bytes)
        });
        written.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(markdown(&rows))
}

fn own_table(root: &Path, names: &[String]) -> Result<String, String> {
    let mut out = String::from(
        "| application | steps | agree | one answer per line | argument left out | own record (fault) | other line (fault) |\n|---|---:|---:|---:|---:|---|---|\n",
    );
    for name in names {
        let own = own_capture(root, name)?;
        out.push_str(&format!(
            "| {name} | {} | {} | {} | {} | {:?} | {:?} |\n",
            own.compared, own.agreed, own.one_answer_per_line, own.omitted, own.own_record, own.other_line
        ));
    }
    Ok(out)
}
