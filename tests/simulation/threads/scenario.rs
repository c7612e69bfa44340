//! A scenario, derived from a seed: the messages of participants, what operators do, and the faults.

use std::sync::Arc;
use std::time::Duration;

use domain::id::{CredentialId, OrgId, ParticipantId, ReleaseId, ThreadId, UserId, WorkflowId};
use domain::identity::Account;
use domain::messaging::{Destination, InboundMessage, MessagingProvider, Sender};
use domain::retention::RunRetention;
use domain::run::StartableRelease;
use domain::time::Time;
use engine::compile::{ExecutionPlan, compile};
use fastrand::Rng;
use serde_json::json;
use store::threads::Inbox;
use uuid::Uuid;

use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::random::millis;

pub const TRIGGER: &str = "start";
/// Longer than a message of the provider.
const LONG_REPLY_CHARS: usize = 5_000;

pub struct Scenario {
    pub starts_at: Time,
    pub inbox: Inbox,
    pub release: StartableRelease,
    pub plan: Arc<ExecutionPlan>,
    /// A reply whose outcome is unknown is not sent again.
    pub sends_once: bool,
    /// Messages of the participants, by number.
    pub messages: Vec<PlannedMessage>,
    pub takes: Vec<PlannedTake>,
    pub reminders: Vec<PlannedReminder>,
    pub erasure: Option<PlannedErasure>,
    pub workers: Vec<WorkerLife>,
    pub tickers: Vec<ProcessFaults>,
    pub faults: Faults,
}

/// A message of a participant.
#[derive(Clone, Debug)]
pub struct PlannedMessage {
    pub chat: usize,
    pub person: usize,
    /// The provider's order within the chat.
    pub position: u64,
    /// When the provider delivers it; more than once if it repeats the delivery although it was acknowledged.
    pub delivered_at: Vec<Duration>,
}

/// An operator takes a chat.
#[derive(Clone, Debug)]
pub struct PlannedTake {
    pub chat: usize,
    pub at: Duration,
    pub lasts: Duration,
    pub writes: bool,
    pub faults: ProcessFaults,
}

#[derive(Clone, Debug)]
pub struct PlannedReminder {
    pub chat: usize,
    pub at: Duration,
}

#[derive(Clone, Debug)]
pub struct PlannedErasure {
    pub person: usize,
    pub at: Duration,
}

/// A worker process, and the time that each of its invocations has.
pub struct WorkerLife {
    pub faults: ProcessFaults,
    pub shift: Duration,
}

impl Scenario {
    pub fn from_seed(seed: u64) -> Self {
        let mut random = Rng::with_seed(seed);
        let random = &mut random;
        let id = |number: u128| Uuid::from_u128((u128::from(seed) << 64) + number);
        let account = Account { org: OrgId::from(id(1)), user: UserId::from(id(2)) };
        let workflow = WorkflowId::from(id(3));
        let inbox = Inbox {
            credential: CredentialId::from(id(4)),
            provider: MessagingProvider::Telegram,
            account,
            workflow,
            retention: RunRetention::default(),
        };
        let chats = random.usize(1..=2);
        let mut messages = planned_messages(random, chats);
        let is_calm = random.u8(..8) == 0;
        let takes = (0..random.usize(0..=3)).map(|_| planned_take(random, &messages, is_calm)).collect();
        let reminders = (0..random.usize(0..=2))
            .map(|_| PlannedReminder { chat: random.usize(..chats), at: millis(random, 20_000, 300_000) });
        let reminders = reminders.collect();
        // After that of all repeated deliveries.
        let erasure = (random.u8(..3) == 0)
            .then(|| PlannedErasure { person: random.usize(..3), at: millis(random, 500_000, 600_000) });
        if let Some(erasure) = &erasure {
            write_again(random, &mut messages, erasure);
        }
        let mut workers: Vec<WorkerLife> = (0..random.usize(1..=3)).map(|_| worker(random, is_calm)).collect();
        workers.push(WorkerLife { faults: ProcessFaults::default(), shift: Duration::from_secs(300) });
        let sends_once = random.bool();
        Self {
            starts_at: Time::from_millis(1_772_352_000_000 + random.i64(0..86_400_000)),
            inbox,
            release: StartableRelease { account, payer: None, workflow, release: ReleaseId::from(id(5)), number: 1 },
            plan: random_plan(random, sends_once),
            sends_once,
            messages,
            takes,
            reminders,
            erasure,
            workers,
            tickers: vec![process_faults(random, is_calm), ProcessFaults::default()],
            faults: if is_calm { Faults::default() } else { Faults::random(random) },
        }
    }

    pub fn inbound(&self, number: usize) -> InboundMessage {
        let PlannedMessage { chat, person, position, .. } = self.messages[number];
        InboundMessage {
            delivery_key: format!("delivery {number}"),
            destination: destination(chat),
            sender: Sender { id: format!("person {person}"), name: None },
            text: text_of(number),
            attachments: Vec::new(),
            position,
            sent_at: None,
        }
    }

    pub fn thread(&self, chat: usize) -> ThreadId {
        ThreadId::of_conversation(self.inbox.credential, &destination(chat))
    }

