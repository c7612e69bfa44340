//! The route table of the webhooks that start runs.

use axum::Router;
use domain::Result;
use shared::http::{finish, standard};
use shared::{Context, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/hooks/v1/{webhook_id}" => post(trigger_webhook);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, standard::AREA, "hooks", &context.config))
}
