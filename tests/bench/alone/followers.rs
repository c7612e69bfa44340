//! Many clients that follow the live events of one run.

use domain::time::Time;
use futures::future::try_join_all;
use serde::Deserialize;

use super::Scenario;
use super::loops;
use super::run::{Run, Workflow, milliseconds};
use crate::Result;
use crate::atelier::Platform;

/// Calls enough that the run lasts while events are followed.
const ITEMS: u32 = 100;
/// The pause at the beginning of the run, in which all followers connect.
const PAUSE_S: u32 = 3;
const END: &str = "event: end";

pub struct Followed {
    followers: u32,
    workflow: Workflow,
}

/// The field of an event that is needed here.
#[derive(Deserialize)]
struct Event {
    at: Time,
}

pub async fn publish(platform: &Platform, followers: u32, mock_port: u16) -> Result<Scenario> {
    let workflow = Workflow::publish(platform, &loops::graph(PAUSE_S, ITEMS, true, mock_port)).await?;
    Ok(Scenario::Followers(Followed { followers, workflow }))
}

impl Followed {
    pub fn title(&self) -> String {
        format!("{} followers of a run of {ITEMS} calls: an event to a follower", self.followers)
    }

    /// Every follower must receive the end of the run.
    pub async fn execute(&self) -> Result<(usize, Vec<f64>)> {
        let run = self.workflow.start().await?;
        let delays = try_join_all((0..self.followers).map(|_| self.follow(&run))).await?;
        self.workflow.end(&run).await?;
        Ok((1, delays.into_iter().flatten().collect()))
    }

    /// Returns how long each event that happened after the connection was open took to arrive.
    async fn follow(&self, run: &Run) -> Result<Vec<f64>> {
        let mut response = self.workflow.follow(run).send().await?.error_for_status()?;
        let (opened, mut text, mut delays) = (Time::now(), String::new(), Vec::new());
        while let Some(part) = response.chunk().await? {
            let now = Time::now();
            text.push_str(str::from_utf8(&part)?);
            while let Some((line, rest)) = text.split_once('\n') {
                let (line, rest) = (line.to_owned(), rest.to_owned());
                text = rest;
                if line == END {
                    return Ok(delays);
                }
                let event = line.strip_prefix("data: ").and_then(|data| serde_json::from_str::<Event>(data).ok());
                delays.extend(event.filter(|event| event.at > opened).map(|event| milliseconds(event.at, now)));
            }
        }
        Err("the stream of events ended before the run".into())
    }
}
