//! What a node sends.

use domain::id::{OrgId, UserId, WorkflowId};
use domain::identity::Account;
use platform::aws::Aws;
use platform::{Context, config};

use super::super::HttpEffects;
use super::server::{body_of, header_of, response};
use super::*;
use crate::{EffectOrigin, EffectOwner};

/// The request that the server receives.
async fn request_of(path: &str, mut config: Value) -> String {
    let server = Server::answering(response(200, &[], "")).await;
    config["url"] = server.url(path).into();
    value_of(config).await;
    server.last_request()
}

fn line_of(request: &str) -> &str {
    request.lines().next().unwrap()
}

#[tokio::test]
async fn every_method_is_sent() {
    for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
        let request = request_of("/x", json!({"method": method})).await;
        assert_eq!(line_of(&request), format!("{method} /x HTTP/1.1"));
        let has_key = !matches!(method, "GET" | "HEAD");
        assert_eq!(header_of(&request, "idempotency-key"), has_key.then_some("key-1"), "{request}");
        // Some servers require a length.
        let has_length = matches!(method, "POST" | "PUT" | "PATCH");
        assert_eq!(header_of(&request, "content-length"), has_length.then_some("0"), "{request}");
    }
    assert_eq!(line_of(&request_of("/x", json!({})).await), "GET /x HTTP/1.1");
}

#[tokio::test]
async fn the_query_is_encoded_and_follows_that_of_the_url() {
    let query = json!({"q": "ñ & co=1", "empty": "", "a b": "x"});
    let encoded = "q=%C3%B1+%26+co%3D1&empty=&a+b=x";
    for (path, arrives) in [
        ("/x", format!("/x?{encoded}")),
        ("", format!("/?{encoded}")),
        ("/x?", format!("/x?{encoded}")),
        ("/x?v=2", format!("/x?v=2&{encoded}")),
        ("/x?v=2&", format!("/x?v=2&{encoded}")),
    ] {
        let request = request_of(path, json!({"query": query})).await;
        assert_eq!(line_of(&request), format!("GET {arrives} HTTP/1.1"));
    }
    assert_eq!(line_of(&request_of("/x?v=2", json!({"query": {}})).await), "GET /x?v=2 HTTP/1.1");
}

#[tokio::test]
async fn headers_are_sent() {
    let headers = json!({"Accept": "application/json", "X-Team": "Año\tnuevo", "x-empty": "", "User-Agent": "me"});
    let request = request_of("/", json!({"headers": headers})).await;
    for (name, value) in
        [("accept", "application/json"), ("x-team", "Año\tnuevo"), ("x-empty", ""), ("user-agent", "me")]
    {
        assert_eq!(header_of(&request, name), Some(value), "{request}");
    }
    assert_eq!(header_of(&request_of("/", json!({})).await, "user-agent"), Some("atelier"));
}

#[tokio::test]
async fn each_type_of_body_has_its_media_type() {
    for (body, media_type, arrives) in [
        (
            json!({"type": "json", "value": {"b": [1, 2.5, null], "a": "ñ"}}),
            "application/json",
            r#"{"b":[1,2.5,null],"a":"ñ"}"#,
        ),
        (json!({"type": "json", "value": null}), "application/json", "null"),
        (json!({"type": "text", "text": "niño\n"}), "text/plain; charset=utf-8", "niño\n"),
        (
            json!({"type": "form", "fields": {"b": "1 2", "a": "ñ&="}}),
            "application/x-www-form-urlencoded",
            "b=1+2&a=%C3%B1%26%3D",
        ),
        (
            json!({"type": "file", "file": {"base64": "YSxiDQo=", "contentType": "text/csv", "name": "a.csv"}}),
            "text/csv",
            "a,b\r\n",
        ),
        (json!({"type": "file", "file": {"base64": "YQ"}}), "application/octet-stream", "a"),
        (json!({"type": "file", "file": "niño"}), "text/plain; charset=utf-8", "niño"),
    ] {
        let config = json!({"method": "POST", "body": body});
        let request = request_of("/", config.clone()).await;
        assert_eq!((header_of(&request, "content-type"), body_of(&request)), (Some(media_type), arrives));
        let mut config = config;
        config["headers"] = json!({"Content-Type": "application/vnd.x+json"});
        let request = request_of("/", config).await;
        assert_eq!(header_of(&request, "content-type"), Some("application/vnd.x+json"));
        assert_eq!(request.matches("content-type").count(), 1);
    }
}

