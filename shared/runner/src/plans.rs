//! The execution plans of releases. A release never changes, so its plan is compiled once in each process.

use std::collections::BTreeMap;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use domain::channel::Channels;
use domain::graph::Graph;
use domain::id::{CredentialId, ReleaseId, WebhookId, WorkflowId};
use domain::identity::Account;
use domain::language::Language;
use domain::run::Run;
use domain::{Error, Result};
use engine::compile::{ExecutionPlan, compile_with, problems_error};
use engine::expression::SyntaxError;
use engine::nodes::form::FormNode;
use engine::script::{ExecutedScript, Interpreter, OwnInterpreter, SourceForm, Surroundings};
use platform::cache::Cache;
use platform::offload::offload;
use store::Workflows;

/// Finds the plan of a run.
pub trait Plans: Sync {
    fn plan(&self, run: &Run) -> impl Future<Output = Result<Arc<ExecutionPlan>>> + Send;
}

/// The number of plans in memory.
const PLANS: usize = 200;
const KEPT: Duration = Duration::from_secs(60 * 60);

/// The plan of a draft. A graph with errors is refused with the list of its problems.
pub async fn compile_draft(graph: Graph, language: Language, interpreter: OwnInterpreter) -> Result<ExecutionPlan> {
    let (plan, problems) = offload(move || Ok(compile_with(&graph, &interpreter).finish())).await?;
    plan.ok_or_else(|| problems_error(&problems, language))
}

/// The plans of published releases.
pub struct ReleasePlans {
    workflows: Workflows,
    /// None in a process that does not run scripts.
    interpreter: OwnInterpreter,
    plans: Cache<ReleaseId, Arc<ReleasePlan>>,
}

/// Runs the scripts of releases. They were checked when the release was published, so a start of this process does not check
/// each of them again, and does not depend on it.
#[derive(Debug)]
struct PublishedScripts(Arc<dyn Interpreter>);

impl Interpreter for PublishedScripts {
    fn check(&self, _: &str, _: SourceForm) -> std::result::Result<(), SyntaxError> {
        Ok(())
    }

    fn execute(&self, source: &str, form: SourceForm, surroundings: &Surroundings<'_>) -> ExecutedScript {
        self.0.execute(source, form, surroundings)
    }
}

pub struct ReleasePlan {
    pub plan: Arc<ExecutionPlan>,
    /// The trigger of each webhook, as a step of the plan.
    webhooks: BTreeMap<WebhookId, usize>,
    /// The trigger of each account at a messaging provider.
    inboxes: BTreeMap<CredentialId, usize>,
    channels: Channels,
}

impl ReleasePlan {
    /// The step at which a call of the webhook starts a run; none if no channel of the release uses the webhook.
    pub fn trigger_of(&self, webhook: WebhookId) -> Option<usize> {
        self.webhooks.get(&webhook).copied()
    }

    /// The step at which a message starts a run; none if no `message` node of the release uses the account.
    pub fn trigger_of_inbox(&self, credential: CredentialId) -> Option<usize> {
        self.inboxes.get(&credential).copied()
    }

    /// The webhook whose form shows the further pages of a run: that of its trigger, or else of another form of the release.
    pub fn form_of(&self, run: &Run) -> Option<WebhookId> {
        let steps = &self.plan.steps;
        let forms = self.webhooks.iter().filter(|(_, step)| steps[**step].node_type.is::<FormNode>());
        forms.min_by_key(|(_, step)| steps[**step].id != run.trigger).map(|(webhook, _)| *webhook)
    }

    /// The account with which a `send_message` node sends.
    pub fn sender_of(&self, node_id: &str) -> Option<CredentialId> {
        self.channels.get(node_id)?.credential_id.map(CredentialId::from)
    }
}

impl ReleasePlans {
    pub fn new(workflows: Workflows, interpreter: OwnInterpreter) -> Self {
        Self { workflows, interpreter, plans: Cache::new(KEPT, PLANS) }
    }

    pub fn interpreter(&self) -> &OwnInterpreter {
        &self.interpreter
    }

    pub async fn find(&self, account: Account, workflow: WorkflowId, release: ReleaseId) -> Result<Arc<ReleasePlan>> {
        let load = async || self.load(account, workflow, release).await.map(Arc::new);
        self.plans.get_or_load(&release, load).await
    }

    async fn load(&self, account: Account, workflow: WorkflowId, release: ReleaseId) -> Result<ReleasePlan> {
        let manifest = self.workflows.release_manifest(account, workflow, release).await?;
        let graph = manifest.graph;
        let interpreter = self.interpreter.clone().map(|own| Arc::new(PublishedScripts(own)) as Arc<dyn Interpreter>);
        let (plan, problems) = offload(move || Ok(compile_with(&graph, &interpreter).finish())).await?;
        let problem = problems.first().map(|problem| problem.message.en.as_str()).unwrap_or_default();
        let plan = plan.ok_or_else(|| Error::internal(format!("a release has an invalid graph: {problem}")))?;
        let webhooks = manifest.channels.iter().filter_map(|(node, channel)| {
            let step = plan.find_step(node)?;
            Some((WebhookId::from(channel.webhook_id?), step))
        });
        let inboxes = manifest.channels.iter().filter_map(|(node, channel)| {
            let step = plan.find_step(node).filter(|step| plan.steps[*step].node_type.is_trigger())?;
            Some((CredentialId::from(channel.credential_id?), step))
        });
        let (webhooks, inboxes) = (webhooks.collect(), inboxes.collect());
        Ok(ReleasePlan { webhooks, inboxes, channels: manifest.channels, plan: Arc::new(plan) })
    }
}

impl<P: Plans + Send> Plans for Arc<P> {
    async fn plan(&self, run: &Run) -> Result<Arc<ExecutionPlan>> {
        P::plan(self, run).await
    }
}

impl Plans for ReleasePlans {
    async fn plan(&self, run: &Run) -> Result<Arc<ExecutionPlan>> {
        Ok(self.find(run.account, run.workflow, run.release).await?.plan.clone())
    }
}

/// The step of the plan at which the run began.
pub fn find_trigger_step(plan: &ExecutionPlan, run: &Run) -> Result<usize> {
    let step = plan.find_step(&run.trigger);
    step.ok_or_else(|| Error::internal(format!("the graph has no trigger {}", run.trigger)))
}
