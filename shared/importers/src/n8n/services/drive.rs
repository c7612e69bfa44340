//! Google Drive. Files are uploaded and downloaded as the binary data of items.

use serde_json::{Map, Value, json};

use super::call::Call;
use super::poll::Poll;
use super::source::{Arg, Source, id_in_url, located};
use crate::lenient::{is_empty, list, scalar_text, text};
use crate::n8n::http_config::{self, FILE_LIMIT};
use crate::script::quote;
use crate::translation::Translation;

const UPLOAD: &str = "https://www.googleapis.com/upload/drive/v3/files";

pub fn translate(source: &Source) -> Option<Translation> {
    let is_old = source.version < 3.0;
    match (source.resource("file"), source.operation("")) {
        ("file", "" | "upload") => upload(source),
        ("file", "update") => update(source),
        ("file", "createFromText") => create_from_text(source),
        ("file", "download") => download(source),
        ("file", "copy") => copy(source),
        ("file", "move") => relocate(source),
        ("file", "deleteFile") | ("folder", "deleteFolder") => delete(source),
        ("file" | "folder", "delete") if is_old || source.find("options.deletePermanently").is_none() => delete(source),
        ("file" | "folder", "share") => share(source),
        ("folder", "" | "create") => create_folder(source),
        ("fileFolder", "" | "search") => search(source),
        ("file" | "folder", "list" | "search") => search(source),
        ("file", "get") => {
            let mut call = Call::new("google-drive/get-file")?;
            call.set(source, "fileId", id(source, "fileId"));
            call.set(source, "fields", Arg::text("*"));
            call.node("output.body")
        }
        _ => None,
    }
}

/// The id of a file or folder. A locator may have its URL.
fn id(source: &Source, path: &str) -> Arg {
    let raw = source.raw(path);
    let value = located(raw);
    let written = scalar_text(value);
    match text(&raw["mode"]) {
        _ if !written.starts_with('=') => Arg::text(id_in_url(&written)),
        "id" => Arg::Parameter(value.clone()),
        _ => Arg::Script(format!("n8n.idInUrl({})", (source.js)(value))),
    }
}

/// The id of the file or folder that is deleted or shared.
fn file_or_folder(source: &Source) -> Option<Arg> {
    let path = ["fileId", "folderNoRootId", "folderId"].into_iter().find(|path| source.find(path).is_some())?;
    Some(id(source, path))
}

/// The folder that a file goes to; none for the root.
fn folder(source: &Source) -> Option<Arg> {
    let parents = list(source.get("parents"));
    if let Some(parent) = parents.first() {
        return Some(Arg::Parameter(parent.clone())).filter(|_| !is_empty(parent));
    }
    let path = ["folderId", "parents"].into_iter().find(|path| source.find(path).is_some())?;
    match source.text(path) {
        "root" => drive(source),
        _ => Some(id(source, path)),
    }
}

/// The shared drive, if it is not the user's own.
fn drive(source: &Source) -> Option<Arg> {
    source.find("driveId").filter(|drive| *drive != "My Drive").map(|_| id(source, "driveId"))
}

/// The properties of a new file.
fn metadata(source: &Source, name: Option<Arg>) -> Vec<(String, Arg)> {
    let mut fields: Vec<(String, Arg)> = name.map(|name| ("name".to_owned(), name)).into_iter().collect();
    fields.extend(folder(source).map(|folder| ("parents".to_owned(), Arg::List(vec![folder]))));
    for (path, name) in [
        ("options.keepRevisionForever", "keepRevisionForever"),
        ("options.copyRequiresWriterPermission", "copyRequiresWriterPermission"),
        ("options.description", "description"),
    ] {
        fields.extend(source.find(path).map(|value| (name.to_owned(), Arg::Parameter(value.clone()))));
    }
    fields
}

