//! Cold start of the Lambda `hooks`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("hooks")?;
    buffered::run(hooks::router(&context)?, &context).await
}
