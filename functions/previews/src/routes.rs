//! The route table of the previews.

use axum::Router;
use domain::Result;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;
use crate::test_agent::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/preview" => post(preview_workflow);
    "/builder/v1/workflows/{id}/test-agent" => get(get_test_agent), post(test_workflow);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA, context))
}
