//! Files of GitHub. A file is changed or deleted by its hash, which a first node reads.

use super::call::Call;
use super::source::{Arg, Source};
use crate::script::quote;
use crate::translation::Translation;

pub fn translate(source: &Source) -> Option<Translation> {
    match (source.resource("issue"), source.operation("")) {
        ("file", "get") => {
            let result = match *source.get("asBinaryProperty") == false {
                true => "output.body".to_owned(),
                false => {
                    format!("n8n.repositoryFile(output.body, {})", source.js_or("binaryPropertyName", &quote("data")))
                }
            };
            let mut call = call(source, "github/get-file")?;
            call.set_from(source, "ref", "additionalParameters.reference");
            call.node(&result)
        }
        ("file", "edit" | "createUpdate") => {
            let fields = ["fileContent", "binaryData", "binaryPropertyName"].map(|path| source.js(path));
            let [text, binary, property] = fields;
            let content = format!("n8n.repositoryContent({{ text: {text}, binary: {binary}, property: {property} }})");
            write(source, "github/save-file", Some(content))
        }
        ("file", "delete") => write(source, "github/delete-file", None),
        _ => None,
    }
}

/// Where the file is.
fn place(source: &Source) -> [(&'static str, Arg); 3] {
    let named = |path: &str, script: &str| {
        let value = source.get(path);
        match value.as_str() {
            Some(text) if !text.starts_with('=') && !text.contains('/') => Arg::text(text),
            _ => Arg::Script(script.replace("{}", &(source.js)(value))),
        }
    };
    let path = source.get("filePath");
    let path = match path.as_str() {
        Some(text) if !text.starts_with('=') => Arg::text(text.trim_start_matches('/')),
        _ => Arg::Script(format!("String({}).replace(/^\\/+/, '')", (source.js)(path))),
    };
    [
        ("owner", named("owner", "n8n.githubName({})")),
        ("repo", named("repository", "n8n.githubName({})")),
        ("path", path),
    ]
}

fn call(source: &Source, name: &str) -> Option<Call> {
    let mut call = Call::new(name)?;
    for (name, value) in place(source) {
        call.set(source, name, value);
    }
    Some(call)
}

fn write(source: &Source, name: &str, content: Option<String>) -> Option<Translation> {
    let branch = source.find("additionalParameters.branch.branch").map(|branch| Arg::Parameter(branch.clone()));
    let mut read = call(source, "github/get-file")?;
    let mut change = Call::new(name)?;
    let mut carried = vec![("sha".to_owned(), Arg::Script("output.body.sha".to_owned()))];
    change.set(source, "sha", Arg::Script("$json.sha".to_owned()));
    if let Some(branch) = &branch {
        read.set(source, "ref", branch.clone());
    }
    let message = Arg::Parameter(source.get("commitMessage").clone());
    let mut fields: Vec<(&str, Arg)> = place(source).into_iter().chain([("message", message)]).collect();
    fields.extend(branch.map(|branch| ("branch", branch)));
    fields.extend(content.map(|content| ("content", Arg::Script(content))));
    // Only the first node has the item of n8n. It computes what depends on the item, and passes it on to the second node.
    for (name, value) in fields {
        if value.value().is_some() {
            change.set(source, name, value);
        } else {
            change.set(source, name, Arg::Script(format!("$json.{name}")));
            carried.push((name.to_owned(), value));
        }
    }
    let carried = Arg::Object(carried).script(source.js);
    let translation = read.node(&format!("({carried})"))?;
    Some(translation.before("file", "http", change.config("output.body")?.into()))
}
