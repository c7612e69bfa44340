//! Messages between a messaging provider and the platform.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::credential::CredentialType;
use crate::time::Time;

/// The maximum length of the text of an inbound message. Longer text is cut.
pub const MAX_INBOUND_TEXT_CHARS: usize = 16_000;
/// The maximum number of attachments of an inbound message. Further ones are dropped.
pub const MAX_ATTACHMENTS: usize = 10;

/// The maximum length of the address of a conversation, and of its topic.
const MAX_ADDRESS_CHARS: usize = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MessagingProvider {
    Slack,
    Telegram,
    Whatsapp,
    /// Signed HTTP, for systems without a provider of their own
    Http,
}

impl MessagingProvider {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Slack => "slack",
            Self::Telegram => "telegram",
            Self::Whatsapp => "whatsapp",
            Self::Http => "http",
        }
    }

    /// The provider of an account with a credential of this type. `None` for credentials of HTTP calls.
    pub fn of(r#type: CredentialType) -> Option<Self> {
        match r#type {
            CredentialType::Slack => Some(Self::Slack),
            CredentialType::Telegram => Some(Self::Telegram),
            CredentialType::Whatsapp => Some(Self::Whatsapp),
            CredentialType::SignedHttp => Some(Self::Http),
            CredentialType::Bearer
            | CredentialType::Basic
            | CredentialType::Header
            | CredentialType::Query
            | CredentialType::Path
            | CredentialType::Oauth2ClientCredentials
            | CredentialType::Oauth2AuthorizationCode => None,
        }
    }

    pub fn credential_type(self) -> CredentialType {
        match self {
            Self::Slack => CredentialType::Slack,
            Self::Telegram => CredentialType::Telegram,
            Self::Whatsapp => CredentialType::Whatsapp,
            Self::Http => CredentialType::SignedHttp,
        }
    }

    /// How long after the last message of a participant the provider accepts messages to them. `None` if it always does.
    pub fn reply_window(self) -> Option<Duration> {
        match self {
            Self::Whatsapp => Some(Duration::from_secs(24 * 60 * 60)),
            Self::Slack | Self::Telegram | Self::Http => None,
        }
    }

    /// Whether the id of a person is the same for all accounts at the provider. A user of Slack has another id in each
    /// workspace, and each sender of signed requests chooses its ids freely.
    pub fn has_global_sender_ids(self) -> bool {
        match self {
            Self::Telegram | Self::Whatsapp => true,
            Self::Slack | Self::Http => false,
        }
    }

    /// Whether the receiver recognizes a repeated message by its id, so that a message may be sent again if the answer was
    /// lost. Standard Webhooks requires this of receivers.
    pub fn recognizes_repeated_messages(self) -> bool {
        match self {
            Self::Http => true,
            Self::Slack | Self::Telegram | Self::Whatsapp => false,
        }
    }

    /// Whether the provider accepts credentials of this type.
    pub fn takes(self, r#type: CredentialType) -> bool {
        self.credential_type() == r#type
    }
}

/// A message that a participant sent, as its provider delivered it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InboundMessage {
    /// Identifies the message within the account, so that a repeated delivery is recognized. At most 200 characters.
    pub delivery_key: String,
    /// Where the conversation takes place. A reply is sent there.
    pub destination: Destination,
    pub sender: Sender,
    pub text: String,
    pub attachments: Vec<RemoteFile>,
    /// The position of the message among the messages of its conversation: an earlier message has a smaller one. The
    /// unit depends on the provider.
    pub position: u64,
    /// When the participant sent the message, if the provider reports it.
    pub sent_at: Option<Time>,
}

/// A failure that a provider reports after it had accepted a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryFailure {
    /// The id that the provider gave the message.
    pub provider_id: String,
    /// The addresses of the recipient. The conversation has one of them.
    pub destinations: Vec<Destination>,
    /// What failed, in words for the user.
    pub error: String,
}

/// The address of a conversation at its provider.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Destination {
    /// The Slack channel, the Telegram chat, the WhatsApp id of the person, or the conversation of a signed request.
    pub conversation: String,
    /// The thread within the conversation: a Slack `thread_ts` or a Telegram topic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub topic: Option<String>,
}

impl Destination {
    /// Reads the address that a user wrote, so that it is the one of inbound messages. `None` if it is not an address of the
    /// provider.
    pub fn parse(provider: MessagingProvider, text: &str) -> Option<Self> {
        let text = text.trim();
        let (conversation, topic) = match provider {
            MessagingProvider::Slack | MessagingProvider::Telegram => match text.split_once(':') {
                Some((conversation, topic)) => (conversation.to_owned(), Some(topic.to_owned())),
                None => (text.to_owned(), None),
            },
            MessagingProvider::Whatsapp => (read_whatsapp_id(text)?, None),
            MessagingProvider::Http => (text.to_owned(), None),
        };
        let is_valid = |part: &String| {
            !part.is_empty() && part.chars().count() <= MAX_ADDRESS_CHARS && !part.chars().any(char::is_control)
        };
        let is_address = is_valid(&conversation) && topic.iter().all(is_valid);
        is_address.then_some(Self { conversation, topic })
    }
}

/// Reads a phone number, of which only the digits count, or a business-scoped user id such as `ES.13491208655302741918`.
fn read_whatsapp_id(text: &str) -> Option<String> {
    let is_separator = |c: char| c.is_whitespace() || matches!(c, '+' | '-' | '(' | ')' | '.' | '/');
    if text.chars().all(|c| c.is_ascii_digit() || is_separator(c)) {
        return Some(text.chars().filter(char::is_ascii_digit).collect());
    }
    let is_user_id = text.contains('.') && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    is_user_id.then(|| text.to_owned())
}

/// The person who sent a message.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Sender {
    /// The id of the person at the provider. At most 200 characters.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// An image or a file of an inbound message, which is still at the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RemoteFile {
    /// What the provider needs to find the file: a URL or an id.
    pub reference: String,
    pub name: String,
    pub media_type: String,
    /// In bytes, if the provider reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(provider: MessagingProvider, text: &str) -> Option<(String, Option<String>)> {
        Destination::parse(provider, text).map(|destination| (destination.conversation, destination.topic))
    }

    #[test]
    fn an_address_is_that_of_inbound_messages() {
        use MessagingProvider::{Http, Slack, Telegram, Whatsapp};
        for (provider, text, conversation, topic) in [
            (Slack, " C1 ", "C1", None),
            (Slack, "C1:17.5", "C1", Some("17.5")),
            (Telegram, "-100:3", "-100", Some("3")),
            (Whatsapp, "+34 600-123 (456)", "34600123456", None),
            (Whatsapp, "34600123456", "34600123456", None),
            (Whatsapp, "ES.13491208655302741918", "ES.13491208655302741918", None),
            (Http, "order:7:a", "order:7:a", None),
        ] {
            assert_eq!(parse(provider, text), Some((conversation.to_owned(), topic.map(str::to_owned))), "{text}");
        }
        let long = "1".repeat(201);
        for (provider, text) in [
            (Slack, ""),
            (Slack, "C1:"),
            (Telegram, ":3"),
            (Telegram, "1\n2"),
            (Whatsapp, "+"),
            (Whatsapp, "Grace"),
            (Whatsapp, "600:123"),
            (Whatsapp, long.as_str()),
            (Http, " "),
            (Http, long.as_str()),
        ] {
            assert_eq!(parse(provider, text), None, "{provider:?} {text}");
        }
    }
}
