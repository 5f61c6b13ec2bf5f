//! A call that a newcomer can paste into a shell: one `curl` line for a tool of the environment.

use crate::answer::Engine;
use crate::capture::is_success;
use crate::json::{Object, Value};
use crate::manifest::Tool;

/// The line for the best tool to begin with: a read that needs no argument and answered well, else any read, else any
/// tool. `None` when nothing is served.
pub fn call(engine: &Engine, url: &str) -> Option<String> {
    let tools = || engine.catalog.tools.iter().filter_map(|served| engine.manifest.tools.get(served.tool));
    let reads = |tool: &&Tool| tool.method == "GET";
    let answers_well = |tool: &&Tool| tool.statuses.first().is_some_and(|status| is_success(*status));
    let tool = tools()
        .filter(reads)
        .filter(answers_well)
        .find(|tool| tool.parameters.is_empty())
        .or_else(|| tools().filter(reads).find(answers_well))
        .or_else(|| tools().next())?;
    let mut arguments = Object::new();
    for parameter in &tool.parameters {
        arguments.push(parameter.argument.as_str(), parameter.observed.first().map_or("", String::as_str));
    }
    let params = Object::new().with("name", tool.name.as_str()).with("arguments", arguments);
    let message =
        Object::new().with("jsonrpc", "2.0").with("id", 1_u64).with("method", "tools/call").with("params", params);
    Some(format!(
        "curl -s {url} -H 'content-type: application/json' -d {}",
        quoted(&ascii(&Value::from(message).to_compact()))
    ))
}

/// JSON text in which every character beyond ASCII is an escape, so that captured text cannot deceive a reader.
fn ascii(json: &str) -> String {
    let mut text = String::with_capacity(json.len());
    for character in json.chars() {
        if character.is_ascii() && !character.is_ascii_control() {
            text.push(character);
            continue;
        }
        for unit in character.encode_utf16(&mut [0; 2]) {
            text.push_str(&format!("\\u{unit:04x}"));
        }
    }
    text
}

/// The text as one word of a POSIX shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::{ascii, quoted};

    #[test]
    fn captured_text_stays_one_word_and_readable() {
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(ascii("\"é😀\u{202e}\""), r#""\u00e9\ud83d\ude00\u202e""#);
    }
}
