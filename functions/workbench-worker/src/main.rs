//! Cold start of the Lambda `workbench-worker`.

use std::sync::Arc;

use labs::{Backend, NoBackend};
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use platform::{Context, telemetry};
use workbench_worker::{Stores, handle};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env();
    let backend: Arc<dyn Backend> = match kubernetes::configured_backend(&context)? {
        Some(cluster) => Arc::new(cluster),
        None => Arc::new(NoBackend),
    };
    let stores = &Stores::new(&context, backend)?;
    run(service_fn(async |event: LambdaEvent<_>| Ok::<_, Error>(handle(stores, event.payload).await))).await
}
