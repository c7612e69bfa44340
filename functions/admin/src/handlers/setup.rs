//! Handler for the setup: one declaration of everything that a first call of a provider's model needs.

use axum::Json as Body;
use axum::extract::State;
use web::base_url::BaseUrl;
use web::gateway::{BodyRefused, ErrorBody, ErrorResponses, Operator, OperatorOnly};
use web::{Result, UncheckedJson};

use crate::Stores;
use crate::dto::setup::{SetupIn, SetupOut};
use crate::setup::set_up;

/// Set up an organization and a provider
///
/// Declares an organization with its plan, a user, an API key and first credits, and a provider with its models and aliases.
/// What is missing is created, what differs is changed, and what is as declared is left alone: a repetition of the same
/// request changes nothing. Each part is optional. The whole body is validated before the first write, and each write is in
/// the audit log as that of its own route. The provider is tested, and its models are listed.
#[utoipa::path(
    post, path = "/gateway/v1/admin/setup", tag = "admin", request_body = SetupIn,
    responses(
        (status = 200, description = "What was created, changed and left alone", body = SetupOut),
        (status = 409, description = "`model_exists`: a model has the name of an alias; `too_many_api_keys`: the user already \
            has 100 keys", body = ErrorBody),
        BodyRefused, OperatorOnly, ErrorResponses,
    ),
)]
pub async fn put_setup(
    State(stores): State<Stores>,
    operator: Operator,
    BaseUrl(base_url): BaseUrl,
    UncheckedJson(body): UncheckedJson<SetupIn>,
) -> Result<Body<SetupOut>> {
    Ok(Body(set_up(&stores, &operator, base_url, body).await?))
}
