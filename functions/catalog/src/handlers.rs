//! One function a route.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use domain::name::ModelName;
use domain::time::Time;
use shared::http::openai::{ApiCaller, ErrorBody, List, Path, Refused, Result, model_headers};
use shared::models::{is_on_list, visible};

use crate::Stores;
use crate::dto::{AliasOut, ModelOut};

/// List models
///
/// The models that the key may call, by name. The whole list, as OpenAI has it.
#[utoipa::path(
    get, path = "/gateway/v1/models", tag = "models", security(("bearer" = [])),
    responses((status = 200, description = "The models", body = List<ModelOut>), Refused),
)]
pub async fn list_models(State(stores): State<Stores>, ApiCaller(caller): ApiCaller) -> Result<List<ModelOut>> {
    let listing = stores.models.listing().await?;
    let (plan, list, now) = (&caller.caller.plan, caller.key.models.as_deref(), Time::now());
    let models = listing
        .models
        .values()
        .filter(|model| plan.allows(&model.name) && !model.is_retired(now) && is_on_list(list, &listing, &model.name));
    Ok(List::new(models.map(|model| ModelOut::new(model, &listing))))
}

/// List aliases
///
/// The public names of the models that the key may call.
#[utoipa::path(
    get, path = "/gateway/v1/models/aliases", tag = "models", security(("bearer" = [])),
    responses((status = 200, description = "The aliases", body = List<AliasOut>), Refused),
)]
pub async fn list_aliases(State(stores): State<Stores>, ApiCaller(caller): ApiCaller) -> Result<List<AliasOut>> {
    let listing = stores.models.listing().await?;
    let (plan, list, now) = (&caller.caller.plan, caller.key.models.as_deref(), Time::now());
    let aliases = listing
        .aliases
        .iter()
        .filter(|(alias, model)| visible(&listing, plan, alias, now).is_ok() && is_on_list(list, &listing, model));
    Ok(List::new(aliases.map(|(alias, model)| AliasOut { alias: alias.clone(), model: model.clone() })))
}

/// Read a model
///
/// By its name, which may hold slashes, or by an alias.
#[utoipa::path(
    get, path = "/gateway/v1/models/{name}", tag = "models", security(("bearer" = [])),
    params(("name" = String, Path, description = "A name of the catalog, or an alias")),
    responses(
        (status = 200, description = "The model", body = ModelOut, headers(
            ("X-Alias-Of" = String, description = "An alias was asked for: the name of its model"),
            ("X-Model-Deprecated" = String, description = "The model is being retired"),
            ("X-Model-Retires-At" = String, description = "From then on it does not answer any more"),
        )),
        (status = 403, description = "The model is not on the key's list", body = ErrorBody),
        (status = 404, description = "No such model in the plan", body = ErrorBody),
        Refused,
    ),
)]
pub async fn get_model(
    State(stores): State<Stores>,
    ApiCaller(caller): ApiCaller,
    Path(ModelName(name)): Path<ModelName>,
) -> Result<(HeaderMap, Json<ModelOut>)> {
    let chosen = stores.models.find(&caller.caller.plan, caller.key.models.as_deref(), &name).await?;
    let headers = model_headers(&chosen.model, chosen.by_alias, Time::now());
    Ok((headers, Json(ModelOut::new(&chosen.model, &chosen.listing))))
}
