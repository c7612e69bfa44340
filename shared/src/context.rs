//! What a function builds once per cold start: its settings and its connection to AWS.

use crate::aws::Aws;
use crate::config::Config;

#[derive(Clone)]
pub struct Context {
    pub config: Config,
    pub aws: Aws,
}

impl Context {
    pub fn from_env() -> Self {
        Self { config: Config::from_env(), aws: Aws::from_env() }
    }
}
