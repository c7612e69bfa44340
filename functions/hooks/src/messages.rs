//! The handlers of messaging providers.

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::id::CredentialId;
use messaging::{Received, Subscription, answer_subscription};
use web::builder::{ErrorResponses, NotFound};
use web::{Path, Query, Result};

use crate::Stores;
use crate::delivery::{SignedDelivery, refusal};
use crate::dto::{ReceivedOut, SubscriptionQuery};

/// Receive messages
///
/// A messaging provider delivers messages here. The path has the id of the credential of the account, and the request is
/// signed as the provider documents it. Each message is stored once, however often it is delivered, before the response;
/// its run follows. A message without a text or a file, such as a sticker, a location or a poll, is a short text in brackets,
/// as in `[location 41.4,2.17]`. Reactions, edits and messages of bots start no run. If WhatsApp reports that it could not deliver a message, the message gets the status `failed`. The first
/// request of Slack verifies the URL, and is answered with its challenge.
#[utoipa::path(
    post, path = "/hooks/v1/messages/{credential_id}", tag = "triggers",
    params(("credential_id" = Uuid, Path, description = "The credential of the account")),
    request_body(content = Value, content_type = "application/json", description = "As the provider documents it"),
    responses(
        (status = 200, description = "The messages are stored", body = ReceivedOut),
        NotFound<CredentialId>, ErrorResponses,
    ),
)]
pub async fn receive_messages(State(stores): State<Stores>, delivery: SignedDelivery) -> Result<Response> {
    let SignedDelivery { inbox, received } = delivery;
    let (messages, failures) = match received {
        Received::Challenge(text) => return Ok(text.into_response()),
        Received::Events { messages, failures } => (messages, failures),
    };
    if messages.is_empty() && failures.is_empty() {
        tracing::info!(provider = inbox.provider.as_str(), "a delivery has no message that starts a run");
    }
    // A message that cannot be stored does not prevent the others. The provider repeats the delivery.
    let mut result = Ok(());
    for message in &messages {
        let stored = stores.threads.receive(&inbox, message).await;
        result = result.and(stored);
    }
    for failure in &failures {
        let recorded = stores.threads.record_failure(inbox.credential, failure).await;
        result = result.and(recorded);
    }
    result?;
    Ok(Json(ReceivedOut { received: messages.len() }).into_response())
}

/// Verify the URL of a WhatsApp webhook
///
/// The response is the challenge, if the verify token is that of the credential.
#[utoipa::path(
    get, path = "/hooks/v1/messages/{credential_id}", tag = "triggers",
    params(("credential_id" = Uuid, Path, description = "The credential of the account"), SubscriptionQuery),
    responses(
        (status = 200, description = "The challenge", body = String, content_type = "text/plain"),
        NotFound<CredentialId>, ErrorResponses,
    ),
)]
pub async fn verify_subscription(
    State(stores): State<Stores>,
    Path(id): Path<CredentialId>,
    Query(query): Query<SubscriptionQuery>,
) -> Result<String> {
    let called = stores.inboxes.find(id).await?;
    let SubscriptionQuery { mode, verify_token, challenge } = query;
    let subscription = Subscription { mode: &mode, verify_token: &verify_token, challenge: &challenge };
    Ok(answer_subscription(&called.credential, &subscription).map_err(refusal)?)
}
