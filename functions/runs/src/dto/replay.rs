//! Request and response bodies of replays and rehearsals.

use std::sync::Arc;

use domain::id::ReleaseChoice;
use domain::run::{Run, RunEnd, RunState, StepError};
use engine::replay::{Difference, NodeComparison, ReplayState, ReplayedStep};
use runner::{KeptValue, MAX_OUTPUTS_BYTES};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

/// The maximum number of steps in the lists of differences of a replay.
const MAX_DIFFERENCES: usize = 1_000;

/// The release of a replay.
#[derive(Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schema(title = "ReplayRun")]
pub struct ReplayRunIn {
    /// The release to replay the run against, or `draft`. By default, it is the active release.
    #[serde(default, deserialize_with = "release_choice")]
    #[schema(value_type = Option<String>, pattern = "^(draft|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$", example = "draft")]
    pub release_id: Option<ReleaseChoice>,
}

fn release_choice<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<ReleaseChoice>, D::Error> {
    let Some(text) = Option::<String>::deserialize(deserializer)? else { return Ok(None) };
    ReleaseChoice::parse(&text).map(Some).ok_or_else(|| D::Error::custom("must be the id of a release, or draft"))
}

/// How many runs are replayed.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default, deny_unknown_fields)]
#[schema(title = "RehearseRelease")]
pub struct RehearseIn {
    /// The number of the latest runs that have completed or failed.
    #[schema(minimum = 1, maximum = 100, default = 20)]
    pub sample: u32,
}

impl Default for RehearseIn {
    fn default() -> Self {
        Self { sample: 20 }
    }
}

