//! What follows after a form was sent: the further pages of the run, and its end.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use domain::id::{Id, WebhookId};
use domain::name::FormLink;
use domain::run::masking::hide;
use domain::run::{ReviewAnswer, Run, RunEnd, RunState};
use domain::webhook::WebhookMode;
use domain::{Error, Result as DomainResult};
use engine::nodes::NodeConfig;
use engine::nodes::form::FormNode;
use engine::nodes::form_page::FormPageNode;
use engine::value_size::measure;
use runner::look_until;
use store::runs::OpenReview;
use tokio::time::Instant;
use web::{ApiError, Form, Path, Result};

use super::{Answer, STEP, pages, redirect, respond, text_of, too_large};
use crate::Stores;
use crate::given::read_given;

/// How long a request waits for the next page of a run that goes on. The browser asks again.
const WAIT: Duration = Duration::from_secs(5);
/// An answer is a part of an item of a table, together with the page.
const MAX_ANSWER_BYTES: usize = 256 * 1024;
/// Who has answered, in the log of the run.
const REVIEWER: &str = "form";

/// `GET /hooks/v1/{webhook_id}/form/{link}`: the next page, or the end.
pub async fn show_progress(State(stores): State<Stores>, path: Result<Path<(WebhookId, FormLink)>>) -> Response {
    respond(show(&stores, path).await)
}

async fn show(stores: &Stores, path: Result<Path<(WebhookId, FormLink)>>) -> Answer {
    let SentForm { form, run, follows, .. } = SentForm::find(stores, path).await?;
    if !follows {
        return Ok(show_end(&form, None));
    }
    let found = look_until(Instant::now() + WAIT, || find_next(stores, &run)).await?;
    Ok(match found.unwrap_or(Progress::Waiting) {
        Progress::Waiting => pages::show_working(run.queued_at().until(stores.clock.now())),
        Progress::Page(open) => pages::show_further(&open.form_page()?, &open.step, &Vec::new()),
        Progress::Completed(text) => show_end(&form, text),
        Progress::Failed => pages::show_failure(),
    })
}

/// `POST /hooks/v1/{webhook_id}/form/{link}`: answers the page of a step. A page that is closed is not answered; the browser sees what
/// follows instead.
pub async fn send_page(
    State(stores): State<Stores>,
    path: Result<Path<(WebhookId, FormLink)>>,
    form: Result<Form>,
) -> Response {
    respond(send(&stores, path, form).await)
}

async fn send(stores: &Stores, path: Result<Path<(WebhookId, FormLink)>>, sent: Result<Form>) -> Answer {
    let SentForm { run, link, .. } = SentForm::find(stores, path).await?;
    let given = read_given(sent?)?;
    let mut open = stores.runs.open_form_pages(&run, stores.clock.now()).await?;
    let Some(place) = open.iter().position(|page| Some(page.step.as_str()) == text_of(&given, STEP)) else {
        return Ok(redirect(&link));
    };
    let open = open.swap_remove(place);
    let page = open.form_page()?;
    let read = page.read(&given).and_then(|fields| match measure(&fields) {
        Some(bytes) if bytes <= MAX_ANSWER_BYTES => Ok(fields),
        _ => Err(too_large(&page)),
    });
    let fields = match read {
        Ok(fields) => fields,
        Err(problems) => return Ok(pages::show_further(&page.with_sent(&given), &open.step, &problems)),
    };
    let answer = ReviewAnswer { approved: true, fields, comment: None, reviewer: REVIEWER.to_owned() };
    match stores.runs.resolve(run.id, &open.step, answer).await {
        // Another answer counts, or the run has ended meanwhile: the browser sees what follows.
        Ok(_) | Err(Error::Conflict { .. }) => Ok(redirect(&link)),
        Err(error) => Err(ApiError(error)),
    }
}

/// A form that was sent, and its run.
struct SentForm {
    form: FormNode,
    run: Run,
    /// The last part of the URL.
    link: String,
    /// Whether the browser sees more than the confirmation.
    follows: bool,
}

impl SentForm {
    async fn find(stores: &Stores, path: Result<Path<(WebhookId, FormLink)>>) -> Result<Self> {
        let unknown = || Error::NotFound { kind: FormLink::KIND };
        let Path((id, FormLink(link))) = path?;
        let webhook = stores.called_webhooks.find(id).await?.webhook;
        let run = webhook.run_of_link(&link).ok_or_else(unknown)?;
        let run = stores.runs.get(webhook.account, webhook.workflow, run).await?;
        // The release of the run, which is not the active one if another was published meanwhile.
        let release = stores.plans.find(run.account, run.workflow, run.release).await?;
        let plan = &release.plan;
        // Members can have the link of a run that another trigger has started.
        let trigger = release.trigger_of(webhook.id).ok_or_else(unknown)?;
        let NodeConfig::FormNode(form) = plan.config(trigger) else { return Err(unknown().into()) };
        let has_pages = plan.steps.iter().any(|step| step.node_type.is::<FormPageNode>());
        Ok(Self { form: form.clone(), run, link, follows: has_pages || webhook.mode == WebhookMode::Sync })
    }
}

/// What a browser sees next.
enum Progress {
    /// The run waits for something else, such as a time or a review.
    Waiting,
    Page(Box<OpenReview>),
    /// The text at the end, if the run has one of its own.
    Completed(Option<String>),
    Failed,
}

/// None if the run goes on, so that something may follow soon.
async fn find_next(stores: &Stores, run: &Run) -> DomainResult<Option<Progress>> {
    let run = stores.runs.get(run.account, run.workflow, run.id).await?;
    if run.erased_at.is_some() {
        return Ok(Some(Progress::Completed(None)));
    }
    if !run.state.has_ended() {
        let open = stores.runs.open_form_pages(&run, stores.clock.now()).await?;
        let page = open.into_iter().next().map(|open| Progress::Page(Box::new(open)));
        return Ok(page.or((run.state == RunState::Paused).then_some(Progress::Waiting)));
    }
    Ok(match stores.runs.find_end(run.id).await? {
        Some(RunEnd::Completed { output }) => {
            // Anyone with the link sees the text, so its masked parts stay masked.
            let mut output = Arc::unwrap_or_clone(output);
            hide(&mut output);
            let text = output.as_str().filter(|text| !text.trim().is_empty());
            Some(Progress::Completed(text.map(str::to_owned)))
        }
        Some(RunEnd::Failed(_) | RunEnd::Cancelled) => Some(Progress::Failed),
        None => None,
    })
}

/// The end of a form: another page, the text of the run, or that of the form.
fn show_end(form: &FormNode, text: Option<String>) -> Response {
    let text = text.as_deref().or(form.confirmation.as_deref());
    pages::show_end(&form.title, text, form.redirect_url.as_deref())
}
