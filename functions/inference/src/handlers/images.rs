//! Image generation and edits of images. A request starts a job and waits for it, unless the client or the model asks for the job itself.

use axum::Json as JsonBody;
use axum::extract::State;
use axum::http::header::{HeaderName, LOCATION};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::Error;
use domain::id::{Id, ImageJobId};
use domain::image::{GeneratedImages, ImageFailure, ImageJob, ImageJobEnd, ImageJobState};
use futures::future::try_join_all;
use gateway::images::{EditSources, ImageRequest, NUMBERS};
use gateway::{Gateway, StartedImages};
use serde_json::Value;
use web::gateway::{Answered, ErrorResponses, InferenceCaller, InferenceReader, ModelCallErrors, NotFound};
use web::idempotency::IDEMPOTENT_REPLAYED;
use web::{Form, Hashed, Path, Result, UncheckedJson};

use super::claim::{NextStep, claim};
use crate::dto::call_headers::{CallHeaders, ForwardedResponseHeaders};
use crate::dto::images::{
    ImageEditIn, ImageErrorOut, ImageGenerationIn, ImageHeaders, ImageJobOut, ImageOut, ImageUsageOut, ImagesOut,
    StartedImageJobOut,
};
use crate::incoming::{IncomingCall, read_texts, uploaded_file};
use crate::{Stores, headers};

const PREFER: HeaderName = HeaderName::from_static("prefer");
const PREFERENCE_APPLIED: HeaderName = HeaderName::from_static("preference-applied");
const RESPOND_ASYNC: &str = "respond-async";

/// Generate images
///
/// Compatible with OpenAI's images API. The answer has the images, or a job to poll: if the request has
/// `Prefer: respond-async`, if the model is asynchronous, or if the images take longer than the gateway waits. A job that
/// fails is not billed. Images are not streamed: `stream: true` is refused.
#[utoipa::path(
    post, path = "/gateway/v1/images/generations", tag = "inference", params(CallHeaders, ImageHeaders),
    request_body = ImageGenerationIn,
    responses(
        Answered<ImagesOut, ForwardedResponseHeaders>,
        (status = 202, description = "The job", body = StartedImageJobOut,
            headers(
                ("Location" = String, description = "The path of the job"),
                ("Preference-Applied" = String, description = "`respond-async` if the request preferred it"),
            ),
        ),
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn create_images(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    Hashed { body: UncheckedJson(value), hash, bytes }: Hashed<UncheckedJson<Value>>,
) -> Result<Response> {
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    start_and_wait(&stores, incoming, ImageRequest::read(value)?, None).await
}

/// Edit images
///
/// Compatible with OpenAI's images API. The request is a form with up to 16 pictures in parts named `image` or `image[]`, and
/// perhaps a `mask`. The model needs the capability `image_edits`. The limits, the answer and the job are those of generated
/// images. The whole form has at most 4 MiB.
#[utoipa::path(
    post, path = "/gateway/v1/images/edits", tag = "inference", params(CallHeaders, ImageHeaders),
    request_body(content = ImageEditIn, content_type = "multipart/form-data"),
    responses(
        Answered<ImagesOut, ForwardedResponseHeaders>,
        (status = 202, description = "The job", body = StartedImageJobOut,
            headers(
                ("Location" = String, description = "The path of the job"),
                ("Preference-Applied" = String, description = "`respond-async` if the request preferred it"),
            ),
        ),
        ErrorResponses, ModelCallErrors,
    ),
)]
pub async fn edit_images(
    State(stores): State<Stores>,
    InferenceCaller(caller): InferenceCaller,
    headers: HeaderMap,
    mut form: Form,
) -> Result<Response> {
    let hash = form.hash("edit");
    let pictures = form.take_all("image").into_iter().map(uploaded_file).collect();
    let sources = EditSources::read(pictures, form.take("mask")?.map(uploaded_file))?;
    let (bytes, value) = read_texts(form, &NUMBERS)?;
    let incoming = IncomingCall::read(&caller, &headers, hash, bytes, &value)?;
    start_and_wait(&stores, incoming, ImageRequest::read_edit(value)?, Some(sources)).await
}

