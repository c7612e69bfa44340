//! What callers may send. A caller with some tools lists and calls them, and uses what every client of the protocol needs. All
//! other methods, such as those of resources, prompts, completions and tasks, need a rule with the tools `*`.

use domain::mcp_server::AllowedTools;

use crate::message::{Kind, Message};
use crate::rpc_error::RpcError;

const REQUESTS: [&str; 5] = ["initialize", "logging/setLevel", "ping", "server/discover", "tools/list"];
const NOTIFICATIONS: [&str; 4] = [
    "notifications/cancelled",
    "notifications/initialized",
    "notifications/progress",
    "notifications/roots/list_changed",
];

/// Whether a request is a call, which counts toward the limits. What every client needs does not.
pub fn is_counted(method: &str) -> bool {
    !REQUESTS.contains(&method)
}

/// Refuses a message that the caller may not send.
pub fn check(message: &Message<'_>, allowed: &AllowedTools) -> Result<(), RpcError> {
    let refusal = match &message.kind {
        Kind::Response => return Ok(()),
        Kind::ToolCall { tool } if allowed.allows(tool) => return Ok(()),
        Kind::ToolCall { tool } => RpcError::tool_refused(tool),
        // A server may carry it out and answer nobody, so it would be in no log.
        Kind::Notification { method } if method == Message::TOOL_CALL => {
            RpcError::invalid_request("a call of a tool needs an id")
        }
        Kind::Request { .. } | Kind::Notification { .. } if *allowed == AllowedTools::All => return Ok(()),
        Kind::Request { method } if REQUESTS.contains(&&**method) => return Ok(()),
        Kind::Notification { method } if NOTIFICATIONS.contains(&&**method) => return Ok(()),
        Kind::Request { method } | Kind::Notification { method } => RpcError::method_refused(method),
    };
    Err(refusal.answering(message.id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_allowed(method: &str, has_id: bool, allowed: &AllowedTools) -> bool {
        let id = if has_id { r#""id":1,"# } else { "" };
        let body = format!(r#"{{"jsonrpc":"2.0",{id}"method":"{method}","params":{{"name":"a"}}}}"#);
        check(&Message::read(body.as_bytes()).expect("a message"), allowed).is_ok()
    }

    #[test]
    fn callers_with_some_tools_use_nothing_else() {
        let only = |tools: &[&str]| AllowedTools::Only(tools.iter().map(ToString::to_string).collect());
        for (method, has_id, with_it, without_it) in [
            ("initialize", true, true, true),
            ("server/discover", true, true, true),
            ("tools/list", true, true, true),
            ("tools/call", true, true, false),
            ("tools/call", false, false, false),
            ("notifications/initialized", false, true, true),
            ("notifications/other", false, false, false),
            ("resources/read", true, false, false),
            ("prompts/get", true, false, false),
            ("completion/complete", true, false, false),
            ("tasks/result", true, false, false),
            ("subscriptions/listen", true, false, false),
        ] {
            assert_eq!(is_allowed(method, has_id, &only(&["a"])), with_it, "{method}");
            assert_eq!(is_allowed(method, has_id, &only(&["b"])), without_it, "{method}");
            assert_eq!(is_allowed(method, has_id, &AllowedTools::All), has_id || method != "tools/call", "{method}");
        }
    }
}
