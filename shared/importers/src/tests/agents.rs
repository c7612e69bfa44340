//! Agents of n8n: a node and its sub-nodes become one agent.

use domain::agent::AgentConfig;
use serde_json::{Value, json};

use super::*;

/// Imports an agent with sub-nodes: the kind of the connection, and the node.
fn import(parameters: Value, parts: &[(&str, Value)]) -> Imported {
    let mut nodes = vec![
        json!({"name": "Go", "type": "manualTrigger"}),
        json!({"name": "Scout", "type": "agent", "typeVersion": 1.7, "parameters": parameters}),
    ];
    let mut connections = json!({"Go": {"main": [[{"node": "Scout"}]]}});
    for (index, (kind, part)) in parts.iter().enumerate() {
        let mut part = part.clone();
        part["name"] = json!(format!("Part {index}"));
        connections[format!("Part {index}")][*kind] = json!([[{"node": "Scout", "type": kind}]]);
        nodes.push(part);
    }
    read_sound(&json!({"name": "x", "nodes": nodes, "connections": connections}).to_string())
}

fn fields(imported: &Imported) -> &Value {
    assert_eq!(imported.agents.len(), 1);
    assert_eq!(imported.agents[0].node_id, "scout");
    let fields = &imported.agents[0].fields;
    serde_json::from_value::<AgentConfig>(fields["config"].clone()).unwrap();
    fields
}

#[test]
fn an_agent_has_its_model_instructions_and_memory() {
    let model = json!({"type": "lmChatOpenAi", "parameters": {"model": {"value": "gpt-4o"}, "options": {"temperature": 0.2, "maxTokens": 500}}});
    let imported = import(
        json!({"promptType": "define", "text": "={{ $json.question }}", "options": {"systemMessage": "Be brief."}}),
        &[("ai_languageModel", model), ("ai_memory", json!({"type": "memoryBufferWindow"}))],
    );
    let expected = json!({
        "name": "Scout",
        "config": {"temperature": 0.2, "maxTokens": 500, "model": "gpt-4o", "instructions": "Be brief.", "tools": []},
    });
    assert_eq!(*fields(&imported), expected);
    let step = config(&imported, "scout");
    assert_eq!((&step["memory"], &step["message"]), (&json!(true), &json!({"js": "$json.question"})));
    assert_eq!(part(&imported, 0), (Status::Mapped, "is part of `Scout`"));
    let why =
        "is part of `Scout`: it has no effect, because agents remember messages only in runs that a message starts";
    assert_eq!(part(&imported, 1), (Status::Partial, why));
}

/// The report of a sub-node.
fn part(imported: &Imported, index: usize) -> (Status, &str) {
    let id = format!("part_{index}");
    let node = imported.report.nodes.iter().find(|node| node.id == id).unwrap();
    (node.status, &node.why)
}

#[test]
fn what_an_agent_does_not_have_is_reported() {
    let options = json!({"maxIterations": 4, "returnIntermediateSteps": true, "passthroughBinaryImages": false});
    let model = json!({"type": "lmChatOpenRouter", "parameters": {"options": {}}});
    let second = json!({"type": "lmChatOpenAi", "parameters": {"model": "gpt-4o"}});
    let server = json!({"type": "mcpClientTool", "parameters": {"sseEndpoint": "https://example.com/mcp"}});
    let parts = [("ai_languageModel", model), ("ai_languageModel", second), ("ai_tool", server)];
    let imported = import(json!({"agent": "sqlAgent", "options": options}), &parts);
    assert_eq!(config(&imported, "scout")["maxSteps"], 4);
    let note = &imported.report.nodes[1].why;
    assert!(note.contains("some options are not imported: returnIntermediateSteps;"), "{note}");
    assert!(note.ends_with("of the type `sqlAgent`: here an agent calls its tools until it has an answer"), "{note}");
    assert!(part(&imported, 0).1.contains("the agent has the default model of the plan"));
    assert!(part(&imported, 1).1.contains("only the first one is asked"));
    assert!(part(&imported, 2).1.contains("choose the tools of the server"));
}

#[test]
fn a_memory_is_the_conversation_of_the_message() {
    let memory = |parameters: Value| {
        let nodes = json!([
            {"name": "Go", "type": "chatTrigger"}, {"name": "Scout", "type": "agent", "typeVersion": 2},
            {"name": "Part 0", "type": "memoryBufferWindow", "typeVersion": 1.3, "parameters": parameters},
        ]);
        let wires = json!({
            "Go": {"main": [[{"node": "Scout"}]]}, "Part 0": {"ai_memory": [[{"node": "Scout", "type": "ai_memory"}]]},
        });
        let imported = read_sound(&json!({"name": "x", "nodes": nodes, "connections": wires}).to_string());
        part(&imported, 0).1.to_owned()
    };
    let why = "is part of `Scout`: the agent knows the conversation of the message that starts the run, not its last";
    assert_eq!(memory(json!({})), format!("{why} 5 exchanges"));
    let own = json!({"sessionIdType": "customKey", "sessionKey": "a", "contextWindowLength": 20});
    assert_eq!(memory(own), format!("{why} 20 exchanges; its session key is not imported"));
}