/// The configuration of a request that sends a file with its properties.
fn related(source: &Source, url: Value, method: &str, metadata: Vec<(String, Arg)>, file: &str) -> Value {
    let metadata = Arg::Object(metadata).script(source.js);
    json!({
        "method": method, "url": url,
        "query": {"uploadType": "multipart", "supportsAllDrives": "true", "fields": "*"},
        "headers": {"content-type": "multipart/related; boundary=atelier-part"},
        "body": {"type": "text", "text": {"js": format!("n8n.related({metadata}, {file}, \"atelier-part\")")}},
        "failOnStatus": true, "itemMode": {"result": {"js": "output.body"}},
    })
}

/// The file of the item.
fn binary(source: &Source) -> String {
    let name = source.find_any(&["inputDataFieldName", "binaryPropertyName"]);
    format!("$binary[{}]", name.map_or_else(|| quote("data"), |name| (source.js)(name)))
}

fn upload(source: &Source) -> Option<Translation> {
    let is_text = source.version < 3.0 && !source.is_true("binaryData");
    let file = match is_text {
        true => format!("n8n.textFile({})", source.js_or("fileContent", "\"\"")),
        false => binary(source),
    };
    let name = match source.find("name") {
        Some(name) => Arg::Parameter(name.clone()),
        None => Arg::Script(format!("{file}?.name")),
    };
    let config = related(source, UPLOAD.into(), "POST", metadata(source, Some(name)), &file);
    Some(google(Translation::new("http", config)).with_notes([FILE_LIMIT]))
}

fn google(translation: Translation) -> Translation {
    translation.with_reconnects(["a credential for Google Drive"])
}

fn update(source: &Source) -> Option<Translation> {
    let name = source.find_any(&["newUpdatedFileName", "name"]).map(|name| Arg::Parameter(name.clone()));
    if source.is_true("changeFileContent") {
        let id = id(source, "fileId").script(source.js);
        let url = json!({"js": format!("`{UPLOAD}/${{encodeURIComponent({id})}}`")});
        let fields = name.map(|name| ("name".to_owned(), name)).into_iter().collect();
        let config = related(source, url, "PATCH", fields, &binary(source));
        return Some(google(Translation::new("http", config)).with_notes([FILE_LIMIT]));
    }
    if source.is_true("options.trashed") {
        let mut call = Call::new("google-drive/trash-file")?;
        call.set(source, "fileId", id(source, "fileId"));
        return call.node("output.body");
    }
    let mut call = Call::new("google-drive/rename-file")?;
    call.set(source, "fileId", id(source, "fileId"));
    if let Some(name) = name {
        call.set(source, "name", name);
    }
    call.node("output.body")
}

fn create_from_text(source: &Source) -> Option<Translation> {
    let name = source.argument_or("name", "Untitled");
    let mut fields = metadata(source, Some(name));
    if source.is_true("options.convertToGoogleDocument") {
        fields.push(("mimeType".to_owned(), Arg::text("application/vnd.google-apps.document")));
    }
    let file = format!("n8n.textFile({})", source.js_or("content", "\"\""));
    let mut config = related(source, UPLOAD.into(), "POST", fields, &file);
    config["itemMode"]["result"]["js"] = "({ id: output.body.id })".into();
    Some(google(Translation::new("http", config)))
}

/// Documents of Google are exported, so a first node reads the type of the file.
fn download(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-drive/get-file")?;
    call.set(source, "fileId", id(source, "fileId"));
    call.set(source, "fields", Arg::text("id,name,mimeType"));
    let mut options = Map::new();
    for (path, name) in
        [("options.binaryPropertyName", "property"), ("binaryPropertyName", "property"), ("options.fileName", "name")]
    {
        if let Some(value) = source.find(path) {
            options.entry(name).or_insert_with(|| value.clone());
        }
    }
    let conversion = source.get("options.googleFileConversion.conversion");
    if conversion.as_object().is_some_and(|formats| !formats.is_empty()) {
        options.insert("formats".to_owned(), conversion.clone());
    }
    let options = match options.is_empty() {
        true => String::new(),
        false => format!(", {}", (source.js)(&options.into())),
    };
    let translation = call.node(&format!("n8n.driveFile(output.body{options})"))?;
    let config = http_config::call("GET", json!({"js": "$json.url"}), None, "n8n.driveContent(output)");
    Some(translation.before("file", "http", config).with_notes([FILE_LIMIT]))
}

