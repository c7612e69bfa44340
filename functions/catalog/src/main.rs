//! Cold start of the Lambda `catalog`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("catalog")?;
    buffered::run(catalog::router(&context)?, &context).await
}
