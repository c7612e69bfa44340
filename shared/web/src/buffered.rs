//! Responses on Lambda that are sent whole. `streaming` sends those that are not.

use axum::Router;
use lambda_http::Adapter;
pub use lambda_http::Error;
use lambda_http::lambda_runtime::Runtime;

use platform::{Context, lambda};

/// Serves requests until Lambda ends the process.
pub async fn run(router: Router, context: &Context) -> Result<(), Error> {
    // `lambda_http::runtime` would require responses that threads can share.
    lambda::run(Runtime::new(Adapter::from(router)), context).await
}