fn copy(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-drive/copy-file")?;
    call.set(source, "fileId", id(source, "fileId"));
    call.set_from(source, "name", "name");
    let folder = if source.version >= 3.0 && *source.get("sameFolder") != false { None } else { folder(source) };
    if let Some(folder) = folder {
        call.set(source, "parents", Arg::List(vec![folder]));
    }
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    call.node("output.body")
}

/// The parents that a file has are read first.
fn relocate(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-drive/get-file")?;
    call.set(source, "fileId", id(source, "fileId"));
    call.set(source, "fields", Arg::text("id,parents"));
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    let folder = folder(source).unwrap_or_else(|| Arg::text("root")).script(source.js);
    let translation = call.node(&format!("({{ ...output.body, folder: {folder} }})"))?;
    let mut call = Call::new("google-drive/move-file")?;
    call.set(source, "fileId", Arg::Script("$json.id".to_owned()));
    call.set(source, "addParents", Arg::Script("$json.folder".to_owned()));
    call.set(source, "removeParents", Arg::Script("$json.parents?.join(',')".to_owned()));
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    Some(translation.before("parents", "http", call.config("output.body")?.into()))
}

fn delete(source: &Source) -> Option<Translation> {
    let target = file_or_folder(source)?;
    let is_final = source.version < 3.0 || source.is_true("options.deletePermanently");
    let mut call = Call::new(if is_final { "google-drive/delete-file" } else { "google-drive/trash-file" })?;
    call.set(source, "fileId", target.clone());
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    let id = if source.resource("file") == "folder" { "fileId" } else { "id" };
    match source.version < 3.0 {
        true => call.node("({ success: true })"),
        false => call.node(&format!("({{ {id}: {}, success: true }})", target.script(source.js))),
    }
}

fn share(source: &Source) -> Option<Translation> {
    let target = file_or_folder(source)?;
    let permissions = source.get("permissionsUi.permissionsValues");
    let permission = list(permissions).first().unwrap_or(permissions);
    let mut call = Call::new("google-drive/share-file")?;
    call.set(source, "fileId", target);
    for name in ["role", "type", "emailAddress", "domain"] {
        if !is_empty(&permission[name]) {
            call.set(source, name, Arg::Parameter(permission[name].clone()));
        }
    }
    for (name, default) in [("role", "reader"), ("type", "anyone")] {
        if is_empty(&permission[name]) {
            call.set(source, name, Arg::text(default));
        }
    }
    if *source.get("options.sendNotificationEmail") == false {
        call.set(source, "sendNotificationEmail", Arg::Parameter(false.into()));
    }
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    call.node("output.body")
}

fn create_folder(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-drive/create-folder")?;
    call.set(source, "name", source.argument_or("name", "Untitled"));
    if let Some(folder) = folder(source) {
        call.set(source, "parents", Arg::List(vec![folder]));
    }
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    call.node("output.body")
}

