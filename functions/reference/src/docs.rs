//! The OpenAPI documents, one for each API, and the files of the page that renders them.
//!
//! `cargo run -p local -- openapi` generates the files in `openapi/` from the code of all functions. A test fails if a
//! file is out of date. The page in `page/` reads the documents in the browser; `operations.html` is for browsers without
//! JavaScript.

/// The OpenAPI document of an API.
pub struct Document {
    pub json: &'static str,
}

/// The server URL in the documents: relative, two levels above the document.
pub const HERE: &str = "../..";

/// The base URL in the examples and samples of the documents.
pub const BASE_URL: &str = "http://127.0.0.1:9000";

pub const BUILDER: Document = Document { json: include_str!("../openapi/builder.json") };
pub const GATEWAY: Document = Document { json: include_str!("../openapi/gateway.json") };
pub const WORKBENCHES: Document = Document { json: include_str!("../openapi/workbenches.json") };

impl Document {
    /// Returns the document with the base URL of the request, for tools that do not resolve a relative server URL.
    pub fn with_base_url(&self, base_url: Option<&str>) -> String {
        match base_url {
            Some(base_url) => {
                let json = self.json.replacen(&format!("{HERE:?}"), &format!("{base_url:?}"), 1);
                json.replace(BASE_URL, base_url)
            }
            None => self.json.to_owned(),
        }
    }
}

/// The reference for programs that read texts, in the form of <https://llmstxt.org>.
pub const LLMS: &str = include_str!("../page/llms.txt");

/// A file of the page.
pub struct PageFile {
    pub name: &'static str,
    pub content_type: &'static str,
    pub bytes: &'static [u8],
}

pub static PAGE: [PageFile; 5] = [
    PageFile {
        name: "index.html",
        content_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../page/index.html"),
    },
    PageFile {
        name: "operations.html",
        content_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../openapi/operations.html"),
    },
    PageFile { name: "docs.css", content_type: "text/css; charset=utf-8", bytes: include_bytes!("../page/docs.css") },
    PageFile {
        name: "docs.js",
        content_type: "text/javascript; charset=utf-8",
        bytes: include_bytes!("../page/docs.js"),
    },
    PageFile {
        name: "favicon-32x32.png",
        content_type: "image/png",
        bytes: include_bytes!("../page/favicon-32x32.png"),
    },
];
