//! The check of the header `Origin`: a page of another site must not reach an MCP server with the network of its visitor (DNS
//! rebinding, CSRF). Programs send no `Origin`.

use std::collections::BTreeSet;

use domain::{Error, Result, address};
use http::HeaderMap;
use http::header::ORIGIN;
use platform::config::{CONSOLE_ORIGIN, CORS_ORIGINS, Config};

/// The origins of pages that may call the servers, beside the platform's own.
#[derive(Clone)]
pub struct AllowedOrigins(BTreeSet<String>);

impl AllowedOrigins {
    pub fn from_config(config: &Config) -> Self {
        Self([CORS_ORIGINS, CONSOLE_ORIGIN].into_iter().flat_map(|name| config.list(name)).collect())
    }

    pub fn check(&self, headers: &HeaderMap, base_url: Option<&str>) -> Result<()> {
        let Some(origin) = headers.get(ORIGIN) else { return Ok(()) };
        let origin = origin.to_str().unwrap_or_default();
        let is_own = base_url.is_some_and(|url| address::origin(url) == origin);
        if is_own || self.0.contains(origin) {
            return Ok(());
        }
        let message =
            "pages of this origin may not call the MCP server. The operator can allow it with CORS_ORIGINS".to_owned();
        Err(Error::Forbidden { code: "origin_not_allowed", message })
    }
}
