//! The route table of service tokens. Service accounts may not use it, so it has no scopes.

use axum::Router;
use domain::Result;
use platform::Context;
use web::builder::Data;
use web::{finish, routes};

use crate::Stores;
use crate::dto::NewServiceTokenOut;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/service-tokens" => get(list_service_tokens), post(create_service_token);
    "/builder/v1/service-tokens/{token_id}" => delete(delete_service_token);
    schemas(Data<NewServiceTokenOut>);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA, context))
}
