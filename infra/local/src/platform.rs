//! Starts and stops the whole platform in one process.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use ::labs::{Backend, Environments, NoBackend};
use domain::time::{Clock, Time};
use engine::drive::STOP_PATIENCE;
use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use hyper_util::service::TowerToHyperService;
use platform::Context;
use platform::config::{self, Config};
use platform::telemetry::Telemetry;
use store::{Runs, Workbenches};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::api_gateway::{self, refuse_connection};
use crate::credentials::{LocalCredentials, StoredCredentials};
use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::files::{self, Files};
use crate::functions::Functions;
use crate::issuer::Issuer;
use crate::labs::{Folders, LabRouter, Labs};
use crate::metrics;
use crate::open_files;
use crate::pollers::Poller;
use crate::recorder::Recorder;
use crate::runtime::{Runtime, Setup, THIS_MACHINE};
use crate::seed::seed;
use crate::server::{self, BODY_BYTES_PER_SECOND, BodyPace, ConnectionLimits};
use crate::services::{Endpoints, S3_HOST, ServiceOptions, SyncMode, address, listen};
use crate::settings::trusted_issuer;
use crate::sign_in::SignIn;
use crate::template::SamTemplate;

/// How long requests and effects in flight may take to finish when the platform stops. Process managers kill a process
/// after 10 seconds or more.
pub const GRACE: Duration = Duration::from_secs(8);
/// The rest is for the writes with which workers leave their runs.
const _: () = assert!(STOP_PATIENCE.as_secs() + 3 <= GRACE.as_secs());
/// Clients send a request's head at once, and few keep an idle connection longer than this.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);
/// Clients send a small body with its head.
const BODY_PATIENCE: Duration = Duration::from_secs(10);
const MINUTE_MS: i64 = 60_000;
const MINUTE: Duration = Duration::from_secs(60);
/// How long `drain` waits for a batch before it reads the other queues again.
const BUSY_PAUSE: Duration = Duration::from_millis(10);

pub struct Options {
    /// 0 takes any free port.
    pub port: u16,
    pub data: DataDir,
    /// The public URL of the platform behind a proxy or a tunnel. By default, it is the address of the port.
    pub base_url: Option<String>,
    /// Private networks (CIDR) that requests to providers and requests of workflows may reach, separated by commas.
    pub outbound_allowed: String,
    pub sync: SyncMode,
    pub limits: ConnectionLimits,
    /// The limit of outbound connections of each function that calls other systems.
    pub max_outbound: usize,
    /// The resources of all workbenches, such as `cpu=8,memory=16Gi,gpumem=0,storage=100Gi`. By default, there is no limit.
    pub workbench_capacity: Option<String>,
    /// Runs the environments of workbenches on this machine. Otherwise, no backend is installed.
    pub labs: bool,
    /// Polls the queues and runs the ticker in the background. Otherwise, call `drain` and `tick`.
    pub background: bool,
    /// Records every AWS call of the platform.
    pub recorder: Option<Recorder>,
    /// Further settings of all functions, such as the URL of a fake messaging provider.
    pub settings: Vec<(String, String)>,
    /// Opens ports of the services, for functions in other processes.
    pub services_have_ports: bool,
    /// Lets the functions call the services at ports, behind a proxy: it takes the services' endpoints and returns its own.
    /// Tests inject faults with it.
    pub services_proxy: Option<Box<dyn FnOnce(Endpoints) -> Endpoints + Send>>,
}

impl Options {
    /// The options of a platform on any free port, without background work.
    pub fn new(data: DataDir) -> Self {
        let connections = open_files::max_connections();
        Self {
            port: 0,
            data,
            base_url: None,
            outbound_allowed: THIS_MACHINE.to_owned(),
            sync: SyncMode::default(),
            limits: ConnectionLimits {
                connections,
                head_timeout: HEAD_TIMEOUT,
                body_pace: BodyPace { patience: BODY_PATIENCE, bytes_per_second: BODY_BYTES_PER_SECOND },
            },
            max_outbound: 2 * connections,
            workbench_capacity: None,
            labs: false,
            background: false,
            recorder: None,
            settings: Vec::new(),
            services_have_ports: false,
            services_proxy: None,
        }
    }
}

