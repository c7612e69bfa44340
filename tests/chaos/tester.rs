//! The people and systems that start runs, and answer their reviews. They repeat each request until it is answered.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use fastrand::Rng;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::client::{Answer, Person, try_send};
use tokio::time::sleep;

use crate::Result;
use crate::publication::Flow;

/// A request that is not answered after so many attempts never will be.
const ATTEMPTS: usize = 2_000;
const PAUSE: Duration = Duration::from_millis(100);
/// A run that has not ended after so many reads never will.
const READS: usize = 4_000;
const BETWEEN_READS: Duration = Duration::from_millis(300);
/// The timeout of one attempt. A killed platform closes its connections, so this only limits one that hangs.
const PATIENCE: Duration = Duration::from_secs(120);

#[derive(Default)]
pub struct Tester {
    /// Requests whose connection broke, and answers with a status of 5xx.
    pub broken: AtomicUsize,
    pub unavailable: AtomicUsize,
    /// Starts that were repeated with their key.
    pub repeated_starts: AtomicUsize,
}

/// A run that a tester has started and followed to its end.
pub struct FollowedRun {
    pub id: String,
    pub state: String,
    /// The path of its resource.
    pub path: String,
}

/// How a run is started.
enum Start<'a> {
    Manual { key: &'a str },
    Webhook { path: &'a str, token: &'a str, key: &'a str },
}

impl Tester {
    /// Starts a run, and follows it until it ends.
    pub async fn carry(&self, person: &Person, flow: &Flow, key: &str, mut random: Rng) -> Result<FollowedRun> {
        let start = match &flow.webhook {
            Some((path, token)) if random.bool() => Start::Webhook { path, token, key },
            _ => Start::Manual { key },
        };
        let id = self.start(person, flow, &start).await?;
        if random.u8(0..4) == 0 {
            self.repeated_starts.fetch_add(1, Ordering::Relaxed);
            let again = self.start(person, flow, &start).await?;
            if again != id {
                return Err(format!("the start key {key} gave the runs {id} and {again}").into());
            }
        }
        let path = format!("{}/{id}", flow.runs_path());
        let state = self.follow(person, &path, &mut random).await?;
        Ok(FollowedRun { id, state, path })
    }

    async fn start(&self, person: &Person, flow: &Flow, start: &Start<'_>) -> Result<String> {
        let input = json!({"from": "chaos"});
        let answer = match start {
            Start::Manual { key } => {
                let body = json!({"input": input, "idempotencyKey": key});
                self.ask(|| person.request(Method::POST, &flow.runs_path()).json(&body)).await?
            }
            Start::Webhook { path, token, key } => {
                let caller = person.with_token(token);
                let call = || caller.request(Method::POST, path).header("idempotency-key", *key).json(&input);
                self.ask(call).await?
            }
        };
        let json = &answer.json;
        let ids = [&json["data"]["id"], &json["runId"], &json["error"]["details"]["runId"]];
        let id = ids.into_iter().find_map(Value::as_str);
        id.map(str::to_owned).ok_or_else(|| format!("no run was started: {} {}", answer.status, answer.text).into())
    }

    /// Reads a run until it has ended, and answers its reviews. Returns its last state.
    async fn follow(&self, person: &Person, path: &str, random: &mut Rng) -> Result<String> {
        let mut state = String::new();
        for _ in 0..READS {
            let run = self.ask(|| person.request(Method::GET, path)).await?;
            let data = &run.json["data"];
            state = data["state"].as_str().unwrap_or_default().to_owned();
            match state.as_str() {
                "completed" | "failed" | "cancelled" => break,
                "queued" | "running" | "paused" => {}
                _ => return Err(format!("a run cannot be read: {} {}", run.status, run.text).into()),
            }
            if let Some(step) = data["waiting"]["step"].as_str() {
                let decision = if random.bool() { "approve" } else { "reject" };
                let body = json!({"nodeId": step, "decision": decision, "fields": {"note": "seen"}});
                let answer =
                    self.ask(|| person.request(Method::POST, &format!("{path}/resolve-wait")).json(&body)).await?;
                // A repeated answer is refused, because the first one counts.
                if !answer.status.starts_with('2') && !answer.status.starts_with("409") {
                    return Err(format!("a review was not answered: {} {}", answer.status, answer.text).into());
                }
            }
            sleep(BETWEEN_READS).await;
        }
        Ok(state)
    }

    /// Repeats a request until the platform answers it, and not with a failure of its own.
    async fn ask(&self, request: impl Fn() -> RequestBuilder) -> Result<Answer> {
        for _ in 0..ATTEMPTS {
            match try_send(request().timeout(PATIENCE)).await {
                Ok(answer) if !answer.status.starts_with('5') => return Ok(answer),
                Ok(_) => self.unavailable.fetch_add(1, Ordering::Relaxed),
                Err(_) => self.broken.fetch_add(1, Ordering::Relaxed),
            };
            sleep(PAUSE).await;
        }
        Err("the platform does not answer".into())
    }
}
