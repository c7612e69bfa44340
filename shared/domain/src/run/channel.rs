//! The channel of a run: the way by which its request arrived.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Run, RunOrigin};
use crate::messaging::MessagingProvider;

/// The channel of a run
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum RunChannel {
    /// The run was started within the platform: by hand, by a schedule, by an assistant or by another workflow
    Internal,
    Webhook,
    Slack,
    Telegram,
    Whatsapp,
    /// Signed HTTP, for systems without a provider of their own
    Http,
}

impl RunChannel {
    /// The channels that every workflow has.
    pub const BUILT_IN: [Self; 2] = [Self::Internal, Self::Webhook];

    /// The messaging provider of the channel.
    pub fn provider(self) -> Option<MessagingProvider> {
        match self {
            Self::Internal | Self::Webhook => None,
            Self::Slack => Some(MessagingProvider::Slack),
            Self::Telegram => Some(MessagingProvider::Telegram),
            Self::Whatsapp => Some(MessagingProvider::Whatsapp),
            Self::Http => Some(MessagingProvider::Http),
        }
    }

    /// The origins of the runs of a channel without a messaging provider. A run that a message has started has a thread.
    pub fn origins(self) -> &'static [RunOrigin] {
        match self {
            Self::Internal => &[RunOrigin::Manual, RunOrigin::Scheduled, RunOrigin::Mcp],
            Self::Webhook => &[RunOrigin::Webhook],
            Self::Slack | Self::Telegram | Self::Whatsapp | Self::Http => &[],
        }
    }
}

impl From<MessagingProvider> for RunChannel {
    fn from(provider: MessagingProvider) -> Self {
        match provider {
            MessagingProvider::Slack => Self::Slack,
            MessagingProvider::Telegram => Self::Telegram,
            MessagingProvider::Whatsapp => Self::Whatsapp,
            MessagingProvider::Http => Self::Http,
        }
    }
}

impl Run {
    pub fn channel(&self) -> RunChannel {
        match (&self.thread, self.origin) {
            (Some(thread), _) => thread.provider.into(),
            (None, RunOrigin::Webhook) => RunChannel::Webhook,
            (None, RunOrigin::Manual | RunOrigin::Scheduled | RunOrigin::Channel | RunOrigin::Mcp) => {
                RunChannel::Internal
            }
        }
    }
}
