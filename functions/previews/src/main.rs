//! Cold start of the Lambda `previews`.

use platform::{Context, telemetry};
use web::buffered;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), buffered::Error> {
    script::serve_if_asked();
    documents::serve_if_asked();
    telemetry::init();
    let context = Context::from_env("previews")?;
    buffered::run(previews::router(&context)?, &context).await
}
