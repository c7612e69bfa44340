//! Nodes of n8n that keep their meaning, or whose report says what is different.

use serde_json::{Value, json};

use super::items::{import, note_of, translated};
use super::*;

fn file(nodes: Value, connections: Value) -> Imported {
    read_sound(&json!({"name": "x", "nodes": nodes, "connections": connections}).to_string())
}

fn why<'i>(imported: &'i Imported, id: &str) -> &'i str {
    &imported.report.nodes.iter().find(|node| node.id == id).unwrap().why
}

#[test]
fn a_header_makes_json_a_form() {
    let fields = json!({"parameters": [{"name": "a", "value": "={{ $json.b }}"}]});
    let call = |kind: &str| {
        let parameters = json!({
            "method": "POST", "url": "https://x.example.com", "sendBody": true, "bodyParameters": fields,
            "sendHeaders": true, "headerParameters": {"parameters": [{"name": "Content-type", "value": kind}]},
        });
        translated("httpRequest", 4.2, parameters)["body"].clone()
    };
    let form = json!({"type": "text", "text": {"js": "n8n.formText({ a: $json.b })"}});
    assert_eq!(call("application/x-www-form-urlencoded"), form);
    assert_eq!(call("application/json"), json!({"type": "json", "value": {"js": "{ a: $json.b }"}}));
}

#[test]
fn a_credential_that_the_file_does_not_name_is_asked_for() {
    let call = |authentication: Value, credentials: Value| {
        let mut parameters = json!({"url": "https://x.example.com"});
        parameters.as_object_mut().unwrap().extend(authentication.as_object().unwrap().clone());
        reconnected(&import("httpRequest", 4.2, parameters, json!({"credentials": credentials})))
    };
    let generic = json!({"authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth"});
    assert_eq!(call(generic.clone(), json!({})), ["a: a credential (httpHeaderAuth)"]);
    let known = json!({"httpHeaderAuth": {"name": "Mine"}});
    assert_eq!(call(generic, known), ["a: credential `Mine` (httpHeaderAuth)"]);
    let own = json!({"authentication": "predefinedCredentialType", "nodeCredentialType": "slackApi"});
    assert_eq!(call(own, Value::Null), ["a: a credential (slackApi)"]);
    assert_eq!(call(json!({"authentication": "none"}), Value::Null), Vec::<String>::new());
}

#[test]
fn retries_have_the_limits_of_n8n() {
    for (given, attempts, wait) in [
        (json!({}), 3, 1_000),
        (json!({"maxTries": 10, "waitBetweenTries": 60_000}), 5, 5_000),
        (json!({"maxTries": 1, "waitBetweenTries": 0}), 2, 1_000),
        (json!({"maxTries": 4, "waitBetweenTries": 250}), 4, 250),
    ] {
        let mut more = given.clone();
        more["retryOnFail"] = true.into();
        let imported = import("httpRequest", 4.2, json!({"url": "https://x.example.com"}), more);
        let retry = json!({"maxAttempts": attempts, "backoffMs": wait, "maxBackoffMs": wait});
        assert_eq!(config(&imported, "a")["retry"], retry, "{given}");
    }
}

#[test]
fn a_delay_has_whole_seconds() {
    for (amount, seconds, note) in [
        (json!(0.2), 1, "a delay has whole seconds: it waits 1 s, not 0.2 s"),
        (json!(2.6), 3, "a delay has whole seconds: it waits 3 s, not 2.6 s"),
        (json!("5"), 5, ""),
    ] {
        let imported = import("wait", 1.1, json!({"amount": amount}), json!({}));
        assert_eq!(config(&imported, "a")["seconds"], seconds);
        assert_eq!(note_of(&imported, "a"), note);
    }
}

#[test]
fn summaries_have_their_own_prompt() {
    let prompt = |version: f64, parameters: Value| {
        let imported = import("chainSummarization", version, parameters, json!({}));
        let found = config(&imported, "a");
        assert_eq!(found["system"], Value::Null);
        (found["prompt"]["js"].as_str().unwrap_or_default().to_owned(), note_of(&imported, "a"))
    };
    let chosen = |method: &str, name: &str, prompt: &str| json!({"options": {"summarizationMethodAndPrompts": {"values": {"summarizationMethod": method, name: prompt}}}});
    let one = "the text is summarized in one call";
    let (usual, note) = prompt(2.0, json!({"options": {}}));
    assert!(usual.starts_with("String(`Write a concise summary") && usual.ends_with("() => JSON.stringify($json))"));
    assert_eq!(note, one);
    let own = "=Sum up {{ $json.kind }}: {text}";
    let expected =
        "String($text`Sum up ${() => $json.kind}: {text}`).replaceAll(\"{text}\", () => JSON.stringify($json))";
    for (method, name) in [("stuff", "prompt"), ("map_reduce", "prompt"), ("refine", "refineQuestionPrompt")] {
        assert_eq!(prompt(2.0, chosen(method, name, own)), (expected.to_owned(), one.to_owned()));
    }
    assert_eq!(prompt(1.0, json!({"type": "stuff", "options": {"prompt": own}})).0, expected);
    let without_text = chosen("stuff", "prompt", "=Sum up {{ $json.a }}");
    assert_eq!(prompt(2.0, without_text).0, "$text`Sum up ${() => $json.a}`");
    let note = prompt(2.0, chosen("map_reduce", "combineMapPrompt", "a")).1;
    assert_eq!(note, format!("{one}; its prompt `combineMapPrompt`, for parts of a text, is not imported"));
    let note = prompt(2.0, json!({"operationMode": "nodeInputBinary"})).1;
    assert_eq!(note, format!("{one}; it summarized a file: here it gets the data of the item"));
}

