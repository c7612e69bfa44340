//! Cold start of the Lambda `workbench-worker`.

use std::sync::Arc;

use labs::{Backend, NoBackend};
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use platform::{Context, lambda, telemetry};
use workbench_worker::{Stores, handle};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env("workbench-worker")?;
    let backend: Arc<dyn Backend> = match kubernetes::configured_backend(&context)? {
        Some(cluster) => Arc::new(cluster),
        None => Arc::new(NoBackend),
    };
    let stores = &Stores::new(&context, backend)?;
    lambda::run(
        Runtime::new(service_fn(async |event: LambdaEvent<_>| Ok::<_, Error>(handle(stores, event.payload).await))),
        &context,
    )
    .await
}
