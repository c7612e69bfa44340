//! Tools of MCP servers: the calls, and what the model sees of their results.

use domain::run::OnUncertain;

use super::*;

fn search(name: &str) -> AgentTool {
    let target = ToolTarget::Mcp {
        url: "https://crm.example/mcp".to_owned(),
        tool: "search".to_owned(),
        schema_hash: "a".repeat(64),
        credential: Some(ToolCredentialKey { agent_id: id(1), tool: "crm".to_owned() }),
        on_uncertain: OnUncertain::Ask,
    };
    tool(name, target)
}

fn result() -> Value {
    json!({
        "content": [
            {"type": "text", "text": "Found."}, {"type": "image", "base64": "AAAA", "contentType": "image/png"},
            {"type": "resource", "uri": "file:///a.pdf", "name": "a.pdf", "base64": "AAAA", "contentType": "application/pdf"},
            {"type": "resource_link", "uri": "https://crm.example/7", "name": "order 7"},
        ],
        "structuredContent": {"count": 1}, "text": "Found.",
    })
}

/// The messages after the answer that calls a tool with this result.
fn messages_after(agent: AgentSnapshot, result: Value) -> Vec<Value> {
    let mut play = Play::new(vec![agent]);
    play.answer(calls(&[("crm_search", r#"{"id": 7}"#)]));
    let config = play.answer(result);
    assert_eq!(config["arguments"], json!({"id": 7}));
    assert_eq!((&config["tool"], &config["onUncertain"]), (&json!("search"), &json!("ask")));
    assert_eq!(config["toolCredential"]["tool"], "crm");
    let config = play.answer(text("Here it is."));
    assert_eq!(play.log[1], "2 mcp crm_search");
    config["messages"].as_array().unwrap()[3..].to_vec()
}

#[test]
fn a_model_that_sees_gets_the_images_after_the_results() {
    let agent = AgentSnapshot { sees_images: true, ..agent(1, vec![search("crm_search")]) };
    let messages = messages_after(agent, result());
    let text = "Found.\n[image 1]\n[a.pdf: a file of the type application/pdf, which cannot be shown]\n\
                [order 7: a link to https://crm.example/7]";
    assert_eq!((&messages[0]["role"], &messages[0]["content"]), (&json!("tool"), &json!(text)));
    assert_eq!(messages[1]["role"], "user");
    assert_eq!(messages[1]["content"][1]["image_url"]["url"], "data:image/png;base64,AAAA");
    assert_eq!(messages.len(), 2);
}

#[test]
fn a_model_that_does_not_see_reads_that_there_is_an_image() {
    let messages = messages_after(agent(1, vec![search("crm_search")]), result());
    assert_eq!(messages.len(), 1);
    let content = messages[0]["content"].as_str().unwrap();
    assert!(content.contains("[a file of the type image/png, which cannot be shown]"), "{content}");
}

#[test]
fn a_structured_result_without_a_text_is_read_as_json() {
    let result = json!({"content": [], "structuredContent": {"count": 1}, "text": ""});
    let messages = messages_after(agent(1, vec![search("crm_search")]), result);
    assert_eq!(messages[0]["content"], r#"{"count":1}"#);
}

#[test]
fn the_model_learns_which_tools_are_left_out() {
    let error = StepError::new("mcp_tool_changed", "It was changed.");
    let left = |name: Option<&str>| LeftOutTool {
        tool: "crm".to_owned(),
        name: name.map(str::to_owned),
        error: error.clone(),
    };
    let agent = AgentSnapshot { left_out: vec![left(Some("search")), left(None)], ..agent(1, vec![]) };
    let config = Play::new(vec![agent]).answer(text("Sorry."));
    let system = "system: You are agent 1.\n\nThese tools cannot be used at present: crm_search, all tools of crm.";
    assert_eq!(contents(&config)[0], system);
}
