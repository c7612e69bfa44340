//! Handlers for model providers.

use axum::Json as Body;
use axum::extract::State;
use axum::http::StatusCode;
use domain::id::Id;
use domain::merge::MergePatch;
use domain::name::ProviderName;
use domain::{Error, schema};
use serde_json::Value;
use store::admin::CatalogChange;
use store::catalog::{CatalogEntry, Listing, StoredProvider};
use web::etag::{ETag, IfMatch, IfMatchHeaders};
use web::gateway::{BodyRefused, Created, ErrorBody, ErrorResponses, List, NotFound, Operator, OperatorOnly, Stale};
use web::{Path, Result, UncheckedJson};

use crate::Stores;
use crate::dto::ApiKeyText;
use crate::dto::providers::{KeyChange, ProviderIn, ProviderOut};
use crate::snapshot::{check_version, etag, render_snapshot};

/// List providers
#[utoipa::path(
    get, path = "/gateway/v1/admin/providers", tag = "admin",
    responses((status = 200, description = "The providers", body = List<ProviderOut>), OperatorOnly, ErrorResponses),
)]
pub async fn list_providers(State(stores): State<Stores>, _: Operator) -> Result<List<ProviderOut>> {
    let listing = stores.catalog.read().await?;
    Ok(List::new(listing.providers.values().map(ProviderOut::from)))
}

