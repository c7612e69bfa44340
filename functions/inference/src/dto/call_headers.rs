//! The headers of the calls of models, for the OpenAPI document. `headers.rs` writes them.

use utoipa::IntoParams;
use utoipa::openapi::header::Header;
use utoipa::openapi::schema::Type;
use web::responses::{ResponseHeaders, header};

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CallHeaders {
    /// Makes retries safe: a request repeated within 24 hours with the same key and body returns the first answer, and
    /// is not charged again.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255)]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    idempotency_key: Option<String>,
    /// Tags of the call, separated by commas, for the log of calls. At most 10, each of at most 64 characters. Texts of the
    /// body's `metadata` are tags too, as `name=value`.
    #[param(rename = "X-Svc-Tags", nullable = false, example = "team=search, nightly")]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    tags: Option<String>,
    /// For a model with a cache of answers: `no-cache` calls the model and keeps its answer, `no-store` calls it and keeps
    /// nothing.
    #[param(rename = "Cache-Control", nullable = false, example = "no-cache")]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    cache_control: Option<String>,
}

/// The response headers of every call.
pub struct CallResponseHeaders;

/// The response headers of a call whose parameters are forwarded to the provider.
pub struct ForwardedResponseHeaders;

/// The response headers of a chat completion.
pub struct ChatResponseHeaders;

impl ResponseHeaders for CallResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)> {
        call_headers("The cost in US dollars", "The token limit of the scope and window with the fewest tokens left")
    }
}

impl ResponseHeaders for ForwardedResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)> {
        let mut headers = CallResponseHeaders::headers();
        headers.extend(parameter_headers());
        headers
    }
}

impl ResponseHeaders for ChatResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)> {
        let mut headers = call_headers(
            "The cost in US dollars; absent from a stream, whose last chunk has `usage.cost`",
            "The token limit of the scope and window with the fewest tokens left; a stream has no token headers",
        );
        headers.extend(parameter_headers());
        headers.push(("X-Svc-Model-Defaults", header(Type::String, "Parameters set by the operator's defaults")));
        let adjusted =
            "Parameters changed to the nearest value that the model takes, such as `max_tokens` and `temperature`";
        headers.push(("X-Svc-Adjusted", header(Type::String, adjusted)));
        let max_tokens = "The reduced limit of each choice, if credits, a cap or a token limit require one";
        headers.push(("X-Svc-Max-Tokens", header(Type::Integer, max_tokens)));
        headers
    }
}

fn call_headers(cost: &str, token_limit: &str) -> Vec<(&'static str, Header)> {
    let text = |description: &str| header(Type::String, description);
    let number = |description: &str| header(Type::Integer, description);
    let dollars = |description: &str| header(Type::Number, description);
    let request_limit = "The request limit of the scope and window with the fewest requests left";
    vec![
        ("X-Request-Id", text("The id of the request, for support")),
        ("X-Request-Cost", dollars(cost)),
        ("X-Credits-Remaining", dollars("The remaining credits in US dollars; absent on a billing-exempt plan")),
        ("X-Credits-Warning", text("`low` if less than a tenth of the last granted balance remains")),
        ("X-RateLimit-Limit-Requests", number(request_limit)),
        ("X-RateLimit-Remaining-Requests", number("The requests left in that window")),
        ("X-RateLimit-Reset-Requests", number("The end of that window, in Unix seconds")),
        ("X-RateLimit-Limit-Tokens", number(token_limit)),
        ("X-RateLimit-Remaining-Tokens", number("The tokens left in that window")),
        ("X-RateLimit-Reset-Tokens", number("The end of that window, in Unix seconds")),
        ("X-Alias-Of", text("The name of the model, if the request named an alias")),
        ("X-Model-Deprecated", text("`true` if the model is deprecated")),
        ("X-Model-Retires-At", text("The date when the model stops answering")),
        ("Idempotent-Replayed", text("`true` if an earlier request with this `Idempotency-Key` made the call")),
    ]
}

fn parameter_headers() -> [(&'static str, Header); 4] {
    let text = |description: &str| header(Type::String, description);
    [
        ("X-Svc-Passthrough", text("Parameters forwarded to the provider without validation")),
        ("X-Svc-Deployment", text("The provider that served the call, and its name for the model")),
        (
            "X-Svc-Cache",
            text("`hit` if the cache of answers answered, `miss` if the model did; absent without a cache"),
        ),
        ("X-Svc-Dropped", text("Parameters left out, because the provider does not support them")),
    ]
}
