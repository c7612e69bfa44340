//! Cold start of the Lambda `inference`. All its routes stream: one that answers whole is a stream of one piece.

use shared::http::streaming;
use shared::{Context, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), streaming::Error> {
    telemetry::init();
    let context = Context::from_env();
    streaming::run(inference::router(&context)?).await
}
