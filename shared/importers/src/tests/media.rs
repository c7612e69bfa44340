//! n8n's nodes with files, and their calls of providers.

use serde_json::{Value, json};

use super::items::{import, note_of, translated};
use super::*;

#[test]
fn files_go_to_models_and_providers() {
    let image = json!({
        "resource": "image", "operation": "analyze", "inputType": "base64", "binaryPropertyName": "photo",
        "modelId": {"__rl": true, "mode": "list", "value": "gpt-4o"}, "text": "What is it?", "options": {"maxTokens": 300},
    });
    assert_eq!(
        translated("@n8n/n8n-nodes-langchain.openAi", 1.8, image.clone()),
        json!({
            "model": "gpt-4o", "prompt": "What is it?", "maxTokens": 300, "files": {"js": "n8n.filesNamed(\"photo\")"},
            "itemMode": {"result": {"js": "({ content: output })"}},
        })
    );
    let mut by_address = image;
    by_address["inputType"] = Value::Null;
    by_address["imageUrls"] = "={{ $json.url }}".into();
    let config = translated("@n8n/n8n-nodes-langchain.openAi", 2.0, by_address);
    assert_eq!(config["files"], json!({"js": "n8n.names($json.url)"}));
    assert_eq!(
        config["itemMode"]["result"]["js"],
        "({ 0: { type: \"message\", role: \"assistant\", content: [{ type: \"output_text\", text: output }] } })"
    );
    let audio = json!({"resource": "audio", "operation": "transcribe", "options": {"language": "en"}});
    let config = translated("@n8n/n8n-nodes-langchain.openAi", 1.8, audio);
    assert_eq!(config["url"], "https://api.openai.com/v1/audio/transcriptions");
    assert_eq!(
        config["body"]["file"]["js"],
        "n8n.multipart([{ name: \"file\", file: n8n.filesNamed(\"data\")[0] }, { name: \"model\", value: \"whisper-1\" }, \
         { name: \"language\", value: \"en\" }])"
    );
    let speech = json!({"resource": "audio", "input": "={{ $json.text }}", "voice": "onyx", "options": {}});
    let config = translated("@n8n/n8n-nodes-langchain.openAi", 1.8, speech);
    assert_eq!(
        config["body"]["value"]["js"],
        "{ model: \"tts-1\", input: $json.text, voice: \"onyx\", response_format: \"mp3\" }"
    );
    let video = json!({
        "resource": "video", "operation": "analyze", "inputType": "binary", "text": "What?",
        "modelId": {"__rl": true, "value": "models/gemini-2.5-flash"}, "options": {},
    });
    let config = translated("@n8n/n8n-nodes-langchain.googleGemini", 1.0, video);
    assert_eq!(
        config["url"],
        "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent"
    );
    assert_eq!(
        config["body"]["value"]["js"],
        "{ contents: [{ role: \"user\", parts: [...n8n.geminiFiles(n8n.filesNamed(\"data\")), { text: \"What?\" }] }] }"
    );
}

#[test]
fn files_on_the_disk_of_the_server() {
    let write = json!({"operation": "write", "fileName": "=/tmp/{{ $json.id }}.pdf", "options": {}});
    let imported = import("readWriteFile", 1.0, write, json!({}));
    assert_eq!(
        config(&imported, "a")["javascript"],
        "return n8n.keptFiles(() => \"data\", () => $text`/tmp/${() => $json.id}.pdf`);"
    );
    assert!(note_of(&imported, "a").contains("there is no disk"));
    let read = import("readWriteFile", 1.0, json!({"fileSelector": "/tmp/a.pdf"}), json!({}));
    assert!(!note_of(&read, "a").contains("there is no disk"));
}

#[test]
fn a_secret_in_the_path_becomes_the_place_of_a_credential() {
    let token = "123456789:AAF-0123456789012345678901234567890";
    let call = json!({"url": format!("https://api.telegram.org/bot{token}/sendMessage")});
    let imported = import("httpRequest", 4.2, call, json!({}));
    assert_eq!(config(&imported, "a")["url"], "https://api.telegram.org/bot{credential}/sendMessage");
    assert!(!format!("{:?}", imported.report).contains(token));
    let call = json!({"url": format!("=https://api.telegram.org/bot{token}/{{{{ $json.method }}}}")});
    let url = &translated("httpRequest", 4.2, call)["url"];
    assert_eq!(url["js"], "$text`https://api.telegram.org/bot{credential}/${() => $json.method}`");
}

#[test]
fn a_computed_authorization_is_no_secret() {
    let headers = |value: &str| {
        let call = json!({
            "url": "https://x.example.com", "sendHeaders": true,
            "headerParameters": {"parameters": [{"name": "Authorization", "value": value}]},
        });
        translated("httpRequest", 4.2, call)["headers"].clone()
    };
    assert_eq!(
        headers("=Bearer {{ $json.access_token }}"),
        json!({"Authorization": {"js": "$text`Bearer ${() => $json.access_token}`"}})
    );
    for secret in
        ["Bearer S3CRET-0123456789", "=Bearer S3CRET{{ 1 }}", "=Bearer {{ $vars.KEY }}", "={{ 'Bearer S3CRET-1' }}"]
    {
        assert_eq!(headers(secret), Value::Null, "{secret}");
    }
}
