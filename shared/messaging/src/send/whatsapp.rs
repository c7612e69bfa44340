//! The WhatsApp Cloud API, a part of Meta's Graph API.

use domain::messaging::Destination;
use serde::Deserialize;
use serde_json::json;

use super::error::OUTSIDE_WINDOW;
use super::{Answered, Messenger, SendError, authorized_get, json_request};

const WHATSAPP: &str = "WhatsApp";

#[derive(Deserialize)]
struct Failed {
    error: Failure,
}

#[derive(Deserialize)]
struct Failure {
    code: i64,
}

#[derive(Deserialize)]
struct Accepted {
    messages: Vec<AcceptedMessage>,
}

#[derive(Deserialize)]
struct AcceptedMessage {
    id: Option<String>,
}

#[derive(Deserialize)]
struct PhoneNumber {
    display_phone_number: Option<String>,
    verified_name: Option<String>,
}

/// Returns the id of the message. WhatsApp may later report that it could not deliver it.
pub async fn send(
    messenger: &Messenger,
    token: &str,
    phone_number_id: &str,
    destination: &Destination,
    part: &str,
) -> Result<Option<String>, SendError> {
    let mut body = json!({
        "messaging_product": "whatsapp", "recipient_type": "individual",
        "type": "text", "text": {"body": part, "preview_url": false},
    });
    // A person who hides their phone number is addressed by their business-scoped user id.
    let is_number = destination.conversation.bytes().all(|c| c.is_ascii_digit());
    body[if is_number { "to" } else { "recipient" }] = json!(destination.conversation);
    let url = format!("{}/{phone_number_id}/messages", messenger.urls.whatsapp);
    let answered = messenger.call(json_request(&url, Some(token), &body)?, WHATSAPP).await?;
    match answered.read::<Accepted>() {
        Some(Accepted { messages }) if answered.status.is_success() && !messages.is_empty() => {
            Ok(messages.into_iter().find_map(|message| message.id))
        }
        _ => Err(to_error(&answered)),
    }
}

pub async fn test(messenger: &Messenger, token: &str, phone_number_id: &str) -> Result<String, SendError> {
    let url = format!("{}/{phone_number_id}?fields=display_phone_number,verified_name", messenger.urls.whatsapp);
    let answered = messenger.call(authorized_get(&url, Some(token))?, WHATSAPP).await?;
    match answered.read::<PhoneNumber>() {
        Some(PhoneNumber { display_phone_number, verified_name }) if answered.status.is_success() => {
            Ok([verified_name, display_phone_number].into_iter().flatten().collect::<Vec<_>>().join(" "))
        }
        _ => Err(to_error(&answered)),
    }
}

/// Reads the error code of the Graph API, which is more precise than the status.
pub fn to_error(answered: &Answered) -> SendError {
    let Some(Failed { error: Failure { code } }) = answered.read() else { return answered.error() };
    match code {
        4 | 80_007 | 130_429 | 131_048 | 131_056 => return answered.rate_limited(None),
        131_016 | 133_004 => return answered.unavailable(),
        _ => {}
    }
    match explain(code) {
        Some((name, message)) => SendError::refused(name, message),
        None if answered.status.is_server_error() => answered.error(),
        None => SendError::refused(
            "whatsapp_refused",
            format!("WhatsApp refused the call with the error {code}; see the list of its error codes"),
        ),
    }
}

/// The error of a message that WhatsApp had accepted and could not deliver.
pub fn describe_failure(code: Option<i64>) -> String {
    let Some(code) = code else { return "WhatsApp did not deliver the message".to_owned() };
    match explain(code) {
        Some((_, message)) => format!("WhatsApp did not deliver the message (error {code}): {message}"),
        None => format!("WhatsApp did not deliver the message (error {code}); see the list of its error codes"),
    }
}

/// A code of our own and a message for an error that another attempt would not change.
fn explain(code: i64) -> Option<(&'static str, &'static str)> {
    Some(match code {
        0 | 190 => (
            "invalid_token",
            "WhatsApp does not accept the access token; create the credential again with a permanent token",
        ),
        3 | 10 | 131_005 | 200..300 => (
            "missing_permission",
            "the token lacks a permission; grant whatsapp_business_messaging for the phone number",
        ),
        131_047 => OUTSIDE_WINDOW,
        131_026 => ("undeliverable", "the person cannot receive WhatsApp messages from this number"),
        131_030 => (
            "recipient_not_allowed",
            "the number is a test number; add the recipient to its list of allowed recipients",
        ),
        131_050 => ("recipient_opted_out", "the person does not want messages from this number"),
        368 | 131_031 => {
            ("account_blocked", "WhatsApp blocked the account; see the account quality in WhatsApp Manager")
        }
        133_010 => ("number_not_registered", "the phone number is not registered; check its id and register it"),
        131_042 => ("payment_required", "WhatsApp has a problem with the payment of the account; check its settings"),
        100 | 131_008 | 131_009 => ("invalid_parameter", "WhatsApp refused a parameter; check the phone number id"),
        _ => return None,
    })
}
