//! The error type of the platform. It does not depend on HTTP: `http` maps each variant to a status.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::body_problem::{BodyProblem, MOST_PROBLEMS};
use crate::error_text;
use crate::limits::{Dimension, Level};
use crate::text::shorten;

pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why an operation failed or was refused. `Display` gives the message that the client receives.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{message}")]
    InvalidQuery { parameter: String, message: String },
    /// `field` is the first of the fields that are wrong. `message` names them all, and `problems` lists them for programs.
    #[error("{message}")]
    InvalidBody { field: String, message: String, problems: Vec<BodyProblem> },
    /// A well-formed document that is invalid. `details` lists every problem in a form that programs can read.
    #[error("{message}")]
    Unsound { code: &'static str, message: String, details: serde_json::Value },
    /// A valid request for something that cannot be done as things are now, such as a run that failed. `details` tells programs
    /// why.
    #[error("{message}")]
    Unprocessable { code: &'static str, message: String, details: serde_json::Value },
    #[error("{0}")]
    Unauthenticated(Refusal),
    #[error("{message}")]
    Forbidden { code: &'static str, message: String },
    /// The message never holds the id: a resource of another account and a missing one must read the same.
    #[error("no such {kind}")]
    NotFound { kind: &'static str },
    /// The name is the caller's own, and the suggestion a model that they may use.
    #[error("no such model: `{name}`; {}", suggest_model(suggestion.as_deref()))]
    UnknownModel { name: String, suggestion: Option<String> },
    /// The call exists, but not its bodies.
    #[error(
        "the request and the answer of this call are not kept: they were never kept, have expired or were deleted; \
         keep those of new calls with PUT /gateway/v1/billing/call-retention"
    )]
    NoCallBody,
    #[error("no such route; the API reference is at /docs")]
    NoRoute,
    /// A part of another gateway's API that this one does not have. `message` names it, and what to use instead.
    #[error("{message}")]
    NotServed { message: &'static str },
    #[error("this path does not support the method; see the Allow header")]
    MethodNotAllowed,
    #[error("{message}")]
    Conflict { code: &'static str, message: String },
    /// A conflict with the decision of another person. `details` describes that decision.
    #[error("{message}")]
    AlreadyResolved { message: String, details: serde_json::Value },
    /// The credits or a spending cap are used up.
    #[error("{message}")]
    Billing { code: &'static str, message: String, level: Option<Level> },
    #[error("{message}")]
    RateLimited {
        message: String,
        level: Level,
        dimension: Dimension,
        limit: u64,
        resets_at: i64,
        retry_after_s: u64,
        /// What the call needs, if it is more than the whole limit. A retry cannot succeed then.
        requested: Option<u64>,
    },
    /// The same was done too recently.
    #[error("{message}")]
    TooManyRequests { message: String, retry_after_s: u32 },
    #[error("{message}")]
    Provider {
        trouble: ProviderTrouble,
        code: String,
        message: String,
        param: Option<String>,
        retry_after_s: Option<u64>,
    },
    #[error("{message}")]
    Maintenance { message: String, retry_after_s: u32 },
    #[error("the resource has changed since the version in If-Match; read it again")]
    PreconditionFailed,
    #[error("the body is larger than {limit_bytes} bytes")]
    TooLarge { limit_bytes: usize },
    #[error("send the body as JSON, with Content-Type: application/json")]
    NotJson,
    #[error(
        "send the body as JSON or as a form, with Content-Type: application/json, multipart/form-data or application/x-www-form-urlencoded"
    )]
    NeitherJsonNorForm,
    #[error("the body has a Content-Encoding: send it without")]
    EncodedBody,
    #[error("send the file as application/json or application/yaml")]
    NotAFile,
    #[error("send the body as a form, with Content-Type: multipart/form-data and its boundary")]
    NotAForm,
    /// A temporary failure (throttling, or contention that outlasted its retries). A retry may succeed soon.
    #[error("the platform is busy; try again in {retry_after_s} s")]
    Unavailable { retry_after_s: u32, cause: String },
    /// The disk of the platform is full or damaged. Retries fail until an operator repairs it.
    #[error("the platform cannot store data: {0}")]
    StorageTrouble(String),
    /// The cause is logged and never sent to the caller.
    #[error("something failed on our side; quote the header X-Request-Id when you report it")]
    Internal(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// How the provider of a model failed a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProviderTrouble {
    /// The provider rejected the request as invalid.
    Request,
    /// The provider does not support a parameter of the request.
    Unsupported,
    /// The provider rejected our credentials or does not know the model. A retry cannot fix that.
    Setup,
    RateLimited,
    Failed,
    Timeout,
}

/// Why a caller was not authenticated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The request has no credential.
    Missing,
    /// The request has no token of a channel, which may also be a part of the URL.
    NoChannelToken,
    /// The credential is not well formed.
    Malformed,
    /// The credential is an API key, but the route requires an access token.
    ApiKey,
    /// The route requires an API key, and the credential is something else.
    NotAnApiKey,
    /// The route accepts API keys and access tokens, and the credential is neither.
    NeitherKeyNorToken,
    /// Two headers have different credentials.
    Ambiguous,
    /// The credential is well formed but unknown, expired, revoked or not signed by the trusted issuer.
    Unknown,
    /// The credential is the token of a service account, which the route does not take.
    ServiceToken,
    /// The session of a browser has ended, or never existed.
    Session,
    /// The request is not signed by the owner of the secret.
    Signature,
    UserSuspended,
    OrgSuspended,
}

fn suggest_model(suggestion: Option<&str>) -> String {
    match suggestion {
        Some(name) => format!("did you mean `{name}`?"),
        None => "GET /gateway/v1/models lists the models that you can use".to_owned(),
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Missing => "send a token in the header Authorization: Bearer <token>",
            Self::NoChannelToken => {
                "send the token in the header Authorization: Bearer <token>, or in the URL as ?token=<token>"
            }
            Self::Malformed => "the token is not an access token: send one exactly as the issuer returned it",
            Self::ApiKey => "API keys are accepted by the model gateway only: send an access token of the issuer",
            Self::NotAnApiKey => "calls of models take an API key of this platform (sk-svc-…): create one with POST /gateway/v1/me/api-keys, which takes an access token too",
            Self::NeitherKeyNorToken => "the token is neither an API key (sk-svc-…) nor an access token: send one exactly as it was returned",
            Self::Ambiguous => "the headers Authorization and x-api-key have different tokens: send one of them",
            Self::Unknown => "the token is invalid, expired or revoked: get a new one",
            Self::ServiceToken => "service tokens are accepted by the builder and workbenches APIs only: send an API key or an access token",
            Self::Session => "the session has ended: sign in again at /console/login",
            Self::Signature => "the signature is missing, wrong or too old: compare the secret of the credential with that of the provider",
            Self::UserSuspended => "this user is suspended",
            Self::OrgSuspended => "this organization is suspended",
        })
    }
}

