//! Messaging providers: Slack, Telegram, WhatsApp, and signed HTTP requests (Standard Webhooks). Verifies and reads the
//! events that they deliver, renders the Markdown of models in their formats, calls their APIs, and delivers the messages of
//! threads.

mod accounts;
mod attachments;
mod delivery;
mod files;
mod receive;
mod render;
mod send;
mod urls;

pub use accounts::{ProviderAccounts, Sender};
pub use attachments::{Attachments, FileContent, LoadError, LoadedFile};
pub use delivery::{Delivered, Deliveries};
pub use files::FetchError;
pub use receive::{InboundRequest, ReceiveError, Received, Subscription, answer_subscription, receive};
pub use render::{MAX_PARTS, render};
pub use send::{Messenger, SendError};
pub use urls::ProviderUrls;
