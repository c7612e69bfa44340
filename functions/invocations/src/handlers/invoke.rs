//! The handler that calls an agent.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::id::{AgentId, InvocationId};
use web::builder::{Data, ErrorBody, ErrorResponses, NotFound, NotJson, NotPermitted, Operator};
use web::{Json, Path, Result};

use crate::Stores;
use crate::dto::invoke::{InvokeIn, InvokeOut};
use crate::events;
use crate::invocation::AgentInvocation;
use crate::recording::Recording;

/// Call an agent
///
/// Executes the agent and returns its answer. It uses its sources, its tools and, if it is a team, its members. Your
/// organization pays for the calls of models. An execution calls models at most 25 times, and takes at most 285 seconds.
///
/// If the agent calls a function, the response has `functionCalls` instead of an `output`. Execute them, add their
/// results to `messages`, and call the agent again.
///
/// With `stream`, the response is a stream of server-sent events: `step` when a call of a model or a tool begins, `text`
/// for each piece of text that a model writes, `result` when a call has ended, and at the end `done` with the same object
/// as without `stream`, or `error`.
///
/// The call is recorded, with its trace and its cost: see `GET …/invocations`.
#[utoipa::path(
    post, path = "/builder/v1/agents/{id}/invoke", tag = "agents",
    params(("id" = Uuid, Path, description = "The agent")), request_body = InvokeIn,
    responses(
        (status = 200, description = "The answer, or a stream of events",
            content((Data<InvokeOut> = "application/json"), (Value = "text/event-stream"))),
        (status = 409, description = "`invalid_state`: the agent is paused, archived or needs attention", body = ErrorBody),
        (status = 422, description = "`agent_failed`: a model or a source failed, or a limit was reached; the details have \
            the `code`", body = ErrorBody),
        NotFound<AgentId>, NotJson, NotPermitted, ErrorResponses,
    ),
)]
pub async fn invoke_agent(
    State(stores): State<Stores>,
    access: Operator<AgentId>,
    Path(id): Path<AgentId>,
    Json(request): Json<InvokeIn>,
) -> Result<Response> {
    let (account, payer, is_streamed) = (access.account, access.caller.account(), request.stream);
    let messages = request.into_messages()?;
    let agent = stores.agents.get(account, id).await?;
    agent.check_callable()?;
    let invocation_id = InvocationId::new();
    let retention = access.caller.plan.run_retention;
    let recording = Recording::begin(&stores, id, invocation_id, payer.user, retention, messages.clone());
    let invocation = AgentInvocation { stores, id: invocation_id, account, payer, agent, messages, recording };
    if is_streamed {
        return Ok(events::respond(invocation));
    }
    Ok(Data { data: invocation.carry_out(None).await? }.into_response())
}
