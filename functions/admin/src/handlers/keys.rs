//! Handlers for the API keys of all users.

use axum::Json as Body;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use domain::Error;
use domain::id::{ApiKeyId, OrgId, UserId};
use domain::identity::{Account, Plan};
use domain::merge::MergePatch;
use domain::token::{SecretToken, TokenKind};
use store::api_keys::ApiKey;
use store::key_ring::{KeySettings, NewKey};
use store::meters::Meter;
use web::cursor::Cursors;
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::gateway::KeySettingsIn;
use web::gateway::{
    BodyRefused, Created, CursorList, ErrorBody, ErrorResponses, NotFound, Operator, OperatorOnly, Stale,
};
use web::idempotency::{self, IdempotencyHeaders};
use web::responses::Replayed;
use web::{Hashed, Path, Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::meters::parse_id;
use crate::dto::people::{KeyIn, KeyOut, KeysQuery, NewKeyOut};
use crate::snapshot::{check_version, etag, render_snapshot};

const KEYS: Cursors = Cursors("admin-keys");

/// List an organization's API keys
///
/// Returns the keys grouped by user, newest first for each user.
#[utoipa::path(
    get, path = "/gateway/v1/admin/keys", tag = "admin", params(KeysQuery),
    responses(
        (status = 200, description = "A page of keys", body = CursorList<KeyOut>),
        (status = 404, description = "The id of the organization or user is malformed", body = ErrorBody),
        OperatorOnly, ErrorResponses,
    ),
)]
pub async fn list_keys(
    State(stores): State<Stores>,
    _: Operator,
    Query(query): Query<KeysQuery>,
) -> Result<CursorList<KeyOut>> {
    let after = KEYS.read(query.cursor.as_deref())?;
    let org = parse_id::<OrgId>(&query.org)?;
    let user = query.user.as_deref().map(parse_id::<UserId>).transpose()?;
    let keys = stores.keys.list(org, user, query.limit, after).await?;
    Ok(CursorList::new(keys.map(|(key, meter)| KeyOut::new(&key, &meter)), KEYS))
}

/// Create an API key for a user
///
/// The secret is returned only in this response, and not in a replay for a repeated `Idempotency-Key`. If the
/// operator's own key expires, the new key must not expire later.
#[utoipa::path(
    post, path = "/gateway/v1/admin/keys", tag = "admin", params(IdempotencyHeaders), request_body = KeyIn,
    responses(
        Created<NewKeyOut, Replayed>,
        (status = 404, description = "The organization does not exist, or the user is not a member of it",
            body = ErrorBody),
        (status = 409, description = "`too_many_api_keys`: the user already has 100 keys; `idempotency_conflict`: the \
            `Idempotency-Key` was used with another request", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_key(
    State(stores): State<Stores>,
    operator: Operator,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(body), hash, .. }: Hashed<UncheckedJson<KeyIn>>,
) -> Result<Response> {
    let idempotency_key = idempotency::read_key(&headers, hash)?;
    let (org, user) = (parse_id::<OrgId>(&body.org)?, parse_id::<UserId>(&body.user)?);
    let plan = get_plan(&stores, org).await?;
    let now = operator.at();
    let settings = body.settings().read(None, &stores.catalog.read().await?, &plan, now)?;
    check_expiry(&operator, &settings)?;
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let new = NewKey::new(Account { org, user }, settings, &secret, now);
    let answer_with = |secret| render_snapshot(&NewKeyOut { key: KeyOut::new(&new.key, &new.meter()), secret });
    let action = operator.audit_action("key.create", new.key.id);
    let created = stores.admin.create_key(&action, &new, idempotency_key.as_ref(), &answer_with(None)).await?;
    let answer = answer_with(Some(secret.reveal().to_owned()));
    Ok(idempotency::creation_response(created, None, answer))
}

/// Update an API key
///
/// Applies a JSON merge patch (RFC 7396); null removes a restriction. Model calls apply new limits and a new spending
/// cap from their next quota lease, and a new model list or expiry within 30 seconds.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/keys/{id}", tag = "admin",
    params(("id" = String, Path, description = "The key"), IfMatchHeaders),
    request_body(content = Object, description = "Any of `name`, `models`, `limits`, `spending_cap` and `expires_at`"),
    responses(
        (status = 200, description = "The updated key", body = KeyOut,
            headers(("ETag" = String, description = "The key's version"))),
        (status = 409, description = "`api_key_not_valid`: the key is revoked", body = ErrorBody),
        NotFound<ApiKeyId>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_key(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<ApiKeyId>,
    if_match: IfMatch,
    UncheckedJson(patch): UncheckedJson<MergePatch>,
) -> Result<(ETag, Body<KeyOut>)> {
    // A key never changes its organization, so the plan can be read before the transaction.
    let plan = get_plan(&stores, stores.keys.find(id).await?.key.account.org).await?;
    let listing = stores.catalog.read().await?;
    let render = |key: &ApiKey, meter: &Meter| render_snapshot(&KeyOut::new(key, meter));
    let change = |key: &ApiKey, meter: &Meter| {
        let before = KeySettings::of(key, meter);
        let after: KeySettingsIn = patch.merge(&KeySettingsIn::from(before.clone()), &[])?;
        check_version(&if_match, &settings_snapshot(&before))?;
        let after = after.read(Some(&before), &listing, &plan, operator.at())?;
        check_expiry(&operator, &after)?;
        Ok(after)
    };
    let (key, meter) = stores.admin.change_key(&operator.audit_action("key.update", id), id, change, render).await?;
    Ok((etag(&settings_snapshot(&KeySettings::of(&key, &meter))), Body(KeyOut::new(&key, &meter))))
}

/// The text from which the ETag is computed: only the settings, because `last_used_at` changes with every call.
fn settings_snapshot(settings: &KeySettings) -> String {
    render_snapshot(&KeySettingsIn::from(settings.clone()))
}

async fn get_plan(stores: &Stores, org: OrgId) -> domain::Result<Plan> {
    stores.identities.plan(&stores.identities.org(org).await?.plan).await
}

/// Refuses an expiry after that of the operator's own key. Otherwise a temporary key could create a permanent one.
pub fn check_expiry(operator: &Operator, of_key: &KeySettings) -> domain::Result<()> {
    let Some(own) = operator.expires_at() else { return Ok(()) };
    if of_key.expires_at.is_some_and(|expires_at| expires_at <= own) {
        return Ok(());
    }
    let message = format!("your own key expires at {own}; set `expires_at` to that time or earlier");
    Err(Error::Forbidden { code: "api_key_restricted", message })
}

/// Revoke a user's API key
///
/// All further requests with the key are refused.
#[utoipa::path(
    delete, path = "/gateway/v1/admin/keys/{id}", tag = "admin", params(("id" = String, Path, description = "The key")),
    responses(
        (status = 204, description = "The key is revoked; it may have been revoked before"),
        NotFound<ApiKeyId>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn revoke_key(
    State(stores): State<Stores>,
    operator: Operator,
    Path(id): Path<ApiKeyId>,
) -> Result<StatusCode> {
    let stored = stores.keys.find(id).await?;
    let meter = stores.keys.meter(id).await?;
    let render = |key: &ApiKey| render_snapshot(&KeyOut::new(key, &meter));
    stores.admin.revoke_key(&operator.audit_action("key.revoke", id), &stored, render).await?;
    Ok(StatusCode::NO_CONTENT)
}
