//! What happens in a run, as the progress of a call.

use domain::run::{RunEventKind, StepError};
use mcp::rmcp::model::{ProgressNotificationParam, ProgressToken};
use store::runs::NumberedEvent;

/// The notification of an event, if it is of interest. The progress is the number of the event, so it grows, and says where a
/// client that lost its stream goes on.
pub fn notification(token: &ProgressToken, event: &NumberedEvent) -> Option<ProgressNotificationParam> {
    let message = describe(&event.event.kind)?;
    Some(ProgressNotificationParam::new(token.clone(), event.number as f64).with_message(message))
}

fn describe(event: &RunEventKind) -> Option<String> {
    Some(match event {
        RunEventKind::StepStarted { step, attempt: 1, .. } => format!("{step} began"),
        RunEventKind::StepStarted { step, attempt, .. } => format!("{step} began, attempt {attempt}"),
        RunEventKind::StepRetried { step, error, .. } => format!("{step} failed and will be repeated: {}", show(error)),
        RunEventKind::StepDelayed { step, until } => format!("{step} waits until {until}"),
        RunEventKind::StepAsked { step, .. } => format!("{step} waits for a person"),
        RunEventKind::StepCalled { step, .. } => format!("{step} runs another workflow"),
        RunEventKind::StepCompleted { step, .. } => format!("{step} has ended"),
        RunEventKind::StepFailed { step, error } => format!("{step} failed: {}", show(error)),
        RunEventKind::RunQueued { .. }
        | RunEventKind::StepInterrupted { .. }
        | RunEventKind::StepSkipped { .. }
        | RunEventKind::StepCanceled { .. }
        | RunEventKind::BranchWon { .. }
        | RunEventKind::RunCompleted { .. }
        | RunEventKind::RunFailed { .. }
        | RunEventKind::RunCancelled => return None,
    })
}

fn show(StepError { code, message }: &StepError) -> String {
    format!("{code}: {message}")
}
