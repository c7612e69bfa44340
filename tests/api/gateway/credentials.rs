//! The credentials that the gateway takes: API keys in two headers, and access tokens where no model is called.

use domain::identity::Role;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tests::TestApp;
use tests::client::{Answer, send};

const ME: &str = "/gateway/v1/me";
const IMAGES: &str = "/gateway/v1/images/generations";

/// Sends each operation with the credentials that it describes.
#[tokio::test]
async fn every_operation_takes_the_credentials_that_it_describes() {
    let app = TestApp::start().await;
    let [_, gateway, _] = crate::openapi::documents::documents();
    let document: Value = serde_json::from_str(&gateway.json()).unwrap();
    let key = app.platform.credentials.operator.api_key.clone();
    let token = app.person_of("root", "platform", Role::Operator).token.unwrap();
    let mut calls_with_keys = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let target =
            ["{name}", "{id}", "{code}", "{server}"].iter().fold(path.clone(), |path, name| path.replace(name, "none"));
        for (method, operation) in item.as_object().unwrap() {
            let Some(security) = operation["security"].as_array() else { continue };
            let takes = |scheme: &str| security.iter().any(|requirement| requirement.get(scheme).is_some());
            let method: Method = method.to_uppercase().parse().unwrap();
            let call = async |name: &str, value: &str| {
                let request = app.anonymous().request(method.clone(), &target).header(name, value);
                send(request.json(&json!({}))).await
            };
            let is_accepted = |answer: &Answer| !answer.status.starts_with("401");
            for (scheme, answer) in [
                ("bearer", call("authorization", &format!("Bearer {key}")).await),
                ("x-api-key", call("x-api-key", &key).await),
                ("access_token", call("authorization", &format!("Bearer {token}")).await),
            ] {
                assert_eq!(is_accepted(&answer), takes(scheme), "{method} {path} by {scheme}: {}", answer.text);
                assert!(!answer.status.starts_with('5'), "{method} {path}: {}", answer.text);
            }
            let takes_tokens = takes("access_token");
            calls_with_keys += usize::from(!takes_tokens);
            let described = match takes_tokens {
                true => "Takes an API key or an access token.",
                false => "Takes an API key.",
            };
            assert!(operation["description"].as_str().unwrap().ends_with(described), "{method} {path}");
        }
    }
    assert_eq!(
        calls_with_keys, 20,
        "the list of MCP servers, their messages, streams and ends of sessions, the accounts that users connect and disconnect; chat, completions, messages and their count, responses, embeddings, reranking, images and their \
         edits, transcriptions, translations, speech, guard and moderations"
    );
}

#[tokio::test]
async fn two_headers_must_have_one_token() {
    let app = TestApp::start().await;
    let ada = app.platform.credentials.users["ada"].api_key.clone();
    let bob = app.platform.credentials.users["bob"].api_key.clone();
    let bearer = |key: &str| ("authorization", format!("Bearer {key}"));
    let api_key = |key: &str| ("x-api-key", key.to_owned());
    for (headers, code) in [
        (vec![api_key(&ada)], None),
        (vec![api_key(&ada), bearer(&ada)], None),
        (vec![api_key(""), bearer(&ada)], None),
        (vec![api_key(&ada), api_key(&ada)], None),
        (vec![api_key(&ada), bearer(&bob)], Some("identity.invalid_token")),
        (vec![api_key(&ada), api_key(&bob)], Some("identity.invalid_token")),
        (vec![api_key(&ada), ("authorization", "Basic YTpi".to_owned())], Some("identity.invalid_token")),
        (vec![api_key("")], Some("identity.invalid_token")),
        (vec![api_key("sk-ant-other")], Some("identity.unauthorized")),
    ] {
        let mut map = HeaderMap::new();
        for (name, value) in &headers {
            map.append(*name, HeaderValue::try_from(value).unwrap());
        }
        let chat = json!({"model": "dev-chat", "messages": [{"role": "user", "content": "Hi"}], "max_tokens": 4});
        let chat = app.anonymous().request(Method::POST, tests::gateway::CHAT).json(&chat).headers(map.clone());
        for request in [app.anonymous().request(Method::GET, ME).headers(map), chat] {
            let answer = send(request).await;
            match code {
                None => assert_eq!(answer.status, "200 OK", "{headers:?}: {}", answer.text),
                Some(code) => {
                    assert_eq!((answer.status.as_str(), answer.code()), ("401 Unauthorized", code), "{headers:?}")
                }
            }
        }
    }
}

#[tokio::test]
async fn a_user_reads_their_image_jobs_with_an_access_token() {
    let app = TestApp::start().await;
    let image = json!({"preset": "dev-image", "prompt": "A red fox in the snow", "size": "64x64"});
    let request = app.key_client("ada").request(Method::POST, IMAGES).header("prefer", "respond-async").json(&image);
    let path = send(request).await.header("location").unwrap().to_owned();
    app.platform.drain().await;
    let seen = app.person_of("ada", "acme", Role::Admin).get(&path).await;
    assert_eq!((seen.status.as_str(), &seen.json["status"]), ("200 OK", &json!("succeeded")), "{}", seen.text);
    // Others do not see it, also those who have never made a request before.
    for person in [app.person("bob"), app.person_of("stranger", "elsewhere", Role::Admin)] {
        assert_eq!(person.get(&path).await.code(), "image_job_not_found");
    }
    let unsigned = app.anonymous().request(Method::GET, &path).header(AUTHORIZATION, "Bearer a.b.c");
    assert_eq!(unsigned.send().await.unwrap().status(), StatusCode::UNAUTHORIZED);
}
