//! Performs the effects of nodes, by their type.

mod agent;
mod conversation;
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
use domain::run::{Run, RunStep};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects};
use engine::nodes::NodeKind;
use engine::nodes::embeddings::EmbeddingsNode;
use engine::nodes::guard::GuardNode;
use engine::nodes::http::HttpNode;
use engine::nodes::image::ImageNode;
use engine::nodes::model::ModelNode;
use engine::nodes::retrieval::RetrievalNode;
use engine::nodes::send_message::SendMessageNode;
use engine::nodes::workflow::WorkflowNode;
use engine::operation::Operation;
use engine::run::StepOutcome;
use serde_json::Value;
use shared::Context;
use shared::outbound::{Calls, Outbound};
use shared::store::Workflows;

use self::agent::AgentEffects;
use self::conversation::{Conversations, ThreadConversations};
use self::errors::{refused, to_effect_error};
use self::http::HttpEffects;
use self::model::{ModelConversation, ModelEffects};
use self::retrieval::RetrievalEffects;
use self::workflow::WorkflowEffects;
use runner::{InvocationEvents, Performers, ReleasePlans, Triggers};

pub use self::conversation::{Conversation, SandboxConversation, SandboxMessage};

/// The performers of all node types. The driver itself carries out delays and reviews.
#[derive(Clone)]
pub struct NodePerformers {
    http: Arc<HttpEffects>,
    models: Arc<ModelEffects>,
    agents: Arc<AgentEffects>,
    retrieval: Arc<RetrievalEffects>,
    workflows: Arc<WorkflowEffects>,
    /// None in functions that carry out no runs.
    conversations: Option<Arc<dyn Conversations>>,
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
    Preview {
        /// The conversation of a test. Other previews send no messages.
        conversation: Option<Arc<dyn Conversation>>,
    },
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
            EffectOrigin::Preview { .. } => return None,
        };
        Some(RunStep { run, workflow, path: effect.step.clone() })
    }
}

impl NodePerformers {
    /// The performers of runs, which can take part in conversations.
    pub fn of_runs(context: &Context, plans: Arc<ReleasePlans>) -> Result<Self> {
        let calls = Calls::new(Outbound::from_config(&context.config)?);
        let conversations = Arc::new(ThreadConversations::new(context, calls.clone(), plans)?);
        Ok(Self { conversations: Some(conversations), ..Self::with_calls(context, calls)? })
    }

    /// The performers of previews and of agents that are called directly.
    pub fn new(context: &Context) -> Result<Self> {
        Self::with_calls(context, Calls::new(Outbound::from_config(&context.config)?))
    }

    fn with_calls(context: &Context, calls: Calls) -> Result<Self> {
        let models = Arc::new(ModelEffects::new(context)?);
        let triggers = Arc::new(Triggers::new(Workflows::new(context)?));
        Ok(Self {
            http: Arc::new(HttpEffects::new(context, calls.clone())?),
            retrieval: Arc::new(RetrievalEffects::new(context, models.clone(), calls)?),
            agents: Arc::new(AgentEffects::new(context, triggers.clone(), models.clone())?),
            models,
            workflows: Arc::new(WorkflowEffects::new(context, triggers)?),
            conversations: None,
        })
    }

    pub fn of_owner(&self, owner: EffectOwner) -> impl Effects + Send + use<> {
        let conversation = match &owner.origin {
            EffectOrigin::Run(run) => self.conversations.clone().map(|conversations| conversations.of_run(run)),
            EffectOrigin::Preview { conversation } => conversation.clone(),
            EffectOrigin::Invocation { .. } => None,
        };
        NodeEffects { performers: self.clone(), owner, conversation }
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
    conversation: Option<Arc<dyn Conversation>>,
}

impl Effects for NodeEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let NodePerformers { http, models, retrieval, workflows, .. } = &self.performers;
        // Boxed, because the compiler refuses futures that are nested too deeply.
        let outcome = match effect.operation.name() {
            HttpNode::NAME => Box::pin(http.perform(&self.owner, &effect)).await,
            ModelNode::NAME => Box::pin(self.ask_model(&effect)).await,
            EmbeddingsNode::NAME => Box::pin(models.embed(&self.owner, &effect)).await,
            GuardNode::NAME => Box::pin(models.guard(&self.owner, &effect)).await,
            ImageNode::NAME => Box::pin(models.draw(&self.owner, &effect)).await,
            RetrievalNode::NAME => Box::pin(retrieval.perform(&self.owner, &effect)).await,
            SendMessageNode::NAME => Box::pin(self.send_message(&effect)).await,
            Operation::LOAD_AGENT => Box::pin(self.load_agent(&effect)).await,
            Operation::ASK_MODEL => Box::pin(models.ask(&self.owner, &effect)).await,
            WorkflowNode::NAME => return Box::pin(workflows.call(&self.owner, &effect)).await,
            name => Err(not_available(name)),
        };
        outcome.map(EffectOutcome::Completed)
    }
}

impl NodeEffects {
    async fn ask_model(&self, effect: &Effect) -> Result<StepOutcome, EffectError> {
        let conversation = self.model_conversation(effect).await?;
        self.performers.models.complete(&self.owner, effect, conversation).await
    }

    async fn load_agent(&self, effect: &Effect) -> Result<StepOutcome, EffectError> {
        let history = self.history_if(effect.config.get("memory")).await?;
        self.performers.agents.load(&self.owner, effect, history).await
    }

    /// What a `model` node knows of the conversation of the run.
    async fn model_conversation(&self, effect: &Effect) -> Result<ModelConversation, EffectError> {
        let history = self.history_if(effect.config.get("memory")).await?;
        let files = match (&self.conversation, effect.config.get("attachments")) {
            (Some(conversation), Some(Value::Bool(true))) => conversation.files().await?,
            _ => Vec::new(),
        };
        Ok(ModelConversation { history, files })
    }

    /// The earlier messages, if a message started the run and the node has a memory.
    async fn history_if(&self, memory: Option<&Value>) -> Result<Vec<Value>, EffectError> {
        match (&self.conversation, memory) {
            (Some(conversation), Some(Value::Bool(true))) => conversation.history().await.map_err(to_effect_error),
            _ => Ok(Vec::new()),
        }
    }

    async fn send_message(&self, effect: &Effect) -> Result<StepOutcome, EffectError> {
        match &self.conversation {
            Some(conversation) => conversation.send(effect).await,
            None => Err(refused("not_in_preview", "a preview sends no messages; pin the output of this node")),
        }
    }
}

fn not_available(node_type: &str) -> EffectError {
    let message = format!("the platform cannot perform nodes of the type {node_type} yet; remove the node");
    refused("not_available", &message)
}
