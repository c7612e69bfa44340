//! HTTP handlers: one function for each route.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::ApiKeyId;
use domain::token::{SecretToken, TokenKind};
use store::api_keys::ApiKey;
use store::key_ring::NewKey;
use store::meters::Meter;
use web::cursor::{CursorQuery, Cursors};
use web::gateway::{ApiKeyOut, KeySettingsIn};
use web::gateway::{BodyRefused, Created, CursorList, ErrorBody, ErrorResponses, List, Person, UserOnly};
use web::{NoBody, Path, Query, Result, UncheckedJson};

use crate::Stores;
use crate::dto::{MeOut, NewApiKeyOut, OrgOut, check_key};

const KEYS: Cursors = Cursors("api-keys");

/// Read the caller's account
///
/// Returns the caller's organization, user, role and plan, and the API key that authenticated the request. `plan` says
/// which rate limits and which guard are enforced.
#[utoipa::path(
    get, path = "/gateway/v1/me", tag = "account",
    responses((status = 200, description = "The account", body = MeOut), UserOnly, ErrorResponses),
)]
pub async fn get_me(State(stores): State<Stores>, person: Person) -> Result<Body<MeOut>> {
    let api_key = match &person.key {
        Some(key) => Some(ApiKeyOut::new(key, &stores.keys.meter(key.id).await?)),
        None => None,
    };
    Ok(Body(MeOut::new(&person.caller, &*stores.models.listing().await?, api_key)))
}

/// List organizations
///
/// Returns the organizations that the caller is a member of.
#[utoipa::path(
    get, path = "/gateway/v1/me/orgs", tag = "account",
    responses((status = 200, description = "The organizations", body = List<OrgOut>), UserOnly, ErrorResponses),
)]
pub async fn list_orgs(State(stores): State<Stores>, person: Person) -> Result<List<OrgOut>> {
    let orgs = stores.identities.orgs_of(person.caller.user).await?;
    Ok(List::new(orgs.into_iter().map(OrgOut::from)))
}

/// List API keys
///
/// Returns the caller's keys in this organization, newest first and without their secrets. A revoked key is listed
/// for 400 days.
#[utoipa::path(
    get, path = "/gateway/v1/me/api-keys", tag = "account", params(CursorQuery),
    responses((status = 200, description = "A page of keys", body = CursorList<ApiKeyOut>), UserOnly, ErrorResponses),
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
/// The secret is returned only in this response. A request with a restricted key (models, limits, spending cap or
/// expiry) is refused.
#[utoipa::path(
    post, path = "/gateway/v1/me/api-keys", tag = "account", request_body = KeySettingsIn,
    responses(
        Created<NewApiKeyOut>,
        (status = 403, description = "The key that authenticated the request is restricted, or belongs to a \
            workbench", body = ErrorBody),
        (status = 409, description = "`too_many_api_keys`: the user already has 100 keys", body = ErrorBody),
        BodyRefused, ErrorResponses,
    ),
)]
pub async fn create_api_key(
    State(stores): State<Stores>,
    person: Person,
    UncheckedJson(body): UncheckedJson<KeySettingsIn>,
) -> Result<(StatusCode, Body<NewApiKeyOut>)> {
    check_unrestricted(&stores, &person).await?;
    let now = person.caller.at;
    let settings = check_key(body, &*stores.models.listing().await?, &person.caller.plan, now)?;
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let new = NewKey::new(person.caller.account(), settings, &secret, now);
    let meter = stores.keys.create(&person.authority(), &new).await?;
    Ok(key_response(&new.key, &meter, &secret))
}

/// Rotate an API key
///
/// Creates a key with the same settings and revokes the old key immediately. The old key's spending of this month
/// counts against the new key's spending cap.
#[utoipa::path(
    post, path = "/gateway/v1/me/api-keys/{id}/rotate", tag = "account",
    params(("id" = String, Path, description = "The key")),
    responses(
        Created<NewApiKeyOut>,
        (status = 403, description = "The request used another key, and that key is restricted; or the key of a \
            workbench", body = ErrorBody),
        (status = 404, description = "The key does not exist or is not the caller's", body = ErrorBody),
        (status = 409, description = "`api_key_not_valid`: the key is revoked or has expired; `api_key_of_workbench`: \
            the key belongs to a workbench", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn rotate_api_key(
    State(stores): State<Stores>,
    person: Person,
    Path(id): Path<ApiKeyId>,
    _: NoBody,
) -> Result<(StatusCode, Body<NewApiKeyOut>)> {
    let account = person.caller.account();
    if person.key.as_ref().is_none_or(|own| own.id != id) {
        stores.keys.get(account, id).await?;
        check_unrestricted(&stores, &person).await?;
    }
    let secret = SecretToken::generate(TokenKind::ApiKey);
    let (new, meter) = stores.keys.rotate(&person.authority(), account, id, &secret).await?;
    Ok(key_response(&new, &meter, &secret))
}

/// Revoke an API key
///
/// The key stops working immediately. A revoked key cannot be restored.
#[utoipa::path(
    delete, path = "/gateway/v1/me/api-keys/{id}", tag = "account",
    params(("id" = String, Path, description = "The key")),
    responses(
        (status = 204, description = "The key is revoked; it may have been revoked before"),
        (status = 403, description = "The request used another key, and that key is restricted; or the key of a \
            workbench", body = ErrorBody),
        (status = 404, description = "The key does not exist or is not the caller's", body = ErrorBody),
        ErrorResponses,
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
    stores.keys.revoke(&person.authority(), &kept, Vec::new()).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Refuses a restricted key. It could otherwise create a key without the restriction.
async fn check_unrestricted(stores: &Stores, person: &Person) -> Result<()> {
    let Some(key) = &person.key else { return Ok(()) };
    if key.expires_at.is_none() && !stores.keys.is_restricted(key).await? {
        return Ok(());
    }
    let message = "this key is restricted and cannot manage other keys; use an unrestricted key or an access token";
    Err(Error::Forbidden { code: "api_key_restricted", message: message.to_owned() }.into())
}

fn key_response(key: &ApiKey, meter: &Meter, secret: &SecretToken) -> (StatusCode, Body<NewApiKeyOut>) {
    let key = ApiKeyOut::new(key, meter);
    (StatusCode::CREATED, Body(NewApiKeyOut { key, secret: secret.reveal().to_owned() }))
}
