//! Tells agents and workflows that something they name is gone, or back, so that their status says so.

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use domain::Result;
use shared::Context;
use shared::queue::each_message;
use shared::store::work::WorkHint;
use shared::store::{Attention, Works};

/// What the worker works with.
#[derive(Clone)]
pub struct Stores {
    attention: Attention,
    works: Works,
}

impl Stores {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self { attention: Attention::new(context)?, works: Works::new(context)? })
    }
}

pub async fn handle(stores: &Stores, event: SqsEvent) -> SqsBatchResponse {
    each_message(event, |hint| tell(stores, hint)).await
}

/// A hint may come twice, or after the work was done.
async fn tell(stores: &Stores, WorkHint { work_id }: WorkHint) -> Result<()> {
    let Some(work) = stores.works.find(work_id).await? else { return Ok(()) };
    stores.attention.see_to(work).await?;
    stores.works.finish(work_id).await
}
