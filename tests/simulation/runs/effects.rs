//! The effects of the simulation. Each attempt takes some time, and may fail. The witness notes when one begins.

use std::sync::Arc;
use std::time::Duration;

use domain::agent::AgentType;
use domain::id::{ReleaseId, RunId, WorkflowId};
use domain::run::{NewRun, OnUncertain, ParentStep, Run, StartableRelease, StepError};
use engine::drive::{Effect, EffectError, EffectOutcome, Effects, RetryHint};
use engine::nodes::OUT;
use engine::nodes::Operation;
use engine::nodes::workflow::WorkflowCall;
use engine::run::{StepOutcome, StepPath};
use runner::Performers;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::sleep;
use uuid::Uuid;

use super::accounts::{Performed, RunAccount};
use super::agents::{random_agent, random_answer};
use super::graphs::{POISON, TRIGGER};
use super::oracle::Oracle;
use super::protocol::RunProtocol;
use crate::machine::process::Process;
use crate::machine::random::{happens, millis};

/// The performers of one worker process.
#[derive(Clone)]
pub struct SimulatedPerformers {
    pub process: Process,
    pub protocol: Arc<RunProtocol>,
    /// Kills the process.
    pub kill: Arc<Notify>,
    /// Calls of other systems are the only effects that the process performs.
    pub calls_only: bool,
}

pub struct SimulatedEffects {
    performers: SimulatedPerformers,
    run: Run,
    /// The epoch of the claim.
    epoch: u64,
}

impl Performers for SimulatedPerformers {
    fn of_run(&self, run: &Run) -> impl Effects + Send {
        // A run that arrives is not stored yet.
        let epoch = self.protocol.accounts().runs.get(&run.id).map_or(0, RunAccount::epoch).max(1);
        SimulatedEffects { performers: self.clone(), run: run.clone(), epoch }
    }
}

impl Effects for SimulatedEffects {
    fn can_perform(&self, operation: &Operation) -> bool {
        !self.performers.calls_only || matches!(operation, Operation::Http(_))
    }

    async fn perform(&self, effect: Effect) -> Result<EffectOutcome, EffectError> {
        let SimulatedPerformers { process, protocol, kill, .. } = &self.performers;
        self.witness(&effect);
        if matches!(&*effect.operation, Operation::Http(call) if call.request.url == POISON) {
            process.world.note(|| format!("{}: {} is poisonous", process.name, effect.step));
            kill.notify_one();
            std::future::pending::<()>().await;
        }
        let (takes, fate) = {
            let random = &mut process.world.state().random;
            let is_slow = happens(random, 100) || process.world.began().elapsed() < protocol.scenario.stops_until;
            (if is_slow { millis(random, 5_000, 45_000) } else { millis(random, 5, 3_000) }, random.u8(..20))
        };
        sleep(takes).await;
        process.wait_until_running().await;
        let error = |retry| EffectError { error: StepError::new("failed", "It did not answer."), retry };
        match fate {
            0..=3 => Err(error(RetryHint::After(Duration::from_secs(if fate == 0 { 30 } else { 0 })))),
            4 => Err(error(RetryHint::Never)),
            _ => Ok(match &*effect.operation {
                Operation::Workflow(call) => EffectOutcome::Call(Box::new(self.called(&effect, call))),
                _ => EffectOutcome::Completed(StepOutcome::new(OUT, self.result(&effect, fate))),
            }),
        }
    }
}

impl SimulatedEffects {
    fn result(&self, effect: &Effect, fate: u8) -> Value {
        let SimulatedPerformers { process, protocol, .. } = &self.performers;
        let random = &mut process.world.state().random;
        // The agents of called workflows call no others, because the runs would be too many.
        let workflows = if self.run.parent.is_none() { protocol.scenario.called.len() } else { 0 };
        match &*effect.operation {
            Operation::LoadAgent(_) => {
                let agent = random_agent(random, workflows, protocol.scenario.has_mcp_tools);
                if agent.r#type == AgentType::Multiple {
                    protocol.accounts().findings.count("teams loaded");
                }
                json!(agent)
            }
            Operation::AskModel(request) => random_answer(random, request, workflows),
            _ => json!({"n": fate * 10, "key": effect.idempotency_key}),
        }
    }

    /// The run that a step starts.
    fn called(&self, effect: &Effect, call: &WorkflowCall) -> NewRun {
        let SimulatedPerformers { process, .. } = &self.performers;
        let first = process.world.now().first_uuid();
        let random = process.world.state().random.u64(..) >> 2;
        let uuid = Uuid::from_u128(first.as_u128() | u128::from(random));
        let depth = self.run.parent.as_ref().map_or(0, |parent| parent.depth) + 1;
        let release = StartableRelease {
            account: self.run.account,
            payer: None,
            workflow: WorkflowId::from(uuid),
            release: ReleaseId::from(uuid),
            number: call.input.as_u64().expect("the step names a workflow"),
        };
        let parent = Some(ParentStep { run: self.run.id, step: effect.step.clone(), depth, root: self.run.root() });
        let new = NewRun::new(release, self.run.origin, TRIGGER.to_owned(), json!({"n": 70}));
        NewRun { id: RunId::from(uuid), parent, ..new }
    }

    /// Checks that the attempt may begin.
    fn witness(&self, effect: &Effect) {
        let SimulatedPerformers { process, protocol, .. } = &self.performers;
        let Effect { step, attempt, idempotency_key: key, operation, .. } = effect.clone();
        process.world.note(|| format!("{}: run {} performs {step}, attempt {attempt}", process.name, self.run.id));
        let mut accounts = protocol.accounts();
        let Some(plan) = protocol.scenario.plan_of(&self.run) else {
            accounts.findings.record_violation(Oracle::StartedTwice, format!("run {} performs {step}", self.run.id));
            return;
        };
        let run = accounts.runs.get_mut(&self.run.id).expect("the run is known");
        let mut violations = Vec::new();
        if !run.has_intent(&step, attempt) {
            violations.push(Oracle::NoIntent);
        }
        if run.has_result(&step) {
            violations.push(Oracle::RepeatedAfterResult);
        }
        if run.epoch() != self.epoch {
            violations.push(Oracle::LostRun);
        }
        let path = StepPath::parse(&step, plan).expect("the plan has the step");
        let on_uncertain = operation.on_uncertain(plan.steps[path.step].policy.on_uncertain);
        for before in run.performed.iter().filter(|before| before.step == step) {
            if before.attempt == attempt && on_uncertain != OnUncertain::Retry {
                violations.push(Oracle::RepeatedUncertain);
            }
            if (before.attempt == attempt) != (before.key == key) {
                violations.push(Oracle::OtherKey);
            }
            if before.operation != operation {
                violations.push(Oracle::OtherRequest);
            }
        }
        run.performed.push(Performed { step: step.clone(), attempt, key, operation });
        for oracle in violations {
            accounts.findings.record_violation(oracle, format!("run {}: {step}, attempt {attempt}", self.run.id));
        }
    }
}