/// Starts a job, or finds that of an earlier request, and waits for it unless the client or the model does not want that.
async fn start_and_wait(
    stores: &Stores,
    incoming: IncomingCall<'_>,
    request: ImageRequest,
    sources: Option<EditSources>,
) -> Result<Response> {
    let (caller, prefers_job) = (incoming.caller, prefers_job(incoming.headers));
    let (StartedImages { job: id, is_asynchronous }, headers) = match claim(stores, incoming).await? {
        NextStep::Proceed(gateway_caller) => {
            let (started, report) = stores.gateway.start_images(*gateway_caller, request, sources).await?;
            (started, headers::response_headers(&report, caller.caller.at))
        }
        NextStep::Replay(replay) => {
            let replayed = (IDEMPOTENT_REPLAYED, axum::http::HeaderValue::from_static("true"));
            (replay.into_answer()?, HeaderMap::from_iter([replayed]))
        }
    };
    if prefers_job || is_asynchronous {
        let applied = prefers_job.then_some([(PREFERENCE_APPLIED, RESPOND_ASYNC)]);
        return Ok((headers, applied, accepted(id)).into_response());
    }
    let job = stores.gateway.wait_for_images(caller.caller.account(), id, stores.patience).await?;
    match job.end {
        Some(ImageJobEnd::Succeeded(images)) => {
            let wants_base64 = ImageRequest::of_job(job.order.request).wants_base64();
            let cost = headers::cost(images.cost);
            let body = images_out(&stores.gateway, job.order.created_at.as_seconds(), images, wants_base64).await?;
            Ok((headers, cost, JsonBody(body)).into_response())
        }
        Some(ImageJobEnd::Failed(failure)) => Err(Error::from(failure).into()),
        None => Ok((headers, accepted(id)).into_response()),
    }
}

/// The response of a request that does not wait for its job.
fn accepted(id: ImageJobId) -> impl IntoResponse {
    let location = [(LOCATION, format!("/gateway/v1/images/generations/{id}"))];
    (
        StatusCode::ACCEPTED,
        location,
        JsonBody(StartedImageJobOut { job_id: id, status: ImageJobState::Queued.as_str() }),
    )
}

/// Read an image job
///
/// Returns the state of the job, and its images or its error when it has ended. A job is kept for seven days. Each answer
/// has new URLs, which are valid for an hour.
#[utoipa::path(
    get, path = "/gateway/v1/images/generations/{job_id}", tag = "inference",
    params(("job_id" = String, Path)),
    responses((status = 200, description = "The job", body = ImageJobOut), NotFound<ImageJobId>, ErrorResponses),
)]
pub async fn get_image_job(
    State(stores): State<Stores>,
    reader: InferenceReader,
    Path(id): Path<ImageJobId>,
) -> Result<JsonBody<ImageJobOut>> {
    let job = stores.gateway.find_images(reader.caller.account(), id).await?;
    if !reader.may_read(job.order.key) {
        return Err(Error::NotFound { kind: ImageJobId::KIND }.into());
    }
    let status = job.state().as_str();
    let ImageJob { order, finished_at, end, .. } = job;
    let (mut result, mut error) = (None, None);
    match end {
        Some(ImageJobEnd::Succeeded(images)) => {
            let wants_base64 = ImageRequest::of_job(order.request).wants_base64();
            let gateway = &stores.gateway;
            result = Some(images_out(gateway, order.created_at.as_seconds(), images, wants_base64).await?);
        }
        Some(ImageJobEnd::Failed(ImageFailure { code, message, param, .. })) => {
            error = Some(ImageErrorOut { code, message, param });
        }
        None => {}
    }
    Ok(JsonBody(ImageJobOut {
        job_id: id,
        status,
        created_at: order.created_at.to_string(),
        finished_at: finished_at.map(|at| at.to_string()),
        result,
        error,
    }))
}

async fn images_out(
    gateway: &Gateway,
    created: i64,
    GeneratedImages { pictures, cost, tokens }: GeneratedImages,
    wants_base64: bool,
) -> Result<ImagesOut> {
    let data = pictures.into_iter().map(|picture| async move {
        let (mut url, mut b64_json) = (None, None);
        if wants_base64 {
            b64_json = Some(STANDARD.encode(gateway.picture_content(&picture).await?));
        } else {
            url = Some(gateway.picture_url(&picture).await?);
        }
        Ok::<_, Error>(ImageOut { url, b64_json, revised_prompt: picture.revised_prompt })
    });
    Ok(ImagesOut {
        created,
        data: try_join_all(data).await?,
        usage: ImageUsageOut {
            input_tokens: tokens.input,
            output_tokens: tokens.output,
            total_tokens: tokens.total(),
            cost: cost.into(),
        },
    })
}

/// Whether the client prefers the job to its result (RFC 7240).
fn prefers_job(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    let mut names = preferences.flat_map(|value| value.split(',')).map(|preference| {
        let (name, _) = preference.split_once(';').unwrap_or((preference, ""));
        name.trim()
    });
    names.any(|name| name.eq_ignore_ascii_case(RESPOND_ASYNC))
}
