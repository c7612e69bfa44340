//! The page of a lab whose program is not installed: its resources, its members, and a scratch area of text files.

use std::fs;
use std::io;
use std::path::Path;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::workbench::Workbench;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, X_CONTENT_TYPE_OPTIONS};
use http::{Method, StatusCode};

use super::files::LabFolder;
use super::pages::{details, escape, field, message_page, page};

const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_FILES: usize = 200;
const MAX_NAME_CHARS: usize = 100;

pub async fn serve(folder: &LabFolder, workbench: &Workbench, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let query = parts.uri.query().unwrap_or_default().as_bytes();
    match (parts.method, parts.uri.path()) {
        (Method::GET, "/") => {
            let storage = folder.measure().await.unwrap_or_default();
            overview(folder, workbench, storage, field(query, "file").as_deref())
        }
        (Method::GET, "/file") => download(folder, &field(query, "name").unwrap_or_default()),
        (Method::POST, path @ ("/save" | "/delete")) => {
            // Each byte of a file may take three in the form.
            let Ok(form) = to_bytes(body, 3 * MAX_FILE_BYTES).await else { return too_large() };
            let name = field(&form, "name").unwrap_or_default();
            if !is_file_name(&name) {
                let message = format!(
                    "A name has 1 to {MAX_NAME_CHARS} letters, digits, spaces, dots, hyphens and underscores, and does not \
                     begin with a dot."
                );
                return message_page(StatusCode::BAD_REQUEST, "This is no name of a file", &message);
            }
            if path == "/delete" {
                return done(fs::remove_file(folder.home.join(name)));
            }
            let content = field(&form, "content").unwrap_or_default();
            save(folder, workbench, &name, &content).await
        }
        _ => message_page(StatusCode::NOT_FOUND, "No such page", "The scratch area has only one page: /"),
    }
}

fn overview(folder: &LabFolder, workbench: &Workbench, storage: u64, open: Option<&str>) -> Response {
    let rows: String = files(&folder.home)
        .iter()
        .map(|(name, bytes)| {
            let name = escape(name);
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("file", &name).finish();
            format!(
                "<tr><td><a href=\"/?{query}\">{name}</a></td><td>{bytes} bytes</td>\
                 <td><a href=\"/file?{}\">Download</a></td>\
                 <td><form method=\"post\" action=\"/delete\"><input type=\"hidden\" name=\"name\" value=\"{name}\">\
                 <button class=\"quiet\">Delete</button></form></td></tr>",
                query.replacen("file=", "name=", 1)
            )
        })
        .collect();
    let open = open.filter(|name| is_file_name(name));
    let content = open.and_then(|name| read(&folder.home.join(name))).unwrap_or_default();
    let content = String::from_utf8_lossy(&content);
    let files =
        if rows.is_empty() { "<p>There are no files yet.</p>".to_owned() } else { format!("<table>{rows}</table>") };
    let body = format!(
        "<p class=\"note\">The program of the image <b>{}</b> is not installed on this machine, so the workbench has a scratch \
         area instead. Install the program, then stop and start the workbench.</p>{}\
         <h2>Files</h2>{files}\
         <form method=\"post\" action=\"/save\"><label for=\"name\">Name</label>\
         <input id=\"name\" name=\"name\" value=\"{}\" maxlength=\"{MAX_NAME_CHARS}\" required>\
         <label for=\"content\">Content</label><textarea id=\"content\" name=\"content\">\n{}</textarea>\
         <p><button>Save</button></p></form>",
        escape(&workbench.image.name),
        details(workbench, storage),
        escape(open.unwrap_or_default()),
        escape(&content),
    );
    page(StatusCode::OK, &workbench.name, &body)
}

/// The names and sizes of the files, sorted by name.
fn files(home: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(home).into_iter().flatten().flatten();
    let named = entries.filter_map(|entry| {
        let metadata = entry.metadata().ok().filter(|metadata| metadata.is_file())?;
        Some((entry.file_name().into_string().ok().filter(|name| is_file_name(name))?, metadata.len()))
    });
    let mut files: Vec<_> = named.take(MAX_FILES).collect();
    files.sort();
    files
}

async fn save(folder: &LabFolder, workbench: &Workbench, name: &str, content: &str) -> Response {
    let file = folder.home.join(name);
    let storage = folder.measure().await.unwrap_or_default();
    let is_over = storage.saturating_add(content.len() as u64) > workbench.spec.resources.storage;
    let is_one_more = !file.exists() && files(&folder.home).len() >= MAX_FILES;
    if content.len() > MAX_FILE_BYTES || is_over || is_one_more {
        return too_large();
    }
    done(fs::write(file, content))
}

fn too_large() -> Response {
    let message = format!(
        "The scratch area takes {MAX_FILES} files of {MAX_FILE_BYTES} bytes, within the storage of the workbench."
    );
    message_page(StatusCode::PAYLOAD_TOO_LARGE, "The file was not saved", &message)
}

/// Back to the page after a change.
fn done(changed: io::Result<()>) -> Response {
    match changed {
        Ok(()) => (StatusCode::SEE_OTHER, [(LOCATION, "/")]).into_response(),
        Err(error) => {
            tracing::warn!(?error, "a file of a scratch area could not be changed");
            message_page(StatusCode::CONFLICT, "The file was not changed", "Load the page again to see the files.")
        }
    }
}

fn download(folder: &LabFolder, name: &str) -> Response {
    let content = Some(name).filter(|name| is_file_name(name)).and_then(|name| read(&folder.home.join(name)));
    match content {
        Some(content) => {
            let headers = [
                (CONTENT_TYPE, "application/octet-stream".to_owned()),
                (X_CONTENT_TYPE_OPTIONS, "nosniff".to_owned()),
                (CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
            ];
            (headers, content).into_response()
        }
        None => message_page(StatusCode::NOT_FOUND, "No such file", "It may have been deleted."),
    }
}

/// Reads a file of the scratch area. Links and larger files are not read.
fn read(file: &Path) -> Option<Vec<u8>> {
    let metadata = fs::symlink_metadata(file).ok()?;
    (metadata.is_file() && metadata.len() <= MAX_FILE_BYTES as u64).then(|| fs::read(file).ok())?
}

fn is_file_name(name: &str) -> bool {
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '_');
    (1..=MAX_NAME_CHARS).contains(&name.chars().count()) && !name.starts_with('.') && name.chars().all(is_allowed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_lead_nowhere_else() {
        for name in ["notes.txt", "Überblick 2026.md", "a"] {
            assert!(is_file_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a\0", "a\"b", "a\nb", &"a".repeat(101)] {
            assert!(!is_file_name(name), "{name}");
        }
    }
}
