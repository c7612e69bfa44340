//! The files of the console: what is served, and that `dist` was built from `web`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use reqwest::Method;
use ring::digest::{Context, SHA256};
use tests::TestApp;
use tests::binaries::folder;
use tests::client::send;

const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
    font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/// The files of a folder, by their paths in it. What is installed and generated is left out.
fn files(root: &Path, place: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(root.join(place)).unwrap().map(|entry| entry.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        let path = if place.is_empty() { name } else { format!("{place}/{name}") };
        match entry.file_type().unwrap().is_dir() {
            true if path == "node_modules" || path == "src/api/generated" => {}
            true => files(root, &path, found),
            // A link to the packages of another folder.
            false if path == "node_modules" => {}
            false => drop(found.insert(path, fs::read(entry.path()).unwrap())),
        }
    }
}

fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    files(folder, "", &mut found);
    found
}

/// It needs no Node: `dist/SOURCE` has the hash of the sources from which the files were built. CI builds them again.
#[test]
fn the_built_files_are_those_of_the_sources() {
    let console = folder("functions/console");
    let mut hash = Context::new(&SHA256);
    for (path, content) in files_of(&console.join("web")) {
        hash.update(path.as_bytes());
        hash.update(b"\0");
        hash.update(content.len().to_string().as_bytes());
        hash.update(b"\0");
        hash.update(&content);
    }
    let hash: String = hash.finish().as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let built = fs::read_to_string(console.join("dist/SOURCE")).unwrap();
    assert_eq!(built.trim(), hash, "`dist` is outdated: run `npm ci && npm run build` in functions/console/web");
}

#[tokio::test]
async fn every_file_is_served_with_the_policy_of_the_page() {
    let app = TestApp::start().await;
    let nobody = app.anonymous();
    let page = nobody.get("/console").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    assert_eq!(page.header("content-security-policy"), Some(POLICY));
    assert!(!page.text.contains("<style") && !page.text.contains("style="), "the policy would refuse inline styles");
    let mut built = files_of(&folder("functions/console/dist"));
    built.remove("SOURCE").unwrap();
    assert!(built.len() <= 12, "{:?}", built.keys());
    for (name, content) in built {
        let path = if name == "index.html" { "/console".to_owned() } else { format!("/console/{name}") };
        let answer = nobody.get(&path).await;
        assert_eq!((answer.status.as_str(), answer.text.as_bytes()), ("200 OK", &content[..]), "{name}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        // A browser asks again each time, and gets what it has only if it has changed.
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        let tag = answer.header("etag").unwrap();
        for known in [tag.to_owned(), format!("\"other\", W/{tag}")] {
            let again = send(nobody.request(Method::GET, &path).header("if-none-match", known)).await;
            assert_eq!((again.status.as_str(), again.text.as_str()), ("304 Not Modified", ""), "{name}");
        }
        let changed = send(nobody.request(Method::GET, &path).header("if-none-match", "\"other\"")).await;
        assert_eq!(changed.status, "200 OK", "{name}");
    }
}

#[tokio::test]
async fn unknown_files_are_not_found_and_the_folder_leads_to_the_page() {
    let app = TestApp::start().await;
    let nobody = app.anonymous();
    for path in ["/console/none.js", "/console/SOURCE", "/console/..%2fhandlers.rs"] {
        let missing = nobody.get(path).await;
        assert_eq!((missing.status.as_str(), missing.code()), ("404 Not Found", "not_found"), "{path}");
    }
    let folder = nobody.get("/console/").await;
    assert_eq!((folder.status.as_str(), folder.header("location")), ("307 Temporary Redirect", Some("../console")));
}

#[tokio::test]
async fn a_failed_sign_in_is_explained_in_the_language_of_the_browser() {
    let app = TestApp::start().await;
    for (accepted, language, title) in
        [("en", "en", "You are not signed in"), ("es-ES,es;q=0.9,en;q=0.8", "es", "No ha iniciado sesión")]
    {
        let request = app.anonymous().request(Method::GET, "/console/callback").header("accept-language", accepted);
        let page = send(request).await;
        assert_eq!((page.status.as_str(), page.header("content-language")), ("400 Bad Request", Some(language)));
        let (lang, title) = (format!("<html lang=\"{language}\">"), format!("<h1>{title}</h1>"));
        assert!(page.text.contains(&lang) && page.text.contains(&title), "{}", page.text);
    }
}
