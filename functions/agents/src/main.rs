//! Cold start of the Lambda `agents`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("agents")?;
    buffered::run(agents::router(&context)?, &context).await
}
