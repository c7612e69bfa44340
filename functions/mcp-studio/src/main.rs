//! Cold start of the Lambda `mcp-studio`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("mcp-studio")?;
    buffered::run(mcp_studio::router(&context)?, &context).await
}
