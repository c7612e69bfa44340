//! Cold start of the Lambda `mcp-tools`. The answers to calls of tools are streamed.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("mcp-tools")?;
    streaming::run(mcp_tools::router(&context)?, &context).await
}
