//! n8n's nodes, one by one: what their parameters become.

use serde_json::{Value, json};

use super::*;

/// A file with a start, and this node after it.
fn file_with(kind: &str, version: f64, parameters: Value, more: Value) -> Value {
    let mut node = json!({"name": "a", "type": kind, "typeVersion": version, "parameters": parameters});
    node.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let nodes = json!([{"name": "Go", "type": "manualTrigger"}, node]);
    json!({"name": "x", "nodes": nodes, "connections": {"Go": {"main": [[{"node": "a"}]]}}})
}

pub fn import(kind: &str, version: f64, parameters: Value, more: Value) -> Imported {
    read_sound(&file_with(kind, version, parameters, more).to_string())
}

pub fn translated(kind: &str, version: f64, parameters: Value) -> Value {
    config(&import(kind, version, parameters, json!({})), "a")
}

fn javascript(kind: &str, version: f64, parameters: Value) -> String {
    translated(kind, version, parameters)["javascript"].as_str().unwrap().to_owned()
}

pub fn note_of(imported: &Imported, id: &str) -> String {
    let node = imported.report.nodes.iter().find(|node| node.id == id).unwrap();
    node.why.split_once("; ").map_or(String::new(), |(_, why)| why.to_owned())
}

#[test]
fn nodes_that_compute_call_the_library() {
    let written = javascript(
        "set",
        3.4,
        json!({"assignments": {"assignments": [{"id": "4b", "name": "a", "value": "={{ $json.b }}", "type": "string"}]}}),
    );
    let expected = "return n8n.set({ assignments: { assignments: [{ name: \"a\", value: () => $json.b, type: \"string\" }] } }, 3.4);";
    assert_eq!(written, expected);
    assert_eq!(javascript("limit", 1.0, json!({"maxItems": 3})), "return n8n.limit({ maxItems: 3 }, 1);");
    assert_eq!(
        javascript("html", 1.2, json!({"html": "<b>{{ $json.a }}</b>"})),
        "return n8n.html({ template: () => $text`<b>${() => $json.a}</b>` }, 1.2);"
    );
    for (kind, version, parameters, ports) in [
        ("if", 2.2, json!({}), json!({"outputs": ["true", "false"]})),
        ("filter", 2.2, json!({}), json!({})),
        ("switch", 1.0, json!({"rules": {"rules": [{}]}}), json!({"outputs": ["0", "1", "2", "3"]})),
        ("switch", 2.0, json!({"rules": {"rules": [{}, {}]}}), json!({"outputs": ["0", "1"]})),
        (
            "switch",
            3.2,
            json!({"rules": {"values": [{}]}, "options": {"fallbackOutput": "extra"}}),
            json!({"outputs": ["0", "fallback"]}),
        ),
        ("switch", 3.0, json!({"mode": "expression", "numberOutputs": 3}), json!({"outputs": ["0", "1", "2"]})),
        ("merge", 2.1, json!({}), json!({"inputs": ["in", "in2"]})),
        ("merge", 3.1, json!({"numberInputs": 3}), json!({"inputs": ["in", "in2", "in3"]})),
        ("compareDatasets", 2.3, json!({}), json!({"inputs": ["in", "in2"], "outputs": ["0", "1", "2", "3"]})),
    ] {
        let mut given = translated(kind, version, parameters);
        assert_eq!(given["itemMode"], json!({"run": "all"}));
        given.as_object_mut().unwrap().retain(|field, _| matches!(field.as_str(), "inputs" | "outputs"));
        assert_eq!(given, ports, "{kind} {version}");
    }
}

