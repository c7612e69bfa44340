//! The language of a request, from its header `Accept-Language`. A response whose texts depend on it says so, with
//! `Content-Language` and `Vary`.

use std::cell::Cell;

use axum::http::header::{ACCEPT_LANGUAGE, CONTENT_LANGUAGE, VARY};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use domain::language::Language;
use utoipa::IntoParams;

tokio::task_local! {
    static REQUEST_LANGUAGE: RequestLanguage;
}

pub(crate) struct RequestLanguage {
    language: Language,
    /// Whether a text of the response depends on the language.
    is_used: Cell<bool>,
}

/// The language for the texts of the response to the request being served; English outside of one.
pub fn of_request() -> Language {
    let read = REQUEST_LANGUAGE.try_with(|request| {
        request.is_used.set(true);
        request.language
    });
    read.unwrap_or_default()
}

impl RequestLanguage {
    pub(crate) fn new(headers: &HeaderMap) -> Self {
        let accepted: Vec<&str> =
            headers.get_all(ACCEPT_LANGUAGE).iter().filter_map(|value| value.to_str().ok()).collect();
        Self { language: Language::preferred(&accepted.join(",")), is_used: Cell::new(false) }
    }

    /// Serves a request in its language, and notes the language in the headers of a response that depends on it.
    pub(crate) async fn serve(self, respond: impl Future<Output = Response>) -> Response {
        let described = async {
            let mut response = respond.await;
            REQUEST_LANGUAGE.with(|request| {
                if request.is_used.get() {
                    let language = HeaderValue::from_static(request.language.code());
                    response.headers_mut().insert(CONTENT_LANGUAGE, language);
                    response.headers_mut().append(VARY, HeaderValue::from_static("accept-language"));
                }
            });
            response
        };
        REQUEST_LANGUAGE.scope(self, described).await
    }
}

#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "read only by the generator of the OpenAPI documents")]
pub struct AcceptLanguageHeaders {
    /// The language of the texts: `en`, which is the default, or `es`.
    #[param(rename = "Accept-Language", nullable = false, example = "es")]
    accept_language: Option<String>,
}
