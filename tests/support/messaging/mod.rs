//! Fake messaging providers: one server that behaves as the APIs of Slack, Telegram and WhatsApp and as a receiver of
//! signed requests do. It checks tokens and signatures, records the messages that it accepts, and fails on request.
//!
//! ```text
//! let fake = FakeMessaging::start().await;
//! let app = TestApp::start_with_options(|options| options.settings = fake.settings()).await;
//! fake.fail_next(Fault::RateLimit { seconds: 7 });
//! let held = fake.hold_next();              // `held.arrived().await` returns the sender that releases the request
//! ```

pub mod deliveries;
mod providers;
mod reply;
mod server;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use domain::credential::Credential;
use domain::messaging::{MessagingProvider, RemoteFile};
use platform::config;
use tokio::net::TcpListener;

use crate::gate::{HeldCall, WaitingCall, hold};
use crate::provider::RecordedRequest;

pub const SLACK_TOKEN: &str = "xoxb-s3cret-token";
pub const TELEGRAM_TOKEN: &str = "4242:s3cret-token";
pub const WHATSAPP_TOKEN: &str = "EAAG-s3cret-token";
pub const PHONE_NUMBER_ID: &str = "106540352242922";
/// The secret that verifies deliveries of every provider, and signs our requests.
pub const SECRET: &str = "s3cret-0123456789abcdef-0123";

/// A message that a provider accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentMessage {
    pub provider: MessagingProvider,
    pub conversation: String,
    pub topic: Option<String>,
    pub text: String,
}

/// What happens to the next request, instead of a success.
pub enum Fault {
    /// None: this request succeeds, so that a later one fails.
    None,
    /// The request exceeds a rate limit.
    RateLimit { seconds: u64 },
    /// The request is refused with this error: a code of Slack or WhatsApp, a description of Telegram such as `403 bot was
    /// blocked by the user`, or a status of a receiver.
    Refusal(&'static str),
    /// Status 500. The message is not accepted.
    ServerError,
    /// Status 503 with a time for the next attempt. The message is not accepted.
    Unavailable { seconds: u64 },
    /// The message is accepted and recorded, but the connection closes before the answer.
    CutAfterAccept,
    /// The request waits at a gate, and then succeeds. `hold_next` queues it.
    Hold(WaitingCall),
}

#[derive(Default)]
struct State {
    faults: VecDeque<Fault>,
    sent: Vec<SentMessage>,
    /// The ids of signed requests that were accepted. A repeated one is answered and not recorded.
    ids: HashSet<String>,
    requests: Vec<RecordedRequest>,
    /// The files by their names: the media type and the content.
    files: HashMap<String, (String, Bytes)>,
}

/// The server runs as long as the runtime it was started in.
#[derive(Clone)]
pub struct FakeMessaging {
    pub base_url: String,
    state: Arc<Mutex<State>>,
}

impl FakeMessaging {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let fake = Self { base_url, state: Arc::default() };
        tokio::spawn(server::serve(listener, fake.clone()));
        fake
    }

    /// The settings with which the platform calls this server.
    pub fn settings(&self) -> Vec<(String, String)> {
        let setting = |name: &str, path: &str| (name.to_owned(), format!("{}/{path}", self.base_url));
        vec![
            setting(config::SLACK_API_URL, "slack/api"),
            setting(config::TELEGRAM_API_URL, "telegram"),
            setting(config::WHATSAPP_API_URL, "whatsapp"),
        ]
    }

    /// The credential of an account that this server knows.
    pub fn credential(&self, provider: MessagingProvider) -> Credential {
        let text = str::to_owned;
        match provider {
            MessagingProvider::Slack => {
                Credential::Slack { bot_token: text(SLACK_TOKEN), signing_secret: text(SECRET) }
            }
            MessagingProvider::Telegram => {
                Credential::Telegram { bot_token: text(TELEGRAM_TOKEN), secret_token: text(SECRET) }
            }
            MessagingProvider::Whatsapp => Credential::Whatsapp {
                access_token: text(WHATSAPP_TOKEN),
                phone_number_id: text(PHONE_NUMBER_ID),
                app_secret: text(SECRET),
                verify_token: text(SECRET),
            },
            MessagingProvider::Http => Credential::SignedHttp {
                url: format!("{}/receiver", self.base_url),
                secret: format!("whsec_{}", BASE64_STANDARD.encode(SECRET)),
            },
        }
    }

    /// Queues a fault for the next request without one.
    pub fn fail_next(&self, fault: Fault) -> &Self {
        self.state().faults.push_back(fault);
        self
    }

    /// Holds the next request without a fault until the test releases it.
    pub fn hold_next(&self) -> HeldCall {
        let (waiting, held) = hold();
        self.fail_next(Fault::Hold(waiting));
        held
    }

    /// The accepted messages, in the order in which they were accepted.
    pub fn sent(&self) -> Vec<SentMessage> {
        self.state().sent.clone()
    }

    /// The texts that were sent to a conversation, in order.
    pub fn texts(&self, conversation: &str) -> Vec<String> {
        let sent = self.sent();
        sent.into_iter().filter(|message| message.conversation == conversation).map(|message| message.text).collect()
    }

    /// Takes the requests received since the last call, accepted or not.
    pub fn take_requests(&self) -> Vec<RecordedRequest> {
        std::mem::take(&mut self.state().requests)
    }

    /// Adds a file that can be downloaded. The name consists of letters, digits and dots.
    pub fn add_file(&self, provider: MessagingProvider, name: &str, media_type: &str, content: &[u8]) -> RemoteFile {
        let content = Bytes::copy_from_slice(content);
        self.state().files.insert(name.to_owned(), (media_type.to_owned(), content.clone()));
        let reference = match provider {
            MessagingProvider::Slack => format!("{}/slack/files/{name}", self.base_url),
            MessagingProvider::Telegram => name.to_owned(),
            MessagingProvider::Whatsapp => providers::media_id(name),
            MessagingProvider::Http => format!("{}/files/{name}", self.base_url),
        };
        let (name, media_type) = (name.to_owned(), media_type.to_owned());
        RemoteFile { reference, name, media_type, size: Some(content.len() as u64) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }
}
