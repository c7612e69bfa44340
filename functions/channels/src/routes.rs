//! The route table of the channels API.

use axum::Router;
use axum::routing::get;
use domain::Result;
use domain::scope::ScopeArea;
use platform::Context;
use web::{finish, routes};

use crate::Stores;
use crate::handlers::connections::*;
use crate::handlers::consents::*;
use crate::handlers::credentials::*;
use crate::handlers::events::*;
use crate::handlers::teams::*;
use crate::handlers::test_call::*;
use crate::handlers::tool_credentials::*;
use crate::handlers::webhooks::*;

routes! { Stores;
    "/builder/v1/agents/{id}/tools/{tool}/credential" => put(set_tool_credential), delete(delete_tool_credential);
    "/builder/v1/workflows/{id}/connections" => get(get_connections), put(replace_connections);
    "/builder/v1/workflows/{id}/webhooks" => get(list_webhooks), post(create_webhook);
    "/builder/v1/workflows/{id}/webhooks/{webhook_id}" => get(get_webhook), delete(delete_webhook);
    "/builder/v1/workflows/{id}/webhooks/{webhook_id}/regenerate-token" => post(regenerate_token);
    "/builder/v1/workflows/{id}/webhooks/{webhook_id}/events" => get(list_events?);
    "/builder/v1/workflows/{id}/webhooks/{webhook_id}/events/{event_id}" => get(get_event);
    "/builder/v1/workflows/{id}/webhook-credentials" => get(list_credentials);
    "/builder/v1/workflows/{id}/webhook-credentials/inbound/regenerate" => post(regenerate_inbound);
    "/builder/v1/workflows/{id}/webhook-credentials/outbound" => get(list_outbound), post(create_credential);
    "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}" => get(get_credential), delete(delete_credential);
    "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/test" => post(test_credential);
    "/builder/v1/workflows/{id}/webhook-credentials/outbound/{credential_id}/authorize" => get(authorize_credential);
    "/builder/v1/workflows/{id}/teams" => get(list_teams?), post(create_team);
    "/builder/v1/workflows/{id}/teams/{team_id}" => get(get_team), post(update_team_with_post), patch(update_team), delete(delete_team);
}

const SCOPES: [(&str, ScopeArea); 2] =
    [("/builder/v1/agents/", ScopeArea::Agents), ("/builder/v1/", ScopeArea::Workflows)];

pub fn router(context: &Context) -> Result<Router> {
    // The callback is for browsers, so it is not part of the documented API.
    let router = table().route("/oauth/callback", get(confirm_consent).post(finish_consent));
    Ok(finish(router.with_state(Stores::new(context)?), ROUTES, web::builder::AREA.with_scopes(&SCOPES), context))
}
