//! Cold start of the Lambda `service-tokens`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("service-tokens")?;
    buffered::run(service_tokens::router(&context)?, &context).await
}
