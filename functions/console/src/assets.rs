//! The files of the console, which `web/` builds into `dist/`. Their names never change, so a browser asks again for each file,
//! and gets it only if it has changed.

use std::sync::LazyLock;

use axum::http::StatusCode;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};

/// The page may load only files of the platform and call only the platform, and no other page may show it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

pub struct Asset {
    pub name: &'static str,
    content_type: &'static str,
    bytes: &'static [u8],
    etag: LazyLock<String>,
}

macro_rules! assets {
    ($($name:literal $content_type:literal;)+) => {
        /// All files, beginning with the page.
        pub static ASSETS: [Asset; [$($name),+].len()] = [$(Asset {
            name: $name,
            content_type: $content_type,
            bytes: include_bytes!(concat!("../dist/", $name)),
            etag: LazyLock::new(|| etag(include_bytes!(concat!("../dist/", $name)))),
        }),+];
    };
}

assets! {
    "index.html" "text/html; charset=utf-8";
    "console.js" "text/javascript; charset=utf-8";
    "console.css" "text/css; charset=utf-8";
    "workflows.js" "text/javascript; charset=utf-8";
    "workflow.js" "text/javascript; charset=utf-8";
    "editor.js" "text/javascript; charset=utf-8";
    "layout.worker.js" "text/javascript; charset=utf-8";
    "FilterFields.js" "text/javascript; charset=utf-8";
    "agents.js" "text/javascript; charset=utf-8";
    "run.js" "text/javascript; charset=utf-8";
    "icon.svg" "image/svg+xml";
    "licences.txt" "text/plain; charset=utf-8";
}

fn etag(content: &[u8]) -> String {
    format!("\"{}\"", BASE64_URL_SAFE_NO_PAD.encode(digest(&SHA256, content)))
}

impl Asset {
    /// The file, or 304 if the browser has it.
    pub fn respond(&self, headers: &HeaderMap) -> Response {
        let known = headers.get(IF_NONE_MATCH).and_then(|tags| tags.to_str().ok()).unwrap_or_default();
        // A proxy that compresses an answer makes its tag a weak one.
        let is_known = known.split(',').any(|tag| tag.trim().trim_start_matches("W/") == *self.etag);
        let caching = [(ETAG, self.etag.as_str()), (CACHE_CONTROL, "no-cache")];
        if is_known {
            return (StatusCode::NOT_MODIFIED, caching).into_response();
        }
        // With `no-referrer`, a browser would hide the origin of changes, which is checked.
        let described = [
            (CONTENT_TYPE, self.content_type),
            (CONTENT_SECURITY_POLICY, POLICY),
            (REFERRER_POLICY, "same-origin"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ];
        (caching, described, self.bytes).into_response()
    }
}
