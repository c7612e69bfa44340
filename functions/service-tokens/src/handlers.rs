//! HTTP handlers: one function for each route.

use axum::extract::State;
use axum::http::StatusCode;
use domain::Error;
use domain::id::ServiceTokenId;
use domain::token::{SecretToken, TokenKind};
use web::builder::{Administrator, AdministratorOnly, Created, Data, ErrorBody, ErrorResponses, NotFound, NotJson};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::{NewServiceTokenOut, ServiceTokenIn, ServiceTokenOut};

/// List service tokens
///
/// Returns all tokens of the organization, oldest first and without their secrets. Expired ones are listed until they are deleted.
#[utoipa::path(
    get, path = "/builder/v1/service-tokens", tag = "service tokens",
    responses(
        (status = 200, description = "The tokens", body = Data<Vec<ServiceTokenOut>>),
        AdministratorOnly, ErrorResponses,
    ),
)]
pub async fn list_service_tokens(
    State(stores): State<Stores>,
    Administrator(caller): Administrator,
) -> Result<Data<Vec<ServiceTokenOut>>> {
    let tokens = stores.tokens.list(caller.org).await?;
    Ok(Data { data: tokens.into_iter().map(ServiceTokenOut::from).collect() })
}

/// Create a service token
///
/// The token is returned only in this response. It belongs to a service account of the organization, a member with this name,
/// which is created with its first token. Create a second token with the same name to replace one before it expires.
#[utoipa::path(
    post, path = "/builder/v1/service-tokens", tag = "service tokens", request_body = ServiceTokenIn,
    responses(
        Created<NewServiceTokenOut>,
        (status = 409, description = "`too_many_service_tokens`: the organization already has 100", body = ErrorBody),
        AdministratorOnly, NotJson, ErrorResponses,
    ),
)]
pub async fn create_service_token(
    State(stores): State<Stores>,
    administrator: Administrator,
    Json(body): Json<ServiceTokenIn>,
) -> Result<(StatusCode, Data<NewServiceTokenOut>)> {
    let (id, secret) = (ServiceTokenId::new(), SecretToken::generate(TokenKind::Service));
    let token = body.read(id, &administrator.0, &secret)?;
    let action = administrator.audit_action("service_token.create", id);
    let details = ServiceTokenOut::from(token.clone());
    let audit = serde_json::to_string(&details).map_err(Error::internal)?;
    stores.admin.create_service_token(&action, &token, &secret.hash(), audit).await?;
    Ok((StatusCode::CREATED, Data { data: NewServiceTokenOut { details, token: secret.reveal().to_owned() } }))
}

/// Delete a service token
///
/// The token stops working immediately. What its service account owns stays, for a later token with the same name.
#[utoipa::path(
    delete, path = "/builder/v1/service-tokens/{token_id}", tag = "service tokens",
    params(("token_id" = String, Path, description = "The token")),
    responses(
        (status = 204, description = "Deleted"),
        AdministratorOnly, NotFound<ServiceTokenId>, ErrorResponses,
    ),
)]
pub async fn delete_service_token(
    State(stores): State<Stores>,
    administrator: Administrator,
    Path(id): Path<ServiceTokenId>,
) -> Result<StatusCode> {
    let action = administrator.audit_action("service_token.delete", id);
    stores.admin.delete_service_token(&action, &stores.tokens, administrator.0.org, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
