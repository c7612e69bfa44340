//! The list of all operations, a page for readers without JavaScript.

use std::fmt::Write;

use utoipa::openapi::path::PathItem;

use super::documents::Document;

const HEAD: &str = r#"<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Atelier: all operations</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="favicon-32x32.png">
<link rel="stylesheet" href="docs.css">
</head>
<body>
<main>
<h1>All operations</h1>
<p>The OpenAPI documents have their parameters, bodies, errors, and samples in curl, Python and TypeScript.
<a href="index.html">The guides</a> show the first steps.</p>
"#;

/// Renders the list. Each API is a section with a link to its document.
pub fn render_list(documents: &[Document]) -> String {
    let mut page = HEAD.to_owned();
    for document in documents {
        let api = document.file.trim_end_matches(".json");
        let title = escape(&document.openapi.info.title);
        let _ =
            write!(page, "<h2>{title}</h2>\n<p><a href=\"../{api}/v1/openapi.json\">{title}: OpenAPI</a></p>\n<ul>\n");
        for (path, item) in &document.openapi.paths.paths {
            let PathItem { get, put, post, patch, delete, .. } = item;
            let operations = [("GET", get), ("PUT", put), ("POST", post), ("PATCH", patch), ("DELETE", delete)];
            for (method, operation) in operations {
                let Some(operation) = operation else { continue };
                let summary = escape(operation.summary.as_deref().unwrap_or_default());
                let _ = writeln!(page, "<li>{summary}: <code>{method} {}</code></li>", escape(path));
            }
        }
        page.push_str("</ul>\n");
    }
    page + "</main>\n</body>\n</html>\n"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
