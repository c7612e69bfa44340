//! Embedded AWS services: DynamoDB, SQS, KMS and S3. The functions of this process call them directly: the database and the
//! queues by typed operations, the others by the SDK, whose requests need no socket.
//!
//! For functions in other processes they also open ports. Every user and every browser of the machine can reach these, so each
//! call must be signed with a key that is generated at each start.

mod awsim;
mod dynamodb;
mod gate;
mod in_process;
pub mod queues;
pub mod s3;
mod secret_key;
mod sigv4;
pub mod storage;
mod thread;

use std::net::SocketAddr;
use std::time::Duration;

use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use clap::ValueEnum;
use database::Database;
use hyper_util::service::TowerToHyperService;
use platform::aws::Aws;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::data_dir::{DYNAMODB, DataDir};
use crate::failure::Failure;
use crate::open_files;
use crate::server::{self, BODY_BYTES_PER_SECOND, BodyPace, ConnectionLimits, plain_refusal};
use crate::template::SamTemplate;
pub use dynamodb::check_log;
pub use in_process::S3_HOST;
use in_process::{InProcessServices, sdk_config};
use queues::Queues;
pub use secret_key::SecretKey;
use storage::StorageHealth;
use thread::RuntimeThread;

/// The name of the thread of the services' background work and ports.
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
    /// Where other processes call the services; `None` if no port is open.
    pub endpoints: Option<Endpoints>,
    pub storage: StorageHealth,
    pub queues: Queues,
    pub database: Database,
    in_process: InProcessServices,
    secret_key: SecretKey,
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
    /// The first of three ports for other processes; 0 takes any free ports, and `None` opens none.
    pub first_port: Option<u16>,
    pub sync: SyncMode,
    /// Whether the database reports the units that writes consume.
    pub count_units: bool,
}

impl Services {
    pub async fn start(data: &DataDir, template: &SamTemplate, options: ServiceOptions) -> Result<Self, Failure> {
        let (stop, secret_key) = (CancellationToken::new(), SecretKey::generate()?);
        let storage = match data.is_ephemeral() {
            true => StorageHealth::default(),
            false => StorageHealth::in_folder(data.folder(), data.required()),
        };
        let listeners = match options.first_port {
            Some(first) => Some(Listeners::open(first).await?),
            None => None,
        };
        let (thread, queues) = (RuntimeThread::start(THREAD)?, Queues::default());
        let database = dynamodb::open(data, template, options)?;
        thread.enter(|| tokio::spawn(dynamodb::maintain(database.clone(), stop.clone())));
        let (awsim, awsim_router) = awsim::start(data, queues.clone())?;
        let in_process = InProcessServices {
            dynamodb: dynamodb::router(database.clone(), storage.clone()),
            awsim: awsim_router,
            s3: s3::service(data, &secret_key, options.sync, storage.clone())?,
        };
        let endpoints = match listeners {
            Some(listeners) => Some(listeners.serve(&in_process, &secret_key, &thread, &stop)?),
            None => None,
        };
        Ok(Self { endpoints, storage, queues, database, in_process, secret_key, awsim, stop, thread })
    }

    /// The SDK's clients of the services, without a network.
    pub fn aws(&self) -> Aws {
        self.in_process.aws(&self.secret_key)
    }

    pub fn s3(&self) -> s3::EmbeddedS3 {
        self.in_process.s3.clone()
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

/// The ports of the services.
struct Listeners {
    dynamodb: TcpListener,
    awsim: TcpListener,
    s3: TcpListener,
}

impl Listeners {
    async fn open(first: u16) -> Result<Self, Failure> {
        let port = |offset| if first == 0 { 0 } else { first + offset };
        Ok(Self { dynamodb: listen(port(0)).await?, awsim: listen(port(1)).await?, s3: listen(port(2)).await? })
    }

    /// Serves signed calls on the thread, until `stop`.
    fn serve(
        self,
        services: &InProcessServices,
        key: &SecretKey,
        thread: &RuntimeThread,
        stop: &CancellationToken,
    ) -> Result<Endpoints, Failure> {
        let limits = ConnectionLimits {
            connections: 2 * open_files::max_connections(),
            head_timeout: HEAD_TIMEOUT,
            body_pace: BodyPace { patience: HEAD_TIMEOUT, bytes_per_second: BODY_BYTES_PER_SECOND },
        };
        let (dynamodb, awsim, s3) = (address(&self.dynamodb)?, address(&self.awsim)?, address(&self.s3)?);
        for (listener, router) in [(self.dynamodb, &services.dynamodb), (self.awsim, &services.awsim)] {
            let service = TowerToHyperService::new(gate::require_signature(router.clone(), key.clone()));
            thread.serve(listener, |listener| server::serve(listener, service, limits, plain_refusal, stop.clone()))?;
        }
        let service = s3::ServedS3(services.s3.clone());
        thread.serve(self.s3, |listener| server::serve(listener, service, limits, plain_refusal, stop.clone()))?;
        Ok(Endpoints { dynamodb, awsim, s3, secret_key: key.clone() })
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
        sdk_config(&self.secret_key).service_config(self.clone())
    }

    pub fn ports(&self) -> [u16; 3] {
        [self.dynamodb, self.awsim, self.s3].map(|address| address.port())
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
