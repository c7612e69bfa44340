//! The answers of tools: a short text for the model, and the values, which are cut to a size that a model can read.

use mcp::rmcp::model::{CallToolResult, ContentBlock};
use serde_json::{Value, json};

use crate::cut::{MARKER, cut};
use crate::refusal::Refusal;

/// The maximum size of the values of an answer as JSON. A model would pay for a longer one with its whole context.
const MAX_BYTES: usize = 100_000;
/// The maximum number of problems that the text repeats.
const MAX_PROBLEMS: usize = 20;
const MAX_TEXT_CHARS: usize = 8_000;

pub struct ToolAnswer {
    text: String,
    /// An object.
    value: Value,
}

impl ToolAnswer {
    pub fn new(text: impl Into<String>, value: Value) -> Self {
        Self { text: text.into(), value }
    }

    /// The answer of a tool that has the argument `part`: only this part of the value, if the caller asks for one.
    pub fn part_of(text: impl Into<String>, value: Value, part: Option<&str>) -> Result<Self, Refusal> {
        let Some(part) = part.filter(|part| !part.is_empty()) else { return Ok(Self::new(text, value)) };
        let fix = "choose a JSON pointer such as /graph/nodes/0, without `part` for the whole answer";
        let found = value.pointer(part).ok_or_else(|| Refusal::not_found("such part of the answer", fix))?;
        Ok(Self::new(format!("The part {part}."), json!({"part": part, "value": found})))
    }

    /// A page of a list. `meta` tells how to get the next one.
    pub fn list(name: &str, mut answer: Value, empty: &str) -> Self {
        let (items, meta) = (answer["data"].take(), answer["meta"].take());
        let count = items.as_array().map_or(0, Vec::len);
        let text = match (count, meta["total"].as_u64()) {
            (0, _) => empty.to_owned(),
            (count, Some(total)) if total > count as u64 => {
                format!("{count} of {total} {name}. Ask for the next `page`.")
            }
            (count, _) if meta["nextCursor"].is_string() => {
                format!("{count} {name}, and there are more. Ask for them with `cursor`.")
            }
            (count, _) => format!("{count} {name}."),
        };
        Self::new(text, json!({name: items, "page": meta}))
    }

    pub fn into_result(self) -> CallToolResult {
        render(self.text, self.value, CallToolResult::success)
    }
}

impl Refusal {
    pub fn into_result(self) -> CallToolResult {
        let text = self.text();
        render(text, self.into_value(), CallToolResult::error)
    }
}

fn render(mut text: String, value: Value, result: fn(Vec<ContentBlock>) -> CallToolResult) -> CallToolResult {
    let (value, is_cut) = cut(value, MAX_BYTES);
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    if is_cut {
        text.push_str(&format!(
            "\nThe answer is too large to be shown whole: where it has `{MARKER}`, a value is left out. Get one with the \
             argument `part` if the tool has it, or ask for less."
        ));
    }
    let mut result = result(vec![ContentBlock::text(text)]);
    result.structured_content = Some(value);
    result
}

/// The first problems, one a line.
pub fn describe_problems(problems: &[Value]) -> String {
    let lines = problems.iter().take(MAX_PROBLEMS).map(|problem| {
        let message = problem["message"].as_str().unwrap_or_default();
        // Only problems of graphs have a severity and a code.
        match (problem["severity"].as_str(), problem["code"].as_str()) {
            (Some(severity), Some(code)) => format!("\n- {severity} {code}: {message}"),
            _ => format!("\n- {message}"),
        }
    });
    let mut text: String = lines.collect();
    if let Some(more @ 1..) = problems.len().checked_sub(MAX_PROBLEMS) {
        text.push_str(&format!("\n- and {more} more"));
    }
    text
}
