//! The trace of a run: what each attempt of each step received, did and returned. Times and errors are those of the log.
//! The values of steps without effects are not in the log, so they are computed again.

use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::limits::Limits;
use super::masks::Masks;
use super::restore::restore;
use crate::compile::ExecutionPlan;
use crate::run::{Execution, RunFacts, RunStart, StepError, StepEvent};
use crate::script::ConsoleLine;
use domain::Result;
use domain::id::RunId;
use domain::run::{AgentAction, ExchangeDetector, RunEvent, RunEventKind, node_id_of};
use domain::time::Time;

/// One attempt of a step, or a step without attempts.
#[derive(Clone, Debug, PartialEq)]
pub struct Span {
    /// The path of the step.
    pub step: String,
    /// From 1.
    pub attempt: u32,
    pub state: SpanState,
    pub started_at: Time,
    pub ended_at: Option<Time>,
    /// What an agent does in this step.
    pub action: Option<AgentAction>,
    /// The run that the step has started.
    pub run_id: Option<RunId>,
    /// How often the attempt began again, because a crash or a stop left its outcome uncertain.
    pub repeats: u32,
    /// Whether the attempt is an exchange with a model, another system or a person.
    pub is_exchange: bool,
    pub port: Option<String>,
    pub error: Option<StepError>,
    pub input: Option<Arc<Value>>,
    pub output: Option<Arc<Value>>,
    /// What the scripts of the step wrote.
    pub console: Vec<ConsoleLine>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanState {
    Running,
    /// It waits for a time, a person or another run.
    Waiting,
    Completed,
    Failed,
    Skipped,
    Canceled,
}

impl Span {
    fn new(step: String, attempt: u32, state: SpanState, started_at: Time) -> Self {
        Self {
            step,
            attempt,
            state,
            started_at,
            ended_at: None,
            action: None,
            run_id: None,
            repeats: 0,
            is_exchange: false,
            port: None,
            error: None,
            input: None,
            output: None,
            console: Vec::new(),
        }
    }

    pub fn node_id(&self) -> &str {
        node_id_of(&self.step)
    }

    /// The step that this one is part of: its loop, or the agent that makes this call.
    pub fn parent(&self) -> Option<&str> {
        parent_of(&self.step)
    }
}

/// `lines` for `lines[2]/send`, and `lines[2]/ask` for `lines[2]/ask[0]`.
pub fn parent_of(step: &str) -> Option<&str> {
    let (scope, last) = step.rsplit_once('/').map_or((None, step), |(scope, last)| (Some(scope), last));
    if last.ends_with(']') {
        return step.rfind('[').map(|end| &step[..end]);
    }
    scope.and_then(|scope| scope.rfind('[').map(|end| &scope[..end]))
}

/// Reads a log in its order. `log` begins with the first event of the run.
pub fn trace(facts: RunFacts, plan: Arc<ExecutionPlan>, trigger: usize, log: Vec<RunEvent>) -> Result<Vec<Span>> {
    let mut spans = Spans::default();
    log.iter().for_each(|event| spans.read(event));
    let names = plan.clone();
    let (values, masks) = compute(facts, plan, trigger, log)?;
    let mut spans = spans.list;
    for span in &mut spans {
        let Some(StepValues { input, output, console }) = values.get(&span.step) else { continue };
        span.input.clone_from(input);
        span.console.clone_from(console);
        span.console.iter_mut().for_each(|line| masks.hide_in_text(&mut line.text));
        if span.state == SpanState::Completed {
            span.output.clone_from(output);
        }
        masks.hide_in_step(&names, &span.step, &mut span.input, &mut span.output);
    }
    Ok(spans)
}

#[derive(Default)]
struct Spans {
    list: Vec<Span>,
    /// The last span of each step.
    last: HashMap<String, usize>,
    exchanges: ExchangeDetector,
}

impl Spans {
    fn read(&mut self, event: &RunEvent) {
        self.read_step(event);
        if let Some(span) = self.exchanges.detect(&event.kind).and_then(|step| self.last.get(step)) {
            self.list[*span].is_exchange = true;
        }
    }

