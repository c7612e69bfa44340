//! Texts in the language of `Accept-Language`: node types, templates, activity and problems.

use reqwest::Method;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, Person, send};

use crate::runs::{WORKFLOWS, carry_out, double, graph, node, publish, refund, start_run};

/// A response in a language. Its headers say that it depends on the language.
async fn read(person: &Person, path: &str, accepted: &str, language: &str) -> Value {
    let answer = send(person.request(Method::GET, path).header("Accept-Language", accepted)).await;
    assert_eq!(answer.status, "200 OK", "{}", answer.text);
    assert_eq!(answer.header("content-language"), Some(language), "{path}");
    assert!(varies(&answer), "{path}: {:?}", answer.headers);
    answer.json["data"].clone()
}

fn varies(answer: &Answer) -> bool {
    let vary = answer.headers.get_all("vary").iter();
    vary.flat_map(|value| value.to_str().unwrap().split(',')).any(|name| name.trim() == "accept-language")
}

/// The fields that are equal in both languages, and the texts.
fn split(value: &Value, texts: &[&str]) -> (Value, Vec<Value>) {
    let mut rest = value.clone();
    let fields = rest.as_object_mut().unwrap();
    let texts = texts.iter().map(|name| fields.remove(*name).unwrap()).collect();
    (rest, texts)
}

/// Checks that two lists differ in these texts, and in nothing else.
fn assert_translated(english: &Value, spanish: &Value, texts: &[&str]) {
    let (english, spanish) = (english.as_array().unwrap(), spanish.as_array().unwrap());
    assert!(!english.is_empty());
    assert_eq!(english.len(), spanish.len());
    for entry in english {
        let (rest, words) = split(entry, texts);
        let translated = spanish.iter().map(|other| split(other, texts)).find(|(other, _)| *other == rest);
        let (_, others) = translated.unwrap_or_else(|| panic!("only the texts differ: {entry}"));
        for (word, other) in words.iter().zip(others) {
            assert_ne!(*word, other);
        }
    }
}

#[tokio::test]
async fn node_types_and_templates_are_translated() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let types = format!("{WORKFLOWS}/node-types");
    let (english, spanish) = (read(&ada, &types, "de, en;q=0.5", "en").await, read(&ada, &types, "es-MX", "es").await);
    assert_translated(&english, &spanish, &["description", "configSchema"]);
    assert_eq!(read(&ada, &types, "fr", "en").await, english, "English is the default");

    let templates = format!("{WORKFLOWS}/templates?perPage=100");
    let (english, spanish) = (read(&ada, &templates, "en", "en").await, read(&ada, &templates, "es", "es").await);
    assert_translated(&english, &spanish, &["name", "description", "tags"]);
    // A search finds both languages.
    for search in ["Expense", "gastos", "expiry", "expiración"] {
        let found = read(&ada, &format!("{templates}&search={search}"), "en", "en").await;
        assert_eq!(found[0]["slug"], "expense-approval", "{search}");
    }
    let template = format!("{WORKFLOWS}/templates/expense-approval");
    let (english, spanish) = (read(&ada, &template, "en", "en").await, read(&ada, &template, "es", "es").await);
    assert_translated(&json!([english]), &json!([spanish]), &["name", "description", "tags", "steps", "graph"]);
    assert_translated(&english["graph"]["nodes"], &spanish["graph"]["nodes"], &["name"]);
    let request = ada.request(Method::POST, &format!("{template}/instantiate")).header("Accept-Language", "es");
    let created = send(request).await;
    assert_eq!(created.json["data"]["name"], "Aprobación de gastos", "{}", created.text);
    assert_eq!(created.json["data"]["graph"], spanish["graph"]);
}

