//! A coding assistant without a model: it calls the tools of the studio, and checks each answer against the tool's schema.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tests::assistant::{Assistant, McpStream};
use tests::client::{Answer, Person, send};

use super::STUDIO;

pub struct Studio {
    client: Assistant,
    pub tools: BTreeMap<String, Value>,
    pub language: &'static str,
}

/// The answer of a tool.
#[derive(Debug)]
pub struct Called {
    pub text: String,
    pub value: Value,
    pub is_error: bool,
}

impl Studio {
    pub async fn connect(person: &Person) -> Self {
        let client = Assistant::connect(person, STUDIO).await;
        let tools = client.tools().await.into_iter();
        let tools = tools.map(|tool| (tool["name"].as_str().unwrap().to_owned(), tool)).collect();
        Self { client, tools, language: "en" }
    }

    /// The same session, used by another person.
    pub fn of(mut self, person: &Person) -> Self {
        self.client.person = person.clone();
        self
    }

    /// Sends a request of the protocol. Returns the message that answers it.
    pub async fn ask(&self, method: &str, params: Value) -> Value {
        let (id, request) = self.client.message(method, params);
        McpStream::of(request.header("accept-language", self.language)).await.answer_to(id).await
    }

    /// Sends a request of the protocol. Returns the response.
    pub async fn send(&self, method: &str, params: Value) -> Answer {
        send(self.client.message(method, params).1).await
    }

    pub async fn call(&self, tool: &str, arguments: Value) -> Called {
        let answered = self.ask("tools/call", json!({"name": tool, "arguments": arguments})).await;
        let result = &answered["result"];
        assert!(result["content"].is_array(), "{tool} {arguments}: {answered}");
        let value = result["structuredContent"].clone();
        // The official SDKs refuse answers that do not match the schema.
        let schema = jsonschema::draft202012::new(&self.tools[tool]["outputSchema"]).unwrap();
        let problems: Vec<_> = schema.iter_errors(&value).map(|problem| problem.to_string()).collect();
        assert!(problems.is_empty(), "{tool}: {problems:?}");
        let text = result["content"][0]["text"].as_str().unwrap_or_default().to_owned();
        Called { text, value, is_error: result["isError"] == true }
    }

    /// Calls a tool that must succeed. Returns its values.
    pub async fn value(&self, tool: &str, arguments: Value) -> Value {
        let called = self.call(tool, arguments).await;
        assert!(!called.is_error, "{tool}: {}", called.text);
        called.value
    }

    /// Calls a tool that must fail. Returns the status and the code of its error.
    pub async fn refusal(&self, tool: &str, arguments: Value) -> (u64, String) {
        let called = self.call(tool, arguments).await;
        assert!(called.is_error, "{tool}: {}", called.text);
        let error = &called.value["error"];
        let code = error["code"].as_str().unwrap_or_default();
        assert!(called.text.starts_with(&format!("{code}: ")), "{}", called.text);
        (error["status"].as_u64().unwrap(), code.to_owned())
    }
}
