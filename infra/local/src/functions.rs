//! All functions of the platform, in one process. No other file of `local` lists them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::Router;
use domain::Result;
use domain::time::Time;
use futures::future::BoxFuture;
use labs::Backend;
use platform::Context;

/// How long the run-worker carries out runs per message, as in the template.
const SHIFT: Duration = Duration::from_secs(900);

pub type Worker = Arc<dyn Fn(SqsEvent) -> BoxFuture<'static, SqsBatchResponse> + Send + Sync>;

pub struct Functions {
    /// The functions that serve requests, by name.
    pub routers: BTreeMap<&'static str, Router>,
    /// The functions that handle messages of queues, by name.
    pub workers: BTreeMap<&'static str, Worker>,
    ticker: ticker::Stores,
}

impl Functions {
    /// `context` returns the context of a function, with the settings that the template gives it. `backend` provides the
    /// environments of workbenches.
    pub fn new(context: impl Fn(&str) -> Context, backend: Arc<dyn Backend>) -> Result<Self> {
        let attention_worker = attention_worker::Stores::new(&context("attention-worker"))?;
        let batch_worker = batch_worker::Stores::new(&context("batch-worker"))?;
        let guard_worker = guard_worker::Stores::new(&context("guard-worker"))?;
        let image_worker = image_worker::Stores::new(&context("image-worker"))?;
        let run_worker = run_worker::Stores::new(&context("run-worker"))?;
        let workbench_worker = workbench_worker::Stores::new(&context("workbench-worker"), backend)?;
        Ok(Self {
            routers: BTreeMap::from([
                ("account", account::router(&context("account"))?),
                ("admin", admin::router(&context("admin"))?),
                ("agents", agents::router(&context("agents"))?),
                ("batches", batches::router(&context("batches"))?),
                ("billing", billing::router(&context("billing"))?),
                ("catalog", catalog::router(&context("catalog"))?),
                ("channels", channels::router(&context("channels"))?),
                ("console", console::router(&context("console"))?),
                ("conversations", conversations::router(&context("conversations"))?),
                ("hooks", hooks::router(&context("hooks"))?),
                ("inference", inference::router(&context("inference"))?),
                ("invocations", invocations::router(&context("invocations"))?),
                ("mcp-gateway", mcp_gateway::router(&context("mcp-gateway"))?),
                ("mcp-tools", mcp_tools::router(&context("mcp-tools"))?),
                ("mcp-studio", mcp_studio::router(&context("mcp-studio"))?),
                ("previews", previews::router(&context("previews"))?),
                ("reference", reference::router(&context("reference"))?),
                ("run-events", run_events::router(&context("run-events"))?),
                ("runs", runs::router(&context("runs"))?),
                ("team", team::router(&context("team"))?),
                ("service-tokens", service_tokens::router(&context("service-tokens"))?),
                ("workbenches", workbenches::router(&context("workbenches"))?),
                ("workflows", workflows::router(&context("workflows"))?),
            ]),
            workers: BTreeMap::from([
                (
                    "attention-worker",
                    worker(move |event| {
                        let stores = attention_worker.clone();
                        async move { attention_worker::handle(&stores, event).await }
                    }),
                ),
                (
                    "batch-worker",
                    worker(move |event| {
                        let stores = batch_worker.clone();
                        async move { batch_worker::handle(&stores, event).await }
                    }),
                ),
                (
                    "guard-worker",
                    worker(move |event| {
                        let stores = guard_worker.clone();
                        async move { guard_worker::handle(&stores, event).await }
                    }),
                ),
                (
                    "image-worker",
                    worker(move |event| {
                        let stores = image_worker.clone();
                        async move { image_worker::handle(&stores, event).await }
                    }),
                ),
                (
                    "run-worker",
                    worker(move |event| {
                        let stores = run_worker.clone();
                        async move { run_worker::handle(&stores, event, Time::now().plus(SHIFT)).await }
                    }),
                ),
                (
                    "workbench-worker",
                    worker(move |event| {
                        let stores = workbench_worker.clone();
                        async move { workbench_worker::handle(&stores, event).await }
                    }),
                ),
            ]),
            ticker: ticker::Stores::new(&context("ticker"))?,
        })
    }

    /// Runs the ticker once, and returns how many items were due.
    pub async fn tick(&self, now: Time) -> Result<usize> {
        ticker::tick(&self.ticker, now).await
    }
}

fn worker<F>(handle: impl Fn(SqsEvent) -> F + Send + Sync + 'static) -> Worker
where
    F: Future<Output = SqsBatchResponse> + Send + 'static,
{
    Arc::new(move |event| Box::pin(handle(event)))
}
