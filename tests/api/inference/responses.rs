//! OpenAI's Responses API: `/gateway/v1/responses`.

use domain::money::Money;
use domain::provider::ProviderKind;
use insta::assert_json_snapshot;
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::send;
use tests::gateway::ModelBuilder;
use tests::provider::{Behaviour, FakeProvider};

use super::{post, with};

const RESPONSES: &str = "/gateway/v1/responses";
const ANTHROPIC_STREAM: &str = include_str!("../../providers/fixtures/anthropic/stream.sse");
const ANTHROPIC_ANSWER: &str = include_str!("../../providers/fixtures/anthropic/answer.json");

fn response(input: &str) -> Value {
    json!({"model": "dev-chat", "input": input})
}

async fn claude(app: &TestApp) -> FakeProvider {
    let fake = FakeProvider::start().await;
    let builder = ModelBuilder::new("claude");
    let change = |provider: &mut store::catalog::StoredProvider| provider.kind = ProviderKind::Anthropic;
    builder.with_changed_deployment(app, &fake, change).await.insert(app).await;
    fake
}

/// The data of a stream's events, whose numbers have no gap.
fn events(text: &str) -> Vec<Value> {
    let events = text.split("\n\n").filter(|event| !event.is_empty()).enumerate().map(|(number, event)| {
        let (name, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(
            (&data["type"], &data["sequence_number"]),
            (&json!(name.strip_prefix("event: ").unwrap()), &json!(number))
        );
        data
    });
    events.collect()
}

#[tokio::test]
async fn a_response_is_continued_read_and_deleted() {
    let app = TestApp::start().await;
    let person = app.customer("responses", Money::from_usd(1)).await.person;
    let first =
        post(&person, RESPONSES, &with(response("My name is Ada."), json!({"instructions": "Be brief."}))).await;
    assert_eq!(first.status, "200 OK", "{}", first.text);
    assert_json_snapshot!(
        first.json,
        {".id" => "[id]", ".created_at" => 0, ".output[].id" => "[id]"},
        @r#"
    {
      "id": "[id]",
      "object": "response",
      "created_at": 0,
      "status": "completed",
      "background": false,
      "error": null,
      "incomplete_details": null,
      "instructions": "Be brief.",
      "max_output_tokens": null,
      "metadata": {},
      "model": "dev-chat",
      "output": [
        {
          "id": "[id]",
          "type": "message",
          "status": "completed",
          "role": "assistant",
          "content": [
            {
              "type": "output_text",
              "text": "I am dev-chat, the development model of this platform; no provider is behind me. You said: My name is Ada.",
              "annotations": [],
              "logprobs": []
            }
          ]
        }
      ],
      "parallel_tool_calls": true,
      "previous_response_id": null,
      "reasoning": {
        "effort": null,
        "summary": null
      },
      "store": true,
      "temperature": null,
      "text": {
        "format": {
          "type": "text"
        }
      },
      "tool_choice": "auto",
      "tools": [],
      "top_p": null,
      "truncation": "disabled",
      "usage": {
        "input_tokens": 30,
        "input_tokens_details": {
          "cached_tokens": 0,
          "cache_write_tokens": 0
        },
        "output_tokens": 51,
        "output_tokens_details": {
          "reasoning_tokens": 0
        },
        "total_tokens": 81,
        "cost": 0.0000234
      },
      "user": null
    }
    "#
    );
    assert!(first.header("x-request-cost").is_some());
    let id = first.json["id"].as_str().unwrap();
    let path = format!("{RESPONSES}/{id}");
    assert_eq!(person.get(&path).await.json, first.json);

    let second =
        post(&person, RESPONSES, &with(response("What is my name?"), json!({"previous_response_id": id}))).await;
    let third = with(response("And now?"), json!({"previous_response_id": second.json["id"]}));
    let third = post(&person, RESPONSES, &third).await;
    assert_eq!(third.json["previous_response_id"], second.json["id"]);
    let input = |answer: &tests::client::Answer| answer.json["usage"]["input_tokens"].as_u64().unwrap();
    assert!(input(&first) < input(&second) && input(&second) < input(&third), "each one has the messages before it");

    assert_eq!(person.delete(&path).await.json, json!({"id": id, "object": "response", "deleted": true}));
    assert_eq!(
        (person.get(&path).await.code(), person.delete(&path).await.code()),
        ("response_not_found", "response_not_found")
    );
    let gone = post(&person, RESPONSES, &with(response("a"), json!({"previous_response_id": id}))).await;
    assert_eq!(gone.json["error"]["param"], "previous_response_id", "{}", gone.text);
    let still = with(response("a"), json!({"previous_response_id": second.json["id"]}));
    assert_eq!(post(&person, RESPONSES, &still).await.status, "200 OK");
}

#[tokio::test]
async fn only_its_user_sees_a_response() {
    let app = TestApp::start().await;
    let owner = app.customer("owner", Money::from_usd(1)).await.person;
    let stranger = app.customer("stranger", Money::from_usd(1)).await.person;
    let made = post(&owner, RESPONSES, &response("secret")).await;
    let id = made.json["id"].as_str().unwrap().to_owned();
    let unknown = "resp_00000000000000000000000000000000";
    for id in [id.as_str(), unknown] {
        let path = format!("{RESPONSES}/{id}");
        assert_eq!(stranger.get(&path).await.code(), "response_not_found");
        assert_eq!(stranger.delete(&path).await.code(), "response_not_found");
        let continued = post(&stranger, RESPONSES, &with(response("a"), json!({"previous_response_id": id}))).await;
        assert_eq!(
            (continued.code(), &continued.json["error"]["param"]),
            ("invalid_body", &json!("previous_response_id"))
        );
    }
    let nobody = app.anonymous();
    assert_eq!(nobody.get(&format!("{RESPONSES}/{id}")).await.status, "401 Unauthorized");
    assert_eq!(post(&nobody, RESPONSES, &response("a")).await.status, "401 Unauthorized");
    assert_eq!(owner.get(&format!("{RESPONSES}/{id}")).await.status, "200 OK");
}

#[tokio::test]
async fn a_response_is_kept_only_if_the_client_wants_it() {
    let app = TestApp::start().await;
    let person = app.customer("store", Money::from_usd(1)).await.person;
    let environment = async |body: Value| {
        app.recorder.take();
        let answer = post(&person, RESPONSES, &body).await;
        assert_eq!(answer.status, "200 OK", "{}", answer.text);
        let costs = app.recorder.take_costs().to_string();
        (answer.json["id"].as_str().map(|id| format!("{RESPONSES}/{id}")), costs)
    };
    environment(response("Hi")).await;
    let (kept, costs) = environment(response("Hi")).await;
    let (not_kept, fewer) = environment(with(response("Hi"), json!({"store": false}))).await;
    assert_eq!(person.get(&kept.unwrap()).await.status, "200 OK");
    assert_eq!(person.get(&not_kept.unwrap()).await.code(), "response_not_found");
    assert_ne!(costs, fewer, "a response that is kept costs one write more");
    let long = "a long message ".repeat(3_000);
    let (kept, _) = environment(response(&long)).await;
    let kept = person.get(&kept.unwrap()).await;
    let continued = with(response("b"), json!({"previous_response_id": kept.json["id"]}));
    let continued = post(&person, RESPONSES, &continued).await;
    assert!(continued.json["usage"]["input_tokens"].as_u64().unwrap() > 10_000, "{}", continued.text);
}

#[tokio::test]
async fn a_stream_has_the_events_of_openai() {
    let app = TestApp::start().await;
    let fake = claude(&app).await;
    fake.respond_with(Behaviour::events(ANTHROPIC_STREAM));
    let person = app.customer("streams", Money::from_usd(1)).await.person;
    let body = json!({
        "model": "claude", "input": "Why?", "stream": true, "include": ["reasoning.encrypted_content"],
        "tools": [{"type": "function", "name": "weather", "parameters": {"type": "object"}}],
    });
    let answer = post(&person, RESPONSES, &body).await;
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let events = events(&answer.text);
    assert_json_snapshot!(events, {
        "[].item_id" => "[id]", "[].item.id" => "[id]", "[].response.id" => "[id]", "[].response.created_at" => 0,
        "[].response.output[].id" => "[id]",
    });
    let last = &events.last().unwrap()["response"];
    let kept = person.get(&format!("{RESPONSES}/{}", last["id"].as_str().unwrap())).await;
    assert_eq!(&kept.json, last, "the kept response is the one of the last event");
}

#[tokio::test]
async fn reasoning_goes_back_to_its_vendor() {
    let app = TestApp::start().await;
    let fake = claude(&app).await;
    fake.respond_with(Behaviour::json(200, ANTHROPIC_ANSWER));
    let person = app.customer("reasoning", Money::from_usd(1)).await.person;
    let tools = json!([{"type": "function", "name": "weather", "parameters": {"type": "object"}}]);
    let body = json!({"model": "claude", "input": [{"role": "user", "content": "Why?"}], "tools": tools, "reasoning": {"effort": "low"}});
    let thinking = json!({"type": "thinking", "thinking": "They want the weather.", "signature": "c2lnbmF0dXJl"});
    let outputs = |output: &Value| {
        let calls = output.as_array().unwrap().iter().filter(|item| item["type"] == "function_call");
        calls
            .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "ok"}))
            .collect::<Vec<_>>()
    };

    // The client keeps the conversation itself.
    let own = with(body.clone(), json!({"store": false, "include": ["reasoning.encrypted_content"]}));
    let first = post(&person, RESPONSES, &own).await;
    let output = &first.json["output"];
    assert_eq!(output[0]["encrypted_content"], "anthropic//c2lnbmF0dXJl", "{}", first.text);
    let mut input = own["input"].as_array().unwrap().clone();
    input.extend(output.as_array().unwrap().clone());
    input.extend(outputs(output));
    fake.take_requests();
    post(&person, RESPONSES, &with(own, json!({"input": input}))).await;
    let sent = fake.take_requests().remove(0).body;
    assert_eq!(sent["messages"][1]["content"][0], thinking, "{sent}");

    // The gateway keeps it.
    let first = post(&person, RESPONSES, &body).await;
    assert_eq!(first.json["output"][0].get("encrypted_content"), None);
    let input = outputs(&first.json["output"]);
    fake.take_requests();
    post(&person, RESPONSES, &with(body, json!({"input": input, "previous_response_id": first.json["id"]}))).await;
    let sent = fake.take_requests().remove(0).body;
    assert_eq!(sent["messages"][1]["content"][0], thinking, "{sent}");
    assert_eq!(sent["messages"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn custom_tools_are_functions_for_the_model() {
    let app = TestApp::start().await;
    let fake = FakeProvider::start().await;
    ModelBuilder::new("gpt").with_deployment(&app, &fake).await.insert(&app).await;
    let call = json!({"id": "call_1", "type": "function", "function": {"name": "patch", "arguments": "{\"input\": \"*** Begin\"}"}});
    let message = json!({"role": "assistant", "content": null, "tool_calls": [call]});
    let choice = json!({"index": 0, "message": message, "finish_reason": "tool_calls"});
    fake.respond_with(Behaviour::json(
        200,
        json!({"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1}}),
    ));
    let person = app.customer("custom", Money::from_usd(1)).await.person;
    let body =
        json!({"model": "gpt", "input": "Patch it", "tools": [{"type": "custom", "name": "patch"}], "verbosity": "x"});
    let answer = post(&person, RESPONSES, &body).await;
    assert_eq!(answer.header("x-svc-dropped"), Some("verbosity"));
    let item = &answer.json["output"][0];
    assert_eq!((&item["type"], &item["input"]), (&json!("custom_tool_call"), &json!("*** Begin")));
    let sent = fake.take_requests().remove(0).body;
    assert_eq!(sent["tools"][0]["function"]["parameters"]["required"], json!(["input"]));
}

#[tokio::test]
async fn a_cut_answer_is_incomplete_and_a_failed_one_says_why() {
    let app = TestApp::start().await;
    let fake = claude(&app).await;
    let person = app.customer("incomplete", Money::from_usd(1)).await.person;
    let short = post(&person, RESPONSES, &with(response("Hi"), json!({"max_output_tokens": 2}))).await;
    assert_eq!(
        (&short.json["status"], &short.json["incomplete_details"]["reason"]),
        (&json!("incomplete"), &json!("max_output_tokens"))
    );
    fake.respond_with(Behaviour::events(ANTHROPIC_STREAM).cut_after(9));
    let cut = post(&person, RESPONSES, &json!({"model": "claude", "input": "Why?", "stream": true})).await;
    assert_eq!(cut.status, "200 OK", "{}", cut.text);
    let events = events(&cut.text);
    let last = events.last().unwrap();
    assert_eq!((&last["type"], &last["response"]["status"]), (&json!("response.failed"), &json!("failed")));
    assert_eq!(last["response"]["error"]["code"], "provider_stream_cut");
    let refused = post(&person, RESPONSES, &with(response("Hi"), json!({"tools": [{"type": "web_search"}]}))).await;
    assert_eq!(refused.json["error"]["param"], "tools[0].type");
    assert!(refused.json["error"]["message"].as_str().unwrap().contains("web_search"), "{}", refused.text);
}

#[tokio::test]
async fn a_repeated_key_replays_the_response() {
    let app = TestApp::start().await;
    let person = app.customer("replay", Money::from_usd(1)).await.person;
    for is_streamed in [false, true] {
        let body = with(response("Hi"), json!({"stream": is_streamed}));
        let call = async || {
            let request = person.request(reqwest::Method::POST, RESPONSES).json(&body);
            send(request.header("idempotency-key", format!("key-{is_streamed}"))).await
        };
        let (first, second) = (call().await, call().await);
        assert_eq!((first.text, second.header("idempotent-replayed")), (second.text.clone(), Some("true")));
    }
}
