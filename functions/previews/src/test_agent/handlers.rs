//! The handlers of the test agent of a workflow.

use std::sync::Arc;

use axum::extract::State;
use domain::agent::Agent;
use domain::id::{ParticipantId, RunId, WorkflowId};
use effects::{EffectOrigin, EffectOwner, SandboxConversation};
use platform::offload;
use tokio::time::Instant;
use web::builder::agent::AgentDetailOut;
use web::builder::{Data, Editor, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted};
use web::etag::ETag;
use web::language::AcceptLanguageHeaders;
use web::{Json, Path, Result};

use super::dto::{TestAgentOut, TestIn, TestOut};
use super::participant::Participant;
use super::request::{TestKind, TestRequest};
use super::subject::TestSubject;
use super::turns::ConversationTest;
use crate::{LIMIT, Stores};

/// Read the test agent
///
/// Returns the agent that plays the participant in tests of the workflow. The first request creates it. It is private to
/// the workflow and not listed. Change its model and its instructions with `PATCH /builder/v1/agents/{id}`; its tools
/// and sources are not used.
#[utoipa::path(
    get, path = "/builder/v1/workflows/{id}/test-agent", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow")),
    responses(
        (status = 200, description = "The test agent with its configuration", body = Data<TestAgentOut>,
            headers(("ETag" = String, description = "The agent's version"))),
        NotFound<WorkflowId>, NotPermitted, ErrorResponses,
    ),
)]
pub async fn get_test_agent(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(workflow_id): Path<WorkflowId>,
) -> Result<(ETag, Data<TestAgentOut>)> {
    let agent = stores.agents.get_or_create_test_agent(access.account, workflow_id, &access.caller.plan).await?;
    Ok((
        ETag::from_revision(agent.revision),
        Data { data: TestAgentOut { agent: AgentDetailOut::new(agent, access.role) } },
    ))
}

/// Test a workflow in a conversation
///
/// A participant writes messages to the workflow: those of a script, or those that the test agent writes to reach a
/// goal. The `message` node fires for each of them, and what the `send_message` nodes would send to the participant is
/// the reply. Nodes with memory know the earlier messages. The conversation is not stored, and nothing is sent to a
/// messaging provider. Other effects are real, and calls of models are charged.
///
/// A message with a recipient (`to`) is not sent either, and is no reply. A test ends after 25 seconds; turns that have
/// no time left fail with the code `timeout`.
#[utoipa::path(
    post, path = "/builder/v1/workflows/{id}/test-agent", tag = "runs",
    params(("id" = Uuid, Path, description = "The workflow"), AcceptLanguageHeaders), request_body = TestIn,
    responses(
        (status = 200, description = "The report, also if the test did not pass", body = Data<TestOut>),
        (status = 409, description = "`invalid_state`: the workflow is archived, its graph has no `message` node, or the \
            test agent is paused; `unpublished_changes`: there is no release to test", body = ErrorBody),
        (status = 422, description = "`agent_failed`: the test agent cannot be used", body = ErrorBody),
        NotFound<WorkflowId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn test_workflow(
    State(stores): State<Stores>,
    access: Editor<WorkflowId>,
    Path(workflow_id): Path<WorkflowId>,
    Json(request): Json<TestIn>,
) -> Result<Data<TestOut>> {
    let ends_at = Instant::now() + LIMIT;
    let account = access.account;
    let TestRequest { target, trigger, kind } = offload(move || request.read()).await?;
    let workflow = stores.workflows.get(account, workflow_id).await?;
    let subject = TestSubject::read(&stores.workflows, workflow, target, trigger.as_deref()).await?;
    let test = ConversationTest {
        id: RunId::new(),
        account,
        payer: access.caller.account(),
        workflow: workflow_id,
        performers: stores.performers.clone(),
        clock: stores.clock.clone(),
        sandbox: Arc::new(SandboxConversation::new(subject.channels.clone())),
        subject,
        participant: ParticipantId::new(),
        ends_at,
    };
    let report = match kind {
        TestKind::Script(script) => test.follow_script(script).await?,
        TestKind::Goal { goal, turns } => {
            let agent = stores.agents.get_or_create_test_agent(account, workflow_id, &access.caller.plan).await?;
            pursue_goal(&stores, &test, &agent, goal, turns).await?
        }
    };
    Ok(Data { data: report })
}

async fn pursue_goal(
    stores: &Stores,
    test: &ConversationTest,
    agent: &Agent,
    goal: String,
    turns: u32,
) -> domain::Result<TestOut> {
    let owner = EffectOwner {
        account: test.account,
        payer: test.payer,
        workflow: Some(test.workflow),
        request_prefix: format!("test/{}", test.id),
        origin: EffectOrigin::Preview { conversation: None },
    };
    let effects = stores.performers.of_owner(owner);
    let participant = Participant::load(effects, agent, goal, test.id.to_string()).await?;
    test.pursue_goal(&participant, turns).await
}