#[test]
fn code_stays_as_it_is() {
    let code = "// each\nreturn { a: $json.a }; // `${1}`";
    let each = json!({"jsCode": code, "mode": "runOnceForEachItem"});
    for (kind, parameters, call) in [
        ("code", json!({"jsCode": code}), "all(async ()"),
        ("code", each.clone(), "each(async ()"),
        ("function", json!({"functionCode": code}), "function(async (items)"),
        ("functionItem", json!({"functionCode": code}), "functionItem(async (item)"),
    ] {
        assert_eq!(javascript(kind, 1.0, parameters), format!("return n8n.{call} => {{\n{code}\n}});"));
    }
    for (code, is_block) in [
        ("const items = [];\nreturn items;", true),
        ("const { id, items } = $json; return items;", true),
        ("for (const items of lists) {}", false),
        ("return items.map(({ json }) => json); // const items", false),
    ] {
        let (open, close) = if is_block { ("{{", "}}") } else { ("{", "}") };
        let written = javascript("function", 1.0, json!({"functionCode": code}));
        assert_eq!(written, format!("return n8n.function(async (items) => {open}\n{code}\n{close});"));
    }
    let tolerant = config(&import("code", 2.0, json!({"jsCode": code}), json!({"continueOnFail": true})), "a");
    assert_eq!(tolerant["javascript"], format!("return n8n.all(async () => {{\n{code}\n}}, \"item\");"));
    let branch = config(&import("code", 2.0, each, json!({"onError": "continueErrorOutput"})), "a");
    assert!(branch["javascript"].as_str().unwrap().ends_with("\n}, \"branch\");"), "{branch}");
    assert_eq!((&branch["outputs"], branch.get("onError")), (&json!(["out", "error"]), None));

    let needy = "const crypto = require('crypto');\nawait this.helpers.httpRequest({}); prefetch(); setTimeout(f, 1);";
    let imported = import("code", 2.0, json!({"jsCode": needy}), json!({}));
    let notes = "its code needs modules: write the code without `require`; its code needs `this.helpers`: make calls with an \
                 http node, and read files from `$binary`; the waits in its code are skipped: wait with a delay node where the time matters";
    assert_eq!(note_of(&imported, "a"), notes);
    let python = javascript("code", 2.0, json!({"language": "python", "pythonCode": "return [\n  1]"}));
    assert!(python.contains("// return [\n//   1]\nthrow new Error("), "{python}");
}

#[test]
fn the_bodies_of_http_requests() {
    let body = |version: f64, parameters: Value| {
        let mut given = json!({"method": "POST", "url": "https://x.example.com", "sendBody": true});
        given.as_object_mut().unwrap().extend(parameters.as_object().unwrap().clone());
        translated("httpRequest", version, given)
    };
    let js = |source: &str| json!({"type": "json", "value": {"js": source}});
    let file = |source: &str| json!({"type": "file", "file": {"js": source}});
    let pairs = |name: &str, value: &str| json!({"parameters": [{"name": name, "value": value}]});
    for (parameters, expected) in [
        (json!({"bodyParameters": pairs("a", "={{ $json.b }}")}), js("{ a: $json.b }")),
        (json!({"bodyParameters": pairs("a.b", "5")}), js("n8n.bodyFields([[\"a.b\", \"5\"]])")),
        (json!({"specifyBody": "json", "jsonBody": "{\"a\": [1, \"=b\"]}"}), js("{ a: [1, \"=b\"] }")),
        (json!({"specifyBody": "json", "jsonBody": "={{ $json }}"}), js("n8n.jsonBody($json)")),
        (
            json!({"specifyBody": "json", "jsonBody": "={\"a\": {{ $json.a }}, \"b\": \"x {{ $json.b }}\"}"}),
            js("n8n.jsonBody($text`{\"a\": ${() => $json.a}, \"b\": \"x ${() => $json.b}\"}`)"),
        ),
        (
            json!({"contentType": "form-urlencoded", "bodyParameters": pairs("a", "={{ $json.b }}")}),
            json!({"type": "text", "text": {"js": "n8n.formText([[\"a\", $json.b]])"}}),
        ),
        (
            json!({"contentType": "form-urlencoded", "bodyParameters": pairs("a", "=x {{ $json.b }}")}),
            json!({"type": "form", "fields": {"a": {"js": "$text`x ${() => $json.b}`"}}}),
        ),
        (
            json!({"method": "DELETE", "contentType": "form-urlencoded", "bodyParameters": pairs("a", "1")}),
            js("{ a: \"1\" }"),
        ),
        (json!({"bodyParameters": {"parameters": []}}), js("{}")),
        (json!({"specifyBody": "json", "jsonBody": ""}), js("n8n.jsonBody(\"\")")),
        (
            json!({"contentType": "multipart-form-data", "bodyParameters": {"parameters": [
                {"parameterType": "formBinaryData", "name": "file", "inputDataFieldName": "data"}, {"name": "a", "value": "={{ $json.b }}"},
            ]}}),
            file("n8n.multipart([{ name: \"file\", file: $binary[\"data\"] }, { name: \"a\", value: $json.b }])"),
        ),
        (
            json!({"contentType": "binaryData", "inputDataFieldName": "=pic{{ 1 }}"}),
            file("$binary[$text`pic${() => 1}`]"),
        ),
    ] {
        assert_eq!(body(4.2, parameters)["body"], expected);
    }
    assert_eq!(body(3.0, json!({"bodyParameters": pairs("a.b", "5")}))["body"], js("{ \"a.b\": \"5\" }"));
    let raw = body(4.2, json!({"contentType": "raw", "rawContentType": "text/xml", "body": "=<a>{{ $json.a }}</a>"}));
    assert_eq!(raw["body"], json!({"type": "text", "text": {"js": "$text`<a>${() => $json.a}</a>`"}}));
    assert_eq!(raw["headers"], json!({"content-type": "text/xml"}));
    let old = body(
        2.0,
        json!({"bodyParametersUi": {"parameter": [{"name": "a", "value": "b"}]}, "responseFormat": "string", "dataPropertyName": "text"}),
    );
    assert_eq!(old["body"], js("{ a: \"b\" }"));
    assert_eq!(
        old["itemMode"]["result"]["js"],
        "n8n.httpItems(output, { responseFormat: \"text\", outputPropertyName: \"text\", isOld: true })"
    );
    let first = body(1.0, json!({}));
    assert_eq!(first["itemMode"]["result"]["js"], "n8n.httpItems(output, { responseFormat: \"json\", isOld: true })");
}

