//! Cold start of the Lambda `billing`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("billing")?;
    buffered::run(billing::router(&context)?, &context).await
}