fn search(source: &Source) -> Option<Translation> {
    let mut call = Call::new("google-drive/search-files")?;
    let is_query = source.text("searchMethod") == "query" || source.is_true("options.useQueryString");
    let written = source.find_any(&["queryString", "options.queryString"]);
    let mut query = Vec::new();
    if let Some(text) = written {
        query.push((if is_query { "query" } else { "name" }.to_owned(), Arg::Parameter(text.clone())));
    }
    let is_root = source.find("filter.folderId").is_some_and(|folder| folder == "root");
    if source.find("filter.folderId").is_some() && !(is_root && source.version >= 3.0) {
        query.push(("folder".to_owned(), id(source, "filter.folderId")));
    }
    let what = source.find_any(&["filter.whatToSearch"]);
    if let Some(what) = what.filter(|what| *what != "all") {
        query.push(("what".to_owned(), Arg::Parameter(what.clone())));
    }
    let types = source.get("filter.fileTypes");
    if list(types).iter().any(|kind| kind != "*") {
        query.push(("types".to_owned(), Arg::Parameter(types.clone())));
    }
    let has_filter = source.get("filter").as_object().is_some_and(|filter| !filter.is_empty());
    if source.version >= 3.0 {
        let leaves_out = has_filter && !source.is_true("filter.includeTrashed");
        query.push((
            "trashed".to_owned(),
            if leaves_out { Arg::Parameter(false.into()) } else { Arg::Script("null".to_owned()) },
        ));
    } else {
        query.push(("includesTrash".to_owned(), Arg::Parameter(true.into())));
    }
    match &query[..] {
        [(name, argument), ..] if name == "query" && query.len() <= 2 && is_query && source.version < 3.0 => {
            call.set(source, "q", argument.clone());
        }
        _ => {
            let query = Arg::Object(query).script(source.js);
            call.set(source, "q", Arg::Script(format!("n8n.driveQuery({query})")));
        }
    }
    let fields =
        [source.get("options.fields"), source.get("fields")].into_iter().find(|fields| !list(fields).is_empty());
    let fields: Vec<String> = fields.map(|fields| list(fields).iter().map(scalar_text).collect()).unwrap_or_default();
    let fields = match fields.len() {
        0 => "id,name".to_owned(),
        _ if fields.iter().any(|field| field == "*") => "*".to_owned(),
        _ => fields.join(","),
    };
    call.set(source, "fields", Arg::text(format!("nextPageToken,files({fields})")));
    let page = match source.get("limit") {
        _ if source.is_true("returnAll") => Arg::Parameter(1000.into()),
        limit if is_empty(limit) => Arg::Parameter(50.into()),
        limit => Arg::Parameter(limit.clone()),
    };
    call.set(source, "pageSize", page);
    let drive = source.find("filter.driveId");
    let is_own = drive.map_or(is_root, |drive| drive == "My Drive");
    call.set(source, "supportsAllDrives", Arg::Parameter(true.into()));
    call.set(source, "includeItemsFromAllDrives", Arg::Parameter((!is_own).into()));
    if source.version >= 3.0 {
        let corpora = if is_own { "user" } else { drive.map_or("allDrives", |_| "drive") };
        call.set(source, "corpora", Arg::text(corpora));
        if drive.is_some() && !is_own {
            call.set(source, "driveId", id(source, "filter.driveId"));
        }
    }
    let notes =
        source.is_true("returnAll").then_some("only the first 1,000 files are read: a loop reads further pages");
    Some(call.node("output.body.files ?? []")?.with_notes(notes))
}

/// A trigger: a file, or the files or folders in a folder.
pub fn poll(source: &Source) -> Option<Poll> {
    const CHANGED: &str = "[$json.id, $json.modifiedTime]";
    if source.text("triggerOn") == "specificFile" {
        let mut call = Call::new("google-drive/get-file")?;
        call.set(source, "fileId", id(source, "fileToWatch"));
        call.set(source, "fields", Arg::text("*"));
        return Some(Poll::new(call.node("output.body")?, CHANGED));
    }
    let event = source.text("event");
    let is_created = matches!(event, "" | "fileCreated" | "folderCreated");
    let mut query: Vec<(String, Arg)> = Vec::new();
    query.extend(source.find("folderToWatch").map(|_| ("folder".to_owned(), id(source, "folderToWatch"))));
    match event {
        "folderCreated" | "folderUpdated" => query.push(("what".to_owned(), Arg::text("folders"))),
        "watchFolderUpdated" => {}
        _ => query.push(("what".to_owned(), Arg::text("files"))),
    }
    if let Some(kind) = source.find("options.fileType").filter(|kind| *kind != "all") {
        query.push(("types".to_owned(), Arg::List(vec![Arg::Parameter(kind.clone())])));
    }
    let mut call = Call::new("google-drive/search-files")?;
    call.set(source, "q", Arg::Script(format!("n8n.driveQuery({})", Arg::Object(query).script(source.js))));
    call.set(source, "orderBy", Arg::text(if is_created { "createdTime desc" } else { "modifiedTime desc" }));
    call.set(source, "fields", Arg::text("files(*)"));
    call.set(source, "pageSize", Arg::Parameter(50.into()));
    Some(Poll::new(call.node("output.body.files ?? []")?, if is_created { "$json.id" } else { CHANGED }))
}
