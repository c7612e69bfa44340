//! Ticks that crash, repeat and overlap: each scheduled time starts one run.

use std::pin::{Pin, pin};
use std::task::{Context as TaskContext, Poll};

use domain::run::{NewRun, RunOrigin};
use fastrand::Rng;
use store::Workflows;
use store::schedules::ScheduleProgress;
use tests::scale::full_or;
use tokio::select;

use super::*;

/// Polls a future at most `polls` times, then drops it, as a crash of its process does.
struct CrashAfter<F> {
    polls: usize,
    future: Pin<Box<F>>,
}

impl<F: Future> Future for CrashAfter<F> {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, context: &mut TaskContext) -> Poll<()> {
        if self.polls == 0 {
            return Poll::Ready(());
        }
        self.polls -= 1;
        self.future.as_mut().poll(context).map(drop)
    }
}

#[tokio::test]
async fn a_crash_while_several_runs_start_repeats_none() {
    let (app, gate) = TestApp::start_gated().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(HOURLY, json!({"catchUp": "all"})))).await;
    let now = planned_at(&app, &flow).await.plus(hours(3));
    let mut first = gate.hold("TransactWriteItems");
    {
        let mut ticking = pin!(try_tick(&app, now));
        for _ in 0..2 {
            let release = select! {
                _ = &mut ticking => panic!("the gate holds the tick"),
                release = first.arrived() => release,
            };
            first = gate.hold("TransactWriteItems");
            release.send(()).unwrap();
        }
        let _third = select! {
            _ = &mut ticking => panic!("the gate holds the tick"),
            release = first.arrived() => release,
        };
        // The ticker crashes: two runs have started, and a third transaction is in flight.
    }
    assert!((2..=3).contains(&count_runs(&app, &flow).await));
    tick_until_idle(&app, &flow, now).await;
    assert_eq!(count_runs(&app, &flow).await, 4);
}

/// A ticker that was suspended has an old state. It starts no run that another ticker has started.
#[tokio::test]
async fn a_late_write_of_another_ticker_is_refused() {
    let app = TestApp::start().await;
    let ada = app.person("ada");
    let flow = publish(&ada, scheduled(config(HOURLY, json!({})))).await;
    let schedule = find_schedule(&app, &flow, "when").await.unwrap();
    let first = schedule.progress.planned_at;
    let runs = Runs::new(&app.platform.context()).unwrap();
    let workflows = Workflows::new(&app.platform.context()).unwrap();
    let header = workflows.get_header(app.account("ada"), flow.parse().unwrap()).await.unwrap();
    let release = header.startable_release().unwrap();
    let progress =
        ScheduleProgress { planned_at: first.plus(hours(1)), queued: Vec::new(), due_at: Some(first.plus(hours(1))) };
    let start = async || {
        let new = NewRun::new(release, RunOrigin::Scheduled, "when".to_owned(), json!(null));
        runs.start_scheduled(new, &schedule, &progress).await.unwrap()
    };
    assert!(start().await);
    assert!(!start().await);
    assert!(!schedules(&app).save(&schedule, &progress).await.unwrap());
    // The ticker crashed after the transaction, before the hint.
    tick(&app, first).await;
    assert_eq!(count_runs(&app, &flow).await, 1);

    let schedule = find_schedule(&app, &flow, "when").await.unwrap();
    change(&ada, &flow, "pause").await;
    assert!(!schedules(&app).save(&schedule, &progress).await.unwrap(), "a pause stops a tick in progress");
    assert_eq!(find_schedule(&app, &flow, "when").await.unwrap().progress.due_at, None);
}

/// With `catchUp: all`, every scheduled time starts exactly one run, whatever happens to the ticks and to the workflow.
#[tokio::test]
async fn every_time_starts_one_run() {
    for seed in 0..full_or(60, 3) {
        let mut random = Rng::with_seed(seed as u64);
        let faults = Faults { throttled: 20, lost: 20, seed: seed as u64, ..Faults::default() };
        let app = TestApp::start_with_faults(random.bool().then_some(faults)).await;
        let ada = app.person("ada");
        let overlap = random.choice(["allow", "queue"]).unwrap();
        let flow =
            publish(&ada, scheduled(config("*/10 * * * *", json!({"catchUp": "all", "overlap": overlap})))).await;
        let first = planned_at(&app, &flow).await;
        let (mut now, mut is_paused) = (first, false);
        for _ in 0..15 {
            match random.u8(..10) {
                0..4 => drop(try_tick(&app, now).await),
                4..6 => drop(join_all((0..3).map(|_| try_tick(&app, now))).await),
                6..8 => {
                    let future = Box::pin(try_tick(&app, now));
                    CrashAfter { polls: random.usize(1..40), future }.await;
                }
                8 => {
                    change(&ada, &flow, if is_paused { "resume" } else { "pause" }).await;
                    is_paused = !is_paused;
                }
                _ => drop(app.platform.drain().await),
            }
            now = now.plus(minutes(random.u64(0..20)));
        }
        if is_paused {
            change(&ada, &flow, "resume").await;
        }
        // The times that wait for the previous run start one after another.
        let times = loop {
            let _ = try_tick(&app, now).await;
            app.platform.drain().await;
            let progress = find_schedule(&app, &flow, "when").await.unwrap().progress;
            if progress.planned_at > now && progress.queued.is_empty() {
                break (progress.planned_at.as_millis() - first.as_millis()) / 600_000;
            }
            now = now.plus(minutes(1));
        };
        assert_eq!(count_runs(&app, &flow).await as i64, times, "seed {seed}, {overlap}");
    }
}