/// The kind of the error for a user who is not in the organization: 404 `member_not_in_organization`.
pub const ORGANIZATION_MEMBER: &str = "organization member";

/// The code of the conflict between two requests with one `Idempotency-Key`.
pub const IDEMPOTENCY_CONFLICT: &str = "idempotency_conflict";

impl Error {
    /// The code by which programs recognize the error. The gateway has more specific ones for some errors.
    pub fn code(&self) -> Cow<'_, str> {
        Cow::Borrowed(match self {
            Self::InvalidQuery { .. } => "invalid_query",
            Self::InvalidBody { .. } => "invalid_body",
            Self::Unauthenticated(_) => "unauthorized",
            Self::NotFound { kind: ORGANIZATION_MEMBER } => "member_not_in_organization",
            Self::NotFound { kind } => {
                return Cow::Owned(format!("{}_not_found", kind.to_lowercase().replace(' ', "_")));
            }
            Self::UnknownModel { .. } => "model_not_found",
            Self::NoCallBody => "call_body_not_found",
            Self::NoRoute => "not_found",
            Self::NotServed { .. } => "not_supported",
            Self::MethodNotAllowed => "method_not_allowed",
            Self::AlreadyResolved { .. } => "already_resolved",
            Self::PreconditionFailed => "precondition_failed",
            Self::Unsound { code, .. }
            | Self::Unprocessable { code, .. }
            | Self::Forbidden { code, .. }
            | Self::Conflict { code, .. }
            | Self::Billing { code, .. } => code,
            Self::RateLimited { .. } | Self::TooManyRequests { .. } => "rate_limit_exceeded",
            Self::Provider { code, .. } => return shorten(code),
            Self::Maintenance { .. } => "maintenance",
            Self::TooLarge { .. } => "payload_too_large",
            Self::NotJson | Self::NeitherJsonNorForm | Self::NotAFile | Self::NotAForm | Self::EncodedBody => {
                "unsupported_media_type"
            }
            Self::Unavailable { .. } | Self::StorageTrouble(_) => "unavailable",
            Self::Internal(_) => "internal_error",
        })
    }

    /// The organization has no such user.
    pub fn not_in_organization() -> Self {
        Self::NotFound { kind: ORGANIZATION_MEMBER }
    }

    /// The operation is not possible in the present state of the resource.
    pub fn invalid_state(message: impl Into<String>) -> Self {
        Self::Conflict { code: "invalid_state", message: message.into() }
    }

    /// The `Idempotency-Key` belongs to another request.
    pub fn idempotency_conflict() -> Self {
        let message = "this Idempotency-Key was used with another request; send another key".to_owned();
        Self::Conflict { code: IDEMPOTENCY_CONFLICT, message }
    }

    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Internal(cause.into())
    }

    pub fn invalid_body(field: impl Into<String>, problem: impl fmt::Display) -> Self {
        Self::invalid_fields(vec![BodyProblem::new(&field.into(), &problem.to_string())])
    }

    /// An error for a body with these problems. There is at least one.
    pub fn invalid_fields(mut problems: Vec<BodyProblem>) -> Self {
        problems.truncate(MOST_PROBLEMS);
        let sentences: Vec<String> = problems.iter().map(BodyProblem::sentence).collect();
        let field = problems.first().map(|problem| problem.field.clone()).unwrap_or_default();
        Self::InvalidBody { field, message: sentences.join("; "), problems }
    }

    /// An error for a body that cannot be deserialized. It names the field.
    pub fn unreadable_body<E: fmt::Display>(error: serde_path_to_error::Error<E>) -> Self {
        let path = error.path().to_string();
        // In a truncated body the last part of the path is `?`.
        let known = path.trim_end_matches(['?', '.']);
        Self::invalid_body(known, error.into_inner())
    }

    pub fn invalid_query(parameter: impl Into<String>, problem: impl fmt::Display) -> Self {
        let parameter = error_text::shorten_field(&parameter.into()).into_owned();
        let problem = problem.to_string();
        Self::InvalidQuery { message: format!("{parameter}: {}", error_text::shorten_message(&problem)), parameter }
    }

    pub fn administrator_only() -> Self {
        let message =
            "only an administrator of the organization may do this; use an administrator's credentials".to_owned();
        Self::Forbidden { code: "administrator_only", message }
    }

    pub fn operator_only() -> Self {
        let message = "only an operator of the platform may do this; use an operator's credentials".to_owned();
        Self::Forbidden { code: "operator_only", message }
    }

    pub fn busy(cause: impl fmt::Display) -> Self {
        Self::Unavailable { retry_after_s: 1, cause: cause.to_string() }
    }
}
