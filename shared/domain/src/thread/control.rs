//! Who answers in a thread, the bot or an operator, and which message the bot answers next.
//!
//! The rules:
//!
//! - One run of a thread is in progress at a time. Messages that arrive meanwhile wait, in the order of the provider.
//! - While an operator holds the thread, messages are stored and start no run.
//! - A message is sent only with a permit. A run gets none while an operator holds the thread. The run that was in progress
//!   when the operator took the thread gets none later, either. An operator must hold the thread to send. At most one permit
//!   is valid, so a take waits for at most one delivery.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use super::message::Author;
use super::{PERMIT_VALIDITY, REMINDER_INTERVAL};
use crate::id::{RunId, UserId};
use crate::time::Time;
use crate::{Error, Result};

/// The maximum number of messages that wait for a run. Further ones are stored and start no run: a provider that is asked to
/// repeat them gives up after a few attempts, and they would be lost.
pub const MAX_WAITING: usize = 100;

/// Who answers
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ThreadState {
    /// Nothing is in progress; the next message starts a run
    Idle,
    /// A run is in progress, or messages wait for one
    Active,
    /// An operator holds the thread
    Operator,
}

/// A user who answers instead of the bot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operator {
    /// Who holds a thread: the label of an operator of several who share an account, or the id of the user.
    pub id: String,
    pub user: Option<UserId>,
    /// The name to show: the label, or the name of the user.
    pub name: String,
}

impl From<&str> for Operator {
    /// An operator with a label, whose user is not known.
    fn from(label: &str) -> Self {
        Self { id: label.to_owned(), user: None, name: label.to_owned() }
    }
}

/// An operator holds the thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperatorHold {
    /// The id of the operator.
    pub operator: String,
    /// Earlier versions stored neither the user nor the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<UserId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub taken_at: Time,
}

impl OperatorHold {
    /// The name to show.
    pub fn name(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.operator)
    }
}

/// What happens with a message while the run of the previous one is in progress
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BusyPolicy {
    /// It waits for the end of the run
    #[default]
    Enqueue,
    /// The run is stopped, and the message starts another one
    Interrupt,
    /// It is stored and starts no run
    Reject,
}

/// A message that waits for a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct WaitingMessage {
    /// The position that the provider gave the message.
    pub position: u64,
    /// The number of the message in its thread.
    pub number: u64,
}

/// A delivery in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sending {
    /// Identifies this permit. A process whose permit has ended cannot end that of another one.
    pub permit: Uuid,
    /// After this time, the process that began the delivery sends nothing more.
    pub until: Time,
}

/// Whether a message may be sent now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SendPermit {
    Granted(ThreadControl),
    /// Another delivery is in progress, at most until this time.
    Occupied(Time),
    /// An operator holds the thread, or took it during the run, so the bot does not answer.
    Suppressed,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadControl {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hold: Option<OperatorHold>,
    /// The run in progress.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// What happens with messages during that run.
    #[serde(default)]
    pub busy: BusyPolicy,
    /// In the order of the provider.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub waiting: Vec<WaitingMessage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sending: Option<Sending>,
    /// The run that was in progress when an operator last took the thread. It sends nothing any more, because the operator
    /// may have answered its message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overtaken: Option<RunId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reminded_at: Option<Time>,
    /// A participant wrote the last message.
    #[serde(default, skip_serializing_if = "is_false")]
    pub unanswered: bool,
}

fn is_false(value: &bool) -> bool {
    !value
}

impl ThreadControl {
    pub fn state(&self) -> ThreadState {
        match self {
            Self { hold: Some(_), .. } => ThreadState::Operator,
            Self { run: None, waiting, .. } if waiting.is_empty() => ThreadState::Idle,
            _ => ThreadState::Active,
        }
    }

    /// Whether a participant waits for an operator: an operator holds the thread, so the bot does not answer, and a
    /// participant wrote the last message. A message of the operator, or the release of the thread, ends it.
    pub fn waits_for_operator(&self) -> bool {
        self.hold.is_some() && self.unanswered
    }

    /// Whether a worker has something to do: a message waits, and nothing prevents its run.
    pub fn needs_run(&self) -> bool {
        self.hold.is_none() && self.run.is_none() && !self.waiting.is_empty()
    }

    /// The run that is to be stopped, because a message waits that interrupts it.
    pub fn interrupted_run(&self) -> Option<RunId> {
        let interrupts = self.busy == BusyPolicy::Interrupt && self.hold.is_none() && !self.waiting.is_empty();
        self.run.filter(|_| interrupts)
    }

    /// A message of the participant has arrived. It waits for a run, unless it starts none.
    #[must_use]
    pub fn receive(mut self, message: WaitingMessage) -> Self {
        self.unanswered = true;
        let is_rejected = self.run.is_some() && self.busy == BusyPolicy::Reject;
        if self.hold.is_some() || is_rejected || self.waiting.len() >= MAX_WAITING {
            return self;
        }
        let place = self.waiting.partition_point(|waiting| *waiting <= message);
        self.waiting.insert(place, message);
        self
    }