#[test]
fn the_other_parameters_of_http_requests() {
    let given = json!({
        "url": "=https://x.example.com/{{ $json.id }}", "sendQuery": true, "specifyQuery": "json", "jsonQuery": "={\"a\": {{ $json.a }}, \"b\": \"x\"}",
        "sendHeaders": true, "headerParameters": {"parameters": [{"name": "X-Id", "value": "={{ $json.id }}"}, {"name": "Connection", "value": "close"}]},
        "options": {"response": {"response": {"neverError": true, "fullResponse": true, "responseFormat": "file"}}, "batching": {"batch": {"batchSize": 50}}, "timeout": 1},
    });
    let imported = import("httpRequest", 4.2, given, json!({}));
    let address = "$text`https://x.example.com/${() => $json.id}`";
    let url = format!("n8n.withQuery({address}, $text`{{\"a\": ${{() => $json.a}}, \"b\": \"x\"}}`)");
    let items = format!(
        "n8n.httpItems(output, {{\n  responseFormat: \"file\",\n  url: {address},\n  fullResponse: true,\n  neverError: true\n}})"
    );
    let expected = json!({
        "method": "GET", "url": {"js": url}, "headers": {"X-Id": {"js": "$json.id"}},
        "timeoutMs": 100, "itemMode": {"result": {"js": items}, "concurrency": 20},
    });
    assert_eq!(config(&imported, "a"), expected);
    assert_eq!(note_of(&imported, "a"), "its header Connection is not imported; files have at most 1 MiB");
    let computed = json!({"url": "https://x.example.com", "jsonQuery": "={{ $json }}"});
    assert_eq!(
        translated("httpRequest", 4.2, computed)["url"],
        json!({"js": "n8n.withQuery(\"https://x.example.com\", $json)"})
    );
    let head = translated("httpRequest", 4.2, json!({"method": "HEAD", "url": "={{ $json.url }}"}));
    assert_eq!((&head["url"], &head["response"]), (&json!({"js": "n8n.url($json.url)"}), &json!("text")));
    let query = |version: f64, more: Value| {
        let mut given = json!({"url": "https://x.example.com/a b", "sendQuery": true, "queryParameters": {"parameters": [
            {"name": "a", "value": "1"}, {"name": "a", "value": "=2"},
        ]}});
        given.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let config = translated("httpRequest", version, given);
        (config["url"].clone(), config["query"].clone())
    };
    let plain = || json!("https://x.example.com/a%20b");
    let scripted = |query: &str| json!({"js": format!("n8n.withQuery(\"https://x.example.com/a%20b\", {query})")});
    assert_eq!(query(4.2, json!({})), (plain(), json!({"a": "2"})));
    assert_eq!(query(4.3, json!({})), (scripted("[[\"a\", [\"1\", \"2\"]]]"), Value::Null));
    assert_eq!(query(4.2, json!({"sendQuery": false})), (plain(), Value::Null));
    let one = json!({"parameters": [{"name": "tags", "value": "={{ $json.tags }}"}]});
    let repeated = json!({"queryParameters": one, "options": {"queryParameterArrays": "repeat"}});
    assert_eq!(query(4.2, repeated), (scripted("[[\"tags\", $json.tags]], \"repeat\""), Value::Null));
    let unwritten = import("httpRequest", 4.2, json!({"url": "YOUR_URL{"}), json!({}));
    assert_eq!(config(&unwritten, "a")["url"], json!({"js": "\"https://YOUR_URL{\""}));
    let notes = "its URL had no scheme: https is assumed; `https://YOUR_URL{` is no URL: write the one to call";
    assert_eq!(note_of(&unwritten, "a"), notes);
}

