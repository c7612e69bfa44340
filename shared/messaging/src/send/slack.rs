//! Slack's Web API. It answers refusals with status 200 and `{"ok": false, "error": "…"}`.

use domain::messaging::Destination;
use serde::Deserialize;
use serde_json::json;

use super::{Answered, Messenger, SendError, json_request};

const SLACK: &str = "Slack";

#[derive(Deserialize)]
struct Response {
    ok: bool,
    error: Option<String>,
    team: Option<String>,
    user: Option<String>,
}

pub async fn send(messenger: &Messenger, token: &str, destination: &Destination, part: &str) -> Result<(), SendError> {
    let mut body = json!({
        "channel": destination.conversation, "text": part, "unfurl_links": false, "unfurl_media": false,
    });
    if let Some(thread) = &destination.topic {
        body["thread_ts"] = json!(thread);
    }
    call(messenger, token, "chat.postMessage", &body).await.map(drop)
}

pub async fn test(messenger: &Messenger, token: &str) -> Result<String, SendError> {
    let Response { team, user, .. } = call(messenger, token, "auth.test", &json!({})).await?;
    Ok([user, team].into_iter().flatten().collect::<Vec<_>>().join(" @ "))
}

async fn call(
    messenger: &Messenger,
    token: &str,
    method: &str,
    body: &serde_json::Value,
) -> Result<Response, SendError> {
    let request = json_request(&format!("{}/{method}", messenger.urls.slack), Some(token), body)?;
    let answered = messenger.call(request, SLACK).await?;
    if !answered.status.is_success() {
        return Err(answered.error());
    }
    match answered.read::<Response>() {
        Some(response) if response.ok => Ok(response),
        Some(Response { error: Some(error), .. }) => Err(to_error(&answered, &error)),
        _ => Err(answered.error()),
    }
}

fn to_error(answered: &Answered, error: &str) -> SendError {
    let message = match error {
        "ratelimited" | "rate_limited" | "message_limit_exceeded" => return answered.rate_limited(None),
        "service_unavailable" | "team_added_to_org" | "request_timeout" => return answered.unavailable(),
        // According to Slack's documentation, a part of the operation may have succeeded.
        "fatal_error" | "internal_error" => {
            return SendError::uncertain(format!("Slack did not confirm the call: it reported `{error}`"));
        }
        "invalid_auth" | "not_authed" | "account_inactive" | "token_revoked" | "token_expired" => {
            "Slack does not accept the token; create the credential again with the current bot token"
        }
        "missing_scope" | "no_permission" | "not_allowed_token_type" => {
            "the Slack app lacks a permission; add the scope chat:write and install the app again"
        }
        "channel_not_found" => {
            "the Slack channel does not exist or the app cannot see it; invite the app to the channel"
        }
        "not_in_channel" => "the Slack app is not in the channel; invite it",
        "is_archived" => "the Slack channel is archived; use another one or unarchive it",
        "thread_not_found" | "message_not_found" => "the Slack thread no longer exists; start another conversation",
        "restricted_action" | "restricted_action_read_only_channel" | "restricted_action_thread_only_channel" => {
            "the Slack workspace does not let the app post in the channel; ask an administrator"
        }
        "cannot_reply_to_message" => "Slack does not let the app reply to this message; send to the channel instead",
        "msg_too_long" => "the message is too long for Slack; send a shorter one",
        "no_text" => "the message has no text that Slack can show; send a text",
        _ => {
            let code = shown_code(error);
            return SendError::refused(code, format!("Slack refused the call with the error `{code}`"));
        }
    };
    SendError::refused(error, message)
}

/// Messages do not repeat arbitrary texts of other systems.
fn shown_code(code: &str) -> &str {
    let is_code = code.len() <= 64 && code.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    if is_code && !code.is_empty() { code } else { "unknown_error" }
}
