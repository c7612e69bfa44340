//! Everything that is lost in an import is reported.

use serde_json::{Value, json};

use engine::compile::Severity;

use super::*;

fn n8n(nodes: Value, connections: Value) -> Value {
    json!({"name": "x", "nodes": nodes, "connections": connections})
}

fn dify(nodes: Value, edges: Value) -> Value {
    json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": nodes, "edges": edges}}})
}

fn lines(document: &Value) -> Vec<String> {
    report_lines(&read_sound(&document.to_string())).lines().map(str::to_owned).collect()
}

#[test]
fn connections_to_missing_nodes_are_reported() {
    let nodes = json!([{"name": "Go", "type": "manualTrigger"}, {"name": "End", "type": "merge"}]);
    let connections = json!({"Go": {"main": [[{"node": "Gone"}, {"node": "End"}]]}, "Lost": {"main": [[{"node": "End"}, {"node": "Gone"}]]}});
    let expected = [
        "go input partial: imported as input; its connection to `Gone` is dropped: that node is not in the file",
        "end code partial: imported as code; its connection from `Lost` is dropped: that node is not in the file",
    ];
    let imported = read_sound(&n8n(nodes, connections).to_string());
    let whys: Vec<&str> = imported.report.nodes.iter().map(|node| node.why.as_str()).collect();
    assert_eq!(whys, expected.map(|line| line.split_once(": ").unwrap().1));
    assert!(imported.report.nodes.iter().all(|node| node.status == Status::Partial));

    let nodes = json!([{"id": "a", "data": {"type": "start", "title": "Go"}}, {"id": "b", "data": {"type": "answer", "title": "End", "answer": "x"}}]);
    let edges =
        json!([{"source": "a", "target": "gone"}, {"source": "a", "target": "b"}, {"source": "lost", "target": "b"}]);
    let expected = [
        "go input partial: its connection to `gone` is dropped: that node is not in the file",
        "end send_message partial: its connection from `lost` is dropped: that node is not in the file",
    ];
    assert_eq!(lines(&dify(nodes, edges)), expected);
}

#[test]
fn pinned_data_and_settings_of_n8n() {
    let nodes = json!([
        {"name": "Note", "type": "stickyNote"},
        {"name": "Call", "type": "httpRequest", "typeVersion": 4, "alwaysOutputData": true, "parameters": {
            "url": "https://x.example.com", "options": {"response": {"response": {"neverError": true}}},
        }},
        {"name": "Hook", "type": "webhook", "parameters": {"httpMethod": "POST"}},
        {"name": "Go", "type": "manualTrigger"},
    ]);
    let mut file = n8n(nodes, json!({}));
    file["pinData"] = json!({"Hook": [{"json": {"a": 1}}], "Go": [{"json": {"a": 1}}, {"json": {"a": 2}}], "Call": []});
    file["settings"] = json!({"executionTimeout": 90});
    let expected = [
        "note -",
        "call http",
        "hook webhook partial: its pinned data is left out; runs were limited to 90 s: `executionTimeout` is not imported",
        "go input",
    ];
    assert_eq!(lines(&file), expected);
    assert_eq!(config(&read_sound(&file.to_string()), "go"), json!({"example": [{"a": 1}, {"a": 2}]}));
}

#[test]
fn what_an_expression_names_and_does_not_find_is_reported() {
    let read = "={{ $('Loop').item.json.a + $('Body').item.json.a + $('Side').first().json.a + $env.REGION + $('Gone').item }}";
    let set = |name: &str, value: &str| json!({"name": name, "type": "set", "typeVersion": 3.4, "parameters": {"assignments": {"assignments": [{"name": "a", "value": value}]}}});
    let code = "const kept = $getWorkflowStaticData('global'), link = $execution.resumeUrl;";
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"}, {"name": "Loop", "type": "splitInBatches", "typeVersion": 3},
        set("Body", "={{ $('Loop').item.json.a }}"), set("Side", "1"), set("End", read),
        {"name": "Keep", "type": "code", "parameters": {"jsCode": code}},
    ]);
    let to = |names: &[&str]| names.iter().map(|name| json!({"node": name})).collect::<Vec<_>>();
    let wires = json!({
        "Go": {"main": [to(&["Loop", "Side", "Keep"])]}, "Loop": {"main": [to(&["End"]), to(&["Body"])]}, "Body": {"main": [to(&["Loop"])]},
    });
    let expected = [
        "go input",
        "loop loop",
        "body code",
        "side code",
        "end code partial: it reads `Body`, which does not lead here; it reads `Gone`, which does not exist; it reads `Side`, which does not lead here; variables are not imported: replace `$env.REGION` by its value",
        "keep code partial: it keeps data between runs, which ends with the run here: use a table; no link continues the run here: people do so on the platform",
    ];
    assert_eq!(lines(&n8n(nodes, wires)), expected);
}

