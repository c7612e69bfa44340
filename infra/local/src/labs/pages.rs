//! The pages that the platform serves for labs.

use std::fmt::Write;

use axum::response::{Html, IntoResponse, Response};
use domain::workbench::{ResourceDimension, Workbench};
use http::StatusCode;
use http::header::{CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY};

use maud::html;

use crate::started_command;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:3rem auto;padding:0 1rem;color:#1d2433;\
    background:#f7f8fa}main{background:#fff;border:1px solid #dfe3ea;border-radius:10px;padding:1.5rem 2rem}\
    h1{font-size:1.4rem;margin-top:0}h2{font-size:1.1rem;margin-top:2rem}table{border-collapse:collapse;width:100%}\
    td,th{text-align:left;padding:.35rem .6rem .35rem 0;border-bottom:1px solid #eceff4}\
    input,textarea{font:inherit;width:100%;box-sizing:border-box;padding:.5rem;border:1px solid #b9c1ce;border-radius:6px}\
    textarea{font-family:ui-monospace,monospace;font-size:.9rem;min-height:12rem}label{display:block;margin:.8rem 0 .2rem}\
    button{font:inherit;padding:.45rem 1rem;border:0;border-radius:6px;background:#2657d9;color:#fff;cursor:pointer}\
    button.quiet{background:none;color:#b3261e;padding:0}form{margin:0}.note{color:#5a6475;font-size:.9rem}\
    p.problem{color:#b3261e}";

/// A text in HTML.
pub fn escape(text: &str) -> String {
    html! { (text) }.into_string()
}

/// A page. `body` is HTML, and `title` is text.
pub fn page(status: StatusCode, title: &str, body: &str) -> Response {
    render(status, title, "", body)
}

/// A page that loads itself again after some seconds.
pub fn waiting_page(title: &str, body: &str) -> Response {
    render(StatusCode::SERVICE_UNAVAILABLE, title, "<meta http-equiv=\"refresh\" content=\"3\">", body)
}

fn render(status: StatusCode, title: &str, head: &str, body: &str) -> Response {
    let title = escape(title);
    let html = format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\">{head}<title>{title}</title><style>{STYLE}</style></head>\
         <body><main><h1>{title}</h1>{body}</main></body></html>"
    );
    let headers = [
        // The forms send to the page itself. Its answer to a sign-in leads to the origin of the lab.
        (CONTENT_SECURITY_POLICY, "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"),
        (CACHE_CONTROL, "no-store"),
        (REFERRER_POLICY, "same-origin"),
    ];
    (status, headers, Html(html)).into_response()
}

/// A page with one sentence.
pub fn message_page(status: StatusCode, title: &str, message: &str) -> Response {
    page(status, title, &format!("<p>{}</p>", escape(message)))
}

/// A page of a workbench that does not run, with a button that starts it.
pub fn start_page(title: &str, message: &str, button: &str, action: &str) -> Response {
    let body = format!(
        "<p>{}</p><form method=\"post\" action=\"{action}\"><button>{}</button></form>",
        escape(message),
        escape(button)
    );
    page(StatusCode::CONFLICT, title, &body)
}

/// The page that asks for an access token.
pub fn sign_in_page(problem: Option<&str>) -> Response {
    let problem = problem.map(|problem| format!("<p class=\"problem\">{}</p>", escape(problem))).unwrap_or_default();
    let command = escape(&started_command());
    let body = format!(
        "{problem}<form method=\"post\"><label for=\"token\">Access token</label>\
         <input id=\"token\" name=\"token\" type=\"password\" autocomplete=\"off\" required autofocus>\
         <p><button>Open</button></p></form>\
         <p class=\"note\"><code>{command} credentials</code> prints the access tokens of the demo users, and \
         <code>{command} token --user NAME --org ORGANIZATION</code> that of any user.</p>"
    );
    let status = if problem.is_empty() { StatusCode::OK } else { StatusCode::UNAUTHORIZED };
    page(status, "Open the workbench", &body)
}

/// The resources of a workbench and what it uses, and its members.
pub fn details(workbench: &Workbench, storage: u64) -> String {
    let mut rows = String::new();
    for dimension in ResourceDimension::ALL {
        let used = match dimension {
            ResourceDimension::Storage => dimension.print(storage),
            _ => "–".to_owned(),
        };
        let amount = workbench.spec.resources.print(dimension);
        let _ = write!(rows, "<tr><td>{dimension}</td><td>{amount}</td><td>{used}</td></tr>");
    }
    let editors = workbench.editors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let editors = if editors.is_empty() { "none".to_owned() } else { editors };
    format!(
        "<table><tr><th>Resource</th><th>Size</th><th>In use</th></tr>{rows}</table>\
         <h2>Members</h2><table><tr><td>Owner</td><td>{}</td></tr><tr><td>Editors</td><td>{editors}</td></tr></table>",
        workbench.owner
    )
}

/// A field of a form or of a query.
pub fn field(form: &[u8], name: &str) -> Option<String> {
    form_urlencoded::parse(form).find(|(found, _)| found == name).map(|(_, value)| value.into_owned())
}
