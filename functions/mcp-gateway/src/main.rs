//! Cold start of the Lambda `mcp-gateway`. Its responses are streamed; a JSON response is a stream of one chunk.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("mcp-gateway")?;
    streaming::run(mcp_gateway::router(&context)?, &context).await
}
