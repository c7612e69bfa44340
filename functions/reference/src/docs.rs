//! The documents, one an area, and the page that shows them.
//!
//! The files in `openapi/` are made from the code of all functions by `cargo run -p local -- openapi`;
//! a test fails when one is not what the code says.

use std::sync::{Arc, LazyLock};

use utoipa_swagger_ui::{Config, SwaggerFile, Url};

/// An area's document: where it is served, what it is called, and itself.
pub struct Document {
    pub path: &'static str,
    pub name: &'static str,
    pub json: &'static str,
}

pub const DOCUMENTS: &[Document] = &[Document {
    path: "/builder/v1/openapi.json",
    name: "Agents and workflows",
    json: include_str!("../openapi/builder.json"),
}];

static PAGE: LazyLock<Arc<Config<'static>>> = LazyLock::new(|| {
    // Relative, so that the page also works behind a stage or a path of a custom domain.
    let urls = DOCUMENTS.iter().map(|document| Url::new(document.name, document.path));
    let config = Config::new(urls.map(|url| url)).try_it_out_enabled(true).persist_authorization(true).filter(true);
    Arc::new(config)
});

/// A file of the reference page.
pub fn page_file(name: &str) -> Option<SwaggerFile<'static>> {
    utoipa_swagger_ui::serve(name, PAGE.clone()).ok().flatten()
}
