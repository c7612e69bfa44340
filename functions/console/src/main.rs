//! Cold start of the Lambda `console`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("console")?;
    buffered::run(console::router(&context)?, &context).await
}
