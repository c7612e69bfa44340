//! The route table of webhooks and messaging providers.

use axum::Router;
use axum::routing::get;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::form::*;
use crate::handlers::*;
use crate::messages::*;

routes! { Stores;
    "/hooks/v1/{webhook_id}" => post(trigger_webhook?), get(get_webhook?);
    "/hooks/v1/messages/{credential_id}" => post(receive_messages), get(verify_subscription?);
}

pub fn router(context: &Context) -> Result<Router> {
    // Forms are for browsers, so they are not part of the documented API.
    let router = table()
        .route("/hooks/v1/{webhook_id}/form", get(show_form).post(send_form))
        .route("/hooks/v1/{webhook_id}/form/{link}", get(show_progress).post(send_page));
    Ok(finish(router.with_state(Stores::new(context)?), ROUTES, web::builder::AREA, context))
}
