//! Messaging providers: calls of their APIs, files, and deliveries that are signed as they sign them.

mod deliveries;
mod files;
mod send;

use domain::credential::Credential;
use domain::id::CredentialId;
use domain::messaging::{Destination, MessagingProvider};
use domain::time::{Clock, Time};
use messaging::{Messenger, ProviderUrls, SendError};
use outbound::Calls;
use platform::config::Config;
use tests::messaging::{FakeMessaging, SECRET, SLACK_TOKEN, TELEGRAM_TOKEN, WHATSAPP_TOKEN};

use crate::stage::outbound;

const ALL: [MessagingProvider; 4] =
    [MessagingProvider::Slack, MessagingProvider::Telegram, MessagingProvider::Whatsapp, MessagingProvider::Http];
/// The text of every message. No error may repeat it.
const TEXT: &str = "pr1vate text";

fn now() -> Time {
    Time::from_millis(1_700_000_000_000)
}

struct Stage {
    fake: FakeMessaging,
    messenger: Messenger,
}

impl Stage {
    async fn start() -> Self {
        let fake = FakeMessaging::start().await;
        let messenger = messenger(fake.settings());
        Self { fake, messenger }
    }

    async fn send(&self, provider: MessagingProvider, topic: Option<&str>) -> Result<Option<String>, SendError> {
        self.send_with(&self.fake.credential(provider), topic).await
    }

    async fn send_with(&self, credential: &Credential, topic: Option<&str>) -> Result<Option<String>, SendError> {
        let destination = Destination { conversation: "5".to_owned(), topic: topic.map(str::to_owned) };
        let sent = self.messenger.send(CredentialId::new(), credential, &destination, TEXT, "key-1").await;
        if let Err(error) = &sent {
            check_discretion(&format!("{error} {error:?}"), &self.fake);
        }
        sent
    }
}

fn messenger(settings: Vec<(String, String)>) -> Messenger {
    let urls = ProviderUrls::from_config(&settings.into_iter().collect::<Config>());
    Messenger::new(Calls::new(outbound()), urls, Clock::new(now))
}

/// Fails if a message contains a secret, a URL or the text of a message.
fn check_discretion(message: &str, fake: &FakeMessaging) {
    let address = fake.base_url.strip_prefix("http://").expect("a URL of this machine");
    for secret in [SLACK_TOKEN, TELEGRAM_TOKEN, WHATSAPP_TOKEN, SECRET, TEXT, address] {
        assert!(!message.contains(secret), "{message}");
    }
}
