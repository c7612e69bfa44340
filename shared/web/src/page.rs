//! Plain pages without scripts, for browsers that another system has sent and for people who fill in forms.

use std::sync::LazyLock;

use axum::http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS};
use axum::http::{HeaderName, StatusCode};
use axum::response::{Html, IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::language::Translated;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use ring::digest::{SHA256, digest};

use super::language::of_request;

const STYLE: &str = include_str!("page.css");
const REFRESH: HeaderName = HeaderName::from_static("refresh");

/// What a page says if the platform itself failed, after the cause was logged.
pub const PLATFORM_FAILURE: Translated = Translated::new(
    "Something failed on our side. Begin again in a minute, and quote the header X-Request-Id when you report it.",
    "Algo falló por nuestra parte. Empiece de nuevo en un minuto e indique la cabecera X-Request-Id cuando lo comunique.",
);

/// A page in the language of the request. `html!` escapes all texts in it.
pub struct Page<'a> {
    pub status: StatusCode,
    pub title: &'a str,
    pub content: Markup,
    /// Whether a form of the page may be sent to this origin.
    pub sends_forms: bool,
    /// The header `Refresh`: after how many seconds the browser loads the page again, or another one.
    pub refresh: Option<String>,
}

impl IntoResponse for Page<'_> {
    fn into_response(self) -> Response {
        let Self { status, title, content, sends_forms, refresh } = self;
        let page = html! {
            (DOCTYPE)
            html lang=(of_request().code()) {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width";
                    title { (title) }
                    style { (PreEscaped(STYLE)) }
                }
                body { main { h1 { (title) } (content) } }
            }
        };
        let policy = if sends_forms { &POLICIES.1 } else { &POLICIES.0 };
        let headers = [
            (CONTENT_SECURITY_POLICY, policy.as_str()),
            (CACHE_CONTROL, "no-store"),
            (REFERRER_POLICY, "no-referrer"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        let refresh = refresh.map(|refresh| [(REFRESH, refresh)]);
        (status, headers, refresh, Html(page.into_string())).into_response()
    }
}

/// The policies of pages without and with forms. Nothing but the style of the pages is loaded, and nothing is executed.
static POLICIES: LazyLock<(String, String)> = LazyLock::new(|| {
    let style = STANDARD.encode(digest(&SHA256, STYLE.as_bytes()));
    let policy = |form_action: &str| {
        format!(
            "default-src 'none'; style-src 'sha256-{style}'; base-uri 'none'; form-action {form_action}; frame-ancestors 'none'"
        )
    };
    (policy("'none'"), policy("'self'"))
});

/// A page with a message. `link` is a relative URL, and its text.
pub fn message_page(
    status: StatusCode,
    title: Translated,
    message: &Translated<String>,
    link: Option<(&str, Translated)>,
) -> Response {
    let language = of_request();
    let content = html! {
        p { (message.get(language)) }
        @if let Some((url, text)) = link { p { a href=(url) { (text.get(language)) } } }
    };
    Page { status, title: title.get(language), content, sends_forms: false, refresh: None }.into_response()
}

/// A page with a question, and a button that answers it with a `POST` to a relative URL.
pub fn question_page(title: Translated, message: &Translated<String>, action: &str, button: Translated) -> Response {
    let language = of_request();
    let content = html! {
        p { (message.get(language)) }
        form method="post" action=(action) { button { (button.get(language)) } }
    };
    let title = title.get(language);
    Page { status: StatusCode::OK, title, content, sends_forms: true, refresh: None }.into_response()
}
