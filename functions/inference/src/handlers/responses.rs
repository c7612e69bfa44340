//! Responses of OpenAI's Responses API: created, read again and deleted.

use std::sync::Arc;

use auth::ApiCaller;
use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use domain::id::{ApiKeyId, Id, ResponseId};
use domain::identity::Account;
use domain::retention::RunRetention;
use domain::time::Time;
use domain::{Error, Result as DomainResult};
use gateway::chat::responses::{ResponseSettings, ResponsesRequest, previous_response_id};
use serde_json::Value;
use store::{ResponseContent, StoredResponse};
use web::gateway::{AnsweredOrStreamed, ErrorResponses, InferenceCaller, InferenceReader, ModelCallErrors, NotFound};
use web::{Hashed, Path, Result, UncheckedJson};

use super::claim::answer_once;
use super::conversation::stream_once;
use crate::Stores;
use crate::dto::call_headers::{CallHeaders, ChatResponseHeaders};
use crate::dto::responses::{DeletedResponseOut, ResponseIn, ResponseOut};
use crate::incoming::IncomingCall;
use crate::writers::responses::{WrittenResponse, write_response_stream};
use crate::writers::to_json;

/// Create a response
///
/// Compatible with OpenAI's Responses API, for any chat model of the catalog. The response is kept for as many days as the
/// plan keeps runs, so that `previous_response_id` continues it; with `store: false` it is not. Built-in tools of OpenAI,
/// background responses, conversations and stored prompts are refused. With `stream: true` the answer is sent as
/// server-sent events.
#[utoipa::path(
    post, path = "/gateway/v1/responses", tag = "inference", params(CallHeaders), request_body = ResponseIn,
    responses(
        AnsweredOrStreamed<ResponseOut, ChatResponseHeaders>,
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_response(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    let earlier = find_earlier(&stores, &caller, &value).await?;
    let ResponsesRequest { chat, settings } = ResponsesRequest::read(value, &earlier)?;
    let settings = Arc::new(settings);
    let keeper = Keeper::new(&stores, &caller, settings.clone(), earlier);
    if chat.is_streamed() {
        let write = |stream| {
            write_response_stream(stream, settings, move |response| {
                let keeper = keeper.clone();
                async move { keeper.keep(&response).await }
            })
        };
        return stream_once(&stores, incoming, chat, write).await;
    }
    let complete = async |gateway_caller| {
        let (completion, report) = stores.gateway.complete(gateway_caller, chat).await?;
        keeper.keep(&WrittenResponse::of_completion(&completion, &settings)?).await;
        DomainResult::Ok((completion, report))
    };
    let write = |completion: &_| to_json(&WrittenResponse::of_completion(completion, &settings)?.for_client(&settings));
    answer_once(&stores, incoming, complete, write).await
}

/// Read a response
#[utoipa::path(
    get, path = "/gateway/v1/responses/{response_id}", tag = "inference", params(("response_id" = String, Path)),
    responses((status = 200, description = "The response", body = ResponseOut), NotFound<ResponseId>, ErrorResponses),
)]
pub async fn get_response(
    State(stores): State<Stores>,
    reader: InferenceReader,
    Path(id): Path<ResponseId>,
) -> Result<Response> {
    let response = find_own(&stores, &reader, id).await?;
    let body = to_json(&response.content.object)?;
    Ok((StatusCode::OK, [(CONTENT_TYPE, "application/json")], body).into_response())
}

/// Delete a response
///
/// Responses that continue it keep what they need of it.
#[utoipa::path(
    delete, path = "/gateway/v1/responses/{response_id}", tag = "inference", params(("response_id" = String, Path)),
    responses(
        (status = 200, description = "The response is deleted", body = DeletedResponseOut),
        NotFound<ResponseId>, ErrorResponses,
    ),
)]
pub async fn delete_response(
    State(stores): State<Stores>,
    reader: InferenceReader,
    Path(id): Path<ResponseId>,
) -> Result<JsonBody<DeletedResponseOut>> {
    find_own(&stores, &reader, id).await?;
    stores.responses.delete(reader.caller.account(), id, reader.caller.at).await?;
    Ok(JsonBody(DeletedResponseOut { id, object: "response", deleted: true }))
}

async fn find_own(stores: &Stores, reader: &InferenceReader, id: ResponseId) -> Result<StoredResponse> {
    let response = stores.responses.get(reader.caller.account(), id, reader.caller.at).await?;
    match reader.may_read(response.key) {
        true => Ok(response),
        false => Err(Error::NotFound { kind: ResponseId::KIND }.into()),
    }
}

/// The items of the response that the request continues.
async fn find_earlier(stores: &Stores, caller: &ApiCaller, body: &Value) -> Result<Vec<Value>> {
    let Some(id) = previous_response_id(body)? else { return Ok(Vec::new()) };
    let unknown = || {
        let problem = "no response with this id is kept; send the whole input, without previous_response_id";
        Error::invalid_body("previous_response_id", problem)
    };
    let id: ResponseId = id.parse().map_err(|_| unknown())?;
    let stored = match stores.responses.get(caller.caller.account(), id, caller.caller.at).await {
        Err(Error::NotFound { .. }) => return Err(unknown().into()),
        stored => stored?,
    };
    // The key of a workbench continues only its own responses, because all editors of the workbench know it.
    match caller.key.workbench.is_none() || stored.key == Some(caller.key.id) {
        true => Ok(stored.content.items),
        false => Err(unknown().into()),
    }
}

/// Keeps the responses of a request.
#[derive(Clone)]
struct Keeper {
    stores: Stores,
    account: Account,
    retention: RunRetention,
    key: ApiKeyId,
    at: Time,
    settings: Arc<ResponseSettings>,
    earlier: Arc<Vec<Value>>,
}

impl Keeper {
    fn new(stores: &Stores, caller: &ApiCaller, settings: Arc<ResponseSettings>, earlier: Vec<Value>) -> Self {
        Self {
            stores: stores.clone(),
            account: caller.caller.account(),
            retention: caller.caller.plan.run_retention,
            key: caller.key.id,
            at: caller.caller.at,
            settings,
            earlier: Arc::new(earlier),
        }
    }

    /// Stores a response, unless the client does not want it. The answer is charged and complete, so a failure is only logged.
    async fn keep(&self, response: &WrittenResponse) {
        if !self.settings.is_stored {
            return;
        }
        let items = self.earlier.iter().chain(&self.settings.input).chain(response.output()).cloned().collect();
        let content = ResponseContent { object: response.for_client(&self.settings), items };
        let stored = StoredResponse { key: Some(self.key), content };
        let kept = self.stores.responses.put(self.account, response.id, &stored, self.retention, self.at).await;
        if let Err(error) = kept {
            tracing::error!(?error, response = %response.id, "a response could not be stored");
        }
    }
}
