//! The page of a lab whose program is not installed: its resources, its members, and a scratch area of text files.

use std::fs;
use std::io;
use std::path::Path;

use axum::body::to_bytes;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use domain::workbench::Workbench;
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION, X_CONTENT_TYPE_OPTIONS};
use http::request::Parts;
use http::{Method, StatusCode};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use super::files::LabFolder;
use super::pages::{details, escape, field, message_page, page};
use super::program::describe_missing;

const MAX_FILE_BYTES: usize = 1 << 20;
const MAX_FILES: usize = 200;
const MAX_NAME_CHARS: usize = 100;

pub async fn serve(folder: LabFolder, workbench: Workbench, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // Each byte of a file may take three in the form.
    let Ok(form) = to_bytes(body, 3 * MAX_FILE_BYTES).await else { return too_large() };
    let respond = move || respond(&folder, &workbench, &parts, &form);
    match spawn_blocking(respond).await {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(?error, "a request to a scratch area failed");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}

fn respond(folder: &LabFolder, workbench: &Workbench, request: &Parts, form: &[u8]) -> Response {
    let query = request.uri.query().unwrap_or_default().as_bytes();
    match (&request.method, request.uri.path()) {
        (&Method::GET, "/") => overview(folder, workbench, field(query, "file").as_deref()),
        (&Method::GET, "/file") => download(folder, &field(query, "name").unwrap_or_default()),
        (&Method::POST, path @ ("/save" | "/delete")) => {
            let name = field(form, "name").unwrap_or_default();
            if !is_file_name(&name) {
                let message = format!(
                    "A name has 1 to {MAX_NAME_CHARS} letters, digits, spaces, dots, hyphens and underscores, and does not \
                     begin with a dot."
                );
                return message_page(StatusCode::BAD_REQUEST, "Invalid file name", &message);
            }
            if path == "/delete" {
                return redirect_after(fs::remove_file(folder.home.join(name)));
            }
            save(folder, workbench, &name, &field(form, "content").unwrap_or_default())
        }
        _ => message_page(StatusCode::NOT_FOUND, "No such page", "The scratch area has only one page: /"),
    }
}

fn overview(folder: &LabFolder, workbench: &Workbench, open: Option<&str>) -> Response {
    let rows: String = files(&folder.home)
        .iter()
        .map(|(name, bytes)| {
            let query = form_urlencoded::Serializer::new(String::new()).append_pair("file", name).finish();
            let name = escape(name);
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
    let content = open.and_then(|name| String::from_utf8(read(&folder.home.join(name))?).ok());
    // Saving another file in the editor would destroy it.
    let note = match (open, &content) {
        (Some(name), None) => format!(
            "<p class=\"problem\">{} is not a text of at most {MAX_FILE_BYTES} bytes, so it cannot be edited here.</p>",
            escape(name)
        ),
        _ => String::new(),
    };
    let open = open.filter(|_| content.is_some());
    let files =
        if rows.is_empty() { "<p>There are no files yet.</p>".to_owned() } else { format!("<table>{rows}</table>") };
    let body = format!(
        "<p class=\"note\">This is a scratch area: {}.</p>{}\
         <h2>Files</h2>{files}{note}\
         <form method=\"post\" action=\"/save\"><label for=\"name\">Name</label>\
         <input id=\"name\" name=\"name\" value=\"{}\" maxlength=\"{MAX_NAME_CHARS}\" required>\
         <label for=\"content\">Content</label><textarea id=\"content\" name=\"content\">\n{}</textarea>\
         <p><button>Save</button></p></form>",
        escape(&describe_missing(&workbench.image)),
        details(workbench, folder.storage_bytes()),
        escape(open.unwrap_or_default()),
        escape(&content.unwrap_or_default()),
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
    let mut files: Vec<_> = named.collect();
    files.sort();
    files.truncate(MAX_FILES);
    files
}

fn save(folder: &LabFolder, workbench: &Workbench, name: &str, content: &str) -> Response {
    // Forms have the line ends of the web.
    let content = content.replace("\r\n", "\n");
    let file = folder.home.join(name);
    let replaced = fs::symlink_metadata(&file).ok();
    let replaced_bytes = replaced.as_ref().map_or(0, |metadata| metadata.len());
    let storage = folder.storage_bytes().saturating_sub(replaced_bytes).saturating_add(content.len() as u64);
    let is_one_more = replaced.is_none() && files(&folder.home).len() >= MAX_FILES;
    if content.len() > MAX_FILE_BYTES || storage > workbench.spec.resources.storage || is_one_more {
        return too_large();
    }
    // The file is replaced as a whole, and a link is replaced and not followed. No file of a user has such a name.
    let new = folder.home.join(format!(".atelier-{}", Uuid::now_v7()));
    redirect_after(fs::write(&new, content).and_then(|()| fs::rename(&new, file)))
}

fn too_large() -> Response {
    let message = format!(
        "The scratch area takes {MAX_FILES} files of {MAX_FILE_BYTES} bytes, within the storage of the workbench."
    );
    message_page(StatusCode::PAYLOAD_TOO_LARGE, "The file was not saved", &message)
}

/// Redirects to the page after a change.
fn redirect_after(changed: io::Result<()>) -> Response {
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
    fn file_names_cannot_leave_the_folder() {
        for name in ["notes.txt", "Überblick 2026.md", "a"] {
            assert!(is_file_name(name), "{name}");
        }
        for name in ["", ".", "..", ".hidden", "a/b", "a\\b", "a\0", "a\"b", "a\nb", &"a".repeat(101)] {
            assert!(!is_file_name(name), "{name}");
        }
    }
}
