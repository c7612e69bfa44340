//! The settings, the AWS connection and the clock of a function, created once per cold start.

use crate::aws::Aws;
use crate::config::Config;
use crate::run_ends::RunEnds;
use domain::time::Clock;

#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub aws: Aws,
    /// The only source of the time for auth, stores and the gateway. Tests and simulations replace it.
    pub clock: Clock,
    /// The ends of the runs that workers of this process carry out; `None` if the workers are other processes.
    pub run_ends: Option<RunEnds>,
}

impl Context {
    pub fn new(config: Config, aws: Aws) -> Self {
        Self { config, aws, clock: Clock::default(), run_ends: None }
    }

    pub fn from_env() -> Self {
        Self::new(Config::from_env(), Aws::from_env())
    }
}
