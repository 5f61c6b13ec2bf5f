//! The command line: one file per command. A command parses its arguments, calls one library function and hands back what
//! to print; what is printed where, signals, logs and the exit status are decided once, in the files beside them.
//!
//! This module knows nothing of how captures, manifests or answers are made.

mod arguments;
mod bundling;
mod completions;
mod ending;
mod environment_build;
mod environment_compare;
mod environment_export;
mod environment_serve;
mod environment_views;
mod inspect_analysis_view;
mod inspect_web_network_capture;
mod logging;
mod man;
mod output;
mod running;
mod settings;
mod shown;
mod trial;
mod usage;

use clap::{Parser, Subcommand};
use ending::Ending;
use output::{Output, OutputArguments};
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Instant;

/// Turns one recording of a web application into an agent environment.
#[derive(Debug, Parser)]
#[command(name = "rea", version, about, max_term_width = 100)]
pub struct Program {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    output: OutputArguments,
}

#[derive(Debug, Subcommand)]
enum Command {
    InspectWebNetworkCapture(inspect_web_network_capture::Arguments),
    InspectAnalysisView(inspect_analysis_view::Arguments),
    EnvironmentBuild(environment_build::Arguments),
    EnvironmentExport(environment_export::Arguments),
    EnvironmentServe(environment_serve::Arguments),
    EnvironmentCompare(environment_compare::Arguments),
    Completions(completions::Arguments),
    Man(man::Arguments),
}

impl Command {
    /// The command's name as it is typed.
    fn name(&self) -> &'static str {
        match self {
            Self::InspectWebNetworkCapture(_) => "inspect-web-network-capture",
            Self::InspectAnalysisView(_) => "inspect-analysis-view",
            Self::EnvironmentBuild(_) => "environment-build",
            Self::EnvironmentExport(_) => "environment-export",
            Self::EnvironmentServe(_) => "environment-serve",
            Self::EnvironmentCompare(_) => "environment-compare",
            Self::Completions(_) => "completions",
            Self::Man(_) => "man",
        }
    }

    /// The least severe log line that is written when `REA_LOG_LEVEL` says nothing.
    fn default_log_level(&self) -> logging::Level {
        match self {
            // The listening line is how a program finds the server.
            Self::EnvironmentServe(_) => logging::Level::Info,
            _ => logging::Level::Silent,
        }
    }

    fn run(self, output: &Output) -> Ending {
        match self {
            Self::InspectWebNetworkCapture(arguments) => arguments.run(output),
            Self::InspectAnalysisView(arguments) => arguments.run(output),
            Self::EnvironmentBuild(arguments) => arguments.run(output),
            Self::EnvironmentExport(arguments) => arguments.run(output),
            Self::EnvironmentServe(arguments) => arguments.run(output),
            Self::EnvironmentCompare(arguments) => arguments.run(output),
            Self::Completions(arguments) => arguments.run(),
            Self::Man(arguments) => arguments.run(),
        }
    }
}

/// Runs the program with the arguments of a process (the program's name first) and returns its exit status: 0 when the
/// operation completed, 1 when standard output holds an error document, 130 or 143 when SIGINT or SIGTERM ended it.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let program = match Program::try_parse_from(&arguments) {
        Ok(program) => program,
        Err(error) => return usage::finish(&error, &arguments),
    };
    let output = Output::new(&program.output);
    let name = program.command.name();
    if let Err(error) = logging::start(program.command.default_log_level()) {
        return output.finish(Ending::refused(&error));
    }
    let started = Instant::now();
    let ending = program.command.run(&output);
    logging::command_ended(name, started.elapsed(), ending.failed);
    output.finish(ending)
}

#[cfg(test)]
mod tests {
    use super::Program;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Program::command().debug_assert();
    }

    #[test]
    fn every_command_says_what_it_does() {
        for command in Program::command().get_subcommands() {
            assert!(command.get_about().is_some(), "{} has no description", command.get_name());
        }
    }
}
