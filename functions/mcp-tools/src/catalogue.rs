//! The tools of a caller: what is marked as a tool, and that the caller may run.

use auth::Caller;
use domain::Result;
use domain::agent::AgentStatus;
use domain::sharing::{Shareable, TeamRole};
use domain::tool_mark::{ToolMark, function_name};
use store::agents::AgentSummary;
use store::workflows::WorkflowSummary;
use web::builder::Access;

use crate::Stores;
use crate::result::GET_RUN;

/// A workflow or an agent that is marked as a tool.
pub struct MarkedTool {
    /// Unique among the tools of the caller.
    pub name: String,
    pub title: String,
    pub description: String,
    pub target: ToolTarget,
}

pub enum ToolTarget {
    Workflow(Box<WorkflowSummary>),
    Agent(Box<AgentSummary>),
}

impl ToolTarget {
    /// Whether a call can begin now.
    pub fn is_callable(&self) -> bool {
        match self {
            Self::Workflow(workflow) => workflow.state.may_start(),
            // A changed tool of another server is no reason to hide the agent. If more is missing, the call says what.
            Self::Agent(agent) => matches!(agent.status, AgentStatus::Published | AgentStatus::NeedsAttention),
        }
    }
}

impl Stores {
    /// All marked tools that the caller may run. What is older keeps its name.
    pub async fn marked_tools(&self, caller: &Caller) -> Result<Vec<MarkedTool>> {
        let user = caller.account();
        let (workflows, agents) = futures::try_join!(self.workflows.list_tools(user), self.agents.list_tools(user))?;
        let workflows = workflows.into_iter().map(|workflow| {
            let (mark, role) = (workflow.tool.clone(), workflow.access.role);
            let names = (workflow.name.clone(), workflow.description.clone());
            (workflow.created_at, mark, role, names, ToolTarget::Workflow(Box::new(workflow)))
        });
        let agents = agents.into_iter().map(|agent| {
            let (mark, role) = (agent.tool.clone(), agent.access.role);
            let names = (agent.name.clone(), agent.description.clone());
            (agent.created_at, mark, role, names, ToolTarget::Agent(Box::new(agent)))
        });
        let mut found: Vec<_> = workflows.chain(agents).collect();
        // What others share never takes the name of a tool of the caller's own.
        found.sort_by_key(|(created_at, _, role, ..)| (*role != TeamRole::Owner, *created_at));
        let mut taken = vec![GET_RUN.to_owned()];
        let mut tools = Vec::new();
        for (_, mark, role, (title, description), target) in found {
            let Some(ToolMark { name, description: given }) = mark.filter(|_| role >= TeamRole::Operator) else {
                continue;
            };
            let name = function_name(&name, "tool", &taken);
            taken.push(name.clone());
            let description = given.or(description).unwrap_or_else(|| title.clone());
            tools.push(MarkedTool { name, title, description, target });
        }
        Ok(tools)
    }

    /// What the caller may do with a workflow or an agent now. The lists of what is shared lag behind changes.
    pub async fn operator_access(&self, caller: &Caller, what: Shareable) -> Result<Access> {
        let access = Access::new(caller.clone(), self.shares.find(caller.account(), what).await?);
        access.role.require(TeamRole::Operator)?;
        Ok(access)
    }
}
