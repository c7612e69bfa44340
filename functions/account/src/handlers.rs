//! One function a route.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::ApiKeyId;
use domain::time::Time;
use domain::token::{SecretToken, TokenKind};
use shared::http::NoBody;
use shared::http::cursor::{CursorQuery, Cursors};
use shared::http::gateway::{ApiKeyOut, KeySettingsIn};
use shared::http::openai::{
    ApiError, BodyRefused, CursorList, ErrorBody, Json, List, Path, Person, Query, Refused, Result,
};
use shared::store::api_keys::ApiKey;
use shared::store::key_ring::NewKey;
use shared::store::meters::Meter;

use crate::Stores;
use crate::dto::{MeOut, NewApiKeyOut, OrgOut, check_key};

const KEYS: Cursors = Cursors("api-keys");

/// Read who calls
///
/// The caller's organization, user, role and plan, and the key of this call.
#[utoipa::path(
    get, path = "/gateway/v1/me", tag = "account", security(("bearer" = [])),
    responses((status = 200, description = "Who calls", body = MeOut), Refused),
)]
pub async fn get_me(State(stores): State<Stores>, person: Person) -> Result<Body<MeOut>> {
    let api_key = match &person.key {
        Some(key) => Some(ApiKeyOut::new(key, &stores.keys.meter(key.id).await?)),
        None => None,
    };
    Ok(Body(MeOut::new(&person.caller, api_key)))
}

/// List organizations
///
/// Those that the caller belongs to.
#[utoipa::path(
    get, path = "/gateway/v1/me/orgs", tag = "account", security(("bearer" = [])),
    responses((status = 200, description = "The organizations", body = List<OrgOut>), Refused),
)]
pub async fn list_orgs(State(stores): State<Stores>, person: Person) -> Result<List<OrgOut>> {
    let orgs = stores.identities.orgs_of(person.caller.user).await?;
    Ok(List::new(orgs.into_iter().map(OrgOut::from)))
}

/// List API keys
///
/// The caller's keys in this organization, newest first and without their secrets. Revoked ones stay for 400 days.
#[utoipa::path(
    get, path = "/gateway/v1/me/api-keys", tag = "account", params(CursorQuery), security(("bearer" = [])),
    responses((status = 200, description = "Some keys", body = CursorList<ApiKeyOut>), Refused),
)]
pub async fn list_api_keys(
    State(stores): State<Stores>,
    person: Person,
    Query(query): Query<CursorQuery>,
) -> Result<CursorList<ApiKeyOut>> {
    let after = KEYS.read(query.cursor.as_deref())?;
    let account = person.caller.account();
    let keys = stores.keys.list(account.org, Some(account.user), query.limit, after).await?;
    Ok(CursorList::new(keys.map(|(key, meter)| ApiKeyOut::new(&key, &meter)), KEYS))
}

/// Create an API key
///
/// The secret is in this answer and never again. A key that is itself restricted (by models, limits, cap or expiry)
/// cannot make keys.
#[utoipa::path(
    post, path = "/gateway/v1/me/api-keys", tag = "account", security(("bearer" = [])), request_body = KeySettingsIn,
    responses(
        (status = 201, description = "The key with its secret", body = NewApiKeyOut),
        (status = 403, description = "The key of this call is restricted", body = ErrorBody),
        (status = 409, description = "The user has 100 keys already", body = ErrorBody),
        BodyRefused, Refused,
    ),
)]
pub async fn create_api_key(
    State(stores): State<Stores>,
    person: Person,
    Json(body): Json<KeySettingsIn>,
) -> Result<(StatusCode, Body<NewApiKeyOut>)> {
    check_unrestricted(&stores, &person).await?;
    let now = Time::now();
    let settings = check_key(body, &*stores.models.listing().await?, &person.caller.plan, now)?;
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let new = NewKey::new(person.caller.account(), settings, &secret, now);
    let meter = stores.keys.create(&person.authority(now), &new).await?;
    Ok(shown_once(&new.key, &meter, &secret))
}

/// Rotate an API key
///
/// Makes a new key with the settings of this one, which stops being valid at once. What was spent this month counts
/// against the new key's cap.
#[utoipa::path(
    post, path = "/gateway/v1/me/api-keys/{id}/rotate", tag = "account", security(("bearer" = [])),
    params(("id" = String, Path, description = "The key")),
    responses(
        (status = 201, description = "The new key with its secret", body = NewApiKeyOut),
        (status = 403, description = "The key of this call is restricted, and not this one", body = ErrorBody),
        (status = 404, description = "No such key of the caller's", body = ErrorBody),
        (status = 409, description = "The key is revoked or has expired", body = ErrorBody),
        Refused,
    ),
)]
pub async fn rotate_api_key(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<ApiKeyId>,
    _: NoBody<ApiError>,
) -> Result<(StatusCode, Body<NewApiKeyOut>)> {
    let account = person.caller.account();
    if person.key.as_ref().is_none_or(|own| own.id != id) {
        stores.keys.get(account, id).await?;
        check_unrestricted(&stores, &person).await?;
    }
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let (new, meter) = stores.keys.rotate(&person.authority(Time::now()), account, id, &secret).await?;
    Ok(shown_once(&new, &meter, &secret))
}

/// Revoke an API key
///
/// It stops being valid at once; nothing brings it back.
#[utoipa::path(
    delete, path = "/gateway/v1/me/api-keys/{id}", tag = "account", security(("bearer" = [])),
    params(("id" = String, Path, description = "The key")),
    responses(
        (status = 204, description = "Revoked, now or before"),
        (status = 403, description = "The key of this call is restricted, and not this one", body = ErrorBody),
        (status = 404, description = "No such key of the caller's", body = ErrorBody),
        Refused,
    ),
)]
pub async fn revoke_api_key(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<ApiKeyId>,
) -> Result<StatusCode> {
    let kept = stores.keys.get(person.caller.account(), id).await?;
    if person.key.as_ref().is_none_or(|own| own.id != id) {
        check_unrestricted(&stores, &person).await?;
    }
    stores.keys.revoke(&person.authority(Time::now()), &kept, Vec::new()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A key that is held to less than its user could otherwise make one that is not.
async fn check_unrestricted(stores: &Stores, person: &Person) -> Result<()> {
    let Some(key) = &person.key else { return Ok(()) };
    if key.expires_at.is_none() && !stores.keys.is_restricted(key).await? {
        return Ok(());
    }
    let message = "this key is restricted and cannot manage others; use one that is not, or an access token";
    Err(Error::Forbidden { code: "api_key_restricted", message: message.to_owned() }.into())
}

fn shown_once(key: &ApiKey, meter: &Meter, secret: &SecretToken) -> (StatusCode, Body<NewApiKeyOut>) {
    let key = ApiKeyOut::new(key, meter);
    (StatusCode::CREATED, Body(NewApiKeyOut { key, secret: secret.reveal().to_owned() }))
}
