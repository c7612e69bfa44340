//! What a scenario did: the invocations of functions, with their AWS calls and what they waited for.

use std::time::Duration;

use crate::recorder::{Call, CallCosts};

/// One route or one kind of run, as it was recorded.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub name: &'static str,
    pub invocations: Vec<Invocation>,
    /// What the invocations of a function waited for besides AWS, by the name of the function.
    pub waits: Vec<(&'static str, Wait)>,
    /// Set if the scenario is a run of a workflow.
    pub run: Option<Run>,
    /// Set if the number of calls depends on the time.
    pub varies: bool,
}

#[derive(Clone, Debug)]
pub struct Invocation {
    pub function: String,
    pub trigger: Trigger,
    pub calls: Vec<Call>,
    /// The time of a core that the invocation took here, with its client and the embedded services.
    pub cpu: Duration,
}

/// Why a function was invoked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Trigger {
    Request,
    /// A batch of messages of a queue.
    Messages,
    Schedule,
}

#[derive(Clone, Copy, Debug)]
pub enum Wait {
    HttpCalls(u32),
    ModelCalls {
        calls: u32,
        at_once: u32,
    },
    /// A stream that is open for this time.
    Open(Duration),
}

/// A run of a workflow, for the comparison with Step Functions.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    /// The nodes that it went through, with its trigger and its result.
    pub nodes: u32,
    /// Whether it may wait for longer than the five minutes of an Express workflow.
    pub is_long: bool,
}

impl Recorded {
    #[must_use]
    pub fn waiting(mut self, function: &'static str, wait: Wait) -> Self {
        self.waits.push((function, wait));
        self
    }

    #[must_use]
    pub fn run(mut self, nodes: u32) -> Self {
        self.run = Some(Run { nodes, is_long: false });
        self
    }

    #[must_use]
    pub fn long_run(mut self, nodes: u32) -> Self {
        self.run = Some(Run { nodes, is_long: true });
        self
    }

    #[must_use]
    pub fn varying(self) -> Self {
        Self { varies: true, ..self }
    }

    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.invocations.iter().flat_map(|invocation| &invocation.calls)
    }

    /// The AWS calls as budgets of tests write them, one text for each invocation.
    pub fn budgets(&self) -> Vec<String> {
        self.invocations.iter().map(|invocation| invocation.calls.iter().collect::<CallCosts>().to_string()).collect()
    }
}
