//! Cold start of the Lambda `conversations`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("conversations")?;
    buffered::run(conversations::router(&context)?, &context).await
}
