//! The route table of the invocations.

use axum::Router;
use domain::Result;
use shared::http::{finish, standard};
use shared::{Context, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/builder/v1/agents/{id}/invoke" => post(invoke_agent);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, standard::AREA, "invocations", &context.config))
}
