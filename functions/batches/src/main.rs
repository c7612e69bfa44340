//! Cold start of the Lambda `batches`. All routes use response streaming, because the content of a file may be large.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("batches")?;
    streaming::run(batches::router(&context)?, &context).await
}
