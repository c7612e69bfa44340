//! Looks at a graph as it would be published: by itself, and at all that it names.

use std::collections::BTreeSet;

use domain::catalog::Purpose;
use domain::channel::{self, Channels, Equipment};
use domain::graph::Graph;
use domain::id::{CredentialId, WebhookId, WorkflowId};
use domain::reference::Reference;
use domain::{Error, Result};
use engine::compile::{Compiled, Problem, Severity, Step, compile};
use serde_json::json;
use shared::auth::Caller;
use shared::offload;
use shared::store::workflows::{Examine, Known, MAX_REFERENCES};
use uuid::Uuid;

use crate::Stores;
use crate::dto::problem::ProblemOut;

/// The code of what a channel lacks; it has a status of its own.
const CHANNEL_INCOMPLETE: &str = "channel_incomplete";

/// Problems that an error lists.
const MAX_DETAILS: usize = 100;

/// Sees what the caller sees.
pub struct Examiner<'a> {
    pub stores: &'a Stores,
    pub caller: &'a Caller,
}

impl Examiner<'_> {
    /// Everything there is to say of the graph, and what it needs when it may be published.
    pub async fn examine(
        &self,
        id: WorkflowId,
        graph: &Graph,
        channels: &Channels,
    ) -> Result<(Option<BTreeSet<Reference>>, Vec<Problem>)> {
        let drawn = graph.clone();
        let mut compiled = offload(move || Ok(compile(&drawn))).await?;
        let mut references = compiled.references();
        let own = own_references(id, &compiled, graph, channels);
        let Self { stores, caller } = self;
        let known = stores.workflows.known(caller.account(), &references, &caller.plan).await?;
        compiled.hold_to(&known.references);
        compiled.hold_fields_to(Severity::Error, "model_unfit", |step| unfit(step, &known));
        compiled.hold_fields_to(Severity::Error, "own_workflow", |step| {
            let own = step.references.iter().find(|(reference, _)| *reference == Reference::Workflow(id));
            own.map(|(_, field)| (*field, "a workflow cannot run itself".to_owned()))
        });
        compiled.hold_fields_to(Severity::Warning, "workflow_unpublished", |step| {
            let named = step.references.iter().find(|(reference, _)| known.asleep.contains(reference));
            named.map(|(_, field)| (*field, "has no release that runs: publish it, or restore it".to_owned()))
        });
        // Where nothing is named, nothing that there is would serve.
        let equipment = match own.is_empty() {
            true => Equipment::default(),
            false => stores.workflows.equipment(caller.account(), id).await?,
        };
        compiled.hold_fields_to(Severity::Error, "credential_gone", |step| {
            let (credential, field) = step.credential?;
            let is_gone = !equipment.credentials.contains_key(&credential);
            is_gone.then(|| (field, "the workflow has no such credential".to_owned()))
        });
        compiled.hold_each_to(CHANNEL_INCOMPLETE, |step| {
            let (_, kind) = channel::of_type(step.node_type.name)?;
            let missing = channel::missing(kind, channels.get(&step.id), &equipment);
            (!missing.is_empty()).then(|| format!("its channel is not configured: {} missing", missing.join(", ")))
        });
        references.extend(own);
        if references.len() > MAX_REFERENCES {
            let things = "agents, models, workflows, credentials and webhooks";
            let message = format!("the workflow needs {} {things}, and may at most {MAX_REFERENCES}", references.len());
            compiled.hold_whole_to("too_many_references", &message);
        }
        let (plan, mut problems) = compiled.finish();
        // A graph that is wrong comes before a channel that is not there yet.
        problems.sort_by_key(|problem| (problem.severity, problem.code == CHANNEL_INCOMPLETE));
        Ok((plan.map(|_| references), problems))
    }
}

/// The field of a step that names a model which does not do what the step calls it for.
fn unfit(step: &Step, known: &Known) -> Option<(&'static str, String)> {
    let purpose = step.node_type.calls?;
    let does_not = match purpose {
        Purpose::Chat => "does not chat",
        Purpose::Embeddings => "makes no embeddings",
    };
    step.references.iter().find_map(|(reference, field)| {
        let Reference::Model(name) = reference else { return None };
        let is_unfit = known.models.get(name).is_some_and(|model| !model.does(purpose));
        is_unfit.then(|| (*field, format!("`{name}` {does_not}; see GET /builder/v1/models")))
    })
}

/// What a workflow needs of its own: credentials of its nodes and channels, and webhooks.
fn own_references(id: WorkflowId, compiled: &Compiled, graph: &Graph, channels: &Channels) -> BTreeSet<Reference> {
    let credential = |credential: Uuid| Reference::Credential(id, CredentialId::from(credential));
    let of_channels = channel::slots(graph).into_iter().filter_map(|slot| channels.get(&slot.node_id));
    let of_channels = of_channels.flat_map(|channel| {
        let webhook = channel.webhook_id.map(|webhook| Reference::Webhook(WebhookId::from(webhook)));
        webhook.into_iter().chain(channel.credential_id.map(credential))
    });
    compiled.credentials().into_iter().map(credential).chain(of_channels).collect()
}

impl Examine for Examiner<'_> {
    /// What the graph needs, unless something prevents it from being published: then the first thing that does, and
    /// with it everything.
    async fn prepare(&self, id: WorkflowId, graph: &Graph, channels: &Channels) -> Result<BTreeSet<Reference>> {
        let (references, problems) = self.examine(id, graph, channels).await?;
        references.ok_or_else(|| {
            let first = problems.first();
            let is_channel = first.is_some_and(|problem| problem.code == CHANNEL_INCOMPLETE);
            let mut shown: Vec<_> = problems.iter().take(MAX_DETAILS).cloned().map(ProblemOut::from).collect();
            if let Some(more @ 1..) = problems.len().checked_sub(MAX_DETAILS) {
                shown.push(ProblemOut::more(more));
            }
            Error::Unsound {
                code: if is_channel { CHANNEL_INCOMPLETE } else { "invalid_body" },
                message: first.map(|problem| problem.message.clone()).unwrap_or_default(),
                details: json!(shown),
            }
        })
    }
}
