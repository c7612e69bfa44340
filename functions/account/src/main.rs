//! Cold start of the Lambda `account`.

use lambda_http::{Error, run};
use platform::{Context, telemetry};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Error> {
    telemetry::init();
    let context = Context::from_env();
    run(account::router(&context)?).await
}
