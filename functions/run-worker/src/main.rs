//! Cold start of the Lambda `run-worker`.

use domain::time::Time;
use lambda_runtime::{Error, LambdaEvent, run, service_fn};
use platform::{Context, telemetry};
use run_worker::{Stores, handle};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let stores = &Stores::new(&Context::from_env())?;
    let handle = async |event: LambdaEvent<_>| {
        let deadline = Time::from_millis(event.context.deadline as i64);
        Ok::<_, Error>(handle(stores, event.payload, deadline).await)
    };
    run(service_fn(handle)).await
}