#[test]
fn dify_features_and_variables_are_reported() {
    let mut file = dify(
        json!([{"id": "n", "type": "custom-note", "data": {}}, {"id": "a", "data": {"type": "start", "title": "Go"}}]),
        json!([]),
    );
    file["workflow"]["features"] = json!({
        "opening_statement": "Hi", "suggested_questions": [], "file_upload": {"enabled": false, "image": {"enabled": true}},
        "text_to_speech": {"enabled": true, "voice": "x"}, "retriever_resource": {"enabled": false},
    });
    let variables: Vec<Value> = (0..10).map(|n| json!({"name": format!("V{n}"), "value": "S3CRET"})).collect();
    file["workflow"]["environment_variables"] = variables.into();
    file["dependencies"] = json!([
        {"type": "marketplace", "value": {"marketplace_plugin_unique_identifier": "langgenius/openai:0.0.7@abc"}}, {},
    ]);
    let expected = "go input partial: the app's features are not imported: opening_statement, text_to_speech; \
        the app's plugins are not imported: langgenius/openai, unnamed";
    assert_eq!(lines(&file)[1], expected);

    file["version"] = "1.2.0".into();
    let newer = "the file has version 1.2.0, which is newer than the supported ones: check that nothing is missing";
    assert!(lines(&file)[1].starts_with(&format!("go input partial: {newer}; the app's features")));

    let chat = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "chat"}, "model_config": {"pre_prompt": "x"}, "dependencies": file["dependencies"]});
    assert!(lines(&chat)[0].ends_with("the app's plugins are not imported: langgenius/openai, unnamed"));
}

/// The places where the draft is invalid until a person rewrites them.
fn unknown(document: &Value) -> Vec<String> {
    let found = problems(&read_sound(&document.to_string())).into_iter();
    let found =
        found.filter(|problem| problem.code == "unknown_variable" && problem.message.en.contains("`untranslated`"));
    found.map(|problem| format!("{} {}", problem.node_id.unwrap(), problem.field.unwrap())).collect()
}

#[test]
fn an_untranslated_expression_is_invalid() {
    let case = |selector: Value, operator: &str| json!({"case_id": operator, "conditions": [{"comparison_operator": operator, "value": "x", "variable_selector": selector}]});
    let cases = [case(json!(["llm", "usage"]), "is"), case(json!(["llm", "text"]), "rhymes with")];
    let nodes = json!([
        {"id": "llm", "data": {"type": "llm", "title": "llm", "model": {"name": "x"}, "prompt_template": [{"text": "{{#gone.x#}}"}]}},
        {"id": "if", "data": {"type": "if-else", "title": "if", "cases": cases}},
        {"id": "end", "data": {"type": "end", "title": "end", "outputs": [{"variable": "a", "value_selector": ["llm", "usage"]}]}},
    ]);
    let expected =
        ["llm config.prompt", "if config.cases[0].expression", "if config.cases[1].expression", "end config.output"];
    assert_eq!(unknown(&dify(nodes, json!([]))), expected);

    let variable = |name: &str, node: &str| json!({"variable": name, "value_selector": [node, "x"]});
    let data = json!({"type": "template-transform", "title": "t", "template": "{{ a }} {{ b }} {{ c }}", "variables": [variable("a", "t"), variable("b", "gone")]});
    let file = dify(json!([{"id": "t", "data": data}]), json!([]));
    let expected =
        "t template partial: `b` is not bound: the node does not exist; `c` is not bound to a value: replace it";
    assert_eq!(lines(&file), [expected]);
    assert_eq!(unknown(&file), ["t config.template"]);
    let data = json!({"type": "template-transform", "title": "t", "template": "{{ input.a }}"});
    let file = dify(json!([{"id": "t", "data": data}]), json!([]));
    assert_eq!(lines(&file), ["t template partial: `input` is not bound to a value: replace it"]);
    assert_eq!(unknown(&file), ["t config.template"]);
}

