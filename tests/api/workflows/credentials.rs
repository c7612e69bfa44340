//! Outbound credentials of a workflow, and the limits on its webhooks and credentials.

use domain::credential::Credential;
use domain::id::{CredentialId, WorkflowId};
use serde_json::json;
use store::Credentials;
use tests::TestApp;

use super::*;

#[tokio::test]
async fn a_credential_of_every_type_is_sealed_and_never_shown() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let id = create_workflow(&ada, "Caller", echo()).await;
    let path = format!("{WORKFLOWS}/{id}/webhook-credentials/outbound");
    let secret = "s3cr3t-value";
    let given = [
        json!({"name": "a", "type": "bearer", "token": secret}),
        json!({"name": "b", "type": "basic", "username": "u", "password": secret}),
        json!({"name": "c", "type": "header", "header": "X-Key", "value": secret}),
        json!({"name": "d", "type": "query", "parameter": "key", "value": secret}),
        json!({"name": "k", "type": "path", "value": secret}),
        json!({"name": "e", "type": "oauth2_client_credentials", "tokenUrl": "https://auth.example.com/token", "clientId": "c", "clientSecret": secret, "scope": "read"}),
        json!({"name": "j", "type": "oauth2_authorization_code", "authorizationUrl": "https://auth.example.com/authorize", "tokenUrl": "https://auth.example.com/token", "clientId": "c", "clientSecret": secret, "authorizationParameters": {"prompt": "consent"}, "clientAuthentication": "body"}),
        json!({"name": "f", "type": "slack", "botToken": secret, "signingSecret": secret}),
        json!({"name": "g", "type": "telegram", "botToken": format!("1:{secret}"), "secretToken": secret}),
        json!({"name": "h", "type": "whatsapp", "accessToken": secret, "phoneNumberId": "1", "appSecret": secret, "verifyToken": secret}),
        json!({"name": "i", "type": "http", "url": "https://chat.example.com", "secret": format!("whsec_{}", "c2Vj".repeat(10))}),
    ];
    let store = Credentials::new(&app.platform.context()).unwrap();
    let workflow: WorkflowId = id.parse().unwrap();
    for credential in &given {
        let made = ada.post_json(&path, credential.clone()).await;
        assert_eq!(made.status, "201 Created", "{}", made.text);
        assert_eq!(
            (&made.json["data"]["type"], &made.json["data"]["name"]),
            (&credential["type"], &credential["name"])
        );
        assert!(!made.text.contains(secret));
        // It can be opened for the calls of its workflow, and not for another workflow.
        let id: CredentialId = made.id().parse().unwrap();
        let opened: Credential = store.open(app.account("ada"), workflow, id).await.unwrap();
        let mut clear = serde_json::to_value(&opened).unwrap();
        clear["name"] = credential["name"].clone();
        assert_eq!(&clear, credential);
        assert!(!format!("{opened:?}").contains(secret));
        assert!(store.open(app.account("ada"), WorkflowId::new(), id).await.is_err());
    }
    let listed = ada.get(&path).await;
    assert_eq!(listed.column("name"), ["a", "b", "c", "d", "k", "e", "j", "f", "g", "h", "i"]);
    let one = ada.get(&format!("{path}/{}", listed.column("id")[4])).await;
    assert_eq!(one.json["data"], listed.json["data"][4]);
    assert_eq!(ada.get(&format!("{path}/{}", WorkflowId::new())).await.code(), "credential_not_found");
    assert!(!listed.text.contains(secret));
    let oauth = |url| json!({"name": "x", "type": "oauth2_client_credentials", "tokenUrl": url, "clientId": "c", "clientSecret": "s"});
    for (wrong, field) in [
        (json!({"name": "", "type": "bearer", "token": "x"}), "name"),
        (json!({"name": "x", "type": "bearer", "token": ""}), "token"),
        (json!({"name": "x", "type": "bearer", "token": "a\r\nX-Evil: 1"}), "token"),
        (json!({"name": "x", "type": "header", "header": "no header", "value": "x"}), "header"),
        (json!({"name": "x", "type": "header", "header": "Content-Length", "value": "200"}), "header"),
        (json!({"name": "x", "type": "header", "header": "host", "value": "example.com"}), "header"),
        (json!({"name": "x", "type": "header", "header": "x".repeat(201), "value": "x"}), "header"),
        (json!({"name": "x", "type": "basic", "username": "a:b", "password": "x"}), "username"),
        (oauth("file:///x"), "tokenUrl"),
        (oauth("https://bad host/x"), "tokenUrl"),
        (oauth("https://user:secret@auth.example.com"), "tokenUrl"),
        (json!({"name": "x", "type": "bearer"}), "token"),
        (
            json!({"name": "x", "type": "whatsapp", "appSecret": "s"}),
            "accessToken, phoneNumberId, verifyToken: are required",
        ),
        (json!({"name": "x", "type": "bearer", "token": 424_242_424_242_u64}), "token"),
        (json!({"name": "x", "type": "bearer", "token": "x", "username": "y"}), "username"),
        (json!({"name": "x", "type": "oauth2_client_credentials", "token_url": "https://x.example"}), "token_url"),
        (json!({"name": "x", "type": "slack", "botToken": "x"}), "signingSecret"),
        (json!({"name": "x", "type": "slack", "botToken": "x", "signingSecret": "x", "token": "x"}), "token"),
        (json!({"name": "x", "type": "telegram", "botToken": "424242", "secretToken": "x"}), "botToken"),
        (json!({"name": "x", "type": "signed_http", "url": "https://chat.example.com", "secret": "424242"}), "secret"),
        (json!({"name": "x", "type": 0, "token": "x"}), "type"),
    ] {
        let refused = ada.post_json(&path, wrong).await;
        assert_eq!(refused.code(), "invalid_body");
        assert!(refused.json["error"]["message"].as_str().unwrap().starts_with(field), "{}", refused.text);
        assert!(!refused.text.contains("424242"), "the value may be a secret and must not be echoed: {}", refused.text);
    }
    for wrong in [
        json!({"name": "x"}),
        json!({"name": "x", "type": "magic"}),
        json!({"name": "x", "type": "bearer", "token": "x", "more": 1}),
    ] {
        assert_eq!(ada.post_json(&path, wrong).await.code(), "invalid_body");
    }
    // The type of signed HTTP requests has the name of its provider. Its old name is accepted.
    let old = json!({"name": "x", "type": "signed_http", "url": "https://chat.example.com", "secret": format!("whsec_{}", "c2Vj".repeat(10))});
    assert_eq!(ada.post_json(&path, old).await.json["data"]["type"], "http");
    let gone = listed.column("id")[0].to_owned();
    assert_eq!(ada.delete(&format!("{path}/{gone}")).await.status, "204 No Content");
    assert_eq!(ada.delete(&format!("{path}/{gone}")).await.code(), "credential_not_found");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_stop_at_fifty_webhooks_and_credentials() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let path = format!("{WORKFLOWS}/{}", create_workflow(&ada, "Much", echo()).await);
    let (webhooks, outbound) = (format!("{path}/webhooks"), format!("{path}/webhook-credentials/outbound"));
    let bearer = || json!({"name": "Bot", "type": "bearer", "token": "x"});
    let one = async || (ada.post(&webhooks).await, ada.post_json(&outbound, bearer()).await);
    let made = futures::future::join_all((0..80).map(|_| one())).await;
    let (of_webhooks, of_credentials): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    for (made, code, list) in
        [(of_webhooks, "too_many_webhooks", &webhooks), (of_credentials, "too_many_credentials", &outbound)]
    {
        let refused = made.iter().filter(|answer| answer.status == "409 Conflict" && answer.code() == code).count();
        assert_eq!((refused, ada.get(list).await.column("id").len()), (30, 50));
        // A deletion makes room for another one.
        let gone = ada.get(list).await.column("id")[0].to_owned();
        assert_eq!(ada.delete(&format!("{list}/{gone}")).await.status, "204 No Content");
    }
    let (webhook, credential) = one().await;
    assert_eq!((webhook.status.as_str(), credential.status.as_str()), ("201 Created", "201 Created"));
    let (webhook, credential) = one().await;
    assert_eq!((webhook.code(), credential.code()), ("too_many_webhooks", "too_many_credentials"));
}
