//! Cold start of the Lambda `inference`. All its routes stream: one that answers whole is a stream of one piece.

use lambda_http::{Error, run_with_streaming_response};
use shared::{Context, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env();
    run_with_streaming_response(inference::router(&context)?).await
}
