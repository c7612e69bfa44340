//! The OpenAPI documents, one for each API, and the Swagger UI page that renders them.
//!
//! `cargo run -p local -- openapi` generates the files in `openapi/` from the code of all functions. A test fails if a
//! file is out of date.

use std::sync::{Arc, LazyLock};

use utoipa_swagger_ui::{Config, SwaggerFile, Url};

/// The OpenAPI document of an API.
pub struct Document {
    pub name: &'static str,
    /// The URL relative to the page, so that it also works behind a stage or the path of a custom domain.
    pub url: &'static str,
    pub json: &'static str,
}

/// The server URL in the documents: relative, two levels above the document.
pub const HERE: &str = "../..";

pub const BUILDER: Document = Document {
    name: "Agents and workflows",
    url: "../builder/v1/openapi.json",
    json: include_str!("../openapi/builder.json"),
};
pub const GATEWAY: Document = Document {
    name: "Model gateway",
    url: "../gateway/v1/openapi.json",
    json: include_str!("../openapi/gateway.json"),
};
pub const WORKBENCHES: Document = Document {
    name: "Workbenches",
    url: "../workbenches/v1/openapi.json",
    json: include_str!("../openapi/workbenches.json"),
};
const DOCUMENTS: [Document; 3] = [BUILDER, GATEWAY, WORKBENCHES];

const HEAD: &str = "<title>Atelier: API reference</title>\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
/// Shortens the examples of error responses and hides their media type selection, because all errors have one form.
const STYLE: &str = "<style>\
    .response:is([data-code^='4'], [data-code^='5']) :is(.response-control-media-type, .response-controls, .tab) \
    { display: none !important } \
    .response:is([data-code^='4'], [data-code^='5']) .highlight-code > * \
    { max-height: 6em !important; overflow: auto !important }\
    </style>";

static PAGE: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    let urls = DOCUMENTS.map(|document| Url::new(document.name, document.url));
    let config = Config::new(urls).deep_linking(true).try_it_out_enabled(true).persist_authorization(true).filter(true);
    Arc::new(config)
});

impl Document {
    /// Returns the document with the base URL of the request, for tools that do not resolve a relative server URL.
    pub fn with_base_url(&self, base_url: Option<&str>) -> String {
        match base_url {
            Some(base_url) => self.json.replacen(&format!("{HERE:?}"), &format!("{base_url:?}"), 1),
            None => self.json.to_owned(),
        }
    }
}

/// Returns a file of Swagger UI. The page itself gets a title, a viewport for phones, and a style for errors.
pub fn page_file(name: &str) -> Option<SwaggerFile<'static>> {
    let mut file = utoipa_swagger_ui::serve(name, PAGE.clone()).ok().flatten()?;
    if name == "index.html" {
        let page = String::from_utf8_lossy(&file.bytes);
        let page =
            page.replacen("<title>Swagger UI</title>", HEAD, 1).replacen("</head>", &format!("{STYLE}</head>"), 1);
        file.bytes = page.into_bytes().into();
    }
    Some(file)
}
