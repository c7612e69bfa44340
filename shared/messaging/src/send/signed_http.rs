//! Messages to a URL of the user by signed HTTP requests, as Standard Webhooks describes them. A receiver recognizes a
//! repeated request by its id, so a request without a clear answer is sent again.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use domain::credential::signing_key;
use http::HeaderValue;
use ring::hmac::{HMAC_SHA256, Key, sign};
use serde_json::{Value, json};

use super::{Messenger, SendError, json_request};

const RECEIVER: &str = "the receiver";

pub async fn send(
    messenger: &Messenger,
    url: &str,
    secret: &str,
    conversation: &str,
    part: &str,
    key: &str,
) -> Result<(), SendError> {
    let body = json!({"type": "message", "conversation": conversation, "text": part});
    post(messenger, url, secret, key, &body).await
}

/// Returns the host of the receiver, which is its only name.
pub async fn test(messenger: &Messenger, url: &str, secret: &str, key: &str) -> Result<String, SendError> {
    post(messenger, url, secret, key, &json!({"type": "test"})).await?;
    let url: Option<http::Uri> = url.parse().ok();
    Ok(url.as_ref().and_then(http::Uri::host).unwrap_or_default().to_owned())
}

/// Sends a request. Its id is a part of what is signed, before a dot, so it must not contain one.
async fn post(messenger: &Messenger, url: &str, secret: &str, id: &str, body: &Value) -> Result<(), SendError> {
    let mut request = json_request(url, None, body)?;
    let invalid = || SendError::refused("invalid_secret", "the secret is not valid; create the credential again");
    let signing_key = signing_key(secret).ok_or_else(invalid)?;
    let time = messenger.clock.now().as_seconds().to_string();
    let content = [id.as_bytes(), b".", time.as_bytes(), b".", request.body()].concat();
    let signature = sign(&Key::new(HMAC_SHA256, &signing_key), &content);
    let signature = format!("v1,{}", BASE64_STANDARD.encode(signature));
    for (name, value) in [("webhook-id", id), ("webhook-timestamp", &time), ("webhook-signature", &signature)] {
        let unsendable = |_| SendError::refused("invalid_key", "the key of the message cannot be sent in a header");
        request.headers_mut().insert(name, HeaderValue::from_str(value).map_err(unsendable)?);
    }
    let answered = messenger.call_for_status(request, RECEIVER).await.map_err(SendError::repeatable)?;
    match answered.status.as_u16() {
        200..300 => Ok(()),
        500.. => Err(answered.unavailable()),
        404 | 410 => Err(SendError::refused("receiver_gone", "the receiver has nothing at this URL; correct the URL")),
        401 | 403 => Err(SendError::refused(
            "signature_refused",
            "the receiver does not accept the signature; check that both sides have the same secret",
        )),
        _ => Err(answered.error()),
    }
}
