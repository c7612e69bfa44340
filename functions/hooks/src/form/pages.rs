//! The pages of forms as HTML. All texts in them are escaped, and they need no scripts.

use std::time::Duration;

use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use domain::form::{FormField, FormFieldType, FormPage, Problems};
use domain::language::{Language, Translated};
use maud::{Markup, html};
use serde_json::Value;
use web::language::of_request;
use web::page::{PLATFORM_FAILURE, Page, message_page};

use super::{STEP, SUBMISSION};

/// With more options, the field is a list that opens.
const MAX_SHOWN_OPTIONS: usize = 5;
/// How soon the browser asks again, by the age of the run. An older run does not end soon, and the person asks again.
const REFRESHES: [(Duration, u32); 3] =
    [(Duration::from_secs(60), 2), (Duration::from_secs(600), 10), (Duration::from_secs(3_600), 30)];

/// The first page. `submission` identifies what is sent: a page that is sent twice starts one run.
pub fn show_first(page: &FormPage, submission: &str, problems: &Problems) -> Response {
    let send = Translated::new("Send", "Enviar");
    show_form(page, Some("form"), (SUBMISSION, submission), send, problems)
}

/// A further page, which a step of the run shows.
pub fn show_further(page: &FormPage, step: &str, problems: &Problems) -> Response {
    show_form(page, None, (STEP, step), Translated::new("Continue", "Continuar"), problems)
}

fn show_form(
    page: &FormPage,
    action: Option<&str>,
    (name, value): (&str, &str),
    button: Translated,
    problems: &Problems,
) -> Response {
    let language = of_request();
    let wrong = Translated::new("Please check the marked fields.", "Revise los campos marcados.");
    let content = html! {
        @if let Some(description) = &page.description { p { (description) } }
        @if !problems.is_empty() { p.alert role="alert" { (wrong.get(language)) } }
        @for (field, problem) in hidden_problems(page, problems) {
            p.problem { (field.shown_name()) ": " (problem.get(language)) }
        }
        form method="post" action=[action] enctype="multipart/form-data" {
            input type="hidden" name=(name) value=(value);
            @for field in &page.fields {
                @let problem = problems.iter().find(|(name, _)| *name == field.name);
                (control(field, problem.map(|(_, problem)| problem.get(language).as_str()), language))
            }
            button { (page.button.as_deref().unwrap_or(button.get(language))) }
        }
    };
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::UNPROCESSABLE_ENTITY };
    Page { status, title: &page.title, content, sends_forms: true, refresh: None }.into_response()
}

/// The problems of fields that people do not see. Their link is wrong.
fn hidden_problems<'a>(page: &'a FormPage, problems: &'a Problems) -> Vec<(&'a FormField, &'a Translated<String>)> {
    let hidden = page.fields.iter().filter(|field| field.r#type == FormFieldType::Hidden);
    let find = |field: &'a FormField| Some((field, &problems.iter().find(|(name, _)| *name == field.name)?.1));
    hidden.filter_map(find).collect()
}

fn control(field: &FormField, problem: Option<&str>, language: Language) -> Markup {
    if field.r#type == FormFieldType::Hidden {
        return html! { input type="hidden" name=(field.name) value=(text_of(field)); };
    }
    let options = field.options.as_deref().unwrap_or_default();
    let is_group = match field.r#type {
        FormFieldType::Choices => true,
        FormFieldType::Choice => options.len() <= MAX_SHOWN_OPTIONS,
        _ => false,
    };
    let notes = html! {
        @if !field.help.is_empty() { p.help id=(format!("{}-help", field.name)) { (field.help) } }
        @if let Some(problem) = problem { p.problem id=(format!("{}-problem", field.name)) { (problem) } }
    };
    let described = [("help", !field.help.is_empty()), ("problem", problem.is_some())];
    let described =
        described.iter().filter(|(_, is_there)| *is_there).map(|(note, _)| format!("{}-{note}", field.name));
    let described = Some(described.collect::<Vec<_>>().join(" ")).filter(|ids| !ids.is_empty());
    let name = html! { (field.shown_name()) @if field.required { " " span.required aria-hidden="true" { "*" } } };
    if is_group {
        let kind = if field.r#type == FormFieldType::Choices { "checkbox" } else { "radio" };
        let is_required = field.required && kind == "radio";
        return html! {
            fieldset.field aria-describedby=[described] {
                legend { (name) }
                div.options {
                    @for option in options {
                        label {
                            input type=(kind) name=(field.name) value=(option) required[is_required] checked[is_chosen(field, option)];
                            span { (option) }
                        }
                    }
                }
                (notes)
            }
        };
    }
    let (id, value) = (&field.name, text_of(field));
    let is_invalid = problem.map(|_| "true");
    let choose = Translated::new("Choose…", "Elija…");
    html! {
        div.field {
            @if field.r#type == FormFieldType::Boolean {
                label.check {
                    input id=(id) type="checkbox" name=(field.name) required[field.required]
                        checked[field.value == Some(Value::Bool(true))] aria-describedby=[described] aria-invalid=[is_invalid];
                    span { (name) }
                }
            } @else {
                label for=(id) { (name) }
                @match field.r#type {
                    FormFieldType::LongText => {
                        // A browser drops a line break at the beginning.
                        textarea id=(id) name=(field.name) required[field.required] aria-describedby=[described]
                            aria-invalid=[is_invalid] { "\n" (value) }
                    }
                    FormFieldType::Choice => {
                        select id=(id) name=(field.name) required[field.required] aria-describedby=[described]
                            aria-invalid=[is_invalid] {
                            option value="" { (choose.get(language)) }
                            @for option in options { option selected[is_chosen(field, option)] { (option) } }
                        }
                    }
                    other => {
                        input id=(id) type=(input_type(other)) name=(field.name) required[field.required]
                            step=[(other == FormFieldType::Number).then_some("any")]
                            value=[(other != FormFieldType::File).then_some(&value)]
                            aria-describedby=[described] aria-invalid=[is_invalid];
                    }
                }
            }
            (notes)
        }
    }
}

