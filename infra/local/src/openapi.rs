//! The OpenAPI documents, made from the code of every function: one an area.

use std::path::{Path, PathBuf};

use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{ComponentsBuilder, InfoBuilder, OpenApi, OpenApiBuilder, ServerBuilder};

use crate::failure::Failure;

/// The document of an area, and the file that `reference` embeds.
pub struct Document {
    pub file: PathBuf,
    pub openapi: OpenApi,
    /// Path and method of every route of the area, as the functions' tables have them.
    pub routes: Vec<(&'static str, &'static str)>,
}

impl Document {
    pub fn json(&self) -> String {
        let json = self.openapi.to_pretty_json().unwrap_or_default();
        format!("{json}\n")
    }
}

pub fn documents() -> Vec<Document> {
    let mut builder = document("Atelier: agents and workflows", "bearer", "An access token of the platform's issuer");
    let mut routes = Vec::new();
    for (part, served) in [agents::document(), reference::document()] {
        builder.merge(part);
        routes.extend(served);
    }
    vec![Document { file: folder().join("builder.json"), openapi: builder, routes }]
}

/// Writes the documents into `reference`.
pub fn write() -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for document in documents() {
        std::fs::write(&document.file, document.json())
            .map_err(|cause| Failure::Folder { folder: document.file.clone(), cause })?;
        written.push(document.file);
    }
    Ok(written)
}

fn folder() -> PathBuf {
    let top = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap_or(Path::new("."));
    top.join("functions/reference/openapi")
}

fn document(title: &str, scheme: &str, credential: &str) -> OpenApi {
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some(credential)).build();
    let components = ComponentsBuilder::new().security_scheme(scheme, SecurityScheme::Http(bearer)).build();
    OpenApiBuilder::new()
        .info(InfoBuilder::new().title(title).version("1").build())
        // Relative to the document; `reference` puts the address it was asked at in its place.
        .servers(Some([ServerBuilder::new().url(reference::HERE).build()]))
        .components(Some(components))
        .build()
}
