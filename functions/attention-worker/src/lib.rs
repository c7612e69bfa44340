//! Queue worker: when a resource is deleted, or a model becomes unavailable or available again, updates the status of
//! the agents and workflows that reference it (`needs_attention`). When a workflow is deleted, it also deletes what belongs to the
//! workflow, and revokes the tokens of connected accounts.

use std::sync::Arc;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use domain::reference::Reference;
use oauth::Consents;
use outbound::Outbound;
use platform::Context;
use platform::queue::each_message;
use platform::telemetry::Telemetry;
use store::work::{DeletedEntity, Task, WorkHint};
use store::{Attention, Credentials, Works};

/// The stores that the worker uses.
#[derive(Clone)]
pub struct Stores {
    attention: Attention,
    works: Works,
    credentials: Credentials,
    consents: Arc<Consents>,
    telemetry: Telemetry,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            attention: Attention::new(context)?,
            works: Works::new(context)?,
            credentials: Credentials::new(context)?,
            consents: Arc::new(Consents::new(context, Outbound::from_config(&context.config)?)?),
            telemetry: context.telemetry.clone(),
        })
    }
}

/// Processes an SQS batch. Failed messages are returned for a retry.
pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    // Boxed, because the compiler refuses futures that are nested too deeply.
    each_message(&stores.telemetry, event, |hint| Box::pin(process_work(stores, hint))).await
}

/// Does the work of one message. A message can be delivered twice, or after the work is finished.
async fn process_work(stores: &Stores, WorkHint { work_id }: WorkHint) -> Result<()> {
    let Some(work) = stores.works.find(work_id).await? else { return Ok(()) };
    if let Task::Gone(DeletedEntity { account, reference: Reference::Workflow(workflow) }) = work.task {
        stores.consents.revoke_all(&stores.credentials, account, workflow).await?;
    }
    stores.attention.process(work).await?;
    stores.works.finish(work_id).await
}
