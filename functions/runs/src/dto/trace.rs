//! Response bodies of the trace of a run, and of the analytics of one run.

use std::collections::{BTreeMap, BTreeSet};

use domain::run::{AgentAction, StepError};
use domain::time::Time;
use engine::compile::ExecutionPlan;
use engine::drive::{Span, SpanState};
use engine::run::StepPath;
use engine::script::ConsoleLine;
use runner::ValueRoom;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use store::usage::Figures;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;
use web::builder::usage::{ModelUsageOut, NodeUsageOut, RunUsageOut};

/// A longer trace is cut. `step` shows each of its parts.
const MAX_SPANS: usize = 2_000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct TraceQuery {
    /// Returns only this step and what is part of it, such as `lines` or `lines[2]/send`.
    #[param(nullable = false)]
    pub step: Option<String>,
}

/// What each step of a run received, did and returned.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunTrace")]
pub struct TraceOut {
    /// The steps in the order in which they began. The steps of a loop, and the calls of an agent, are in its `children`.
    spans: Vec<SpanOut>,
    /// The number of spans that are left out, because a response has at most 2000. Ask for them with `step`.
    omitted: usize,
}

/// One attempt of a step.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunSpan")]
pub struct SpanOut {
    /// The path of the step.
    #[schema(example = "lines[2]/send")]
    step: String,
    #[schema(example = "send")]
    node_id: String,
    #[schema(example = "http")]
    node_type: &'static str,
    /// From 1.
    attempt: u32,
    /// How often the attempt began again, because a crash or a stop left its outcome uncertain.
    repeats: u32,
    state: SpanStateOut,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(required, format = DateTime)]
    ended_at: Option<String>,
    #[schema(required)]
    duration_ms: Option<u64>,
    /// What an agent does in this step.
    #[schema(required)]
    action: Option<AgentAction>,
    /// The run that the step has started.
    #[schema(required)]
    run_id: Option<Uuid>,
    #[schema(required)]
    port: Option<String>,
    /// Null for a step that was skipped, and if `omitted` names it.
    #[schema(required)]
    input: Value,
    /// Null for a step that has not completed, and if `omitted` names it.
    #[schema(required)]
    output: Value,
    /// The values that are too large for this response: more than 64 KB each, or 2 MB in all.
    omitted: Vec<&'static str>,
    /// What the code of the step wrote to its console.
    console: Vec<ConsoleLine>,
    #[schema(required)]
    error: Option<StepError>,
    /// The calls of models of all attempts of this step. Null if it has called none.
    #[schema(required)]
    usage: Option<ModelUsageOut>,
    #[schema(no_recursion)]
    children: Vec<SpanOut>,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SpanStateOut {
    Running,
    /// It waits for a time, a person or another run
    Waiting,
    Completed,
    Failed,
    Skipped,
    /// Its result was no longer needed
    Canceled,
}

impl From<SpanState> for SpanStateOut {
    fn from(state: SpanState) -> Self {
        match state {
            SpanState::Running => Self::Running,
            SpanState::Waiting => Self::Waiting,
            SpanState::Completed => Self::Completed,
            SpanState::Failed => Self::Failed,
            SpanState::Skipped => Self::Skipped,
            SpanState::Canceled => Self::Canceled,
        }
    }
}

impl TraceOut {
    /// `usage` has the figures of each step, by its path.
    pub fn new(
        spans: Vec<Span>,
        plan: &ExecutionPlan,
        mut usage: BTreeMap<String, Figures>,
        step: Option<&str>,
    ) -> Self {
        let is_part = |span: &Span| step.is_none_or(|step| is_within(&span.step, step));
        let spans: Vec<Span> = spans.into_iter().filter(is_part).collect();
        let omitted = spans.len().saturating_sub(MAX_SPANS);
        let mut room = ValueRoom::default();
        let mut nested: BTreeMap<String, Vec<SpanOut>> = BTreeMap::new();
        let mut roots = Vec::new();
        let shown: Vec<(Option<String>, SpanOut)> = spans
            .into_iter()
            .take(MAX_SPANS)
            .map(|span| {
                let parent = span.parent().filter(|parent| step.is_none_or(|step| is_within(parent, step)));
                let parent = parent.map(str::to_owned);
                let figures = usage.remove(&span.step);
                (parent, SpanOut::new(span, plan, figures, &mut room))
            })
            .collect();
        // A parent is before its children, so the children are complete when it is reached from the end.
        for (parent, mut span) in shown.into_iter().rev() {
            span.children = nested.remove(&span.step).unwrap_or_default();
            span.children.reverse();
            match parent {
                Some(parent) => nested.entry(parent).or_default().push(span),
                None => roots.push(span),
            }
        }
        roots.reverse();
        Self { spans: roots, omitted }
    }
}

/// Whether a step is another one or part of it.
fn is_within(step: &str, outer: &str) -> bool {
    step.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '/']))
}

