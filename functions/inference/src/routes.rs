//! The route table of the inference API.

use axum::Router;
use domain::Result;
use platform::Context;
use web::gateway::AnthropicErrorBody;
use web::{finish, routes};

use crate::Stores;
use crate::dto::audio::TranscriptionOut;
use crate::dto::chat::ChatCompletionOut;
use crate::dto::completions::CompletionOut;
use crate::dto::embeddings::EmbeddingsOut;
use crate::dto::guard::{GuardEvaluationOut, ModerationsOut};
use crate::dto::images::ImagesOut;
use crate::dto::messages::MessageOut;
use crate::dto::rerank::RerankOut;
use crate::dto::responses::ResponseOut;
use crate::handlers::audio::*;
use crate::handlers::chat::*;
use crate::handlers::completions::*;
use crate::handlers::embeddings::*;
use crate::handlers::guard::*;
use crate::handlers::images::*;
use crate::handlers::messages::*;
use crate::handlers::rerank::*;
use crate::handlers::responses::*;

routes! { Stores;
    "/gateway/v1/chat/completions" => post(create_chat_completion);
    "/gateway/v1/completions" => post(create_completion);
    "/gateway/v1/messages" => post(create_message ?);
    "/gateway/v1/messages/count_tokens" => post(count_message_tokens ?);
    "/gateway/v1/responses" => post(create_response);
    "/gateway/v1/responses/{response_id}" => get(get_response), delete(delete_response);
    "/gateway/v1/embeddings" => post(create_embeddings);
    "/gateway/v1/rerank" => post(rerank_documents);
    "/gateway/v1/guard" => post(evaluate_guard);
    "/gateway/v1/moderations" => post(create_moderation);
    "/gateway/v1/audio/transcriptions" => post(create_transcription);
    "/gateway/v1/audio/translations" => post(create_translation);
    "/gateway/v1/audio/speech" => post(create_speech);
    "/gateway/v1/images/edits" => post(edit_images);
    "/gateway/v1/images/generations" => post(create_images);
    "/gateway/v1/images/generations/{job_id}" => get(get_image_job);
    schemas(AnthropicErrorBody, ChatCompletionOut, CompletionOut, MessageOut, ResponseOut, EmbeddingsOut, GuardEvaluationOut, ImagesOut, ModerationsOut, RerankOut, TranscriptionOut);
}

pub fn router(context: &Context) -> Result<Router> {
    let router = table().with_state(Stores::new(context)?);
    Ok(finish(router, ROUTES, web::gateway::AREA, context))
}
