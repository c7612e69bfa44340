//! Hostile files, made to hang, overflow or bloat the importer, and random mutations of real files.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The work of the worst of these files, as a multiple of what a small file may take.
const MOST_TIMES: u64 = 10;

/// The refusal or the import, either with bounded work.
fn answered(text: &str) -> Result<Imported, String> {
    let answer = read_within(MOST_TIMES, text);
    if let Ok(imported) = &answer {
        assert_sound(imported);
    }
    answer
}

fn n8n(nodes: Vec<Value>, connections: Value) -> String {
    json!({"name": "x", "nodes": nodes, "connections": connections}).to_string()
}

#[test]
fn an_unknown_format_is_refused_with_the_known_formats() {
    let known = "the known formats are an export of Atelier (JSON), a workflow of n8n (JSON), an app of Dify (YAML)";
    for (text, why) in [
        ("", "unknown format"),
        ("hello", "unknown format"),
        ("{\"nodes\": [], ", "the file is not valid JSON (line 1, column 14)"),
        ("a: b: c", "the file is not valid JSON or YAML (line 1, column 5)"),
        ("{}", "unknown format"),
        ("[]", "the file holds 0 workflows: import them one by one"),
        ("[{}, {}]", "the file holds 2 workflows: import them one by one"),
    ] {
        let refusal = answered(text).unwrap_err();
        assert!(refusal.starts_with(&format!("body: {why}")), "{refusal}");
        assert!(refusal.ends_with(known) || why.starts_with("the file holds"), "{refusal}");
    }
    let newer = answered("{\"format\": \"atelier.workflow/2\", \"name\": \"x\", \"graph\": {}}").unwrap_err();
    assert_eq!(newer, "format: unknown format `atelier.workflow/2`; the known format is `atelier.workflow/1`");
    let broken =
        answered("{\"format\": \"atelier.workflow/1\", \"name\": \"x\", \"graph\": {\"nodes\": [{\"id\": 1}]}}")
            .unwrap_err();
    assert!(broken.starts_with("graph.nodes[0].id: invalid type"), "{broken}");
    for (app, why) in [
        (json!({"app": {"mode": "workflow"}}), "workflow: must be an object"),
        (json!({"app": {"mode": "workflow"}, "workflow": 5}), "workflow: must be an object"),
        (json!({"app": {"mode": "workflow"}, "workflow": {"graph": []}}), "workflow.graph: must be an object"),
        (
            json!({"app": {"mode": "advanced-chat"}, "workflow": {"graph": {"nodes": 5}}}),
            "workflow.graph.nodes: must be a list",
        ),
        (
            json!({"app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": [], "edges": 5}}}),
            "workflow.graph.edges: must be a list",
        ),
        (json!({"app": {"mode": "chat"}}), "model_config: must be an object"),
        (
            json!({"app": {"mode": "channel"}}),
            "app.mode: unknown mode `channel`; the known modes are workflow, advanced-chat, chat, agent-chat, completion",
        ),
        (
            json!({"app": {}}),
            "app.mode: unknown mode ``; the known modes are workflow, advanced-chat, chat, agent-chat, completion",
        ),
    ] {
        let mut file = json!({"kind": "app", "version": "0.3.0"});
        file.as_object_mut().unwrap().extend(app.as_object().unwrap().clone());
        assert_eq!(answered(&file.to_string()).unwrap_err(), why);
    }
    let float = answered("kind: app\nversion: 0.3\napp:\n  name: x\n  mode: workflow\n").unwrap_err();
    assert_eq!(float, "version: must be a string in quotes, as Dify writes it (version: \"0.3.0\")");
}

#[test]
fn recursive_aliases_are_refused_early() {
    let mut laughs = "kind: app\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let before = format!("*a{}", level - 1);
        laughs.push_str(&format!("a{level}: &a{level} [{}]\n", [before.as_str(); 10].join(", ")));
    }
    assert!(answered(&laughs).is_err());
    let long = "x".repeat(1_000_000);
    assert!(answered(&format!("kind: app\nbig: &big {long}\nall: [{}]\n", ["*big"; 900].join(", "))).is_err());
    let merged = (0..2_000).map(|index| format!("m{index}: {{<<: *base}}\n")).collect::<String>();
    assert!(answered(&format!("kind: app\nbase: &base {{a: 1, b: 2}}\n{merged}")).is_err());
}

