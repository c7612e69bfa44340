//! The whole platform in one process.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aws_smithy_runtime_api::client::interceptors::SharedInterceptor;
use axum::serve::ListenerExt;
use futures::FutureExt;
use shared::Context;
use shared::aws::Aws;
use shared::config::{self, Config};
use shared::domain::time::Time;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::credentials::{Credentials, Kept};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::front::front;
use crate::functions::Functions;
use crate::issuer::{AUDIENCE, ISSUER, Issuer};
use crate::pollers::Poller;
use crate::provision::provision;
use crate::seed::seed;
use crate::services::{Endpoints, Services, address, listen};
use crate::template::{Setting, Template};

/// How long requests under way may take to end at a stop.
const GRACE: Duration = Duration::from_secs(5);
const TICK: Duration = Duration::from_secs(60);

pub struct Options {
    /// 0 takes any free port.
    pub port: u16,
    pub data: DataDir,
    /// Polls queues and ticks by itself. Without it, `drain` and `tick` do, when they are called.
    pub background: bool,
    /// Sees every AWS call of the platform.
    pub observer: Option<SharedInterceptor>,
    /// What stands between the functions and the services: given where these are, it says where it is itself.
    /// Tests put a layer of faults there.
    pub front_of_services: Option<Box<dyn FnOnce(Endpoints) -> Endpoints + Send>>,
}

pub struct Platform {
    pub base_url: String,
    pub credentials: Credentials,
    pub issuer: Issuer,
    pub started_in: Duration,
    parts: Parts,
    functions: Arc<Functions>,
    data: DataDir,
    stop: CancellationToken,
    running: JoinSet<()>,
}

/// What the settings of functions are made of.
struct Parts {
    aws: Aws,
    template: Template,
    services: Services,
    resources: BTreeMap<String, String>,
}

impl Platform {
    pub async fn start(options: Options) -> Result<Self, Failure> {
        let began = Instant::now();
        let Options { port, data, background, observer, front_of_services } = options;
        let listener = listen(port).await?;
        let base_url = format!("http://{}", address(&listener)?);

        let template = Template::read();
        let services = Services::start(&data, &template, 0).await?;
        let quiet = Aws::local(services.endpoints.sdk_config(), None);
        let mut resources = provision(&quiet, &template).await?;
        services.save()?;
        resources.extend(parameters(&base_url));
        let endpoints = match front_of_services {
            Some(front) => front(services.endpoints),
            None => services.endpoints,
        };
        let aws = Aws::local(endpoints.sdk_config(), observer);
        let parts = Parts { aws, template, services, resources };

        let issuer = Issuer::open_or_create(data.folder())?;
        let everything = Context { aws: quiet, ..parts.context() };
        let kept = seed(&everything, base_url.clone(), Kept::read(data.folder())?).await?;
        kept.write(data.folder())?;

        let functions = Arc::new(Functions::new(|name| parts.context_of(name))?);
        let front = front(&parts.template.routes, &functions.routers, issuer.jwks())?;

        let stop = CancellationToken::new();
        let mut running = JoinSet::new();
        // Small answers go out at once, not when an acknowledgement has come back.
        let listener = listener.tap_io(|socket| drop(socket.set_nodelay(true)));
        let served = axum::serve(listener, front).with_graceful_shutdown(stop.clone().cancelled_owned());
        running.spawn(async move { drop(served.await) });
        if background {
            for poller in pollers(&parts, &functions) {
                running.spawn(poller.run(stop.clone()));
            }
            running.spawn(tick_every_minute(functions.clone(), stop.clone()));
        }
        let credentials = kept.with_tokens(&issuer);
        Ok(Self { base_url, credentials, issuer, started_in: began.elapsed(), parts, functions, data, stop, running })
    }

    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Every setting there is, for tools and tests; a function gets its own only.
    pub fn context(&self) -> Context {
        self.parts.context()
    }

    /// The environment of a function that runs as a process of its own: its settings, and where the services are.
    pub fn environment_of(&self, function: &str) -> Vec<(String, String)> {
        let services = self.parts.services.endpoints.environment();
        self.parts.settings_of(function).chain(services).collect()
    }

    /// Handles the messages that are there now; how many those were.
    pub async fn drain(&self) -> usize {
        let mut handled = 0;
        for poller in pollers(&self.parts, &self.functions) {
            handled += poller.drain().await;
        }
        handled
    }

    pub async fn tick(&self, now: Time) -> shared::Result<usize> {
        self.functions.tick(now).await
    }

    /// Ends what is under way, then everything else.
    pub async fn stop(mut self) -> Result<(), Failure> {
        self.stop.cancel();
        let ended = async { while self.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, ended).await;
        self.parts.services.stop()
    }
}

impl Parts {
    fn context_of(&self, function: &str) -> Context {
        Context { config: self.settings_of(function).collect(), aws: self.aws.clone() }
    }

    fn settings_of(&self, function: &str) -> impl Iterator<Item = (String, String)> {
        let settings = self.template.functions.get(function).map(|function| &function.settings);
        settings.into_iter().flatten().map(|(name, setting)| (name.clone(), self.resolved(setting)))
    }

    fn context(&self) -> Context {
        let functions = self.template.functions.values().flat_map(|function| &function.settings);
        let settings = functions.map(|(name, setting)| (name.clone(), self.resolved(setting)));
        // Resources that no function has a setting for yet.
        let reference = |id: &str| self.resolved(&Setting::Ref(id.to_owned()));
        let others = [(config::BUCKET_FILES, "FilesBucket"), (config::KMS_KEY, "SecretsKey")];
        let others = others.map(|(name, id)| (name.to_owned(), reference(id)));
        Context { config: settings.chain(others).collect::<Config>(), aws: self.aws.clone() }
    }

    fn resolved(&self, setting: &Setting) -> String {
        match setting {
            Setting::Text(text) => text.clone(),
            Setting::Ref(id) => self.resources.get(id).cloned().unwrap_or_default(),
        }
    }
}

/// The template's parameters, as this machine has them.
fn parameters(base_url: &str) -> BTreeMap<String, String> {
    let jwks_url = format!("{base_url}/local/jwks.json");
    let parameters = [("AuthIssuer", ISSUER), ("AuthAudience", AUDIENCE), ("AuthJwksUrl", &jwks_url)];
    parameters.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn pollers(parts: &Parts, functions: &Arc<Functions>) -> Vec<Poller> {
    let sources =
        parts.template.functions.iter().filter_map(|(name, function)| Some((name, function.source.as_ref()?)));
    let pollers = sources.filter_map(|(name, (queue, batch_size))| {
        let worker = functions.workers.get(name.as_str())?.clone();
        Some(Poller {
            client: parts.aws.sqs(),
            queue_url: parts.resources.get(queue)?.clone(),
            batch_size: *batch_size,
            deliver: Box::new(move |event| worker(event).map(Some).boxed()),
        })
    });
    pollers.collect()
}

async fn tick_every_minute(functions: Arc<Functions>, stop: CancellationToken) {
    let mut minutes = tokio::time::interval(TICK);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = minutes.tick() => {}
        }
        if let Err(error) = functions.tick(Time::now()).await {
            tracing::error!(?error, "the ticker failed; it tries again in a minute");
        }
    }
}