impl SpanOut {
    fn new(span: Span, plan: &ExecutionPlan, usage: Option<Figures>, room: &mut ValueRoom) -> Self {
        let node_id = span.node_id().to_owned();
        let node_type = plan.type_of(&node_id);
        let ([input, output], omitted) = room.show([("input", span.input), ("output", span.output)]);
        Self {
            node_id,
            node_type,
            step: span.step,
            attempt: span.attempt,
            repeats: span.repeats,
            state: span.state.into(),
            started_at: span.started_at.to_string(),
            ended_at: span.ended_at.map(|at| at.to_string()),
            duration_ms: span.ended_at.map(|at| span.started_at.until(at).as_millis() as u64),
            action: span.action,
            run_id: span.run_id.map(|id| id.uuid()),
            port: span.port,
            input,
            output,
            omitted,
            console: span.console,
            error: span.error,
            usage: usage.map(ModelUsageOut::from),
            children: Vec::new(),
        }
    }
}

/// Where the time and the money of a run went.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "RunAnalytics")]
pub struct RunAnalyticsOut {
    /// The nodes in the order in which they first began.
    nodes: Vec<NodeAnalyticsOut>,
    /// The chain of steps that took the run's time: each began when the one before had ended. Steps of loops and calls of
    /// agents are part of their node.
    critical_path: Vec<CriticalStepOut>,
    usage: Vec<NodeUsageOut>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "NodeAnalytics")]
pub struct NodeAnalyticsOut {
    node_id: String,
    node_type: &'static str,
    /// How often the node was executed. In a loop, it is once for each iteration.
    executions: u64,
    /// The attempts of all executions.
    attempts: u64,
    failed_attempts: u64,
    /// The sum of the durations of all attempts. Attempts may overlap.
    duration_ms: u64,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(title = "CriticalStep")]
pub struct CriticalStepOut {
    node_id: String,
    #[schema(format = DateTime)]
    started_at: String,
    #[schema(format = DateTime)]
    ended_at: String,
    duration_ms: u64,
}

impl RunAnalyticsOut {
    pub fn new(spans: &[Span], plan: &ExecutionPlan, usage: BTreeMap<String, Figures>) -> Self {
        let mut nodes: Vec<NodeAnalyticsOut> = Vec::new();
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        let mut begun = BTreeSet::new();
        // The calls of an agent are part of its node. A node with `each` is counted for each element.
        let is_list = |step: &str| StepPath::parse(step, plan).is_some_and(|path| plan.is_list(&path));
        let is_counted =
            |span: &&Span| span.state != SpanState::Skipped && !span.step.ends_with(']') && !is_list(&span.step);
        for span in spans.iter().filter(is_counted) {
            let place = *places.entry(span.node_id()).or_insert_with(|| {
                nodes.push(NodeAnalyticsOut::new(span.node_id(), plan));
                nodes.len() - 1
            });
            nodes[place].add(span, begun.insert(&span.step));
        }
        Self { nodes, critical_path: critical_path(spans, plan), usage: RunUsageOut::new(usage).nodes }
    }
}

impl NodeAnalyticsOut {
    fn new(node_id: &str, plan: &ExecutionPlan) -> Self {
        Self {
            node_id: node_id.to_owned(),
            node_type: plan.type_of(node_id),
            executions: 0,
            attempts: 0,
            failed_attempts: 0,
            duration_ms: 0,
        }
    }

    fn add(&mut self, span: &Span, is_first: bool) {
        self.executions += u64::from(is_first);
        self.attempts += 1;
        self.failed_attempts += u64::from(span.state == SpanState::Failed);
        let duration = span.ended_at.map(|ended_at| span.started_at.until(ended_at).as_millis() as u64);
        self.duration_ms += duration.unwrap_or_default();
    }
}

/// Begins at the step that ended last. The step before is the one that ended last among those that lead to it, and before
/// it began.
fn critical_path(spans: &[Span], plan: &ExecutionPlan) -> Vec<CriticalStepOut> {
    /// The begin and the end of each step of the graph itself.
    type Times<'a> = BTreeMap<&'a str, (Time, Time)>;
    let mut times: Times = BTreeMap::new();
    let has_ended = |state| matches!(state, SpanState::Completed | SpanState::Failed);
    for span in spans.iter().filter(|span| span.parent().is_none() && has_ended(span.state)) {
        let Some(ended_at) = span.ended_at else { continue };
        let (_, end) = times.entry(&span.step).or_insert((span.started_at, ended_at));
        *end = ended_at.max(*end);
    }
    let last_of = |steps: &mut dyn Iterator<Item = usize>, until: Option<Time>| {
        let ended = steps.filter_map(|step| Some((times.get(plan.steps[step].id.as_str())?.1, step)));
        ended.filter(|(at, _)| until.is_none_or(|until| *at <= until)).max().map(|(_, step)| step)
    };
    let mut path = Vec::new();
    let mut next = last_of(&mut (0..plan.steps.len()), None);
    while let Some(step) = next.filter(|_| path.len() < plan.steps.len()) {
        let id = plan.steps[step].id.as_str();
        let (started_at, ended_at) = times[id];
        path.push(CriticalStepOut {
            node_id: id.to_owned(),
            started_at: started_at.to_string(),
            ended_at: ended_at.to_string(),
            duration_ms: started_at.until(ended_at).as_millis() as u64,
        });
        let sources = &mut plan.steps[step].incoming.iter().map(|edge| plan.edges[*edge].from);
        next = last_of(sources, Some(started_at));
    }
    path.reverse();
    path
}
