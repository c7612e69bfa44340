//! HTTP handlers of signed receipts, and of the keys by which they are verified.

use axum::Json;
use axum::extract::State;
use domain::Error;
use domain::id::Id;
use domain::receipt::ReceiptName;
use web::gateway::{ErrorBody, ErrorResponses, NotFound, Person, UserOnly};
use web::{Path, Result};

use crate::Stores;
use crate::handlers::only_user;
use crate::receipt_dto::{KeySetOut, SignedReceiptOut};

/// Read the receipt of a call
#[utoipa::path(
    get, path = "/gateway/v1/billing/receipts/{request_id}", tag = "billing", description = include_str!("receipts.md"),
    params(("request_id" = String, Path, description = "The transaction, the chat completion or the request")),
    responses(
        (status = 200, description = "The receipt", body = SignedReceiptOut),
        NotFound<ReceiptName>, UserOnly, ErrorResponses,
    ),
)]
pub async fn get_receipt(
    State(stores): State<Stores>,
    person: Person,
    Path(name): Path<ReceiptName>,
) -> Result<Json<SignedReceiptOut>> {
    let charge = stores.ledger.find_charge(person.caller.org, only_user(&person.caller), name).await?;
    let charge = charge.ok_or(Error::NotFound { kind: ReceiptName::KIND })?;
    let key = stores.receipt_keys.signing_key(person.caller.at).await?;
    Ok(Json(SignedReceiptOut::sign(charge, &key)?))
}

/// List the public keys of receipts
///
/// Returns the keys that verify receipts, as a JSON Web Key Set (RFC 7517): first the key that signs now, then those before it,
/// which verify older receipts. The set is empty before the first receipt. No credential is needed.
#[utoipa::path(
    get, path = "/gateway/v1/receipts/keys", tag = "billing",
    responses(
        (status = 200, description = "The keys", body = KeySetOut),
        (status = 400, description = "The route takes no parameters", body = ErrorBody),
        (status = 503, description = "The platform is busy; retry after the time in `Retry-After`", body = ErrorBody),
    ),
)]
pub async fn list_receipt_keys(State(stores): State<Stores>) -> Result<Json<KeySetOut>> {
    Ok(Json(KeySetOut::new(stores.receipt_keys.find().await?.as_ref())))
}