#[test]
fn a_reduced_loop_limit_is_reported() {
    let rounds = |count: u64| {
        lines(&dify(json!([{"id": "a", "data": {"type": "loop", "title": "l", "loop_count": count}}]), json!([])))
    };
    assert_eq!(rounds(100), ["l loop"]);
    assert_eq!(rounds(500), ["l loop partial: it runs at most 100 rounds instead of 500"]);
}

#[test]
fn the_headers_and_parameters_of_a_dify_webhook_are_named() {
    let hook = json!({
        "type": "trigger-webhook", "title": "Hook", "method": "post", "status_code": 202, "response_body": "ok",
        "headers": [{"name": "X-Shop"}, {"name": "X-Signature"}], "params": [{"name": "dry-run"}], "body": [{"name": "who"}],
    });
    let answer = "{{#h.who#}} {{#h._webhook_raw.body.a#}} {{#h._webhook_raw.query_params.b#}} {{#h._webhook_raw.headers.X-Shop#}} {{#h.X_Shop#}} {{#h.dry_run#}} {{#h.X_Signature#}}";
    let nodes =
        json!([{"id": "h", "data": hook}, {"id": "a", "data": {"type": "answer", "title": "Say", "answer": answer}}]);
    let file = dify(nodes, json!([{"source": "h", "target": "a"}]));
    let why = "is not translated: runs do not get the header `X-Signature`, which may hold a secret";
    let expected = [
        "hook webhook partial: the platform sets the response: `status_code` and `response_body` are not imported"
            .to_owned(),
        format!("say send_message partial: `{{{{#h.X_Signature#}}}}` {why}"),
    ];
    assert_eq!(lines(&file), expected);
    let said = config(&read_sound(&file.to_string()), "say")["text"].clone();
    let call = "{{ nodes.hook.output.body.who }} {{ nodes.hook.output.body.a }} {{ nodes.hook.output.query.b }} \
                {{ nodes.hook.output.headers['x-shop'] }} {{ nodes.hook.output.headers['x-shop'] }} {{ nodes.hook.output.query['dry-run'] }} {{ untranslated[";
    assert!(said.as_str().unwrap().starts_with(call), "{said}");
}

#[test]
fn dify_error_variables_and_form_fields() {
    let call = |strategy: &str| {
        let nodes = json!([
            {"id": "c", "data": {"type": "http-request", "title": "Call", "url": "https://x.example.com", "error_strategy": strategy}},
            {"id": "r", "data": {"type": "human-input", "title": "Form", "form_content": "Why? {{#$output.note#}}\n{{#c.error_message#}} {{#c.error_type#}} {{#$output.", "inputs": [{"output_variable_name": "note"}]}},
        ]);
        config(&read_sound(&dify(nodes, json!([])).to_string()), "form")["message"].clone()
    };
    let plain = "{{ '{{' }}#$output.";
    assert_eq!(
        call("fail-branch"),
        format!("Why? \n{{{{ nodes.call.output.message }}}} {{{{ nodes.call.output.code }}}} {plain}")
    );
    assert!(call("").as_str().unwrap().starts_with("Why? \n{{ untranslated["));
}

#[test]
fn model_settings_are_imported_or_reported() {
    let set = "some settings of the model are not imported";
    let llm = |params: Value| {
        let data = json!({"type": "llm", "title": "Ask", "model": {"name": "x", "completion_params": params}, "prompt_template": [{"text": "Hi"}]});
        lines(&dify(json!([{"id": "a", "data": data}]), json!([]))).remove(0)
    };
    let usual = json!({"temperature": 1, "max_tokens": 9, "top_p": 1, "presence_penalty": 0, "stop": [], "response_format": "text"});
    assert_eq!(llm(usual), "ask model");
    let other =
        json!({"top_p": 0.5, "stop": ["\n"], "presence_penalty": 0.1, "seed": 7, "response_format": "json_object"});
    assert_eq!(llm(other), format!("ask model partial: {set}: top_p, stop, presence_penalty, seed, response_format"));

    let nodes = json!([
        {"name": "Ask", "type": "chainLlm", "parameters": {"promptType": "define", "text": "Hi"}},
        {"name": "Model", "type": "lmChatOpenAi", "parameters": {"model": "x", "options": {"maxTokens": 9, "topP": 0.5, "timeout": 60}}},
        {"name": "Picture", "type": "openAi", "parameters": {"resource": "image", "prompt": "A cat"}},
    ]);
    let lines = lines(&n8n(nodes, json!({"Model": {"ai_languageModel": [[{"node": "Ask"}]]}})));
    assert_eq!(lines[0], format!("ask model partial: {set}: topP, timeout"));
    assert_eq!(
        lines[2],
        "picture image partial: select an image model; its items have the URL of each image, not a file"
    );
}

