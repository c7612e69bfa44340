//! Cold start of the Lambda `run-worker`.

use domain::time::Time;
use lambda_runtime::{Error, LambdaEvent, Runtime, service_fn};
use platform::{Context, lambda, telemetry};
use run_worker::{Stores, handle};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    script::serve_if_asked();
    documents::serve_if_asked();
    telemetry::init();
    let context = Context::from_env("run-worker")?;
    let stores = &Stores::new(&context)?;
    let handle = async |event: LambdaEvent<_>| {
        let deadline = Time::from_millis(event.context.deadline as i64);
        Ok::<_, Error>(handle(stores, event.payload, deadline).await)
    };
    lambda::run(Runtime::new(service_fn(handle)), &context).await
}
