//! Cold start of the Lambda `reference`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("reference")?;
    buffered::run(reference::router(&context)?, &context).await
}
