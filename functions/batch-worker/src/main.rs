//! Cold start of the Lambda `batch-worker`.

use batch_worker::{Stores, handle};
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use platform::{Context, lambda, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env("batch-worker")?;
    let stores = &Stores::new(&context)?;
    lambda::run(
        Runtime::new(service_fn(async |event: LambdaEvent<_>| Ok::<_, Error>(handle(stores, event.payload).await))),
        &context,
    )
    .await
}
