//! Tests of the queue, through the platform's own sender.

use std::sync::Arc;
use std::time::Duration;

use domain::Error;
use platform::queue::Queue;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use super::world;
use crate::machine::faults::{Faults, ProcessFaults};
use crate::machine::process::Process;
use crate::machine::queue::{self, MAX_RECEIVES, VISIBILITY_TIMEOUT, receive};
use crate::machine::runner::{check_seed_determines_trace, run_in_virtual_time};
use crate::machine::world::World;

/// No message comes after this time.
const LONG: Duration = Duration::from_secs(24 * 60 * 60);

fn sender(process: &Process) -> Queue {
    Queue::new(&process.context(), platform::config::QUEUE_RUNS).unwrap()
}

/// Receives and deletes every message.
async fn drain(world: &Arc<World>) -> Vec<String> {
    let process = Process::without_faults(world, "receiver");
    let mut bodies = Vec::new();
    while let Ok(delivery) = timeout(LONG, receive(&process)).await {
        bodies.push(delivery.body.clone());
        delivery.delete();
    }
    bodies
}

#[test]
fn a_delayed_message_comes_after_its_delay() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults::default());
        let process = Process::without_faults(&world, "sender");
        let delayed = process.context().aws.sqs().send_message().queue_url(queue::URL).delay_seconds(30);
        let began = Instant::now();
        delayed.message_body("delayed").send().await.unwrap();
        sender(&process).send(&"now").await.unwrap();
        let first = receive(&process).await;
        assert_eq!(first.body, r#""now""#);
        first.delete();
        assert!(Instant::now() < began + Duration::from_secs(1));
        assert_eq!(receive(&process).await.body, "delayed");
        let (now, due) = (Instant::now(), began + Duration::from_secs(30));
        assert!((due..due + Duration::from_secs(1)).contains(&now), "it came at {now:?} instead of {due:?}");
    });
}

#[test]
fn an_undeleted_message_comes_again_until_it_is_a_dead_letter() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults::default());
        let process = Process::without_faults(&world, "worker");
        sender(&process).send(&"work").await.unwrap();
        let mut deliveries = vec![receive(&process).await];
        for _ in 1..MAX_RECEIVES {
            let visible_at = Instant::now() + VISIBILITY_TIMEOUT;
            deliveries.push(receive(&process).await);
            assert_eq!(Instant::now(), visible_at);
        }
        // The receipt of the first delivery is old, so it deletes nothing.
        deliveries.remove(0).delete();
        assert_eq!(world.queue.dead_letters(), 0);
        assert!(timeout(LONG, receive(&process)).await.is_err());
        assert_eq!(world.queue.dead_letters(), 1);
    });
}

#[test]
fn a_message_arrives_although_its_answer_is_lost() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults { answer_lost: 1_000, ..Faults::default() });
        let process = Process::new(&world, "sender".to_owned(), &ProcessFaults::default());
        let failed = sender(&process).send(&"work").await;
        assert!(matches!(failed, Err(Error::Unavailable { .. })), "{failed:?}");
        let lost =
            world.take_trace().iter().filter(|line| line.contains("the answer to a SendMessage is lost")).count();
        // The SDK sends again, so each attempt leaves one message.
        assert!(lost > 1);
        assert_eq!(drain(&world).await.len(), lost);
    });
}

#[test]
fn a_lost_request_leaves_no_message() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults { request_lost: 1_000, ..Faults::default() });
        let process = Process::new(&world, "sender".to_owned(), &ProcessFaults::default());
        assert!(sender(&process).send(&"work").await.is_err());
        assert!(drain(&world).await.is_empty());
    });
}

#[test]
fn messages_come_twice_and_out_of_order() {
    run_in_virtual_time(0, async {
        let world = world(0, Faults { duplicated: 1_000, reordered: 1_000, ..Faults::default() });
        let process = Process::new(&world, "sender".to_owned(), &ProcessFaults::default());
        let sender = sender(&process);
        let sent: Vec<String> = (0..10).flat_map(|number: u8| [number.to_string(), number.to_string()]).collect();
        for number in 0..10_u8 {
            sender.send(&number).await.unwrap();
        }
        let mut received = drain(&world).await;
        assert_ne!(received, sent);
        received.sort();
        assert_eq!(received, sent);
    });
}

/// Three senders and two receivers, of which one is killed. Every second delivery is not deleted.
fn random_history(seed: u64) -> Vec<String> {
    run_in_virtual_time(seed, async {
        let faults = Faults {
            throttled: 100,
            request_lost: 100,
            answer_lost: 100,
            delayed: 100,
            duplicated: 200,
            reordered: 500,
        };
        let world = world(seed, faults);
        let mut tasks = JoinSet::new();
        for number in 0..3 {
            let process = Process::new(&world, format!("sender {number}"), &ProcessFaults::default());
            tasks.spawn(async move {
                let sender = sender(&process);
                for message in 0..8 {
                    let sent = sender.send(&message).await;
                    process.world.note(|| format!("{}: {message} is sent: {}", process.name, sent.is_ok()));
                }
            });
        }
        for (number, killed_at) in [(0, None), (1, Some(Duration::from_secs(20)))] {
            let faults = ProcessFaults { killed_at, ..ProcessFaults::default() };
            let process = Process::new(&world, format!("receiver {number}"), &faults);
            tasks.spawn(async move {
                let work = async {
                    loop {
                        let delivery = receive(&process).await;
                        if process.world.state().random.bool() {
                            delivery.delete();
                        }
                    }
                };
                process.run_until_killed(work).await;
            });
        }
        sleep(LONG).await;
        world.take_trace()
    })
}

#[test]
fn a_history_is_a_function_of_its_seed() {
    assert_ne!(random_history(0), random_history(1));
    check_seed_determines_trace(random_history);
}
