//! Tests of secret detection.

use serde_json::json;

use super::*;
use testing::run_with_timeout;

#[test]
fn user_info_and_secret_parameters_are_removed_from_urls() {
    for (address, kept, left) in [
        ("https://x.example.com/a?b=1#c", "https://x.example.com/a?b=1#c", &[][..]),
        ("https://me:pw@x.example.com/a@b", "https://x.example.com/a@b", &["login in the address"]),
        ("https://{{ $json.u / 2 }}:p@w@x/", "https://x/", &["login in the address"]),
        ("={{ 'https://me:pw@x/' + $json.a }}", "={{ 'https://x/' + $json.a }}", &["login in the address"]),
        ("https://x/?api_key=abc&page=2", "https://x/?page=2", &["query parameter api_key"]),
        ("https://x/?page=2&token=a{{ $json.t }}#z", "https://x/?page=2#z", &["query parameter token"]),
        ("https://x/?token={{ $json.t }}&sig=b", "https://x/?token={{ $json.t }}", &["query parameter sig"]),
        ("https://x/?key=a&sig=b", "https://x/", &["query parameter key", "query parameter sig"]),
        (&format!("https://x/?token={}&a=1", "x".repeat(9_000)), "https://x/?a=1", &["query parameter token"]),
        ("https://x/{{ a ?token==1 }}?keyword=a&&", "https://x/{{ a ?token==1 }}?keyword=a&&", &[]),
        ("://{{://@{{&key=", "://{{://{{", &["login in the address", "query parameter key"]),
    ] {
        let (without, found) = remove_url_secrets(address);
        assert_eq!((without.as_str(), &found.iter().map(String::as_str).collect::<Vec<_>>()[..]), (kept, left));
    }
}

#[test]
fn only_literals_are_removed_from_code() {
    for (code, kept) in [
        ("const apiKey = 'S3CRET-1';", "const apiKey = '(left out)';"),
        ("const token = input.token; f({token: token})", "const token = input.token; f({token: token})"),
        ("{password: `hunter2${2}x`, key: 'name', token: ''}", "{password: `(left out)`, key: 'name', token: ''}"),
        ("{key: 'name', secret: 'two words'}", "{key: 'name', secret: 'two words'}"),
        ("h = `Bearer ${token}` + 'Bearer ' + token", "h = `Bearer ${token}` + 'Bearer ' + token"),
        ("h = 'Bearer abc.def'", "h = 'Bearer (left out)'"),
        ("call('sk-proj-0123456789abcdef')", "call('(left out)')"),
        ("call('sk-proj', \"AKIA0123456789ABCDEF\")", "call('sk-proj', \"(left out)\")"),
        ("fetch('postgres://me:pw@db/a')", "fetch('postgres://(left out)@db/a')"),
    ] {
        assert_eq!(redact_code(code), kept);
    }
}

#[test]
fn a_shown_original_has_no_secrets() {
    let original = json!({
        "name": "Get Token", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2,
        "credentials": {"httpHeaderAuth": {"id": "S3CRET", "name": "S3CRET"}},
        "parameters": {
            "url": "https://me:S3CRET@x.example.com/?api_key=S3CRET&page=2",
            "genericAuthType": "httpHeaderAuth",
            "headerParameters": {"parameters": [{"name": "X-Api-Key", "value": "S3CRET"}, {"name": "Accept", "value": "a/b"}]},
            "jsonHeaders": "={\"Cookie\": \"a=S3CRET; b=\\\"S3CRET\", \"Accept\": \"a/b\", \"n\": {{ $json.n }}}",
            "nested": "{\\\"api_key\\\": \\\"S3CRET\\\", \\\"a\\\": 1}",
            "jsCode": "const apiKey = 'S3CRET';\nreturn call({headers: {Authorization: `Bearer S3CRET`, a: \"Basic UzNDUkVUS3CRET=\"}});",
            "curl": "curl -H \"X-Token: S3CRET S3CRET\" -H 'a: Bearer S3CRET' basic information",
            "tokens": 5, "max_tokens": 512, "password": 12345,
        },
        "data": {
            "headers": "Authorization: Digest u=\"S3CRET\", S3CRET\nX-Key:S3CRET\nAccept: text",
            "params": "token = S3CRET\npage:2",
            "authorization": {"type": "api-key", "config": {"api_key": "S3CRET", "type": "custom", "header": "X-Mine"}},
        },
    });
    let redacted = redact(&original);
    assert!(!redacted.to_string().contains("S3CRET"), "{redacted:#}");
    let parameters = &redacted["parameters"];
    assert_eq!((&redacted["name"], &redacted["typeVersion"]), (&json!("Get Token"), &json!(4.2)));
    assert_eq!(parameters["url"], "https://(left out)@x.example.com/?api_key=(left out)&page=2");
    assert_eq!(parameters["headerParameters"]["parameters"][1]["value"], "a/b");
    assert_eq!(parameters["jsonHeaders"], "={\"Cookie\": \"(left out)\", \"Accept\": \"a/b\", \"n\": {{ $json.n }}}");
    assert_eq!((&parameters["max_tokens"], &parameters["genericAuthType"]), (&json!(512), &json!("httpHeaderAuth")));
    assert!(parameters["jsCode"].as_str().unwrap().contains("return call({headers: {Authorization: "));
    assert!(parameters["curl"].as_str().unwrap().ends_with("basic information"));
    assert_eq!(redacted["data"]["headers"], "Authorization: (left out)\nX-Key:(left out)\nAccept: text");
    assert_eq!(redacted["data"]["params"], "token = (left out)\npage:2");
    let config = json!({"api_key": "(left out)", "type": "custom", "header": "X-Mine"});
    assert_eq!(redacted["data"]["authorization"], json!({"type": "api-key", "config": config}));
}

/// Longer than any text that is read. Work that grows with the square of it would take hours.
const MANY_BYTES: usize = 1024 * 1024;

#[test]
fn hostile_texts_are_scanned_in_linear_time() {
    for part in
        ["://", "://{{", "://@{{", "?key=", "&key={{", "a@", "key:", "key:\"", "\"", " ", "key=\\", "{{}}", "Bearer "]
    {
        let text = part.repeat(MANY_BYTES / part.len());
        run_with_timeout(part, move || drop((remove_url_secrets(&text), redact_text(&text), redact_code(&text))));
    }
}
