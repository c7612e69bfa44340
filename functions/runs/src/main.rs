//! Cold start of the Lambda `runs`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    script::serve_if_asked();
    telemetry::init();
    let context = Context::from_env("runs")?;
    buffered::run(runs::router(&context)?, &context).await
}