pub struct Platform {
    pub base_url: String,
    pub credentials: LocalCredentials,
    pub issuer: Issuer,
    pub started_in: Duration,
    runtime: Runtime,
    functions: Arc<Functions>,
    labs: Labs,
    data: DataDir,
    stop: CancellationToken,
    running: JoinSet<()>,
}

impl Platform {
    pub async fn start(options: Options) -> Result<Self, Failure> {
        let began = Instant::now();
        let Options { port, data, base_url, outbound_allowed, sync, limits, max_outbound, .. } = options;
        let (background, recorder, services_proxy) = (options.background, options.recorder, options.services_proxy);
        let has_ports = options.services_have_ports || services_proxy.is_some();
        let workbench_capacity = options.workbench_capacity.unwrap_or_default();
        let listener = listen(port).await?;
        let own_address = address(&listener)?;
        let own_url = format!("http://{own_address}");
        let public_url = base_url.unwrap_or_else(|| own_url.clone());

        let mut more_settings = options.settings;
        let trusts_own_issuer = trusted_issuer(&more_settings).is_none();
        more_settings.push((config::FILES_URL.to_owned(), format!("{public_url}{}", files::PREFIX)));
        let setup = Setup {
            services: ServiceOptions { first_port: has_ports.then_some(0), sync, count_units: recorder.is_some() },
            base_url: &public_url,
            issuer_url: &own_url,
            outbound_allowed: &outbound_allowed,
            workbench_capacity: &workbench_capacity,
            own_ports: &[own_address.port()],
            max_outbound,
            more_settings,
        };
        let mut runtime = Runtime::start(&data, setup).await?;
        let base_url = own_url;
        let issuer = Issuer::open_or_create(data.folder())?;
        let stored = seed(&runtime.context(), base_url.clone(), StoredCredentials::read(data.folder())?).await?;
        stored.write(data.folder())?;

        runtime.proxy = services_proxy.zip(runtime.services.endpoints.clone()).map(|(start, services)| start(services));
        runtime.recorder = recorder;
        runtime.aws = runtime.new_aws();

        // The programs run on this machine, where a public URL is not necessarily reachable.
        let environments = Environments::new(&runtime.context_of("workbench-worker"), Some(&base_url))?;
        let labs = Labs::new(Folders::new(&data), base_url.clone(), Clock::default(), environments);
        let backend: Arc<dyn Backend> = match kubernetes::configured_backend(&runtime.context_of("workbench-worker"))? {
            Some(cluster) => Arc::new(cluster),
            None if options.labs => Arc::new(labs.clone()),
            None => Arc::new(NoBackend),
        };
        let stop = CancellationToken::new();
        let context = |name: &str| Context { stop: stop.clone(), ..runtime.context_of(name) };
        let functions = Arc::new(Functions::new(context, backend)?);
        let storage = runtime.services.storage.clone();
        let s3_host = runtime.proxy.as_ref().map_or_else(|| S3_HOST.to_owned(), |proxy| proxy.s3.to_string());
        let signed_host = s3_host.parse().map_err(domain::Error::internal)?;
        let files = Files { s3: runtime.services.s3(), signed_host };
        let front = Context { config: Config::default(), ..runtime.context_of("front") };
        let router =
            api_gateway::router(&runtime.template.routes, &functions.routers, issuer.jwks(), files, storage, &front)?;
        let mut router = router.merge(metrics::router(runtime.telemetry.clone()));
        if trusts_own_issuer {
            let (issuer_url, persons) = (base_url.clone(), stored.persons());
            let (issuer, clock) = (Issuer::open_or_create(data.folder())?, Clock::default());
            router = router.merge(SignIn { issuer_url, base_url: public_url, persons, issuer, clock }.router());
        }
        let lab_issuer = Issuer::open_or_create(data.folder())?;
        let context = runtime.context_of("workbenches");
        let router = LabRouter::new(&context, labs.clone(), lab_issuer, own_address.port())?.add_to(router);

        let mut running = JoinSet::new();
        let service = TowerToHyperService::new(router);
        running.spawn(server::serve(listener, service, limits, refuse_connection, stop.clone()));
        if background {
            let (ended, resumed) = resume(&runtime.context(), Time::now()).await?;
            if ended > 0 {
                tracing::info!(ended, "runs that were in progress at the last stop continue");
            }
            if resumed > 0 {
                tracing::info!(resumed, "workbenches are started again");
            }
            for poller in pollers(&runtime, &functions) {
                running.spawn(poller.run(stop.clone()));
            }
            for lifecycle in runtime.bucket_lifecycles() {
                running.spawn(lifecycle.run(stop.clone()));
            }
            running.spawn(tick_every_minute(functions.clone(), stop.clone()));
            if let Some(exporter) = runtime.telemetry.exporter().cloned() {
                let stop = stop.clone();
                running.spawn(async move { exporter.run(stop).await });
            }
            running.spawn(log_metrics(runtime.telemetry.clone(), stop.clone()));
            let workbenches = Workbenches::new(&runtime.context_of("workbench-worker"))?;
            running.spawn(labs.clone().watch(workbenches, stop.clone()));
        }
        let credentials = stored.with_tokens(&issuer);
        let started_in = began.elapsed();
        Ok(Self { base_url, credentials, issuer, started_in, runtime, functions, labs, data, stop, running })
    }

