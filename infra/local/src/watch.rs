//! For `cargo lambda watch`: the services and the pollers alone, with the workers reached through its invoke API.

use std::collections::BTreeMap;
use std::path::PathBuf;

use aws_lambda_events::event::sqs::{SqsBatchResponse, SqsEvent};
use axum::Router;
use axum::routing::get;
use bytes::Bytes;
use futures::FutureExt;
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::credentials::Kept;
use crate::data_dir::{DataDir, write_private};
use crate::failure::Failure;
use crate::issuer::Issuer;
use crate::parts::Parts;
use crate::pollers::Deliver;
use crate::seed::seed;
use crate::services::{Services, address, listen};

/// The issuer's keys are on this port, the services on the three after it: always the same, so that functions that
/// `cargo lambda watch` already runs find the services again after a restart.
pub const FIRST_PORT: u16 = 9100;

pub struct Watched {
    pub env_file: PathBuf,
    services: Services,
    stop: CancellationToken,
    running: JoinSet<()>,
    _data: DataDir,
}

impl Watched {
    /// `watch_url` is where `cargo lambda watch` listens, or will. A `port` of 0 takes any free ports.
    pub async fn start(data: DataDir, port: u16, watch_url: String) -> Result<Self, Failure> {
        let keys = listen(port).await?;
        let jwks_url = format!("http://{}/jwks.json", address(&keys)?);
        let first_service = if port == 0 { 0 } else { port + 1 };
        let parts = Parts::start(&data, first_service, &jwks_url).await?;

        // One environment for all functions: watch takes no other.
        let services = parts.services.endpoints.environment();
        let settings: BTreeMap<String, String> = parts.settings().chain(services).collect();
        let lines: String = settings
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, value)| format!("{name}={value}\n"))
            .collect();
        let env_file = data.folder().join("watch.env");
        write_private(&env_file, lines.as_bytes())
            .map_err(|cause| Failure::Folder { folder: env_file.clone(), cause })?;

        let issuer = Issuer::open_or_create(data.folder())?;
        let kept = seed(&parts.context(), watch_url.clone(), Kept::read(data.folder())?).await?;
        kept.write(data.folder())?;

        let stop = CancellationToken::new();
        let mut running = JoinSet::new();
        let jwks = issuer.jwks();
        let keys_router = Router::new().route("/jwks.json", get(async move || axum::Json(jwks.clone())));
        running.spawn(async move { drop(axum::serve(keys, keys_router).await) });
        for poller in parts.pollers(|name| Some(invoke(invoke_url(&watch_url, name)))) {
            running.spawn(poller.run(stop.clone()));
        }
        for rules in parts.expiry_rules() {
            running.spawn(rules.run(stop.clone()));
        }
        running.spawn(tick(invoke_url(&watch_url, "ticker"), stop.clone()));
        Ok(Self { env_file, services: parts.services, stop, running, _data: data })
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

/// The answer of a function; nothing when it failed or is not running.
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
            tracing::warn!(url, %error, "no function answers; is `cargo lambda watch` running?");
            None
        }
    }
}

async fn tick(url: String, stop: CancellationToken) {
    let mut minutes = tokio::time::interval(std::time::Duration::from_secs(60));
    minutes.tick().await;
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = minutes.tick() => drop(post(&url, b"{}".to_vec()).await),
        }
    }
}
