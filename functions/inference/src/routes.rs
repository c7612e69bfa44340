//! The route table of the inference API.

use axum::Router;
use domain::Result;
use shared::http::{finish, openai};
use shared::{Context, routes};

use crate::Stores;
use crate::handlers::*;

routes! { Stores;
    "/gateway/v1/chat/completions" => post(create_chat_completion);
    "/gateway/v1/embeddings" => post(create_embeddings);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, openai::AREA, "inference", &context.config))
}
