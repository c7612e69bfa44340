//! Cold start of the Lambda `workflows`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    script::serve_if_asked();
    telemetry::init();
    let context = Context::from_env("workflows")?;
    buffered::run(workflows::router(&context)?, &context).await
}
