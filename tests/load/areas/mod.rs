//! What people do, one file an area. Each visit deletes what it created, so that the data does not grow without end.

mod agents;
mod conversations;
mod gateway;
mod graphs;
mod operator;
mod reference;
mod runs;
mod tools;
mod webhooks;
mod workbenches;
mod workflows;

use std::path::Path;
use std::time::Instant;

use serde_json::json;
use tests::process::Result;

use crate::visitor::Visitor;

#[derive(Clone, Copy, Debug)]
pub enum Area {
    Agents,
    Conversations,
    Gateway,
    Operator,
    Reference,
    Runs,
    Tools,
    Webhooks,
    Workbenches,
    Workflows,
}

pub const AREAS: [Area; 10] = [
    Area::Gateway,
    Area::Runs,
    Area::Agents,
    Area::Webhooks,
    Area::Workflows,
    Area::Tools,
    Area::Conversations,
    Area::Operator,
    Area::Workbenches,
    Area::Reference,
];

/// Gives the organization credits, and the labs of its plan a program.
pub async fn prepare(mut operator: Visitor, program: &Path) -> Result<()> {
    let me = operator.get("/gateway/v1/me").await?;
    operator.set("org", &me["org"]["id"])?;
    let credits = json!({"org": me["org"]["id"], "kind": "credit", "amount": "1000000.00", "reason": "load"});
    operator.post("/gateway/v1/billing/admin/credits", credits).await?;
    operator.put("/gateway/v1/admin/plans/default", workbenches::plan(program)).await.map(drop)
}

/// Visits the areas one after the other until the time is up. Each person begins with another one.
pub async fn visit(mut visitor: Visitor, first: usize, until: Instant) {
    for area in AREAS.into_iter().cycle().skip(first % AREAS.len()) {
        if Instant::now() >= until {
            return;
        }
        if let Err(cause) = area.visit(&mut visitor).await {
            visitor.platform.failed(&format!("{area:?}: {cause}"));
        }
    }
}

impl Area {
    async fn visit(self, visitor: &mut Visitor) -> Result<()> {
        match self {
            Self::Agents => agents::visit(visitor).await,
            Self::Conversations => conversations::visit(visitor).await,
            Self::Gateway => gateway::visit(visitor).await,
            Self::Operator => operator::visit(visitor).await,
            Self::Reference => reference::visit(visitor).await,
            Self::Runs => runs::visit(visitor).await,
            Self::Tools => tools::visit(visitor).await,
            Self::Webhooks => webhooks::visit(visitor).await,
            Self::Workbenches => workbenches::visit(visitor).await,
            Self::Workflows => workflows::visit(visitor).await,
        }
    }
}
