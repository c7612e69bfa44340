//! The settings and the AWS connection of a function, created once per cold start.

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