#[test]
fn all_nodes_have_the_policies_of_n8n() {
    let call = json!({"url": "https://x.example.com"});
    let mode = |kind: &str, version: f64, parameters: &Value, more: Value| {
        let given = config(&import(kind, version, parameters.clone(), more), "a");
        let mut mode = given["itemMode"].clone();
        mode.as_object_mut().unwrap().shift_remove("result");
        (mode, given["onError"].clone())
    };
    let none = Value::Null;
    let shown = json!({"js": "n8n.callError(output)"});
    for (more, expected) in [
        (json!({}), json!({})),
        (json!({"onError": "continueRegularOutput"}), json!({"error": shown, "onItemError": "item"})),
        (json!({"continueOnFail": true}), json!({"error": shown, "onItemError": "item"})),
        (json!({"onError": "continueErrorOutput"}), json!({"error": shown, "onItemError": "branch"})),
        (json!({"executeOnce": true, "alwaysOutputData": true}), json!({"run": "first", "whenEmpty": "one"})),
    ] {
        assert_eq!(mode("httpRequest", 4.2, &call, more), (expected, none.clone()));
    }
}

#[test]
fn data_nodes_go_on_after_errors_and_may_run_once() {
    for (kind, more, call, outputs, on_error) in [
        ("set", json!({}), "return n8n.set({}, 2);", Value::Null, Value::Null),
        (
            "set",
            json!({"onError": "continueRegularOutput"}),
            "return n8n.tolerate(() => n8n.set({}, 2), \"item\");",
            Value::Null,
            json!("continue"),
        ),
        (
            "if",
            json!({"onError": "continueErrorOutput"}),
            "return n8n.tolerate(() => n8n.if({}, 2), \"branch\", \"true\");",
            json!(["true", "false", "error"]),
            Value::Null,
        ),
        (
            "sort",
            json!({"executeOnce": true, "onError": "continueErrorOutput"}),
            "return n8n.once(() => n8n.tolerate(() => n8n.sort({}, 2), \"branch\"));",
            json!(["out", "error"]),
            Value::Null,
        ),
        (
            "if",
            json!({"executeOnce": true}),
            "return n8n.once(() => n8n.if({}, 2));",
            json!(["true", "false"]),
            Value::Null,
        ),
    ] {
        let imported = import(kind, 2.0, json!({}), more.clone());
        let given = config(&imported, "a");
        assert_eq!(given["javascript"], call, "{kind} {more}");
        assert_eq!((&given["outputs"], &given["onError"]), (&outputs, &on_error), "{kind} {more}");
        assert_eq!(given["itemMode"], json!({"run": "all"}));
    }
    let once = config(&import("code", 2.0, json!({"jsCode": "return []"}), json!({"executeOnce": true})), "a");
    assert_eq!(once["itemMode"], json!({"run": "first"}));
}

