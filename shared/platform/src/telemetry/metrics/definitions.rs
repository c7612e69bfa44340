//! The metrics of the platform. Their labels have few values: names of the code, and of providers and models of the catalog.
//! No label names a tenant, a user or a run.

/// The label that each metric has first.
pub const FUNCTION: &str = "function";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    Requests,
    RequestSeconds,
    ModelCalls,
    ModelCallSeconds,
    InputTokens,
    CachedTokens,
    OutputTokens,
    ReasoningTokens,
    Cost,
    Messages,
    RunsEnded,
    LostCallBodies,
    ToolCalls,
    ToolCallSeconds,
}

/// What a metric is, as both formats show it.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    pub name: &'static str,
    pub help: &'static str,
    /// The labels after that of the function.
    pub labels: &'static [&'static str],
    pub kind: Kind,
    /// The value of one unit of what is recorded.
    pub unit: f64,
    /// The unit of the values, as AWS names it.
    pub unit_name: &'static str,
}

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Counter,
    /// Counts observations up to each of these bounds.
    Histogram(&'static [f64]),
}

/// The unit of recorded times.
pub const MICROSECOND: f64 = 1e-6;
/// The unit of recorded amounts of money.
const PICO_DOLLAR: f64 = 1e-12;
/// From a read in the process to the longest answer of a model.
const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// The names of the catalog for a provider and a model.
const MODEL_LABELS: &[&str] = &["provider", "model"];

impl Metric {
    pub const ALL: [Self; 14] = [
        Self::Requests,
        Self::RequestSeconds,
        Self::ModelCalls,
        Self::ModelCallSeconds,
        Self::InputTokens,
        Self::CachedTokens,
        Self::OutputTokens,
        Self::ReasoningTokens,
        Self::Cost,
        Self::Messages,
        Self::RunsEnded,
        Self::LostCallBodies,
        Self::ToolCalls,
        Self::ToolCallSeconds,
    ];

    pub const fn definition(self) -> Definition {
        let (name, help, labels): (_, _, &[&str]) = match self {
            Self::Requests => {
                ("atelier_requests_total", "Requests that were answered.", &["method", "route", "status"])
            }
            Self::RequestSeconds => ("atelier_request_duration_seconds", "Time until the head of a response.", &[]),
            Self::ModelCalls => (
                "atelier_model_calls_total",
                "Attempts at a provider of models. The outcome is ok, or the kind of the failure.",
                &["provider", "model", "outcome"],
            ),
            Self::ModelCallSeconds => (
                "atelier_model_call_duration_seconds",
                "Time of an attempt until its answer or its stream has ended.",
                MODEL_LABELS,
            ),
            Self::InputTokens => {
                ("atelier_input_tokens_total", "Charged tokens of prompts, including cached ones.", MODEL_LABELS)
            }
            Self::CachedTokens => {
                ("atelier_cached_tokens_total", "The input tokens that providers read from their caches.", MODEL_LABELS)
            }
            Self::OutputTokens => {
                ("atelier_output_tokens_total", "Charged tokens of answers, including reasoning.", MODEL_LABELS)
            }
            Self::ReasoningTokens => {
                ("atelier_reasoning_tokens_total", "The output tokens that were spent on reasoning.", MODEL_LABELS)
            }
            Self::Cost => ("atelier_cost_dollars_total", "Cost of calls of models, in US dollars.", MODEL_LABELS),
            Self::Messages => {
                ("atelier_messages_total", "Messages of queues. The outcome is handled or failed.", &["outcome"])
            }
            Self::RunsEnded => ("atelier_runs_ended_total", "Runs of workflows that have ended.", &["state"]),
            Self::LostCallBodies => (
                "atelier_lost_call_bodies_total",
                "Calls of models whose bodies should have been kept and could not be stored.",
                &[],
            ),
            Self::ToolCalls => (
                "atelier_tool_calls_total",
                "Calls of tools of MCP servers that the gateway passed on. The outcome is ok, or the code of the error.",
                &["outcome"],
            ),
            Self::ToolCallSeconds => (
                "atelier_tool_call_duration_seconds",
                "Time of a call of a tool until its answer or its stream has ended.",
                &[],
            ),
        };
        let (kind, unit, unit_name) = match self {
            Self::RequestSeconds | Self::ModelCallSeconds | Self::ToolCallSeconds => {
                (Kind::Histogram(SECONDS), MICROSECOND, "Seconds")
            }
            Self::Cost => (Kind::Counter, PICO_DOLLAR, "None"),
            _ => (Kind::Counter, 1.0, "Count"),
        };
        Definition { name, help, labels, kind, unit, unit_name }
    }
}
