//! Performs the effects of nodes, by their type.

mod agent;
mod conversation;
mod credentials;
mod database;
mod effect_span;
mod email;
mod errors;
mod feed;
mod file;
mod http;
mod mcp;
mod model;
mod prompt_files;
mod retrieval;
mod retry;
mod streamed;
mod table;
mod workflow;

pub use http::build_request;

use std::sync::Arc;

use domain::Result;
use domain::chat::Message;
use domain::id::{RunId, WorkflowId};
use domain::identity::Account;
use domain::run::{Run, RunStep};
use engine::drive::{Effect, EffectError, EffectOutcome, EffectResult, Effects, RetryHint};
use engine::nodes::database::DatabaseNode;
use engine::nodes::model::ModelNode;
use engine::nodes::send_message::SendMessageNode;
use engine::nodes::{LoadAgent, Operation};
use engine::run::StepError;
use futures::TryFutureExt;
use mcp_client::Listing;
use oauth::{Consents, SharedConsents};
use outbound::{Calls, Outbound};
use platform::Context;
use platform::telemetry::Telemetry;
use serde_json::Value;
use store::Workflows;

use self::agent::AgentEffects;
use self::conversation::{Conversations, ThreadConversations};
use self::database::DatabaseEffects;
use self::email::EmailEffects;
use self::errors::to_effect_error;
use self::feed::FeedEffects;
use self::http::HttpEffects;
use self::mcp::McpEffects;
use self::model::{ModelConversation, ModelEffects};
use self::retrieval::RetrievalEffects;
use self::table::TableEffects;
use self::workflow::WorkflowEffects;
use runner::{InvocationEvents, Performers, ReleasePlans, Triggers};

pub use self::conversation::{Conversation, SandboxConversation, SandboxMessage};
pub use self::credentials::Login;
pub use self::database::{DatabaseCall, DatabaseClients};
pub use self::errors::{cut_while_encrypting, refused, temporary};
pub use self::mcp::AgentServer;

/// The performers of all node types. The driver itself carries out delays and reviews.
#[derive(Clone)]
pub struct NodePerformers {
    http: Arc<HttpEffects>,
    feeds: Arc<FeedEffects>,
    emails: Arc<EmailEffects>,
    mcp: Arc<McpEffects>,
    models: Arc<ModelEffects>,
    agents: Arc<AgentEffects>,
    retrieval: Arc<RetrievalEffects>,
    tables: Arc<TableEffects>,
    workflows: Arc<WorkflowEffects>,
    /// None in functions that carry out no runs.
    conversations: Option<Arc<dyn Conversations>>,
    /// None in functions that carry out no runs: they link no client of a database.
    databases: Option<Arc<DatabaseEffects>>,
    telemetry: Telemetry,
}

/// For whom effects are performed.
#[derive(Clone)]
pub struct EffectOwner {
    /// The account under which the workflow and its agents are stored.
    pub account: Account,
    /// The user who calls models, and whose organization pays.
    pub payer: Account,
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
    fn of_run(run: &Run) -> Self {
        Self {
            account: run.account,
            payer: run.payer(),
            workflow: Some(run.workflow),
            request_prefix: run.id.to_string(),
            origin: EffectOrigin::Run(Box::new(run.clone())),
        }
    }

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
    /// The performers of runs, which can take part in conversations and query databases.
    pub fn of_runs(context: &Context, plans: Arc<ReleasePlans>, databases: Arc<dyn DatabaseClients>) -> Result<Self> {
        let (outbound, calls) = new_calls(context)?;
        let conversations =
            Some::<Arc<dyn Conversations>>(Arc::new(ThreadConversations::new(context, calls.clone(), plans)?));
        let databases = Some(Arc::new(DatabaseEffects::new(context, outbound.clone(), databases)?));
        Ok(Self { conversations, databases, ..Self::with_calls(context, outbound, calls)? })
    }

    /// The performers of previews and of agents that are called directly.
    pub fn new(context: &Context) -> Result<Self> {
        let (outbound, calls) = new_calls(context)?;
        Self::with_calls(context, outbound, calls)
    }

    fn with_calls(context: &Context, outbound: Outbound, calls: Calls) -> Result<Self> {
        let models = Arc::new(ModelEffects::new(context)?);
        let triggers = Arc::new(Triggers::new(Workflows::new(context)?));
        let mcp = Arc::new(McpEffects::new(context, calls.clone())?);
        Ok(Self {
            http: Arc::new(HttpEffects::new(context, calls.clone())?),
            feeds: Arc::new(FeedEffects::new(context, calls.clone())?),
            emails: Arc::new(EmailEffects::new(context, outbound)?),
            retrieval: Arc::new(RetrievalEffects::new(context, models.clone(), calls)?),
            agents: Arc::new(AgentEffects::new(context, triggers.clone(), models.clone(), mcp.clone())?),
            mcp,
            models,
            tables: Arc::new(TableEffects::new(context)?),
            workflows: Arc::new(WorkflowEffects::new(context, triggers)?),
            conversations: None,
            databases: None,
            telemetry: context.telemetry.clone(),
        })
    }

    /// The tools of the MCP server of an agent, as it lists them now.
    pub async fn list_server(&self, server: &AgentServer<'_>) -> Result<Arc<Listing>, EffectError> {
        self.mcp.list_server(server).await
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
        self.of_owner(EffectOwner::of_run(run))
    }
}

/// The way to other systems, and the client for HTTP, which can send the tokens of accounts that users have connected.
fn new_calls(context: &Context) -> Result<(Outbound, Calls)> {
    let outbound = Outbound::from_config(&context.config)?;
    let consents = Arc::new(Consents::new(context, outbound.clone())?);
    let calls = Calls::new(outbound.clone()).with_consented(Arc::new(SharedConsents(consents)));
    Ok((outbound, calls))
}

