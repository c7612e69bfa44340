//! A simulated process: its clock skew, its connection to DynamoDB, and when it is suspended or killed.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use aws_credential_types::Credentials;
use aws_credential_types::provider::SharedCredentialsProvider;
use aws_types::SdkConfig;
use aws_types::region::Region;
use domain::time::{Clock, Time};
use shared::aws::Aws;
use shared::config::{Config, TABLE_COUNTERS, TABLE_JOURNAL};
use shared::context::Context;
use tokio::time::{sleep_until, timeout_at};

use crate::connection::Connection;
use crate::database::{COUNTERS, JOURNAL};
use crate::scenario::{Faults, Fortune};
use crate::world::World;

#[derive(Clone)]
pub struct Process {
    pub name: String,
    pub world: Arc<World>,
    pub faults: Faults,
    fortune: Fortune,
}

impl Process {
    pub fn new(world: &Arc<World>, name: String, fortune: &Fortune) -> Self {
        Self { name, world: world.clone(), faults: world.scenario.faults, fortune: fortune.clone() }
    }

    /// A process without faults.
    pub fn calm(world: &Arc<World>, name: &str) -> Self {
        Self { faults: Faults::default(), ..Self::new(world, name.to_owned(), &Fortune::default()) }
    }

    /// The same process with the faulty connection of the scenario.
    pub fn in_trouble(self) -> Self {
        Self { faults: self.world.scenario.faults, ..self }
    }

    pub fn now(&self) -> Time {
        Time::from_millis(self.world.now().as_millis() + self.fortune.skew_ms)
    }

    pub fn clock(&self) -> Clock {
        let process = self.clone();
        Clock::new(move || process.now())
    }

    /// Returns when the process runs: at once, when it wakes up, or never if it was killed.
    pub async fn runs(&self) {
        let after = self.world.began().elapsed();
        if self.fortune.killed_at.is_some_and(|at| after >= at) {
            std::future::pending::<()>().await;
        }
        let asleep = self.fortune.asleep.iter().find(|(from, until)| (*from..*until).contains(&after));
        if let Some((_, until)) = asleep {
            sleep_until(self.world.began() + *until).await;
        }
    }

    /// Runs a future until the process is killed.
    pub async fn lives(&self, what: impl Future<Output = ()>) {
        match self.fortune.killed_at {
            Some(at) => drop(timeout_at(self.world.began() + at, what).await),
            None => what.await,
        }
    }

    pub async fn sleeps_until(&self, at: Duration) {
        sleep_until(self.world.began() + at).await;
        self.runs().await;
    }

    pub fn context(&self) -> Context {
        // The SDK keeps one retry quota per region for all its clients, so each process has its own region.
        let region = Region::new(format!("simulation-{}-{}", self.world.unique(), self.name.replace(' ', "-")));
        let credentials = Credentials::from_keys("simulation", "simulation", None);
        let config = SdkConfig::builder()
            .region(region)
            .endpoint_url("http://dynamodb")
            .credentials_provider(SharedCredentialsProvider::new(credentials));
        let settings = [(TABLE_COUNTERS, COUNTERS), (TABLE_JOURNAL, JOURNAL)];
        let settings: Config = settings.map(|(name, value)| (name.to_owned(), value.to_owned())).into_iter().collect();
        Context { config: settings, aws: Aws::in_process(config, Connection::client(self)) }
    }
}
