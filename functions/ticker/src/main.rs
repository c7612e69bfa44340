//! Cold start of the Lambda `ticker`.

use domain::time::Time;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use platform::{Context, telemetry};
use serde_json::Value;
use ticker::{Stores, tick};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let stores = &Stores::new(&Context::from_env())?;
    run(service_fn(async |_: LambdaEvent<Value>| Ok::<_, Error>(tick(stores, Time::now()).await?))).await
}