/// The performer of `http` nodes, for functions that answer soon. It links no provider of models.
#[derive(Clone)]
pub struct HttpPerformers {
    http: Arc<HttpEffects>,
    telemetry: Telemetry,
}

impl HttpPerformers {
    pub fn new(context: &Context) -> Result<Self> {
        Ok(Self {
            http: Arc::new(HttpEffects::new(context, new_calls(context)?.1)?),
            telemetry: context.telemetry.clone(),
        })
    }
}

impl Performers for HttpPerformers {
    fn of_run(&self, run: &Run) -> impl Effects + Send {
        HttpOnly { performers: self.clone(), owner: EffectOwner::of_run(run) }
    }
}

struct HttpOnly {
    performers: HttpPerformers,
    owner: EffectOwner,
}

impl Effects for HttpOnly {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let HttpPerformers { http, telemetry } = &self.performers;
        match &*effect.operation {
            Operation::Http(call) => {
                let attempt = http.perform(&self.owner, &effect, call).map_ok(EffectOutcome::Completed);
                effect_span::perform(telemetry, &self.owner, &effect, attempt).await
            }
            operation => {
                let message = format!("the node {} is not performed here", operation.name());
                Err(EffectError { error: StepError::new("platform_busy", message), retry: RetryHint::Never })
            }
        }
    }

    fn can_perform(&self, operation: &Operation) -> bool {
        matches!(operation, Operation::Http(_))
    }
}

struct NodeEffects {
    performers: NodePerformers,
    owner: EffectOwner,
    conversation: Option<Arc<dyn Conversation>>,
}

impl Effects for NodeEffects {
    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        effect_span::perform(&self.performers.telemetry, &self.owner, &effect, self.perform_attempt(&effect)).await
    }
}

impl NodeEffects {
    async fn perform_attempt(&self, effect: &Effect) -> Result<EffectOutcome, EffectError> {
        let NodePerformers { http, feeds, emails, mcp, models, retrieval, tables, workflows, .. } = &self.performers;
        let owner = &self.owner;
        // Boxed, because the compiler refuses futures that are nested too deeply.
        let outcome = match &*effect.operation {
            Operation::Http(call) => Box::pin(http.perform(owner, effect, call)).await,
            Operation::Database(node) => Box::pin(self.query_database(effect, node)).await,
            Operation::Email(node) => Box::pin(emails.perform(owner, effect, node)).await,
            Operation::Feed(node) => Box::pin(feeds.perform(owner, effect, node)).await,
            Operation::ReadFile(node) => Box::pin(file::read(node)).await,
            Operation::WriteFile(node) => Box::pin(file::write(node)).await,
            Operation::Mcp(call) => Box::pin(mcp.perform(owner, effect, call)).await,
            Operation::Model(node) => Box::pin(self.ask_model(effect, node)).await,
            Operation::Embeddings(node) => Box::pin(models.embed(owner, effect, node)).await,
            Operation::Guard(node) => Box::pin(models.guard(owner, effect, node)).await,
            Operation::Image(node) => Box::pin(models.draw(owner, effect, node)).await,
            Operation::Retrieval(node) => Box::pin(retrieval.perform(owner, effect, node)).await,
            Operation::Table(node) => Box::pin(tables.perform(owner, effect, node)).await,
            Operation::SendMessage(node) => Box::pin(self.send_message(effect, node)).await,
            Operation::LoadAgent(load) => Box::pin(self.load_agent(effect, load)).await,
            Operation::AskModel(prompt) => Box::pin(models.ask(owner, effect, prompt)).await,
            Operation::Workflow(call) => return Box::pin(workflows.call(owner, effect, call)).await,
        };
        outcome.map(EffectOutcome::Completed)
    }

    async fn ask_model(&self, effect: &Effect, node: &ModelNode<Value, String>) -> EffectResult {
        let conversation = self.model_conversation(node).await?;
        self.performers.models.complete(&self.owner, effect, node, conversation).await
    }

    async fn load_agent(&self, effect: &Effect, load: &LoadAgent) -> EffectResult {
        let history = self.history_if(load.memory).await?;
        self.performers.agents.load(&self.owner, effect, load.agent_id, history).await
    }

    /// What a `model` node knows of the conversation of the run.
    async fn model_conversation(&self, node: &ModelNode<Value, String>) -> Result<ModelConversation, EffectError> {
        let history = self.history_if(node.memory == Some(true)).await?;
        let files = match (&self.conversation, node.attachments) {
            (Some(conversation), Some(true)) => conversation.files().await?,
            _ => Vec::new(),
        };
        Ok(ModelConversation { history, files })
    }

    /// The earlier messages, if a message started the run and the node has a memory.
    async fn history_if(&self, has_memory: bool) -> Result<Vec<Message>, EffectError> {
        match &self.conversation {
            Some(conversation) if has_memory => conversation.history().await.map_err(to_effect_error),
            _ => Ok(Vec::new()),
        }
    }

    async fn query_database(&self, effect: &Effect, node: &DatabaseNode<Value>) -> EffectResult {
        match &self.performers.databases {
            Some(databases) => databases.perform(&self.owner, effect, node).await,
            None => Err(refused("not_in_preview", "a preview queries no database; pin the output of this node")),
        }
    }

    async fn send_message(&self, effect: &Effect, node: &SendMessageNode<Value, String>) -> EffectResult {
        match &self.conversation {
            Some(conversation) => conversation.send(&effect.step, node).await,
            None => Err(refused("not_in_preview", "a preview sends no messages; pin the output of this node")),
        }
    }
}
