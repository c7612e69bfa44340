//! Starts runs of a workflow through the API, and waits until they have ended.

use std::time::Duration;

use domain::time::Time;
use reqwest::{Client, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::Result;
use crate::atelier::Platform;
use tests::process::client;

/// The wait between two reads of a run. The times of a run are in the run, so it does not change them.
const BETWEEN_READS: Duration = Duration::from_millis(20);
/// A run that has not ended after so many reads never will.
const READS: usize = 30_000;

/// A published workflow.
pub struct Workflow {
    client: Client,
    url: String,
    token: String,
}

/// A run that was started.
pub struct Run {
    pub sent: Time,
    url: String,
}

impl Workflow {
    pub async fn publish(platform: &Platform, graph: &Value) -> Result<Self> {
        let path = platform.publish(graph).await?;
        Ok(Self { client: client()?, url: format!("{}{path}/runs", platform.base()), token: platform.token.clone() })
    }

    pub async fn start(&self) -> Result<Run> {
        let sent = Time::now();
        let started = self.send(self.client.post(&self.url).json(&json!({"input": crate::flow::input()}))).await?;
        let id = started["data"]["id"].as_str().ok_or("a started run has no id")?;
        Ok(Run { sent, url: format!("{}/{id}", self.url) })
    }

    /// Waits until a run has completed, and returns the time when it did.
    pub async fn end(&self, run: &Run) -> Result<Time> {
        for _ in 0..READS {
            let shown = self.send(self.client.get(&run.url)).await?;
            let data = &shown["data"];
            match data["state"].as_str() {
                Some("completed") => return Ok(serde_json::from_value(data["finishedAt"].clone())?),
                Some("queued" | "running" | "paused") => sleep(BETWEEN_READS).await,
                _ => return Err(format!("a run did not complete: {shown}").into()),
            }
        }
        Err("a run does not end".into())
    }

    /// A request for the live events of a run.
    pub fn follow(&self, run: &Run) -> RequestBuilder {
        self.client.get(format!("{}/events?follow=true", run.url)).bearer_auth(&self.token)
    }

    async fn send(&self, request: RequestBuilder) -> Result<Value> {
        let response = request.bearer_auth(&self.token).send().await?;
        match response.status() {
            status if status.is_success() => Ok(response.json().await?),
            status => Err(format!("a request for a run was answered {status}: {}", response.text().await?).into()),
        }
    }
}

/// The milliseconds between two times.
pub fn milliseconds(from: Time, until: Time) -> f64 {
    (until.as_millis() - from.as_millis()) as f64
}
