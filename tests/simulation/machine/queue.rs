//! The SQS of the simulation: a standard queue. Messages come after their delay, sometimes late or twice, and again after the
//! visibility timeout if they were not deleted. After too many receives they become dead letters.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::database::Answer;
use super::process::Process;
use super::random::{happens, millis};

pub const URL: &str = "http://sqs/runs";
/// How long a received message is invisible.
pub const VISIBILITY_TIMEOUT: Duration = Duration::from_secs(180);
/// A message that was received this number of times and not deleted becomes a dead letter.
pub const MAX_RECEIVES: u32 = 5;
/// The longest delay that SQS accepts, in seconds.
const MAX_DELAY_S: u64 = 900;

#[derive(Default)]
pub struct Queue {
    messages: Mutex<Messages>,
    arrived: Notify,
}

#[derive(Default)]
struct Messages {
    /// By the time at which they become visible.
    waiting: BTreeMap<Position, Message>,
    sent: u64,
    dead_letters: u64,
}

/// The time at which a message becomes visible, and its number.
type Position = (Instant, u64);

struct Message {
    body: String,
    receives: u32,
}

enum Taken {
    Message(Position, String),
    /// The first message becomes visible at this time.
    NoneUntil(Instant),
    Empty,
}

/// A received message. It becomes visible again after the visibility timeout if it is not deleted.
pub struct Delivery {
    pub body: String,
    process: Process,
    position: Position,
}

impl Queue {
    /// The number of messages that were received too often.
    pub fn dead_letters(&self) -> u64 {
        self.messages.lock().unwrap().dead_letters
    }

    /// Adds a message and returns its number.
    fn add(&self, body: &str, visible_at: Instant) -> u64 {
        let mut messages = self.messages.lock().unwrap();
        let number = messages.sent;
        messages.sent += 1;
        messages.waiting.insert((visible_at, number), Message { body: body.to_owned(), receives: 0 });
        self.arrived.notify_waiters();
        number
    }
}

impl Messages {
    /// Takes the first visible message for the visibility timeout.
    fn take(&mut self) -> Taken {
        let now = Instant::now();
        loop {
            let Some(first) = self.waiting.first_entry() else { return Taken::Empty };
            let (visible_at, number) = *first.key();
            if visible_at > now {
                return Taken::NoneUntil(visible_at);
            }
            let message = first.remove();
            if message.receives == MAX_RECEIVES {
                self.dead_letters += 1;
                continue;
            }
            let (position, body) = ((now + VISIBILITY_TIMEOUT, number), message.body);
            self.waiting.insert(position, Message { body: body.clone(), receives: message.receives + 1 });
            return Taken::Message(position, body);
        }
    }
}

impl Delivery {
    /// Deletes the message, unless it has been received again since.
    pub fn delete(self) {
        let number = self.position.1;
        let deleted = self.process.world.queue.messages.lock().unwrap().waiting.remove(&self.position);
        let how = if deleted.is_some() { "deleted" } else { "not deleted, its receipt is old" };
        self.process.world.note(|| format!("{}: message {number} is {how}", self.process.name));
    }
}

/// Answers `SendMessage`. The SDK does not require the MD5 checksum of the body.
pub fn send(process: &Process, request: &Value) -> Answer {
    assert_eq!(request["QueueUrl"], URL);
    let body = request["MessageBody"].as_str().expect("a message has a body");
    let delay_s = request["DelaySeconds"].as_u64().unwrap_or_default();
    assert!(delay_s <= MAX_DELAY_S, "SQS refuses a delay of {delay_s} s");
    let world = &process.world;
    let is_duplicated = happens(&mut world.state().random, process.faults.duplicated);
    let copies = if is_duplicated { 2 } else { 1 };
    let numbers = (0..copies).map(|_| {
        let delay = Duration::from_secs(delay_s) + random_lateness(process);
        let number = world.queue.add(body, Instant::now() + delay);
        world.note(|| format!("{}: message {number} is sent, visible after {} ms", process.name, delay.as_millis()));
        number
    });
    let numbers: Vec<u64> = numbers.collect();
    Answer { status: 200, body: json!({"MessageId": numbers[0].to_string()}) }
}

fn random_lateness(process: &Process) -> Duration {
    let random = &mut process.world.state().random;
    if happens(random, process.faults.reordered) { millis(random, 1, 5_000) } else { Duration::ZERO }
}

pub fn throttled() -> Answer {
    let body = json!({"__type": "com.amazonaws.sqs#RequestThrottled", "message": "slow down"});
    Answer { status: 400, body }
}

/// Waits until a message is visible, and receives it. Without messages it waits until the history ends.
pub async fn receive(process: &Process) -> Delivery {
    let world = &process.world;
    let queue = &world.queue;
    loop {
        process.wait_until_running().await;
        let arrived = queue.arrived.notified();
        let taken = queue.messages.lock().unwrap().take();
        match taken {
            Taken::Message(position, body) => {
                world.note(|| format!("{}: message {} is received", process.name, position.1));
                return Delivery { body, process: process.clone(), position };
            }
            Taken::NoneUntil(visible_at) => drop(timeout_at(visible_at, arrived).await),
            Taken::Empty => arrived.await,
        }
    }
}