#[test]
fn the_control_flow() {
    let all = |field: &str, value: Value| json!({field: value, "itemMode": {"run": "all"}});
    let js = |source: &str| json!({"js": source});
    let delay = |version: f64, parameters: Value| translated("wait", version, parameters);
    assert_eq!(delay(1.0, json!({})), all("seconds", json!(3_600)));
    assert_eq!(delay(1.1, json!({})), all("seconds", json!(5)));
    assert_eq!(delay(1.1, json!({"amount": 2, "unit": "days"})), all("seconds", json!(172_800)));
    let computed = delay(1.1, json!({"amount": "={{ $json.n }}", "unit": "minutes"}));
    assert_eq!(computed["until"], js("$now.plus({ minutes: Number($json.n) }).toISO()"));
    let loops = |parameters: Value| translated("splitInBatches", 3.0, parameters)["items"].clone();
    assert_eq!(loops(json!({})), js("n8n.batches(1).slice(0, 1)"));
    assert_eq!(loops(json!({"batchSize": "={{ $json.n }}"})), js("n8n.batches($json.n).slice(0, 1)"));
    assert_eq!(
        translated("stopAndError", 1.0, json!({"errorMessage": "=No {{ $json.a }}"}))["message"],
        js("$text`No ${() => $json.a}`")
    );
    let input = |parameters: Value| translated("executeWorkflow", 1.2, parameters)["input"].clone();
    assert_eq!(input(json!({})), js("$input.all()"));
    assert_eq!(input(json!({"mode": "each"})), js("[$input.item]"));
    let named = json!({"value": {"a": "={{ $json.b }}"}});
    let read = "$input.all().map((item, index) => ({ json: n8n.read({ a: () => $json.b }, index) }))";
    assert_eq!(input(json!({"workflowInputs": named})), js(read));
    assert_eq!(input(json!({"mode": "each", "workflowInputs": named})), js("[{ json: { a: $json.b } }]"));
    for (parameters, output) in [
        (json!({}), "$json"),
        (json!({"respondWith": "allIncomingItems"}), "$input.all().map((item) => item.json)"),
        (json!({"respondWith": "json", "responseBody": "{\"a\": 1}"}), "n8n.responseBody(\"{\\\"a\\\": 1}\")"),
        (json!({"respondWith": "text", "responseBody": "=Hi {{ $json.a }}"}), "$text`Hi ${() => $json.a}`"),
        (json!({"respondWith": "noData"}), "null"),
    ] {
        assert_eq!(translated("respondToWebhook", 1.1, parameters)["output"], js(output));
    }
    let tolerant = import("respondToWebhook", 1.1, json!({}), json!({"onError": "continueRegularOutput"}));
    let tolerant = config(&tolerant, "a");
    assert_eq!(
        (&tolerant["itemMode"]["error"], &tolerant["onError"]),
        (&js("n8n.callError(output)"), &json!("continue"))
    );
}

#[test]
fn a_webhook_answers_with_status_headers_and_body() {
    let read = |mode: &str, more: Value, respond: Option<Value>| {
        let mut webhook = json!({"httpMethod": "POST", "path": "p", "responseMode": mode});
        webhook.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let last = match respond {
            Some(parameters) => {
                json!({"name": "End", "type": "respondToWebhook", "typeVersion": 1.4, "parameters": parameters})
            }
            None => json!({"name": "End", "type": "limit"}),
        };
        let nodes = json!([{"name": "Go", "type": "webhook", "typeVersion": 2, "parameters": webhook}, last]);
        let wires = json!({"Go": {"main": [[{"node": "End"}]]}});
        let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
        let result = if nodes[1]["type"] == "limit" { "result" } else { "end" };
        (
            config(&imported, "go")["response"].clone(),
            config(&imported, result)["output"]["js"].as_str().unwrap().to_owned(),
        )
    };
    let entries =
        |entries: Value| json!({"responseCode": "={{ $json.code }}", "responseHeaders": {"entries": entries}});
    for (parameters, output) in [
        (json!({}), "({ body: $json })"),
        (json!({"respondWith": "noData"}), "null"),
        (json!({"respondWith": "noData", "options": {"responseCode": 204}}), "({ status: 204 })"),
        (
            json!({"respondWith": "text", "responseBody": "Hi"}),
            "({ headers: { \"content-type\": \"text/html; charset=utf-8\" }, body: \"Hi\" })",
        ),
        (
            json!({"respondWith": "text", "responseBody": "a,b", "options": entries(json!([{"name": "Content-Type", "value": "text/csv"}]))}),
            "({ status: Number($json.code), headers: { \"Content-Type\": \"text/csv\" }, body: \"a,b\" })",
        ),
        (
            json!({"respondWith": "redirect", "redirectURL": "=https://x.io/{{ $json.id }}"}),
            "({ status: 307, headers: { location: $text`https://x.io/${() => $json.id}` } })",
        ),
        (json!({"respondWith": "binary"}), "({ body: Object.values($binary)[0] })"),
        (
            json!({"respondWith": "binary", "responseDataSource": "set", "inputFieldName": "pic"}),
            "({ body: $binary[\"pic\"] })",
        ),
        (
            json!({"respondWith": "allIncomingItems", "options": {"responseKey": "data"}}),
            "({ body: n8n.bodyFields([[\"data\", $input.all().map((item) => item.json)]]) })",
        ),
    ] {
        assert_eq!(read("responseNode", json!({}), Some(parameters)), (json!("output"), output.to_owned()));
    }
    for (parameters, output) in [
        (json!({}), "({ body: $json })"),
        (
            json!({"responseData": "allEntries", "responseCode": 201}),
            "({ status: 201, body: $input.all().map((item) => item.json) })",
        ),
        (json!({"responseData": "firstEntryBinary"}), "({ body: $binary[\"data\"] })"),
        (json!({"options": {"responsePropertyName": "a"}}), "({ body: $json[\"a\"] })"),
    ] {
        assert_eq!(read("lastNode", parameters, None), (json!("output"), output.to_owned()));
    }
    assert_eq!(read("onReceived", json!({}), Some(json!({}))), (Value::Null, "$json".to_owned()));
}

