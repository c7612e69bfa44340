//! Performs the effects of nodes, by their type.

mod http;
mod model;
mod retrieval;
mod workflow;

use std::sync::Arc;

use domain::Result;
use domain::id::WorkflowId;
use domain::identity::Account;
use domain::run::{Run, StepError};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects, RetryHint};
use engine::nodes::NodeKind;
use engine::nodes::embeddings::EmbeddingsNode;
use engine::nodes::http::HttpNode;
use engine::nodes::model::ModelNode;
use engine::nodes::retrieval::RetrievalNode;
use engine::nodes::workflow::WorkflowNode;
use shared::Context;
use shared::outbound::{Calls, Outbound};

use self::http::HttpEffects;
use self::model::ModelEffects;
use self::retrieval::RetrievalEffects;
use self::workflow::WorkflowEffects;
use runner::Performers;

/// The performers of all node types. The driver itself carries out delays and reviews.
#[derive(Clone)]
pub struct NodePerformers {
    http: Arc<HttpEffects>,
    models: Arc<ModelEffects>,
    retrieval: Arc<RetrievalEffects>,
    workflows: Arc<WorkflowEffects>,
}

/// The run or the preview for which effects are performed.
#[derive(Clone)]
pub struct EffectOwner {
    /// Its organization pays for calls of models.
    pub account: Account,
    /// The workflow whose credentials can be used.
    pub workflow: WorkflowId,
    /// The beginning of the request ids of its calls of models, before the path of the step.
    pub request_prefix: String,
    /// The run, whose steps can start others. A preview has none.
    pub run: Option<Run>,
}

impl EffectOwner {
    /// The request id of all calls of a step, which the ledger shows.
    fn request_id(&self, effect: &Effect) -> String {
        format!("{}/{}", self.request_prefix, effect.step)
    }
}

impl NodePerformers {
    pub fn new(context: &Context) -> Result<Self> {
        let calls = Calls::new(Outbound::from_config(&context.config)?);
        let models = Arc::new(ModelEffects::new(context)?);
        Ok(Self {
            http: Arc::new(HttpEffects::new(context, calls.clone())?),
            retrieval: Arc::new(RetrievalEffects::new(context, models.clone(), calls)?),
            models,
            workflows: Arc::new(WorkflowEffects::new(context)?),
        })
    }

    pub fn of_owner(&self, owner: EffectOwner) -> impl Effects + Send + use<> {
        NodeEffects { performers: self.clone(), owner }
    }
}

impl Performers for NodePerformers {
    fn of_run(&self, run: &Run) -> impl Effects + Send {
        let (account, workflow, request_prefix) = (run.account, run.workflow, run.id.to_string());
        self.of_owner(EffectOwner { account, workflow, request_prefix, run: Some(run.clone()) })
    }
}

struct NodeEffects {
    performers: NodePerformers,
    owner: EffectOwner,
}

impl Effects for NodeEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let NodePerformers { http, models, retrieval, workflows } = &self.performers;
        // Boxed, because the compiler refuses futures that are nested too deeply.
        let outcome = match effect.node_type.name {
            HttpNode::NAME => Box::pin(http.perform(&self.owner, &effect)).await,
            ModelNode::NAME => Box::pin(models.complete(&self.owner, &effect)).await,
            EmbeddingsNode::NAME => Box::pin(models.embed(&self.owner, &effect)).await,
            RetrievalNode::NAME => Box::pin(retrieval.perform(&self.owner, &effect)).await,
            WorkflowNode::NAME => return Box::pin(workflows.call(&self.owner, &effect)).await,
            name => Err(not_available(name)),
        };
        outcome.map(EffectOutcome::Completed)
    }
}

fn not_available(node_type: &str) -> EffectError {
    let message = format!("the platform cannot perform nodes of the type {node_type} yet; remove the node");
    EffectError { error: StepError::new("not_available", message), retry: RetryHint::Never }
}
