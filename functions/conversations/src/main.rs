//! Cold start of the Lambda `conversations`. Its responses are streamed; a JSON response is a stream of one chunk.

use platform::{Context, telemetry};
use web::streaming;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env("conversations")?;
    streaming::run(conversations::router(&context)?, &context).await
}
