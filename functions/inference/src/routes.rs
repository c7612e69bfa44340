//! The route table of the inference API.

use axum::Router;
use domain::Result;
use shared::http::{finish, openai};
use shared::{Context, routes};

use crate::Stores;
use crate::handlers::chat::*;
use crate::handlers::embeddings::*;
use crate::handlers::images::*;

routes! { Stores;
    "/gateway/v1/chat/completions" => post(create_chat_completion);
    "/gateway/v1/embeddings" => post(create_embeddings);
    "/gateway/v1/images/generations" => post(create_images);
    "/gateway/v1/images/generations/{job_id}" => get(get_image_job);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, openai::AREA, "inference", &context.config))
}
