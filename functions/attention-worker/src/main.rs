//! Cold start of the Lambda `attention-worker`.

use attention_worker::{Stores, handle};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use platform::{Context, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let stores = &Stores::new(&Context::from_env())?;
    run(service_fn(async |event: LambdaEvent<_>| Ok::<_, Error>(handle(stores, event.payload).await))).await
}
