//! The settings, the AWS connection and the clock of a function, created once per cold start.

use crate::aws::Aws;
use crate::config::Config;
use crate::run_news::RunNews;
use crate::tasks::Tasks;
use crate::telemetry::Telemetry;
use domain::Result;
use domain::time::Clock;
use tokio_util::sync::CancellationToken;

#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub aws: Aws,
    /// The only source of the time for auth, stores and the gateway. Tests and simulations replace it.
    pub clock: Clock,
    /// The ends of the runs that workers of this process carry out; `None` if the workers are other processes.
    pub run_news: Option<RunNews>,
    /// Is canceled when the process stops, so that workers leave their work in an orderly way. Lambda never cancels it:
    /// each invocation knows its end.
    pub stop: CancellationToken,
    /// The work that goes on after the answers to its callers. A process waits for it before it ends, and a Lambda before it is
    /// frozen.
    pub tasks: Tasks,
    /// The metrics and traces of the function.
    pub telemetry: Telemetry,
}

impl Context {
    pub fn new(config: Config, aws: Aws) -> Self {
        Self {
            config,
            aws,
            clock: Clock::default(),
            run_news: None,
            stop: CancellationToken::new(),
            tasks: Tasks::default(),
            telemetry: Telemetry::default(),
        }
    }

    /// The context of a function in a process of its own.
    pub fn from_env(function: &str) -> Result<Self> {
        let config = Config::from_env();
        let telemetry = Telemetry::from_config(&config, function)?;
        Ok(Self { telemetry, ..Self::new(config, Aws::from_env()) })
    }
}