/// A run in another release, compared with its own.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunReplay")]
pub struct ReplayOut {
    run_id: Uuid,
    /// The release of the replay. Null for the draft.
    #[schema(required)]
    release_id: Option<Uuid>,
    /// Null for the draft.
    #[schema(required)]
    release_number: Option<u64>,
    outcome: ReplayOutcome,
    before: ReplayEndOut,
    after: ReplayEndOut,
    /// The nodes in the order of the release, then those that it no longer has.
    nodes: Vec<ReplayNodeOut>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayOutcome {
    /// The run would have ended in the same way
    Equal,
    /// The run would have ended with another state, output or error
    Differs,
    /// The end depends on an effect that was never performed, or on a value that is masked
    Open,
}

/// How a run ends.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ReplayEnd")]
pub struct ReplayEndOut {
    /// Null if the end depends on an effect that was never performed.
    #[schema(required)]
    state: Option<RunState>,
    /// Null if the run did not complete, or if the output is larger than 64 KB.
    #[schema(required)]
    output: Value,
    #[schema(required)]
    error: Option<StepError>,
}

/// A node in both releases.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ReplayNode")]
pub struct ReplayNodeOut {
    node_id: String,
    status: ReplayNodeStatus,
    /// Whether the type or the configuration of the node differs between the releases.
    edited: bool,
    /// The number of its steps that differ; in a loop, a node has a step for each element.
    differing_steps: usize,
    /// The number of effects that the replay would have had to perform.
    new_effects: usize,
    /// The first step that differs.
    #[schema(required)]
    first: Option<ReplayDifferenceOut>,
    /// The steps that differ, in the order of their paths. A response has at most 1000; `differingSteps` counts all.
    differences: Vec<ReplayDifferenceOut>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayNodeStatus {
    Equal,
    Differs,
    /// Only the release of the replay has the node
    Added,
    /// Only the run's own release has the node
    Removed,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ReplayDifference")]
pub struct ReplayDifferenceOut {
    #[schema(example = "lines[2]/send")]
    step: String,
    /// Null if the step does not occur.
    #[schema(required)]
    before: Option<ReplayStepOut>,
    #[schema(required)]
    after: Option<ReplayStepOut>,
}

/// What happened in a step. Values of more than 64 KB are null.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "ReplayStep")]
pub struct ReplayStepOut {
    state: ReplayStepState,
    #[schema(required)]
    port: Option<String>,
    #[schema(required)]
    input: Value,
    #[schema(required)]
    output: Value,
    #[schema(required)]
    error: Option<StepError>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ReplayStepState {
    /// It needs the result of an effect that was never performed
    Waiting,
    Completed,
    Failed,
    Skipped,
    Canceled,
}

/// How the latest runs would have ended in a release.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "Rehearsal")]
pub struct RehearsalOut {
    /// The number of runs that were replayed. It is less than `sample` if there are fewer runs, or if the time was over.
    replayed: usize,
    equal: usize,
    differs: usize,
    open: usize,
    /// Runs whose trigger the release does not have.
    without_trigger: usize,
    /// The runs that would not have ended in the same way, newest first.
    runs: Vec<RehearsedRunOut>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RehearsedRun")]
pub struct RehearsedRunOut {
    run_id: Uuid,
    outcome: ReplayOutcome,
    /// The nodes that were edited and that behave differently in this run.
    nodes: Vec<String>,
    new_effects: usize,
}

/// A run that was replayed against two releases.
pub struct ReplayedRun {
    pub run: Run,
    pub before: Option<RunEnd>,
    pub after: Option<RunEnd>,
    pub nodes: Vec<NodeComparison>,
}

impl ReplayedRun {
    pub fn outcome(&self) -> ReplayOutcome {
        let has_same_end = self.before.as_ref().map(RunEnd::state) == Some(self.run.state);
        match &self.after {
            // The replay does not know what the run knew, such as values that were masked.
            _ if matches!(self.run.state, RunState::Completed | RunState::Failed) && !has_same_end => {
                ReplayOutcome::Open
            }
            None if self.before.is_some() => ReplayOutcome::Open,
            after if *after == self.before => ReplayOutcome::Equal,
            _ => ReplayOutcome::Differs,
        }
    }
}

impl ReplayOut {
    /// `release` is the id and the number of the release; none for the draft.
    pub fn new(replayed: ReplayedRun, release: Option<(Uuid, u64)>) -> Self {
        let outcome = replayed.outcome();
        let ReplayedRun { run, before, after, nodes } = replayed;
        let mut left = MAX_OUTPUTS_BYTES;
        let before = ReplayEndOut::new(before, &mut left);
        let after = ReplayEndOut::new(after, &mut left);
        let differences: Vec<_> = nodes.iter().map(|node| node.differences.clone()).collect();
        let mut nodes: Vec<_> = nodes.into_iter().map(|node| ReplayNodeOut::new(node, &mut left)).collect();
        // The first step of each node has its values before all others do.
        let mut room = MAX_DIFFERENCES;
        for (node, differences) in nodes.iter_mut().zip(differences) {
            let shown = differences.into_iter().take(room);
            node.differences = shown.map(|difference| ReplayDifferenceOut::new(difference, &mut left)).collect();
            room -= node.differences.len();
        }
        let (release_id, release_number) = release.unzip();
        Self { run_id: run.id.uuid(), release_id, release_number, outcome, before, after, nodes }
    }
}

impl ReplayEndOut {
    fn new(end: Option<RunEnd>, left: &mut usize) -> Self {
        let state = end.as_ref().map(RunEnd::state);
        let (output, error) = match end {
            Some(RunEnd::Completed { output }) => (show(Some(&output), left), None),
            Some(RunEnd::Failed(error)) => (Value::Null, Some(StepError { code: error.code, message: error.message })),
            Some(RunEnd::Cancelled) | None => (Value::Null, None),
        };
        Self { state, output, error }
    }
}

impl ReplayNodeOut {
    fn new(node: NodeComparison, left: &mut usize) -> Self {
        let NodeComparison { node_id, is_edited, differences, new_effects } = node;
        let is_new = differences.first().is_some_and(|difference| difference.before.is_none());
        let status = match is_edited {
            None if is_new => ReplayNodeStatus::Added,
            None => ReplayNodeStatus::Removed,
            Some(_) if differences.is_empty() => ReplayNodeStatus::Equal,
            Some(_) => ReplayNodeStatus::Differs,
        };
        let differing_steps = differences.len();
        let first = differences.into_iter().next().map(|difference| ReplayDifferenceOut::new(difference, left));
        let (edited, new_effects) = (is_edited.unwrap_or_default(), new_effects.len());
        Self { node_id, status, edited, differing_steps, new_effects, first, differences: Vec::new() }
    }
}

impl ReplayDifferenceOut {
    fn new(Difference { step, before, after }: Difference, left: &mut usize) -> Self {
        let mut show = |replayed: Option<ReplayedStep>| replayed.map(|replayed| ReplayStepOut::new(replayed, left));
        Self { step, before: show(before), after: show(after) }
    }
}

impl ReplayStepOut {
    fn new(step: ReplayedStep, left: &mut usize) -> Self {
        let state = match step.state {
            ReplayState::Waiting => ReplayStepState::Waiting,
            ReplayState::Completed => ReplayStepState::Completed,
            ReplayState::Failed => ReplayStepState::Failed,
            ReplayState::Skipped => ReplayStepState::Skipped,
            ReplayState::Canceled => ReplayStepState::Canceled,
        };
        let (input, output) = (show(step.input.as_ref(), left), show(step.output.as_ref(), left));
        Self { state, port: step.port, input, output, error: step.error }
    }
}

fn show(value: Option<&Arc<Value>>, left: &mut usize) -> Value {
    value.map(|value| KeptValue::new(value, left).into_response().0).unwrap_or_default()
}

impl RehearsalOut {
    /// None stands for a run whose trigger the release does not have.
    pub fn new(replayed: Vec<Option<ReplayedRun>>) -> Self {
        let outcomes: Vec<_> = replayed.iter().flatten().map(ReplayedRun::outcome).collect();
        let count = |outcome| outcomes.iter().filter(|other| **other == outcome).count();
        let (equal, differs, open) =
            (count(ReplayOutcome::Equal), count(ReplayOutcome::Differs), count(ReplayOutcome::Open));
        let without_trigger = replayed.len() - outcomes.len();
        let total = replayed.len();
        let changed = replayed.into_iter().flatten().filter(|run| run.outcome() != ReplayOutcome::Equal);
        let runs = changed.map(RehearsedRunOut::from).collect();
        Self { replayed: total, equal, differs, open, without_trigger, runs }
    }
}

impl From<ReplayedRun> for RehearsedRunOut {
    fn from(replayed: ReplayedRun) -> Self {
        let outcome = replayed.outcome();
        let new_effects = replayed.nodes.iter().map(|node| node.new_effects.len()).sum();
        let causes =
            replayed.nodes.into_iter().filter(|node| !node.differences.is_empty() && node.is_edited != Some(false));
        Self { run_id: replayed.run.id.uuid(), outcome, nodes: causes.map(|node| node.node_id).collect(), new_effects }
    }
}
