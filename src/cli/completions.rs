//! `rea completions <shell>`: a completion script.

use super::Program;
use super::ending::{Document, Ending};
use clap::{Args, CommandFactory};
use clap_complete::Shell;

/// Print a completion script for a shell
#[derive(Args, Debug)]
pub struct Arguments {
    /// The shell
    shell: Shell,
}

impl Arguments {
    /// Writes the script.
    pub fn run(self) -> Ending {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Program::command(), "rea", &mut script);
        Ending::done(Document::Text(script), None)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Document};
    use clap::ValueEnum;
    use clap_complete::Shell;

    #[test]
    fn every_shell_gets_a_script_that_knows_the_commands() {
        for shell in Shell::value_variants() {
            let Document::Text(script) = Arguments { shell: *shell }.run().document else { panic!("a script is text") };
            assert!(String::from_utf8(script).unwrap().contains("inspect-web-network-capture"), "{shell}");
        }
    }
}
