//! Cold start of the Lambda `inference`. All routes use response streaming; a JSON response is a stream of one chunk.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("inference")?;
    streaming::run(inference::router(&context)?, &context).await
}
