//! Telegram's Bot API. The token is a part of the URL, so no URL may be logged or shown.

use std::time::Duration;

use domain::messaging::Destination;
use outbound::MAX_RETRY_AFTER;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{Answered, Messenger, SendError, json_request};

const TELEGRAM: &str = "Telegram";

#[derive(Deserialize)]
struct Response {
    ok: bool,
    #[serde(default)]
    result: Value,
    #[serde(default)]
    error_code: u16,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Parameters,
}

#[derive(Default, Deserialize)]
struct Parameters {
    retry_after: Option<u64>,
    /// The new id of a group that became a supergroup.
    migrate_to_chat_id: Option<i64>,
}

#[derive(Deserialize)]
struct Bot {
    username: String,
}

pub async fn send(messenger: &Messenger, token: &str, destination: &Destination, part: &str) -> Result<(), SendError> {
    let mut body = json!({
        "chat_id": destination.conversation, "text": part, "parse_mode": "HTML",
        "link_preview_options": {"is_disabled": true},
    });
    if let Some(topic) = &destination.topic {
        let number: i64 = topic.parse().map_err(|_| topic_gone())?;
        body["message_thread_id"] = json!(number);
    }
    call::<Value>(messenger, token, "sendMessage", &body).await.map(drop)
}

pub async fn test(messenger: &Messenger, token: &str) -> Result<String, SendError> {
    let Bot { username } = call(messenger, token, "getMe", &json!({})).await?;
    Ok(format!("@{username}"))
}

/// Calls a method, and returns its result.
pub async fn call<T: DeserializeOwned>(
    messenger: &Messenger,
    token: &str,
    method: &str,
    body: &Value,
) -> Result<T, SendError> {
    let request = json_request(&format!("{}/bot{token}/{method}", messenger.urls.telegram), None, body)?;
    let answered = messenger.call(request, TELEGRAM).await?;
    let Some(response) = answered.read::<Response>() else { return Err(answered.error()) };
    if !response.ok {
        return Err(to_error(&answered, &response));
    }
    T::deserialize(response.result).map_err(|_| answered.error())
}

fn to_error(answered: &Answered, response: &Response) -> SendError {
    let wait = response.parameters.retry_after.map(|seconds| Duration::from_secs(seconds).min(MAX_RETRY_AFTER));
    let description = response.description.to_ascii_lowercase();
    let describes = |text: &str| description.contains(text);
    match response.error_code {
        429 => answered.rate_limited(wait),
        500.. => answered.error(),
        // An unknown token is not found, because it is a part of the path.
        401 | 404 => SendError::refused(
            "invalid_token",
            "Telegram does not accept the token; create the credential again with the token that BotFather shows",
        ),
        _ if response.parameters.migrate_to_chat_id.is_some() => SendError::refused(
            "chat_migrated",
            "the Telegram group became a supergroup with another id; write in it to continue there",
        ),
        _ if describes("chat not found") => SendError::refused(
            "chat_not_found",
            "the Telegram chat does not exist or the bot is not in it; write to the bot or add it to the chat",
        ),
        _ if describes("thread not found") || describes("topic_closed") || describes("topic_deleted") => topic_gone(),
        _ if describes("blocked by the user") => {
            SendError::refused("bot_blocked", "the person blocked the Telegram bot; only they can unblock it")
        }
        _ if describes("user is deactivated") => {
            SendError::refused("user_deactivated", "the person's Telegram account no longer exists")
        }
        _ if describes("file is too big") => SendError::refused(
            "file_too_large",
            "the file is larger than Telegram lets bots download; send a smaller one",
        ),
        403 => SendError::refused(
            "not_in_chat",
            "the Telegram bot cannot write in the chat; add it and let it send messages",
        ),
        _ if describes("can't parse entities") => {
            SendError::refused("invalid_message", "Telegram could not read the formatting of the message")
        }
        code => SendError::refused("telegram_refused", format!("Telegram refused the call with the error {code}")),
    }
}

fn topic_gone() -> SendError {
    SendError::refused("topic_not_found", "the Telegram topic no longer exists or is closed; use another one")
}