#[tokio::test]
async fn the_idempotency_key_belongs_to_the_attempt() {
    let server = Server::answering(response(200, &[], "")).await;
    let first = effect(json!({"method": "POST", "url": server.url("/")}));
    let second = Effect { attempt: 2, idempotency_key: "key-2".to_owned(), ..first.clone() };
    for effect in [&first, &first, &second] {
        perform(effect, None).await.unwrap();
    }
    let requests = server.requests();
    let keys: Vec<_> = requests.iter().filter_map(|request| header_of(request, "idempotency-key")).collect();
    assert_eq!(keys, ["key-1", "key-1", "key-2"]);
}

#[tokio::test]
async fn a_credential_is_sent_in_its_place() {
    let server = Server::answering(response(200, &[], "")).await;
    let text = str::to_owned;
    let call = effect(json!({"url": server.url("/x"), "query": {"a": "1"}, "headers": {"X-Key": "of the author"}}));
    perform(&call, Some(&Credential::Bearer { token: text(SECRET) })).await.unwrap();
    assert_eq!(header_of(&server.last_request(), "authorization"), Some("Bearer s3cret"));
    perform(&call, Some(&Credential::Header { header: text("X-Key"), value: text(SECRET) })).await.unwrap();
    assert_eq!(header_of(&server.last_request(), "x-key"), Some(SECRET));
    perform(&call, Some(&Credential::Query { parameter: text("key"), value: text(SECRET) })).await.unwrap();
    assert_eq!(line_of(&server.last_request()), "GET /x?a=1&key=s3cret HTTP/1.1");
    let call = effect(json!({"url": server.url("/bot{credential}/x"), "query": {"a": "{credential}"}}));
    perform(&call, Some(&Credential::Path { value: text("1:s3cret") })).await.unwrap();
    assert_eq!(line_of(&server.last_request()), "GET /bot1:s3cret/x?a=%7Bcredential%7D HTTP/1.1");
}

#[tokio::test]
async fn whitespace_around_the_url_is_ignored() {
    let server = Server::answering(response(200, &[], "")).await;
    value_of(json!({"url": format!(" {}\n", server.url("/x"))})).await;
    assert_eq!(line_of(&server.last_request()), "GET /x HTTP/1.1");
}

#[tokio::test]
async fn a_call_without_a_credential_needs_no_table() {
    let server = Server::answering(response(200, &[], "done")).await;
    let settings = [
        (config::OUTBOUND_ALLOWED_CIDRS, "127.0.0.1"),
        (config::TABLE_ENTITIES, "entities"),
        (config::KMS_KEY, "alias/key"),
    ];
    let settings = settings.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let context = Context::new(Config::from_iter(settings), Aws::from_env());
    let effects = HttpEffects::new(&context, Calls::new(Outbound::from_config(&context.config).unwrap())).unwrap();
    let owner = EffectOwner {
        account: Account { org: OrgId::new(), user: UserId::new() },
        payer: Account { org: OrgId::new(), user: UserId::new() },
        workflow: Some(WorkflowId::new()),
        request_prefix: String::new(),
        origin: EffectOrigin::Preview { conversation: None },
    };
    let effect = effect(json!({"url": server.url("/")}));
    let outcome = effects.perform(&owner, &effect, http_call(&effect)).await.unwrap();
    assert_eq!(outcome.value["body"], "done");
}
