//! Reads the text of a source: a text, a text file of the workflow, or a URL.

use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use documents::charset::{charset_of, decode};
use documents::html;
use domain::time::Clock;
use engine::drive::{EffectError, RetryHint};
use engine::nodes::retrieval::{PassageSource, TextFormat};
use http::header::{ACCEPT, CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Request, Uri};
use outbound::{Answer, CallError, Calls, OutboundError, RequestTimeouts, retry_after};

use super::errors;
use crate::http::RETRIED_STATUSES;
use crate::http::errors::is_temporary;

/// The maximum size of a page.
const MAX_SOURCE_BYTES: usize = 1024 * 1024;
/// Shorter than the default timeout of the node, so that the error names the source that is slow.
const URL_TIMEOUT: Duration = Duration::from_secs(30);
const ACCEPTED: HeaderValue =
    HeaderValue::from_static("text/markdown, text/plain, text/html, application/json, text/*;q=0.8, */*;q=0.1");

pub struct SourceReader {
    pub calls: Calls,
    pub clock: Clock,
}

impl SourceReader {
    /// The text of a source, with `\n` as line breaks.
    pub async fn read(&self, source: &PassageSource) -> Result<String, EffectError> {
        let text = match source {
            PassageSource::Text { text, .. } => text.clone(),
            PassageSource::File { name, media_type, base64 } => {
                let content = BASE64_STANDARD.decode(base64).map_err(|_| errors::not_supported(name, "not base64"))?;
                document_text(name, Some(media_type), &content)?
            }
            PassageSource::Url { name, url } => {
                let (headers, content) = self.fetch(name, url).await?;
                let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
                document_text(name, content_type, &content)?
            }
        };
        Ok(if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text })
    }

    async fn fetch(&self, name: &str, url: &str) -> Result<(HeaderMap, Bytes), EffectError> {
        let invalid = |problem: &str| errors::unavailable(name, problem, RetryHint::Never);
        if let Some(problem) = domain::address::problem(url) {
            return Err(invalid(problem.en));
        }
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = Uri::try_from(url).map_err(|_| invalid("the URL is not valid"))?;
        request.headers_mut().insert(ACCEPT, ACCEPTED);
        let timeouts = RequestTimeouts { first_byte: URL_TIMEOUT, idle: URL_TIMEOUT, total: URL_TIMEOUT };
        let answer = self.calls.send(request, None, &timeouts).await;
        let Answer { status, headers, body, .. } = answer.map_err(|error| failed_call(name, &error))?;
        if !status.is_success() {
            let problem = format!("its server answered with status {}; check the URL", status.as_u16());
            let is_temporary = RETRIED_STATUSES.contains(&status.as_u16());
            let wait = || retry_after(&headers, self.clock.now()).unwrap_or_default();
            let retry = if is_temporary { RetryHint::After(wait()) } else { RetryHint::Never };
            return Err(errors::unavailable(name, problem, retry));
        }
        let content = body.read_to_end(MAX_SOURCE_BYTES).await;
        let content = content.map_err(|error: OutboundError| failed_call(name, &error.into()))?;
        Ok((headers, content))
    }
}

fn failed_call(name: &str, error: &CallError) -> EffectError {
    if let CallError::Outbound(OutboundError::TooLarge { limit_bytes }) = error {
        return errors::too_large(name, *limit_bytes);
    }
    let retry = if is_temporary(error) { RetryHint::After(Duration::ZERO) } else { RetryHint::Never };
    errors::unavailable(name, error, retry)
}

/// The text of a document. Without a content type, it is a plain text.
fn document_text(name: &str, content_type: Option<&str>, content: &[u8]) -> Result<String, EffectError> {
    let content_type = content_type.unwrap_or("text/plain");
    let Some(format) = TextFormat::from_media_type(content_type) else {
        let problem = "it is not a text; use Markdown, HTML, plain text, JSON, XML or YAML";
        return Err(errors::not_supported(name, problem));
    };
    let Some(text) = decode(content, charset_of(content_type)) else {
        return Err(errors::not_supported(name, "its characters are not valid; save it as UTF-8"));
    };
    Ok(match format {
        TextFormat::Html => html::extract_text(&text),
        TextFormat::Plain => text,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(content_type: Option<&str>, content: &[u8]) -> Result<String, String> {
        document_text("Docs", content_type, content).map_err(|EffectError { error, retry }| {
            assert_eq!(retry, RetryHint::Never);
            assert!(error.message.contains("the source \"Docs\""), "{error}");
            error.code
        })
    }

    #[test]
    fn documents_are_read_by_their_media_type() {
        for (content_type, content, text) in [
            (Some("text/html; charset=utf-8"), "<p>Fish &amp; chips", "Fish & chips"),
            (Some("Application/XHTML+XML"), "<p>Fish</p>", "Fish"),
            (Some("text/markdown"), "# Fish\n<b>", "# Fish\n<b>"),
            (Some("application/ld+json"), r#"{"fish": 1}"#, r#"{"fish": 1}"#),
            (Some("text/csv"), "fish,1", "fish,1"),
            (None, "plain", "plain"),
        ] {
            assert_eq!(read(content_type, content.as_bytes()).as_deref(), Ok(text), "{content_type:?}");
        }
    }

    #[test]
    fn documents_that_are_no_texts_are_refused_by_name() {
        for (content_type, content) in [
            (Some("application/pdf"), &b"%PDF-1.7"[..]),
            (Some("image/svg+xml"), b"<svg/>"),
            (Some("application/octet-stream"), b"text"),
            (Some("text/plain"), b"\xff"),
            (Some("text/html; charset=klingon"), b"text"),
            (None, b"\x1f\x8b\x08"),
        ] {
            assert_eq!(read(content_type, content), Err("source_not_supported".to_owned()), "{content_type:?}");
        }
    }
}