#[test]
fn instructions_that_depend_on_the_item_come_with_the_message() {
    let parameters = json!({
        "promptType": "define", "text": "={{ $json.question }}",
        "options": {"systemMessage": "=Today is {{ $now }}."},
    });
    let imported = import(parameters, &[]);
    assert_eq!(fields(&imported)["config"]["instructions"], "You are a helpful assistant");
    let message = config(&imported, "scout")["message"]["js"].clone();
    assert!(message.as_str().is_some_and(|js| js.contains("Today is") && js.contains("$json.question")), "{message}");
    let note = &imported.report.nodes[1].why;
    assert!(note.contains("its instructions depend on the item, so they come with each message"), "{note}");
}

#[test]
fn an_output_parser_is_a_part_of_the_instructions() {
    let parser = json!({"type": "outputParserStructured", "parameters": {"jsonSchemaExample": "{\"total\": 3}"}});
    let imported = import(json!({"options": {}}), &[("ai_outputParser", parser)]);
    let instructions = fields(&imported)["config"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("JSON") && instructions.contains("\"total\""), "{instructions}");
    assert!(part(&imported, 0).1.ends_with("its answers are not validated against it"));
}

#[test]
fn a_parser_that_corrects_answers_has_the_schema_of_its_own_parser() {
    let schema = json!({"jsonSchemaExample": "{\"total\": 3}"});
    let nodes = json!([
        {"name": "Go", "type": "manualTrigger"}, {"name": "Scout", "type": "agent", "typeVersion": 2},
        {"name": "Part 0", "type": "outputParserAutofixing"},
        {"name": "Part 1", "type": "outputParserStructured", "parameters": schema},
        {"name": "Part 2", "type": "lmChatOpenAi", "parameters": {"model": "gpt-4o"}},
    ]);
    let to = |node: &str, kind: &str| json!({kind: [[{"node": node, "type": kind}]]});
    let wires = json!({
        "Go": {"main": [[{"node": "Scout"}]]}, "Part 0": to("Scout", "ai_outputParser"),
        "Part 1": to("Part 0", "ai_outputParser"), "Part 2": to("Part 0", "ai_languageModel"),
    });
    let imported = read_sound(&json!({"name": "x", "nodes": nodes, "connections": wires}).to_string());
    let instructions = fields(&imported)["config"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("\"total\""), "{instructions}");
    assert!(part(&imported, 0).1.ends_with("an answer that does not match is not corrected by another call"));
    assert_eq!(part(&imported, 1), (Status::Mapped, "is part of `Part 0`"));
    assert!(part(&imported, 2).1.starts_with("was part of `Part 0`"));
}

#[test]
fn calls_that_the_model_completes_become_tools() {
    let call = json!({"type": "httpRequestTool", "typeVersion": 4.2, "parameters": {
        "toolDescription": "Finds an order", "method": "POST",
        "url": "=https://example.com/orders/{{ $fromAI('order', 'Its number', 'number') }}",
        "authentication": "genericCredentialType", "genericAuthType": "httpHeaderAuth",
        "sendBody": true, "bodyParameters": {"parameters": [
            {"name": "note", "value": "={{ /*n8n-auto-generated-fromAI-override*/ $fromAI('parameters0_Value', ``, 'string') }}"},
        ]},
    }});
    let old = json!({"type": "toolHttpRequest", "parameters": {
        "toolDescription": "Searches", "url": "https://example.com/{area}/search",
        "placeholderDefinitions": {"values": [{"name": "area", "description": "Where", "type": "string"}]},
        "parametersQuery": {"values": [{"name": "q"}, {"name": "limit", "valueProvider": "fieldValue", "value": "5 a"}]},
    }});
    let server = json!({"type": "mcpClientTool", "parameters": {"sseEndpoint": "https://example.com/mcp", "authentication": "bearerAuth"}});
    let imported = import(json!({}), &[("ai_tool", call), ("ai_tool", old), ("ai_tool", server)]);
    let expected = json!([
        {
            "type": "http", "name": "part_0", "description": "Finds an order", "method": "POST",
            "url": "https://example.com/orders/{order}", "headers": {}, "auth": "header",
            "parameters": {
                "type": "object", "required": ["note"],
                "properties": {"order": {"type": "number", "description": "Its number"}, "note": {"type": "string"}},
            },
        },
        {
            "type": "http", "name": "part_1", "description": "Searches", "method": "GET",
            "url": "https://example.com/{area}/search?limit=5%20a", "headers": {}, "auth": "none",
            "parameters": {
                "type": "object", "required": ["q"],
                "properties": {"area": {"type": "string", "description": "Where"}, "q": {"type": "string"}},
            },
        },
        {"type": "mcp", "name": "part_2", "url": "https://example.com/mcp", "auth": "bearer", "tools": []},
    ]);
    assert_eq!(fields(&imported)["config"]["tools"], expected);
}

#[test]
fn a_tool_without_an_equivalent_is_left_to_a_person() {
    let computed = json!({"type": "httpRequestTool", "parameters": {"url": "={{ $json.base }}/orders"}});
    let imported = import(json!({}), &[("ai_tool", computed), ("ai_tool", json!({"type": "toolCalculator"}))]);
    assert_eq!(fields(&imported)["config"]["tools"], json!([]));
    for id in ["part_0", "part_1"] {
        let node = imported.report.nodes.iter().find(|node| node.id == id).unwrap();
        assert_eq!(node.status, Status::Partial);
        assert!(node.why.contains("add it to the agent"), "{}", node.why);
    }
}
