//! The route table of webhooks and messaging providers.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;
use crate::messages::*;

routes! { Stores;
    "/hooks/v1/{webhook_id}" => post(trigger_webhook);
    "/hooks/v1/messages/{credential_id}" => post(receive_messages), get(verify_subscription?);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA, context))
}
