//! `rea man [command]`: the manual pages, in roff.

use super::Program;
use super::ending::{Document, Ending};
use crate::evidence::{ErrorDocument, Issue, IssueReason};
use crate::json::Object;
use clap::{Args, CommandFactory};

/// Print the manual page of the program or of one command
#[derive(Args, Debug)]
pub struct Arguments {
    /// The command; without one, the program
    command: Option<String>,
}

impl Arguments {
    /// Writes the page.
    pub fn run(self) -> Ending {
        let mut program = Program::command();
        program.build();
        let page = match &self.command {
            None => program,
            Some(name) => match program.find_subcommand(name) {
                Some(command) => command.clone(),
                None => return Ending::refused(&no_such_command(name, &program)),
            },
        };
        let mut text = Vec::new();
        match clap_mangen::Man::new(page).render(&mut text) {
            Ok(()) => Ending::done(Document::Text(text), None),
            Err(error) => Ending::refused(&ErrorDocument::new(
                crate::evidence::Code::ExecutionFailure,
                format!("the manual page could not be written: {error}"),
                "Report it.",
            )),
        }
    }
}

fn no_such_command(name: &str, program: &clap::Command) -> ErrorDocument {
    let names: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let message = format!("there is no command {name:?}");
    let issue =
        Issue { path: vec!["command".to_owned()], reason: IssueReason::InvalidValue, message, extra: Object::new() };
    ErrorDocument::invalid_request("man", vec![issue], format!("Name one of {}.", names.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Document};

    #[test]
    fn every_command_has_a_page() {
        for command in [None, Some("inspect-analysis-view".to_owned())] {
            let ending = Arguments { command }.run();
            let Document::Text(page) = ending.document else { panic!("a page is text") };
            assert!(String::from_utf8(page).unwrap().contains(".TH"));
        }
    }

    #[test]
    fn an_unknown_command_is_refused() {
        assert!(Arguments { command: Some("nope".to_owned()) }.run().failed);
    }
}
