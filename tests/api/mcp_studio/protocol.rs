//! The studio as a server of the protocol: what clients see before they call a tool.

use serde_json::{Value, json};
use tests::TestApp;
use tests::assistant::Assistant;

use super::STUDIO;
use super::assistant::Studio;

#[tokio::test]
async fn tools_teach_what_they_do_and_what_they_change() {
    let app = TestApp::start().await;
    let studio = Studio::connect(&app.person("ada")).await;
    for (name, tool) in &studio.tools {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{name}");
            assert!(jsonschema::meta::is_valid(&tool[schema]), "{name} {schema}");
        }
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
        let fields = tool["inputSchema"]["properties"].as_object().unwrap();
        assert!(
            fields.values().all(|field| field["description"].is_string()),
            "{name} has a field without a description"
        );
        let description = tool["description"].as_str().unwrap();
        assert!((40..600).contains(&description.len()) && !description.contains("  "), "{name}: {description}");
        assert!(tool["title"].is_string(), "{name}");
    }
    let reads =
        |name: &str| ["list_", "get_", "validate_", "evaluate_", "diff_"].iter().any(|verb| name.starts_with(verb));
    for (name, tool) in &studio.tools {
        let hints = &tool["annotations"];
        assert_eq!(hints["readOnlyHint"], reads(name), "{name}");
        assert_eq!(hints["openWorldHint"], ["preview_workflow", "start_run"].contains(&name.as_str()), "{name}");
        if name == "create_workflow" {
            assert_eq!((&hints["destructiveHint"], &hints["idempotentHint"]), (&json!(false), &json!(false)));
        }
    }
    assert!(studio.tools.len() >= 20, "{:?}", studio.tools.keys());
}

#[tokio::test]
async fn a_tool_that_only_reads_leaves_everything_as_it_is() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let studio = Studio::connect(&ada).await;
    let created = studio.value("create_workflow", json!({"template": "expense-approval"})).await;
    let id = created["workflowId"].as_str().unwrap();
    let path = format!("/builder/v1/workflows/{id}");
    let before = ada.get(&path).await.json;
    for (name, tool) in &studio.tools {
        if tool["annotations"]["readOnlyHint"] == true {
            let required = tool["inputSchema"]["required"].as_array().unwrap();
            let value = |name: &str| match name {
                "workflowId" => id,
                "type" => "condition",
                "template" => "faq-chat",
                _ => "1 + 1",
            };
            let arguments: serde_json::Map<_, _> = required
                .iter()
                .map(|name| (name.as_str().unwrap().to_owned(), Value::from(value(name.as_str().unwrap()))))
                .collect();
            studio.call(name, arguments.into()).await;
        }
    }
    assert_eq!(ada.get(&path).await.json, before);
}

#[tokio::test]
async fn the_newest_version_needs_no_session_and_has_the_instructions() {
    let app = TestApp::start().await;
    let assistant = Assistant::stateless(&app.person("ada"), STUDIO);
    let discovered = assistant.ask("server/discover", json!({})).await;
    let instructions = discovered["result"]["instructions"].as_str().expect("instructions");
    let tools = assistant.tools().await;
    for tool in &tools {
        let name = tool["name"].as_str().unwrap();
        assert!(instructions.contains(&format!("`{name}`")), "the instructions do not name {name}");
    }
    let called = assistant.call("list_node_types", json!({})).await;
    assert!(called["structuredContent"]["nodeTypes"].as_array().unwrap().len() > 15, "{called}");
}
