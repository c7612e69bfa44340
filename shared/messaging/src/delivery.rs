//! Delivers messages of threads: begins the delivery in the store, sends the parts, and stores the outcome. Nothing
//! is sent without a permit of the store, or after its end.

use std::time::Duration;

use domain::Result;
use domain::id::ThreadId;
use domain::messaging::MessagingProvider;
use domain::thread::{Author, DeliveryState, PERMIT_MARGIN, Thread, ThreadMessage};
use domain::time::Clock;
use platform::Context;
use store::threads::{Delivery, SendStart};
use store::{Credentials, Threads};
use tokio::time::sleep;

use crate::accounts::{ProviderAccounts, Sender};
use crate::{Messenger, SendError, render};

/// How often a delivery waits for another one: 8 seconds in all.
const MAX_WAITS: usize = 40;
const PAUSE: Duration = Duration::from_millis(200);
/// How often a take inspects the delivery in flight, which ends within 20 seconds.
const MAX_INSPECTIONS: usize = 200;
const INSPECTION_PAUSE: Duration = Duration::from_millis(100);

#[derive(Clone)]
pub struct Deliveries<S = ProviderAccounts> {
    pub threads: Threads,
    pub sender: S,
    pub clock: Clock,
}

/// The outcome of a delivery.
#[derive(Debug)]
pub enum Delivered {
    Sent(Box<ThreadMessage>),
    /// An operator holds the thread, so nothing was sent.
    Suppressed,
    /// The provider refused the message, now or before.
    Refused(String),
    /// Nothing more was sent. Another attempt with the same key continues the delivery.
    Postponed {
        wait: Duration,
        reason: String,
    },
    /// The provider may have accepted the message.
    Uncertain {
        message: Box<ThreadMessage>,
        reason: String,
    },
}

impl Deliveries {
    pub fn new(context: &Context, messenger: Messenger) -> Result<Self> {
        let sender = ProviderAccounts { credentials: Credentials::new(context)?, messenger };
        Ok(Self { threads: Threads::new(context)?, sender, clock: context.clock.clone() })
    }
}

impl<S: Sender> Deliveries<S> {
    /// Delivers a message to the participant of a thread. `key` is an idempotency key: a repeated call continues the first one.
    pub async fn deliver(&self, id: ThreadId, author: &Author, key: &str, text: &str) -> Result<Delivered> {
        let delivery = match self.begin(id, author, key, text).await? {
            SendStart::Begun(delivery) => delivery,
            SendStart::Ended(message) => {
                let reason = message.error.clone().unwrap_or_default();
                return Ok(match message.state {
                    DeliveryState::Sent => Delivered::Sent(message),
                    DeliveryState::Uncertain => Delivered::Uncertain { message, reason },
                    _ => Delivered::Refused(reason),
                });
            }
            SendStart::Suppressed => return Ok(Delivered::Suppressed),
            SendStart::Occupied(until) => {
                let wait = self.clock.now().until(until);
                return Ok(Delivered::Postponed { wait, reason: "another message is being sent".to_owned() });
            }
        };
        let sent = self.send_in_time(&delivery).await;
        // A run tries again by itself, so its message stays `sending`. A person must send it again.
        let not_sent = match author {
            Author::Run(_) => DeliveryState::Sending,
            Author::Operator(_) | Author::Reminder => DeliveryState::Failed,
        };
        let (state, reason) = match &sent {
            Ok(_) => (DeliveryState::Sent, None),
            Err(error @ SendError::Refused { .. }) => (DeliveryState::Failed, Some(error.to_string())),
            Err(error @ SendError::NotSent { .. }) => (not_sent, Some(error.to_string())),
            Err(error @ SendError::Uncertain { .. }) => (DeliveryState::Uncertain, Some(error.to_string())),
        };
        let provider_id = sent.as_ref().ok().and_then(Option::as_deref);
        let message = match self.threads.end_send(&delivery, state, reason.as_deref(), provider_id).await {
            Ok(message) => message,
            // The provider may have the message, but another attempt could not know that.
            Err(error) if matches!(state, DeliveryState::Sent | DeliveryState::Uncertain) => {
                tracing::error!(?error, thread_id = %id, "the outcome of a delivery was not stored");
                let reason = "the message was sent, but the platform could not store that".to_owned();
                return Ok(Delivered::Uncertain { message: Box::new(delivery.message), reason });
            }
            Err(error) => return Err(error),
        };
        Ok(match sent {
            Ok(_) => Delivered::Sent(Box::new(message)),
            Err(SendError::Refused { message, .. }) => Delivered::Refused(message),
            Err(SendError::NotSent { wait, message }) => {
                Delivered::Postponed { wait: wait.unwrap_or_default(), reason: message }
            }
            Err(SendError::Uncertain { message: reason }) => {
                Delivered::Uncertain { message: Box::new(message), reason }
            }
        })
    }