#[test]
fn questions_have_the_names_of_their_version() {
    for (kind, version, name) in [
        ("agent", 1.0, "input"),
        ("agent", 1.1, "chat_input"),
        ("agent", 1.2, "chatInput"),
        ("chainLlm", 1.0, "input"),
        ("chainLlm", 1.2, "chat_input"),
        ("chainLlm", 1.3, "chatInput"),
    ] {
        let field = if kind == "agent" { "message" } else { "prompt" };
        assert_eq!(
            translated(kind, version, json!({}))[field],
            json!({"js": format!("$json.{name}")}),
            "{kind} {version}"
        );
    }
}

#[test]
fn words_that_a_service_prints_bold_are_reported() {
    let send = |parameters: Value, code: &str| {
        let nodes = json!([
            {"name": "Go", "type": "manualTrigger"}, {"name": "Text", "type": "code", "parameters": {"jsCode": code}},
            {"name": "Send", "type": "telegram", "typeVersion": 1.2, "parameters": parameters},
        ]);
        let wires = json!({"Go": {"main": [[{"node": "Text"}]]}, "Text": {"main": [[{"node": "Send"}]]}});
        note_of(&file(nodes, wires), "send")
    };
    let note = "its text is Markdown here, in which `*bold*` is italic: write `**bold**`";
    let text = |text: &str| json!({"chatId": "7", "text": text});
    assert_eq!(send(text("=*Total:* {{ $json.total }}"), ""), note);
    assert_eq!(send(text("={{ $json.text }}"), "const text = `👥 *Top (of 7 days)*\\n`;"), note);
    for (own, code) in [
        ("Total: 2*3*4 **bold**", ""),
        ("={{ $json.text }}", "/* a */ const a = b * c * d; // x*y*z"),
        ("plain", "const text = '*bold*';"),
    ] {
        assert_eq!(send(text(own), code), "", "{own} {code}");
    }
}

#[test]
fn messages_that_a_trigger_leaves_out_are_reported() {
    let trigger = |fields: Value| {
        let nodes = json!([{"name": "On", "type": "telegramTrigger", "parameters": {"additionalFields": fields}}]);
        why(&file(nodes, json!({})), "on").split_once("; ").map_or(String::new(), |(_, why)| why.to_owned())
    };
    assert_eq!(trigger(json!({})), "");
    assert_eq!(
        trigger(json!({"download": true, "chatIds": "7"})),
        "every message starts a run: its lists of chats and users are not imported; the files of messages are not read: read them by \
         their ids with a node after it"
    );
}

#[test]
fn a_chat_beside_a_webhook_is_answered() {
    let nodes = json!([
        {"name": "Hook", "type": "webhook", "typeVersion": 2, "parameters": {"httpMethod": "POST", "responseMode": "responseNode"}},
        {"name": "Respond", "type": "respondToWebhook"},
        {"name": "Chat", "type": "chatTrigger"}, {"name": "Scout", "type": "agent", "typeVersion": 2},
        {"name": "Called", "type": "executeWorkflowTrigger"}, {"name": "Sum", "type": "code"},
    ]);
    let wires = json!({
        "Hook": {"main": [[{"node": "Respond"}]]}, "Chat": {"main": [[{"node": "Scout"}]]}, "Called": {"main": [[{"node": "Sum"}]]},
    });
    let wires = connections(&file(nodes, wires));
    assert_eq!(wires, "chat_message>chat hook>respond chat>scout called>sum sum>result scout>answer");
}

#[test]
fn a_sub_workflow_gets_all_fields_of_its_caller() {
    let called = |version: f64, parameters: Value| {
        let nodes = json!([{"name": "Called", "type": "executeWorkflowTrigger", "typeVersion": version, "parameters": parameters}]);
        why(&file(nodes, json!({})), "called").to_owned()
    };
    let note = "imported as input; it gets all fields that its caller sends, not only those that it declares";
    assert_eq!(called(1.1, json!({"workflowInputs": {"values": [{"name": "a"}]}})), note);
    assert_eq!(called(1.1, json!({"inputSource": "passthrough"})), "imported as input");
    assert_eq!(called(1.0, json!({})), "imported as input");
}

