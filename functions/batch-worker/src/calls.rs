//! The calls of a batch: each line is a request to the router of `inference` in this process, so it has the limits, the charges,
//! the guard and the answers of any other request.

use std::sync::Arc;
use std::time::Duration;

use auth::{ApiCaller, RecentCallers};
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::header::CONTENT_TYPE;
use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use bytes::Bytes;
use domain::batch::{BatchLine, BatchOrder};
use domain::token::TokenHash;
use domain::{Error, ProviderTrouble, Refusal, Result};
use platform::Context;
use store::KeyRing;
use tower::ServiceExt;
use web::gateway::{AREA, X_SVC_TAGS};
use web::idempotency::IDEMPOTENCY_KEY;
use web::layers::X_REQUEST_ID;

/// No answer of a provider is longer.
const MAX_ANSWER_BYTES: usize = 32 * 1024 * 1024;
/// How long the worker waits for a provider that does not say when it has room.
const PROVIDER_PAUSE_S: u64 = 30;
const MAX_PAUSE_S: u64 = 15 * 60;

/// Makes the calls of batches. The simulation has calls of its own.
pub trait Calls: Send + Sync {
    /// The key that makes the calls of a batch. None if it is forgotten, some time after its revocation.
    fn key_of(&self, order: &BatchOrder) -> impl Future<Output = Result<Option<TokenHash>>> + Send;

    /// Makes the call of a line, with the current rights of the key. A call that was charged before gets its stored answer.
    fn make(
        &self,
        order: &BatchOrder,
        key: Option<&TokenHash>,
        number: u32,
        line: &BatchLine<'_>,
    ) -> impl Future<Output = Result<Outcome>> + Send;

    /// Seals a line that is not made any more. Returns the answer if an earlier worker has stored it; without one, no call of the
    /// line that another worker may still have is charged.
    fn seal(
        &self,
        order: &BatchOrder,
        key: &TokenHash,
        number: u32,
        line: &BatchLine<'_>,
    ) -> impl Future<Output = Result<Option<LineAnswer>>> + Send;
}

/// The `Idempotency-Key` of a line. A worker that makes the call again after a crash gets the answer of the first call.
pub fn idempotency_key(order: &BatchOrder, number: u32) -> String {
    format!("{}-{number}", order.id)
}

/// Calls through the router of `inference`.
pub struct RouterCalls {
    router: Router,
    callers: RecentCallers,
    keys: KeyRing,
}

/// What became of a line.
pub enum Outcome {
    Answered(LineAnswer),
    /// There is no room for the call now. It may be made after this time.
    Wait(Duration),
}

/// The response to a line.
pub struct LineAnswer {
    pub status: StatusCode,
    pub request_id: String,
    pub body: Bytes,
}

impl RouterCalls {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            router: inference::router(context)?,
            callers: RecentCallers::new(context)?,
            keys: KeyRing::new(context)?,
        })
    }

    async fn request(
        &self,
        order: &BatchOrder,
        caller: ApiCaller,
        number: u32,
        line: &BatchLine<'_>,
    ) -> Result<Response> {
        let mut request = Request::builder()
            .method(Method::POST)
            .uri(order.endpoint.path())
            .header(CONTENT_TYPE, "application/json")
            .header(IDEMPOTENCY_KEY, idempotency_key(order, number))
            .extension(caller);
        if !order.tags.is_empty() {
            request = request.header(X_SVC_TAGS, order.tags.join(", "));
        }
        let request = request.body(Body::from(line.body.get().to_owned())).map_err(Error::internal)?;
        // A router never fails: errors are responses.
        Ok(self.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {}))
    }
}

impl Calls for RouterCalls {
    async fn key_of(&self, order: &BatchOrder) -> Result<Option<TokenHash>> {
        match self.keys.get(order.account, order.key).await {
            Ok(stored) => Ok(Some(stored.hash)),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn make(
        &self,
        order: &BatchOrder,
        key: Option<&TokenHash>,
        number: u32,
        line: &BatchLine<'_>,
    ) -> Result<Outcome> {
        let admitted = match key {
            Some(key) => self.callers.batch_caller(key).await,
            None => Err(Error::Unauthenticated(Refusal::Unknown)),
        };
        let response = match admitted {
            Ok(caller) => self.request(order, caller, number, line).await?,
            Err(error) => match (pause(&error), key) {
                (Some(pause), _) => return Ok(Outcome::Wait(pause)),
                // The key was admitted before: an earlier worker may have made the call.
                (None, Some(key)) => match self.seal(order, key, number, line).await? {
                    Some(answer) => return Ok(Outcome::Answered(answer)),
                    None => AREA.respond_at(&order.endpoint.path(), &error),
                },
                (None, None) => AREA.respond_at(&order.endpoint.path(), &error),
            },
        };
        if let Some(pause) = response.extensions().get::<Arc<Error>>().and_then(|error| pause(error)) {
            return Ok(Outcome::Wait(pause));
        }
        Ok(Outcome::Answered(read_line_answer(order, response).await?))
    }

    async fn seal(
        &self,
        order: &BatchOrder,
        key: &TokenHash,
        number: u32,
        line: &BatchLine<'_>,
    ) -> Result<Option<LineAnswer>> {
        let Some(caller) = self.callers.former_caller(key).await? else { return Ok(None) };
        let response = self.request(order, caller, number, line).await?;
        match response.status() {
            StatusCode::OK => read_line_answer(order, response).await.map(Some),
            StatusCode::SERVICE_UNAVAILABLE => Err(Error::busy("a stored answer cannot be read now")),
            _ => Ok(None),
        }
    }
}

/// The answer of a line. An answer that cannot be read becomes an error of the line, because another try would not read it either.
async fn read_line_answer(order: &BatchOrder, response: Response) -> Result<LineAnswer> {
    match read_answer(response).await {
        Ok(answer) => Ok(answer),
        Err(error) => read_answer(AREA.respond_at(&order.endpoint.path(), &error)).await,
    }
}

async fn read_answer(response: Response) -> Result<LineAnswer> {
    let request_id = response.headers().get(&X_REQUEST_ID).and_then(|id| id.to_str().ok());
    let (status, request_id) = (response.status(), request_id.unwrap_or_default().to_owned());
    let body = to_bytes(response.into_body(), MAX_ANSWER_BYTES).await.map_err(Error::internal)?;
    Ok(LineAnswer { status, request_id, body })
}

/// How long a call must wait that is refused only for now.
fn pause(error: &Error) -> Option<Duration> {
    let seconds = match error {
        Error::RateLimited { requested: None, retry_after_s, .. } => *retry_after_s,
        Error::Provider { trouble: ProviderTrouble::RateLimited, retry_after_s, .. } => {
            retry_after_s.unwrap_or_default().max(PROVIDER_PAUSE_S)
        }
        Error::Maintenance { retry_after_s, .. }
        | Error::Unavailable { retry_after_s, .. }
        | Error::TooManyRequests { retry_after_s, .. } => u64::from(*retry_after_s),
        Error::StorageTrouble(_) => MAX_PAUSE_S,
        _ => return None,
    };
    Some(Duration::from_secs(seconds.clamp(1, MAX_PAUSE_S)))
}