fn input_type(field: FormFieldType) -> &'static str {
    match field {
        FormFieldType::Email => "email",
        FormFieldType::Number => "number",
        FormFieldType::Date => "date",
        FormFieldType::File => "file",
        _ => "text",
    }
}

fn is_chosen(field: &FormField, option: &str) -> bool {
    match &field.value {
        Some(Value::String(chosen)) => chosen == option,
        Some(Value::Array(chosen)) => chosen.iter().any(|chosen| chosen == option),
        _ => false,
    }
}

/// The initial value of a field as text.
fn text_of(field: &FormField) -> String {
    match &field.value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    }
}

/// The run goes on. The page loads again by itself.
pub fn show_working(age: Duration) -> Response {
    let language = of_request();
    let text = Translated::new(
        "Your answers have arrived. What follows appears on this page.",
        "Sus respuestas han llegado. Lo que siga aparece en esta página.",
    );
    let title = Translated::new("One moment…", "Un momento…");
    let again = Translated::new("Look again", "Mirar de nuevo");
    let refresh = REFRESHES.iter().find(|(limit, _)| age < *limit).map(|(_, seconds)| seconds.to_string());
    let content = html! {
        p role="status" { (text.get(language)) }
        @if refresh.is_none() { p { a href="" { (again.get(language)) } } }
    };
    let title = title.get(language);
    Page { status: StatusCode::OK, title, content, sends_forms: false, refresh }.into_response()
}

/// The end. `text` is that of the run or of the form. A redirect as the answer to a form would have to be permitted by the policy of
/// the page with the form, so the browser is sent on from this page.
pub fn show_end(title: &str, text: Option<&str>, redirect_url: Option<&str>) -> Response {
    let language = of_request();
    let thanks = Translated::new("Thank you. Your answers have arrived.", "Gracias. Sus respuestas han llegado.");
    let go_on = Translated::new("Continue", "Continuar");
    let content = html! {
        p role="status" { (text.unwrap_or(thanks.get(language))) }
        @if let Some(url) = redirect_url { p { a href=(url) rel="noreferrer" { (go_on.get(language)) } } }
    };
    let refresh = redirect_url.map(|url| format!("0; url={url}"));
    Page { status: StatusCode::OK, title, content, sends_forms: false, refresh }.into_response()
}

/// The run failed or was stopped. Its error is for the members of the workflow only.
pub fn show_failure() -> Response {
    let message = Translated::new(
        "Your answers have arrived, but what should have followed did not work. Please contact the person who sent you the link.",
        "Sus respuestas han llegado, pero lo que debía seguir no funcionó. Contacte con quien le envió el enlace.",
    );
    message_page(StatusCode::OK, Translated::new("Something went wrong", "Algo salió mal"), &message.into(), None)
}

/// An error of the first or a further page.
pub fn show_error(status: StatusCode, code: &str) -> Response {
    let again = ("form", Translated::new("Open the form again", "Abrir de nuevo el formulario"));
    let (title, message, link) = match status {
        StatusCode::NOT_FOUND => (
            Translated::new("There is no such form", "No existe ese formulario"),
            Translated::new(
                "The link is not complete, or the form was removed. Ask the person who sent you the link.",
                "El enlace no está completo o el formulario se retiró. Pregunte a quien le envió el enlace.",
            ),
            None,
        ),
        StatusCode::CONFLICT if code == "idempotency_conflict" => (
            Translated::new("This page was already sent", "Esta página ya se envió"),
            Translated::new(
                "Your first answers have arrived. Open the form again to send others.",
                "Sus primeras respuestas han llegado. Abra de nuevo el formulario para enviar otras.",
            ),
            Some(again),
        ),
        StatusCode::TOO_MANY_REQUESTS => (
            Translated::new("The form is very busy", "El formulario está muy ocupado"),
            Translated::new(
                "It was sent too often in this hour. Please try again later.",
                "Se ha enviado demasiadas veces en esta hora. Inténtelo más tarde.",
            ),
            None,
        ),
        StatusCode::PAYLOAD_TOO_LARGE | StatusCode::BAD_REQUEST | StatusCode::UNSUPPORTED_MEDIA_TYPE => (
            Translated::new("The page could not be read", "No se pudo leer la página"),
            Translated::new(
                "A file is too large, or the page arrived incomplete. Go back and send it again.",
                "Un archivo es demasiado grande o la página llegó incompleta. Vuelva atrás y envíela de nuevo.",
            ),
            None,
        ),
        status if status.is_server_error() => {
            (Translated::new("Something went wrong", "Algo salió mal"), PLATFORM_FAILURE, None)
        }
        // The workflow is paused, was never published, or its owner may start no runs.
        _ => (
            Translated::new("The form is closed", "El formulario está cerrado"),
            Translated::new(
                "It takes no answers at the moment. Please try again later.",
                "En este momento no admite respuestas. Inténtelo más tarde.",
            ),
            None,
        ),
    };
    message_page(status, title, &message.into(), link)
}
