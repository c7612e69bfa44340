//! Measures the first call over TLS, which initializes a function's cryptography. DynamoDB is behind a self-signed
//! certificate.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

use local::services::{address, listen};
use serde_json::Value;
use tests::TestApp;
use tests::certificate::Certificate;
use tests::runtime_api::FunctionProcess;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy, split};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;

use crate::quota::Quota;
use crate::{BUNDLES, PAUSE, event, median, ms, settings};

const ENDPOINT: &str = "AWS_ENDPOINT_URL_DYNAMODB";

/// Medians in ms: of the time from the connection to the first call's answer, and of the whole first response.
pub async fn measure(
    app: &TestApp,
    binary: &Path,
    event: &Value,
    runs: u32,
    cores: Option<f64>,
) -> io::Result<(f64, f64)> {
    // Declared first, so that it is dropped after the processes in it.
    let quota = cores.map(Quota::new).transpose()?;
    let mut settings = settings(app, "agents");
    let service = settings.iter().find(|(name, _)| name == ENDPOINT).unwrap();
    let service = service.1.trim_start_matches("http://").parse().unwrap();
    let mut front = Front::start(service, app.platform.data().folder()).await;
    settings.push((ENDPOINT.to_owned(), format!("https://{}", front.address)));
    settings.push(("SSL_CERT_FILE".to_owned(), front.trusted.display().to_string()));

    let (mut calls, mut responses) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let mut process = FunctionProcess::start("agents", binary, &settings).await;
        process.wait_for_poll().await;
        if let Some(quota) = &quota {
            // Only now: Lambda gives a cold start a whole core.
            quota.add_process(process.pid())?;
        }
        responses.push(ms(event::send(&mut process, event).await));
        calls.push(ms(front.first_calls.recv().await.unwrap()));
        process.stop().await;
        tokio::time::sleep(PAUSE).await;
    }
    Ok((median(calls.into_iter()), median(responses.into_iter())))
}

struct Front {
    address: SocketAddr,
    /// A bundle of the system's trusted certificates and this front's certificate.
    trusted: PathBuf,
    /// How long the first answer of each connection took.
    first_calls: mpsc::UnboundedReceiver<Duration>,
    _running: JoinSet<()>,
}

impl Front {
    async fn start(service: SocketAddr, folder: &Path) -> Self {
        let certificate = Certificate::new("127.0.0.1");
        let bundle = BUNDLES.iter().find_map(|bundle| fs::read_to_string(bundle).ok()).unwrap_or_default();
        let trusted = folder.join("trusted.pem");
        fs::write(&trusted, bundle + &certificate.pem()).unwrap();
        let (chain, key) = certificate.identity();
        let config = ServerConfig::builder().with_no_client_auth();
        let config = config.with_single_cert(chain, key).unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));

        let listener = listen(0).await.unwrap();
        let address = address(&listener).unwrap();
        let (took, first_calls) = mpsc::unbounded_channel();
        let mut running = JoinSet::new();
        running.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (acceptor, took) = (acceptor.clone(), took.clone());
                // The client sees the errors of its connection.
                connections.spawn(async move { drop(pass(client, acceptor, service, took).await) });
            }
        });
        Self { address, trusted, first_calls, _running: running }
    }
}

async fn pass(
    client: TcpStream,
    acceptor: TlsAcceptor,
    service: SocketAddr,
    took: mpsc::UnboundedSender<Duration>,
) -> io::Result<()> {
    let accepted = Instant::now();
    client.set_nodelay(true)?;
    let (mut from_client, mut to_client) = split(acceptor.accept(client).await?);
    let (mut from_service, mut to_service) = TcpStream::connect(service).await?.into_split();
    let down = async {
        let mut first = vec![0; 16 * 1024];
        let length = from_service.read(&mut first).await?;
        to_client.write_all(&first[..length]).await?;
        to_client.flush().await?;
        let _ = took.send(accepted.elapsed());
        copy(&mut from_service, &mut to_client).await
    };
    tokio::try_join!(copy(&mut from_client, &mut to_service), down).map(drop)
}
