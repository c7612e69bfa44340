//! Embedded AWS services: DynamoDB, SQS, KMS and S3. The unchanged SDK clients call them over loopback HTTP; only the
//! functions of this process call the database directly.
//!
//! Every user and every browser of the machine can reach the ports, so each call must be signed with a key that is
//! generated at each start.

mod awsim;
mod dynamodb;
mod gate;
mod s3;
mod secret_key;
mod sigv4;
pub mod storage;
mod thread;
mod wakes;

use std::net::SocketAddr;
use std::time::Duration;

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use clap::ValueEnum;
use database::Database;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::data_dir::{DYNAMODB, DataDir};
use crate::failure::Failure;
use crate::open_files;
use crate::server::{self, BODY_BYTES_PER_SECOND, BodyPace, ConnectionLimits, plain_refusal};
use crate::template::SamTemplate;
pub use secret_key::SecretKey;
use storage::StorageHealth;
use thread::RuntimeThread;
use wakes::QueueWakes;

/// The name of the thread of the services.
const THREAD: &str = "services";
pub const REGION: &str = "us-east-1";
pub const ACCOUNT: &str = "000000000000";
/// The id of the access key. Only its secret key is secret.
pub const ACCESS_KEY: &str = "atelier";
/// SDK clients keep an idle connection for 90 s. The services close it later, so that no request meets a closed one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(120);
/// The tag of the database that names the KMS key of the secrets.
const KEY_TAG: &str = "atelier:kms-key";

/// When an acknowledged write reaches the disk.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum SyncMode {
    /// Soon after the acknowledgement: a killed process loses nothing, but a power loss may lose the last writes
    #[default]
    Normal,
    /// Before the acknowledgement: slower, but a power loss loses no write to tables and objects
    Full,
}

pub struct Services {
    pub endpoints: Endpoints,
    pub storage: StorageHealth,
    pub wakes: QueueWakes,
    pub database: Database,
    awsim: awsim::Awsim,
    stop: CancellationToken,
    thread: RuntimeThread,
}

/// The addresses of the services, and the key that signs calls.
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
    /// The services take this port and the next two; 0 takes any free ports.
    pub first_port: u16,
    pub sync: SyncMode,
    /// Whether the database reports the units that writes consume.
    pub count_units: bool,
}

impl Services {
    pub async fn start(data: &DataDir, template: &SamTemplate, options: ServiceOptions) -> Result<Self, Failure> {
        let ServiceOptions { first_port, sync, .. } = options;
        let limits = ConnectionLimits {
            connections: 2 * open_files::max_connections(),
            head_timeout: HEAD_TIMEOUT,
            body_pace: BodyPace { patience: HEAD_TIMEOUT, bytes_per_second: BODY_BYTES_PER_SECOND },
        };
        let stop = CancellationToken::new();
        let port = |offset| if first_port == 0 { 0 } else { first_port + offset };
        let listeners = [listen(port(0)).await?, listen(port(1)).await?, listen(port(2)).await?];
        let [dynamodb, awsim, s3] = [address(&listeners[0])?, address(&listeners[1])?, address(&listeners[2])?];
        let endpoints = Endpoints { dynamodb, awsim, s3, secret_key: SecretKey::generate()? };
        let storage = match data.is_ephemeral() {
            true => StorageHealth::default(),
            false => StorageHealth::in_folder(data.folder(), data.required()),
        };
        let (key, wakes) = (&endpoints.secret_key, QueueWakes::default());
        let thread = RuntimeThread::start(THREAD)?;
        let (database, awsim) = thread.enter(|| {
            let [for_dynamodb, for_awsim, for_s3] = listeners;
            let database = dynamodb::open(data, template, options)?;
            tokio::spawn(dynamodb::maintain(database.clone(), stop.clone()));
            let require_signature = |router| TowerToHyperService::new(gate::require_signature(router, key.clone()));
            let service = require_signature(dynamodb::router(database.clone(), storage.clone()));
            let listener = thread.listener(for_dynamodb)?;
            tokio::spawn(server::serve(listener, service, limits, plain_refusal, stop.clone()));

            let service = s3::service(data, key, sync, storage.clone())?;
            let listener = thread.listener(for_s3)?;
            tokio::spawn(server::serve(listener, service, limits, plain_refusal, stop.clone()));

            let (awsim, router) = awsim::start(data, stop.clone())?;
            let listener = thread.listener(for_awsim)?;
            let router = wakes.wake_after_sends(router);
            tokio::spawn(server::serve(listener, require_signature(router), limits, plain_refusal, stop.clone()));
            Ok::<_, Failure>((database, awsim))
        })?;
        Ok(Self { endpoints, storage, wakes, database, awsim, stop, thread })
    }

    /// Saves once a second from now on. Call it after the data folder is checked: an earlier save could overwrite the
    /// stored keys with an empty snapshot.
    pub fn keep_saving(&self) {
        let saving = awsim::save_often(self.awsim.clone(), self.storage.clone(), self.stop.clone());
        self.thread.enter(|| tokio::spawn(saving));
    }

    /// Saves the state of SQS and KMS, which is only in memory. Call it at once after creating a KMS key: without the
    /// key, every secret is lost.
    pub fn save(&self) -> Result<(), Failure> {
        self.awsim.save().map_err(|cause| Failure::Other(format!("the queues and keys cannot be saved ({cause})")))
    }

    /// The id of the KMS key that encrypts the database's secrets; `None` if the database is new.
    pub fn stored_key_id(&self) -> Option<String> {
        self.database.tag(KEY_TAG).ok().flatten()
    }

    pub fn store_key_id(&self, key_id: &str) -> Result<(), Failure> {
        self.database.set_tag(KEY_TAG, key_id).map_err(|error| Failure::Other(format!("{DYNAMODB}: {error}")))
    }

    /// Saves and closes everything. The data folder can be copied then: DynamoDB's log is merged into the database.
    pub async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        self.save()?;
        self.thread.end().await;
        self.database.close().map_err(|error| Failure::Other(format!("{DYNAMODB}: {error}")))?;
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

    /// The environment variables with which the SDK in another process finds the services.
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

/// Has the effect of `AWS_ENDPOINT_URL_<SERVICE>`, without changes to this process's environment.
impl LoadServiceConfig for Endpoints {
    fn load_config(&self, key: ServiceConfigKey<'_>) -> Option<String> {
        (key.env() == "AWS_ENDPOINT_URL").then(|| self.url(key.service_id())).flatten()
    }
}
