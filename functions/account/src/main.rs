//! Cold start of the Lambda `account`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("account")?;
    buffered::run(account::router(&context)?, &context).await
}
