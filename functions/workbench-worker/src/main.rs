//! Cold start of the Lambda `workbench-worker`.

use std::sync::Arc;

use labs::NoBackend;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use shared::{Context, telemetry};
use workbench_worker::{Stores, handle};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let stores = &Stores::new(&Context::from_env(), Arc::new(NoBackend))?;
    run(service_fn(async |event: LambdaEvent<_>| Ok::<_, Error>(handle(stores, event.payload).await))).await
}
