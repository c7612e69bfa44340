//! Cold start of the Lambda `team`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("team")?;
    buffered::run(team::router(&context)?, &context).await
}