    /// The message that the next run answers.
    pub fn next_message(&self) -> Option<WaitingMessage> {
        self.waiting.first().copied().filter(|_| self.needs_run())
    }

    /// A run answers the first message that waits.
    #[must_use]
    pub fn start_run(mut self, run: RunId, busy: BusyPolicy) -> Self {
        self.waiting.remove(0);
        Self { run: Some(run), busy, ..self }
    }

    /// A message that waits gets no run.
    #[must_use]
    pub fn drop_message(mut self, number: u64) -> Self {
        self.waiting.retain(|waiting| waiting.number != number);
        self
    }

    /// The messages that wait get no run.
    #[must_use]
    pub fn drop_waiting(self) -> Self {
        Self { waiting: Vec::new(), ..self }
    }

    /// The run has ended. None if it is not the run of the thread.
    pub fn end_run(self, run: RunId) -> Option<Self> {
        (self.run == Some(run)).then_some(Self { run: None, ..self })
    }

    /// An operator takes the thread. The messages that wait are left to them.
    pub fn take(self, operator: impl Into<Operator>, now: Time) -> Result<Self> {
        let Operator { id, user, name } = operator.into();
        match &self.hold {
            Some(hold) if hold.operator == id => Ok(self),
            Some(hold) => Err(taken_by(hold)),
            None => {
                let hold = Some(OperatorHold { operator: id, user, name: Some(name), taken_at: now });
                Ok(Self { hold, overtaken: self.run, ..self.drop_waiting() })
            }
        }
    }

    /// The bot answers again. Only the holder may release the thread, unless `operator` is none.
    pub fn release(self, operator: Option<&str>) -> Result<Self> {
        match (&self.hold, operator) {
            (Some(hold), Some(operator)) if hold.operator != operator => Err(taken_by(hold)),
            (None, Some(_)) => Err(Error::invalid_state("no operator holds the thread")),
            _ => Ok(Self { hold: None, ..self }),
        }
    }

    /// Permits a delivery. A repeated delivery of the same message needs another permit.
    pub fn begin_send(&self, author: &Author, permit: Uuid, now: Time) -> Result<SendPermit> {
        match (author, &self.hold) {
            (Author::Run(_), Some(_)) => return Ok(SendPermit::Suppressed),
            (Author::Run(run), None) if self.overtaken == Some(*run) => return Ok(SendPermit::Suppressed),
            (Author::Operator(operator), Some(hold)) if hold.operator != *operator => return Err(taken_by(hold)),
            (Author::Operator(_), None) => {
                return Err(Error::invalid_state("take the thread before you write to the participant"));
            }
            _ => {}
        }
        if let Some(until) = self.sending_until(now) {
            return Ok(SendPermit::Occupied(until));
        }
        let permitted = match author {
            Author::Reminder => self.clone().remind(now)?,
            Author::Run(_) | Author::Operator(_) => self.clone(),
        };
        let sending = Sending { permit, until: now.plus(PERMIT_VALIDITY) };
        Ok(SendPermit::Granted(Self { sending: Some(sending), ..permitted }))
    }

    /// The thread has a new message of the bot or of an operator.
    #[must_use]
    pub fn answer(self) -> Self {
        Self { unanswered: false, ..self }
    }

    /// When the delivery in flight ends at the latest.
    pub fn sending_until(&self, now: Time) -> Option<Time> {
        self.sending.as_ref().map(|sending| sending.until).filter(|until| *until > now)
    }

    /// The delivery has ended.
    #[must_use]
    pub fn end_send(self, permit: Uuid) -> Self {
        match &self.sending {
            Some(sending) if sending.permit == permit => Self { sending: None, ..self },
            _ => self,
        }
    }

    /// Permits a reminder, unless the participant got one less than an hour ago.
    fn remind(self, now: Time) -> Result<Self> {
        if let Some(hold) = &self.hold {
            return Err(taken_by(hold));
        }
        let next = self.reminded_at.map(|at| at.plus(REMINDER_INTERVAL));
        match next.filter(|next| *next > now) {
            Some(next) => {
                let message = "the participant was reminded less than an hour ago; try again later".to_owned();
                let retry_after_s = u32::try_from(now.until(next).as_secs()).unwrap_or(u32::MAX).max(1);
                Err(Error::TooManyRequests { message, retry_after_s })
            }
            None => Ok(Self { reminded_at: Some(now), ..self }),
        }
    }
}

fn taken_by(hold: &OperatorHold) -> Error {
    let message = format!("{} has held the thread since {}; ask them to release it", hold.name(), hold.taken_at);
    Error::Conflict { code: "thread_taken", message }
}
