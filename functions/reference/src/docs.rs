//! The documents, one an area, and the page that shows them.
//!
//! The files in `openapi/` are made from the code of all functions by `cargo run -p local -- openapi`;
//! a test fails when one is not what the code says.

use std::sync::{Arc, LazyLock};

use utoipa_swagger_ui::{Config, SwaggerFile, Url};

/// An area's document.
pub struct Document {
    pub name: &'static str,
    /// As the page sees it: relative, so that it is found behind a stage or a custom domain's path too.
    pub url: &'static str,
    pub json: &'static str,
}

/// The base URL as the documents have it: two steps up from where they are.
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
const DOCUMENTS: [Document; 2] = [BUILDER, GATEWAY];

const HEAD: &str = "<title>Atelier: API reference</title>\n\
    <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">";
/// Errors have one form, so the page shows of each only a short example, and no choice of a media type.
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
    /// The document with the base URL it was asked at, for tools that do not follow a relative one.
    pub fn at(&self, base_url: Option<&str>) -> String {
        match base_url {
            Some(base_url) => self.json.replacen(&format!("{HERE:?}"), &format!("{base_url:?}"), 1),
            None => self.json.to_owned(),
        }
    }
}

/// A file of the reference page. The page itself gets a name, the width of a telephone, and a style for errors.
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
