//! Forms: pages that people open without an account. The form of a webhook starts a run, as a call of the webhook with the same
//! values would, and its further pages continue it.

mod pages;
mod progress;
mod start;

use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, LOCATION};
use axum::response::{IntoResponse, Response};
use domain::form::{FormFieldType, FormPage, Given, Problems};
use domain::language::Translated;
use platform::telemetry;
use web::{ApiError, classify};

pub use progress::{send_page, show_progress};
pub use start::{send_form, show_form};

/// The parts of a page that are not fields. The names of fields begin with a letter.
const SUBMISSION: &str = "_submission";
const STEP: &str = "_step";

/// What a person sees, or why there is nothing to see.
type Answer = web::Result<Response>;

/// People get errors as pages, too.
fn respond(answer: Answer) -> Response {
    answer.unwrap_or_else(|ApiError(error)| {
        let (status, code) = classify(&error);
        tracing::Span::current().record("code", &code);
        telemetry::log_cause(&error);
        pages::show_error(status, &code)
    })
}

/// Sends the browser to another page, so that a reload does not send the form again.
fn redirect(url: &str) -> Response {
    (StatusCode::SEE_OTHER, [(LOCATION, url), (CACHE_CONTROL, "no-store")]).into_response()
}

/// The text of a part that is not a field.
fn text_of<'a>(given: &'a [(String, Given)], name: &str) -> Option<&'a str> {
    given.iter().find_map(|(given_name, given)| match given {
        Given::Text(text) if given_name == name => Some(text.as_str()),
        _ => None,
    })
}

/// The problem of values that are too large together. It is shown at the first file, or else at the first field.
fn too_large(page: &FormPage) -> Problems {
    let files = page.fields.iter().filter(|field| field.r#type == FormFieldType::File);
    let at = files.chain(&page.fields).next().map(|field| field.name.clone()).unwrap_or_default();
    let message = Translated::new(
        "all texts and files of this page together are too large; choose smaller files",
        "todos los textos y archivos de esta página juntos son demasiado grandes; elija archivos más pequeños",
    );
    vec![(at, message.into())]
}
