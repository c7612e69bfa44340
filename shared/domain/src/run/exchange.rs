//! The exchanges of a run: what it sent to models, to other systems and to people, and what they answered. Each attempt
//! of an effect is one exchange.

use std::collections::HashMap;

use super::{AgentActionKind, RunEventKind};

/// Recognizes the events of a log with which an exchange begins. It must see all events of the log, in their order.
#[derive(Clone, Debug, Default)]
pub struct ExchangeDetector {
    /// The last attempt of each step that has begun.
    attempts: HashMap<String, u32>,
}

impl ExchangeDetector {
    /// The step whose exchange begins with this event, if one begins.
    pub fn detect<'a>(&mut self, event: &'a RunEventKind) -> Option<&'a str> {
        match event {
            // An agent that reads its own configuration exchanges nothing.
            RunEventKind::StepStarted { action: Some(action), .. } if action.kind == AgentActionKind::Load => None,
            RunEventKind::StepStarted { step, attempt, .. } => {
                // After a crash, the same attempt may begin again.
                let is_new = self.attempts.insert(step.clone(), *attempt) != Some(*attempt);
                is_new.then_some(step)
            }
            // A person is also asked about an attempt whose outcome is uncertain. That is part of the attempt.
            RunEventKind::StepAsked { step, .. } if !self.attempts.contains_key(step) => {
                self.attempts.insert(step.clone(), 1);
                Some(step)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AgentId;
    use crate::run::AgentAction;
    use crate::time::Time;

    fn started(step: &str, attempt: u32) -> RunEventKind {
        RunEventKind::StepStarted { step: step.to_owned(), attempt, action: None }
    }

    fn asked(step: &str) -> RunEventKind {
        RunEventKind::StepAsked { step: step.to_owned(), expires_at: Time::from_millis(0), action: None }
    }

    /// Whether an exchange begins with each event.
    fn find_exchanges(log: &[RunEventKind]) -> Vec<bool> {
        let mut detector = ExchangeDetector::default();
        log.iter().map(|event| detector.detect(event).is_some()).collect()
    }

    #[test]
    fn each_attempt_and_each_question_is_one_exchange() {
        let log = [started("call", 1), started("call", 2), started("other", 1), asked("check")];
        assert_eq!(find_exchanges(&log), [true; 4]);
    }

    #[test]
    fn an_attempt_that_begins_again_after_a_crash_is_the_same_exchange() {
        let log = [started("call", 1), started("call", 1), asked("call"), started("call", 2)];
        assert_eq!(find_exchanges(&log), [true, false, false, true]);
    }

    #[test]
    fn reading_the_configuration_of_an_agent_is_no_exchange() {
        let load = AgentAction { kind: AgentActionKind::Load, name: "Scout".to_owned(), agent_id: AgentId::new() };
        let log = [
            RunEventKind::StepStarted { step: "ask[0]".to_owned(), attempt: 1, action: Some(load) },
            RunEventKind::RunCancelled,
        ];
        assert_eq!(find_exchanges(&log), [false, false]);
    }
}