#[test]
fn deeply_nested_documents_are_refused() {
    for deep in [100, 1_000, 100_000] {
        assert!(answered(&"[".repeat(deep)).is_err());
        assert!(answered(&format!("{}1{}", "[".repeat(deep), "]".repeat(deep))).is_err());
        assert!(answered(&"{\"a\":".repeat(deep)).is_err());
        assert!(answered(&format!("kind: app\nx: {}", "{a: ".repeat(deep))).is_err());
    }
    let block: String = (0..2_000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect();
    assert!(answered(&block).is_err());
    assert!(answered(&"- ".repeat(50_000)).is_err());
    assert!(answered(&"? ".repeat(50_000)).is_err());
}

#[test]
fn a_parameter_may_be_nested_as_deep_as_a_document() {
    let deep = (0..100).fold(json!("={{ $json.x }}"), |value, _| json!([value]));
    let set = json!({"assignments": [{"name": "x", "value": deep, "type": "array"}]});
    let node = |kind: &str, parameters: Value| json!({"name": kind, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 3.4, "parameters": parameters});
    let body = json!({"method": "POST", "url": "https://x.example.com", "sendBody": true, "specifyBody": "json", "jsonBody": deep.to_string()});
    let text = n8n(vec![node("set", json!({"assignments": set})), node("httpRequest", body)], json!({}));
    answered(&text).unwrap();
}

#[test]
fn the_number_of_nodes_is_limited() {
    let nodes = |count: usize| {
        (0..count)
            .map(|n| json!({"name": format!("n{n}"), "type": "n8n-nodes-base.if", "parameters": {}}))
            .collect::<Vec<_>>()
    };
    assert_eq!(answered(&n8n(nodes(501), json!({}))).unwrap_err(), "nodes: at most 500");
    // Each node leads to four others, in cycles.
    let target = |n: usize| json!({"node": format!("n{}", n % 500), "type": "main", "index": 0});
    let connections: serde_json::Map<String, Value> = (0..500)
        .map(|n| (format!("n{n}"), json!({"main": [[target(n + 1), target(n * 7)], [target(n * 3), target(n)]]})))
        .collect();
    let imported = answered(&n8n(nodes(500), connections.into())).unwrap();
    assert_eq!(imported.graph.nodes.len(), 500);
    let all: Vec<Value> = (0..501).map(target).collect();
    let each: serde_json::Map<String, Value> = (0..5).map(|n| (format!("n{n}"), json!({"main": [all]}))).collect();
    assert_eq!(answered(&n8n(nodes(500), each.into())).unwrap_err(), "connections: at most 2000");

    let many: Vec<Value> = (0..501).map(|n| json!({"id": n.to_string(), "data": {"type": "start"}})).collect();
    let dify =
        json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": many}}});
    assert_eq!(answered(&dify.to_string()).unwrap_err(), "workflow.graph.nodes: at most 500");
}

#[test]
fn wires_through_removed_nodes_do_not_multiply() {
    let mut nodes = Vec::new();
    let mut connections = serde_json::Map::new();
    let to = |name: String| json!({"node": name, "type": "main", "index": 0});
    for n in 0..249 {
        nodes.push(json!({"name": format!("a{n}"), "type": "n8n-nodes-base.merge"}));
        nodes.push(json!({"name": format!("b{n}"), "type": "n8n-nodes-base.merge"}));
        connections.insert(format!("a{n}"), json!({"main": [[to("x".to_owned())]]}));
    }
    nodes.push(json!({"name": "x", "type": "n8n-nodes-base.noOp"}));
    nodes.push(json!({"name": "y", "type": "n8n-nodes-base.noOp", "disabled": true}));
    let mut all: Vec<Value> = (0..249).map(|n| to(format!("b{n}"))).collect();
    all.push(to("y".to_owned()));
    connections.insert("x".to_owned(), json!({"main": [all]}));
    // A cycle of nodes that do nothing.
    connections.insert("y".to_owned(), json!({"main": [[to("x".to_owned()), to("y".to_owned())]]}));
    assert_eq!(answered(&n8n(nodes, connections.into())).unwrap_err(), "connections: at most 2000");
}

#[test]
fn loops_and_sub_nodes_may_form_any_cycle() {
    let names = ["a", "b", "c", "d"];
    for kind in ["splitInBatches", "noOp", "agent", "if", "webhook", "merge"] {
        let nodes: Vec<Value> = names.iter().map(|name| json!({"name": name, "type": format!("n8n-nodes-base.{kind}"), "typeVersion": 3, "parameters": {"text": "={{ $json.x }}"}})).collect();
        for way in ["main", "ai_tool"] {
            let all: Vec<Value> = names.iter().map(|name| json!({"node": name, "type": way, "index": 0})).collect();
            let connections: serde_json::Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), json!({way: [all, all, null, all]}))).collect();
            answered(&n8n(nodes.clone(), connections.into())).unwrap();
        }
    }
    // Dify containers inside each other, and one inside itself.
    let node = |id: &str, parent: &str| json!({"id": id, "parentId": parent, "data": {"type": "iteration", "title": id, "iterator_selector": ["b", "item"], "output_selector": [id, "item"]}});
    let nodes = [node("a", "b"), node("b", "a"), node("c", "c")];
    let edges: Vec<Value> = ["a", "b", "c"]
        .iter()
        .flat_map(|from| ["a", "b", "c"].map(|to| json!({"source": from, "target": to, "sourceHandle": "source"})))
        .collect();
    let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": nodes, "edges": edges}}});
    answered(&app.to_string()).unwrap();
}

