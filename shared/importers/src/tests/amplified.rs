//! Small files that would become much, or take long.

use serde_json::{Map, Value, json};

use super::*;

/// What a file becomes, with little memory and work.
fn answered(document: &Value) -> Result<Imported, String> {
    read_within(1, &document.to_string())
}

fn n8n(nodes: Vec<Value>, connections: Value) -> Value {
    json!({"name": "x", "nodes": nodes, "connections": connections})
}

fn node(name: &str, kind: &str, parameters: Value) -> Value {
    json!({"name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters})
}

fn dify(data: Value) -> Value {
    let nodes = [json!({"id": "a", "data": data})];
    json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": nodes}}})
}

#[test]
fn connection_kinds_are_not_copied() {
    let kind = "k".repeat(500_000);
    let to = |count: usize| vec![json!({"node": "b"}); count];
    let file = |count: usize| {
        n8n(vec![node("a", "if", json!({})), node("b", "if", json!({}))], json!({"a": {(kind.clone()): [to(count)]}}))
    };
    answered(&file(2_000)).unwrap();
    assert_eq!(answered(&file(10_000)).unwrap_err(), "connections: at most 2000");
}

#[test]
fn a_nested_list_is_not_indented_without_end() {
    let deep = (0..60).fold(json!(vec![1; 30_000]), |value, _| json!([value]));
    let imported = answered(&n8n(vec![node("a", "set", json!({"deep": deep}))], json!({}))).unwrap();
    assert_sound(&imported);
    assert!(
        report_lines(&imported).ends_with("config.javascript at most 65536 characters"),
        "{}",
        report_lines(&imported)
    );
}

#[test]
fn a_template_that_would_be_repeated_is_not_translated() {
    let long = "x".repeat(3_900_000);
    let rules = vec![json!({"operation": "equal", "value2": 1}); 51];
    let conditions = vec![json!({"comparison_operator": "is", "value": long, "variable_selector": ["a", "b"]})];
    let files = [
        n8n(
            vec![node("a", "switch", json!({"mode": "expression", "output": format!("={long}"), "numberOutputs": 40}))],
            json!({}),
        ),
        n8n(vec![node("a", "switch", json!({"value1": long, "rules": {"rules": rules}}))], json!({})),
        n8n(vec![node("a", "set", json!({"assignments": {(long.clone()): []}}))], json!({})),
        dify(json!({"type": "if-else", "title": "a", "cases": [{"case_id": "true", "conditions": conditions}]})),
        dify(json!({"type": "answer", "title": "a", "answer": [[long]]})),
    ];
    for file in files {
        let imported = answered(&file).unwrap();
        assert_sound(&imported);
        assert_eq!(report_lines(&imported), "a placeholder unsupported: one of its strings is longer than 64 KiB");
    }
}

#[test]
fn expansion_of_shared_data_is_bounded() {
    let fields: Map<String, Value> = (0..2_500).map(|field| (format!("f{field}"), 0.into())).collect();
    let parser =
        node("form", "outputParserStructured", json!({"jsonSchemaExample": Value::Object(fields).to_string()}));
    let chains = (0..499).map(|chain| node(&format!("c{chain}"), "chainLlm", json!({"text": "x"})));
    let to: Vec<Value> = (0..499).map(|chain| json!({"node": format!("c{chain}")})).collect();
    let file = n8n(chains.chain([parser]).collect(), json!({"form": {"ai_outputParser": [to]}}));
    // Each of 499 nodes takes the 2,500 fields.
    assert_eq!(read_within(8, &file.to_string()).unwrap_err(), "graph: at most 2097152 bytes as JSON");
}

/// Four nodes that each lead to one 499 times over, which names what came in 8,000 times.
#[test]
fn the_input_of_a_node_is_resolved_once() {
    let names = ["a", "b", "c", "d"].map(|name| name.repeat(1_000));
    let passed = node("passed", "noOp", json!({}));
    let sources = names.iter().map(|name| node(name, "set", json!({})));
    let expression = format!("={{{{ [{}] }}}}", ["$json.a", "$('passed').item.json.b"].repeat(20).join(", "));
    let many: Vec<Value> =
        (0..400).map(|name| json!({"name": format!("f{name}"), "value": expression, "type": "string"})).collect();
    let ends = [node("end", "set", json!({"assignments": {"assignments": many}})), passed];
    let to: Vec<Value> = (0..499).map(|input| json!({"node": "end", "index": input})).collect();
    let wires: Map<String, Value> = names.iter().map(|name| (name.clone(), json!({"main": [to]}))).collect();
    answered(&n8n(sources.chain(ends).collect(), wires.into())).unwrap();
}

#[test]
fn shared_and_split_nodes_do_not_multiply() {
    let split = node("a", "splitOut", json!({"fieldToSplitOut": "a.".repeat(30_000)}));
    assert_eq!(report_lines(&answered(&n8n(vec![split], json!({}))).unwrap()), "a code");

    let triggers = vec![node("go", "manualTrigger", json!({})); 500];
    let mut file = n8n(triggers, json!({}));
    file["pinData"] = json!({"go": [{"json": {"x": "x".repeat(3_000_000)}}]});
    let imported = answered(&file).unwrap();
    assert_eq!(imported.report.nodes.iter().filter(|node| node.why.contains("pinned")).count(), 1);

    // Of many containers with one id, each would have all the nodes.
    let loops = (0..250).map(|_| json!({"id": "l", "data": {"type": "loop", "title": "l"}}));
    let within =
        (0..250).map(|n| json!({"id": n.to_string(), "parentId": "l", "data": {"type": "if-else", "title": "n"}}));
    let edges: Vec<Value> = (0..2_000).map(|n| json!({"source": "l", "target": (n % 250).to_string()})).collect();
    let mut file = dify(json!({}));
    file["workflow"]["graph"] = json!({"nodes": loops.chain(within).collect::<Vec<_>>(), "edges": edges});
    answered(&file).unwrap();
}

/// How long it is as a text within JSON, which is how a Lambda sends it.
fn sent(imported: &Imported) -> usize {
    let Report { nodes, reconnect, .. } = &imported.report;
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|node| json!({"id": node.id, "status": node.status, "why": node.why, "original": node.original}))
        .collect();
    let reconnect: Vec<Value> = reconnect.iter().map(|one| json!({"nodeId": one.node_id, "what": one.what})).collect();
    let answer = json!({"data": {"graph": imported.graph}, "report": {"nodes": nodes, "reconnect": reconnect}});
    json!(answer.to_string()).to_string().len()
}

#[test]
fn the_response_stays_within_its_limit() {
    let quotes = "\"".repeat(90);
    let body: String = (0..12).map(|n| format!("{{{{ $jmespath({n}, '{quotes}') }}}}")).collect();
    let headers: Vec<Value> =
        (0..12).map(|n| json!({"name": format!("token-{}{n}", "\\".repeat(60)), "value": "x"})).collect();
    let call = |n: usize| {
        let parameters = json!({"url": format!("={body}"), "headerParameters": {"parameters": headers}});
        node(&format!("n{n}"), "httpRequest", parameters)
    };
    let file = n8n((0..400).map(call).collect(), json!({}));
    let imported = read_within(2, &file.to_string()).unwrap();
    assert!(sent(&imported) < 6 * 1024 * 1024, "{}", sent(&imported));
    let last = imported.report.nodes.last().unwrap();
    assert_eq!(last.original, None);
    assert!(last.why.ends_with("; the rest is left out, because the report would be too long"), "{}", last.why);
    assert!(imported.report.nodes[0].original.is_some());
    let last = &imported.report.reconnect.last().unwrap().what;
    assert!(last.ends_with(" more are left out, because the report would be too long"), "{last}");
}