#[tokio::test]
async fn activity_is_translated_and_has_codes() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, refund()).await;
    let path = start_run(&ada, &flow, json!({"amount": 5})).await;
    carry_out(&app, &ada, &path).await;
    let other = publish(&ada, double()).await;
    let failed = start_run(&ada, &other, json!({"n": "x"})).await;
    carry_out(&app, &ada, &failed).await;
    for path in [format!("{path}/activity"), format!("{failed}/activity"), format!("{WORKFLOWS}/{other}/activity")] {
        let (english, spanish) = (read(&ada, &path, "en", "en").await, read(&ada, &path, "es", "es").await);
        assert_translated(&english, &spanish, &["text"]);
    }
    let codes = |entries: &Value| -> Vec<String> {
        entries.as_array().unwrap().iter().map(|entry| entry["code"].as_str().unwrap().to_owned()).collect()
    };
    let spanish = read(&ada, &format!("{path}/activity"), "es", "es").await;
    assert_eq!(
        codes(&spanish),
        ["run_queued", "step_completed", "step_asked", "step_completed", "step_completed", "run_completed"]
    );
    assert_eq!(spanish[0]["text"], "La ejecución se inició a mano.");
    let spanish = read(&ada, &format!("{WORKFLOWS}/{other}/activity"), "es", "es").await;
    assert_eq!(codes(&spanish), ["run_failed", "published", "created"]);
    let text = spanish[0]["text"].as_str().unwrap();
    assert!(text.starts_with("Una ejecución que se inició a mano falló en el nodo `end`: "), "{text}");
    assert_eq!(spanish[1]["text"], "Se publicó la versión 1.");
}

#[tokio::test]
async fn problems_are_translated() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let agent = ada.post("/builder/v1/agents").await.id().to_owned();
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "agent", json!({"agentId": agent, "message": "Hi"})),
        node("end", "send_result", json!({})),
    ];
    let flow = publish(&ada, graph(&nodes, &["start.out ask", "ask.out end"])).await;
    assert_eq!(ada.delete(&format!("/builder/v1/agents/{agent}")).await.status, "204 No Content");
    app.platform.drain().await;
    let path = format!("{WORKFLOWS}/{flow}");
    let (english, spanish) = (read(&ada, &path, "en", "en").await, read(&ada, &path, "es", "es").await);
    assert_eq!(english["problems"][0]["code"], "reference_gone", "{english}");
    assert_translated(&english["problems"], &spanish["problems"], &["message"]);
    let message = spanish["problems"][0]["message"].as_str().unwrap();
    assert_eq!(message, format!("el agente {agent} ya no existe: sustitúyalo o quite la referencia"));
}

#[tokio::test]
async fn problems_of_graphs_are_translated() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let nodes = [
        node("start", "input", json!({})),
        node("ask", "model", json!({"model": "dev-embed", "prompt": "{{ input.text | uper }}"})),
        node("end", "send_result", json!({"output": "input.n +"})),
    ];
    let created = ada.post_json(WORKFLOWS, json!({"graph": graph(&nodes, &["start.out ask", "ask.out end"])})).await;
    let path = format!("{WORKFLOWS}/{}", created.id());
    let post = |path: &str, language: &str| ada.request(Method::POST, path).header("Accept-Language", language);
    let validate = async |language: &str| {
        let answer = send(post(&format!("{path}/validate"), language)).await;
        assert_eq!(answer.header("content-language"), Some(language), "{}", answer.text);
        answer.json["data"]["problems"].clone()
    };
    let (english, spanish) = (validate("en").await, validate("es").await);
    assert_translated(&english, &spanish, &["message"]);
    let messages: Vec<&Value> = spanish.as_array().unwrap().iter().map(|problem| &problem["message"]).collect();
    assert_eq!(
        messages,
        [
            "nodo `ask`, config.model: `dev-embed` no es un modelo de chat; elija uno de GET /builder/v1/models",
            "nodo `ask`, config.prompt, línea 1, columna 17: no hay ningún filtro `uper`; ¿quiso decir `upper`?",
            "nodo `end`, config.output, línea 1, columna 10: la expresión termina demasiado pronto",
        ]
    );

    let refused = send(post(&format!("{path}/publish"), "es")).await;
    assert_eq!(refused.json["error"]["message"], *messages[0], "{}", refused.text);
    let preview = post(&format!("{WORKFLOWS}/expression/preview"), "es").json(&json!({"expression": "input.n +"}));
    let refused = send(preview).await;
    assert_eq!(
        refused.json["error"]["message"], "expression: línea 1, columna 10: la expresión termina demasiado pronto",
        "{}",
        refused.text
    );
}

#[tokio::test]
async fn a_response_without_translated_texts_does_not_vary() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let request = ada.request(Method::GET, "/builder/v1/workflows").header("Accept-Language", "es");
    let answer = send(request).await;
    assert_eq!((answer.header("content-language"), varies(&answer)), (None, false));
}
