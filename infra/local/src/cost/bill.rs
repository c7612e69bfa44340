//! What a scenario consumes and what it costs. An estimate of Lambda's time is part of it; `prices.yaml` has its assumptions.

use std::collections::BTreeMap;

use super::prices::{Assumptions, HOURS_OF_A_MONTH, Prices};
use super::recorded::{Invocation, Recorded, Trigger, Wait};
use crate::recorder::Call;
use crate::template::SamTemplate;

const MB_OF_A_GB: f64 = 1024.0;
const MS_OF_A_SECOND: f64 = 1_000.0;
/// Step Functions rounds the time of an Express workflow up to this.
const EXPRESS_STEP_MS: f64 = 100.0;
const MINUTES_OF_AN_HOUR: f64 = 60.0;
const SECONDS_OF_AN_HOUR: f64 = 3_600.0;

/// What a scenario consumes once.
#[derive(Clone, Debug, Default)]
pub struct Bill {
    pub aws_calls: usize,
    pub read_units: f64,
    pub write_units: f64,
    pub queue_requests: usize,
    pub s3_writes: usize,
    pub s3_reads: usize,
    pub kms_requests: usize,
    pub api_requests: usize,
    /// In the order of their first invocation.
    pub functions: Vec<FunctionTime>,
}

#[derive(Clone, Debug)]
pub struct FunctionTime {
    pub name: String,
    pub memory_mb: u32,
    pub invocations: usize,
    /// The billed time of all invocations.
    pub ms: f64,
}

impl Bill {
    pub fn new(recorded: &Recorded, template: &SamTemplate, assumed: &Assumptions) -> Self {
        let mut bill = Self::default();
        for call in recorded.calls() {
            bill.count(call);
        }
        for invocation in &recorded.invocations {
            match invocation.trigger {
                Trigger::Request => bill.api_requests += 1,
                // The batch is received and deleted. Its sending is a recorded call.
                Trigger::Messages => bill.queue_requests += 2,
                Trigger::Schedule => {}
            }
            let memory_mb = template.functions.get(&invocation.function).map_or(0, |function| function.memory_mb);
            let ms = own_ms(invocation, memory_mb, assumed);
            match bill.functions.iter_mut().find(|function| function.name == invocation.function) {
                Some(function) => {
                    function.invocations += 1;
                    function.ms += ms;
                }
                None => {
                    let name = invocation.function.clone();
                    bill.functions.push(FunctionTime { name, memory_mb, invocations: 1, ms });
                }
            }
        }
        for function in &mut bill.functions {
            let waits = recorded.waits.iter().filter(|(name, _)| *name == function.name);
            function.ms = (function.ms + waits.map(|(_, wait)| wait_ms(*wait, assumed)).sum::<f64>()).ceil();
        }
        bill
    }

    fn count(&mut self, call: &Call) {
        self.aws_calls += 1;
        match Kind::of_call(call) {
            Kind::DynamoRead => self.read_units += call.units,
            Kind::DynamoWrite | Kind::DynamoTransaction => self.write_units += call.units,
            Kind::Queue => self.queue_requests += 1,
            Kind::S3Read => self.s3_reads += 1,
            Kind::S3Write => self.s3_writes += 1,
            Kind::Kms => self.kms_requests += 1,
            Kind::Free => {}
        }
    }

    pub fn lambda_gb_seconds(&self) -> f64 {
        let of_function =
            |function: &FunctionTime| function.ms / MS_OF_A_SECOND * f64::from(function.memory_mb) / MB_OF_A_GB;
        self.functions.iter().map(of_function).sum()
    }

    /// USD for a million.
    pub fn usd_per_million(&self, prices: &Prices) -> f64 {
        let price = &prices.per_million;
        let invocations: usize = self.functions.iter().map(|function| function.invocations).sum();
        self.api_requests as f64 * price.api_request
            + invocations as f64 * price.lambda_request
            + self.lambda_gb_seconds() * price.lambda_gb_second
            + self.data_usd_per_million(prices)
    }

