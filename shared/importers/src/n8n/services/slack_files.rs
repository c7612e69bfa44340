//! Files of Slack.

use serde_json::json;

use super::call::FIRST_PAGE;
use super::source::{Arg, Source};
use crate::n8n::http_config::{FILE_LIMIT, call, json_body};
use crate::translation::Translation;

const API: &str = "https://slack.com/api";

pub fn translate(source: &Source, operation: &str) -> Option<Translation> {
    let translation = match operation {
        "" | "upload" => upload(source),
        "get" => read(source, "files.info", &[("file", "fileId")], "n8n.slackAnswer(output.body).file"),
        "getAll" => {
            let names = [("channel", "filters.channelId"), ("user", "filters.userId"), ("types", "filters.types")];
            read(source, "files.list", &names, "n8n.slackAnswer(output.body).files")
                .with_notes(source.is_true("returnAll").then_some(FIRST_PAGE))
        }
        _ => return None,
    };
    Some(translation.with_reconnects(["a credential for Slack"]))
}

fn read(source: &Source, method: &str, names: &[(&str, &str)], result: &str) -> Translation {
    let pairs =
        names.iter().filter_map(|(name, path)| Some(((*name).to_owned(), Arg::Parameter(source.find(path)?.clone()))));
    let mut pairs: Vec<_> = pairs.collect();
    if method == "files.list" && !source.is_true("returnAll") {
        let limit = source.find("limit").cloned().unwrap_or_else(|| 50.into());
        pairs.push(("count".to_owned(), Arg::Parameter(limit)));
    }
    let query = Arg::Object(pairs).script(source.js);
    let url = json!({"js": format!("n8n.withQuery(\"{API}/{method}\", {query})")});
    Translation::new("http", call("GET", url, None, result))
}

/// Slack gives the address to which the file goes, and shares it when it is complete.
fn upload(source: &Source) -> Translation {
    let file = match source.version < 2.0 && !source.is_true("binaryData") {
        true => format!("n8n.textFile({})", source.js_or("fileContent", "\"\"")),
        false => format!("n8n.filesNamed({})[0]", source.js_or("binaryPropertyName", "\"data\"")),
    };
    let file = format!(
        "{{ ...{file}, ...{{ name: {} }} }}",
        source.js_or("options.fileName", &format!("{file}.name ?? \"file\""))
    );
    let channel = source.find_any(&["options.channelId", "options.channelIds"]);
    let channel = channel.map(|channel| Arg::Script(format!("[].concat({})[0]", (source.js)(channel))));
    let option = |name: &str, path: &str| Some((name.to_owned(), Arg::Parameter(source.find(path)?.clone())));
    let options = [
        channel.map(|channel| ("channel_id".to_owned(), channel)),
        option("initial_comment", "options.initialComment"),
        option("thread_ts", "options.threadTs"),
    ];
    let options = Arg::Object(options.into_iter().flatten().collect()).script(source.js);
    let title = source.js_or("options.title", &source.js_or("options.fileName", "undefined"));
    let asked = json!({"js": format!("n8n.slackUploadUrl({file})")});
    let place = format!("n8n.slackUpload(output.body, {file}, {options}, {title})");
    let sent = json!({"type": "file", "file": {"js": "$binary.file"}});
    let sent = call("POST", json!({"js": "$json.url"}), Some(sent), "({ json: $json })");
    let shared = json_body("$json.complete");
    let result = "n8n.slackAnswer(output.body).files";
    let shared = call("POST", format!("{API}/files.completeUploadExternal"), Some(shared), result);
    let mut translation = Translation::new("http", call("GET", asked, None, &place)).then("upload", "http", sent);
    translation.steps[0].suffix = "place";
    translation.then("", "http", shared).with_notes([FILE_LIMIT])
}
