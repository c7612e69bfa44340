//! The headers of the calls of models, for the OpenAPI document. `headers.rs` writes them.

use shared::http::responses::{ResponseHeaders, header};
use utoipa::IntoParams;
use utoipa::openapi::header::Header;
use utoipa::openapi::schema::Type;

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
pub struct CallHeaders {
    /// Makes retries safe: a request repeated within 24 hours with the same key and body returns the first answer, and
    /// is not charged again.
    #[param(rename = "Idempotency-Key", nullable = false, min_length = 1, max_length = 255)]
    #[expect(dead_code, reason = "read only by the generator of the OpenAPI document")]
    idempotency_key: Option<String>,
}

/// The response headers of every call.
pub struct CallResponseHeaders;

/// The response headers of a chat completion.
pub struct ChatResponseHeaders;

impl ResponseHeaders for CallResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)> {
        let text = |description: &str| header(Type::String, description);
        let number = |description: &str| header(Type::Integer, description);
        let dollars = |description: &str| header(Type::Number, description);
        vec![
            ("X-Request-Id", text("The id of the request, for support")),
            (
                "X-Request-Cost",
                dollars("The cost in US dollars; absent from a stream, whose last chunk has `usage.cost`"),
            ),
            ("X-Credits-Remaining", dollars("The remaining credits in US dollars; absent on a billing-exempt plan")),
            ("X-Credits-Warning", text("`low` if less than a tenth of the last granted balance remains")),
            (
                "X-RateLimit-Limit-Requests",
                number("The request limit of the scope and window with the fewest requests left"),
            ),
            ("X-RateLimit-Remaining-Requests", number("The requests left in that window")),
            ("X-RateLimit-Reset-Requests", number("The end of that window, in Unix seconds")),
            (
                "X-RateLimit-Limit-Tokens",
                number(
                    "The token limit of the scope and window with the fewest tokens left; a stream has no token headers",
                ),
            ),
            ("X-RateLimit-Remaining-Tokens", number("The tokens left in that window")),
            ("X-RateLimit-Reset-Tokens", number("The end of that window, in Unix seconds")),
            ("X-Alias-Of", text("The name of the model, if the request named an alias")),
            ("X-Model-Deprecated", text("`true` if the model is deprecated")),
            ("X-Model-Retires-At", text("The date when the model stops answering")),
            ("X-Svc-Passthrough", text("Parameters forwarded to the provider without validation")),
            ("X-Svc-Dropped", text("Parameters left out, because the provider does not support them")),
            ("Idempotent-Replayed", text("`true` if this is the replayed answer of an earlier request")),
        ]
    }
}

impl ResponseHeaders for ChatResponseHeaders {
    fn headers() -> Vec<(&'static str, Header)> {
        let mut headers = CallResponseHeaders::headers();
        headers.push(("X-Svc-Model-Defaults", header(Type::String, "Parameters set by the operator's defaults")));
        let max_tokens = "The reduced limit of each choice, if credits, a cap or a token limit require one";
        headers.push(("X-Svc-Max-Tokens", header(Type::Integer, max_tokens)));
        headers
    }
}