    /// The part of the price that depends on the AWS calls alone.
    pub fn data_usd_per_million(&self, prices: &Prices) -> f64 {
        let price = &prices.per_million;
        self.read_units * price.read_unit
            + self.write_units * price.write_unit
            + self.queue_requests as f64 * price.queue_request
            + self.s3_writes as f64 * price.s3_write
            + self.s3_reads as f64 * price.s3_read
            + self.kms_requests as f64 * price.kms_request
    }
}

/// The same run on Step Functions, in USD for a million: its requests and its states, without any function of its own.
pub struct StepFunctions {
    pub standard: f64,
    /// `None` if an Express workflow cannot carry out the run.
    pub express: Option<f64>,
}

impl StepFunctions {
    /// `None` if the scenario is no run.
    pub fn new(recorded: &Recorded, bill: &Bill, prices: &Prices) -> Option<Self> {
        let run = recorded.run?;
        let (price, assumed) = (&prices.per_million, &prices.assumed);
        let requests = bill.api_requests as f64 * price.api_request;
        let waits: f64 = recorded.waits.iter().map(|(_, wait)| wait_ms(*wait, assumed)).sum();
        let billed_ms = (waits / EXPRESS_STEP_MS).ceil().max(1.0) * EXPRESS_STEP_MS;
        let gb_seconds = billed_ms / MS_OF_A_SECOND * assumed.express_mb / MB_OF_A_GB;
        let express = requests + price.express_request + gb_seconds * price.express_gb_second;
        Some(Self {
            standard: requests + f64::from(run.nodes) * price.transition,
            express: (!run.is_long).then_some(express),
        })
    }
}

/// What a deployment costs in a month in which nothing happens, in USD: the ticks, the pollers of the queues, the key and the
/// alarms.
pub fn idle_usd_per_month(tick: &Bill, template: &SamTemplate, prices: &Prices) -> BTreeMap<&'static str, f64> {
    let queues = template.functions.values().filter(|function| function.source.is_some()).count() as f64;
    let polls_per_hour = queues * prices.assumed.pollers_of_a_queue * SECONDS_OF_AN_HOUR / prices.assumed.poll_s;
    let polls = polls_per_hour * HOURS_OF_A_MONTH / 1e6 * prices.per_million.queue_request;
    let ticks = MINUTES_OF_AN_HOUR * HOURS_OF_A_MONTH / 1e6 * tick.usd_per_million(prices);
    BTreeMap::from([
        ("alarms", f64::from(template.alarms) * prices.per_month.alarm),
        ("keys", template.keys.len() as f64 * prices.per_month.key),
        ("pollers of queues", polls),
        ("ticks", ticks),
    ])
}

/// How AWS bills a call.
enum Kind {
    DynamoRead,
    DynamoWrite,
    DynamoTransaction,
    Queue,
    S3Read,
    S3Write,
    Kms,
    Free,
}

impl Kind {
    fn of_call(call: &Call) -> Self {
        match (call.service.as_str(), call.operation.as_str()) {
            ("DynamoDB", "TransactWriteItems") => Self::DynamoTransaction,
            ("DynamoDB", "PutItem" | "UpdateItem" | "DeleteItem" | "BatchWriteItem") => Self::DynamoWrite,
            ("DynamoDB", _) => Self::DynamoRead,
            ("SQS", _) => Self::Queue,
            ("S3", "DeleteObject" | "DeleteObjects" | "AbortMultipartUpload") => Self::Free,
            ("S3", operation) if operation.starts_with("Get") || operation.starts_with("Head") => Self::S3Read,
            ("S3", _) => Self::S3Write,
            ("KMS", _) => Self::Kms,
            _ => Self::Free,
        }
    }

    fn ms(&self, assumed: &Assumptions) -> f64 {
        match self {
            Self::DynamoRead => assumed.dynamodb_read_ms,
            Self::DynamoWrite => assumed.dynamodb_write_ms,
            Self::DynamoTransaction => assumed.dynamodb_transaction_ms,
            Self::Queue => assumed.sqs_ms,
            Self::S3Read => assumed.s3_read_ms,
            Self::S3Write | Self::Free => assumed.s3_write_ms,
            Self::Kms => assumed.kms_ms,
        }
    }
}

