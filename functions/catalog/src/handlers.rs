//! HTTP handlers: one function for each route.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::name::ModelName;
use store::model_catalog::{is_on_list, visible};
use web::gateway::{CatalogReader, ErrorBody, ErrorResponses, List, model_headers};
use web::{Path, Query, Result};

use crate::Stores;
use crate::dto::{AliasOut, ModelOut, ModelsQuery};

/// List models
///
/// Returns all models that the caller may call, sorted by name. Like OpenAI's endpoint, the list is not paginated. A client
/// that lists every model as a chat model can be given `?capabilities=chat`.
#[utoipa::path(
    get, path = "/gateway/v1/models", tag = "models", params(ModelsQuery),
    responses((status = 200, description = "The models", body = List<ModelOut>), ErrorResponses),
)]
pub async fn list_models(
    State(stores): State<Stores>,
    CatalogReader(person): CatalogReader,
    Query(query): Query<ModelsQuery>,
) -> Result<List<ModelOut>> {
    let filter = query.read()?;
    let listing = stores.models.listing().await?;
    let (plan, list, now) = (&person.caller.plan, person.models(), person.caller.at);
    let models = listing.models.values().filter(|model| {
        let is_usable = plan.allows(&model.name) && !model.is_retired(now) && is_on_list(list, &listing, &model.name);
        is_usable && filter.matches(model)
    });
    Ok(List::new(models.map(|model| ModelOut::new(model, &listing))))
}

/// List aliases
///
/// Returns the aliases of the models that the caller may call.
#[utoipa::path(
    get, path = "/gateway/v1/models/aliases", tag = "models",
    responses((status = 200, description = "The aliases", body = List<AliasOut>), ErrorResponses),
)]
pub async fn list_aliases(
    State(stores): State<Stores>,
    CatalogReader(person): CatalogReader,
) -> Result<List<AliasOut>> {
    let listing = stores.models.listing().await?;
    let (plan, list, now) = (&person.caller.plan, person.models(), person.caller.at);
    let aliases = listing
        .aliases
        .iter()
        .filter(|(alias, model)| visible(&listing, plan, alias, now).is_some() && is_on_list(list, &listing, model));
    Ok(List::new(aliases.map(|(alias, model)| AliasOut { alias: alias.clone(), model: model.clone() })))
}

/// Read a model
///
/// Finds a model by its name, which may contain slashes, or by an alias.
#[utoipa::path(
    get, path = "/gateway/v1/models/{name}", tag = "models",
    params(("name" = String, Path, description = "The name of a model, or an alias")),
    responses(
        (status = 200, description = "The model", body = ModelOut, headers(
            ("X-Alias-Of" = String, description = "The name of the model, if the request named an alias"),
            ("X-Model-Deprecated" = String, description = "Present if the model is deprecated"),
            ("X-Model-Retires-At" = String, description = "When the model stops answering"),
        )),
        (status = 403, description = "The key is not allowed to use this model", body = ErrorBody),
        (status = 404, description = "The plan does not include a model of this name; the message suggests the nearest name", body = ErrorBody),
        ErrorResponses,
    ),
)]
pub async fn get_model(
    State(stores): State<Stores>,
    CatalogReader(person): CatalogReader,
    Path(ModelName(name)): Path<ModelName>,
) -> Result<(HeaderMap, Json<ModelOut>)> {
    let chosen = stores.models.find(&person.caller.plan, person.models(), &name).await?;
    let headers = model_headers(&chosen.model, chosen.alias.is_some(), person.caller.at);
    Ok((headers, Json(ModelOut::new(&chosen.model, &chosen.listing))))
}
