//! Handler for the key that signs receipts of calls.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use store::receipt_keys::StoredReceiptKeys;
use web::gateway::{Created, ErrorBody, ErrorResponses, Operator, OperatorOnly};
use web::{NoBody, Result};

use crate::Stores;
use crate::dto::receipt_keys::NewReceiptKeyOut;
use crate::snapshot::render_snapshot;

/// The target of its entries in the audit log.
const TARGET: &str = "receipt-key";

/// Rotate the key of receipts
///
/// Creates a key, which signs all receipts that are read from now on. The key before it signs no more, and its private part is
/// deleted. Its public part stays in `GET /gateway/v1/receipts/keys`, so receipts that it signed can still be verified. There is no
/// need to call this before the first receipt.
#[utoipa::path(
    post, path = "/gateway/v1/admin/receipt-keys", tag = "admin",
    responses(
        Created<NewReceiptKeyOut>,
        (status = 409, description = "`receipt_key_limit`: there were 100 keys before the current one", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn rotate_receipt_key(
    State(stores): State<Stores>,
    operator: Operator,
    _: NoBody,
) -> Result<(StatusCode, Body<NewReceiptKeyOut>)> {
    let action = operator.audit_action("receipt_key.rotate", TARGET);
    let generated = stores.receipt_keys.generate(action.at).await?;
    let keys = stores.admin.rotate_receipt_key(&action, &generated, render).await?;
    Ok((StatusCode::CREATED, Body(NewReceiptKeyOut::from(&keys))))
}

fn render(keys: &StoredReceiptKeys) -> String {
    render_snapshot(&NewReceiptKeyOut::from(keys))
}
