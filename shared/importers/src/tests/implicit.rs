//! Tests of what n8n does implicitly, without a node: iteration, serialization, chat answers.

use serde_json::json;

use super::*;
use engine::expression::{JinjaTemplate, Scope};

#[test]
fn serialized_json_inside_json_becomes_the_value() {
    let sent = |body: &str| {
        let parameters = json!({"method": "POST", "url": "https://x.example.com", "sendBody": true, "specifyBody": "json", "jsonBody": body});
        let node =
            json!({"name": "call", "type": "n8n-nodes-base.httpRequest", "typeVersion": 4.2, "parameters": parameters});
        config(&read_sound(&json!({"nodes": [node], "connections": {}}).to_string()), "call")["body"]["value"].clone()
    };
    let body = "={\"lines\": {{ JSON.stringify($json.lines, null, 2) }}, \"n\": {{ $json.n }}, \"at\": [{{ JSON.stringify({a: $json.a + 1}) }}]}";
    assert_eq!(sent(body), "{'lines': input.lines, 'n': input.n, 'at': [{'a': input.a + 1}]}");
    assert_eq!(sent("={\"text\": \"{{ JSON.stringify($json.a) }}\"}"), "{'text': input.a.toJson()}");
    assert_eq!(sent("={\"text\": {{ 'a' + JSON.stringify($json.a) }}}"), "{'text': 'a' + input.a.toJson()}");
    assert_eq!(sent("={{ JSON.stringify($json.a.b) }}"), "input.a.b");
    assert_eq!(sent("={{ JSON.stringify({a: $json.b}) }}"), "{'a': input.b}");
}

#[test]
fn nodes_after_a_split_become_the_body_of_a_loop() {
    let imported = file("remind-customers.json");
    let items = "nodes.invoices.output.body.data.map(element, {'invoice': element})";
    assert_eq!(config(&imported, "split_out"), json!({"items": items}));
    assert_eq!(config(&imported, "unpaid")["expression"], "!(vars.item.invoice.paid == true)");
    // A filter passes its input on.
    let invoice = "nodes.unpaid.output.invoice";
    let mail = format!(
        "{{'to': {invoice}.customer, 'amount': string('%.2f'.format([double({invoice}.amount) / 100])) + ' €', 'lines': vars.item.invoice.lines}}"
    );
    assert_eq!(config(&imported, "remind")["body"], json!({"type": "json", "value": mail}));
    let sent = "nodes.split_out.output.map(element, element.body.mail.id)";
    assert_eq!(config(&imported, "gather")["fields"], json!({"sent": sent}));
    let text =
        "Sent: {{ ((nodes.gather.output.sent | join(', ')) if nodes.gather.output.sent is defined) | default('') }}";
    assert_eq!(config(&imported, "tell")["text"], text);
}

#[test]
fn a_split_without_a_gather_becomes_a_loop() {
    let nodes = json!([
        {"name": "Go", "type": "executeWorkflowTrigger"},
        {"name": "Split", "type": "splitOut", "parameters": {"fieldToSplitOut": "rows"}},
        {"name": "Say", "type": "slack", "parameters": {"text": "={{ $json.n }} {{ $itemIndex }}"}},
    ]);
    let wires = json!({"Go": {"main": [[{"node": "Split"}]]}, "Split": {"main": [[{"node": "Say"}]]}});
    let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
    assert_eq!(connections(&imported), "go>split say>split.next split.item>say split.done>result");
    assert_eq!(config(&imported, "say")["text"], "{{ vars.item.n }} {{ vars.index }}");
    let lines = report_lines(&imported);
    assert!(
        lines.contains("split loop partial: an element that is not an object is `vars.item` itself, not its `rows`"),
        "{lines}"
    );
}

#[test]
fn a_classifier_passes_its_input_on() {
    let parameters = json!({"categories": {"categories": [{"category": "A"}]}, "conditions": {"conditions": []}, "text": "={{ $json.a }}"});
    let node = |name: &str, kind: &str| json!({"name": name, "type": kind, "typeVersion": 2, "parameters": parameters});
    let nodes = [
        node("Go", "manualTrigger"),
        node("Get", "httpRequest"),
        node("Choose", "textClassifier"),
        node("If", "if"),
        node("Feel", "sentimentAnalysis"),
        node("Say", "slack"),
    ];
    let to = |name: &str| json!({"main": [[{"node": name}]]});
    let wires = json!({"Go": to("Get"), "Get": to("Choose"), "Choose": to("If"), "If": to("Feel"), "Feel": to("Say")});
    let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
    assert_eq!(config(&imported, "say")["text"], "{{ nodes.get.output.body.a }}");
    let lines = report_lines(&imported);
    assert!(lines.contains("\nchoose model\n"), "{lines}");
    assert!(
        lines.contains("feel model partial: its output is {category}, which was `sentimentAnalysis.category`"),
        "{lines}"
    );
}

#[test]
fn a_chat_is_answered_with_the_last_output() {
    let chat = |mode: &str, last: &str, parameters: serde_json::Value| {
        let nodes = json!([
            {"name": "Chat", "type": "@n8n/n8n-nodes-langchain.chatTrigger", "parameters": {"options": {"responseMode": mode}}},
            {"name": "Last", "type": last, "typeVersion": 3.4, "parameters": parameters},
        ]);
        let wires = json!({"Chat": {"main": [[{"node": "Last"}]]}});
        let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
        let sent = imported.graph.nodes.iter().find(|node| node.id == "answer").map(|node| node.config["text"].clone());
        (connections(&imported), sent)
    };
    let set = || json!({"assignments": {"assignments": [{"name": "text", "value": "=Hi {{ $json.chatInput }}"}]}});
    let text = "{{ nodes.last.output.output | default(nodes.last.output.text) | default(nodes.last.output | tojson) }}";
    assert_eq!(chat("", "set", set()), ("chat>last last>answer".to_owned(), Some(text.into())));
    for (given, shown) in [(json!({"output": "a"}), "a"), (json!({"text": "b"}), "b"), (json!({"c": 1}), "{\"c\":1}")] {
        let variables = serde_json::Map::from_iter([("nodes".to_owned(), json!({"last": {"output": given}}))]);
        let scope = Scope::new(&variables, jiff::Timestamp::UNIX_EPOCH);
        assert_eq!(JinjaTemplate::parse(text).unwrap().render(&scope).unwrap(), shown);
    }
    let asked = ("chat>last last>answer".to_owned(), Some("{{ nodes.last.output }}".into()));
    assert_eq!(chat("lastNode", "agent", json!({})), asked);
    let alone = ("chat>last".to_owned(), None);
    assert_eq!(chat("responseNode", "agent", json!({})), alone);
    assert_eq!(chat("", "telegram", json!({"text": "Hi"})), alone);
}
