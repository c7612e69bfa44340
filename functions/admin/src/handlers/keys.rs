//! Other people's API keys.

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Error;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::identity::{Account, Plan};
use domain::merge::MergePatch;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use serde_json::Value;
use shared::http::cursor::Cursors;
use shared::http::etag::{ETag, IfMatch};
use shared::http::gateway::KeySettingsIn;
use shared::http::idempotency::{self, IdempotencyHeaders};
use shared::http::openai::{
    BodyRefused, CursorList, ErrorBody, HashedJson, Json, Operator, OperatorOnly, Path, Query, Refused, Result,
};
use shared::store::api_keys::ApiKey;
use shared::store::idempotency::Created;
use shared::store::key_ring::{KeySettings, NewKey};
use shared::store::meters::Meter;

use crate::Stores;
use crate::dto::meters::id as read_id;
use crate::dto::people::{KeyIn, KeyOut, KeysQuery, NewKeyOut};
use crate::told::{check_version, etag, respond, told};

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

/// Create an API key for a user
///
/// The secret is in this answer and never again, also not for a repeated `Idempotency-Key`. An operator's key that
/// expires makes none that outlives it.
#[utoipa::path(
    post, path = "/gateway/v1/admin/keys", tag = "admin", params(IdempotencyHeaders), security(("bearer" = [])),
    request_body = KeyIn,
    responses(
        (status = 201, description = "The key with its secret", body = NewKeyOut, headers(
            ("Idempotent-Replayed" = bool, description = "Present on the answer to a repeated `Idempotency-Key`"),
        )),
        (status = 404, description = "No such organization, or no such user in it", body = ErrorBody),
        (status = 409, description = "The user has 100 keys already, or the `Idempotency-Key` was used with another \
            body", body = ErrorBody),
        BodyRefused, OperatorOnly, Refused,
    ),
)]
pub async fn create_key(
    State(stores): State<Stores>,
    operator: Operator,
    headers: HeaderMap,
    HashedJson { value: body, hash }: HashedJson<KeyIn>,
) -> Result<Response> {
    let once = idempotency::once(&headers, hash)?;
    let (org, user) = (read_id::<OrgId>(&body.org)?, read_id::<UserId>(&body.user)?);
    let plan = plan_of(&stores, org).await?;
    let now = Time::now();
    let settings = body.settings().read(None, &stores.catalog.read().await?, &plan, now)?;
    check_expiry(&operator, &settings)?;
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let new = NewKey::new(Account { org, user }, settings, &secret, now);
    let shown = |secret| told(&NewKeyOut { key: KeyOut::new(&new.key, &new.meter()), secret });
    let deed = operator.deed("key.create", new.key.id);
    match stores.admin.create_key(&deed, &new, once.as_ref(), &shown(None)).await? {
        Created::Now => Ok(respond(Created::Now, shown(Some(secret.reveal().to_owned())))),
        before => Ok(respond(before, String::new())),
    }
}

/// Change an API key
///
/// A JSON merge patch; null removes a restriction. Calls of models see new limits and a new cap from their next lease
/// on, and a new list of models or expiry within 30 seconds.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/keys/{id}", tag = "admin", security(("bearer" = [])),
    params(
        ("id" = String, Path, description = "The key"),
        ("If-Match" = Option<String>, Header, description = "Change only this version", nullable = false),
    ),
    request_body(content = Object, description = "Any of `name`, `models`, `limits`, `spending_cap` and `expires_at`"),
    responses(
        (status = 200, description = "The key as it is now", body = KeyOut,
            headers(("ETag" = String, description = "Its version"))),
        (status = 404, description = "No such key", body = ErrorBody),
        (status = 409, description = "The key is revoked", body = ErrorBody),
        (status = 412, description = "It has changed since the version in `If-Match`", body = ErrorBody),
        BodyRefused, OperatorOnly, Refused,
    ),
)]
pub async fn update_key(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<ApiKeyId>,
    if_match: IfMatch,
    Json(patch): Json<Value>,
) -> Result<(ETag, Body<KeyOut>)> {
    let patch = MergePatch::new(patch)?;
    // A key stays in its organization; all else is read with it when it changes.
    let plan = plan_of(&stores, stores.keys.find(id).await?.key.account.org).await?;
    let listing = stores.catalog.read().await?;
    let tell = |key: &ApiKey, meter: &Meter| told(&KeyOut::new(key, meter));
    let change = |key: &ApiKey, meter: &Meter| {
        let before = KeySettings::of(key, meter);
        let after: KeySettingsIn = patch.merge(&KeySettingsIn::from(before.clone()), &[])?;
        check_version(&if_match, &version(&before))?;
        let after = after.read(Some(&before), &listing, &plan, Time::now())?;
        check_expiry(&operator, &after)?;
        Ok(after)
    };
    let (key, meter) = stores.admin.change_key(&operator.deed("key.update", id), id, change, tell).await?;
    Ok((etag(&version(&KeySettings::of(&key, &meter))), Body(KeyOut::new(&key, &meter))))
}

/// What a version is of: a call with the key changes when it was last used, and nothing that a patch is meant for.
fn version(settings: &KeySettings) -> String {
    told(&KeySettingsIn::from(settings.clone()))
}

async fn plan_of(stores: &Stores, org: OrgId) -> domain::Result<Plan> {
    stores.identities.plan(&stores.identities.org(org).await?.plan).await
}

/// Otherwise a credential that is lent for a day would last for good.
fn check_expiry(operator: &Operator, of_key: &KeySettings) -> domain::Result<()> {
    let Some(own) = operator.expires_at() else { return Ok(()) };
    if of_key.expires_at.is_some_and(|expires_at| expires_at <= own) {
        return Ok(());
    }
    let message = format!("your own key expires at {own}; let this one expire no later, with `expires_at`");
    Err(Error::Forbidden { code: "api_key_restricted", message })
}

/// Revoke anybody's API key
///
/// From then on every call with it is refused.
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
    Ok(StatusCode::NO_CONTENT)
}
