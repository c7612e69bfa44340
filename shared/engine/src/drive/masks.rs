//! Masks the parts of values that a workflow names with `redact`, in everything that the driver stores. The texts of these
//! parts are masked wherever else they occur in the run.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::compile::ExecutionPlan;
use crate::nodes::redaction::Redaction;
use crate::nodes::send_result::SendResultNode;
use crate::run::{StepError, StepEvent, StepOutcome, StepPath};
use domain::run::masking::{HIDDEN, hide, mask, unmask};
use domain::run::{RunEnd, RunEventKind, RunValue};

/// Shorter texts occur in other fields by chance, so they are masked only in their own.
const MIN_MASKED_BYTES: usize = 6;
/// The maximum number of texts that are masked in other fields.
const MAX_MASKED_TEXTS: usize = 200;

/// Masks the input of a run, as its trigger says.
pub fn mask_run_input(redaction: &Redaction, input: &mut Value) {
    let mut masks = Masks::default();
    redaction.each_in_run_input(input, &mut |part| masks.learn(part));
    redaction.each_in_run_input(input, &mut mask);
    masks.mask_value(input);
}

#[derive(Debug, Default)]
pub struct Masks {
    /// The texts of masked parts.
    texts: BTreeSet<String>,
}

impl Masks {
    /// Notes the texts of a masked part.
    pub fn learn(&mut self, part: &Value) {
        match part {
            Value::String(text) if text.len() >= MIN_MASKED_BYTES && self.texts.len() < MAX_MASKED_TEXTS => {
                self.texts.insert(text.clone());
            }
            Value::Number(number) if self.texts.len() < MAX_MASKED_TEXTS => {
                self.texts.extend(Some(number.to_string()).filter(|text| text.len() >= MIN_MASKED_BYTES));
            }
            Value::Array(items) => items.iter().for_each(|item| self.learn(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.learn(field)),
            _ => {}
        }
    }

    /// Puts the originals in the places of masked parts, and notes their texts.
    pub fn unmask(&mut self, value: &mut Value) {
        unmask(value, &mut |part| self.learn(part));
    }

    /// Notes the masked parts of the values of steps. A preview stores nothing, so it masks nothing.
    pub fn observe(&mut self, plan: &ExecutionPlan, events: &[StepEvent]) {
        if plan.is_preview() {
            return;
        }
        for event in events {
            let (StepEvent::Started { path, input: value }
            | StepEvent::Completed { path, outcome: StepOutcome { value, .. } }) = event
            else {
                continue;
            };
            let redaction = plan.redaction(path);
            // The calls of an agent have other values than its node.
            if redaction.is_empty() || path.call.is_some() {
                continue;
            }
            let (mut value, mut learn) = (Value::clone(value), |part: &mut Value| self.learn(part));
            match event {
                StepEvent::Started { .. } => redaction.each_in_input(&mut value, &mut learn),
                _ => redaction.each_in_output(&mut value, &mut learn),
            }
        }
    }

    /// Masks the value or the message of an event that is to be stored.
    pub fn mask_event(&self, plan: &ExecutionPlan, kind: &mut RunEventKind) {
        match kind {
            _ if plan.is_preview() => {}
            RunEventKind::StepCompleted { step, output: Some(RunValue::Value(output)), .. } => {
                if let Some(path) = StepPath::parse(step, plan) {
                    plan.redaction(&path).each_in_output(output, &mut mask);
                }
                self.mask_value(output);
            }
            RunEventKind::RunCompleted { output: RunValue::Value(output) } => {
                let ends = plan.steps.iter().filter(|step| step.node_type.is::<SendResultNode>());
                ends.for_each(|step| step.redaction.each_in_output(output, &mut mask));
                self.mask_value(output);
            }
            RunEventKind::StepRetried { error, .. } | RunEventKind::StepFailed { error, .. } => {
                self.hide_in_error(error)
            }
            _ => {}
        }
    }

    /// Masks each string and number of a value that has the text of a masked part.
    pub fn mask_value(&self, value: &mut Value) {
        match value {
            _ if self.texts.is_empty() => {}
            Value::Number(number) if self.texts.contains(&number.to_string()) => mask(value),
            Value::String(text) if self.texts.iter().any(|masked| text.contains(masked.as_str())) => mask(value),
            Value::Array(items) => items.iter_mut().for_each(|item| self.mask_value(item)),
            Value::Object(fields) => fields.values_mut().for_each(|field| self.mask_value(field)),
            _ => {}
        }
    }

    /// The last event of a run, whose message shows no masked parts.
    pub fn end_event(&self, plan: &ExecutionPlan, end: &RunEnd) -> RunEventKind {
        let mut kind = end.event();
        self.mask_event(plan, &mut kind);
        kind
    }

    /// An end as it is stored: its message does not show masked parts.
    pub fn hide_in_end<'a>(&self, end: &'a RunEnd) -> Cow<'a, RunEnd> {
        match end {
            RunEnd::Failed(error) if !self.texts.is_empty() => {
                let mut error = error.clone();
                self.hide_in_text(&mut error.message);
                Cow::Owned(RunEnd::Failed(error))
            }
            _ => Cow::Borrowed(end),
        }
    }

    /// Hides the masked parts of what a person sees.
    pub fn hide_in_fields(&self, fields: &mut Map<String, Value>) {
        fields.values_mut().for_each(|field| self.hide_in_value(field));
    }

    pub fn hide_in_value(&self, value: &mut Value) {
        self.mask_value(value);
        hide(value);
    }

    /// Hides the masked parts of a step's values that were computed again.
    pub fn hide_in_step(
        &self,
        plan: &ExecutionPlan,
        step: &str,
        input: &mut Option<Arc<Value>>,
        output: &mut Option<Arc<Value>>,
    ) {
        let path = StepPath::parse(step, plan);
        let redaction = path.map(|path| plan.redaction(&path)).filter(|redaction| !redaction.is_empty());
        if redaction.is_none() && self.texts.is_empty() {
            return;
        }
        if let Some(input) = input.as_mut().map(Arc::make_mut) {
            redaction.inspect(|redaction| redaction.each_in_input(input, &mut mask));
            self.hide_in_value(input);
        }
        if let Some(output) = output.as_mut().map(Arc::make_mut) {
            redaction.inspect(|redaction| redaction.each_in_output(output, &mut mask));
            self.hide_in_value(output);
        }
    }

    pub fn hide_in_error(&self, error: &mut StepError) {
        self.hide_in_text(&mut error.message);
    }

    pub fn hide_in_text(&self, text: &mut String) {
        // A text may be part of another one.
        let mut masked: Vec<&str> =
            self.texts.iter().map(String::as_str).filter(|masked| text.contains(masked)).collect();
        masked.sort_by_key(|masked| Reverse(masked.len()));
        for masked in masked {
            *text = text.replace(masked, HIDDEN);
        }
    }
}
