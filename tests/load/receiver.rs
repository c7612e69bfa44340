//! A system outside of the platform, which takes whatever workflows send to it.

use axum::Router;
use axum::routing::any;
use serde_json::json;
use tests::process::Result;
use tokio::net::TcpListener;

/// Starts the system, and returns its URL.
pub async fn start() -> Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let url = format!("http://{}", listener.local_addr()?);
    let routes = Router::new().fallback(any(async || axum::Json(json!({"received": true}))));
    tokio::spawn(async { axum::serve(listener, routes).await });
    Ok(url)
}
