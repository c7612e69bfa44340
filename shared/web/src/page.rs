//! A plain page with a message, without scripts, for browsers that another system has sent.

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::response::{Html, IntoResponse, Response};
use domain::language::Translated;

use super::language::of_request;

/// What a page says if the platform itself failed, after the cause was logged.
pub const PLATFORM_FAILURE: Translated = Translated::new(
    "Something failed on our side. Begin again in a minute, and quote the header X-Request-Id when you report it.",
    "Algo falló por nuestra parte. Empiece de nuevo en un minuto e indique la cabecera X-Request-Id cuando lo comunique.",
);

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
    page(status, lang, title, message, &link, "'none'")
}

/// A page with a question, and a button that answers it with a `POST` to a relative URL.
pub fn form_page(title: Translated, message: &Translated<String>, action: &str, button: Translated) -> Response {
    let language = of_request();
    let (title, message, button) = (title.get(language), message.get(language), button.get(language));
    let form = format!("<form method=\"post\" action=\"{action}\"><button>{button}</button></form>");
    page(StatusCode::OK, language.code(), title, message, &form, "'self'")
}

/// A text that is not the platform's own, without markup.
pub fn escape(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

fn page(status: StatusCode, lang: &str, title: &str, message: &str, rest: &str, form_action: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"{lang}\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{title}</title></head>\
         <body><main><h1>{title}</h1><p>{message}</p>{rest}</main></body></html>"
    );
    let policy = format!("default-src 'none'; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'");
    let headers = [
        (CONTENT_SECURITY_POLICY, policy.as_str()),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "no-referrer"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    (status, headers, Html(html)).into_response()
}
