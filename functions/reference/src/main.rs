//! Cold start of the Lambda `reference`.

use lambda_http::{Error, run};
use platform::{Context, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env();
    run(reference::router(&context)?).await
}
