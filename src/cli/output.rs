//! What is printed where: one document on standard output, for programs as JSON and for people as text; what went wrong
//! also as a paragraph on a terminal.

use super::ending::{Document, Ending};
use super::shown::printable;
use crate::json::{Sink, write_compact, write_pretty};
use clap::{Args, ValueEnum};
use std::io::{self, BufWriter, IsTerminal, Write};
use std::process::ExitCode;

/// Bytes: what is gathered before it is written out.
const STREAM_BUFFER_BYTES: usize = 64 * 1024;

/// The options that every command takes.
#[derive(Args, Debug, Default)]
pub struct OutputArguments {
    /// Print one JSON document, also on a terminal (the same as --format json)
    #[arg(long, global = true, overrides_with = "format")]
    json: bool,
    /// How the result is printed; json when standard output is not a terminal
    #[arg(long, global = true, overrides_with = "json", value_name = "FORMAT")]
    format: Option<Format>,
}

/// The forms of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// One JSON document, compact when redirected and indented on a terminal
    Json,
    /// Tables and paragraphs for people
    Text,
}

/// Where the output goes and who reads it.
#[derive(Clone, Copy, Debug)]
pub struct Output {
    format: Format,
    /// Whether standard output is a terminal.
    stdout_is_terminal: bool,
    /// Whether standard error is a terminal.
    pub stderr_is_terminal: bool,
}

impl Output {
    /// The output of this process.
    pub fn new(arguments: &OutputArguments) -> Self {
        let stdout_is_terminal = io::stdout().is_terminal();
        let chosen = arguments.format.or(arguments.json.then_some(Format::Json));
        let format = chosen.unwrap_or(if stdout_is_terminal { Format::Text } else { Format::Json });
        Self { format, stdout_is_terminal, stderr_is_terminal: io::stderr().is_terminal() }
    }

    /// The same output for work that shows its progress itself.
    pub fn without_progress(self) -> Self {
        Self { stderr_is_terminal: false, ..self }
    }

    /// Whether people read the result.
    pub fn for_people(&self) -> bool {
        self.format == Format::Text
    }

    /// Prints the end of a command and returns its exit status. Output that nobody takes any more (a closed pipe) makes
    /// a completed command fail, silently.
    pub fn finish(&self, ending: Ending) -> ExitCode {
        let written = match (&ending.people, self.for_people()) {
            (Some(text), true) => print_text(text),
            _ => self.print_document(&ending.document),
        };
        if let Some(paragraph) = ending.paragraph.filter(|_| self.stderr_is_terminal) {
            let (bold, plain) = (anstyle::Style::new().bold(), anstyle::Reset.render());
            // Nothing is left to do when the terminal is gone.
            let _ = writeln!(anstream::stderr(), "\n{bold}rea:{plain} {}", printable(&paragraph));
        }
        match written {
            Err(_) if ending.status == 0 => ExitCode::FAILURE,
            _ => ExitCode::from(ending.status),
        }
    }

    fn print_document(&self, document: &Document) -> io::Result<()> {
        let mut stream = Stream::new(io::stdout().lock());
        match document {
            Document::Text(text) => stream.put(text),
            Document::Evidence(evidence) if self.stdout_is_terminal => write_pretty(&evidence.to_value(), &mut stream),
            Document::Evidence(evidence) => evidence.write_compact(&mut stream),
            Document::Value(value) if self.stdout_is_terminal => write_pretty(value, &mut stream),
            Document::Value(value) => write_compact(value, &mut stream),
        }
        if !matches!(document, Document::Text(_)) {
            stream.put(b"\n");
        }
        stream.finish()
    }
}

/// Bytes on their way out, so that a large document is never held as text. After the first failure nothing more is
/// written; [`Stream::finish`] tells it.
struct Stream<W: Write> {
    out: BufWriter<W>,
    failure: Option<io::Error>,
}

impl<W: Write> Stream<W> {
    fn new(out: W) -> Self {
        Self { out: BufWriter::with_capacity(STREAM_BUFFER_BYTES, out), failure: None }
    }

    fn finish(mut self) -> io::Result<()> {
        self.failure.map_or_else(|| self.out.flush(), Err)
    }
}

impl<W: Write> Sink for Stream<W> {
    fn put(&mut self, bytes: &[u8]) {
        if self.failure.is_none() {
            self.failure = self.out.write_all(bytes).err();
        }
    }
}

/// Text for people: colour only where the terminal shows it and `NO_COLOR` is not set.
fn print_text(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

#[cfg(test)]
mod tests {
    use super::{Format, OutputArguments, STREAM_BUFFER_BYTES, Stream};
    use crate::json::Sink;
    use clap::Parser;
    use rstest::rstest;
    use std::io::{self, Write};

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        output: OutputArguments,
    }

    /// A pipe that takes a few bytes and is closed then.
    struct Closed(usize);

    impl Write for Closed {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let taken = bytes.len().min(self.0);
            self.0 -= taken;
            if taken == 0 { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(taken) }
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[rstest]
    #[case(10, 1, true)]
    #[case(9, 1, false)]
    #[case(STREAM_BUFFER_BYTES, 3, false)]
    #[case(STREAM_BUFFER_BYTES * 30, 3, true)]
    fn a_stream_tells_that_nobody_takes_it(#[case] taken: usize, #[case] times: usize, #[case] whole: bool) {
        let mut stream = Stream::new(Closed(taken));
        for _ in 0..times {
            stream.put(&if times == 1 { vec![b'x'; 10] } else { vec![b'x'; STREAM_BUFFER_BYTES * 10] });
        }
        assert_eq!(stream.finish().is_ok(), whole);
    }

    #[rstest]
    #[case(&["x"], false, None)]
    #[case(&["x", "--json"], true, None)]
    #[case(&["x", "--format", "text", "--json"], true, None)]
    #[case(&["x", "--json", "--format", "text"], false, Some(Format::Text))]
    #[case(&["x", "--format", "json"], false, Some(Format::Json))]
    fn the_last_of_json_and_format_counts(#[case] line: &[&str], #[case] json: bool, #[case] format: Option<Format>) {
        let parsed = Line::try_parse_from(line).unwrap().output;
        assert_eq!((parsed.json, parsed.format), (json, format));
    }
}
