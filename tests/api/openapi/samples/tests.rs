//! Tests of the samples of single calls: quoting, headers, streams, and calls without a credential or a body.

use serde_json::{Value, json};

use super::{Call, curl, literal, python, typescript};

fn call<'e>(method: &'e str, body: Option<&'e Value>, headers: &'e [(String, String)]) -> Call<'e> {
    let url = "https://api.example.com/a?b=c&d=e".to_owned();
    Call {
        operation_id: "update",
        method,
        url,
        credential: Some("API_KEY"),
        headers,
        body,
        form: &[],
        is_stream: false,
    }
}

#[test]
fn a_body_is_quoted_as_each_language_needs_it() {
    let body = json!({"text": "it's \"$HOME\" \\ `id`\n", "on": true, "off": null, "list": [], "n": 0.5});
    let call = call("PATCH", Some(&body), &[]);
    let shell = curl::render(&call);
    assert!(
        shell.starts_with("curl -s -X PATCH 'https://api.example.com/a?b=c&d=e' \\\n  -H \"Authorization"),
        "{shell}"
    );
    assert!(
        shell.ends_with(
            r#"--json '{"text": "it'\''s \"$HOME\" \\ `id`\n", "on": true, "off": null, "list": [], "n": 0.5}'"#
        ),
        "{shell}"
    );
    let python = python::render(&call);
    assert!(
        python.contains(r#"json={"text": "it's \"$HOME\" \\ `id`\n", "on": True, "off": None, "list": [], "n": 0.5},"#),
        "{python}"
    );
    assert!(python.contains("requests.patch("), "{python}");
    let typescript = typescript::render(&call);
    assert!(typescript.contains(
        r#"body: JSON.stringify({"text": "it's \"$HOME\" \\ `id`\n", "on": true, "off": null, "list": [], "n": 0.5}),"#
    ), "{typescript}");
}

#[test]
fn a_call_without_a_body_and_a_credential_has_neither() {
    let call = Call { credential: None, ..call("POST", None, &[]) };
    assert_eq!(curl::render(&call), "curl -s -X POST 'https://api.example.com/a?b=c&d=e'");
    let python = python::render(&call);
    assert!(python.starts_with("import requests\n\nanswer = requests.post(\n    \"https://api"), "{python}");
    assert!(!python.contains("headers") && !python.contains("json="), "{python}");
    let typescript = typescript::render(&call);
    assert!(!typescript.contains("headers") && !typescript.contains("body:"), "{typescript}");
}

#[test]
fn headers_and_streams_are_in_each_language() {
    let headers = [("If-Match".to_owned(), r#""7""#.to_owned())];
    let call = Call { is_stream: true, ..call("GET", None, &headers) };
    let shell = curl::render(&call);
    assert!(shell.starts_with("curl -sN 'https") && shell.ends_with(r#"-H 'If-Match: "7"'"#), "{shell}");
    let python = python::render(&call);
    assert!(python.contains(r#", "If-Match": "\"7\""},"#) && python.contains("    stream=True,\n)"), "{python}");
    assert!(python.ends_with("for line in answer.iter_lines():\n    print(line.decode())"), "{python}");
    let typescript = typescript::render(&call);
    assert!(
        typescript.contains(r#"{ Authorization: `Bearer ${process.env.API_KEY}`, "If-Match": "\"7\"" }"#),
        "{typescript}"
    );
    assert!(typescript.contains("for await (const part of answer.body ?? [])"), "{typescript}");
}

#[test]
fn long_values_are_written_on_lines() {
    let value = json!({"short": [1, 2], "long": ["x".repeat(60), "y".repeat(60)]});
    let (x, y) = ("x".repeat(60), "y".repeat(60));
    let expected = format!("{{\n  \"short\": [1, 2],\n  \"long\": [\n    \"{x}\",\n    \"{y}\"\n  ]\n}}");
    assert_eq!(literal::JSON.literal(&value, 0), expected);
    assert_eq!(serde_json::from_str::<Value>(&expected).unwrap(), value);
}

#[test]
fn a_form_is_sent_with_its_file() {
    let form = [("purpose", "batch"), ("file", "@requests.jsonl")];
    let call = Call { form: &form, ..call("POST", None, &[]) };
    let shell = curl::render(&call);
    assert!(shell.ends_with("-F 'purpose=batch' \\\n  -F 'file=@requests.jsonl'"), "{shell}");
    let python = python::render(&call);
    assert!(
        python.contains(r#"    files={"purpose": (None, "batch"), "file": open("requests.jsonl", "rb")},"#),
        "{python}"
    );
    let typescript = typescript::render(&call);
    assert!(
        typescript.starts_with("import { openAsBlob } from \"node:fs\";\n\nconst form = new FormData();\n"),
        "{typescript}"
    );
    assert!(
        typescript.contains(r#"form.set("purpose", "batch");"#)
            && typescript.contains(r#"form.set("file", await openAsBlob("requests.jsonl"), "requests.jsonl");"#)
            && typescript.contains("  body: form,\n"),
        "{typescript}"
    );
}
