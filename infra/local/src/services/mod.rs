//! The AWS services, embedded: the unchanged SDK clients reach them over loopback HTTP.

mod awsim;
mod dynamodb;
mod s3;
mod thread;

use std::net::SocketAddr;

use aws_config::{Region, SdkConfig};
use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::service_config::{LoadServiceConfig, ServiceConfigKey};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::data_dir::DataDir;
use crate::failure::Failure;
use crate::template::Template;
use thread::OwnThread;

/// What the thread of the services is called.
pub const THREAD: &str = "services";
pub const REGION: &str = "us-east-1";
pub const ACCOUNT: &str = "000000000000";
/// The embedded services check that there are credentials, not whose they are; they listen on loopback only.
pub const ACCESS_KEY: &str = "atelier";
pub const SECRET_KEY: &str = "atelier-local";

pub struct Services {
    pub endpoints: Endpoints,
    awsim: awsim::Awsim,
    stop: CancellationToken,
    thread: OwnThread,
}

/// Where the services listen.
#[derive(Clone, Copy, Debug)]
pub struct Endpoints {
    pub dynamodb: SocketAddr,
    /// SQS and KMS.
    pub awsim: SocketAddr,
    pub s3: SocketAddr,
}

impl Services {
    /// Starts the services on three ports from `first_port`, or any when it is 0.
    pub async fn start(data: &DataDir, template: &Template, first_port: u16) -> Result<Self, Failure> {
        let stop = CancellationToken::new();
        let port = |offset| if first_port == 0 { 0 } else { first_port + offset };
        let dynamodb = listen(port(0)).await?;
        let awsim = listen(port(1)).await?;
        let s3 = listen(port(2)).await?;
        let endpoints = Endpoints { dynamodb: address(&dynamodb)?, awsim: address(&awsim)?, s3: address(&s3)? };
        let thread = OwnThread::start(THREAD)?;
        let awsim = thread.enter(|| {
            dynamodb::start(thread.listener(dynamodb)?, data, template, stop.clone())?;
            s3::start(thread.listener(s3)?, data, stop.clone())?;
            awsim::start(thread.listener(awsim)?, data, stop.clone())
        })?;
        Ok(Self { endpoints, awsim, stop, thread })
    }

    /// Saves what only memory holds. Whatever makes a KMS key calls it at once: without the key every secret is lost.
    pub fn save(&self) -> Result<(), Failure> {
        self.awsim.save()
    }

    /// Saves and closes everything: what is left is files to copy, DynamoDB's log folded into its one.
    pub async fn stop(self) -> Result<(), Failure> {
        self.stop.cancel();
        self.save()?;
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
    pub fn sdk_config(self) -> aws_types::sdk_config::Builder {
        let credentials = Credentials::from_keys(ACCESS_KEY, SECRET_KEY, None);
        SdkConfig::builder()
            .region(Region::from_static(REGION))
            .credentials_provider(SharedCredentialsProvider::new(credentials))
            .service_config(self)
    }

    /// The same for another process: what the SDK reads from its environment.
    pub fn environment(self) -> Vec<(String, String)> {
        let fixed = [
            ("AWS_REGION", REGION),
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY),
            ("AWS_SECRET_ACCESS_KEY", SECRET_KEY),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ];
        let fixed = fixed.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let services = ["DynamoDB", "SQS", "KMS", "S3"];
        let endpoints = services
            .into_iter()
            .filter_map(|id| Some((format!("AWS_ENDPOINT_URL_{}", id.to_uppercase()), self.url(id)?)));
        fixed.into_iter().chain(endpoints).collect()
    }

    fn url(self, service_id: &str) -> Option<String> {
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
