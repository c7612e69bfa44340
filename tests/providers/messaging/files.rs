//! Files of inbound messages. Tokens are sent only to the hosts of their providers.

use domain::messaging::RemoteFile;
use messaging::FetchError;
use tests::messaging::Fault;
use tests::provider::{Behaviour, FakeProvider};

use super::*;

const PICTURE: &[u8] = b"\x89PNG picture";

impl Stage {
    async fn fetch(&self, provider: MessagingProvider, file: &RemoteFile, max: usize) -> Result<Vec<u8>, FetchError> {
        let credential = self.fake.credential(provider);
        let fetched = self.messenger.fetch(CredentialId::new(), &credential, file, max).await;
        if let Err(error) = &fetched {
            check_discretion(&format!("{error} {error:?}"), &self.fake);
        }
        fetched.map(|content| content.to_vec())
    }
}

#[tokio::test]
async fn a_file_of_every_provider_is_downloaded() {
    let stage = Stage::start().await;
    for provider in ALL {
        let file = stage.fake.add_file(provider, "cat.png", "image/png", PICTURE);
        assert_eq!(stage.fetch(provider, &file, PICTURE.len()).await.unwrap(), PICTURE, "{provider:?}");
        let max_bytes = PICTURE.len() - 1;
        assert_eq!(stage.fetch(provider, &file, max_bytes).await, Err(FetchError::TooLarge { max_bytes }));
        let with_token =
            stage.fake.take_requests().into_iter().filter(|request| request.headers.contains_key("authorization"));
        let is_bearer = matches!(provider, MessagingProvider::Slack | MessagingProvider::Whatsapp);
        assert_eq!(with_token.count() > 0, is_bearer, "{provider:?}");
    }
}

#[tokio::test]
async fn a_missing_file_is_refused() {
    let stage = Stage::start().await;
    for provider in ALL {
        let mut file = stage.fake.add_file(provider, "cat.png", "image/png", PICTURE);
        file.reference = file.reference.replace("cat", "dog");
        let error = stage.fetch(provider, &file, 1_000).await.unwrap_err();
        assert!(matches!(error, FetchError::Refused { .. }), "{provider:?}: {error:?}");
        let file = stage.fake.add_file(provider, "cat.png", "image/png", PICTURE);
        stage.fake.fail_next(Fault::ServerError);
        let error = stage.fetch(provider, &file, 1_000).await.unwrap_err();
        assert!(matches!(error, FetchError::Unavailable { .. }), "{provider:?}: {error:?}");
    }
}

#[tokio::test]
async fn a_sign_in_page_is_not_a_file() {
    let stage = Stage::start().await;
    let file = stage.fake.add_file(MessagingProvider::Slack, "cat.png", "image/png", PICTURE);
    let signing_secret = "s".to_owned();
    let other = Credential::Slack { bot_token: "xoxb-other".to_owned(), signing_secret };
    let error = stage.messenger.fetch(CredentialId::new(), &other, &file, 1_000).await.unwrap_err();
    assert!(matches!(&error, FetchError::Refused { code, .. } if code == "file_forbidden"), "{error:?}");
}

#[tokio::test]
async fn tokens_are_never_sent_to_other_hosts() {
    let stage = Stage::start().await;
    let stranger = FakeProvider::start().await;
    stranger.respond_with(Behaviour::json(200, "{}"));
    let file = |reference: &str| RemoteFile {
        reference: reference.to_owned(),
        name: "cat.png".to_owned(),
        media_type: "image/png".to_owned(),
        size: None,
    };
    for foreign in [
        format!("{}/cat.png", stranger.base_url),
        // The scheme must be https, and the name must end with that of Slack.
        "http://files.slack.com/cat.png".to_owned(),
        "https://files.slack.com.evil.example/cat.png".to_owned(),
        "https://evilslack.com/cat.png".to_owned(),
        format!("https://files.slack.com@{}/", stranger.base_url.strip_prefix("http://").unwrap()),
        "not a URL".to_owned(),
    ] {
        let error = stage.fetch(MessagingProvider::Slack, &file(&foreign), 1_000).await.unwrap_err();
        assert!(matches!(&error, FetchError::Refused { code, .. } if code == "foreign_host"), "{foreign}: {error:?}");
    }
    // A reference is a part of a URL only if it is an id.
    for reference in ["../../evil", "1?x=y", ""] {
        let error = stage.fetch(MessagingProvider::Whatsapp, &file(reference), 1_000).await.unwrap_err();
        assert!(matches!(&error, FetchError::Refused { code, .. } if code == "invalid_file"), "{error:?}");
    }
    assert!(stranger.take_requests().is_empty() && stage.fake.take_requests().is_empty());

    // A file of a signed request may be anywhere, and is fetched without credentials.
    stage.fetch(MessagingProvider::Http, &file(&format!("{}/cat.png", stranger.base_url)), 1_000).await.unwrap();
    let requests = stranger.take_requests();
    assert_eq!(requests.len(), 1);
    assert!(requests[0].headers.keys().all(|name| !name.as_str().starts_with("webhook") && name != "authorization"));
}

/// The URL of a WhatsApp file comes from the API. Another host in it gets no token.
#[tokio::test]
async fn the_url_of_a_whatsapp_file_is_checked() {
    let (api, stranger) = (FakeProvider::start().await, FakeProvider::start().await);
    stranger.respond_with(Behaviour::json(200, "{}"));
    let fake = FakeMessaging::start().await;
    let settings = vec![("WHATSAPP_API_URL".to_owned(), api.base_url.clone())];
    let stage = Stage { messenger: messenger(settings), fake };
    let file = stage.fake.add_file(MessagingProvider::Whatsapp, "cat", "image/png", PICTURE);
    let url = format!("{}/cat", stranger.base_url);
    api.respond_with(Behaviour::json(200, serde_json::json!({"url": url})));
    let error = stage.fetch(MessagingProvider::Whatsapp, &file, 1_000).await.unwrap_err();
    assert!(matches!(&error, FetchError::Refused { code, .. } if code == "foreign_host"), "{error:?}");
    // A redirect to another host loses the token.
    api.respond_with(Behaviour::json(200, serde_json::json!({"url": format!("{}/file", api.base_url)})));
    api.then_respond(Behaviour::json(302, "").header("location", &url));
    stage.fetch(MessagingProvider::Whatsapp, &file, 1_000).await.unwrap();
    let [request] = &stranger.take_requests()[..] else { panic!("one request") };
    assert!(!request.headers.contains_key("authorization"));
}
