//! The route table of the previews.

use axum::Router;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::*;
use crate::test_agent::*;

routes! { Stores;
    "/builder/v1/workflows/{id}/preview" => post(preview_workflow);
    "/builder/v1/workflows/{id}/test-agent" => get(get_test_agent), post(test_workflow);
}

const SCOPES: [(&str, ScopeArea); 1] = [("/builder/v1/", ScopeArea::Workflows)];

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