/// Read a provider
#[utoipa::path(
    get, path = "/gateway/v1/admin/providers/{name}", tag = "admin",
    params(("name" = String, Path, description = "The provider")),
    responses(
        (status = 200, description = "The provider", body = ProviderOut,
            headers(("ETag" = String, description = "The provider's version"))),
        NotFound<ProviderName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn get_provider(
    State(stores): State<Stores>,
    _: Operator,
    Path(ProviderName(name)): Path<ProviderName>,
) -> Result<(ETag, Body<ProviderOut>)> {
    let listing = stores.catalog.read().await?;
    let out = ProviderOut::from(find(&listing, &name)?);
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Add a provider
///
/// With a `preset`, a key is enough: see `GET /gateway/v1/admin/provider-presets`.
#[utoipa::path(
    post, path = "/gateway/v1/admin/providers", tag = "admin", request_body = ProviderIn,
    responses(
        Created<ProviderOut>,
        (status = 409, description = "`provider_exists`: a provider with this name exists", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn create_provider(
    State(stores): State<Stores>,
    operator: Operator,
    UncheckedJson(body): UncheckedJson<ProviderIn>,
) -> Result<(StatusCode, Body<ProviderOut>)> {
    let mut body = body.with_preset()?;
    body.check(None, &stores.outbound)?;
    let action = operator.audit_action("provider.create", body.name());
    let key = match body.take_api_key() {
        Some(key) => seal(&stores, body.name(), &key).await?,
        None => KeyChange::Remove,
    };
    let create = |listing: &Listing| {
        let provider = body.clone().read(None, &key, &stores.outbound, listing.next_version())?;
        if listing.providers.contains_key(&provider.name) {
            let message = "a provider with this name exists; choose another name".to_owned();
            return Err(Error::Conflict { code: "provider_exists", message });
        }
        Ok(CatalogChange { before: None, after: Some(entry(provider)) })
    };
    let (change, _) = stores.admin.change_catalog(&action, &stores.catalog, create).await?;
    Ok((StatusCode::CREATED, Body(changed_provider(change)?)))
}

/// Update a provider
///
/// Applies a JSON merge patch (RFC 7396). Without `api_key`, the API key is kept; null removes it.
#[utoipa::path(
    patch, path = "/gateway/v1/admin/providers/{name}", tag = "admin",
    params(("name" = String, Path, description = "The provider"), IfMatchHeaders),
    request_body(content = Object, description = "Any subset of the fields of the create request"),
    responses(
        (status = 200, description = "The updated provider", body = ProviderOut,
            headers(("ETag" = String, description = "The provider's version"))),
        NotFound<ProviderName>, Stale, BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn update_provider(
    State(stores): State<Stores>,
    operator: Operator,
    Path(ProviderName(name)): Path<ProviderName>,
    if_match: IfMatch,
    UncheckedJson(mut patch): UncheckedJson<Value>,
) -> Result<(ETag, Body<ProviderOut>)> {
    let action = operator.audit_action("provider.update", &name);
    let key = match patch.as_object_mut().and_then(|patch| patch.remove("api_key")) {
        None => KeyChange::Keep,
        Some(Value::Null) => KeyChange::Remove,
        Some(Value::String(key)) => seal(&stores, &name, &key).await?,
        Some(_) => return Err(Error::invalid_body("api_key", "must be a string or null").into()),
    };
    let patch = MergePatch::try_from(patch).map_err(|problem| Error::invalid_body("", problem))?;
    let update = |listing: &Listing| {
        let before = find(listing, &name)?;
        let after = patch.merge(&ProviderIn::from(before), &[])?;
        if after.name() != name {
            return Err(Error::invalid_body("name", "a provider cannot be renamed; create another provider"));
        }
        let after = after.read(Some(before), &key, &stores.outbound, listing.next_version())?;
        check_version(&if_match, &render_snapshot(&ProviderOut::from(before)))?;
        Ok(CatalogChange { before: Some(entry(before.clone())), after: Some(entry(after)) })
    };
    let (change, _) = stores.admin.change_catalog(&action, &stores.catalog, update).await?;
    let out = changed_provider(change)?;
    Ok((etag(&render_snapshot(&out)), Body(out)))
}

/// Delete a provider
#[utoipa::path(
    delete, path = "/gateway/v1/admin/providers/{name}", tag = "admin",
    params(("name" = String, Path, description = "The provider")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 409, description = "`provider_in_use`: a model has a deployment on the provider", body = ErrorBody),
        NotFound<ProviderName>, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn delete_provider(
    State(stores): State<Stores>,
    operator: Operator,
    Path(ProviderName(name)): Path<ProviderName>,
) -> Result<StatusCode> {
    let action = operator.audit_action("provider.delete", &name);
    let delete = |listing: &Listing| {
        let before = find(listing, &name)?;
        let mut models = listing.models.values();
        if let Some(model) = models.find(|model| model.deployments.iter().any(|it| it.provider == name)) {
            let message =
                format!("the model {} has a deployment on this provider; remove the deployment first", model.name);
            return Err(Error::Conflict { code: "provider_in_use", message });
        }
        Ok(CatalogChange { before: Some(entry(before.clone())), after: None })
    };
    stores.admin.change_catalog(&action, &stores.catalog, delete).await?;
    Ok(StatusCode::NO_CONTENT)
}

pub async fn seal(stores: &Stores, name: &str, key: &str) -> domain::Result<KeyChange> {
    schema::check_text::<ApiKeyText>("api_key", key)?;
    let sealed = stores.secrets.seal(&StoredProvider::sealed_for(name), key.as_bytes()).await?;
    // Four characters would reveal too much of a short key.
    let shown = if key.len() >= 16 { 4 } else { key.len() / 4 };
    Ok(KeyChange::Replace { sealed, last4: key[key.len() - shown..].to_owned() })
}

fn find<'a>(listing: &'a Listing, name: &str) -> domain::Result<&'a StoredProvider> {
    listing.providers.get(name).ok_or(Error::NotFound { kind: ProviderName::KIND })
}

pub fn entry(provider: StoredProvider) -> (CatalogEntry, String) {
    let snapshot = render_snapshot(&ProviderOut::from(&provider));
    (CatalogEntry::Provider(provider), snapshot)
}

fn changed_provider(change: CatalogChange) -> domain::Result<ProviderOut> {
    stored_provider(change).map(|provider| ProviderOut::from(&provider))
}

/// The provider after a change.
pub fn stored_provider(change: CatalogChange) -> domain::Result<StoredProvider> {
    match change.after {
        Some((CatalogEntry::Provider(provider), _)) => Ok(provider),
        _ => Err(Error::internal("the change of a provider returned no provider")),
    }
}