    pub fn labs(&self) -> &Labs {
        &self.labs
    }

    pub fn data(&self) -> &DataDir {
        &self.data
    }

    /// A context with the settings of all functions, for tools and tests.
    pub fn context(&self) -> Context {
        self.runtime.context()
    }

    /// The context of a function: its own settings, and AWS clients that are limited to its policies.
    pub fn context_of(&self, function: &str) -> Context {
        self.runtime.context_of(function)
    }

    /// Deletes the objects that have expired at `now`, and returns how many.
    pub async fn expire(&self, now: SystemTime) -> usize {
        let mut expired = 0;
        for lifecycle in self.runtime.bucket_lifecycles() {
            expired += lifecycle.expire(now).await;
        }
        expired
    }

    /// The permissions of the template that allowed an AWS call.
    pub fn used_permissions(&self) -> BTreeSet<String> {
        self.runtime.permissions.used()
    }

    /// Returns the AWS calls that the template's policies have denied since the last call. The list is empty if the
    /// policies are complete.
    pub fn take_denied_calls(&self) -> Vec<String> {
        self.runtime.denied.take()
    }

    /// A context with the settings of all functions and with new connections, like that of another process.
    pub fn new_environment_context(&self) -> Context {
        let aws = self.runtime.with_typed_services(self.runtime.new_aws(), None);
        Context { aws, run_news: None, ..self.runtime.context() }
    }

    /// The environment variables of a function that runs in its own process: its settings, and the services' endpoints if they
    /// have ports.
    pub fn environment_of(&self, function: &str) -> Vec<(String, String)> {
        let services = self.runtime.services.endpoints.iter().flat_map(Endpoints::environment);
        self.runtime.settings_of(function).chain(services).collect()
    }

