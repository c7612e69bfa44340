//! Cold start of the Lambda `run-events`. Its responses are streamed; a JSON response is a stream of one chunk.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("run-events")?;
    streaming::run(run_events::router(&context)?, &context).await
}
