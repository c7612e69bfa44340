//! Carries out the turns of a test, one after the other, within its time limit.

use std::sync::Arc;
use std::time::Duration;

use domain::Result;
use domain::id::{MessageId, ParticipantId, RunId, WorkflowId};
use domain::identity::Account;
use domain::run::StepError;
use domain::time::Clock;
use effects::{EffectOrigin, EffectOwner, NodePerformers, SandboxConversation};
use engine::drive::Effects;
use engine::nodes::message::{MessageSender, MessageValue};
use platform::offload;
use runner::{Preview, PreviewEnd};
use tokio::time::Instant;

use super::dto::{TestOut, TurnOut, TurnState};
use super::participant::Participant;
use super::request::ScriptStep;
use super::subject::TestSubject;
use crate::LIMIT;
use crate::dto::PreviewErrorOut;

/// The end of the time limit is kept for the verdict about the goal.
const VERDICT: Duration = Duration::from_secs(5);

pub struct ConversationTest {
    /// The request ids of its calls of models begin with `test/` and this id.
    pub id: RunId,
    pub account: Account,
    pub payer: Account,
    pub workflow: WorkflowId,
    pub subject: TestSubject,
    pub performers: NodePerformers,
    pub clock: Clock,
    pub sandbox: Arc<SandboxConversation>,
    pub participant: ParticipantId,
    pub ends_at: Instant,
}

impl ConversationTest {
    /// Sends the messages of a script, and checks the replies.
    pub async fn follow_script(&self, script: Vec<ScriptStep>) -> Result<TestOut> {
        let mut turns = Vec::new();
        for (index, ScriptStep { say, expect }) in script.into_iter().enumerate() {
            let mut turn = self.take_turn(index + 1, say, self.ends_at).await?;
            if let Some(expect) = expect {
                let (replies, now) = (turn.replies.clone(), self.clock.now());
                let problem = offload(move || Ok(expect.find_problem(&replies, index + 1, now))).await?;
                turn.passed = Some(problem.is_none());
                turn.reason = problem;
            }
            turns.push(turn);
        }
        let is_as_expected = turns.iter().all(|turn| turn.passed != Some(false));
        Ok(TestOut { passed: is_as_expected && none_failed(&turns), turns, goal: None })
    }

    /// Lets the participant write until its goal is reached, at most `most` messages, and judges the conversation.
    pub async fn pursue_goal<E: Effects>(&self, participant: &Participant<E>, most: u32) -> Result<TestOut> {
        let ends_at = self.ends_at - VERDICT;
        let mut turns = Vec::new();
        for number in 1..=most as usize {
            match participant.write(&self.sandbox.messages(), ends_at).await {
                Ok(Some(message)) => turns.push(self.take_turn(number, message, ends_at).await?),
                Ok(None) => break,
                Err(StepError { code, message }) => {
                    let message = format!("the test agent wrote no message: {message}");
                    turns.push(failed_turn(String::new(), Vec::new(), &code, message));
                    break;
                }
            }
        }
        let goal = participant.judge(&self.sandbox.messages(), self.ends_at).await;
        Ok(TestOut { passed: goal.reached && none_failed(&turns), turns, goal: Some(goal) })
    }

    /// Lets the workflow answer a message. A turn that has no time left fails.
    async fn take_turn(&self, number: usize, message: String, ends_at: Instant) -> Result<TurnOut> {
        let limit = ends_at.saturating_duration_since(Instant::now());
        if limit.is_zero() {
            return Ok(failed_turn(message, Vec::new(), "timeout", describe_timeout()));
        }
        self.sandbox.receive(&message);
        let report = self.preview(&message).carry_out(self.performers.of_owner(self.owner(number)), limit).await?;
        let replies = self.sandbox.replies();
        let (state, error) = match report.end {
            PreviewEnd::Completed { .. } => (TurnState::Completed, None),
            PreviewEnd::Waiting => (TurnState::Waiting, None),
            PreviewEnd::Failed(error) => (TurnState::Failed, Some(error.into())),
            PreviewEnd::Timeout => return Ok(failed_turn(message, replies, "timeout", describe_timeout())),
        };
        Ok(TurnOut { message, replies, state, error, passed: None, reason: None })
    }

    fn preview(&self, message: &str) -> Preview {
        let input = MessageValue {
            text: message,
            participant: MessageSender { id: self.participant, name: None },
            attachments: Vec::new(),
            thread_id: self.sandbox.thread,
            message_id: MessageId::new(),
            address: None,
        }
        .into_input();
        let TestSubject { plan, trigger, .. } = &self.subject;
        Preview { id: RunId::new(), plan: plan.clone(), trigger: *trigger, input, clock: self.clock.clone() }
    }

    fn owner(&self, turn: usize) -> EffectOwner {
        EffectOwner {
            account: self.account,
            payer: self.payer,
            workflow: Some(self.workflow),
            request_prefix: format!("test/{}/{turn}", self.id),
            origin: EffectOrigin::Preview { conversation: Some(self.sandbox.clone()) },
        }
    }
}

fn none_failed(turns: &[TurnOut]) -> bool {
    turns.iter().all(|turn| turn.state != TurnState::Failed)
}

fn failed_turn(message: String, replies: Vec<String>, code: &str, problem: String) -> TurnOut {
    let error = PreviewErrorOut { code: code.to_owned(), message: problem, node_id: None };
    TurnOut { message, replies, state: TurnState::Failed, error: Some(error), passed: None, reason: None }
}

fn describe_timeout() -> String {
    format!("the test took longer than {} s; test fewer messages at a time", LIMIT.as_secs())
}