    fn read_step(&mut self, RunEvent { at, kind }: &RunEvent) {
        match kind {
            RunEventKind::StepStarted { step, attempt, action } => {
                if let Some(open) = self.find_open(step) {
                    let span = &mut self.list[open];
                    if span.attempt == *attempt {
                        span.repeats += 1;
                        return;
                    }
                    // A person had the step try again, because the outcome of this attempt is uncertain.
                    end(span, SpanState::Failed, *at);
                }
                let span = self.begin(step, *attempt, *at);
                span.action.clone_from(action);
            }
            RunEventKind::StepRetried { step, attempt, error, .. } => {
                let span = self.open_or_begin(step, *attempt, *at);
                end(span, SpanState::Failed, *at);
                span.error = Some(error.clone());
            }
            RunEventKind::StepDelayed { step, .. } => {
                self.open_or_begin(step, 1, *at).state = SpanState::Waiting;
            }
            RunEventKind::StepAsked { step, action, .. } => {
                let span = self.open_or_begin(step, 1, *at);
                span.state = SpanState::Waiting;
                span.action = action.clone().or(span.action.take());
            }
            RunEventKind::StepCalled { step, attempt, run_id, .. } => {
                let span = self.open_or_begin(step, *attempt, *at);
                span.state = SpanState::Waiting;
                span.run_id = Some(*run_id);
            }
            RunEventKind::StepCompleted { step, port, .. } => self.complete(step, port, *at),
            RunEventKind::StepFailed { step, error } => {
                let span = self.open_or_begin(step, 1, *at);
                end(span, SpanState::Failed, *at);
                span.error = Some(error.clone());
            }
            // The loser of a race is canceled and then skipped.
            RunEventKind::StepSkipped { step } if self.last.contains_key(step) => {}
            RunEventKind::StepSkipped { step } => end(self.begin(step, 1, *at), SpanState::Skipped, *at),
            RunEventKind::StepCanceled { step } => {
                let next = self.last.get(step).map_or(1, |last| self.list[*last].attempt + 1);
                end(self.open_or_begin(step, next, *at), SpanState::Canceled, *at);
            }
            RunEventKind::RunCompleted { .. } | RunEventKind::RunFailed { .. } | RunEventKind::RunCancelled => {
                // Nothing waits for the result of these attempts any more.
                self.list.iter_mut().filter(|span| span.ended_at.is_none()).for_each(|span| {
                    end(span, SpanState::Canceled, *at);
                });
            }
            // The attempt begins again, and its outcome is uncertain until then.
            RunEventKind::StepInterrupted { .. } | RunEventKind::RunQueued { .. } | RunEventKind::BranchWon { .. } => {}
        }
    }

    fn complete(&mut self, step: &str, port: &str, at: Time) {
        // A step that goes on after its failure stays failed.
        if let Some(failed) = self.last.get(step).map(|last| &mut self.list[*last])
            && failed.state == SpanState::Failed
        {
            failed.port = Some(port.to_owned());
            return;
        }
        let span = self.open_or_begin(step, 1, at);
        end(span, SpanState::Completed, at);
        span.port = Some(port.to_owned());
    }

    /// The last span of a step, unless it has ended.
    fn find_open(&self, step: &str) -> Option<usize> {
        self.last.get(step).copied().filter(|last| self.list[*last].ended_at.is_none())
    }

    fn begin(&mut self, step: &str, attempt: u32, at: Time) -> &mut Span {
        // A loop and an agent begin with the first step that is part of them.
        let mut parent = parent_of(step).map(str::to_owned);
        while let Some(name) = parent {
            if !self.last.contains_key(&name) {
                self.push(Span::new(name.clone(), 1, SpanState::Running, at));
            }
            parent = parent_of(&name).map(str::to_owned);
        }
        self.push(Span::new(step.to_owned(), attempt, SpanState::Running, at))
    }

    fn push(&mut self, span: Span) -> &mut Span {
        let place = self.list.len();
        self.last.insert(span.step.clone(), place);
        self.list.push(span);
        &mut self.list[place]
    }