    pub fn participant(&self, person: usize) -> ParticipantId {
        let Inbox { workflow, provider, credential, .. } = self.inbox;
        ParticipantId::of_sender(workflow, provider, credential, &format!("person {person}"))
    }

    /// The number of the message with this text.
    pub fn message_with(&self, text: &str) -> Option<usize> {
        (0..self.messages.len()).find(|number| text == text_of(*number))
    }
}

/// The text of a message, which no other text contains.
pub fn text_of(number: usize) -> String {
    format!("(message {number})")
}

fn destination(chat: usize) -> Destination {
    Destination { conversation: format!("chat {chat}"), topic: None }
}

fn planned_messages(random: &mut Rng, chats: usize) -> Vec<PlannedMessage> {
    let mut sent_at = Duration::ZERO;
    let messages = (0..random.u64(3..=10)).map(|number| {
        // Some come in a burst.
        sent_at += if random.bool() { millis(random, 0, 200) } else { millis(random, 1_000, 40_000) };
        // Some overtake those before them.
        let late = if random.u8(..4) == 0 { millis(random, 0, 20_000) } else { millis(random, 0, 20) };
        let mut delivered_at = vec![sent_at + late];
        if random.u8(..4) == 0 {
            delivered_at.push(sent_at + late + millis(random, 0, 20_000));
        }
        let chat = random.usize(..chats);
        // Most people write in one chat.
        let person = if random.u8(..4) == 0 { random.usize(..3) } else { chat };
        PlannedMessage { chat, person, position: number, delivered_at }
    });
    messages.collect()
}

/// The erased person writes while they are erased.
fn write_again(random: &mut Rng, messages: &mut Vec<PlannedMessage>, erasure: &PlannedErasure) {
    let Some(earlier) = messages.iter().find(|message| message.person == erasure.person).cloned() else { return };
    for _ in 0..random.usize(0..=3) {
        let delivered_at = vec![erasure.at + millis(random, 0, 300)];
        messages.push(PlannedMessage { position: messages.len() as u64, delivered_at, ..earlier.clone() });
    }
}

fn planned_take(random: &mut Rng, messages: &[PlannedMessage], is_calm: bool) -> PlannedTake {
    let message = &messages[random.usize(..messages.len())];
    // Many operators take a chat when a message arrives in it or is answered.
    let after = if random.bool() { millis(random, 0, 30) } else { millis(random, 0, 15_000) };
    PlannedTake {
        chat: message.chat,
        at: message.delivered_at[0] + after,
        lasts: millis(random, 1_000, 90_000),
        writes: random.bool(),
        faults: process_faults(random, is_calm),
    }
}

/// A workflow that thinks, sends one or two replies and ends.
fn random_plan(random: &mut Rng, sends_once: bool) -> Arc<ExecutionPlan> {
    let busy = ["enqueue", "enqueue", "interrupt", "reject"][random.usize(..4)];
    let filler = if random.u8(..4) == 0 { "long ".repeat(LONG_REPLY_CHARS / 5) } else { String::new() };
    let on_uncertain = if sends_once { "fail" } else { "retry" };
    // Shorter than many deliveries.
    let timeout = if random.u8(..3) == 0 { 5_000 } else { 60_000 };
    let reply = |text: &str| {
        let retry = json!({"maxAttempts": 4, "backoffMs": 2_000});
        json!({
            "text": format!("{text}: {{{{ nodes.start.output.text }}}} {filler}"),
            "onUncertain": on_uncertain, "timeoutMs": timeout, "retry": retry, "onError": "continue",
        })
    };
    let mut nodes = vec![json!({"id": TRIGGER, "type": "message", "config": {"busy": busy}})];
    let http = json!({"url": "https://example.com/", "onError": "continue"});
    nodes.push(json!({"id": "think", "type": "http", "config": http}));
    nodes.push(json!({"id": "reply", "type": "send_message", "config": reply("first")}));
    if random.bool() {
        nodes.push(json!({"id": "more", "type": "send_message", "config": reply("second")}));
    }
    nodes.push(json!({"id": "end", "type": "send_result", "config": {}}));
    let connections: Vec<_> = nodes
        .windows(2)
        .map(
            |pair| json!({"from": {"node": pair[0]["id"], "port": "out"}, "to": {"node": pair[1]["id"], "port": "in"}}),
        )
        .collect();
    let graph =
        serde_json::from_value(json!({"nodes": nodes, "connections": connections})).expect("the graph is valid");
    let (plan, problems) = compile(&graph).finish();
    Arc::new(plan.unwrap_or_else(|| panic!("{problems:?}")))
}

fn worker(random: &mut Rng, is_calm: bool) -> WorkerLife {
    WorkerLife { faults: process_faults(random, is_calm), shift: Duration::from_secs(random.u64(60..=300)) }
}

/// The clocks differ by less than the margin of a permit.
fn process_faults(random: &mut Rng, is_calm: bool) -> ProcessFaults {
    if is_calm {
        return ProcessFaults::default();
    }
    let killed_at = random.bool().then(|| millis(random, 1_000, 240_000));
    let suspended = match random.u8(..3) {
        0 => {
            let from = millis(random, 1_000, 120_000);
            vec![(from, from + millis(random, 1_000, 60_000))]
        }
        _ => vec![],
    };
    ProcessFaults { skew_ms: random.i64(-400..=400), killed_at, suspended }
}