#[test]
fn sub_nodes_of_what_is_left_out_and_items_into_sub_nodes_are_reported() {
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"}, {"name": "Scout", "type": "agent", "typeVersion": 2},
        {"name": "Memory", "type": "memoryBufferWindow"},
        {"name": "Server", "type": "mcpTrigger"}, {"name": "Tool", "type": "airtableTool"},
    ]);
    let wires = json!({
        "Go": {"main": [[{"node": "Scout"}, {"node": "Memory"}]]},
        "Memory": {"ai_memory": [[{"node": "Scout", "type": "ai_memory"}]]},
        "Tool": {"ai_tool": [[{"node": "Server", "type": "ai_tool"}]]},
    });
    let imported = file(nodes, wires);
    let note = "imported as input; its connection to `Memory` is dropped: that node is part of another one";
    assert_eq!(why(&imported, "go"), note);
    assert_eq!(why(&imported, "server"), "left out: an MCP server is made apart from workflows, with tools of its own");
    assert_eq!(why(&imported, "tool"), "was part of `Server`, which is left out");
}

#[test]
fn headers_of_calls_that_runs_do_not_get_are_reported() {
    let nodes = json!([
        {"name": "Hook", "type": "webhook", "parameters": {"httpMethod": "POST"}},
        {"name": "Check", "type": "code", "parameters": {"jsCode": "headers['x-key'] = 1; return $json.headers['x-api-key'] === headers.origin;"}},
    ]);
    let imported = file(nodes, json!({"Hook": {"main": [[{"node": "Check"}]]}}));
    assert_eq!(note_of(&imported, "check"), "runs do not get the header `x-api-key`, which may hold a secret");
}

#[test]
fn a_response_has_the_headers_of_its_webhook() {
    let header = |name: &str, value: &str| json!({"name": name, "value": value});
    let of_hook = json!({"entries": [header("X-From", "hook"), header("X-Kind", "hook")]});
    let own = json!({"entries": [header("x-kind", "node")]});
    let nodes = json!([
        {"name": "Hook", "type": "webhook", "parameters": {
            "httpMethod": "POST", "responseMode": "responseNode", "options": {"responseHeaders": of_hook},
        }},
        {"name": "Respond", "type": "respondToWebhook", "parameters": {"options": {"responseHeaders": own}}},
    ]);
    let imported = file(nodes, json!({"Hook": {"main": [[{"node": "Respond"}]]}}));
    let output = "({ headers: { \"x-kind\": \"node\", \"X-From\": \"hook\" }, body: $json })";
    assert_eq!(config(&imported, "respond")["output"]["js"], output);
}

#[test]
fn options_of_chains_that_are_not_imported_are_reported() {
    let notes = |kind: &str, parameters: Value| note_of(&import(kind, 1.1, parameters, json!({})), "a");
    let options = json!({"options": {"multiClass": true, "fallback": "other", "enableAutoFixing": false}});
    assert_eq!(notes("textClassifier", options), "some options are not imported: multiClass");
    let values =
        [json!({"type": "HumanMessagePromptTemplate", "messageType": "imageBinary"}), json!({"message": "Be brief"})];
    let messages = json!({"text": "Hi", "messages": {"messageValues": values}});
    assert_eq!(notes("chainLlm", messages), "the images of its messages are not imported");
}

#[test]
fn the_login_of_a_form_is_reported() {
    let nodes = json!([{"name": "Ask", "type": "formTrigger", "parameters": {"authentication": "basicAuth"}}]);
    let imported = file(nodes, json!({}));
    assert!(why(&imported, "ask").ends_with("its login is not imported"));
}

#[test]
fn files_that_a_call_gets_for_the_next_node_are_limited() {
    let next = |parameters: Value| {
        let nodes = json!([
            {"name": "Go", "type": "manualTrigger"},
            {"name": "Get", "type": "httpRequest", "typeVersion": 4.2, "parameters": {"url": "https://x.example.com"}},
            {"name": "Send", "type": "telegram", "typeVersion": 1.2, "parameters": parameters},
        ]);
        let wires = json!({"Go": {"main": [[{"node": "Get"}]]}, "Get": {"main": [[{"node": "Send"}]]}});
        note_of(&file(nodes, wires), "get")
    };
    let video = json!({"operation": "sendVideo", "chatId": "7", "binaryData": true});
    assert_eq!(next(video), "files have at most 1 MiB");
    assert_eq!(next(json!({"chatId": "7", "text": "Hi"})), "");
}
