//! The route table of the model catalog.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::handlers::*;
use crate::{Stores, not_served};

routes! { Stores;
    "/gateway/v1/models" => get(list_models?);
    "/gateway/v1/models/aliases" => get(list_aliases);
    "/gateway/v1/models/{*name}" => get(get_model);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().merge(not_served::routes()).with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
