//! The results of tools, as the model reads them: a text and, from an MCP server, images.

use domain::run::StepError;
use serde_json::{Value, json};

use super::snapshot::ToolTarget;

/// The field with the result of a function.
pub const RESULT: &str = "result";
/// The images that models see. The types of others are only named.
const IMAGES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// A longer part of a text is left out of the description of a part.
const MAX_NAME_CHARS: usize = 200;

/// What the model reads of a result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ToolAnswer {
    pub text: String,
    /// `data:` URLs.
    pub images: Vec<String>,
}

impl From<String> for ToolAnswer {
    fn from(text: String) -> Self {
        Self { text, images: Vec::new() }
    }
}

/// The result of a tool for the model. A failed tool does not fail the agent: the model reads the error.
pub fn read_result(target: &ToolTarget, result: Result<&Value, &StepError>, sees_images: bool) -> ToolAnswer {
    match (target, result) {
        (_, Err(error)) => error_text(error).into(),
        (ToolTarget::Http { .. }, Ok(value)) => {
            json!({"status": value["status"], "body": value["body"]}).to_string().into()
        }
        (ToolTarget::Mcp { .. }, Ok(value)) => read_parts(value, sees_images),
        (ToolTarget::Function, Ok(answer)) => match answer["decision"].as_str() {
            Some("approved") => as_text(&answer["fields"][RESULT]).into(),
            Some("rejected") => {
                let comment = answer["comment"].as_str().unwrap_or("no reason was given");
                let message = format!("a person refused to execute the function: {comment}");
                error_text(&StepError::new("rejected", message)).into()
            }
            _ => error_text(&StepError::new("expired", "nobody executed the function in time")).into(),
        },
        (ToolTarget::Workflow { .. } | ToolTarget::Agent { .. }, Ok(value)) => as_text(value).into(),
    }
}

/// The value of an `mcp` operation. What a model cannot see is named, so that it knows that it is there.
fn read_parts(value: &Value, sees_images: bool) -> ToolAnswer {
    let (mut texts, mut images) = (Vec::new(), Vec::new());
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    for part in value["content"].as_array().map(Vec::as_slice).unwrap_or_default() {
        let content_type = part["contentType"].as_str().unwrap_or("an unknown type");
        let name = part["name"].as_str().map(|name| format!("{}: ", shown(name))).unwrap_or_default();
        match (part["text"].as_str(), part["base64"].as_str()) {
            (Some(text), _) => texts.push(text.to_owned()),
            (None, Some(base64)) if sees_images && IMAGES.contains(&content_type) => {
                images.push(format!("data:{content_type};base64,{base64}"));
                texts.push(format!("[{name}image {}]", images.len()));
            }
            (None, Some(_)) => {
                texts.push(format!("[{name}a file of the type {}, which cannot be shown]", shown(content_type)))
            }
            (None, None) => texts.push(format!("[{name}a link to {}]", text(&part["uri"]))),
        }
    }
    let structured = &value["structuredContent"];
    if !structured.is_null() && texts.is_empty() {
        texts.push(structured.to_string());
    }
    ToolAnswer { text: texts.join("\n"), images }
}

fn shown(name: &str) -> String {
    name.chars().take(MAX_NAME_CHARS).collect()
}

pub fn as_text(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

pub fn error_text(error: &StepError) -> String {
    json!({"error": error.to_value()}).to_string()
}
