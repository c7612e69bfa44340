//! Many conversations at once, with repeated deliveries and workers that are killed: each message has one run, in the order
//! of its conversation, and nothing is lost.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::Poll;
use std::time::Duration;

use aws_lambda_events::event::sqs::{SqsEvent, SqsMessage};
use domain::time::{Clock, Time};
use fastrand::Rng;
use futures::future::join_all;
use platform::Context;

use super::stage::*;
use super::*;

/// Messages of one conversation. Half of them arrive before the workers begin.
const PER_THREAD: u32 = 10;
const WORKERS: usize = 8;
/// More than a claim lasts.
const LATER: Duration = Duration::from_secs(20 * 60);
/// More than all messages need, with those that killed workers leave.
const MAX_ROUNDS: usize = 20_000;

/// 20 conversations; 500 with `FULL_TESTS=1`.
fn threads() -> u32 {
    if std::env::var_os("FULL_TESTS").is_some() { 500 } else { 20 }
}

/// Workers whose clock the test advances.
pub struct Workers<'a> {
    app: &'a TestApp,
    ahead_s: Arc<AtomicU64>,
    stores: run_worker::Stores,
    queue: String,
    killed: usize,
}

impl<'a> Workers<'a> {
    pub fn new(app: &'a TestApp) -> Self {
        let ahead_s = Arc::new(AtomicU64::new(0));
        let ahead = ahead_s.clone();
        let clock = Clock::new(move || Time::now().plus(Duration::from_secs(ahead.load(Ordering::Relaxed))));
        let context = Context { clock, ..app.platform.context() };
        let queue = context.config.required("QUEUE_RUNS").unwrap().to_owned();
        let stores = run_worker::Stores::new(&context).unwrap();
        Self { app, ahead_s, stores, queue, killed: 0 }
    }

    pub fn advance(&self, time: Duration) {
        self.ahead_s.fetch_add(time.as_secs(), Ordering::Relaxed);
    }

    fn now(&self) -> Time {
        Time::now().plus(Duration::from_secs(self.ahead_s.load(Ordering::Relaxed)))
    }

    /// Handles messages until there is nothing left to do. Every tenth worker is killed after a random number of steps.
    async fn work(&mut self, random: &mut Rng) {
        for _ in 0..MAX_ROUNDS {
            let bodies = self.receive().await;
            if bodies.is_empty() {
                self.advance(LATER);
                if self.app.platform.tick(self.now()).await.unwrap() == 0 {
                    return;
                }
                continue;
            }
            let work = bodies.into_iter().map(|body| {
                let steps = if random.u8(..10) == 0 { random.usize(1..200) } else { usize::MAX };
                self.handle(body, steps)
            });
            let work: Vec<_> = work.collect();
            self.killed += join_all(work).await.into_iter().filter(|is_done| !is_done).count();
        }
        panic!("the workers do not come to an end");
    }

    /// Takes messages from the queue. A worker that is killed loses its message.
    async fn receive(&self) -> Vec<String> {
        let sqs = self.app.platform.context().aws.sqs();
        let call = sqs.receive_message().queue_url(&self.queue).max_number_of_messages(WORKERS as i32);
        let messages = call.send().await.unwrap().messages.unwrap_or_default();
        for message in &messages {
            let handle = message.receipt_handle().unwrap();
            sqs.delete_message().queue_url(&self.queue).receipt_handle(handle).send().await.unwrap();
        }
        messages.into_iter().filter_map(|message| message.body).collect()
    }

    /// Handles a message with a worker that is killed after this many steps. Returns whether it came to its end before.
    pub async fn handle(&self, body: String, steps: usize) -> bool {
        let mut work = pin!(self.start(body));
        proceed(&mut work, steps).await
    }

    /// Handles a message with a worker that pauses after this many steps, until something has happened. Returns whether it
    /// came to its end before.
    pub async fn handle_with_pause(&self, body: String, steps: usize, event: impl Future<Output = ()>) -> bool {
        let mut work = pin!(self.start(body));
        let has_ended = proceed(&mut work, steps).await;
        event.await;
        has_ended || !proceed(&mut work, usize::MAX).await
    }

    async fn start(&self, body: String) {
        let mut message = SqsMessage::default();
        (message.message_id, message.body) = (Some("1".to_owned()), Some(body));
        let mut event = SqsEvent::default();
        event.records = vec![message];
        run_worker::handle(&self.stores, event, self.now().plus(Duration::from_secs(60))).await;
    }
}

/// Polls at most this many times more. Returns whether the work has ended.
async fn proceed(work: &mut Pin<&mut impl Future<Output = ()>>, mut steps: usize) -> bool {
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(()) => Poll::Ready(true),
        Poll::Pending if steps == 0 => Poll::Ready(false),
        Poll::Pending => {
            steps -= 1;
            Poll::Pending
        }
    })
    .await
}

#[tokio::test]
async fn each_message_has_one_run_in_the_order_of_its_conversation() {
    let mut random = Rng::with_seed(7);
    let reply =
        json!({"text": "{{ input.text }}", "onUncertain": "retry", "retry": {"maxAttempts": 9, "backoffMs": 0}});
    let draft = graph(&[node("ask", "message", json!({})), node("reply", "send_message", reply)], &["ask.out reply"]);
    let stage = Stage::start(MessagingProvider::Http, draft).await;
    let text = |number: u32| format!("Message {number}");

    // The first half arrives in any order, each message twice.
    let mut early: Vec<(u32, u32)> =
        (1..=threads()).flat_map(|person| (1..=PER_THREAD / 2).map(move |n| (person, n))).collect();
    early.extend(early.clone());
    random.shuffle(&mut early);
    for chunk in early.chunks(WORKERS) {
        join_all(chunk.iter().map(|(person, number)| stage.deliver(*person, *number, text(*number)))).await;
    }
    // The second half arrives while the workers are busy.
    let mut workers = Workers::new(&stage.app);
    let late = async {
        for number in PER_THREAD / 2 + 1..=PER_THREAD {
            for first in (1..=threads()).step_by(WORKERS) {
                let people = first..(first + WORKERS as u32).min(threads() + 1);
                join_all(people.map(|person| stage.deliver(person, number, text(number)))).await;
            }
        }
    };
    futures::future::join(late, workers.work(&mut random)).await;
    workers.work(&mut random).await;
    assert!(workers.killed > 0);

    let expected: Vec<String> = (1..=PER_THREAD).map(text).collect();
    for person in 1..=threads() {
        assert_eq!(stage.fake.texts(&stage.conversation(person)), expected, "conversation {person}");
    }
    let mut runs: BTreeMap<String, usize> = BTreeMap::new();
    for record in list(&stage.ada, &format!("{}/records?limit=100", stage.workflow)).await {
        assert_eq!(record["state"], "completed", "{record}");
        *runs.entry(record["threadId"].as_str().unwrap().to_owned()).or_default() += 1;
    }
    assert_eq!(runs.len(), threads() as usize);
    assert!(runs.values().all(|runs| *runs == PER_THREAD as usize), "{runs:?}");
}
