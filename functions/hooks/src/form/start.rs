//! The first page of a form, which starts a run.

use axum::body::Bytes;
use axum::extract::{RawQuery, State};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue, Method};
use axum::response::Response;
use domain::form::Given;
use domain::id::{Id, WebhookId};
use domain::webhook::RefusedSender;
use domain::workflow::WorkflowState;
use domain::{Error, Result as DomainResult};
use engine::nodes::NodeConfig;
use engine::nodes::form::FormNode;
use engine::value_size::check_input;
use serde_json::Value;
use store::called_webhooks::CalledWebhook;
use uuid::Uuid;
use web::idempotency::IDEMPOTENCY_KEY;
use web::{ApiError, Form, Path, Result};

use super::{Answer, SUBMISSION, pages, redirect, respond, text_of, too_large};
use crate::Stores;
use crate::call::Call;
use crate::given::read_given;
use crate::handlers::record_refusal;
use crate::triggers::AuthorizedCall;

/// `GET /hooks/v1/{webhook_id}/form`: the page of a form. Its query has initial values of fields.
pub async fn show_form(
    State(stores): State<Stores>,
    path: Result<Path<WebhookId>>,
    RawQuery(query): RawQuery,
) -> Response {
    respond(show(&stores, path, query.unwrap_or_default()).await)
}

async fn show(stores: &Stores, path: Result<Path<WebhookId>>, query: String) -> Answer {
    let Path(webhook) = path?;
    let form = find_form(stores, &stores.called_webhooks.find(webhook).await?).await?;
    let prefilled = form_urlencoded::parse(query.as_bytes());
    let prefilled: Vec<_> = prefilled.map(|(name, text)| (name.into_owned(), Given::Text(text.into_owned()))).collect();
    Ok(pages::show_first(&form.page().with_prefilled(&prefilled), &Uuid::now_v7().to_string(), &Vec::new()))
}

/// `POST /hooks/v1/{webhook_id}/form`: starts a run with the values of the fields. A page that is sent twice starts one run.
pub async fn send_form(
    State(stores): State<Stores>,
    path: Result<Path<WebhookId>>,
    headers: HeaderMap,
    form: Result<Form>,
) -> Response {
    respond(send(&stores, path, headers, form).await)
}

async fn send(stores: &Stores, path: Result<Path<WebhookId>>, headers: HeaderMap, sent: Result<Form>) -> Answer {
    let Path(webhook) = path?;
    let called = stores.called_webhooks.find(webhook).await?;
    let form = find_form(stores, &called).await?;
    let given = read_given(sent?)?;
    let submission = text_of(&given, SUBMISSION).and_then(|text| Uuid::parse_str(text).ok());
    let submission = submission.unwrap_or_else(Uuid::now_v7).to_string();
    let page = form.page();
    let read = page.read(&given).map(Value::Object).and_then(|values| match check_input("", &values) {
        Ok(()) => Ok(values),
        Err(_) => Err(too_large(&page)),
    });
    let values = match read {
        Ok(values) => values,
        Err(problems) => return Ok(pages::show_first(&page.with_sent(&given), &submission, &problems)),
    };
    let (webhook, call) = (called.webhook.clone(), as_call(headers, &values, &submission)?);
    match AuthorizedCall::of_form(stores, called, &call, form.max_per_hour()).start_run().await {
        Ok(response) => Ok(redirect(&format!("form/{}", webhook.form_link(response.run_id())))),
        Err(error) => {
            record_refusal(stores, &webhook, &call, RefusedSender::Stranger, &error).await;
            Err(ApiError(error))
        }
    }
}

/// The call of the webhook that a program would make with these values. It is listed with the calls of the webhook.
fn as_call(mut headers: HeaderMap, values: &Value, submission: &str) -> DomainResult<Call> {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(IDEMPOTENCY_KEY, HeaderValue::try_from(submission).map_err(Error::internal)?);
    headers.remove(CONTENT_LENGTH);
    Ok(Call::new(Method::POST, String::new(), headers, Bytes::from(values.to_string())))
}

/// The form of a webhook, if the active release has one and the workflow is not paused.
async fn find_form(stores: &Stores, called: &CalledWebhook) -> DomainResult<FormNode> {
    let unknown = || Error::NotFound { kind: WebhookId::KIND };
    let workflow =
        called.workflow.as_ref().filter(|workflow| workflow.state != WorkflowState::Archived).ok_or_else(unknown)?;
    let startable = workflow.startable_release()?;
    let release = stores.plans.find(startable.account, startable.workflow, startable.release).await?;
    let trigger = release.trigger_of(called.webhook.id).ok_or_else(unknown)?;
    match release.plan.config(trigger) {
        NodeConfig::FormNode(form) => Ok(form.clone()),
        _ => Err(unknown()),
    }
}
