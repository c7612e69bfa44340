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
    let parts = imported.report.nodes.iter().filter(|node| node.id.starts_with("part"));
    assert!(parts.clone().count() == 2 && parts.clone().all(|node| node.why == "is part of `Scout`"));
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
}

#[test]
fn an_output_parser_is_a_part_of_the_instructions() {
    let parser = json!({"type": "outputParserStructured", "parameters": {"jsonSchemaExample": "{\"total\": 3}"}});
    let imported = import(json!({"options": {}}), &[("ai_outputParser", parser)]);
    let instructions = fields(&imported)["config"]["instructions"].as_str().unwrap();
    assert!(instructions.contains("JSON") && instructions.contains("\"total\""), "{instructions}");
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