    fn open_or_begin(&mut self, step: &str, attempt: u32, at: Time) -> &mut Span {
        match self.find_open(step) {
            Some(open) => &mut self.list[open],
            None => self.begin(step, attempt, at),
        }
    }
}

fn end(span: &mut Span, state: SpanState, at: Time) {
    span.state = state;
    span.ended_at = Some(at);
}

#[derive(Default)]
struct StepValues {
    input: Option<Arc<Value>>,
    output: Option<Arc<Value>>,
    console: Vec<ConsoleLine>,
}

/// The inputs and outputs of all steps, by their paths, and what is masked in them.
fn compute(
    facts: RunFacts,
    plan: Arc<ExecutionPlan>,
    trigger: usize,
    log: Vec<RunEvent>,
) -> Result<(HashMap<String, StepValues>, Masks)> {
    let restored = restore(&plan, log)?;
    let mut values: HashMap<String, StepValues> = HashMap::new();
    // The calls of agents are steps of the log, and their results are in it.
    for (path, result) in &restored.history.results {
        if let Ok(outcome) = result {
            values.entry(path.display(&plan)).or_default().output = Some(outcome.value.clone());
        }
    }
    let start = RunStart { facts, trigger, input: restored.input };
    let mut execution = Execution::new(plan.clone(), start, restored.history);
    // If the values need more time or memory, later steps are shown without them.
    Limits::SHOWN.settle(&mut execution);
    for effect in execution.take_due() {
        let step = values.entry(effect.path.display(&plan)).or_default();
        step.input.get_or_insert(effect.input);
    }
    let events = execution.take_events();
    let mut masks = restored.masks;
    masks.observe(&plan, &events);
    for event in events {
        match event {
            StepEvent::Started { path, input } => {
                values.entry(path.display(&plan)).or_default().input = Some(input);
            }
            StepEvent::Completed { path, outcome } => {
                values.entry(path.display(&plan)).or_default().output = Some(outcome.value);
            }
            StepEvent::Printed { path, lines } => {
                values.entry(path.display(&plan)).or_default().console.extend(lines);
            }
            _ => {}
        }
    }
    Ok((values, masks))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The spans of a log, whose events are a millisecond apart.
    fn spans(kinds: &[RunEventKind]) -> Vec<String> {
        let mut spans = Spans::default();
        for (millis, kind) in kinds.iter().enumerate() {
            spans.read(&RunEvent { at: Time::from_millis(millis as i64), kind: kind.clone() });
        }
        let text = |span: Span| format!("{} {} {:?}, repeated {}", span.step, span.attempt, span.state, span.repeats);
        spans.list.into_iter().map(text).collect()
    }

    /// The spans of a log that are exchanges, as step and attempt.
    fn exchanges(kinds: &[RunEventKind]) -> Vec<(String, u32)> {
        let mut spans = Spans::default();
        for kind in kinds {
            spans.read(&RunEvent { at: Time::from_millis(0), kind: kind.clone() });
        }
        let exchanges = spans.list.into_iter().filter(|span| span.is_exchange);
        exchanges.map(|span| (span.step, span.attempt)).collect()
    }

    fn call() -> String {
        "call".to_owned()
    }

    fn started(attempt: u32) -> RunEventKind {
        RunEventKind::StepStarted { step: call(), attempt, action: None }
    }

    fn error() -> StepError {
        StepError::new("timeout", "It took too long.")
    }

    fn retried(attempt: u32) -> RunEventKind {
        RunEventKind::StepRetried { step: call(), attempt, error: error(), next_at: Time::from_millis(9) }
    }

    fn completed(port: &str) -> RunEventKind {
        RunEventKind::StepCompleted { step: call(), port: port.to_owned(), output: None, chosen: false }
    }

    #[test]
    fn each_attempt_is_a_span() {
        let log = [started(1), started(1), retried(1), started(2), completed("out")];
        assert_eq!(spans(&log), ["call 1 Failed, repeated 1", "call 2 Completed, repeated 0"]);
    }

    #[test]
    fn each_attempt_of_an_effect_is_an_exchange() {
        let pure = RunEventKind::StepCompleted {
            step: "start".to_owned(),
            port: "out".to_owned(),
            output: None,
            chosen: false,
        };
        let inner = RunEventKind::StepStarted { step: "lines[0]/send".to_owned(), attempt: 1, action: None };
        let log = [pure, started(1), started(1), retried(1), started(2), completed("out"), inner];
        let expected = [("call", 1), ("call", 2), ("lines[0]/send", 1)];
        assert_eq!(exchanges(&log), expected.map(|(step, attempt)| (step.to_owned(), attempt)));
    }

    #[test]
    fn a_step_that_goes_on_after_its_failure_has_failed() {
        let log = [started(1), RunEventKind::StepFailed { step: call(), error: error() }, completed("error")];
        assert_eq!(spans(&log), ["call 1 Failed, repeated 0"]);
    }

    #[test]
    fn the_loser_of_a_race_is_canceled() {
        let skipped = RunEventKind::StepSkipped { step: call() };
        let log = [started(1), RunEventKind::StepCanceled { step: call() }, skipped.clone()];
        assert_eq!(spans(&log), ["call 1 Canceled, repeated 0"]);
        assert_eq!(spans(&[skipped]), ["call 1 Skipped, repeated 0"]);
    }

    #[test]
    fn an_attempt_that_was_about_to_begin_is_canceled() {
        let log = [started(1), retried(1), RunEventKind::StepCanceled { step: call() }];
        assert_eq!(spans(&log), ["call 1 Failed, repeated 0", "call 2 Canceled, repeated 0"]);
    }

    #[test]
    fn an_uncertain_attempt_ends_when_a_person_has_it_tried_again() {
        let asked = RunEventKind::StepAsked { step: call(), expires_at: Time::from_millis(9), action: None };
        let log = [started(1), asked, started(2)];
        assert_eq!(spans(&log), ["call 1 Failed, repeated 0", "call 2 Running, repeated 0"]);
    }

    #[test]
    fn what_is_open_at_the_end_is_canceled() {
        assert_eq!(spans(&[started(1), RunEventKind::RunCancelled]), ["call 1 Canceled, repeated 0"]);
    }

    #[test]
    fn a_step_is_part_of_its_loop_or_agent() {
        for (step, parent) in [
            ("ask", None),
            ("ask[0]", Some("ask")),
            ("lines[2]/send", Some("lines")),
            ("lines[2]/ask[10]", Some("lines[2]/ask")),
            ("lines[2]/inner[0]/send", Some("lines[2]/inner")),
        ] {
            assert_eq!(parent_of(step), parent, "{step}");
        }
    }
}
