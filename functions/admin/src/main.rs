//! Cold start of the Lambda `admin`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    telemetry::init();
    let context = Context::from_env("admin")?;
    buffered::run(admin::router(&context)?, &context).await
}