#[test]
fn models_give_the_fields_of_their_nodes() {
    let result = |kind: &str, version: f64, parameters: Value| {
        let given = translated(kind, version, parameters);
        given["itemMode"]["result"]["js"].as_str().unwrap_or_else(|| panic!("{given}")).to_owned()
    };
    let none = || json!({});
    for (given, expected) in [
        (result("agent", 2.0, none()), "({ output })"),
        (result("chainLlm", 1.5, none()), "({ text: output })"),
        (result("chainSummarization", 2.0, none()), "({ response: { text: output } })"),
        (result("informationExtractor", 1.0, none()), "({ output })"),
        (result("n8n-nodes-base.openAi", 1.1, json!({"resource": "text", "prompt": "a"})), "({ text: output })"),
        (
            result("@n8n/n8n-nodes-langchain.openAi", 1.8, none()),
            "({ index: 0, message: { role: \"assistant\", content: output }, finish_reason: \"stop\" })",
        ),
        (
            result("openAi", 2.0, none()),
            "({ output: [{ type: \"message\", role: \"assistant\", content: [{ type: \"output_text\", text: output }] }] })",
        ),
        (result("anthropic", 1.0, none()), "({ content: [{ type: \"text\", text: output }] })"),
        (
            result("googleGemini", 1.0, json!({"jsonOutput": true})),
            "({ content: { parts: [{ text: JSON.stringify(output) }], role: \"model\" } })",
        ),
    ] {
        assert_eq!(given, expected);
    }
}

#[test]
fn files_of_some_formats_are_read_by_the_platform() {
    let pdf = translated("extractFromFile", 1.0, json!({"operation": "pdf", "binaryPropertyName": "doc"}));
    let items = "({ numpages: output.pageCount, numrender: output.pageCount, text: output.text })";
    assert_eq!(
        pdf,
        json!({"file": {"js": "$binary[\"doc\"]"}, "format": {"type": "pdf"}, "itemMode": {"result": {"js": items}}})
    );
    let detected = translated("spreadsheetFile", 2.0, json!({}));
    let rows = "output.rows.map((row) => ({ json: Object.fromEntries(Object.entries(row).filter(([, cell]) => cell !== null)) }))";
    let items = format!("n8n.tableOfText($binary[\"data\"], {{}}, 2) ?? {rows}");
    assert_eq!(detected, json!({"file": {"js": "$binary[\"data\"]"}, "itemMode": {"result": {"js": items}}}));
    let sheet = translated(
        "convertToFile",
        1.1,
        json!({"operation": "xlsx", "options": {"fileName": "=a{{ 1 }}.xlsx", "sheetName": "One"}}),
    );
    let items = "({ json: {}, binary: { [\"data\"]: output } })";
    let expected = json!({
        "data": {"js": "$input.all().map((item) => item.json)"}, "format": {"type": "xlsx", "sheet": "One"},
        "itemMode": {"run": "all", "result": {"js": items}}, "name": {"js": "$text`a${() => 1}.xlsx`"},
    });
    assert_eq!(sheet, expected);
    assert!(
        javascript("extractFromFile", 1.0, json!({"operation": "csv"})).starts_with("return n8n.extractFromFile({")
    );
}