    /// Handles the messages that are in the queues now and those that they cause, and returns how many. Each queue has one
    /// batch at a time, but the queues do not wait for each other: handling a message may need the work of another queue.
    pub async fn drain(&self) -> usize {
        let pollers = pollers(&self.runtime, &self.functions);
        let (mut in_progress, mut busy, mut handled) = (FuturesUnordered::new(), BTreeSet::new(), 0);
        loop {
            for (number, poller) in pollers.iter().enumerate() {
                let messages = if busy.contains(&number) { Vec::new() } else { poller.receive_now().await };
                if !messages.is_empty() {
                    handled += messages.len();
                    busy.insert(number);
                    in_progress.push(poller.handle(messages).map(move |()| number));
                }
            }
            if busy.is_empty() {
                return handled;
            }
            if let Ok(Some(number)) = timeout(BUSY_PAUSE, in_progress.next()).await {
                busy.remove(&number);
            }
        }
    }

    /// Handles one batch of messages, if a queue has any, and returns the function that has handled it. So a recorder can tell
    /// the calls of the functions apart.
    pub(crate) async fn handle_batch(&self) -> Option<String> {
        for poller in pollers(&self.runtime, &self.functions) {
            let messages = poller.receive_now().await;
            if !messages.is_empty() {
                poller.handle(messages).await;
                return Some(poller.function);
            }
        }
        None
    }

    /// Waits for the work of functions that goes on after their answers.
    pub(crate) async fn settle(&self) {
        self.runtime.tasks.ended().await;
    }

    pub(crate) fn template(&self) -> &SamTemplate {
        &self.runtime.template
    }

    pub async fn tick(&self, now: Time) -> domain::Result<usize> {
        self.functions.tick(now).await
    }

    /// Exports the spans that have ended. A platform with background work does it by itself.
    pub async fn flush_telemetry(&self) {
        self.runtime.telemetry.flush().await;
    }

    /// Waits for the requests and effects in flight, but not longer than [`GRACE`], then stops everything else.
    pub async fn stop(mut self) -> Result<(), Failure> {
        self.stop.cancel();
        let tasks = self.runtime.tasks.clone();
        let ended = async {
            while self.running.join_next().await.is_some() {}
            tasks.ended().await;
        };
        if timeout(GRACE, ended).await.is_err() {
            tracing::warn!("requests or messages in flight were cut; messages are handled again after the next start");
        }
        self.running.abort_all();
        self.labs.end_all().await;
        self.flush_telemetry().await;
        self.runtime.services.stop().await
    }
}

fn pollers(runtime: &Runtime, functions: &Functions) -> Vec<Poller> {
    runtime.pollers(|name| {
        let worker = functions.workers.get(name)?.clone();
        Some(Box::new(move |event| worker(event).map(Some).boxed()))
    })
}

/// Lets the runs and the workbenches of the last process continue. Returns the number of each.
async fn resume(context: &Context, now: Time) -> domain::Result<(usize, usize)> {
    let runs = Runs::new(context)?.resume(now).await?;
    Ok((runs, Workbenches::new(context)?.resume(now).await?))
}

/// Writes the metrics of each minute to the log. Those of the last one are written at the stop.
async fn log_metrics(telemetry: Telemetry, stop: CancellationToken) {
    while stop.run_until_cancelled(tokio::time::sleep(MINUTE)).await.is_some() {
        telemetry.log_metrics();
    }
}

/// Runs the ticker at the start, and then at each full minute: the times of schedules are full minutes.
async fn tick_every_minute(functions: Arc<Functions>, stop: CancellationToken) {
    loop {
        if let Err(error) = functions.tick(Time::now()).await {
            tracing::error!(?error, "the ticker failed; it runs again in a minute");
        }
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(until_next_minute(Time::now())) => {}
        }
    }
}

/// The time until the next full minute.
fn until_next_minute(now: Time) -> Duration {
    Duration::from_millis((MINUTE_MS - now.as_millis().rem_euclid(MINUTE_MS)).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ticker_runs_at_full_minutes() {
        for (now, next) in [(0, 60_000), (1, 60_000), (44_000, 60_000), (59_999, 60_000), (60_000, 120_000)] {
            assert_eq!(Time::from_millis(now).plus(until_next_minute(Time::from_millis(now))), Time::from_millis(next));
        }
    }
}
