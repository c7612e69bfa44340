//! Performs the effects of nodes, by their type.

mod agent;
mod errors;
mod http;
mod model;
mod retrieval;
mod retry;
mod streamed;
mod workflow;

use std::sync::Arc;

use domain::Result;
use domain::id::{RunId, WorkflowId};
use domain::identity::Account;
use domain::run::{Run, RunStep, StepError};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects, RetryHint};
use engine::nodes::NodeKind;
use engine::nodes::embeddings::EmbeddingsNode;
use engine::nodes::guard::GuardNode;
use engine::nodes::http::HttpNode;
use engine::nodes::image::ImageNode;
use engine::nodes::model::ModelNode;
use engine::nodes::retrieval::RetrievalNode;
use engine::nodes::workflow::WorkflowNode;
use engine::operation::Operation;
use shared::Context;
use shared::outbound::{Calls, Outbound};
use shared::store::Workflows;

use self::agent::AgentEffects;
use self::http::HttpEffects;
use self::model::ModelEffects;
use self::retrieval::RetrievalEffects;
use self::workflow::WorkflowEffects;
use runner::{InvocationEvents, Performers, Triggers};

/// The performers of all node types. The driver itself carries out delays and reviews.
#[derive(Clone)]
pub struct NodePerformers {
    http: Arc<HttpEffects>,
    models: Arc<ModelEffects>,
    agents: Arc<AgentEffects>,
    retrieval: Arc<RetrievalEffects>,
    workflows: Arc<WorkflowEffects>,
}

/// For whom effects are performed.
#[derive(Clone)]
pub struct EffectOwner {
    /// Its organization pays for calls of models.
    pub account: Account,
    /// The workflow whose credentials and private agents can be used.
    pub workflow: Option<WorkflowId>,
    /// The beginning of the request ids of its calls of models, before the path of the step.
    pub request_prefix: String,
    pub origin: EffectOrigin,
}

/// What needs the effects.
#[derive(Clone)]
pub enum EffectOrigin {
    Run(Box<Run>),
    /// A preview starts no runs.
    Preview,
    /// An agent that was called directly.
    Invocation {
        id: RunId,
        /// Receives the text of models while they write it.
        events: Option<InvocationEvents>,
    },
}

impl EffectOwner {
    /// The request id of all calls of a step, which the ledger shows.
    fn request_id(&self, effect: &Effect) -> String {
        format!("{}/{}", self.request_prefix, effect.step)
    }

    /// The step whose usage counts the calls. A preview has none.
    fn step(&self, effect: &Effect) -> Option<RunStep> {
        let (run, workflow) = match &self.origin {
            EffectOrigin::Run(run) => (run.id, Some(run.workflow)),
            EffectOrigin::Invocation { id, .. } => (*id, None),
            EffectOrigin::Preview => return None,
        };
        Some(RunStep { run, workflow, path: effect.step.clone() })
    }
}

impl NodePerformers {
    pub fn new(context: &Context) -> Result<Self> {
        let calls = Calls::new(Outbound::from_config(&context.config)?);
        let models = Arc::new(ModelEffects::new(context)?);
        let triggers = Arc::new(Triggers::new(Workflows::new(context)?));
        Ok(Self {
            http: Arc::new(HttpEffects::new(context, calls.clone())?),
            retrieval: Arc::new(RetrievalEffects::new(context, models.clone(), calls)?),
            agents: Arc::new(AgentEffects::new(context, triggers.clone(), models.clone())?),
            models,
            workflows: Arc::new(WorkflowEffects::new(context, triggers)?),
        })
    }

    pub fn of_owner(&self, owner: EffectOwner) -> impl Effects + Send + use<> {
        NodeEffects { performers: self.clone(), owner }
    }
}

impl Performers for NodePerformers {
    fn of_run(&self, run: &Run) -> impl Effects + Send {
        let (account, workflow, request_prefix) = (run.account, Some(run.workflow), run.id.to_string());
        self.of_owner(EffectOwner {
            account,
            workflow,
            request_prefix,
            origin: EffectOrigin::Run(Box::new(run.clone())),
        })
    }
}

struct NodeEffects {
    performers: NodePerformers,
    owner: EffectOwner,
}

impl Effects for NodeEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let NodePerformers { http, models, agents, retrieval, workflows } = &self.performers;
        // Boxed, because the compiler refuses futures that are nested too deeply.
        let outcome = match effect.operation.name() {
            HttpNode::NAME => Box::pin(http.perform(&self.owner, &effect)).await,
            ModelNode::NAME => Box::pin(models.complete(&self.owner, &effect)).await,
            EmbeddingsNode::NAME => Box::pin(models.embed(&self.owner, &effect)).await,
            GuardNode::NAME => Box::pin(models.guard(&self.owner, &effect)).await,
            ImageNode::NAME => Box::pin(models.draw(&self.owner, &effect)).await,
            RetrievalNode::NAME => Box::pin(retrieval.perform(&self.owner, &effect)).await,
            Operation::LOAD_AGENT => Box::pin(agents.load(&self.owner, &effect)).await,
            Operation::ASK_MODEL => Box::pin(models.ask(&self.owner, &effect)).await,
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
