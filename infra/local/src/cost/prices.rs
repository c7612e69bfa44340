//! The prices of AWS and the assumptions of the cost table, from `prices.yaml`.

use std::collections::BTreeMap;

use serde::Deserialize;

const FILE: &str = include_str!("prices.yaml");

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub region: String,
    /// The month of the prices.
    pub date: String,
    pub per_million: PerMillion,
    pub per_month: PerMonth,
    pub server: Server,
    pub assumed: Assumptions,
}

/// USD per million.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerMillion {
    pub api_request: f64,
    pub lambda_request: f64,
    pub lambda_gb_second: f64,
    pub read_unit: f64,
    pub write_unit: f64,
    pub queue_request: f64,
    pub s3_write: f64,
    pub s3_read: f64,
    pub kms_request: f64,
    pub transition: f64,
    pub express_request: f64,
    pub express_gb_second: f64,
}

/// USD per month.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PerMonth {
    pub key: f64,
    pub alarm: f64,
}

/// A server on which `local` runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    pub name: String,
    pub hour: f64,
    pub disk_gb: f64,
    pub disk_gb_month: f64,
    /// How many runs or calls a second one machine was measured with, by the name of the scenario.
    pub measured_per_second: BTreeMap<String, u32>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Assumptions {
    pub dynamodb_read_ms: f64,
    pub dynamodb_write_ms: f64,
    pub dynamodb_transaction_ms: f64,
    pub sqs_ms: f64,
    pub s3_read_ms: f64,
    pub s3_write_ms: f64,
    pub kms_ms: f64,
    pub http_call_ms: f64,
    pub model_call_ms: f64,
    pub cpu_invocation_ms: f64,
    pub cpu_aws_call_ms: f64,
    pub mb_of_a_core: f64,
    pub express_mb: f64,
    pub pollers_of_a_queue: f64,
    pub poll_s: f64,
}

pub const HOURS_OF_A_MONTH: f64 = 730.0;

impl Prices {
    /// Parses the file, which is compiled into the program. An invalid file panics, so every test finds it.
    pub fn read() -> Self {
        yaml_serde::from_str(FILE).expect("prices.yaml has all prices and assumptions")
    }
}

impl Server {
    pub fn usd_per_month(&self) -> f64 {
        self.hour * HOURS_OF_A_MONTH + self.disk_gb * self.disk_gb_month
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_measured_rates_are_those_of_the_readme() {
        let readme = include_str!("../../../../README.md");
        for (name, rate) in Prices::read().server.measured_per_second {
            let shown = format!("{},{:03}", rate / 1_000, rate % 1_000);
            assert!(readme.contains(&format!("| {shown} ")), "{name}: README.md has no measured rate of {shown}");
        }
    }
}