#[test]
fn forms_have_names_of_letters_here() {
    let field = |label: &str, kind: &str| json!({"fieldLabel": label, "fieldType": kind, "requiredField": true});
    let choice = json!({"fieldLabel": "2nd choice", "fieldType": "dropdown", "fieldOptions": {"values": [{"option": "A"}, {"option": "A"}, {"option": "B"}]}});
    let fields =
        json!({"values": [field("Your name", "text"), field("Your name", "textarea"), choice, field("CV", "file")]});
    let nodes = json!([
        {"name": "Ask", "type": "formTrigger", "typeVersion": 2.2, "parameters": {"formTitle": "Apply", "formFields": fields}},
        {"name": "More", "type": "form", "typeVersion": 1, "parameters": {"formFields": {"values": [choice]}}},
        {"name": "End", "type": "form", "typeVersion": 1, "parameters": {"operation": "completion", "completionTitle": "Thanks", "completionMessage": "={{ $json.a }}"}},
    ]);
    let wires = json!({"Ask": {"main": [[{"node": "More"}]]}, "More": {"main": [[{"node": "End"}]]}});
    let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
    let page = json!({"title": "Apply", "fields": [
        {"name": "your_name", "type": "text", "label": "Your name", "required": true},
        {"name": "your_name_2", "type": "long_text", "label": "Your name", "required": true},
        {"name": "f_2nd_choice", "type": "choice", "label": "2nd choice", "options": ["A", "B"]},
        {"name": "cv", "type": "file", "label": "CV", "required": true},
    ]});
    assert_eq!(config(&imported, "ask_page"), page);
    let code = "const values = $json;\nreturn { json: { \"Your name\": values.your_name, \"Your name\": values.your_name_2, \
                \"2nd choice\": values.f_2nd_choice, \"CV\": ((file) => file ? [{ filename: file.name, mimetype: file.contentType, \
                size: Buffer.from(file.base64, \"base64\").length }] : null)(values.cv), submittedAt: $now.toISO(), formMode: \"production\" }, binary: { \"CV\": values.cv } };";
    assert_eq!(config(&imported, "ask")["javascript"], code);
    assert_eq!(config(&imported, "more")["fields"][0]["options"], json!({"js": "[\"A\",\"B\"]"}));
    let end = json!({"js": "[\"Thanks\", $json.a].join(\"\\n\\n\")"});
    assert_eq!(config(&imported, "end")["output"], end);
}

#[test]
fn a_node_that_is_named_stays_though_it_does_nothing() {
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"}, {"name": "Pass", "type": "noOp"}, {"name": "Skip", "type": "noOp"},
        {"name": "Off", "type": "httpRequest", "disabled": true},
        {"name": "End", "type": "code", "parameters": {"jsCode": "return $('Pass').all().concat($('Off').all(), $('Gone').all(), $('Alone').all())"}},
        {"name": "Alone", "type": "noOp"},
    ]);
    let to = |name: &str| json!({"main": [[{"node": name}]]});
    let wires = json!({"Go": to("Pass"), "Pass": to("Skip"), "Skip": to("Off"), "Off": to("End")});
    let imported = read_sound(&json!({"nodes": nodes, "connections": wires}).to_string());
    assert_eq!(connections(&imported), "go>pass pass>off off>end end>result");
    assert_eq!(config(&imported, "pass")["javascript"], "return $input.all();");
    let lines = report_lines(&imported);
    let expected = "go input\npass code\nskip -\noff code partial: it was disabled: it passes its items on\n\
                    end code partial: it reads `Alone`, which has no items here; it reads `Gone`, which does not exist\n\
                    alone - partial: left out: no trigger leads to it, or it leads to nothing";
    assert_eq!(lines, expected);
}

#[test]
fn a_file_without_a_trigger_gets_one() {
    let nodes =
        json!([{"name": "A", "type": "noOp"}, {"name": "B", "type": "set", "typeVersion": 3.4, "parameters": {}}]);
    let imported = read_sound(&json!({"nodes": nodes, "connections": {"A": {"main": [[{"node": "B"}]]}}}).to_string());
    assert_eq!(connections(&imported), "start>b b>result");
    assert!(compile::compile(&imported.graph).finish().0.is_some());
}
