//! A process: its clock, its connection to DynamoDB, and when it is asleep or dead.

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

    /// One that nothing befalls.
    pub fn calm(world: &Arc<World>, name: &str) -> Self {
        Self { faults: Faults::default(), ..Self::new(world, name.to_owned(), &Fortune::default()) }
    }

    /// One that lives on, over the connection that others have.
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

    /// Comes back while the process runs: later when it is asleep, never when it is dead.
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

    /// What the process does until it dies.
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
        // The SDK's quota of retries is kept by region, for all clients there are: a region of one's own each.
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
