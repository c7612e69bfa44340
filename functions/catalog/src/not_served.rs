//! What other gateways serve and this one does not. A client learns this from the error, instead of searching for a wrong path.

use axum::Router;
use axum::routing::any;
use domain::Error;
use web::ApiError;

/// Paths after `/gateway/v1/`, each with the message for it and for all paths below it.
const NOT_SERVED: [(&str, &str); 5] = [
    (
        "realtime",
        "the gateway has no realtime sessions; stream the answers of /gateway/v1/responses or /gateway/v1/chat/completions",
    ),
    ("a2a", "the gateway does not speak A2A; start an agent with POST /builder/v1/agents/{id}/invoke"),
    (
        ".well-known/agent-card.json",
        "the gateway does not speak A2A, so it has no agent card; start an agent with POST /builder/v1/agents/{id}/invoke",
    ),
    ("prompts", "the gateway keeps no prompts; send the messages with each call, or keep a prompt in an agent"),
    (
        "cache",
        "the gateway has no semantic cache; a model can answer equal requests from its cache, see response_cache of a model",
    ),
];

pub fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    NOT_SERVED.into_iter().fold(Router::new(), |router, (path, message)| {
        let refuse = any(async move || ApiError(Error::NotServed { message }));
        let path = format!("/gateway/v1/{path}");
        router.route(&format!("{path}/{{*rest}}"), refuse.clone()).route(&path, refuse)
    })
}