/// The time of an invocation without what it waits for outside of AWS.
fn own_ms(invocation: &Invocation, memory_mb: u32, assumed: &Assumptions) -> f64 {
    let waits: f64 = invocation.calls.iter().map(|call| Kind::of_call(call).ms(assumed)).sum();
    waits + cpu_ms(invocation.calls.len(), assumed) / core_share(memory_mb, assumed)
}

/// The assumed time of a whole core that an invocation with these AWS calls takes.
pub fn cpu_ms(calls: usize, assumed: &Assumptions) -> f64 {
    assumed.cpu_invocation_ms + calls as f64 * assumed.cpu_aws_call_ms
}

fn core_share(memory_mb: u32, assumed: &Assumptions) -> f64 {
    (f64::from(memory_mb) / assumed.mb_of_a_core).clamp(f64::MIN_POSITIVE, 1.0)
}

fn wait_ms(wait: Wait, assumed: &Assumptions) -> f64 {
    match wait {
        Wait::HttpCalls(calls) => f64::from(calls) * assumed.http_call_ms,
        Wait::ModelCalls { calls, at_once } => f64::from(calls.div_ceil(at_once)) * assumed.model_call_ms,
        Wait::Open(time) => time.as_secs_f64() * MS_OF_A_SECOND,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn call(service: &str, operation: &str, units: f64) -> Call {
        Call { units, ..Call::new(service, operation) }
    }

    #[test]
    fn a_bill_is_the_sum_of_its_parts() {
        let invocation = |function: &str, trigger, calls| {
            let function = function.to_owned();
            Invocation { function, trigger, calls, cpu: Duration::ZERO }
        };
        let request = vec![
            call("DynamoDB", "BatchGetItem", 4.0),
            call("DynamoDB", "TransactWriteItems", 10.0),
            call("SQS", "SendMessage", 0.0),
        ];
        let message = vec![call("DynamoDB", "Query", 1.0), call("S3", "GetObject", 0.0), call("S3", "PutObject", 0.0)];
        let recorded = Recorded {
            name: "a run",
            invocations: vec![
                invocation("runs", Trigger::Request, request),
                invocation("run-worker", Trigger::Messages, message),
            ],
            waits: vec![("run-worker", Wait::HttpCalls(2))],
            run: None,
            varies: false,
        }
        .run(4);
        let (template, prices) = (SamTemplate::read(), Prices::read());
        let bill = Bill::new(&recorded, &template, &prices.assumed);
        assert_eq!((bill.aws_calls, bill.read_units, bill.write_units), (6, 5.0, 10.0));
        assert_eq!((bill.queue_requests, bill.s3_reads, bill.s3_writes, bill.kms_requests), (3, 1, 1, 0));
        let data = 5.0 * 0.125 + 10.0 * 0.625 + 3.0 * 0.4 + 5.0 + 0.4;
        assert!((bill.data_usd_per_million(&prices) - data).abs() < 1e-9);
        // 29 and 69 ms of AWS calls, 200 ms of HTTP calls, and 1.1 ms of 512/1769 of a core each.
        let times: Vec<_> = bill.functions.iter().map(|function| (function.name.as_str(), function.ms)).collect();
        assert_eq!(times, [("runs", 33.0), ("run-worker", 273.0)]);
        let lambda = 2.0 * 0.2 + 0.306 * 0.5 * 13.3334;
        assert!((bill.usd_per_million(&prices) - (3.5 + data + lambda)).abs() < 1e-9);
        let step_functions = StepFunctions::new(&recorded, &bill, &prices).unwrap();
        assert!((step_functions.standard - 103.5).abs() < 1e-9);
        assert!((step_functions.express.unwrap() - (4.5 + 0.2 * 0.0625 * 16.67)).abs() < 1e-9);
    }
}
