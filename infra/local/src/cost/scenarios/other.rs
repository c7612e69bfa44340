//! Workbenches, signing in, and the ticker.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use ::labs::{Backend, Permit, Provisioner};
use bytes::Bytes;
use domain::time::{Clock, Time};
use domain::workbench::{Phase, Report, Workbench, WorkbenchStatus};
use futures::FutureExt;
use futures::future::BoxFuture;
use platform::Context;
use serde_json::json;
use store::workbenches::WorkbenchHint;

use crate::cost::recorded::Recorded;
use crate::cost::stage::{Stage, failure};
use crate::failure::Failure;

const WORKBENCHES: &str = "/workbenches/v1";
const STEP_AFTER: Duration = Duration::from_secs(5);
const MAX_STEPS: usize = 20;

pub async fn record() -> Result<Vec<Recorded>, Failure> {
    let mut recorded = record_workbenches().await?;
    recorded.push(record_sign_in().await?);
    let tick = async |stage: &mut Stage| stage.tick().await;
    recorded.push(Stage::start().await?.record_warm("a tick with nothing due", tick).await?);
    Ok(recorded)
}

/// A backend whose environments run at once.
struct QuickBackend;

impl Backend for QuickBackend {
    fn step<'a>(&'a self, _: &'a Workbench, _: &'a Permit) -> BoxFuture<'a, domain::Result<Report>> {
        async { Ok(Report::new(Phase::Running)) }.boxed()
    }
}

/// The messages of workbenches are late, so the worker has a clock of its own.
async fn record_workbenches() -> Result<Vec<Recorded>, Failure> {
    let stage = &mut Stage::start().await?;
    let org = stage.get("/gateway/v1/me").await?.text_at("/org/id")?;
    let now = Arc::new(Mutex::new(Time::now()));
    let pass = |time: Duration| {
        if let Ok(mut now) = now.lock() {
            *now = Ord::max(*now, Time::now()).plus(time);
        }
    };
    let of_worker = now.clone();
    let clock = Clock::new(move || of_worker.lock().map_or_else(|_| Time::now(), |now| *now));
    let context = Context { clock, ..stage.context_of("workbench-worker") };
    let worker = Provisioner::new(&context, Arc::new(QuickBackend))?;
    let hint_of = |id: &str| {
        let parsed = org.parse().ok().zip(id.parse().ok());
        let (org, id) = parsed.ok_or_else(|| failure(format!("not a workbench: {id}")))?;
        Ok::<_, Failure>(WorkbenchHint { org, id })
    };
    let mut number = 0;
    let mut hint = None;
    let create = async |stage: &mut Stage| {
        number += 1;
        let name = format!("lab-{number}");
        let id = stage.post(WORKBENCHES, json!({"name": name})).await?.text_at("/id")?;
        let new = hint_of(&id)?;
        hint = Some(new);
        for _ in 0..MAX_STEPS {
            pass(STEP_AFTER);
            let step = stage.work_as("workbench-worker", worker.advance(new)).await?;
            if step.is_some_and(|workbench| workbench.status == WorkbenchStatus::Ready) {
                return Ok(());
            }
        }
        Err(failure(format!("the workbench {id} is not ready after {MAX_STEPS} steps")))
    };
    let created = stage.record_warm("create a workbench, until it is ready", create).await?;
    let hint = hint.ok_or_else(|| failure("no workbench was created".to_owned()))?;
    let minute = async |stage: &mut Stage| {
        pass(Duration::from_secs(60));
        stage.work_as("workbench-worker", worker.advance(hint)).await.map(drop)
    };
    let minute = stage.record_warm("a minute of a ready workbench", minute).await?;
    let list = async |stage: &mut Stage| stage.get(WORKBENCHES).await.map(drop);
    Ok(vec![stage.record_warm("list workbenches", list).await?, created, minute])
}

/// A browser that signs in: it is led to the issuer and back.
async fn record_sign_in() -> Result<Recorded, Failure> {
    let stage = &mut Stage::start().await?;
    stage.switch_token("");
    let sign_in = async |stage: &mut Stage| {
        let begun = stage.get("/console/login").await?;
        let cookies = begun.cookies.join("; ");
        let cookie = ("cookie", cookies.as_str());
        let page = stage.send("GET", &begun.location, Bytes::new(), &[cookie]).await?;
        let (before, _) = page.text.split_once(">ada</button>").ok_or_else(|| failure("no button".to_owned()))?;
        let number = before.rsplit('"').nth(1).unwrap_or_default();
        let form = Bytes::from(format!("person={number}"));
        let origin = stage.platform().base_url.clone();
        let chosen = stage.send("POST", &begun.location, form, &[cookie, ("origin", &origin)]).await?;
        stage.send("GET", &chosen.location, Bytes::new(), &[cookie]).await.map(drop)
    };
    stage.record_warm("sign in to the console", sign_in).await
}
