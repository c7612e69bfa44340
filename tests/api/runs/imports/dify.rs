//! Apps of Dify. The model `dev-chat` ends its answer with the prompt that it got.

use super::*;

async fn no_server() -> Server {
    Server::start(&[]).await
}

/// The variables of the form replace their names in the prompt, and the app answers with the text of the model.
#[tokio::test]
async fn completion() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let import = publish_import(&ada, "dify/completion.json", &no_server().await).await;
    let run = import.run(&app, &ada, json!({"language": "Spanish", "query": "Good morning"})).await;
    assert!(run.to_string().contains("Translate to Spanish:\\nGood morning"), "{run}");
    assert_eq!(run["state"], "completed", "{run}");
}

/// The query is the message to the agent.
#[tokio::test]
async fn agent_chat() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let import = publish_import(&ada, "dify/agent-chat.yml", &no_server().await).await;
    let run = import.run(&app, &ada, json!({"query": "Who was Ada?"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(run["output"].to_string().contains("Who was Ada?"), "{run}");
}

/// List Operator filters, sorts and limits a list. Iteration gives the list of the outputs of its last node, in the order
/// of the input. Template renders Jinja2 with its variables. IF/ELSE takes the branch of the first case that is true.
#[tokio::test]
async fn iterate_reviews() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let mut import = import(&ada, "dify/iterate-reviews.yml").await;
    import.reconnect(&ada, &no_server().await.url, "").await;
    // The form of the app has an object in place of the list: Dify's forms have no lists of objects.
    import.graph["nodes"][0]["config"]["schema"]["properties"]["reviews"] = json!({"type": "array"});
    import.save(&ada).await;
    import.publish(&ada).await;
    let review = |text: &str, stars: u32, date: &str| json!({"text": text, "stars": stars, "date": date});
    let reviews = [review("early", 4, "2026-01-01"), review("bad", 1, "2026-01-02"), review("late", 5, "2026-01-03")];
    let run = import.run(&app, &ada, json!({"reviews": reviews})).await;
    assert_eq!(run["state"], "completed", "{run}");
    let all = run["output"]["all"].as_array().unwrap();
    let parts = [("late", "no. 0>"), ("early", "no. 1>")];
    assert_eq!(all.len(), parts.len(), "{run}");
    for (text, (part, end)) in all.iter().zip(parts) {
        let text = text.as_str().unwrap();
        assert!(text.starts_with('<') && text.contains(part) && text.ends_with(end), "{text}");
    }
}

/// A chat with a form starts with its fields and the query, and its answer is the result of the run.
#[tokio::test]
async fn rag_chatbot() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let import = publish_import(&ada, "dify/rag-chatbot.yml", &no_server().await).await;
    let run = import.run(&app, &ada, json!({"department": "HR", "query": "How many days off?"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    assert!(run["output"]["answer"].is_string(), "{run}");
}

/// The knowledge is searched with the query, and the model gets the passages and the instructions of the app.
#[tokio::test]
async fn support_chat() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let import = publish_import(&ada, "dify/support-chat.yml", &no_server().await).await;
    let run = import.run(&app, &ada, json!({"department": "HR", "query": "How many days off?"})).await;
    assert_eq!(run["state"], "completed", "{run}");
    let answer = run["output"].to_string();
    assert!(answer.contains("To be replaced") && answer.contains("How many days off?"), "{run}");
}
