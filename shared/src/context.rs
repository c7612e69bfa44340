//! The settings, the AWS connection and the clock of a function, created once per cold start.

use crate::aws::Aws;
use crate::config::Config;
use domain::time::Clock;

#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub aws: Aws,
    /// The only source of the time for auth, stores and the gateway. Tests and simulations replace it.
    pub clock: Clock,
}

impl Context {
    pub fn new(config: Config, aws: Aws) -> Self {
        Self { config, aws, clock: Clock::default() }
    }

    pub fn from_env() -> Self {
        Self::new(Config::from_env(), Aws::from_env())
    }
}