    /// Waits for the end of the delivery in flight in a thread that an operator has taken, so that no reply of the bot
    /// follows.
    pub async fn wait_for_end(&self, mut thread: Thread) -> Result<Thread> {
        for _ in 0..MAX_INSPECTIONS {
            if thread.control.sending_until(self.clock.now()).is_none() {
                break;
            }
            sleep(INSPECTION_PAUSE).await;
            thread = self.threads.get(thread.account, thread.workflow, thread.id).await?;
        }
        Ok(thread)
    }

    /// Begins a delivery. Waits a short time for another one that is in progress.
    async fn begin(&self, id: ThreadId, author: &Author, key: &str, text: &str) -> Result<SendStart> {
        for _ in 0..MAX_WAITS {
            match self.threads.begin_send(id, author, key, text).await? {
                SendStart::Occupied(_) => sleep(PAUSE).await,
                start => return Ok(start),
            }
        }
        self.threads.begin_send(id, author, key, text).await
    }

    /// Sends the message before its permit ends, unless the provider would refuse it. Returns the id that the provider gave
    /// the last part.
    async fn send_in_time(&self, delivery: &Delivery) -> Result<Option<String>, SendError> {
        if delivery.thread.is_outside_window(self.clock.now()) {
            return Err(SendError::outside_window());
        }
        let until = delivery.sending.until.minus(PERMIT_MARGIN);
        let left = self.clock.now().until(until);
        if left.is_zero() {
            let message = "the permit to send ended before the message was sent".to_owned();
            return Err(SendError::NotSent { wait: None, message });
        }
        tokio::select! {
            // A process that was suspended first compares the time.
            biased;
            () = sleep(left) => Err(timed_out(delivery.thread.provider)),
            sent = self.send_parts(delivery) => sent,
        }
    }

    /// Sends the parts that the provider has not accepted yet. The key of a part is the same for each attempt.
    async fn send_parts(&self, delivery: &Delivery) -> Result<Option<String>, SendError> {
        let Delivery { thread, message, .. } = delivery;
        let mut last = None;
        let parts = render(thread.provider, &message.text);
        for (index, part) in parts.iter().enumerate().skip(message.sent_parts) {
            last = self.sender.send(thread, part, &format!("msg_{}_{index}", message.id)).await?;
            // The state `sent` covers the last part.
            if index + 1 < parts.len() {
                self.note(delivery, index + 1, last.as_deref()).await?;
            }
        }
        Ok(last)
    }

    /// Without the note, a repeated delivery would send the part again.
    async fn note(&self, delivery: &Delivery, sent_parts: usize, provider_id: Option<&str>) -> Result<(), SendError> {
        self.threads.note_sent_parts(delivery, sent_parts, provider_id).await.map_err(|error| {
            tracing::error!(?error, thread_id = %delivery.thread.id, "the progress of a delivery was not stored");
            let message = "a part of the message was sent, but the platform could not store that".to_owned();
            SendError::Uncertain { message }
        })
    }
}

fn timed_out(provider: MessagingProvider) -> SendError {
    let message = "the provider did not answer in time; it may have accepted the message".to_owned();
    let error = SendError::Uncertain { message };
    if provider.recognizes_repeated_messages() { error.repeatable() } else { error }
}
