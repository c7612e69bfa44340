//! A simulated process: its clock skew, its connection to the services, and when it is suspended or killed.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::SdkConfig;
use aws_types::region::Region;
use domain::time::{Clock, Time};
use platform::aws::Aws;
use platform::config::{
    BUCKET_FILES, Config, KMS_KEY, QUEUE_BATCHES, QUEUE_IMAGES, QUEUE_RUNS, QUEUE_WORKBENCHES, TABLE_COUNTERS,
    TABLE_ENTITIES, TABLE_JOURNAL,
};
use platform::context::Context;
use tokio::time::{sleep_until, timeout_at};

use super::connection::Connection;
use super::database::{COUNTERS, ENTITIES, JOURNAL};
use super::faults::{Faults, ProcessFaults};
use super::queue;
use super::world::World;

#[derive(Clone)]
pub struct Process {
    pub name: String,
    pub world: Arc<World>,
    pub faults: Faults,
    process_faults: ProcessFaults,
}

impl Process {
    pub fn new(world: &Arc<World>, name: String, process_faults: &ProcessFaults) -> Self {
        Self { name, world: world.clone(), faults: world.faults, process_faults: process_faults.clone() }
    }

    /// A process with the world's faults of requests, that is never killed or suspended.
    pub fn immortal(world: &Arc<World>, name: String) -> Self {
        Self::new(world, name, &ProcessFaults::default())
    }

    /// A process without faults.
    pub fn without_faults(world: &Arc<World>, name: &str) -> Self {
        Self { faults: Faults::default(), ..Self::new(world, name.to_owned(), &ProcessFaults::default()) }
    }

    /// The same process with the world's faults of requests.
    pub fn with_faults(self) -> Self {
        Self { faults: self.world.faults, ..self }
    }

    pub fn now(&self) -> Time {
        Time::from_millis(self.world.now().as_millis() + self.process_faults.skew_ms)
    }

    pub fn clock(&self) -> Clock {
        let process = self.clone();
        Clock::new(move || process.now())
    }

    /// A clock that is late by this time.
    pub fn clock_behind(&self, by: Duration) -> Clock {
        let process = self.clone();
        Clock::new(move || process.now().minus(by))
    }

    /// Returns when the process runs: at once, when it wakes up, or never if it was killed.
    pub async fn wait_until_running(&self) {
        let after = self.world.began().elapsed();
        if self.process_faults.killed_at.is_some_and(|at| after >= at) {
            std::future::pending::<()>().await;
        }
        let suspended = self.process_faults.suspended.iter().find(|(from, until)| (*from..*until).contains(&after));
        if let Some((_, until)) = suspended {
            let alarm = self.world.alarm.notified();
            drop(timeout_at(self.world.began() + *until, alarm).await);
        }
    }

    /// Runs a future until the process is killed.
    pub async fn run_until_killed(&self, what: impl Future<Output = ()>) {
        match self.process_faults.killed_at {
            Some(at) => drop(timeout_at(self.world.began() + at, what).await),
            None => what.await,
        }
    }

    pub async fn sleep_until(&self, at: Duration) {
        sleep_until(self.world.began() + at).await;
        self.wait_until_running().await;
    }

    pub fn context(&self) -> Context {
        // The SDK keeps one retry quota per region for all its clients, so each process has its own region.
        let region = Region::new(format!("simulation-{}-{}", self.world.unique(), self.name.replace(' ', "-")));
        let credentials = Credentials::from_keys("simulation", "simulation", None);
        let config = SdkConfig::builder()
            .region(region)
            .endpoint_url("http://services")
            .credentials_provider(SharedCredentialsProvider::new(credentials));
        let settings = [
            (TABLE_ENTITIES, ENTITIES),
            (TABLE_COUNTERS, COUNTERS),
            (TABLE_JOURNAL, JOURNAL),
            (QUEUE_RUNS, queue::URL),
            (QUEUE_IMAGES, queue::URL),
            (QUEUE_BATCHES, queue::URL),
            (QUEUE_WORKBENCHES, queue::URL),
            (BUCKET_FILES, "files"),
            (KMS_KEY, "key"),
        ];
        let settings: Config = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        let context = Context::new(settings, Aws::in_process(config, Connection::client(self)));
        Context { clock: self.clock(), ..context }
    }
}