#[test]
fn excess_outputs_of_a_switch_are_reported() {
    let node = json!({"name": "s", "type": "switch", "typeVersion": 3, "parameters": {"mode": "expression", "output": "={{ $json.n }}", "numberOutputs": 1e12}});
    let file = n8n(json!([node]), json!({}));
    assert_eq!(lines(&file), ["s code partial: it has 1000000000000 outputs, and only the first 49 are kept"]);
}

#[test]
fn numbers_are_written_as_cel_literals() {
    for (typed, written) in [("+5", "5"), ("5.", "5.0"), (" 7 ", "7"), ("1.5", "1.5"), ("x", "'x'")] {
        let condition = json!({"comparison_operator": ">", "value": typed, "variable_selector": ["s", "n"]});
        let nodes = json!([{"id": "s", "data": {"type": "start", "title": "s"}}, {"id": "a", "data": {"type": "if-else", "title": "a", "cases": [{"case_id": "true", "conditions": [condition]}]}}]);
        let imported = read_sound(&dify(nodes, json!([])).to_string());
        assert_eq!(config(&imported, "a")["cases"][0]["expression"], format!("nodes.s.output.n > {written}"));
    }
}

#[test]
fn a_node_that_is_not_supported_is_one_problem() {
    let odd = json!({
        "name": "Odd", "type": "oddService", "parameters": {"by": "={{ $json.age }}", "apiKey": "sk-1234567890abcdefghijkl"},
    });
    let set = |name: &str| json!({"name": name, "type": "set", "typeVersion": 3.4, "parameters": {}});
    let nodes = json!([
        {"name": "Hook", "type": "webhook", "parameters": {"responseMode": "lastNode"}}, odd, set("A"), set("B"),
        {"name": "Mail", "type": "emailReadImap"},
    ]);
    let connections = json!({
        "Hook": {"main": [[{"node": "Odd"}]]}, "Mail": {"main": [[{"node": "Odd"}]]},
        "Odd": {"main": [[{"node": "A"}], [{"node": "B"}, {"node": "A"}]]},
    });
    let imported = read_sound(&n8n(nodes, connections).to_string());
    let placeholder = imported.graph.nodes.iter().find(|node| node.id == "odd").unwrap();
    assert_eq!(placeholder.config["outputs"], json!(["out", "1"]));
    assert_eq!(placeholder.config["original"]["parameters"]["by"], "={{ $json.age }}");
    assert!(!placeholder.config["original"].to_string().contains("sk-1234567890"));
    // The validation adds one problem for each placeholder.
    let errors = problems(&imported).into_iter().filter(|problem| problem.severity == Severity::Error);
    assert_eq!(errors.map(|problem| problem.code).collect::<Vec<_>>(), [""; 0]);
    assert!(super::connections(&imported).contains("mail_start>mail"), "what follows a trigger can be tried");
}

#[test]
fn branches_into_one_node_are_reported() {
    let both = json!({"main": [[{"node": "End"}], [{"node": "End"}]]});
    let to = |node: &str| json!({"main": [[{"node": node}]]});
    let file = |kind: &str, connections: Value| {
        let nodes = json!([
            {"name": "Go", "type": "manualTrigger"}, {"name": "Hook", "type": "webhook", "parameters": {"path": "a"}},
            {"name": "If", "type": "if", "typeVersion": 2}, {"name": "End", "type": kind},
        ]);
        lines(&n8n(nodes, connections)).pop().unwrap()
    };
    let branches = json!({"Go": to("If"), "If": both});
    assert!(file("aggregate", branches.clone()).contains("several branches lead here"));
    assert!(file("renameKeys", branches).contains("items may have another order"));
    // Only one of two triggers starts a run.
    assert_eq!(file("aggregate", json!({"Go": to("End"), "Hook": to("End")})), "end code");
}
