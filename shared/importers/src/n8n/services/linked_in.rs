//! Posts of `LinkedIn`. An image is uploaded first.

use serde_json::{Value, json};

use super::source::{Arg, Source};
use crate::n8n::http_config::{self, FILE_LIMIT, json_body};
use crate::translation::Translation;

const API: &str = "https://api.linkedin.com/rest";
/// The result of a step whose item the next step needs.
const PASS: &str = "({ json: $json, binary: $binary })";

pub fn translate(source: &Source) -> Option<Translation> {
    if !matches!((source.resource("post"), source.operation("create")), ("post", "create")) {
        return None;
    }
    let author = match source.text("postAs") {
        "organization" => format!("`urn:li:organization:${{{}}}`", source.js_or("organization", "\"\"")),
        _ => format!("`urn:li:person:${{{}}}`", source.js_or("person", "\"\"")),
    };
    let fields = |content: Option<Arg>| {
        let distribution = json!({"feedDistribution": "MAIN_FEED", "thirdPartyDistributionChannels": []});
        let visibility = source.js_or("additionalFields.visibility", "\"PUBLIC\"");
        let mut fields = vec![
            ("author".to_owned(), Arg::Script(author.clone())),
            ("lifecycleState".to_owned(), Arg::text("PUBLISHED")),
            ("distribution".to_owned(), Arg::Parameter(distribution)),
            ("visibility".to_owned(), Arg::Script(format!("String({visibility}).toUpperCase()"))),
            ("commentary".to_owned(), Arg::Script(format!("n8n.linkedInText({})", source.js_or("text", "\"\"")))),
        ];
        fields.extend(content.map(|content| ("content".to_owned(), content)));
        Arg::Object(fields).script(source.js)
    };
    let more = |name: &str, path: &str| Some((name.to_owned(), Arg::Parameter(source.find(path)?.clone())));
    let translation = match source.text("shareMediaCategory") {
        "ARTICLE" => {
            let article = [
                more("source", "additionalFields.originalUrl"),
                more("title", "additionalFields.title"),
                more("description", "additionalFields.description"),
            ];
            let article = Arg::Object(article.into_iter().flatten().collect());
            post(&fields(Some(Arg::Object(vec![("article".to_owned(), article)]))))
        }
        "IMAGE" => {
            let title = more("title", "additionalFields.title");
            let media = Arg::Object(title.into_iter().collect());
            image(source, &author, &fields(Some(Arg::Object(vec![("media".to_owned(), media)]))))
        }
        _ => post(&fields(None)),
    };
    Some(translation.with_reconnects(["a credential for LinkedIn"]))
}

fn call(method: &str, url: &str, body: &str, result: &str) -> Value {
    let mut config = http_config::call(method, format!("{API}/{url}"), Some(json_body(body)), result);
    config["headers"] = json!({"linkedin-version": "202504", "x-restli-protocol-version": "2.0.0"});
    config
}

fn post_config(body: &str) -> Value {
    call("POST", "posts", body, "({ urn: output.headers['x-restli-id'] })")
}

fn post(body: &str) -> Translation {
    Translation::new("http", post_config(body))
}

/// `LinkedIn` gives the address to which the image goes. The post is written first, because it reads the item of the node.
fn image(source: &Source, author: &str, post: &str) -> Translation {
    let place = format!("n8n.linkedInImage(output.body, {post}, {})", source.js_or("binaryPropertyName", "\"data\""));
    let asked = format!("{{ initializeUploadRequest: {{ owner: {author} }} }}");
    let place = call("POST", "images?action=initializeUpload", &asked, &place);
    let file = json!({"type": "file", "file": {"js": "$binary.image"}});
    let upload = http_config::call("PUT", json!({"js": "$json.url"}), Some(file), PASS);
    let mut translation = Translation::new("http", place).then("upload", "http", upload);
    translation.steps[0].suffix = "place";
    translation.then("", "http", post_config("$json.post")).with_notes([FILE_LIMIT])
}
