//! Cold start of the Lambda `ticker`.

use domain::time::Time;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use platform::{Context, lambda, telemetry};
use serde_json::Value;
use ticker::{Stores, tick};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env("ticker")?;
    let stores = &Stores::new(&context)?;
    lambda::run(
        Runtime::new(service_fn(async |_: LambdaEvent<Value>| Ok::<_, Error>(tick(stores, Time::now()).await?))),
        &context,
    )
    .await
}
