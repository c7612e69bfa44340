//! The pages of forms that runs wait for. The browser that has sent the form sees them; these links are for runs that no form has
//! started, and for tests.

use axum::extract::State;
use domain::id::{RunId, WorkflowId};
use domain::run::Run;
use domain::{Error, Result as DomainResult};
use web::base_url::BaseUrl;
use web::builder::{Data, ErrorResponses, NotFound, NotPermitted, Operator};
use web::{Path, Result};

use super::runs::load_run;
use crate::Stores;
use crate::dto::form_page::FormPageOut;

/// List the open pages of a run
///
/// Returns the pages of `form_page` nodes that the run waits for, the one that expires first at the beginning. Anyone with the link
/// of a page can fill it in. It is the same link as that of the browser that has sent the form.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/runs/{run_id}/form-pages", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), ("run_id" = Uuid, Path, description = "The run")),
    responses(
        (status = 200, description = "The pages", body = Data<Vec<FormPageOut>>),
        NotFound<(WorkflowId, RunId)>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn list_form_pages(
    State(stores): State<Stores>,
    access: Operator<WorkflowId>,
    Path((id, run_id)): Path<(WorkflowId, RunId)>,
    base_url: BaseUrl,
) -> Result<Data<Vec<FormPageOut>>> {
    let run = load_run(&stores, access.account, id, run_id).await?;
    let open = stores.runs.open_form_pages(&run, access.caller.at).await?;
    if open.is_empty() {
        return Ok(Data { data: Vec::new() });
    }
    let url = find_url(&stores, &run, &base_url).await?;
    let pages = open.into_iter().map(|page| FormPageOut::new(page, url.clone()));
    Ok(Data { data: pages.collect::<DomainResult<_>>()? })
}

/// The URL of the pages of a run. None if the release has no form, or if the webhook of the form was deleted.
async fn find_url(stores: &Stores, run: &Run, base_url: &BaseUrl) -> DomainResult<Option<String>> {
    let release = stores.plans.find(run.account, run.workflow, run.release).await?;
    let Some(form) = release.form_of(run) else { return Ok(None) };
    match stores.webhooks.get(run.account, run.workflow, form).await {
        Ok(webhook) => Ok(Some(format!("{}/hooks/v1/{form}/form/{}", base_url.require()?, webhook.form_link(run.id)))),
        Err(Error::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
