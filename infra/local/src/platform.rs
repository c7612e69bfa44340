//! The whole platform in one process.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use aws_smithy_runtime_api::client::interceptors::SharedInterceptor;
use domain::time::Time;
use futures::FutureExt;
use hyper_util::service::TowerToHyperService;
use shared::Context;
use shared::aws::Aws;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::credentials::{Credentials, Kept};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::front::{front, refuse};
use crate::functions::Functions;
use crate::issuer::Issuer;
use crate::open_files;
use crate::parts::{Parts, Setup, THIS_MACHINE};
use crate::pollers::Poller;
use crate::seed::seed;
use crate::server::{self, Limits};
use crate::services::{Endpoints, ServiceOptions, SyncMode, address, listen};

/// How long requests under way may take to end at a stop.
const GRACE: Duration = Duration::from_secs(5);
/// Clients send a request's head at once; and few keep an idle connection for longer.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
const TICK: Duration = Duration::from_secs(60);

pub struct Options {
    /// 0 takes any free port.
    pub port: u16,
    pub data: DataDir,
    /// Where callers find the platform, when that is not its own port: behind a proxy or a tunnel.
    pub base_url: Option<String>,
    /// Private networks that providers and workflows may reach, separated by commas.
    pub outbound_allowed: String,
    pub sync: SyncMode,
    pub limits: Limits,
    /// Connections to providers, and as many to what workflows call.
    pub max_outbound: usize,
    /// Polls queues and ticks by itself. Without it, `drain` and `tick` do, when they are called.
    pub background: bool,
    /// Sees every AWS call of the platform.
    pub observer: Option<SharedInterceptor>,
    /// What stands between the functions and the services: given where these are, it says where it is itself.
    /// Tests put a layer of faults there.
    pub front_of_services: Option<Box<dyn FnOnce(Endpoints) -> Endpoints + Send>>,
}

impl Options {
    /// A platform on any free port that does nothing by itself.
    pub fn new(data: DataDir) -> Self {
        let connections = open_files::max_connections();
        Self {
            port: 0,
            data,
            base_url: None,
            outbound_allowed: THIS_MACHINE.to_owned(),
            sync: SyncMode::default(),
            limits: Limits { connections, head_timeout: HEAD_TIMEOUT },
            max_outbound: 2 * connections,
            background: false,
            observer: None,
            front_of_services: None,
        }
    }
}

pub struct Platform {
    pub base_url: String,
    pub credentials: Credentials,
    pub issuer: Issuer,
    pub started_in: Duration,
    parts: Parts,
    /// Where the services are, for whoever connects anew, and who sees the calls.
    services: Endpoints,
    observer: Option<SharedInterceptor>,
    functions: Arc<Functions>,
    data: DataDir,
    stop: CancellationToken,
    running: JoinSet<()>,
}

impl Platform {
    pub async fn start(options: Options) -> Result<Self, Failure> {
        let began = Instant::now();
        let Options { port, data, base_url, outbound_allowed, sync, limits, max_outbound, .. } = options;
        let (background, observer, front_of_services) =
            (options.background, options.observer, options.front_of_services);
        let listener = listen(port).await?;
        let own_address = address(&listener)?;
        let own_url = format!("http://{own_address}");

        let setup = Setup {
            services: ServiceOptions { first_port: 0, sync },
            base_url: base_url.as_deref().unwrap_or(&own_url),
            jwks_url: &format!("{own_url}/local/jwks.json"),
            outbound_allowed: &outbound_allowed,
            own_ports: &[own_address.port()],
            max_outbound,
        };
        let mut parts = Parts::start(&data, setup).await?;
        let base_url = own_url;
        let issuer = Issuer::open_or_create(data.folder())?;
        let kept = seed(&parts.context(), base_url.clone(), Kept::read(data.folder())?).await?;
        kept.write(data.folder())?;

        let services = match front_of_services {
            Some(front) => front(parts.services.endpoints.clone()),
            None => parts.services.endpoints.clone(),
        };
        parts.aws = Aws::local(services.sdk_config()).watched_by(observer.clone());

        let functions = Arc::new(Functions::new(|name| parts.context_of(name))?);
        let storage = parts.services.storage.clone();
        let front = front(&parts.template.routes, &functions.routers, issuer.jwks(), storage)?;

        let stop = CancellationToken::new();
        let mut running = JoinSet::new();
        let service = TowerToHyperService::new(front);
        running.spawn(server::serve(listener, service, limits, refuse, stop.clone()));
        if background {
            for poller in pollers(&parts, &functions) {
                running.spawn(poller.run(stop.clone()));
            }
            for rules in parts.expiry_rules() {
                running.spawn(rules.run(stop.clone()));
            }
            running.spawn(tick_every_minute(functions.clone(), stop.clone()));
        }
        let credentials = kept.with_tokens(&issuer);
        let started_in = began.elapsed();
        Ok(Self {
            base_url,
            credentials,
            issuer,
            started_in,
            parts,
            services,
            observer,
            functions,
            data,
            stop,
            running,
        })
    }

    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// Every setting there is, for tools and tests; a function gets its own only.
    pub fn context(&self) -> Context {
        self.parts.context()
    }

    /// What a function has: its own settings, and what its policies let it do.
    pub fn context_of(&self, function: &str) -> Context {
        self.parts.context_of(function)
    }

    /// Deletes the objects that have expired at that time; how many those were.
    pub async fn expire(&self, now: SystemTime) -> usize {
        let mut expired = 0;
        for rules in self.parts.expiry_rules() {
            expired += rules.expire(now).await;
        }
        expired
    }

    /// What functions tried, since the last look, that the template does not let them: nothing, when its policies
    /// are right.
    pub fn take_denied(&self) -> Vec<String> {
        self.parts.denied.take()
    }

    /// The same for a further environment, with connections of its own as a process has them.
    pub fn context_of_another_environment(&self) -> Context {
        let aws = Aws::local(self.services.sdk_config()).watched_by(self.observer.clone());
        Context { aws, ..self.parts.context() }
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

    pub async fn tick(&self, now: Time) -> domain::Result<usize> {
        self.functions.tick(now).await
    }

    /// Ends what is under way, then everything else.
    pub async fn stop(mut self) -> Result<(), Failure> {
        self.stop.cancel();
        let ended = async { while self.running.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(GRACE, ended).await;
        self.parts.services.stop().await
    }
}

fn pollers(parts: &Parts, functions: &Functions) -> Vec<Poller> {
    parts.pollers(|name| {
        let worker = functions.workers.get(name)?.clone();
        Some(Box::new(move |event| worker(event).map(Some).boxed()))
    })
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
