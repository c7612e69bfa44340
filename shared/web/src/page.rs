//! A plain page with a message, without scripts, for browsers that another system has sent.

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{Html, IntoResponse, Response};
use domain::language::Translated;

use super::language::of_request;

/// The page in the language of the request. The texts are the platform's own, without characters that HTML would read as
/// markup.
///
/// `link` is a relative URL, and its text.
pub fn message_page(
    status: StatusCode,
    title: Translated,
    message: &Translated<String>,
    link: Option<(&str, Translated)>,
) -> Response {
    let language = of_request();
    let (title, message, lang) = (title.get(language), message.get(language), language.code());
    let link =
        link.map(|(url, text)| format!("<p><a href=\"{url}\">{}</a></p>", text.get(language))).unwrap_or_default();
    let html = format!(
        "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title></head>\
         <body><main><h1>{title}</h1><p>{message}</p>{link}</main></body></html>"
    );
    let headers = [
        (CONTENT_SECURITY_POLICY, "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, Html(html)).into_response()
}
