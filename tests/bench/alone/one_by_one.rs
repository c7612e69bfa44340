//! Runs that are started one by one and not waited for by their caller: each begins when the one before has ended.

use super::Scenario;
use super::run::{Workflow, milliseconds};
use crate::Result;
use crate::atelier::Platform;
use crate::flow::{Flow, Trigger};

pub struct OneByOne {
    runs: u32,
    flow: Flow,
    workflow: Workflow,
}

pub async fn publish(platform: &Platform, runs: u32, mock_port: u16) -> Result<Vec<Scenario>> {
    let mut scenarios = Vec::new();
    for flow in [Flow::Pure, Flow::Calls] {
        let workflow = Workflow::publish(platform, &flow.graph(Trigger::Input, mock_port)).await?;
        scenarios.push(Scenario::OneByOne(OneByOne { runs, flow, workflow }));
    }
    Ok(scenarios)
}

impl OneByOne {
    pub fn title(&self) -> String {
        format!("{}, started one by one, start to end", self.flow.title())
    }

    pub async fn execute(&self) -> Result<(usize, Vec<f64>)> {
        let mut times = Vec::new();
        for _ in 0..self.runs {
            let run = self.workflow.start().await?;
            times.push(milliseconds(run.sent, self.workflow.end(&run).await?));
        }
        Ok((times.len(), times))
    }
}
