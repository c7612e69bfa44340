//! Other people's API keys.

use axum::extract::State;
use axum::http::StatusCode;
use shared::domain::id::{ApiKeyId, OrgId, UserId};
use shared::http::cursor::Cursors;
use shared::http::openai::{CursorList, ErrorBody, Operator, OperatorOnly, Path, Query, Refused, Result};
use shared::store::api_keys::ApiKey;

use crate::Stores;
use crate::dto::meters::id as read_id;
use crate::dto::people::{KeyOut, KeysQuery};
use crate::told::told;

const KEYS: Cursors = Cursors("admin-keys");

/// List an organization's API keys
///
/// User by user, each one's newest first.
#[utoipa::path(
    get, path = "/gateway/v1/admin/keys", tag = "admin", params(KeysQuery), security(("bearer" = [])),
    responses(
        (status = 200, description = "Some keys", body = CursorList<KeyOut>),
        (status = 404, description = "What can be no organization or user", body = ErrorBody),
        OperatorOnly, Refused,
    ),
)]
pub async fn list_keys(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<KeysQuery>,
) -> Result<CursorList<KeyOut>> {
    let after = KEYS.read(query.cursor.as_deref())?;
    let org = read_id::<OrgId>(&query.org)?;
    let user = query.user.as_deref().map(read_id::<UserId>).transpose()?;
    let keys = stores.keys.list(org, user, query.limit, after).await?;
    Ok(CursorList::new(keys.map(|(key, meter)| KeyOut::new(&key, &meter)), KEYS))
}

/// Revoke anybody's API key
///
/// Calls of models are refused at once, all else within 30 seconds.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/keys/{id}", tag = "admin", security(("bearer" = [])),
    params(("id" = String, Path, description = "The key")),
    responses(
        (status = 204, description = "Revoked, now or before"),
        (status = 404, description = "No such key", body = ErrorBody),
        OperatorOnly, Refused,
    ),
)]
pub async fn revoke_key(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<ApiKeyId>,
) -> Result<StatusCode> {
    let kept = stores.keys.find(id).await?;
    let meter = stores.keys.meter(id).await?;
    let tell = |key: &ApiKey| told(&KeyOut::new(key, &meter));
    stores.admin.revoke_key(&operator.deed("key.revoke", id), &kept, tell).await?;
    stores.auth.forget_key(&kept.hash);
    Ok(StatusCode::NO_CONTENT)
}
