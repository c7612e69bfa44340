//! Cold start of the Lambda `workbenches`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("workbenches")?;
    buffered::run(workbenches::router(&context)?, &context).await
}
