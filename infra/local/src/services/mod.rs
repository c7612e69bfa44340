//! The AWS services, embedded: the unchanged SDK clients reach them over loopback HTTP.
//!
//! Their ports are open to every user and every browser of the machine, so each call must be signed with a key that is
//! made at each start.

mod awsim;
mod dynamodb;
mod gate;
mod s3;
mod secret_key;
mod sigv4;
pub mod storage;
mod thread;

use std::net::SocketAddr;
use std::time::Duration;

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use clap::ValueEnum;
use dynoxide::Database;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::open_files;
use crate::server::{self, Limits, plain_refusal};
use crate::template::Template;
pub use secret_key::SecretKey;
use storage::Storage;
use thread::OwnThread;

/// What the thread of the services is called.
pub const THREAD: &str = "services";
pub const REGION: &str = "us-east-1";
pub const ACCOUNT: &str = "000000000000";
/// The id of the access key. It is no secret: the key is.
pub const ACCESS_KEY: &str = "atelier";
/// A client of the SDK keeps an idle connection for 90 s: the services close theirs later, not while it is used again.
const HEAD_TIMEOUT: Duration = Duration::from_secs(120);
/// Of which key the database notes that its secrets are encrypted with it.
const KEY_NOTE: &str = "atelier:kms-key";

/// When an acknowledged write is on the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SyncMode {
    /// Soon after it was acknowledged: a killed process loses nothing, a power loss may take the last writes
    #[default]
    Normal,
    /// Before it is acknowledged: slower, and nothing is lost
    Full,
}

pub struct Services {
    pub endpoints: Endpoints,
    pub storage: Storage,
    database: Database,
    awsim: awsim::Awsim,
    stop: CancellationToken,
    thread: OwnThread,
}

/// Where the services listen, and the key that their calls are signed with.
#[derive(Clone, Debug)]
pub struct Endpoints {
    pub dynamodb: SocketAddr,
    /// SQS and KMS.
    pub awsim: SocketAddr,
    pub s3: SocketAddr,
    pub secret_key: SecretKey,
}

#[derive(Clone, Copy, Debug)]
pub struct ServiceOptions {
    /// The services take this port and the two after it; any when it is 0.
    pub first_port: u16,
    pub sync: SyncMode,
}

impl Services {
    pub async fn start(data: &DataDir, template: &Template, options: ServiceOptions) -> Result<Self, Failure> {
        let ServiceOptions { first_port, sync } = options;
        let limits = Limits { connections: 2 * open_files::max_connections(), head_timeout: HEAD_TIMEOUT };
        let stop = CancellationToken::new();
        let port = |offset| if first_port == 0 { 0 } else { first_port + offset };
        let listeners = [listen(port(0)).await?, listen(port(1)).await?, listen(port(2)).await?];
        let [dynamodb, awsim, s3] = [address(&listeners[0])?, address(&listeners[1])?, address(&listeners[2])?];
        let endpoints = Endpoints { dynamodb, awsim, s3, secret_key: SecretKey::generate()? };
        let storage = match data.is_ephemeral() {
            true => Storage::default(),
            false => Storage::in_folder(data.folder(), data.required()),
        };
        let key = &endpoints.secret_key;
        let thread = OwnThread::start(THREAD)?;
        let (database, awsim) = thread.enter(|| {
            let [for_dynamodb, for_awsim, for_s3] = listeners;
            let database = dynamodb::open(data, template, sync)?;
            tokio::spawn(dynamodb::sweep(database.clone(), stop.clone()));
            let guarded = |router| TowerToHyperService::new(gate::guarded(router, key.clone()));
            let service = guarded(dynamodb::router(database.clone(), storage.clone()));
            let listener = thread.listener(for_dynamodb)?;
            tokio::spawn(server::serve(listener, service, limits, plain_refusal, stop.clone()));

            let service = s3::service(data, key, sync, storage.clone())?;
            let listener = thread.listener(for_s3)?;
            tokio::spawn(server::serve(listener, service, limits, plain_refusal, stop.clone()));

            let (awsim, router) = awsim::start(data, stop.clone())?;
            let listener = thread.listener(for_awsim)?;
            tokio::spawn(server::serve(listener, guarded(router), limits, plain_refusal, stop.clone()));
            Ok::<_, Failure>((database, awsim))
        })?;
        Ok(Self { endpoints, storage, database, awsim, stop, thread })
    }

    /// Saves once a second from now on: not before the folder is known to be whole, lest the keys be replaced by none.
    pub fn keep_saving(&self) {
        let saving = awsim::save_often(self.awsim.clone(), self.storage.clone(), self.stop.clone());
        self.thread.enter(|| tokio::spawn(saving));
    }

    /// Saves what only memory holds. Whatever makes a KMS key calls it at once: without the key every secret is lost.
    pub fn save(&self) -> Result<(), Failure> {
        self.awsim.save().map_err(|cause| Failure::Said(format!("the queues and keys cannot be saved ({cause})")))
    }

    /// The KMS key that the database's secrets are encrypted with, when it has been in use.
    pub fn noted_key(&self, template: &Template) -> Option<String> {
        dynamodb::noted(&self.database, template.tables.keys().next()?, KEY_NOTE)
    }

    pub fn note_key(&self, template: &Template, key_id: &str) -> Result<(), Failure> {
        let Some(table) = template.tables.keys().next() else { return Ok(()) };
        dynamodb::note(&self.database, table, KEY_NOTE, key_id)
    }

    /// Saves and closes everything: what is left is files to copy, DynamoDB's log folded into its one.
    pub async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        self.save()?;
        drop(self.database);
        self.thread.end().await;
        Ok(())
    }
}

pub async fn listen(port: u16) -> Result<TcpListener, Failure> {
    TcpListener::bind((std::net::Ipv4Addr::LOCALHOST, port)).await.map_err(|cause| Failure::Port { port, cause })
}

pub fn address(listener: &TcpListener) -> Result<SocketAddr, Failure> {
    listener.local_addr().map_err(|cause| Failure::Port { port: 0, cause })
}

impl Endpoints {
    pub fn sdk_config(&self) -> aws_types::sdk_config::Builder {
        let credentials = Credentials::from_keys(ACCESS_KEY, self.secret_key.reveal(), None);
        SdkConfig::builder()
            .region(Region::from_static(REGION))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .service_config(self.clone())
    }

    /// The same for another process: what the SDK reads from its environment.
    pub fn environment(&self) -> Vec<(String, String)> {
        let fixed = [
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", self.secret_key.reveal()),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let services = ["DynamoDB", "SQS", "KMS", "S3"];
        let endpoints = services
            .into_iter()
            .filter_map(|id| Some((format!("AWS_ENDPOINT_URL_{}", id.to_uppercase()), self.url(id)?)));
        fixed.into_iter().chain(endpoints).collect()
    }

    fn url(&self, service_id: &str) -> Option<String> {
        let address = match service_id {
            "DynamoDB" => self.dynamodb,
            "SQS" | "KMS" => self.awsim,
            "S3" => self.s3,
            _ => return None,
        };
        Some(format!("http://{address}"))
    }
}

/// What `AWS_ENDPOINT_URL_<SERVICE>` does, without touching this process's environment.
impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        (key.env() == "AWS_ENDPOINT_URL").then(|| self.url(key.service_id())).flatten()
    }
}
