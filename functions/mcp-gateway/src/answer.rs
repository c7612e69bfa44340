//! What is read of a server's messages: the tools of a list, from which those of others are removed, and how a call of a tool has
//! ended.

use domain::mcp_server::AllowedTools;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

/// The tool reports an error as its result.
pub const TOOL_ERROR: &str = "mcp_tool_error";
/// The server answers with an error of JSON-RPC.
pub const RPC_ERROR: &str = "mcp_error";

/// How a server has answered a call of a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Ok,
    /// The code for the log of calls.
    Failed(&'static str),
}

impl Outcome {
    /// Reads the outcome from a message, if it is an answer and no notification or request.
    pub fn read(message: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct Answer {
            #[serde(default)]
            method: Option<IgnoredAny>,
            #[serde(default)]
            result: Option<Content>,
            #[serde(default)]
            error: Option<IgnoredAny>,
        }
        #[derive(Deserialize)]
        struct Content {
            #[serde(default, rename = "isError")]
            is_error: bool,
        }
        // A batch, which version 2025-03-26 allows, has one answer to the only request.
        let answers: Vec<Answer> = match message.trim_start().starts_with('[') {
            true => serde_json::from_str(message).ok()?,
            false => vec![serde_json::from_str(message).ok()?],
        };
        answers.into_iter().find_map(|answer| match answer {
            Answer { method: Some(_), .. } => None,
            Answer { error: Some(_), .. } => Some(Self::Failed(RPC_ERROR)),
            Answer { result: Some(Content { is_error: true }), .. } => Some(Self::Failed(TOOL_ERROR)),
            Answer { result: Some(_), .. } => Some(Self::Ok),
            Answer { .. } => None,
        })
    }

    pub fn error(self) -> Option<&'static str> {
        match self {
            Self::Ok => None,
            Self::Failed(code) => Some(code),
        }
    }
}

/// Removes the tools that the caller may not use from a message of the server. `None` if it has none of them. `Err` if the message
/// cannot be read, because it could list any tools.
pub fn filter_tools(message: &str, allowed: &AllowedTools) -> Result<Option<String>, serde_json::Error> {
    if *allowed == AllowedTools::All {
        return Ok(None);
    }
    let mut message: Value = serde_json::from_str(message)?;
    let mut changed = false;
    match &mut message {
        Value::Array(batch) => batch.iter_mut().for_each(|message| changed |= filter_answer(message, allowed)),
        message => changed = filter_answer(message, allowed),
    }
    Ok(changed.then(|| message.to_string()))
}

/// Returns whether the message had forbidden tools.
fn filter_answer(message: &mut Value, allowed: &AllowedTools) -> bool {
    let Some(Value::Array(tools)) = message.get_mut("result").and_then(|result| result.get_mut("tools")) else {
        return false;
    };
    let before = tools.len();
    tools.retain(|tool| tool["name"].as_str().is_some_and(|name| allowed.allows(name)));
    tools.len() != before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_keeps_the_allowed_tools_as_they_are() {
        let allowed = AllowedTools::Only(["a".to_owned()].into());
        let list = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"b"},{"name":"a","x":1.50,"y":{}},{"title":"a"}],"nextCursor":"c"}}"#;
        let kept = r#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a","x":1.5,"y":{}}],"nextCursor":"c"}}"#;
        assert_eq!(filter_tools(list, &allowed).expect("JSON"), Some(kept.to_owned()));
        assert_eq!(filter_tools(&format!("[{list}]"), &allowed).expect("JSON"), Some(format!("[{kept}]")));
        assert_eq!(filter_tools(kept, &allowed).expect("JSON"), None);
        assert_eq!(filter_tools(list, &AllowedTools::All).expect("JSON"), None);
        assert!(filter_tools("{", &allowed).is_err());
    }

    #[test]
    fn the_outcome_is_that_of_the_answer() {
        for (message, expected) in [
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[]}}"#, Some(Outcome::Ok)),
            (r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#, Some(Outcome::Failed(TOOL_ERROR))),
            (r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}"#, Some(Outcome::Failed(RPC_ERROR))),
            (r#"[{"jsonrpc":"2.0","method":"notifications/progress"},{"id":1,"result":{}}]"#, Some(Outcome::Ok)),
            (r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#, None),
            (r#"{"jsonrpc":"2.0","id":9,"method":"sampling/createMessage","params":{}}"#, None),
            ("nonsense", None),
        ] {
            assert_eq!(Outcome::read(message), expected, "{message}");
        }
    }
}
