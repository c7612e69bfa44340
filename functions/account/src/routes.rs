//! The route table of the account API.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::dto::NewApiKeyOut;
use crate::handlers::*;

routes! { Stores;
    "/gateway/v1/me" => get(get_me);
    "/gateway/v1/me/orgs" => get(list_orgs);
    "/gateway/v1/me/api-keys" => get(list_api_keys?), post(create_api_key);
    "/gateway/v1/me/api-keys/{id}" => delete(revoke_api_key);
    "/gateway/v1/me/api-keys/{id}/rotate" => post(rotate_api_key);
    schemas(NewApiKeyOut);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
