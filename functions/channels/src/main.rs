//! Cold start of the Lambda `channels`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("channels")?;
    buffered::run(channels::router(&context)?, &context).await
}
