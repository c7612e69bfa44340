//! The nodes `read_file` and `write_file`: files come from other systems and go to people, and are read once.

use testing::mail::MailServer;
use tests::binaries::folder;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// A workbook that a library of others wrote.
fn workbook() -> Vec<u8> {
    std::fs::read(folder("shared").join("documents/tests/files/xlsxwriter.xlsx")).unwrap()
}

/// Fetches a workbook, and returns its rows as CSV: to a person by email, and to another system.
fn report(server: &FakeProvider, mail: &MailServer) -> Value {
    let write = json!({
        "data": "input.rows.map(row, {'when': row.when, 'gross': row.gross})",
        "format": {"type": "csv", "delimiter": "semicolon"}, "name": "report-{{ run.id|length }}.csv",
    });
    let email = json!({
        "host": "127.0.0.1", "port": mail.address.port(), "security": "none", "from": "a@example.com",
        "to": "b@example.com", "subject": "Report", "text": "Attached.", "attachments": "[nodes.write.output]",
    });
    let upload = json!({
        "method": "PUT", "url": format!("{}/upload", server.base_url), "body": {"type": "file", "file": "nodes.write.output"},
    });
    let nodes = [
        node("start", "input", json!({})),
        node("fetch", "http", json!({"url": format!("{}/report.xlsx", server.base_url)})),
        node("read", "read_file", json!({"file": "input.body", "format": {"type": "xlsx", "maxRows": 1}})),
        node("write", "write_file", write),
        node("send", "email", email),
        node("upload", "http", upload),
        node("end", "send_result", json!({"output": "nodes.read.output"})),
    ];
    let ports =
        ["start.out fetch", "fetch.out read", "read.out write", "write.out send", "send.out upload", "upload.out end"];
    graph(&nodes, &ports)
}

#[tokio::test]
async fn a_workbook_becomes_an_attachment_and_an_upload() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let (server, mail) = (FakeProvider::start().await, MailServer::start(&[]).await);
    server.respond_at("/report.xlsx", Behaviour::bytes(200, XLSX, vec![workbook().into()]));
    server.respond_at("/upload", Behaviour::json(200, json!({})));
    let workflow = publish(&ada, report(&server, &mail)).await;
    let path = start_run(&ada, &workflow, json!({})).await;
    let run = carry_out(&app, &ada, &path).await;
    let row = json!({"when": "2026-12-31", "net": 100, "gross": 121, "note": "ab", "wrong": "#DIV/0!"});
    assert_eq!((&run["state"], &run["output"]["rows"]), (&json!("completed"), &json!([row])), "{run}");
    assert_eq!((&run["output"]["hasMore"], &run["output"]["sheets"]), (&json!(true), &json!(["Summary", "Second"])));

    let csv = "when;gross\r\n2026-12-31;121\r\n";
    let requests = server.take_requests();
    let upload = requests.iter().find(|request| request.path == "/upload").unwrap();
    assert_eq!(
        (&upload.headers["content-type"], &*upload.raw),
        (&"text/csv; charset=utf-8".parse().unwrap(), csv.as_bytes())
    );
    let lines = mail.lines().join("\n");
    assert!(
        lines.contains("filename=\"report-36.csv\"") && lines.contains("d2hlbjtncm9zcw0KMjAyNi0xMi0zMTsxMjENCg=="),
        "{lines}"
    );

    // The results are stored, so nothing is read again.
    let replayed = ada.post_json(&format!("{path}/replay"), json!({})).await;
    assert_eq!(replayed.json["data"]["outcome"], "equal", "{}", replayed.text);
}

#[tokio::test]
async fn a_file_that_cannot_be_read_is_an_error_of_the_node() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let read = |file: &str| {
        let config = json!({"file": file, "format": {"type": "pdf"}, "onError": "branch"});
        let nodes = [
            node("start", "input", json!({})),
            node("read", "read_file", config),
            node("end", "send_result", json!({"output": "input"})),
        ];
        graph(&nodes, &["start.out read", "read.out end", "read.error end"])
    };
    for (file, code) in [
        ("'text'", "file_invalid"),
        ("{'base64': 'JVBERi0xLjcK', 'contentType': 'application/pdf'}", "file_invalid"),
        ("{'name': 'a.pdf', 'mediaType': 'application/pdf'}", "file_invalid"),
    ] {
        let workflow = publish(&ada, read(file)).await;
        let path = start_run(&ada, &workflow, json!({})).await;
        let run = carry_out(&app, &ada, &path).await;
        let output = &run["output"];
        assert_eq!((&run["state"], &output["code"]), (&json!("completed"), &json!(code)), "{run}");
        assert!(output["message"].as_str().unwrap().starts_with("config.file: "), "{run}");
    }
}