#[test]
fn strings_may_be_as_long_as_a_file() {
    let long = "x{{ $json.a }}{{#a.b#}}{%'\"".repeat(20_000);
    let node = |name: &str, kind: &str, parameters: Value| json!({"name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters});
    let texts = [json!(long), json!(format!("={long}"))];
    for text in &texts {
        let nodes = vec![
            node("set", "set", json!({"assignments": {"assignments": [{"name": "x", "value": text}]}})),
            node("mail", "slack", json!({"text": text})),
            node("fail", "stopAndError", json!({"errorMessage": text})),
        ];
        let imported = answered(&n8n(nodes, json!({}))).unwrap();
        assert_eq!(imported.report.nodes.len(), 3);
        assert!(imported.report.nodes.iter().all(|node| node.status == Status::Unsupported && node.why.len() < 1_000));
        let named = vec![node("a", "if", json!({}))];
        answered(&n8n(
            named,
            json!({"a": {(long.clone()): [[{"node": long}]]}, (long.clone()): {"main": [[{"node": "a"}]]}}),
        ))
        .unwrap();
    }
    let data = json!({"type": "answer", "title": "a", "answer": long});
    let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow", "name": long, "description": long}, "workflow": {"graph": {"nodes": [{"id": "a", "data": data}]}}});
    let imported = answered(&app.to_string()).unwrap();
    assert_eq!(report_lines(&imported), "a placeholder unsupported: one of its strings is longer than 64 KiB");
}

#[test]
fn names_are_limited_to_a_kilobyte() {
    let long = "n".repeat(1025);
    for (name, kind, field) in [(long.as_str(), "if", "name"), ("a", long.as_str(), "type")] {
        let refusal = answered(&n8n(vec![json!({"name": name, "type": kind})], json!({}))).unwrap_err();
        assert_eq!(refusal, format!("nodes[0].{field}: at most 1024 bytes"));
    }
    for (field, node) in [
        ("id", json!({"id": long, "data": {"type": "start"}})),
        ("data.title", json!({"id": "a", "data": {"type": "start", "title": long}})),
        ("data.type", json!({"id": "a", "data": {"type": long}})),
        ("parentId", json!({"id": "a", "parentId": long, "data": {"type": "start"}})),
    ] {
        let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": [node]}}});
        let refusal = answered(&app.to_string()).unwrap_err();
        assert_eq!(refusal, format!("workflow.graph.nodes[0].{field}: at most 1024 bytes"));
    }
}

#[test]
fn excess_entries_of_a_node_are_handled() {
    let many: Vec<Value> =
        (0..5_000).map(|n| json!({"name": format!("f{n}"), "value": "={{ $json.a + 1 }}", "type": "string"})).collect();
    let conditions: Vec<Value> = (0..5_000).map(|_| json!({"leftValue": "={{ $json.a }}", "rightValue": "b", "operator": {"type": "string", "operation": "equals"}})).collect();
    let node = |name: &str, kind: &str, parameters: Value| json!({"name": name, "type": kind, "typeVersion": 3.4, "parameters": parameters});
    let rules: Vec<Value> = (0..2_000).map(|_| json!({"conditions": {"conditions": conditions[..2]}})).collect();
    let nodes = vec![
        node("set", "set", json!({"assignments": {"assignments": many}})),
        node("call", "httpRequest", json!({"url": "https://x.example.com", "headerParameters": {"parameters": many}})),
        node("if", "if", json!({"conditions": {"conditions": conditions}})),
        node("switch", "switch", json!({"rules": {"values": rules}})),
    ];
    answered(&n8n(nodes, json!({}))).unwrap();
    let cases: Vec<Value> = (0..2_000).map(|n| json!({"case_id": n.to_string(), "conditions": [{"comparison_operator": "is", "value": "x", "variable_selector": ["a", "b"]}]})).collect();
    let outputs: Vec<Value> =
        (0..20_000).map(|n| json!({"variable": format!("v{n}"), "value_selector": ["a", "text"]})).collect();
    let nodes = json!([
        {"id": "a", "data": {"type": "if-else", "title": "a", "cases": cases}}, {"id": "b", "data": {"type": "end", "title": "b", "outputs": outputs}},
        {"id": "c", "data": {"type": "variable-aggregator", "variables": vec![json!(["a", "b"]); 20_000]}},
        {"id": "d", "data": {"type": "http-request", "url": "x", "headers": "a:b\n".repeat(100_000)}},
    ]);
    let app = json!({"kind": "app", "version": "0.3.0", "app": {"mode": "workflow"}, "workflow": {"graph": {"nodes": nodes}}});
    answered(&app.to_string()).unwrap();
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~]{0,24}".prop_map(Value::from),
        "=\\{\\{ \\$json\\.[a-z(.)'|&? ]{0,20} \\}\\}".prop_map(Value::from),
        "\\{\\{#[a-z0-9.]{0,12}#\\}\\}[{}%#]{0,3}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec(("[a-zA-Z_]{1,8}", inner), 0..4)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// A file with one of its values replaced by another.
fn changed(document: &mut Value, place: &mut usize, by: &Value) {
    if *place == 0 {
        *document = by.clone();
    }
    *place = place.wrapping_sub(1);
    match document {
        Value::Array(items) => items.iter_mut().for_each(|item| changed(item, place, by)),
        Value::Object(entries) => entries.values_mut().for_each(|entry| changed(entry, place, by)),
        _ => {}
    }
}

fn count(document: &Value) -> usize {
    match document {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(entries) => 1 + entries.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

fn any_file() -> impl Strategy<Value = &'static str> {
    let files: Vec<&str> = n8n::FILES.iter().chain(&dify::FILES).map(|(_, text)| *text).collect();
    prop::sample::select(files)
}

proptest! {
    #[test]
    fn whatever_text_is_read_comes_to_an_answer(text in "\\PC{0,400}") {
        let _ = answered(&text);
    }

    #[test]
    fn whatever_is_broken_off_a_file_comes_to_an_answer(file in any_file(), from in 0.0..1.0f64, cut in 0usize..40, with in "[\\[\\]{}:,'\"a-z \n&*-]{0,6}") {
        let from = file.floor_char_boundary((file.len() as f64 * from) as usize);
        let to = file.floor_char_boundary(file.len().min(from + cut));
        let _ = answered(&format!("{}{with}{}", &file[..from], &file[to..]));
    }

    #[test]
    fn whatever_a_file_holds_comes_to_an_answer(file in any_file(), places in proptest::collection::vec((any::<prop::sample::Index>(), any_json()), 1..4)) {
        let mut document = serde_json::from_str(file).unwrap_or_else(|_| yaml::read(file).unwrap());
        for (place, by) in places {
            let mut place = place.index(count(&document));
            changed(&mut document, &mut place, &by);
        }
        let _ = answered(&document.to_string());
    }

    #[test]
    fn whatever_javascript_is_met_comes_to_an_answer(source in "([$a-z.()'|&?:+<>=!\\[\\]{}, 0-9`/-]|\\$json|=>|new |\\$\\('a'\\)){0,60}") {
        let node = json!({"name": "a", "type": "set", "typeVersion": 3.4, "parameters": {"assignments": {"assignments": [{"name": "x", "value": format!("={{{{{source}}}}}")}]}}});
        let mail = json!({"name": "b", "type": "slack", "parameters": {"text": format!("=x {{{{{source}}}}} y")}});
        let call = json!({"name": "c", "type": "httpRequest", "typeVersion": 4, "parameters": {"method": "POST", "url": "https://x.example.com", "sendBody": true, "jsonBody": format!("={{\"a\": {{{{{source}}}}}}}")}});
        let imported = answered(&n8n(vec![node, mail, call], json!({"a": {"main": [[{"node": "b"}]]}}))).unwrap();
        prop_assert_eq!(imported.report.nodes.len(), 3);
        prop_assert!(imported.report.nodes.iter().all(|node| node.status != Status::Unsupported || node.why.contains("longer")), "{:?}", imported.report.nodes);
    }
}
