//! Looks at a graph as it would be published: by itself, and at all that it names.

use serde_json::json;
use shared::auth::Caller;
use shared::domain::channel::{self, ChannelKind, Channels, Equipment};
use shared::domain::graph::Graph;
use shared::domain::id::WorkflowId;
use shared::domain::reference::Reference;
use shared::engine::compile::{Problem, Severity, compile};
use shared::store::workflows::{Examine, MAX_REFERENCES, Prepared};
use shared::{Error, Result};

use crate::Stores;
use crate::dto::problem::ProblemOut;

/// The code of what a channel lacks; it has a status of its own.
const CHANNEL_INCOMPLETE: &str = "channel_incomplete";

/// Sees what the caller sees.
pub struct Examiner<'a> {
    pub stores: &'a Stores,
    pub caller: &'a Caller,
}

impl Examiner<'_> {
    /// Everything there is to say of the graph, and what it names when it may be published.
    pub async fn examine(
        &self,
        id: WorkflowId,
        graph: &Graph,
        channels: &Channels,
    ) -> Result<(Option<Prepared>, Vec<Problem>)> {
        let mut compiled = compile(graph);
        let (references, credentials) = (compiled.references(), compiled.credentials());
        let Self { stores, caller } = self;
        let known = stores.workflows.known(caller.account(), &references, &caller.plan).await?;
        compiled.hold_to(&known);
        compiled.hold_each_to("own_workflow", |step| {
            let runs_itself = step.references.iter().any(|(reference, _)| *reference == Reference::Workflow(id));
            runs_itself.then(|| "a workflow cannot run itself".to_owned())
        });
        let needs_equipment =
            !credentials.is_empty() || !channel::slots(graph).iter().all(|slot| slot.kind == ChannelKind::Internal);
        let equipment = match needs_equipment {
            true => stores.workflows.equipment(caller.account(), id).await?,
            false => Equipment::default(),
        };
        compiled.hold_each_to("credential_gone", |step| {
            let (credential, field) = step.credential?;
            let is_gone = !equipment.credentials.contains(&credential);
            is_gone.then(|| format!("config.{field}: the workflow has no such credential"))
        });
        compiled.hold_each_to(CHANNEL_INCOMPLETE, |step| {
            let (_, kind) = channel::of_type(step.node_type.name)?;
            let missing = channel::missing(kind, channels.get(&step.id), &equipment);
            (!missing.is_empty()).then(|| format!("its channel is not configured: {} missing", missing.join(", ")))
        });
        if references.len() > MAX_REFERENCES {
            compiled.hold_each_to("too_many_references", |step| {
                let names = !step.references.is_empty();
                names.then(|| format!("the workflow names more than {MAX_REFERENCES} agents, models and workflows"))
            });
        }
        let (plan, problems) = compiled.finish();
        Ok((plan.map(|_| Prepared { references, credentials }), problems))
    }
}

impl Examine for Examiner<'_> {
    /// What the graph names, unless something prevents it from being published: then the first thing that does, and
    /// with it everything.
    async fn prepare(&self, id: WorkflowId, graph: &Graph, channels: &Channels) -> Result<Prepared> {
        let (prepared, problems) = self.examine(id, graph, channels).await?;
        prepared.ok_or_else(|| {
            let errors = || problems.iter().filter(|problem| problem.severity == Severity::Error);
            // A graph that is wrong comes before a channel that is not there yet.
            let first = errors().find(|problem| problem.code != CHANNEL_INCOMPLETE).or_else(|| errors().next());
            let is_channel = first.is_some_and(|problem| problem.code == CHANNEL_INCOMPLETE);
            let problems: Vec<_> = problems.iter().cloned().map(ProblemOut::from).collect();
            Error::Unsound {
                code: if is_channel { CHANNEL_INCOMPLETE } else { "invalid_body" },
                message: first.map(|problem| problem.message.clone()).unwrap_or_default(),
                details: json!(problems),
            }
        })
    }
}
