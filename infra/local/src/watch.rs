//! The services and the pollers for `cargo lambda watch`. The pollers call the workers through its invoke API.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use domain::time::Clock;
use futures::FutureExt;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::credentials::StoredCredentials;
use crate::data_dir::{DataDir, write_private};
use crate::failure::Failure;
use crate::issuer::{Issuer, JWKS};
use crate::open_files;
use crate::pollers::Deliver;
use crate::runtime::{Runtime, Setup};
use crate::seed::seed;
use crate::services::{Endpoints, ServiceOptions, Services, SyncMode, address, listen};
use crate::settings::trusted_issuer;
use crate::sign_in::SignIn;

/// The port of the issuer's keys; the services take the next three. The ports are fixed, so that functions under
/// `cargo lambda watch` find the services again after a restart.
pub const FIRST_PORT: u16 = 9100;

pub struct WatchOptions {
    pub data: DataDir,
    /// The port of the issuer's keys; the services take the next three. 0 takes any free ports.
    pub first_port: u16,
    /// The URL of `cargo lambda watch`, which may start later.
    pub watch_url: String,
    /// The public URL of the platform, if it is not `watch_url`.
    pub base_url: Option<String>,
    pub outbound_allowed: String,
    pub workbench_capacity: Option<String>,
    pub sync: SyncMode,
    /// Further settings of all functions.
    pub settings: Vec<(String, String)>,
}

pub struct WatchServices {
    pub env_file: PathBuf,
    services: Services,
    stop: CancellationToken,
    running: JoinSet<()>,
    _data: DataDir,
}

impl WatchServices {
    pub async fn start(options: WatchOptions) -> Result<Self, Failure> {
        let WatchOptions {
            data,
            first_port,
            watch_url,
            base_url,
            outbound_allowed,
            workbench_capacity,
            sync,
            settings,
        } = options;
        let keys = listen(first_port).await?;
        let keys_address = address(&keys)?;
        let issuer_url = format!("http://{keys_address}");
        let public_url = base_url.unwrap_or_else(|| watch_url.clone());
        let trusts_own_issuer = trusted_issuer(&settings).is_none();
        let first_service = if first_port == 0 { 0 } else { first_port + 1 };
        let watch_port = watch_url.parse::<http::Uri>().ok().and_then(|url| url.port_u16());
        let connections = open_files::max_connections();
        let setup = Setup {
            services: ServiceOptions { first_port: Some(first_service), sync, count_units: false },
            base_url: &public_url,
            issuer_url: &issuer_url,
            outbound_allowed: &outbound_allowed,
            workbench_capacity: workbench_capacity.as_deref().unwrap_or_default(),
            own_ports: &[vec![keys_address.port()], watch_port.into_iter().collect()].concat(),
            max_outbound: 2 * connections,
            more_settings: settings,
        };
        let runtime = Runtime::start(&data, setup).await?;

        // All functions share one environment, because `cargo lambda watch` supports only one.
        let services = runtime.services.endpoints.iter().flat_map(Endpoints::environment);
        let settings: BTreeMap<String, String> = runtime.settings().chain(services).collect();
        let lines: String = settings
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        let env_file = data.folder().join("watch.env");
        write_private(&env_file, lines.as_bytes())
            .map_err(|cause| Failure::Folder { folder: env_file.clone(), cause })?;

        let issuer = Issuer::open_or_create(data.folder())?;
        let stored = seed(&runtime.context(), watch_url.clone(), StoredCredentials::read(data.folder())?).await?;
        stored.write(data.folder())?;

        let stop = CancellationToken::new();
        let mut running = JoinSet::new();
        let jwks = issuer.jwks();
        let mut keys_router = Router::new().route(JWKS, get(async move || axum::Json(jwks.clone())));
        if trusts_own_issuer {
            let persons = stored.persons();
            let sign_in = SignIn { issuer_url, base_url: public_url, persons, issuer, clock: Clock::default() };
            keys_router = keys_router.merge(sign_in.router());
        }
        running.spawn(async move { drop(axum::serve(keys, keys_router).await) });
        for poller in runtime.pollers(|name| Some(invoke(invoke_url(&watch_url, name)))) {
            running.spawn(poller.run(stop.clone()));
        }
        for lifecycle in runtime.bucket_lifecycles() {
            running.spawn(lifecycle.run(stop.clone()));
        }
        running.spawn(tick(invoke_url(&watch_url, "ticker"), stop.clone()));
        Ok(Self { env_file, services: runtime.services, stop, running, _data: data })
    }

    pub async fn stop(mut self) -> Result<(), Failure> {
        self.stop.cancel();
        self.running.abort_all();
        self.services.stop().await
    }
}

fn invoke_url(watch_url: &str, function: &str) -> String {
    format!("{watch_url}/2015-03-31/functions/{function}/invocations")
}

fn invoke(url: String) -> Deliver {
    Box::new(move |event: SqsEvent| {
        let url = url.clone();
        async move {
            let body = serde_json::to_vec(&event).ok()?;
            let answer = post(&url, body).await?;
            serde_json::from_slice::<SqsBatchResponse>(&answer).ok()
        }
        .boxed()
    })
}

/// Invokes a function and returns its answer; `None` if it failed or is not running.
async fn post(url: &str, body: Vec<u8>) -> Option<Bytes> {
    let client = Client::builder(TokioExecutor::new()).build_http::<Full<Bytes>>();
    let request = http::Request::post(url).body(Full::new(Bytes::from(body))).ok()?;
    match client.request(request).await {
        Ok(response) if response.status().is_success() => Some(response.into_body().collect().await.ok()?.to_bytes()),
        Ok(response) => {
            tracing::warn!(url, status = response.status().as_u16(), "a function failed");
            None
        }
        Err(error) => {
            tracing::warn!(url, %error, "the function cannot be reached; start `cargo lambda watch`");
            None
        }
    }
}

async fn tick(url: String, stop: CancellationToken) {
    let mut minutes = tokio::time::interval(Duration::from_secs(60));
    minutes.tick().await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = minutes.tick() => drop(post(&url, b"{}".to_vec()).await),
        }
    }
}
